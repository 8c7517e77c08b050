// A stand-in for libcuda.so.1 on host memory, for tests of runtime/cuda without a GPU.
//
// Environment, read at every call:
//   FAKE_CUDA_FAIL     `symbol:k=error` makes the k-th call (from 1) since the last reset fail with that number;
//                      several are separated by `;`
//   FAKE_CUDA_DEVICES  how many devices there are; 1 if not set
//   FAKE_CUDA_FAST     the number of threads of a block with which events are 0.25 ms apart; they are 0.5 ms otherwise
//   FAKE_CUDA_LOG      a file to which the log is written, too
// A module is any text; it fails to load if it contains `syntax error`. What a kernel does is in its name, with
// numbers that are positions among the parameters:
//   fill_B_V   every byte of buffer B becomes V
//   copy_A_B   buffer A is copied to buffer B
//   store_P_B  the 64-bit parameter P (a dimension) is stored at the start of buffer B
//   trap_A_B   nothing, and every call after it fails, as after an access outside of memory
// A name may begin with `reckon_`, and go on after the numbers, as those of compiled circuits do. Where the module's
// text declares the kernel's parameters, as PTX does, a launch logs their values in a second line: a size as it is, an
// address as the number of the piece of memory that it is in, in the order in which launches met them, and the distance
// from its beginning: `#0+256`.
//
// Nothing that is queued on a stream happens before somebody waits for it: for the stream, for an event in it, or for
// all. A log line of something queued ends with the stream's number since the last reset, ` @1`; the default stream has
// none. Work that meets memory which was released ends the process. Handles are counted, so that a test sees what was
// not released.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/runtime/fake_cuda/device.h"

using namespace fake_cuda;

