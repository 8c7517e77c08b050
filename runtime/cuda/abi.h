// The part of the CUDA Driver API's binary interface that is used here, in declarations of our own: cuda.h is not
// needed to build, and nothing is linked.
// Source of the numbers: CUDA Driver API reference (CUdevice_attribute, CUjit_option, CUlimit, CUfunction_attribute,
// CUlaunchAttributeID, CUpointer_attribute, CUresult); they have not changed since they were introduced.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reckon::runtime::cuda {

using Result = int;                        ///< CUresult
using DeviceHandle = int;                  ///< CUdevice
using DeviceAddress = unsigned long long;  ///< CUdeviceptr
struct ContextObject;
struct ModuleObject;
struct FunctionObject;
struct StreamObject;
struct EventObject;
struct GraphObject;
struct ExecutableGraphObject;

/// CUlaunchAttribute
struct LaunchAttribute {
  int id = 0;
  int padding = 0;
  int value = 0;  ///< CUlaunchAttributeValue, a union of 64 bytes
  int rest[15] = {};
};

/// CUlaunchConfig
struct LaunchConfiguration {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  StreamObject* stream = nullptr;
  const LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

/// The entry points, in driver.def's order.
struct Functions {
#define RECKON_CUDA(name, symbol, parameters) Result(*name) parameters = nullptr;
#define RECKON_CUDA_SINCE(version, name, symbol, parameters) RECKON_CUDA(name, symbol, parameters)
#include "runtime/cuda/driver.def"
#undef RECKON_CUDA_SINCE
#undef RECKON_CUDA
};

namespace result {
inline constexpr Result success = 0;
inline constexpr Result invalid_value = 1;
inline constexpr Result out_of_memory = 2;
inline constexpr Result stub_library = 34;
inline constexpr Result no_device = 100;
inline constexpr Result no_binary_for_device = 209;
inline constexpr Result ecc_uncorrectable = 214;
inline constexpr Result invalid_ptx = 218;
inline constexpr Result unsupported_ptx_version = 222;
inline constexpr Result illegal_address = 700;
inline constexpr Result launch_out_of_resources = 701;
inline constexpr Result launch_timeout = 702;
inline constexpr Result assertion = 710;
inline constexpr Result hardware_stack_error = 714;
inline constexpr Result launch_failed = 719;
}  // namespace result

namespace device_attribute {
inline constexpr int threads_per_block = 1;
inline constexpr int clock_kilohertz = 13;
inline constexpr int multiprocessors = 16;
inline constexpr int memory_clock_kilohertz = 36;
inline constexpr int memory_bus_bits = 37;
inline constexpr int l2_bytes = 38;
inline constexpr int threads_per_multiprocessor = 39;
inline constexpr int capability_major = 75;
inline constexpr int capability_minor = 76;
inline constexpr int shared_bytes_per_block = 97;  ///< with opt-in
}  // namespace device_attribute

namespace function_attribute {
inline constexpr int threads_per_block = 0;
inline constexpr int local_bytes = 3;  ///< of a thread
inline constexpr int max_dynamic_shared_bytes = 8;
}  // namespace function_attribute

namespace jit_option {
inline constexpr int max_registers = 0;
inline constexpr int info_log = 3;
inline constexpr int info_log_bytes = 4;
inline constexpr int error_log = 5;
inline constexpr int error_log_bytes = 6;
inline constexpr int optimization_level = 7;
inline constexpr int log_verbose = 12;
}  // namespace jit_option

namespace launch_attribute {
inline constexpr int programmatic_stream_serialization = 6;
}  // namespace launch_attribute

/// What cuTensorMapEncodeTiled takes: CUtensorMapDataType, CUtensorMapInterleave, CUtensorMapSwizzle,
/// CUtensorMapL2promotion, CUtensorMapFloatOOBfill.
namespace tensor_map {
/// The unsigned integers of so many bytes.
constexpr int element_of(std::int64_t bytes) { return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 4; }
inline constexpr int no_interleave = 0;
inline constexpr int swizzle_128_bytes = 3;
inline constexpr int promotes_to_256_bytes = 3;
inline constexpr int zeros_outside = 0;
}  // namespace tensor_map

namespace pointer_attribute {
inline constexpr int device_ordinal = 9;
inline constexpr int range_begin = 11;  ///< a DeviceAddress: where the allocation begins that an address is in
inline constexpr int range_bytes = 12;  ///< a std::size_t
}  // namespace pointer_attribute

inline constexpr int limit_stack_bytes = 0;
inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_disable_timing = 2;
inline constexpr int capture_thread_local = 1;

}  // namespace reckon::runtime::cuda
