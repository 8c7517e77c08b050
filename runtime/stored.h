// How the elements of a parameter or a result lie in its buffer (Buffer::storage): both ways between the tensor,
// which is row-major, and the buffer.
#pragma once

#include "runtime/buffers.h"

namespace reckon::runtime {

/// The layout in which a buffer's elements lie, for these sizes; nothing if it is row-major. ir::stored_layout's
/// errors.
Expected<std::optional<layout::AnyLayout>> stored_layout(const ir::Module& module, const codegen::Buffer& buffer,
                                                         const std::map<ir::SymbolId, std::int64_t>& dimensions);
/// Elements that such a buffer has.
std::int64_t stored_count(const layout::AnyLayout& layout);
/// The elements of a tensor in the order of a layout; places that no element has are 0.
std::vector<std::uint8_t> stored(const ir::HostTensor& tensor, const layout::AnyLayout& layout,
                                 std::int64_t element_bytes);
/// Writes the elements of such a buffer in row-major order.
void gather(const std::vector<std::uint8_t>& buffer, const layout::AnyLayout& layout, std::int64_t element_bytes,
            std::uint8_t* elements);

}  // namespace reckon::runtime
