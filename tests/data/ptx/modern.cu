// What newer C++ and CUDA's library bring into kernels, as users write them, for tests/ptx/cuda_modern_test.cpp.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

__device__ float apply(float (*f)(float), float x) { return f(x); }
template <class F>
__device__ float twice(F f, float x) { return f(f(x)); }

extern "C" {

// Sums and scans of groups of eight lanes, and of groups by a label.
__global__ void sums_of_parts(const int* x, int* sums, int* scans, int* by_label) {
  const cg::thread_block block = cg::this_thread_block();
  const auto eight = cg::tiled_partition<8>(block);
  const int i = block.group_index().x * block.size() + block.thread_rank();
  sums[i] = cg::reduce(eight, x[i], cg::plus<int>());
  scans[i] = cg::inclusive_scan(eight, x[i], cg::plus<int>());
  const auto label = cg::labeled_partition(cg::coalesced_threads(), x[i] & 3);
  by_label[i] = cg::reduce(label, x[i], cg::greater<int>());
}

// Of all threads of blocks of 128 in tiles of 64, which are more than a warp.
__global__ void sums_of_many(const float* x, float* sums) {
  __shared__ cg::block_tile_memory<128> room;
  const auto block = cg::this_thread_block(room);
  const auto tile = cg::tiled_partition<64>(block);
  const float sum = cg::reduce(tile, x[block.group_index().x * 128 + block.thread_rank()], cg::plus<float>());
  if (tile.thread_rank() == 0) sums[block.group_index().x * 2 + tile.meta_group_rank()] = sum;
}

// A group that has what comes to it copied while it waits.
__global__ void mirrored(const float* x, float* y) {
  __shared__ float held[256];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, held, x + blockIdx.x * 256, sizeof(float) * 256);
  cg::wait(block);
  y[blockIdx.x * 256 + threadIdx.x] = held[255 - threadIdx.x];
}

// Warps that make and warps that take, with two barriers for each of two places.
__global__ void makers_and_takers(const int* x, int* y, int tiles) {
  __shared__ int place[2][32];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> full[2], empty[2];
  if (threadIdx.x == 0)
    for (int k = 0; k < 2; ++k) init(&full[k], 64), init(&empty[k], 64);
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int t = 0; t < tiles; ++t) {
      empty[t % 2].arrive_and_wait();
      place[t % 2][lane] = 2 * x[t * 32 + lane];
      (void)full[t % 2].arrive();
    }
  } else {
    (void)empty[0].arrive(), (void)empty[1].arrive();
    for (int t = 0; t < tiles; ++t) {
      full[t % 2].arrive_and_wait();
      y[t * 32 + lane] = place[t % 2][31 - lane] + 1;
      if (t + 2 < tiles) (void)empty[t % 2].arrive();
    }
  }
}

