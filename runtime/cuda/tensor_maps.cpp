#include "runtime/cuda/tensor_maps.h"

#include <algorithm>

#include "codegen/sizes.h"
#include "diagnostics/codes/device_missing.h"
#include "diagnostics/codes/dimension_value.h"

namespace reckon::runtime::cuda {

Expected<TensorMaps> TensorMaps::prepare(const Context& context, const ir::Module& module, const codegen::Plan& plan,
                                         const ir::Dimensions& dimensions) {
  TensorMaps out;
  if (!plan.tensor_maps.empty() && context.call().tensor_map_encode == nullptr) {
    return Diagnostic(code::device_missing, {}, "the driver knows no tensor maps, which this code needs")
        .help("CUDA 12.0 and later have them");
  }
  for (const codegen::TensorMap& map : plan.tensor_maps) {
    const auto extents = codegen::extent_values(module, map.extents, dimensions);
    const auto strides = codegen::extent_values(module, map.strides, dimensions);
    if (!extents || !strides) return Diagnostic(code::dimension_value, {}, "an extent of a tensor has no usable value");
    Map made;
    made.buffer = map.buffer;
    if (map.copy) {
      const auto copied = codegen::extent_values(module, {map.copied}, dimensions);
      if (!copied) return Diagnostic(code::dimension_value, {}, "a size of a tensor has no usable value");
      if (copied->front() != 0) made.buffer = *map.copy;
    }
    made.rank = static_cast<std::uint32_t>(map.extents.size());
    made.element = tensor_map::element_of(codegen::element_bytes(plan.buffers[map.buffer]));
    for (std::size_t d = 0; d < made.rank; ++d) {
      made.extents[d] = static_cast<std::uint64_t>(std::max<std::int64_t>((*extents)[d], 1));
      if (d > 0) made.strides[d - 1] = static_cast<std::uint64_t>(std::max<std::int64_t>((*strides)[d - 1], 16));
      made.box[d] = map.box[d];
    }
    out.maps_.push_back(made);
  }
  return out;
}

Result TensorMaps::encode(const Functions& call, const std::vector<DeviceAddress>& addresses) {
  constexpr std::uint32_t ones[most_dimensions] = {1, 1, 1, 1, 1};
  for (Map& map : maps_) {
    const DeviceAddress address = addresses[map.buffer];
    if (map.address == address) continue;
    const Result result =
        call.tensor_map_encode(map.encoded, map.element, map.rank, address, map.extents, map.strides, map.box, ones,
                               tensor_map::no_interleave, tensor_map::swizzle_128_bytes,
                               tensor_map::promotes_to_256_bytes, tensor_map::zeros_outside);
    if (result != result::success) return result;
    map.address = address;
  }
  return result::success;
}

void TensorMaps::add_to(std::vector<void*>& parameters) {
  for (Map& map : maps_) parameters.push_back(map.encoded);
}

}  // namespace reckon::runtime::cuda
