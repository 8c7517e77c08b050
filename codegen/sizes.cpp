#include "codegen/sizes.h"

namespace reckon::codegen {

std::optional<std::vector<std::int64_t>> extent_values(const ir::Module& module,
                                                       const std::vector<ir::IndexId>& extents,
                                                       const std::map<ir::SymbolId, std::int64_t>& dimensions) {
  ir::IndexEnvironment environment;
  environment.dimensions = dimensions;
  std::vector<std::int64_t> values;
  for (ir::IndexId extent : extents) {
    const auto value = module.indices().evaluate(extent, environment);
    if (!value || *value < 0) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::int64_t element_bytes(const Buffer& buffer) {
  return buffer.in_words() ? buffer.words->count * ir::byte_width(buffer.words->scalar) : ir::byte_width(buffer.scalar);
}

}  // namespace reckon::codegen
