// How a parameter's elements lie in its buffer (Buffer::storage).
#pragma once

#include "codegen/compile.h"
#include "ir/layout/layout.h"

namespace reckon::codegen {

/// The layout in which a buffer's elements lie, for these sizes; nothing if it is row-major. E0406 where two elements
/// would share a place, or one lie before the first.
Expected<std::optional<layout::Layout>> stored_layout(const ir::Module& module, const ir::Function& function,
                                                      const Buffer& buffer,
                                                      const std::map<ir::SymbolId, std::int64_t>& dimensions);
/// The elements of a tensor in the order of a layout; places that no element has are 0.
std::vector<std::uint8_t> stored(const ir::HostTensor& tensor, const layout::Layout& layout, std::int64_t element_bytes);

}  // namespace reckon::codegen
