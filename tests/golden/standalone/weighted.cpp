// Compiled by Reckon 0.1.0 for sm_90, under the semantics float:
//
//   fn weighted[n](x: f32[n]) -> f32
//
// The order of each reduction:
//   reduction by add of n leaves, line 24: tree
//
// Size: n, a 64-bit integer. The kernels do not check: 1 <= n.
//
// Each kernel takes the addresses of these buffers, in this order, and then the size n:
//   0 parameter x: f32[n]
//   1 constant: f32[3], the bytes cd cc cc 3d 00 00 80 3e 00 00 40 40
//   2 result: f32
//   3 intermediate: f32[max(1024, n // 131072 + 1), 1], memory for what kernels give each other
//   4 intermediate: f32[64, 1], memory for what kernels give each other
//   5 counters: u32[65], zeros before the first launch; every launch leaves zeros
// Elements are row-major where no layout is named. Every address is a multiple of 16, and the bytes up to the next
// multiple of 16 can be read. An extent of 0 counts as 1. No buffer that is written overlaps another.
//
// The launches, in order; grids and blocks have one dimension:
//   reckon_weighted_0: block 512; grid max(1024, n // 131072 + 1); 64 bytes of static shared memory.

// How to use it. `load` once in each CUDA context, then `launch` any number of times, on any stream: it queues the
// kernels and returns. Nothing is allocated and nothing waits during a launch, so a stream may be under capture.
// Compile this file as C++17. To call it from another source, include it there after
// `#define RECKON_LAUNCHER_DECLARATIONS`. With RECKON_LAUNCHER_MAIN defined it is a program that reads raw arrays from
// files and writes the results to files.
#ifndef RECKON_LAUNCHER_weighted
#define RECKON_LAUNCHER_weighted
#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace reckon_weighted {

// What `load` finds out.
struct Kernels {
  CUmodule module;
  CUfunction function[1];
  int max_threads[1];
  int multiprocessors;
  CUdeviceptr constant[1];
};

// Into the current context. CUDA_ERROR_NO_BINARY_FOR_GPU, CUDA_ERROR_INVALID_PTX and the like: the device or the driver
// is older than sm_90.
CUresult load(Kernels* kernels);
CUresult unload(Kernels* kernels);

// Null if these sizes can be used; otherwise the condition that they do not meet.
const char* refused(std::int64_t n);

// Bytes of device memory that a launch needs besides its arguments; launches that overlap in time need memory of their
// own each. 0 if it needs none, or if the sizes are refused.
std::size_t scratch_bytes(std::int64_t n);

// Queues all kernels. Every address is a multiple of 16, results overlap nothing else, and an array without elements may
// have the address 0.
//   x: f32[n]
//   result: f32, one element of device memory
//   scratch: `scratch_bytes` bytes; 0 if that is 0
// CUDA_ERROR_INVALID_VALUE: sizes that are refused, an address that is none, or scratch memory that is missing.
CUresult launch(const Kernels& kernels, CUdeviceptr x, CUdeviceptr result, std::int64_t n, CUdeviceptr scratch,
                CUstream stream);

}  // namespace reckon_weighted
#endif

#ifndef RECKON_LAUNCHER_DECLARATIONS