// Atomic operations of the library of C++, in several orders and scopes.
__global__ void atomics(const float* x, float* largest, unsigned long long* sum, int* tickets, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cuda::atomic_ref<float, cuda::thread_scope_device> most(*largest);
  float before = most.load(cuda::memory_order_relaxed);
  while (before < x[i] && !most.compare_exchange_weak(before, x[i], cuda::memory_order_relaxed)) {
  }
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_system>(*sum).fetch_add(i, cuda::memory_order_seq_cst);
  cuda::atomic_ref<int> next(*tickets);
  const int mine = next.fetch_add(1, cuda::memory_order_acq_rel);
  tickets[1 + mine] = 1;
}

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Disc : Shape {
  float radius;
  __device__ explicit Disc(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};

// Virtual functions of objects in local memory, chosen by numbers.
__global__ void areas_of_shapes(const int* kinds, const float* sizes, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Square square(sizes[i]);
  Disc disc(sizes[i]);
  const Shape* shape = kinds[i] ? static_cast<const Shape*>(&disc) : &square;
  out[i] = shape->area();
}

// Lambdas, templates, and arrays whose size is known only when the kernel runs.
__global__ void lambdas(const float* x, float* y, int n, float a) {
  const auto affine = [a](float v) { return fmaf(a, v, 1.0f); };
  float* held = static_cast<float*>(alloca(sizeof(float) * n));
  for (int k = 0; k < n; ++k) held[k] = twice(affine, x[threadIdx.x * n + k]);
  for (int k = 0; k < n; ++k)
    y[threadIdx.x * n + k] = apply(threadIdx.x % 2 ? +[](float v) { return -v; } : +[](float v) { return v + v; }, held[n - 1 - k]);
}

// Functions of halves and of pairs of them.
__global__ void functions_of_halves(const __half* x, const __nv_bfloat16* y, __half* out, __nv_bfloat16* other, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half h = x[i];
  __half* to = out + 8 * i;
  to[0] = hsqrt(__habs(h)), to[1] = hrint(h), to[2] = hfloor(h), to[3] = __hfma_sat(h, h, h);
  to[4] = __hmax(h, __float2half(0.5f)), to[5] = hexp(h), to[6] = hlog2(__habs(h)), to[7] = __hdiv(h, __float2half(3.0f));
  const __nv_bfloat16 b = y[i];
  other[4 * i] = hceil(b), other[4 * i + 1] = __hsub(b, __float2bfloat16(0.25f));
  other[4 * i + 2] = __hmin(b, __float2bfloat16(0.5f)), other[4 * i + 3] = __float2bfloat16_rz(__bfloat162float(b) * 1.7f);
}

// Sums of pairs by atomics.
__global__ void sums_of_pairs(const __half2* x, __half2* sum, __nv_bfloat162* other) {
  atomicAdd(&sum[threadIdx.x % 4], x[threadIdx.x]);
  atomicAdd(&other[threadIdx.x % 2], __float22bfloat162_rn(__half22float2(x[threadIdx.x])));
}

// The best alignment of two words (Smith and Waterman), with the instructions for three numbers.
__global__ void alignment(const char* a, const char* b, int n, int* best) {
  const int lane = threadIdx.x;
  int most = 0, left = 0, e = 0, corner = 0, up = 0;
  for (int step = 0; step < n + 31; ++step) {
    const int j = step - lane;
    const int from_left = __shfl_up_sync(0xffffffff, left, 1), gap_left = __shfl_up_sync(0xffffffff, e, 1);
    if (j >= 0 && j < n) {
      const int w = lane == 0 ? 0 : from_left, g = lane == 0 ? 0 : gap_left;
      const int score = a[lane] == b[j] ? 3 : -2;
      e = __viaddmax_s32(w, -4, g - 1);
      up = __viaddmax_s32(left, -4, up - 1);
      const int made = __vimax3_s32_relu(__viaddmax_s32(corner, score, up), e, 0);
      corner = w;
      left = made, most = max(most, made);
    }
  }
  most = __reduce_max_sync(0xffffffff, most);
  if (lane == 0) *best = most;
}

// Functions of f64 of the library that are long.
__global__ void long_functions(const double* x, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double* to = out + 7 * i;
  const double v = x[i];
  sincospi(v, &to[0], &to[1]);
  to[2] = erfc(v), to[3] = cbrt(v), to[4] = expm1(v), to[5] = atan2(v, 0.5), to[6] = fmod(v, 0.3);
}

struct Node {
  int value;
  Node* next;
};

// Lists whose parts come from the heap and go back.
__global__ void lists(const int* x, int* sums, int n) {
  Node* head = nullptr;
  for (int k = threadIdx.x; k < n; k += blockDim.x) head = new Node{x[k], head};
  int sum = 0, place = 1;
  while (head != nullptr) {
    Node* next = head->next;
    sum += place++ * head->value;
    delete head;
    head = next;
  }
  sums[threadIdx.x] = sum;
}

__device__ int counter;

// What differs from run to run on a chip: clocks, numbers of multiprocessors; and sleep.
__global__ void clocks(int* out) {
  const long long begin = clock64();
  unsigned sm, slot;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
  __nanosleep(100);
  const long long end = clock64();
  out[threadIdx.x] = end > begin && sm < 132 && slot == threadIdx.x / 32;
  if (threadIdx.x == 0) counter = 7;
  __syncthreads();
  out[threadIdx.x] += counter;
}

}  // extern "C"
