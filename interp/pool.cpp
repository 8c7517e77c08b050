#include "interp/pool.h"

#include <algorithm>
#include <bit>
#include <new>

namespace reckon::interp {

namespace {
constexpr std::align_val_t alignment{64};
}

std::byte* allocate_values(const Semantics& semantics, ir::Scalar scalar, std::size_t count) {
  const std::size_t bytes = std::max<std::size_t>(semantics.size(scalar) * count, 1);
  auto* data = static_cast<std::byte*>(::operator new(bytes, alignment));
  if (!semantics.trivial()) semantics.construct(scalar, data, count);
  return data;
}

void release_values(const Semantics* semantics, ir::Scalar scalar, std::byte* data, std::size_t count) {
  if (data == nullptr) return;
  if (semantics != nullptr && !semantics->trivial()) semantics->destroy(scalar, data, count);
  ::operator delete(data, alignment);
}

Column Pool::column(ir::Scalar scalar, std::size_t count) {
  // Capacities are powers of two, so that the parts of a ragged space share their buffers.
  const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(count, 1));
  auto& list = free_->lists[static_cast<std::size_t>(scalar)][static_cast<std::size_t>(std::countr_zero(capacity))];
  std::byte* data = nullptr;
  if (list.empty()) {
    data = allocate_values(semantics_, scalar, capacity);
  } else {
    data = list.back();
    list.pop_back();
  }
  Column column;
  column.scalar = scalar;
  column.data = data;
  column.owner = std::shared_ptr<std::byte>(data, [lists = free_, &list](std::byte* p) { list.push_back(p); });
  return column;
}

Pool::FreeLists::~FreeLists() {
  for (std::size_t scalar = 0; scalar < lists.size(); ++scalar) {
    for (std::size_t logarithm = 0; logarithm < lists[scalar].size(); ++logarithm) {
      for (std::byte* data : lists[scalar][logarithm]) {
        release_values(&semantics, static_cast<ir::Scalar>(scalar), data, std::size_t{1} << logarithm);
      }
    }
  }
}

}  // namespace reckon::interp
