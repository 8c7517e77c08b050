// How large the buffers and launches of a compiled program are, where its dimensions are known.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "codegen/compile.h"

namespace reckon::codegen {

/// Extents by value; nothing if a dimension is missing or a value does not fit.
std::optional<std::vector<std::int64_t>> extent_values(const ir::Module& module,
                                                       const std::vector<ir::IndexId>& extents,
                                                       const std::map<ir::SymbolId, std::int64_t>& dimensions);

/// Bytes of an element of a buffer.
std::int64_t element_bytes(const Buffer& buffer);

}  // namespace reckon::codegen
