#include "check/power.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numerics/decimal_upward.h"
#include "numerics/format.h"
#include "semantics/standard.h"

namespace reckon::check {
namespace {

/// The most leaves that are examined for one pair of results, and elements if each needs an evaluation.
constexpr std::int64_t max_leaves_at_once = 1 << 20, max_elements_apart = 64;

std::string upward(double value, int digits) {
  return std::isfinite(value) ? numerics::decimal_upward(mpq_class(value), digits) : "more than any number";
}

/// For each leaf, by how much an element changes if that leaf is left out.
std::optional<std::vector<double>> changes(const OpenedSum& sum, std::int64_t e,
                                           const std::vector<std::uint64_t>& leaves, ir::Scalar scalar) {
  std::vector<double> out;
  out.reserve(leaves.size());
  for (std::uint64_t leaf : leaves) out.push_back(value_of(leaf, sum.scalar()));
  if (sum.direct()) return out;
  double whole = 0;
  for (double leaf : out) whole += leaf;
  std::vector<std::uint64_t> sums{numerics::round_f64(whole, sum.format())};
  for (double leaf : out) sums.push_back(numerics::round_f64(whole - leaf, sum.format()));
  const auto results = sum.results(e, sums);
  if (!results) return std::nullopt;
  const double result = value_of(results->front(), scalar);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = result - value_of((*results)[i + 1], scalar);
  return out;
}

}  // namespace

PowerSeen power_of(ir::Module& module, const ir::Function& circuit, bool on_left, const Allowance& most,
                   const std::vector<Allowance>& allowances, const std::vector<interp::Argument>& arguments,
                   const ir::Dimensions& sizes, const interp::EvaluateOptions& options) {
  PowerSeen out;
  out.allowed = most.allowed;
  out.result = on_left ? most.left : most.right;
  const ir::Type& type = module.types()[circuit.result];
  if (allowances.empty() || type.kind == ir::TypeKind::tuple || !ir::is_float(type.scalar)) return out;
  const ir::Scalar scalar = type.scalar;
  const auto floats = interp::floats();
  const auto sum = OpenedSum::open(module, circuit, arguments, on_left ? sizes : ir::Dimensions{}, *floats, options,
                                   circuit.span, "within bound");
  if (!sum || sum->operation() != numerics::FoldOperation::add) return out;

  // Every trial examines the same elements, so that the trials add up.
  const std::int64_t wanted =
      std::max<std::int64_t>(sum->direct() ? max_leaves_at_once / sum->length() : max_elements_apart, 1);
  const std::size_t step = std::max<std::size_t>(allowances.size() / static_cast<std::size_t>(wanted), 1);
  for (std::size_t k = 0; k < allowances.size(); k += step) {
    const Allowance& each = allowances[k];
    const auto leaves = sum->leaves(each.element);
    const auto change = changes(*sum, each.element, leaves, scalar);
    if (!change) return out;
    // It is the other side that lacks the leaf.
    const double difference = on_left ? each.left - each.right : each.right - each.left;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const bool zero = value_of(leaves[i], sum->scalar()) == 0;
      const bool shown = !(std::fabs(difference + (*change)[i]) <= each.allowed);
      out.leaves.push_back(zero ? PowerSeen::Leaf::zero : shown ? PowerSeen::Leaf::shown : PowerSeen::Leaf::hidden);
    }
  }
  if (sum->scalar() != ir::Scalar::f32 && sum->scalar() != ir::Scalar::f64) return out;
  const auto narrow = interp::evaluate(module, sum->accumulated_in(ir::Scalar::f16), *floats, arguments, {}, options);
  if (!narrow) return out;
  out.narrow = false;
  for (const Allowance& each : allowances) {
    const double value = value_of(*floats->bits(scalar, narrow->front().at(each.element)), scalar);
    if (!(std::fabs(value - (on_left ? each.left : each.right)) <= each.allowed)) out.narrow = true;
  }
  return out;
}

void PowerSeen::add(const PowerSeen& later) {
  if (later.allowed >= allowed) {
    allowed = later.allowed;
    result = later.result;
  }
  if (later.narrow) narrow = narrow.value_or(false) || *later.narrow;
  if (leaves.size() < later.leaves.size()) leaves.resize(later.leaves.size(), Leaf::zero);
  for (std::size_t i = 0; i < later.leaves.size(); ++i) leaves[i] = std::max(leaves[i], later.leaves[i]);
}

void PowerTally::add(const ir::Dimensions& sizes, const PowerSeen& seen) {
  any_ = true;
  if (seen.allowed >= allowed_) {
    allowed_ = seen.allowed;
    result_ = seen.result;
  }
  if (seen.narrow) narrow_ = narrow_.value_or(false) || *seen.narrow;
  auto& known = leaves_[sizes];
  if (known.size() < seen.leaves.size()) known.resize(seen.leaves.size(), PowerSeen::Leaf::zero);
  for (std::size_t i = 0; i < seen.leaves.size(); ++i) known[i] = std::max(known[i], seen.leaves[i]);
}

PowerTally::Count PowerTally::count() const {
  Count out;
  for (const auto& [sizes, leaves] : leaves_) {
    for (PowerSeen::Leaf leaf : leaves) {
      out.zeros += leaf == PowerSeen::Leaf::zero;
      out.leaves += leaf != PowerSeen::Leaf::zero;
      out.shown += leaf == PowerSeen::Leaf::shown;
    }
  }
  return out;
}

bool PowerTally::lacking() const {
  const Count counted = count();
  return 2 * counted.shown < counted.leaves;
}

std::string PowerTally::text() const {
  std::string out = "allows " + upward(allowed_, 2);
  if (allowed_ > 0 && result_ != 0 && std::isfinite(result_)) {
    const double percent = 100 * allowed_ / std::fabs(result_);
    out += fmt::format(" ({} % of the result)",
                       percent < 1000 && percent >= 1 ? fmt::format("{:.0f}", std::ceil(percent)) : upward(percent, 1));
  }
  const Count counted = count();
  if (counted.leaves > 0) {
    out += fmt::format("; a dropped leaf would have shown for {} of {}", counted.shown, counted.leaves);
    if (counted.zeros > 0) out += fmt::format(" ({} more are 0)", counted.zeros);
  }
  if (narrow_) out += *narrow_ ? "; an f16 accumulator would" : "; an f16 accumulator would not";
  if (narrow_ && counted.leaves == 0) out += " have shown";
  return lacking() ? "no power: " + out : out;
}

std::vector<Fact> PowerTally::evidence() const {
  std::vector<Fact> out{{"power", text(), text()}, {"allowed", allowed_, ""}};
  if (result_ != 0 && std::isfinite(result_)) out.push_back({"allowed_relative", allowed_ / std::fabs(result_), ""});
  const Count counted = count();
  if (counted.leaves > 0) {
    out.push_back({"leaves", static_cast<std::int64_t>(counted.leaves), ""});
    out.push_back({"leaves_shown", static_cast<std::int64_t>(counted.shown), ""});
  }
  if (narrow_) out.push_back({"f16_shown", *narrow_, ""});
  return out;
}

}  // namespace reckon::check
