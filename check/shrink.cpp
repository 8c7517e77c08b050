#include "check/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

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
  Shrinker(const frontend::ElaboratedItem& item, const Trial& trial, const ir::Dimensions& sizes, Shrink which,
           TrialResult& failed)
      : item_(item), trial_(trial), sizes_(sizes), which_(which), best_(failed) {
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
        const bool simplifies = tensor && (tensor->scalar == ir::Scalar::boolean ||
                                           (ir::is_float(tensor->scalar) && which_ == Shrink::everything));
        if (simplifies) any |= block(k, 0, tensor->size());
      }
      if (!any) break;
    }
    for (std::size_t k = 0; k < best_.arguments.size(); ++k) {
      if (changed_[k]) describe(tensor(k), best_.counterexample->inputs[k]);
    }
  }

 private:
  const ir::HostTensor& tensor(std::size_t k) const { return std::get<ir::HostTensor>(best_.arguments[k]); }
  /// An element as a number, a truth value as 0 or 1; nothing for infinities and NaN.
  std::optional<mpq_class> number(std::size_t k, std::int64_t i) const { return number_of(k, tensor(k).bits(i)); }
  std::optional<mpq_class> number_of(std::size_t k, std::uint64_t bits) const {
    if (tensor(k).scalar == ir::Scalar::boolean) return mpq_class(bits != 0 ? 1 : 0);
    return numerics::exact_value(bits, ir::format_of(tensor(k).scalar));
  }
  std::uint64_t nearest(std::size_t k, const mpq_class& value) const {
    if (tensor(k).scalar == ir::Scalar::boolean) return value != 0 ? 1 : 0;
    return numerics::round_rational(value, ir::format_of(tensor(k).scalar));
  }

  bool allowed(std::size_t k, const mpq_class& value) const { return is_allowed(item_.ranges, k, value); }

  /// Sets elements `from` to `to` - 1 to this value, if the two sides still differ then.
  bool replace(std::size_t k, std::int64_t from, std::int64_t to, const mpq_class& value) {
    if (left_ <= 0 || !allowed(k, value)) return false;
    const std::uint64_t bits = nearest(k, value);
    if (number_of(k, bits) != value) return false;
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
      if (number(k, i) != value) return false;
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
    const auto now = number(k, i);
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

  const frontend::ElaboratedItem& item_;
  const Trial& trial_;
  const ir::Dimensions& sizes_;
  Shrink which_;
  TrialResult& best_;
  std::vector<bool> changed_;
  int left_ = 0;  ///< evaluations left
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void shrink(const frontend::ElaboratedItem& item, const Trial& trial, const ir::Dimensions& sizes, TrialResult& failed,
            Shrink which) {
  if (failed.counterexample) Shrinker(item, trial, sizes, which, failed).run();
}

}  // namespace reckon::check
