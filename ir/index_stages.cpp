#include "ir/index_stages.h"

#include <algorithm>

#include "ir/index_layout.h"

namespace reckon::ir {
namespace {

/// The XOR of a swizzle in arithmetic: a bit z that is changed by a bit y becomes (z + y) mod 2.
IndexId swizzled(IndexStore& indices, const layout::Swizzle& swizzle, IndexId x) {
  IndexId out = x;
  auto bit = [&](int k) {
    return indices.floor_mod(indices.floor_div(x, indices.constant(std::int64_t{1} << k)), indices.constant(2));
  };
  for (int k = 0; k < swizzle.bits; ++k) {
    const int changed = swizzle.base + k - std::min(swizzle.shift, 0);
    const int read = swizzle.base + k + std::max(swizzle.shift, 0);
    const IndexId sum = indices.floor_mod(indices.add(bit(changed), bit(read)), indices.constant(2));
    const IndexId change = indices.subtract(sum, bit(changed));
    out = indices.add(out, indices.multiply(change, indices.constant(std::int64_t{1} << changed)));
  }
  return out;
}

}  // namespace

IndexId after_stages(IndexStore& indices, const std::vector<layout::Stage>& stages, IndexId number) {
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    number = indices.add(number, indices.constant(stage->offset));
    if (auto* swizzle = std::get_if<layout::Swizzle>(&stage->map)) {
      number = swizzled(indices, *swizzle, number);
      continue;
    }
    const IndexLayout layout = index_layout(indices, std::get<layout::Layout>(stage->map));
    std::vector<IndexId> digits;
    split_index(indices, number, layout.shape, digits);
    number = offset_at(indices, layout.stride, digits);
  }
  return number;
}

}  // namespace reckon::ir
