// A stand-in for libcuda.so.1 on host memory, for tests of runtime/cuda without a GPU.
//
// Environment, read at every call:
//   FAKE_CUDA_FAIL     `symbol:k=error` makes the k-th call (from 1) since the last reset fail with that number;
//                      several are separated by `;`
//   FAKE_CUDA_DEVICES  how many devices there are; 1 if not set
// A module is any text; it fails to load if it contains `syntax error`. What a kernel does is in its name, with
// numbers that are positions among the parameters:
//   fill_B_V   every byte of buffer B becomes V
//   copy_A_B   buffer A is copied to buffer B
//   store_P_B  the 64-bit parameter P (a dimension) is stored at the start of buffer B
// Handles are counted, so that a test sees what was not released. Kernels run when they are launched; in a capture,
// when the graph is.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

struct Object {
  std::string text;
  int attribute = 1024;
  bool capturing = false;
  std::vector<std::function<void()>> work;
};

struct Device {
  std::string log;
  std::map<std::string, int> calls;
  std::map<Object*, std::string> live;
  std::map<std::uintptr_t, std::size_t> memory;
  int retained = 0;
  bool current = false;
  int sticky = 0;
  std::size_t stack = 1024;
  Object context;
};

Device& device() {
  static Device the_device;
  return the_device;
}

/// Logs a call; the error that it was told to give, or 0.
int call(const char* symbol, const std::string& detail = {}) {
  Device& fake = device();
  const int number = ++fake.calls[symbol];
  fake.log += symbol + (detail.empty() ? "" : " " + detail) + "\n";
  if (fake.sticky != 0 && std::strncmp(symbol, "cuGetError", 10) != 0) return fake.sticky;
  const char* orders = std::getenv("FAKE_CUDA_FAIL");
  const std::string wanted = std::string(symbol) + ":" + std::to_string(number) + "=";
  for (std::string rest = orders != nullptr ? orders : ""; !rest.empty();) {
    const std::size_t end = rest.find(';');
    if (rest.compare(0, wanted.size(), wanted) == 0) {
      const int error = std::atoi(rest.c_str() + wanted.size());
      if (error >= 700) fake.sticky = error;
      return error;
    }
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return 0;
}

int make(const char* kind, Object** object, const std::string& text = {}) {
  *object = new Object{text};
  device().live[*object] = kind;
  return 0;
}

int destroy(Object* object) {
  if (device().live.erase(object) == 0) return 400;  // CUDA_ERROR_INVALID_HANDLE
  delete object;
  return 0;
}

const char* error_name(int error) {
  switch (error) {
    case 0: return "CUDA_SUCCESS";
    case 2: return "CUDA_ERROR_OUT_OF_MEMORY";
    case 100: return "CUDA_ERROR_NO_DEVICE";
    case 218: return "CUDA_ERROR_INVALID_PTX";
    case 222: return "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
    case 500: return "CUDA_ERROR_NOT_FOUND";
    case 700: return "CUDA_ERROR_ILLEGAL_ADDRESS";
    default: return nullptr;
  }
}

void run_kernel(const std::string& name, const std::vector<std::uint64_t>& values) {
  char verb[16] = {};
  int first = 0, second = 0;
  if (std::sscanf(name.c_str(), "%15[a-z]_%d_%d", verb, &first, &second) != 3) return;
  const auto at = [&](int position) { return reinterpret_cast<void*>(values.at(static_cast<std::size_t>(position))); };
  const auto size = [&](int position) { return device().memory.at(values.at(static_cast<std::size_t>(position))); };
  if (std::strcmp(verb, "fill") == 0) std::memset(at(first), second, size(first));
  if (std::strcmp(verb, "copy") == 0) std::memcpy(at(second), at(first), std::min(size(first), size(second)));
  if (std::strcmp(verb, "store") == 0) std::memcpy(at(second), &values.at(static_cast<std::size_t>(first)), 8);
}

}  // namespace

extern "C" {

// For tests.
void fake_cuda_reset() {
  Device& fake = device();
  fake.log.clear();
  fake.calls.clear();
  fake.sticky = 0;
  fake.stack = 1024;
}
const char* fake_cuda_log() { return device().log.c_str(); }
int fake_cuda_live() { return static_cast<int>(device().live.size() + device().memory.size()) + device().retained; }

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
int cuCtxSetCurrent(Object*) { return call("cuCtxSetCurrent"); }
int cuCtxSynchronize() { return call("cuCtxSynchronize"); }
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
  for (unsigned i = 0; i < count; ++i) {
    const char* message =
        bad ? "ptxas application ptx input, line 3; error : fake\n\nptxas fatal : fake too\n" : "fake: 12 registers";
    if (options[i] == (bad ? 5 : 3)) {
      const auto room = reinterpret_cast<std::uintptr_t>(values[i + 1]);
      std::strncpy(static_cast<char*>(values[i]), message, room);
      values[i + 1] = reinterpret_cast<void*>(std::strlen(message));  // the driver says how much it wrote
    }
  }
  if (const int error = call("cuModuleLoadDataEx")) return error;
  return bad ? 218 : make("module", module, text);
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
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute, Object* function) {
  *value = attribute == 0 ? function->attribute : 0;
  return call("cuFuncGetAttribute", std::to_string(attribute));
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
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  if (const int error = call("cuMemcpyHtoD_v2", std::to_string(bytes))) return error;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  if (const int error = call("cuMemcpyDtoH_v2", std::to_string(bytes))) return error;
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}
int cuLaunchKernel(Object* function, unsigned grid_x, unsigned, unsigned, unsigned block_x, unsigned, unsigned,
                   unsigned shared, Object* stream, void** parameters, void**) {
  if (const int error = call("cuLaunchKernel", function->text + " " + std::to_string(grid_x) + "x" +
                                                   std::to_string(block_x) + " " + std::to_string(shared)))
    return error;
  if (grid_x == 0) return 1;
  // The name says which parameters there are: only those are read.
  int first = 0, second = 0;
  const std::string name = function->text;
  std::sscanf(name.c_str(), "%*[a-z]_%d_%d", &first, &second);
  const int last = name.starts_with("fill") ? first : std::max(first, second);
  std::vector<std::uint64_t> values;
  for (int i = 0; i <= last; ++i) {
    std::uint64_t value;
    std::memcpy(&value, parameters[i], 8);
    values.push_back(value);
  }
  const auto work = [name, values] { run_kernel(name, values); };
  if (stream != nullptr && stream->capturing) stream->work.push_back(work);
  else work();
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
  const int error = call("cuStreamCreate");
  return error != 0 ? error : make("stream", stream);
}
int cuStreamDestroy_v2(Object* stream) {
  call("cuStreamDestroy_v2");
  return destroy(stream);
}
int cuStreamSynchronize(Object*) { return call("cuStreamSynchronize"); }
int cuStreamBeginCapture_v2(Object* stream, int) {
  stream->capturing = true;
  return call("cuStreamBeginCapture_v2");
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
int cuGraphLaunch(Object* executable, Object*) {
  if (const int error = call("cuGraphLaunch")) return error;
  for (const auto& work : executable->work) work();
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
int cuEventRecord(Object*, Object*) { return call("cuEventRecord"); }
int cuEventSynchronize(Object*) { return call("cuEventSynchronize"); }
int cuEventElapsedTime(float* milliseconds, Object*, Object*) {
  *milliseconds = 0.5f;
  return call("cuEventElapsedTime");
}

}  // extern "C"
