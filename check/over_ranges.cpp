#include "check/over_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "check/inputs.h"
#include "numerics/decimal_upward.h"
#include "prove/prove.h"
#include "worst/worst_case.h"

namespace reckon::check {

using frontend::ElaboratedItem;
using frontend::Tolerance;

namespace {

/// So many choices of sizes are asked about.
constexpr std::size_t most_choices = 16;

mpq_class exactly(double value) {
  return *numerics::exact_value(std::bit_cast<std::uint64_t>(value), numerics::Format::f64);
}
std::string upward(double value) { return numerics::decimal_upward(exactly(value), 4); }

/// All choices of the sizes that the check names; nothing if it names none for a dimension.
std::optional<std::vector<ir::Dimensions>> choices(const ElaboratedItem& item) {
  std::vector<ir::Dimensions> out{{}};
  std::vector<ir::SymbolId> dimensions = item.left->dimensions;
  if (item.right) dimensions.insert(dimensions.end(), item.right->dimensions.begin(), item.right->dimensions.end());
  for (const ir::SymbolId dimension : dimensions) {
    if (out.front().contains(dimension)) continue;
    const auto named = std::ranges::find(item.sizes, dimension, &frontend::SizeClause::dimension);
    if (named == item.sizes.end()) return std::nullopt;
    std::vector<ir::Dimensions> more;
    for (const ir::Dimensions& each : out) {
      for (const std::int64_t size : named->values) {
        more.push_back(each);
        more.back()[dimension] = size;
      }
    }
    out = std::move(more);
    if (out.size() > most_choices || out.empty()) return std::nullopt;
  }
  return out;
}

std::vector<interp::Argument> arguments_of(const ir::Module& module, const ir::Function& function,
                                           const ir::Dimensions& sizes, const worst::WorstCase& found) {
  std::vector<ir::HostTensor> tensors;
  for (const ir::Parameter& parameter : function.parameters) {
    const ir::Type& type = module.types()[parameter.type];
    std::vector<std::int64_t> shape;
    for (const ir::IndexId extent : type.extents)
      shape.push_back(module.indices().evaluate(extent, {sizes, {}}).value_or(0));
    tensors.emplace_back(type.scalar, std::move(shape));
  }
  for (std::size_t j = 0; j < found.inputs.size(); ++j) {
    ir::HostTensor& tensor = tensors[found.inputs[j].parameter];
    tensor.set_bits(found.inputs[j].element,
                    numerics::round_f64(found.found->point.floats[j], ir::format_of(tensor.scalar)));
  }
  return {std::make_move_iterator(tensors.begin()), std::make_move_iterator(tensors.end())};
}

}  // namespace

std::optional<OverRanges> try_over_ranges(ir::Module& module, const ElaboratedItem& item, const driver::Traits& traits,
                                          const interp::EvaluateOptions& options) {
  const bool has_bounds = (traits.bounds_errors && traits.rounds_to_nearest) || traits.mode;
  if (!has_bounds || item.left->parameters.empty()) return std::nullopt;
  const bool in_range = item.relation == frontend::Item::Relation::within && item.tolerance == Tolerance::Kind::range;
  const bool is_near =
      item.relation == frontend::Item::Relation::near && item.tolerance == Tolerance::Kind::absolute && item.right;
  if (!in_range && !is_near) return std::nullopt;
  worst::Asked asked;
  asked.circuit = &*item.left;
  asked.other = is_near ? &*item.right : nullptr;
  asked.interrupted = options.interrupted;
  asked.numbers = traits.closed_numbers;
  asked.mode = traits.mode.value_or(numerics::FloatMode{});
  std::vector<std::string> inputs;
  for (std::size_t p = 0; p < item.left->parameters.size(); ++p) {
    const frontend::RangeClause* range = range_of(item, p);
    const ir::Type& type = module.types()[item.left->parameters[p].type];
    if (range == nullptr || range->sign != 0 || type.kind == ir::TypeKind::tuple || !ir::is_float(type.scalar))
      return std::nullopt;
    asked.ranges.emplace_back(range->low, range->high);
    inputs.push_back(fmt::format("all of {}: {}..{}", module.name(item.left->parameters[p].name), range->low.get_str(),
                                 range->high.get_str()));
  }
  const auto all = choices(item);
  if (!all) return std::nullopt;
  asked.equal_reals = is_near && ir::prove_equal(module, *item.left, *item.right);
  OverRanges out;
  out.within = true;
  out.inputs = fmt::format("{}", fmt::join(inputs, ", "));
  for (const ir::Dimensions& sizes : *all) {
    asked.sizes = sizes;
    const auto found = worst::worst_case(module, asked, options);
    if (!found) return std::nullopt;  // the trials say what is wrong, or do without
    if (!sizes.empty()) out.tried.push_back(sizes);
    if (found->hindrance) {
      out.within = false;
      out.text =
          fmt::format("over the whole ranges nothing is proved: {}", worst::reason_text(found->hindrance->reason));
      return out;
    }
    bool within = false;
    std::string seen;
    if (is_near) {
      within = exactly(found->error) <= item.low;
      seen = upward(found->error);
    } else {
      // Float and real: the float is no further from the real than the error.
      within = exactly(found->range.low) - exactly(found->error) >= item.low &&
               exactly(found->range.high) + exactly(found->error) <= item.high;
    }
    out.bound = std::max(out.bound, found->error);
    if (within) continue;
    out.within = false;
    out.sizes = sizes;
    out.text =
        is_near ? fmt::format("over the whole ranges, the proven bound is {}", seen)
                : fmt::format("over the whole ranges, the results lie in {:.6g} to {:.6g}, with errors of at most {}",
                              found->range.low, found->range.high, upward(found->error));
    if (is_near && found->found) out.arguments = arguments_of(module, *item.left, sizes, *found);
    return out;
  }
  out.text = is_near ? fmt::format("at most {} apart", upward(out.bound))
                     : fmt::format("errors of at most {}", upward(out.bound));
  return out;
}

}  // namespace reckon::check