namespace reckon_weighted {
namespace {

// Arithmetic of sizes that knows when a value does not fit in 64 bits.
struct Exact {
  bool fits = true;
  std::int64_t plus(std::int64_t a, std::int64_t b) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return none();
    return a + b;
  }
  std::int64_t times(std::int64_t a, std::int64_t b) {
    if (a == 0 || b == 0) return 0;
    if (a == INT64_MIN || b == INT64_MIN) return none();
    const std::int64_t most = INT64_MAX / (a < 0 ? -a : a);
    if ((b < 0 ? -b : b) > most) return none();
    return a * b;
  }
  std::int64_t quotient(std::int64_t a, std::int64_t b) {
    if (b == 0 || b == -1) return none();
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
  std::int64_t remainder(std::int64_t a, std::int64_t b) {
    if (b == 0 || b == -1) return none();
    return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
  }
  std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
  std::int64_t greatest(std::int64_t a, std::int64_t b) { return a < b ? b : a; }
  // A part of the scratch memory: whole steps of 256 bytes.
  std::int64_t part(std::int64_t bytes) { return plus(bytes, 255) / 256 * 256; }

 private:
  std::int64_t none() {
    fits = false;
    return 0;
  }
};

struct Launch {
  const char* name;
  unsigned threads;      // of a block
  unsigned block_items;  // that a block computes together; 0: each is one thread's
  int most_blocks;       // of a multiprocessor; 0: a block computes no more than that, so there is one for each
  bool recursive;        // it needs a stack
  int shared_bytes;      // that the launch gives it, more than a block has without an opt-in
};
const Launch launches[] = {
    {"reckon_weighted_0", 512, 1, 0, false, 0},
};

extern const char* const ptx;

// As the kernels were made for: small ones are spread over all multiprocessors, large ones loop.
CUresult start(const Kernels& kernels, int which, std::int64_t items, void** parameters, CUstream stream) {
  const Launch& launch = launches[which];
  if (items <= 0) return CUDA_SUCCESS;
  const std::int64_t processors = kernels.multiprocessors < 1 ? 1 : kernels.multiprocessors;
  unsigned threads = launch.threads;
  std::int64_t blocks = 0, most = 0;
  if (launch.block_items > 0) {
    blocks = (items - 1) / launch.block_items + 1;
    most = launch.most_blocks == 0 ? INT32_MAX : processors * launch.most_blocks;
  } else {
    const int registers = kernels.max_threads[which];
    const unsigned allowed = registers < 64 ? 32u : static_cast<unsigned>(registers) / 32 * 32;
    threads = ((threads < 1 ? 1 : threads) + 31) / 32 * 32;
    if (threads > allowed) threads = allowed;
    while (threads >= 64 && items / threads < processors) threads = threads / 64 * 32;
    blocks = (items - 1) / threads + 1;
    most = processors * 32;
  }
  const unsigned grid = static_cast<unsigned>(blocks < most ? blocks : most);
  return cuLaunchKernel(kernels.function[which], grid, 1, 1, threads, 1, 1, static_cast<unsigned>(launch.shared_bytes),
                        stream, parameters, nullptr);
}

struct Places {
  std::int64_t in_place_of_0;
  std::int64_t buffer_3;
  std::int64_t buffer_4;
  std::int64_t buffer_5;
  std::int64_t bytes;
};

bool find_places(std::int64_t n, Places* places) {
  Exact exact;
  std::int64_t at = 0;
  static_cast<void>(n);
  const bool empty_0 = n == 0;
  places->in_place_of_0 = at;
  at = exact.plus(at, empty_0 ? exact.part(exact.times(exact.greatest(n, 1), 4)) : 0);
  places->buffer_3 = at;
  at = exact.plus(at, exact.part(exact.times(exact.times(exact.greatest(exact.greatest(1024, exact.plus(exact.quotient(n, 131072), 1)), 1), 1), 4)));
  places->buffer_4 = at;
  at = exact.plus(at, exact.part(exact.times(exact.times(64, 1), 4)));
  places->buffer_5 = at;
  at = exact.plus(at, exact.part(exact.times(65, 4)));
  places->bytes = at;
  return exact.fits;
}

}  // namespace

CUresult load(Kernels* kernels) {
  CUdevice device;
  CUresult result = cuCtxGetDevice(&device);
  if (result != CUDA_SUCCESS) return result;
  result = cuDeviceGetAttribute(&kernels->multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  if (result != CUDA_SUCCESS) return result;
  result = cuModuleLoadData(&kernels->module, ptx);
  if (result != CUDA_SUCCESS) return result;
  for (int which = 0; which < 1; ++which) {
    result = cuModuleGetFunction(&kernels->function[which], kernels->module, launches[which].name);
    if (result != CUDA_SUCCESS) return result;
    result = cuFuncGetAttribute(&kernels->max_threads[which], CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                kernels->function[which]);
    if (result != CUDA_SUCCESS) return result;
    if (launches[which].shared_bytes > 0) {
      result = cuFuncSetAttribute(kernels->function[which], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                  launches[which].shared_bytes);
      if (result != CUDA_SUCCESS) return result;
    }
  }
  result = cuModuleGetGlobal(&kernels->constant[0], nullptr, kernels->module, "reckon_constant_0");
  if (result != CUDA_SUCCESS) return result;
  return CUDA_SUCCESS;
}

CUresult unload(Kernels* kernels) { return cuModuleUnload(kernels->module); }

const char* refused(std::int64_t n) {
  Exact exact;
  bool met = true;
  met = (1 <= n) && exact.fits;
  if (!met) return "1 <= n";
  static_cast<void>(n);
  static_cast<void>(met);
  return nullptr;
}

std::size_t scratch_bytes(std::int64_t n) {
  Places places;
  if (refused(n) != nullptr || !find_places(n, &places)) return 0;
  return static_cast<std::size_t>(places.bytes);
}

CUresult launch(const Kernels& kernels, CUdeviceptr x, CUdeviceptr result, std::int64_t n, CUdeviceptr scratch,
                CUstream stream) {
  Places places;
  if (refused(n) != nullptr || !find_places(n, &places)) return CUDA_ERROR_INVALID_VALUE;
  if ((places.bytes > 0 && scratch == 0) || scratch % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  Exact exact;
  CUdeviceptr address_0 = x;
  if (n == 0) address_0 = scratch + static_cast<CUdeviceptr>(places.in_place_of_0);
  if (address_0 == 0 || address_0 % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  CUdeviceptr address_1 = kernels.constant[0];
  CUdeviceptr address_2 = result;
  if (address_2 == 0 || address_2 % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  CUdeviceptr address_3 = scratch + static_cast<CUdeviceptr>(places.buffer_3);
  CUdeviceptr address_4 = scratch + static_cast<CUdeviceptr>(places.buffer_4);
  CUdeviceptr address_5 = scratch + static_cast<CUdeviceptr>(places.buffer_5);
  void* parameters[] = {&address_0, &address_1, &address_2, &address_3, &address_4, &address_5, &n};
  CUresult status = CUDA_SUCCESS;
  status = cuMemsetD8Async(address_5, 0, static_cast<std::size_t>(exact.times(65, 4)), stream);
  if (status != CUDA_SUCCESS) return status;
  const std::int64_t items[] = {exact.greatest(1024, exact.plus(exact.quotient(n, 131072), 1))};
  if (!exact.fits) return CUDA_ERROR_INVALID_VALUE;
  for (int which = 0; which < 1; ++which) {
    status = start(kernels, which, items[which], parameters, stream);
    if (status != CUDA_SUCCESS) return status;
  }
  return status;
}

namespace {

const char* const ptx = R"ptx(...)ptx";

}  // namespace
}  // namespace reckon_weighted

#ifdef RECKON_LAUNCHER_MAIN
#include <cstdio>
#include <cstdlib>
#include <vector>

// weighted n x.in result.out
// Each file has the elements of an array and nothing else.
namespace {

bool check(CUresult result, const char* action) {
  const char* name = nullptr;
  if (result == CUDA_SUCCESS) return true;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an unknown error";
  std::fprintf(stderr, "could not %s: %s\n", action, name);
  return false;
}

}  // namespace

int main(int count, char** words) {
  using namespace reckon_weighted;
  if (count != 4) return std::fputs("usage: weighted n x.in result.out\n", stderr), 2;
  std::int64_t n = std::strtoll(words[1], nullptr, 10);
  if (const char* condition = refused(n)) {
    return std::fprintf(stderr, "the sizes do not meet: %s\n", condition), 3;
  }
  Exact exact;
  const std::int64_t bytes[] = {exact.times(n, 4), exact.times(1, 4)};
  CUdeviceptr arrays[2] = {}, scratch = 0;
  CUdevice device;
  CUcontext context;
  Kernels kernels;
  if (!check(cuInit(0), "start CUDA") || !check(cuDeviceGet(&device, 0), "find a device") ||
      !check(cuDevicePrimaryCtxRetain(&context, device), "open the device") ||
      !check(cuCtxSetCurrent(context), "open the device") || !check(load(&kernels), "load the kernels")) {
    return 1;
  }
  std::vector<char> contents;
  for (int k = 0; k < 2; ++k) {
    contents.assign(static_cast<std::size_t>(bytes[k]), 0);
    if (!check(cuMemAlloc(&arrays[k], contents.size() / 16 * 16 + 16), "allocate memory")) return 1;
    if (k >= 1) continue;
    std::FILE* file = std::fopen(words[1 + 1 + k], "rb");
    const bool whole = file != nullptr && std::fread(contents.data(), 1, contents.size(), file) == contents.size();
    if (file != nullptr) std::fclose(file);
    if (!whole) return std::fprintf(stderr, "%s has not %zu bytes\n", words[1 + 1 + k], contents.size()), 1;
    if (contents.empty()) continue;
    if (!check(cuMemcpyHtoD(arrays[k], contents.data(), contents.size()), "copy to the device")) return 1;
  }
  const std::size_t needed = scratch_bytes(n);
  if (needed > 0 && !check(cuMemAlloc(&scratch, needed), "allocate memory")) return 1;
  if (!check(launch(kernels, arrays[0], arrays[1], n, scratch, nullptr), "launch")) return 1;
  if (!check(cuCtxSynchronize(), "run")) return 1;
  for (int k = 1; k < 2; ++k) {
    contents.assign(static_cast<std::size_t>(bytes[k]), 0);
    if (!contents.empty() &&
        !check(cuMemcpyDtoH(contents.data(), arrays[k], contents.size()), "copy from the device")) {
      return 1;
    }
    std::FILE* file = std::fopen(words[1 + 1 + k], "wb");
    const bool whole = file != nullptr && std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
    if (file == nullptr || std::fclose(file) != 0 || !whole) {
      return std::fprintf(stderr, "%s cannot be written\n", words[1 + 1 + k]), 1;
    }
  }
  for (CUdeviceptr array : arrays) cuMemFree(array);
  if (scratch != 0) cuMemFree(scratch);
  return check(unload(&kernels), "release the kernels") ? 0 : 1;
}
#endif
#endif
