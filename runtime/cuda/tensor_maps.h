// The tensor maps of a plan (codegen/compile.h): what the copy engine of a GPU has to know of tensors in its memory.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/compile.h"
#include "ir/bind.h"
#include "runtime/cuda/resources.h"

namespace reckon::runtime::cuda {

class TensorMaps {
 public:
  TensorMaps() = default;
  /// For these dimensions. E0313 if an extent has no value; E0900 if the driver is too old to encode tensor maps.
  static Expected<TensorMaps> prepare(const Context& context, const ir::Module& module, const codegen::Plan& plan,
                                      const ir::Dimensions& dimensions);

  /// Encodes the maps of the buffers that have other addresses than before. Allocates nothing.
  Result encode(const Functions& call, const std::vector<DeviceAddress>& addresses);
  /// Adds what kernels take, which moves with this object's contents.
  void add_to(std::vector<void*>& parameters);

 private:
  static constexpr std::size_t most_dimensions = 5;
  struct alignas(codegen::TensorMap::alignment) Map {
    std::uint8_t encoded[codegen::TensorMap::bytes] = {};
    std::uint32_t buffer = 0, rank = 0;
    int element = 0;            ///< CUtensorMapDataType
    DeviceAddress address = 0;  ///< for which it is encoded; 0: for none
    std::uint64_t extents[most_dimensions] = {}, strides[most_dimensions] = {};
    std::uint32_t box[most_dimensions] = {};
  };
  std::vector<Map> maps_;
};

}  // namespace reckon::runtime::cuda
