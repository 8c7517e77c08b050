// The entry points of an emulated `libcuda.so.1`: as much of the CUDA Driver API as Reckon and the launchers that it
// writes call. All work is done when it is queued. Source: CUDA Driver API reference.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "ptx/driver/device.h"
#include "ptx/emulate/kernel.h"
#include "ptx/emulate/tensor_map.h"

namespace {

using namespace reckon::ptx;
using namespace reckon::ptx::driver;

thread_local void* current = nullptr;

/// Pieces of CUlaunchConfig.
struct Configuration {
  unsigned grid[3], block[3];
  unsigned shared_bytes;
  driver::Stream* stream;
};

LaunchOptions options_of(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                         unsigned shared) {
  LaunchOptions options;
  options.grid = {gx, gy, gz};
  options.block = {bx, by, bz};
  options.dynamic_shared_bytes = shared;
  return options;
}

/// Of an H200, or what RECKON_PTX_CAPABILITY says: `8.0`.
struct Capability {
  int major = 9, minor = 0;
};
std::optional<Capability> stated_capability() {
  Capability out;
  const char* stated = std::getenv("RECKON_PTX_CAPABILITY");
  if (stated == nullptr) return out;
  int end = 0;
  const bool is_one = std::sscanf(stated, "%d.%d%n", &out.major, &out.minor, &end) == 2 && stated[end] == '\0';
  return is_one ? std::optional(out) : std::nullopt;
}
Capability capability() { return stated_capability().value_or(Capability{}); }

int attribute(int number) {
  switch (number) {
    case 1: return 1024;       // threads of a block
    case 8: return 48 * 1024;  // shared memory of a block
    case 10: return 32;        // threads of a warp
    case 12: return 65536;     // registers of a block
    case 13: return 1980000;   // kilohertz
    case 16: return 4;         // multiprocessors: few, so that blocks go on to further items
    case 36: return 3201000;
    case 37: return 6144;
    case 38: return 60 << 20;
    case 39: return 2048;  // threads of a multiprocessor
    case 75: return capability().major;
    case 76: return capability().minor;
    case 81: return 233472;
    case 82: return 65536;
    case 97: return static_cast<int>(most_shared_of_block);
    default: return 0;
  }
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Elements of CUtensorMapDataType.
int element_bytes(int type) {
  static constexpr int bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return type >= 0 && type < static_cast<int>(std::size(bytes)) ? bytes[type] : 0;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int cuInit(unsigned) {
  if (stated_capability()) return 0;
  device().trouble = "RECKON_PTX_CAPABILITY is no compute capability, such as 9.0";
  return result::kernel_refused;
}
int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuGetErrorName(int error, const char** text) {
  switch (error) {
    case result::success: *text = "CUDA_SUCCESS"; break;
    case result::invalid_value: *text = "CUDA_ERROR_INVALID_VALUE"; break;
    case result::out_of_memory: *text = "CUDA_ERROR_OUT_OF_MEMORY"; break;
    case result::no_binary_for_device: *text = "CUDA_ERROR_NO_BINARY_FOR_GPU"; break;
    case result::invalid_ptx: *text = "CUDA_ERROR_INVALID_PTX"; break;
    case result::not_found: *text = "CUDA_ERROR_NOT_FOUND"; break;
    case result::kernel_fault: *text = "EMULATED_KERNEL_FAULT"; break;
    case result::kernel_refused: *text = "EMULATED_KERNEL_REFUSED"; break;
    case result::not_supported: *text = "CUDA_ERROR_NOT_SUPPORTED"; break;
    default: *text = "CUDA_ERROR_UNKNOWN"; break;
  }
  return 0;
}
int cuGetErrorString(int error, const char** text) {
  Device& one = device();
  if (error >= result::kernel_fault) *text = one.trouble.c_str();
  else if (error == result::invalid_ptx) *text = "the emulator cannot read the PTX";
  else if (error == result::no_binary_for_device) *text = "the emulator runs PTX, not machine code";
  else *text = "an error of the emulated driver";
  return 0;
}

int cuDeviceGetCount(int* count) { return *count = 1, 0; }
int cuDeviceGet(int* handle, int ordinal) { return *handle = ordinal, ordinal == 0 ? 0 : result::invalid_value; }
int cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<std::size_t>(length), "Reckon's emulator of PTX");
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = std::size_t{1} << 36, 0; }
int cuDeviceGetAttribute(int* value, int number, int) { return *value = attribute(number), 0; }
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = std::size_t{1} << 36;
  *free = *total - device().memory.bytes();
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &device(), 0; }
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxGetCurrent(void** context) { return *context = current, 0; }
int cuCtxSetCurrent(void* context) { return current = context, 0; }
int cuCtxGetDevice(int* handle) { return *handle = 0, 0; }
int cuCtxSynchronize() { return 0; }
int cuCtxGetLimit(std::size_t* value, int) { return *value = device().stack_bytes, 0; }
int cuCtxSetLimit(int, std::size_t value) { return device().stack_bytes = value, 0; }