// As the real driver shows its functions, whatever the compiler was told.
#pragma GCC visibility push(default)
extern "C" {

// For tests.
void fake_cuda_reset() {
  Device& fake = device();
  fake.log.clear();
  fake.calls.clear();
  fake.sticky = 0;
  fake.stack = 1024;
  fake.streams = 0;
  fake.now = nullptr;
  fake.met.clear();
  fake.default_stream = {};
}
const char* fake_cuda_log() { return device().log.c_str(); }
int fake_cuda_live() {
  return static_cast<int>(device().live.size() + device().memory.size() + device().pinned.size()) + device().retained;
}
void fake_cuda_forget_context() { device().now = nullptr; }
int fake_cuda_has_context() { return device().now != nullptr ? 1 : 0; }

int cuGetErrorName(int error, const char** text) { return (*text = error_name(error)) != nullptr ? 0 : 1; }
int cuGetErrorString(int error, const char** text) {
  *text = error == 700 ? "an illegal memory access was encountered" : "described";
  return error_name(error) != nullptr ? 0 : 1;
}
int cuInit(unsigned) { return call("cuInit"); }
int cuDriverGetVersion(int* version) {
  *version = 12040;
  return call("cuDriverGetVersion");
}
int cuDeviceGetCount(int* count) {
  const char* devices = std::getenv("FAKE_CUDA_DEVICES");
  *count = devices != nullptr ? std::atoi(devices) : 1;
  return call("cuDeviceGetCount");
}
int cuDeviceGet(int* handle, int ordinal) {
  *handle = ordinal;
  return call("cuDeviceGet", std::to_string(ordinal));
}
int cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU");
  return call("cuDeviceGetName");
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{1} << 30;
  return call("cuDeviceTotalMem_v2");
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  const std::map<int, int> values{{1, 1024},      {13, 1980000}, {16, 4}, {36, 3201000}, {37, 6144},
                                  {38, 50 << 20}, {39, 2048},    {75, 9}, {76, 0},       {97, 232448}};
  *value = values.at(attribute);
  return call("cuDeviceGetAttribute", std::to_string(attribute));
}
int cuDevicePrimaryCtxRetain(Object** context, int) {
  if (const int error = call("cuDevicePrimaryCtxRetain")) return error;
  *context = &device().context;
  ++device().retained;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  --device().retained;
  return call("cuDevicePrimaryCtxRelease_v2");
}
int cuCtxGetCurrent(Object** context) {
  *context = device().now;
  return call("cuCtxGetCurrent");
}
int cuCtxSetCurrent(Object* context) {
  if (const int error = call("cuCtxSetCurrent")) return error;
  device().now = context;
  return 0;
}
int cuCtxSynchronize() {
  if (const int error = call("cuCtxSynchronize")) return error;
  run_all(nullptr);
  for (const auto& [object, kind] : device().live)
    if (kind == "stream") run_all(object);
  return device().sticky;
}
int cuCtxGetDevice(int* device_number) {
  *device_number = 0;
  return call("cuCtxGetDevice");
}
int cuCtxGetLimit(std::size_t* value, int) {
  *value = device().stack;
  return call("cuCtxGetLimit");
}
int cuCtxSetLimit(int, std::size_t value) {
  device().stack = value;
  return call("cuCtxSetLimit", std::to_string(value));
}
int cuModuleLoadDataEx(Object** module, const void* image, unsigned count, int* options, void** values) {
  const std::string text = static_cast<const char*>(image);
  const bool bad = text.find("syntax error") != std::string::npos;
  std::string level;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 7) level = "-O" + std::to_string(reinterpret_cast<std::uintptr_t>(values[i]));
    const char* message =
        bad ? "ptxas application ptx input, line 3; error : fake\n\nptxas fatal : fake too\n" : "fake: 12 registers";
    if (options[i] == (bad ? 5 : 3)) {
      const auto room = reinterpret_cast<std::uintptr_t>(values[i + 1]);
      std::strncpy(static_cast<char*>(values[i]), message, room);
      values[i + 1] = reinterpret_cast<void*>(std::strlen(message));  // the driver says how much it wrote
    }
  }
  if (const int error = call("cuModuleLoadDataEx", level)) return error;
  return bad ? 218 : make("module", module, text);
}
int cuModuleLoadData(Object** module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
int cuModuleGetGlobal_v2(std::uint64_t* address, std::size_t* bytes, Object* module, const char* name) {
  if (const int error = call("cuModuleGetGlobal_v2", name)) return error;
  // Its size stands in brackets behind the name, and its bytes in braces after that.
  const std::size_t at = module->text.find(std::string(" ") + name + "[");
  if (at == std::string::npos) return 500;
  const char* text = module->text.c_str() + at + std::strlen(name) + 2;
  char* end = nullptr;
  const std::size_t size = std::strtoull(text, &end, 10);
  auto* memory = static_cast<unsigned char*>(std::calloc(size, 1));
  text = std::strchr(end, '{') + 1;
  for (std::size_t k = 0; k < size; ++k) {
    memory[k] = static_cast<unsigned char>(std::strtoul(text, &end, 10));
    text = end + std::strspn(end, ", \n\t");
  }
  *address = reinterpret_cast<std::uintptr_t>(memory);
  device().memory[*address] = size;
  if (bytes != nullptr) *bytes = size;
  return 0;
}
int cuModuleUnload(Object* module) {
  call("cuModuleUnload");
  return destroy(module);
}
int cuModuleGetFunction(Object** function, Object* module, const char* name) {
  if (const int error = call("cuModuleGetFunction", name)) return error;
  if (module->text.find(name) == std::string::npos) return 500;
  static std::map<std::string, Object> functions;  // live as long as their module, released with it
  *function = &functions.emplace(name, Object{name}).first->second;
  (*function)->parameters = count_parameters(module->text, name);
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute, Object* function) {
  *value = attribute == 0 ? function->attribute : attribute == 3 ? 1024 : 0;  // threads of a block, local bytes
  return call("cuFuncGetAttribute", std::to_string(attribute));
}
int cuFuncSetAttribute(Object*, int attribute, int value) {
  return call("cuFuncSetAttribute", std::to_string(attribute) + " " + std::to_string(value));
}
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  if (const int error = call("cuMemAlloc_v2", std::to_string(bytes))) return error;
  if (bytes == 0) return 1;
  void* memory = std::calloc(bytes, 1);
  *address = reinterpret_cast<std::uintptr_t>(memory);
  device().memory[*address] = bytes;
  return 0;
}
int cuMemFree_v2(std::uint64_t address) {
  call("cuMemFree_v2");
  if (device().memory.erase(address) == 0) return 1;
  std::free(reinterpret_cast<void*>(address));
  return 0;
}
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  if (const int error = call("cuMemHostAlloc", std::to_string(bytes))) return error;
  if (bytes == 0) return 1;
  *memory = std::calloc(bytes, 1);
  device().pinned[reinterpret_cast<std::uintptr_t>(*memory)] = bytes;
  return 0;
}
int cuMemFreeHost(void* memory) {
  call("cuMemFreeHost");
  if (device().pinned.erase(reinterpret_cast<std::uintptr_t>(memory)) == 0) return 1;
  std::free(memory);
  return 0;
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, Object* stream) {
  if (const int error = call("cuMemcpyHtoDAsync_v2", std::to_string(bytes) + on(stream))) return error;
  queue(stream, [to, from, bytes] { copy(true, to, const_cast<void*>(from), bytes); });
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, Object* stream) {
  if (const int error = call("cuMemcpyDtoHAsync_v2", std::to_string(bytes) + on(stream))) return error;
  queue(stream, [to, from, bytes] { copy(false, from, to, bytes); });
  return 0;
}
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  if (const int error = call("cuMemcpyHtoD_v2", std::to_string(bytes))) return error;
  if (!holds(device().memory, to, bytes)) std::abort();
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  if (const int error = call("cuMemcpyDtoH_v2", std::to_string(bytes))) return error;
  run_all(nullptr);
  if (!holds(device().memory, from, bytes)) std::abort();
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, Object* stream) {
  if (const int error = call("cuMemsetD8Async", std::to_string(bytes) + on(stream))) return error;
  queue(stream, [to, value, bytes] {
    if (!holds(device().memory, to, bytes)) std::abort();
    std::memset(reinterpret_cast<void*>(to), value, bytes);
  });
  return 0;
}
int cuPointerGetAttribute(void* value, int attribute, std::uint64_t address) {
  if (const int error = call("cuPointerGetAttribute", std::to_string(attribute))) return error;
  if (!holds(device().memory, address, 1)) return 1;
  const auto& [begin, bytes] = *std::prev(device().memory.upper_bound(address));
  switch (attribute) {
    case 9: *static_cast<int*>(value) = 0; return 0;                // DEVICE_ORDINAL
    case 11: *static_cast<std::uint64_t*>(value) = begin; return 0;  // RANGE_START_ADDR
    case 12: *static_cast<std::size_t*>(value) = bytes; return 0;    // RANGE_SIZE
    default: return 1;
  }
}
/// A map that holds a number of all that describes the tensor but its address, so that logs of launches show it.
int cuTensorMapEncodeTiled(void* map, int element, unsigned rank, std::uint64_t, const std::uint64_t* extents,
                           const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps,
                           int interleave, int swizzle, int promotion, int fill) {
  std::string text = "elements " + std::to_string(element);
  for (unsigned d = 0; d < rank; ++d) {
    text += " extent " + std::to_string(extents[d]) + " box " + std::to_string(box[d]) + " step " +
            std::to_string(steps[d]);
    if (d > 0) text += " stride " + std::to_string(strides[d - 1]);
  }
  for (const int mode : {interleave, swizzle, promotion, fill}) text += " " + std::to_string(mode);
  if (const int error = call("cuTensorMapEncodeTiled", text)) return error;
  std::uint64_t number = 0;
  for (const char c : text) number = (number * 31 + static_cast<unsigned char>(c)) % 1'000'003;
  std::memset(map, 0, 128);
  std::memcpy(map, &number, sizeof number);
  return 0;
}
int cuLaunchKernel(Object* function, unsigned grid_x, unsigned, unsigned, unsigned block_x, unsigned, unsigned,
                   unsigned shared, Object* stream, void** parameters, void**) {
  if (const int error = call("cuLaunchKernel", function->text + " " + std::to_string(grid_x) + "x" +
                                                   std::to_string(block_x) + " " + std::to_string(shared) + on(stream)))
    return error;
  device().threads = block_x;
  if (grid_x == 0) return 1;
  if (function->parameters > 0) {
    std::string values;
    for (int i = 0; i < function->parameters; ++i) {
      std::uint64_t value;
      std::memcpy(&value, parameters[i], 8);
      values += " " + argument_text(value);
    }
    note("arguments" + values);
  }
  // The name says which parameters there are: only those are read.
  char verb[16] = {};
  int first = 0, second = 0;
  const std::string name = function->text;
  if (!meaning(name, verb, first, second)) return 0;
  const int last = std::strcmp(verb, "fill") == 0 ? first : std::max(first, second);
  std::vector<std::uint64_t> values;
  for (int i = 0; i <= last; ++i) {
    std::uint64_t value;
    std::memcpy(&value, parameters[i], 8);
    values.push_back(value);
  }
  queue(stream, [name, values] { run_kernel(name, values); });
  return 0;
}
struct LaunchAttribute {
  int id, padding, value[16];
};
struct LaunchConfiguration {
  unsigned grid[3], block[3], shared_bytes;
  Object* stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};
