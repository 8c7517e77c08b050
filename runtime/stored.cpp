#include "runtime/stored.h"

#include <cstring>
#include <numeric>

#include "layout/structure.h"
#include "layout/walk.h"

namespace reckon::runtime {
namespace {

/// Calls visit(number of an element, its place) for all elements in row-major order.
template <class Visit>
void for_each_place(const layout::AnyLayout& layout, Visit&& visit) {
  const auto* composed = std::get_if<layout::Composed>(&layout);
  const layout::Layout& inner = composed ? composed->inner() : std::get<layout::Layout>(layout);
  // The tensor's last dimension is the fastest, and so the layout's last mode is the first.
  std::vector<std::int64_t> modes(inner.rank());
  std::iota(modes.rbegin(), modes.rend(), 0);
  const layout::Layout row_major = *layout::select(inner, modes);
  if (!composed) return layout::for_each_offset(row_major, visit);
  layout::for_each_offset(row_major, [&](std::int64_t index, std::int64_t offset) {
    visit(index, *layout::after(composed->stages(), offset));  // which has a value: the layout's range is known
  });
}

}  // namespace

Expected<std::optional<layout::AnyLayout>> stored_layout(const ir::Module& module, const codegen::Buffer& buffer,
                                                         const std::map<ir::SymbolId, std::int64_t>& dimensions) {
  if (!buffer.storage) return std::optional<layout::AnyLayout>();
  return ir::stored_layout(module, *buffer.storage, dimensions);
}

std::int64_t stored_count(const layout::AnyLayout& layout) { return layout::range(layout)->max + 1; }

std::vector<std::uint8_t> stored(const ir::HostTensor& tensor, const layout::AnyLayout& layout,
                                 std::int64_t element_bytes) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(stored_count(layout) * element_bytes));
  for_each_place(layout, [&](std::int64_t index, std::int64_t place) {
    std::memcpy(out.data() + place * element_bytes, tensor.bytes.data() + index * element_bytes,
                static_cast<std::size_t>(element_bytes));
  });
  return out;
}

void gather(const std::vector<std::uint8_t>& buffer, const layout::AnyLayout& layout, std::int64_t element_bytes,
            std::uint8_t* elements) {
  for_each_place(layout, [&](std::int64_t index, std::int64_t place) {
    std::memcpy(elements + index * element_bytes, buffer.data() + place * element_bytes,
                static_cast<std::size_t>(element_bytes));
  });
}

}  // namespace reckon::runtime
