#include "ir/word_range.h"

#include <map>
#include <vector>

namespace reckon::ir {

bool is_word(Module& module, IndexId index) {
  IndexStore& indices = module.indices();
  std::vector<SymbolId> sizes;
  indices.dimensions(index, sizes);
  IndexSubstitution free;
  for (const SymbolId size : sizes) free.dimensions[size] = indices.variable(module.fresh_variable());
  const IndexId of_variables = indices.substitute(index, free);
  std::map<VariableId, IndexRange> values;
  for (const VariableId variable : indices.variables(of_variables)) values[variable] = word_range;
  const auto range = indices.range(of_variables, values, {});
  return range && range->low >= word_range.low && range->high <= word_range.high;
}

}  // namespace reckon::ir
