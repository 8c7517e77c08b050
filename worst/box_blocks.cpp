// What sums err by that accumulators of their own compute: tensor cores, bins, Kahan's loop.
#include "ir/schedule/bounds.h"
#include "numerics/exact_sum.h"
#include "worst/box_bound.h"
#include "worst/rounding.h"

namespace reckon::worst {

namespace {

/// The error before the last rounding, and what that rounding adds to a sum of at most `reach`.
struct Lost {
  double before = 0;
  double rounding = 0;
};

/// Tensor cores know no modes. Each term of an addition is cut to a multiple of 2^(largest exponent - kept).
Lost of_tensor_cores(const Block& block, double scale, double reach, Format format) {
  const numerics::MmaUnit& unit = *block.unit;
  const auto terms = static_cast<double>(block.count / 2 + 1);
  const int largest = std::max(unit.least, scale > 0 ? exponent_of(scale) : unit.least);
  Lost out{.before = mul_up(terms, power_of_two(largest - unit.kept))};
  const double sum = add_up(reach, out.before);
  if (unit.result == 0) out.rounding = rounding_error(sum, format);
  else out.rounding = power_of_two(std::max(exponent_of(sum), numerics::traits(format).emin) - unit.result);
  return out;
}

/// Each leaf is rounded, to nearest in every mode, to a multiple of the last bin's unit: ir/schedule/bounds.h.
Lost of_bins(const Block& block, double scale, double reach, Format format, numerics::Rounding rounding) {
  const std::int64_t place = numerics::bin_width(format) * (block.folds - 1) + 1;
  Lost out{.before = mul_up(mul_up(static_cast<double>(block.count),
                                   power_of_two(-static_cast<int>(std::min<std::int64_t>(place, 2000)))),
                            scale)};
  out.rounding = rounding_error(add_up(reach, out.before), format, rounding);
  return out;
}

/// The factor of the whole loop; nothing for more leaves than it is known for.
std::optional<Lost> of_kahan(const Block& block, double scale, Format format) {
  const auto factor = ir::accumulator_factor({.op = ir::ScheduleOp::kahan}, static_cast<std::int64_t>(block.count), 0,
                                             0, {.format = format});
  if (!factor) return std::nullopt;
  const auto upward = numerics::round_rational(*factor, Format::f64, numerics::Rounding::upward);
  return Lost{.before = mul_up(numerics::widen(upward, Format::f64), scale)};
}

/// Each addition errs by at most u of its result (and an fma by the least number where its result is subnormal), and each
/// leaf may be a product that is not rounded, so that all leaves together are at most (1 + u) times as large, and the
/// least number more each. (1 + u)^n - 1 bounds what n - 1 additions and the leaves add to one leaf's part (Higham,
/// "Accuracy and Stability of Numerical Algorithms", 4.2).
Lost of_any_order(const Block& block, double scale, Format format) {
  const auto& traits = numerics::traits(format);
  const auto terms = static_cast<double>(block.count);
  const double unit = power_of_two(-traits.precision), least = power_of_two(traits.emin - traits.precision + 1);
  double growth = 1;
  for (std::size_t k = 0; k < block.count; ++k) growth = mul_up(growth, add_up(1, unit));
  return {.before = add_up(mul_up(scale, add_up(growth, -1)), mul_up(mul_up(2 * terms, least), growth))};
}

}  // namespace

std::optional<Reason> BoxBounds::block(NodeNumber number) {
  const Node& node = circuit_[number];
  const Block& block = circuit_.block_of(node);
  const Facts& sum = facts_of(node.first);
  const double scale = magnitude(floats(node.second)), reach = magnitude(sum.floats);
  std::optional<Lost> lost;
  switch (block.rule) {
    case Block::Rule::mma: lost = of_tensor_cores(block, scale, reach, node.format); break;
    case Block::Rule::binned: lost = of_bins(block, scale, reach, node.format, circuit_.mode().rounding); break;
    case Block::Rule::kahan: lost = of_kahan(block, scale, node.format); break;
    case Block::Rule::any_order: lost = of_any_order(block, scale, node.format); break;
  }
  if (!lost) return Reason::no_rule;
  const double error = add_up(lost->before, lost->rounding);
  // What the loop of Kahan's sum computes on its way may be as large as twice its sum.
  const double most = block.rule == Block::Rule::kahan       ? mul_up(2, add_up(scale, error))
                      : block.rule == Block::Rule::any_order ? add_up(scale, error)
                                                             : add_up(reach, error);
  if (!is_bounded(sum.value) || !(most <= largest(node.format))) return Reason::overflow;
  Found facts;
  facts.value = sum.value;
  facts.made = error;
  facts.cut_by = error / 2;
  facts.drift = add_up(sum.drift, error);
  facts.floats = intersection(widened(sum.floats, error), widened(facts.value, facts.drift));
  facts.place = last_place(0, node.format);
  if (with_forms_) forms_.copy(form(number), form(node.first));
  tighten(number, facts.value);
  keep(number, facts);
  return std::nullopt;
}

}  // namespace reckon::worst
