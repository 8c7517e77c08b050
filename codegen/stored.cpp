#include "codegen/stored.h"

#include <cstring>
#include <numeric>

#include "ir/layout/inverse.h"
#include "ir/layout/structure.h"
#include "ir/layout/walk.h"

namespace reckon::codegen {

Expected<std::optional<layout::Layout>> stored_layout(const ir::Module& module, const ir::Function& function,
                                                      const Buffer& buffer,
                                                      const std::map<ir::SymbolId, std::int64_t>& dimensions) {
  if (!buffer.storage) return std::optional<layout::Layout>();
  const SourceSpan place = function.parameters[buffer.position].span;
  const ir::IndexEnvironment environment{dimensions, {}};
  bool known = true;
  auto tuple = [&](auto&& self, const ir::IndexTuple& of) -> layout::IntTuple {
    if (of.is_leaf()) {
      const auto value = module.indices().evaluate(of.leaf, environment);
      known = known && value;
      return value.value_or(1);
    }
    std::vector<layout::IntTuple> elements;
    for (const ir::IndexTuple& element : of.elements) elements.push_back(self(self, element));
    return elements;
  };
  const layout::IntTuple shape = tuple(tuple, buffer.storage->shape), stride = tuple(tuple, buffer.storage->stride);
  if (!known) return Diagnostic(Code::dimension_value, place, "the layout of this parameter has no usable value");
  // Nothing is read of a tensor without elements.
  for (std::int64_t extent : shape.leaves()) {
    if (extent == 0) return std::optional<layout::Layout>();
  }
  const auto made = layout::Layout::make(shape, stride);
  if (!made) return Diagnostic(Code::bad_layout, place, made.problem().message);
  if (made->min() < 0) {
    return Diagnostic(Code::bad_layout, place,
                      "`" + made->text() + "` puts elements before the first: a parameter is stored from its address on");
  }
  const auto injective = layout::injective(*made);
  if (!injective) return Diagnostic(Code::bad_layout, place, injective.problem().message);
  if (!*injective) {
    return Diagnostic(Code::bad_layout, place, "`" + made->text() + "` puts two elements in one place")
        .help("give `view` such a layout: it reads one element at several coordinates");
  }
  return std::optional(*made);
}

std::vector<std::uint8_t> stored(const ir::HostTensor& tensor, const layout::Layout& layout,
                                 std::int64_t element_bytes) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(layout.cosize() * element_bytes));
  // The tensor is row-major: its last dimension is the fastest, and so the layout's last mode is the first.
  std::vector<std::int64_t> modes(layout.rank());
  std::iota(modes.rbegin(), modes.rend(), 0);
  layout::for_each_offset(*layout::select(layout, modes), [&](std::int64_t index, std::int64_t offset) {
    std::memcpy(out.data() + offset * element_bytes, tensor.bytes.data() + index * element_bytes,
                static_cast<std::size_t>(element_bytes));
  });
  return out;
}

}  // namespace reckon::codegen