int cuModuleLoadDataEx(driver::LoadedModule** module, const void* image, unsigned count, int* options, void** values) {
  Device& one = device();
  const std::lock_guard lock(one.mutex);
  std::string log;
  const int status = one.load(*module, static_cast<const char*>(image), log);
  char* buffer = nullptr;
  std::size_t room = 0;
  for (unsigned k = 0; k < count; ++k) {
    if (options[k] == 5) buffer = static_cast<char*>(values[k]);
    if (options[k] == 6) room = reinterpret_cast<std::uintptr_t>(values[k]);
  }
  if (buffer != nullptr && room > 0) std::snprintf(buffer, room, "%s", log.c_str());
  return status;
}
int cuModuleLoadData(driver::LoadedModule** module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
int cuModuleUnload(driver::LoadedModule* module) {
  const std::lock_guard lock(device().mutex);
  delete module;
  return 0;
}
int cuModuleGetFunction(driver::Function** function, driver::LoadedModule* module, const char* name) {
  const std::lock_guard lock(device().mutex);
  if (module->program->module().entry(name) == nullptr) return result::not_found;
  driver::Function& made = module->functions[name];
  made.program = module->program.get();
  made.name = name;
  *function = &made;
  return 0;
}
int cuModuleGetGlobal_v2(std::uint64_t* address, std::size_t* size, driver::LoadedModule* module, const char* name) {
  std::uint64_t bytes = 0;
  const auto found = module->program->variable(name, bytes);
  if (!found) return result::not_found;
  if (address != nullptr) *address = *found;
  if (size != nullptr) *size = bytes;
  return 0;
}
int cuFuncGetAttribute(int* value, int number, driver::Function* function) {
  const auto* entry = function->program->module().entry(function->name);
  *value = number == 0   ? (entry->most_threads != 0 ? static_cast<int>(std::min(entry->most_threads, 1024u)) : 1024)
           : number == 8 ? function->dynamic_shared_bytes
                         : 0;
  return 0;
}
int cuFuncSetAttribute(driver::Function* function, int number, int value) {
  if (number == 8) function->dynamic_shared_bytes = value;
  return 0;
}

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  Device& one = device();
  const std::lock_guard lock(one.mutex);
  if (bytes == 0) return result::invalid_value;
  if (bytes > (std::size_t{1} << 33)) return result::out_of_memory;
  static std::uint64_t number = 0;
  *address = one.memory.allocate(bytes, fmt::format("allocation {}", ++number), false).base;
  return 0;
}
int cuMemFree_v2(std::uint64_t address) {
  const std::lock_guard lock(device().mutex);
  return address == 0 || device().memory.release(address) ? 0 : result::invalid_value;
}
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::malloc(std::max<std::size_t>(bytes, 1));
  return *memory != nullptr ? 0 : result::out_of_memory;
}
int cuMemFreeHost(void* memory) { return std::free(memory), 0; }
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  const std::lock_guard lock(device().mutex);
  return device().copy_in(to, from, bytes);
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  const std::lock_guard lock(device().mutex);
  return device().copy_out(to, from, bytes);
}
int cuMemcpyDtoD_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  const std::lock_guard lock(device().mutex);
  return device().copy(to, from, bytes);
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, driver::Stream*) {
  return cuMemcpyHtoD_v2(to, from, bytes);
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, driver::Stream*) {
  return cuMemcpyDtoH_v2(to, from, bytes);
}
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, driver::Stream*) {
  const std::lock_guard lock(device().mutex);
  return device().set(to, value, bytes);
}
int cuPointerGetAttribute(void* value, int number, std::uint64_t address) {
  const std::lock_guard lock(device().mutex);
  const Allocation* found = device().memory.find(address);
  if (found == nullptr || address >= found->end()) return result::invalid_value;
  if (number == 9) *static_cast<int*>(value) = 0;
  else if (number == 11) *static_cast<std::uint64_t*>(value) = found->base;
  else if (number == 12) *static_cast<std::size_t*>(value) = found->bytes;
  else return result::invalid_value;
  return 0;
}

