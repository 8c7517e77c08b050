#include "prove/dimensions.h"

#include <algorithm>

#include "ir/bind.h"

namespace reckon::ir::normal {

std::optional<Renamed> in_dimensions_of(Module& module, const Function& left, const Function& right) {
  if (left.parameters.size() != right.parameters.size()) return std::nullopt;
  Module::Substitution names;
  auto& dimensions = names.indices.dimensions;
  // First the dimensions that stand alone, then those that computed extents give, and then whether all extents agree.
  enum class Step : std::uint8_t { bind, solve, compare };
  const auto is_known = [&](SymbolId symbol) {
    return dimensions.contains(symbol) || std::ranges::find(right.dimensions, symbol) == right.dimensions.end();
  };
  const auto pair_up = [&](auto&& self, TypeId a_id, TypeId b_id, Step step) -> bool {
    const Type a = module.types()[a_id], b = module.types()[b_id];
    if (a.kind != b.kind || a.extents.size() != b.extents.size() || a.parts.size() != b.parts.size()) return false;
    for (std::size_t k = 0; k < a.parts.size(); ++k) {
      if (!self(self, a.parts[k], b.parts[k], step)) return false;
    }
    for (std::size_t k = 0; k < a.extents.size(); ++k) {
      IndexStore& indices = module.indices();
      const IndexNode& extent = indices[b.extents[k]];
      if (step == Step::bind) {
        if (extent.op == IndexOp::dimension) dimensions.try_emplace(extent.symbol, a.extents[k]);
      } else if (step == Step::solve) {
        const auto solved = solve_dimension(indices, b.extents[k], a.extents[k], names.indices, is_known);
        if (solved) dimensions.emplace(solved->symbol, solved->value);  // the value is compared below
      } else if (indices.substitute(b.extents[k], names.indices) != a.extents[k]) {
        return false;
      }
    }
    return true;
  };
  const auto each_parameter = [&](Step step) {
    for (std::size_t k = 0; k < left.parameters.size(); ++k) {
      if (!pair_up(pair_up, left.parameters[k].type, right.parameters[k].type, step)) return false;
    }
    return true;
  };
  if (!each_parameter(Step::bind)) return std::nullopt;
  std::size_t before = 0;
  do {
    before = dimensions.size();
    each_parameter(Step::solve);
  } while (dimensions.size() != before);
  for (SymbolId dimension : right.dimensions) {
    if (!dimensions.contains(dimension)) return std::nullopt;
  }
  if (!each_parameter(Step::compare)) return std::nullopt;
  return Renamed{module.substitute(right.body, names), module.substitute(right.result, names.indices)};
}

}  // namespace reckon::ir::normal
