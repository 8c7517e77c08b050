#include "check/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "numerics/format.h"

namespace reckon::check {

namespace {

constexpr int max_shrinking_steps = 400;
/// The limit of evaluations times elements of the inputs, and a time limit for circuits that are slow for their size.
constexpr std::int64_t max_elements_evaluated = 400'000;
constexpr std::chrono::seconds max_time{2};
constexpr int max_passes = 3;

class Shrinker {
 public:
  Shrinker(const frontend::ElaboratedItem& item, const Trial& trial, const ir::Dimensions& sizes, TrialResult& failed)
      : item_(item), trial_(trial), sizes_(sizes), best_(failed) {
    std::int64_t elements = 1;
    for (const interp::Argument& argument : failed.arguments) {
      if (const auto* tensor = std::get_if<ir::HostTensor>(&argument)) elements += tensor->size();
    }
    left_ = static_cast<int>(std::min<std::int64_t>(max_shrinking_steps, max_elements_evaluated / elements));
  }

  void run() {
    changed_.resize(best_.arguments.size());
    for (int pass = 0; pass < max_passes; ++pass) {
      bool any = false;
      for (std::size_t k = 0; k < best_.arguments.size(); ++k) {
        const auto* tensor = std::get_if<ir::HostTensor>(&best_.arguments[k]);
        if (tensor && ir::is_float(tensor->scalar)) any |= block(k, 0, tensor->size());
      }
      if (!any) break;
    }
    for (std::size_t k = 0; k < best_.arguments.size(); ++k) {
      if (changed_[k]) describe(k);
    }
  }

 private:
  const ir::HostTensor& tensor(std::size_t k) const { return std::get<ir::HostTensor>(best_.arguments[k]); }
  ir::Format format(std::size_t k) const { return ir::format_of(tensor(k).scalar); }

  bool allowed(std::size_t k, const mpq_class& value) const { return is_allowed(item_.ranges, k, value); }

  /// Sets elements `from` to `to` - 1 to this value, if the two sides still differ then.
  bool replace(std::size_t k, std::int64_t from, std::int64_t to, const mpq_class& value) {
    if (left_ <= 0 || !allowed(k, value)) return false;
    const std::uint64_t bits = numerics::round_rational(value, format(k));
    if (numerics::exact_value(bits, format(k)) != value) return false;
    Drawn inputs{best_.arguments, {}};
    auto& changed = std::get<ir::HostTensor>(inputs.arguments[k]);
    for (std::int64_t i = from; i < to; ++i) changed.set_bits(i, bits);
    inputs.shown = best_.counterexample->inputs;
    if (--left_; std::chrono::steady_clock::now() - start_ > max_time) left_ = 0;
    auto result = trial_.compare(sizes_, std::move(inputs), false);
    if (!result || result->truth != interp::Truth::no) return false;
    best_ = std::move(*result);
    changed_[k] = true;
    return true;
  }

  bool all_are(std::size_t k, std::int64_t from, std::int64_t to, const mpq_class& value) const {
    for (std::int64_t i = from; i < to; ++i) {
      if (numerics::exact_value(tensor(k).bits(i), format(k)) != value) return false;
    }
    return true;
  }

  /// The value that replaces elements which do not matter.
  mpq_class idle_value(std::size_t k) const {
    for (const mpq_class& value : {mpq_class(0), mpq_class(1), mpq_class(-1)}) {
      if (allowed(k, value)) return value;
    }
    return range_of(item_, k)->low;
  }
  /// Whether anything became simpler.
  bool block(std::size_t k, std::int64_t from, std::int64_t to) {
    const mpq_class idle = idle_value(k);
    if (from == to || all_are(k, from, to, idle)) return false;
    if (replace(k, from, to, idle)) return true;
    if (to - from == 1) return single(k, from);
    const std::int64_t middle = from + (to - from) / 2;
    const bool first = block(k, from, middle), second = block(k, middle, to);
    return first || second;
  }

  /// Replaces one element that is needed by a short number.
  bool single(std::size_t k, std::int64_t i) {
    const auto now = numerics::exact_value(tensor(k).bits(i), format(k));
    if (!now) return false;
    if (now->get_den() <= 2) {  // it is short already, but 1 is shorter
      const mpq_class unit = sgn(*now);
      return abs(*now) > 1 && replace(k, i, i + 1, unit);
    }
    std::vector<mpq_class> simpler{1, 2, -1, mpq_class(1, 2)};
    for (long part : {1, 4}) {
      mpq_class scaled = *now * part + mpq_class(1, 2);
      mpz_class whole;
      mpz_fdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
      simpler.push_back(mpq_class(whole, part));
      simpler.back().canonicalize();
    }
    return std::ranges::any_of(simpler, [&](const mpq_class& value) { return replace(k, i, i + 1, value); });
  }

  void describe(std::size_t k) {
    WitnessInput& input = best_.counterexample->inputs[k];
    const ir::HostTensor& values = tensor(k);
    input.expression.clear();
    show_elements(values, input);
    if (values.shape.empty()) return;
    input.expression = values.size() <= 16 ? nested_text(all_numbers(values), values.shape) : exceptions(values);
    input.elements.clear();
    input.left_out = 0;
  }

  static std::string number(const ir::HostTensor& values, std::int64_t i) {
    return element_text(values, i);
  }
  static std::vector<std::string> all_numbers(const ir::HostTensor& values) {
    std::vector<std::string> out;
    for (std::int64_t i = 0; i < values.size(); ++i) out.push_back(number(values, i));
    return out;
  }
  /// `0, but [3, 1] = 1, [5, 2] = -2`.
  static std::string exceptions(const ir::HostTensor& values) {
    constexpr std::size_t most = 8;
    std::map<std::uint64_t, std::int64_t> counts;
    for (std::int64_t i = 0; i < values.size(); ++i) ++counts[values.bits(i)];
    const std::uint64_t usual = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; })->first;
    std::vector<std::string> others;
    std::string first;
    for (std::int64_t i = 0; first.empty(); ++i) {
      if (values.bits(i) == usual) first = number(values, i);
    }
    for (std::int64_t i = 0; i < values.size() && others.size() <= most; ++i) {
      if (values.bits(i) == usual) continue;
      others.push_back(others.size() == most ? "..."
                                             : fmt::format("[{}] = {}", fmt::join(subscripts_of(i, values.shape), ", "),
                                                           number(values, i)));
    }
    return others.empty() ? first + " everywhere" : fmt::format("{}, but {}", first, fmt::join(others, ", "));
  }

  const frontend::ElaboratedItem& item_;
  const Trial& trial_;
  const ir::Dimensions& sizes_;
  TrialResult& best_;
  std::vector<bool> changed_;
  int left_ = 0;  ///< evaluations left
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void shrink(const frontend::ElaboratedItem& item, const Trial& trial, const ir::Dimensions& sizes, TrialResult& failed) {
  if (failed.counterexample) Shrinker(item, trial, sizes, failed).run();
}

}  // namespace reckon::check
