#include "ir/word_range.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace reckon::ir {

IndexRange word_range(Scalar type) {
  const auto& traits = integer_traits(type);
  return {static_cast<std::int64_t>(numerics::extended(traits, numerics::least_pattern(traits))),
          static_cast<std::int64_t>(
              std::min(numerics::greatest_pattern(traits), static_cast<std::uint64_t>(INT64_MAX)))};
}

bool is_word(Module& module, IndexId index, Scalar type) {
  constexpr IndexRange sizes_range{0, 0xffffffff};
  IndexStore& indices = module.indices();
  std::vector<SymbolId> sizes;
  indices.dimensions(index, sizes);
  IndexSubstitution free;
  for (const SymbolId size : sizes) free.dimensions[size] = indices.variable(module.fresh_variable());
  const IndexId of_variables = indices.substitute(index, free);
  std::map<VariableId, IndexRange> values;
  for (const VariableId variable : indices.variables(of_variables)) values[variable] = sizes_range;
  const auto range = indices.range(of_variables, values, {});
  const IndexRange numbers = word_range(type);
  return range && range->low >= numbers.low && range->high <= numbers.high;
}

}  // namespace reckon::ir