int cuLaunchKernelEx(const LaunchConfiguration* with, Object* function, void** parameters, void** extra) {
  std::string attributes;
  for (unsigned k = 0; k < with->attribute_count; ++k) {
    attributes += " " + std::to_string(with->attributes[k].id) + "=" + std::to_string(with->attributes[k].value[0]);
  }
  if (const int error = call("cuLaunchKernelEx", function->text + attributes)) return error;
  return cuLaunchKernel(function, with->grid[0], with->grid[1], with->grid[2], with->block[0], with->block[1],
                        with->block[2], with->shared_bytes, with->stream, parameters, extra);
}
int cuStreamCreate(Object** stream, unsigned) {
  if (const int error = call("cuStreamCreate")) return error;
  make("stream", stream);
  (*stream)->number = ++device().streams;
  return 0;
}
int cuStreamDestroy_v2(Object* stream) {
  call("cuStreamDestroy_v2");
  run_all(stream);
  return destroy(stream);
}
int cuStreamSynchronize(Object* stream) {
  const int error = call("cuStreamSynchronize", stream != nullptr ? on(stream).substr(1) : "");
  return error != 0 ? error : run_all(stream);
}
int cuStreamWaitEvent(Object* stream, Object* event, unsigned) {
  if (const int error = call("cuStreamWaitEvent", "for" + on(event->stream) + on(stream))) return error;
  queue(stream, [other = event->stream, place = event->place] { run_until(other, place); });
  return 0;
}
int cuStreamBeginCapture_v2(Object* stream, int) {
  if (const int error = call("cuStreamBeginCapture_v2")) return error;
  stream->capturing = true;
  return 0;
}
int cuStreamEndCapture(Object* stream, Object** graph) {
  stream->capturing = false;
  if (const int error = call("cuStreamEndCapture")) return error;
  make("graph", graph);
  (*graph)->work = std::move(stream->work);
  return 0;
}
int cuGraphInstantiateWithFlags(Object** executable, Object* graph, unsigned long long) {
  if (const int error = call("cuGraphInstantiateWithFlags")) return error;
  make("executable graph", executable);
  (*executable)->work = graph->work;
  return 0;
}
int cuGraphLaunch(Object* executable, Object* stream) {
  if (const int error = call("cuGraphLaunch", stream != nullptr ? on(stream).substr(1) : "")) return error;
  for (const Work& work : executable->work) queue(stream, work);
  return 0;
}
int cuGraphDestroy(Object* graph) {
  call("cuGraphDestroy");
  return destroy(graph);
}
int cuGraphExecDestroy(Object* executable) {
  call("cuGraphExecDestroy");
  return destroy(executable);
}
int cuEventCreate(Object** event, unsigned) {
  const int error = call("cuEventCreate");
  return error != 0 ? error : make("event", event);
}
int cuEventDestroy_v2(Object* event) {
  call("cuEventDestroy_v2");
  return destroy(event);
}
int cuEventRecord(Object* event, Object* stream) {
  if (const int error = call("cuEventRecord", stream != nullptr ? on(stream).substr(1) : "")) return error;
  event->stream = stream;
  event->place = stream_of(stream).begun + stream_of(stream).queue.size();
  return 0;
}
int cuEventSynchronize(Object* event) {
  const int error = call("cuEventSynchronize");
  return error != 0 ? error : run_until(event->stream, event->place);
}
int cuEventElapsedTime(float* milliseconds, Object*, Object*) {
  const char* fast = std::getenv("FAKE_CUDA_FAST");
  *milliseconds = fast != nullptr && std::to_string(device().threads) == fast ? 0.25f : 0.5f;
  return call("cuEventElapsedTime");
}

}  // extern "C"
#pragma GCC visibility pop
