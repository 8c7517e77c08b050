#include "api/tuner.h"

#include <algorithm>

#include "diagnostics/codes/bad_argument.h"

namespace reckon {

using codegen::Choice;
using codegen::StatedChoices;

std::vector<Tuned::Way> Tuner::changes(const StatedChoices& from, const std::vector<Choice>& choices) {
  std::vector<Tuned::Way> out;
  for (const Choice& choice : choices) {
    for (std::size_t way = 0; way < choice.ways.size(); ++way) {
      if (way == choice.taken) continue;
      Tuned::Way trial{from, {}, {}, {}};
      trial.choices.erase(choice.of);
      if (way != choice.usual) trial.choices[choice.of] = choice.ways[way];
      if (!seen_.insert(codegen::text_of(trial.choices)).second) continue;
      if (const auto found = model_(trial.choices)) {
        if (!seen_.insert(found->kernels).second) continue;
        trial.modelled = found->seconds;
      } else if (found.error().code == code::bad_argument) {
        continue;  // another choice that is stated is not there with this one
      } else {
        trial.problem = found.error().message;
      }
      const auto& usual = trials_.front().modelled;
      if (trial.modelled && usual && *trial.modelled > slow * *usual) {
        trial.problem = "slow by the model";
      }
      out.push_back(std::move(trial));
    }
  }
  // What the model knows nothing of is as good as what is usual.
  const double usual = trials_.front().modelled.value_or(0);
  std::ranges::stable_sort(out, {}, [&](const Tuned::Way& trial) { return trial.modelled.value_or(usual); });
  return out;
}

bool Tuner::try_out(Tuned::Way& trial) {
  if (!trial.problem.empty() || !measure_) return true;
  if (measured_ == most_) {
    ++left_out_;
    return false;
  }
  ++measured_;
  const auto found = measure_(trial.choices);
  if (found) trial.measured = *found;
  else trial.problem = found.error().message;
  return true;
}

Expected<std::size_t> Tuner::run() {
  auto usual = model_({});
  if (!usual) return usual.error();
  trials_.push_back({{}, usual->seconds, {}, {}});
  seen_.insert({"", usual->kernels});
  if (measure_) {
    ++measured_;
    const auto found = measure_({});
    if (!found) return found.error();
    trials_[0].measured = *found;
  }
  std::size_t best = 0;
  std::vector<Choice> choices = std::move(usual->choices);
  while (true) {
    const std::size_t from = best;
    for (Tuned::Way& trial : changes(trials_[from].choices, choices)) {
      if (!try_out(trial)) continue;
      trials_.push_back(std::move(trial));
      const auto& time = trials_.back().measured;
      if (time && *time < *trials_[best].measured) best = trials_.size() - 1;
    }
    const auto gained = [&] { return *trials_[best].measured < (1 - least_gain) * *trials_[from].measured; };
    if (best == from || !gained()) return from;
    auto next = model_(trials_[best].choices);
    if (!next) return next.error();
    choices = std::move(next->choices);
  }
}

}  // namespace reckon
