// Floats held against the answers that an accuracy profile allows: `check f in accept(P)`, `check f ~ g in accept(P)`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check/trial.h"
#include "diagnostics/codes/check_failed_to_run.h"
#include "numerics/format.h"
#include "semantics/standard.h"

namespace reckon::check {

namespace {

constexpr std::size_t max_named = 8;

/// The place of a float that no conforming implementation gives, and how far it is from the accepted answers.
struct Outside {
  std::size_t part = 0;
  std::int64_t element = 0;
  interp::Acceptance acceptance;
};

std::string nearest_text(const interp::Acceptance& acceptance, ir::Format format) {
  if (numerics::is_nan(acceptance.nearest, format)) return "no number of the format is accepted";
  return fmt::format("the nearest accepted value is {} ({}#{})", numerics::shortest_decimal(acceptance.nearest, format),
                     ir::scalar_name(ir::scalar_of(format)), numerics::bit_digits(acceptance.nearest, format));
}

std::string reason_of(const interp::Rendering& unbounded) {
  for (const auto& [name, value] : unbounded.fields) {
    if (name == "reason") return value;
  }
  return unbounded.text;
}

}  // namespace

void AcceptedTally::add(const AcceptedTally& more) {
  floats += more.floats;
  outside += more.outside;
  unbounded += more.unbounded;
  worst_ulps = std::max(worst_ulps, more.worst_ulps);
  used = std::max(used, more.used);
  for (const auto& [reason, count] : more.reasons) reasons[reason] += count;
}

Judged AcceptedTally::judged(std::string what) const {
  Judged out{std::move(what), floats, floats - outside - unbounded, outside, unbounded, worst_ulps, used, {}};
  out.reasons.assign(reasons.begin(), reasons.end());
  std::stable_sort(out.reasons.begin(), out.reasons.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

Expected<TrialResult> Trial::compare_accepted(const ir::Dimensions& sizes, Drawn& inputs) const {
  auto answers = interp::evaluate(module_, *item_.left, semantics_, inputs.arguments, sizes, options_);
  if (!answers) return answers.error();
  const auto floats = interp::floats();
  auto found = right_side(*floats, sizes, inputs.arguments);
  if (!found) return about_signatures(found.error());

  TrialResult out;
  out.any_finite = true;
  std::vector<Outside> outside;
  std::size_t worst = 0;
  for (std::size_t part = 0; part < answers->size(); ++part) {
    const interp::Values &a = (*answers)[part], &b = (*found)[part];
    if (a.shape() != b.shape()) return different_shapes(a, b);
    for (std::int64_t i = 0; i < a.count(); ++i) {
      const auto bits = floats->bits(b.scalar(), b.at(i));
      const auto acceptance = bits ? semantics_.acceptance(a.scalar(), a.at(i), *bits) : std::nullopt;
      if (!acceptance) {
        return Diagnostic(code::check_failed_to_run, item_.span,
                          fmt::format("results of type `{}` are not held against a profile",
                                      ir::scalar_name(a.scalar())));
      }
      ++out.accepted.floats;
      out.accepted.used = std::max(out.accepted.used, acceptance->used);
      if (acceptance->anything) {
        ++out.accepted.unbounded;
        ++out.accepted.reasons[reason_of(semantics_.render(a.scalar(), a.at(i)))];
      }
      if (acceptance->accepted) continue;
      ++out.accepted.outside;
      out.accepted.worst_ulps = std::max(out.accepted.worst_ulps, acceptance->ulps);
      outside.push_back({part, i, *acceptance});
      if (acceptance->ulps > outside[worst].acceptance.ulps) worst = outside.size() - 1;
    }
  }
  if (outside.empty()) return out;

  const Outside& shown = outside[worst];
  const interp::Values &a = (*answers)[shown.part], &b = (*found)[shown.part];
  out.truth = interp::Truth::no;
  out.counterexample = witness(sizes, inputs, a.shape(), shown.element, semantics_.render(a.scalar(), a.at(shown.element)));
  out.counterexample->right = floats->render(b.scalar(), b.at(shown.element));
  if (std::isfinite(shown.acceptance.ulps)) out.counterexample->distance = fmt::format("{:.7g} ulp", shown.acceptance.ulps);
  out.notes.push_back(nearest_text(shown.acceptance, ir::format_of(a.scalar())));
  if (out.accepted.floats > 1) {
    std::vector<std::string> places;
    for (const Outside& each : outside) {
      if (places.size() == max_named) {
        places.emplace_back("...");
        break;
      }
      const interp::Values& values = (*answers)[each.part];
      places.push_back(fmt::format("[{}]", fmt::join(subscripts_of(each.element, values.shape()), ", ")));
    }
    out.notes.push_back(fmt::format("{}{} of {} results are outside: {}",
                                    item_.left->parameters.empty() ? "" : "of these inputs, ", outside.size(),
                                    out.accepted.floats, fmt::join(places, ", ")));
  }
  return out;
}

}  // namespace reckon::check