int cuLaunchKernel(driver::Function* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, driver::Stream* stream, void** parameters, void**) {
  const std::lock_guard lock(device().mutex);
  if (shared > static_cast<unsigned>(function->dynamic_shared_bytes)) return result::invalid_value;
  return device().launch(*function, options_of(gx, gy, gz, bx, by, bz, shared), parameters, stream);
}
int cuLaunchKernelEx(const void* configuration, driver::Function* function, void** parameters, void** extra) {
  Configuration c;
  std::memcpy(&c, configuration, sizeof c);
  return cuLaunchKernel(function, c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2], c.shared_bytes,
                        c.stream, parameters, extra);
}

int cuStreamCreate(driver::Stream** stream, unsigned) { return *stream = new driver::Stream, 0; }
int cuStreamDestroy_v2(driver::Stream* stream) { return delete stream, 0; }
int cuStreamSynchronize(driver::Stream*) { return 0; }
int cuStreamWaitEvent(driver::Stream*, driver::Event*, unsigned) { return 0; }
int cuStreamBeginCapture_v2(driver::Stream* stream, int) {
  if (stream == nullptr) return result::not_supported;
  stream->captures = true;
  stream->captured.clear();
  return 0;
}
int cuStreamEndCapture(driver::Stream* stream, driver::Graph** graph) {
  stream->captures = false;
  *graph = new driver::Graph{std::move(stream->captured)};
  return 0;
}
int cuGraphInstantiateWithFlags(driver::Graph** executable, driver::Graph* graph, unsigned long long) {
  return *executable = new driver::Graph(*graph), 0;
}
int cuGraphLaunch(driver::Graph* executable, driver::Stream*) {
  const std::lock_guard lock(device().mutex);
  for (const driver::Launch& launch : executable->launches) {
    if (const int failure = device().carry_out(launch)) return failure;
  }
  return 0;
}
int cuGraphDestroy(driver::Graph* graph) { return delete graph, 0; }
int cuGraphExecDestroy(driver::Graph* executable) { return delete executable, 0; }

int cuEventCreate(driver::Event** event, unsigned) { return *event = new driver::Event, 0; }
int cuEventDestroy_v2(driver::Event* event) { return delete event, 0; }
int cuEventRecord(driver::Event* event, driver::Stream*) { return event->seconds = now(), 0; }
int cuEventSynchronize(driver::Event*) { return 0; }
int cuEventElapsedTime(float* milliseconds, driver::Event* start, driver::Event* end) {
  *milliseconds = static_cast<float>((end->seconds - start->seconds) * 1000);
  return 0;
}

int cuTensorMapEncodeTiled(void* map, int element, unsigned rank, std::uint64_t address, const std::uint64_t* extents,
                           const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* element_strides,
                           int interleave, int swizzle, int, int fill) {
  const int bytes = element_bytes(element);
  if (bytes == 0 || rank == 0 || rank > 5 || interleave != 0 || swizzle < 0 || swizzle > 3 || fill != 0 ||
      address % 16 != 0)
    return result::invalid_value;
  TensorMap made;
  made.element_bytes = static_cast<std::uint8_t>(bytes);
  made.rank = static_cast<std::uint8_t>(rank);
  made.swizzle = static_cast<std::uint8_t>(swizzle);
  made.address = address;
  for (unsigned d = 0; d < rank; ++d) {
    if (box[d] == 0 || box[d] > 256 || element_strides[d] != 1 || extents[d] == 0 ||
        extents[d] >= (std::uint64_t{1} << 32))
      return result::invalid_value;
    made.extents[d] = static_cast<std::uint32_t>(extents[d]);
    made.box[d] = static_cast<std::uint16_t>(box[d]);
    if (d > 0) {
      if (strides[d - 1] % 16 != 0) return result::invalid_value;
      made.strides[d - 1] = strides[d - 1];
    }
  }
  std::memset(map, 0, 128);
  std::memcpy(map, &made, sizeof made);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
