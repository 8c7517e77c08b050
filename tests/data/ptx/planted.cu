// Kernels with one mistake each, as users make them: the line of it ends in `// here`. All take x, y and n.
// tests/ptx/planted_test.cpp says how each is found.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cassert>

extern "C" {

__global__ void no_barrier_in_loop(const float* x, float* y, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = x[t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];  // here
  }
  if (t == 0) *y = part[0];
}

__global__ void no_barrier_after_load(const float* x, float* y, int n) {
  __shared__ float part[256];
  part[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = part[255 - threadIdx.x];  // here
}

// The next tile is loaded while others still read this one.
__global__ void tile_overwritten(const float* x, float* y, int n) {
  __shared__ float tile[64];
  float sum = 0;
  for (int base = 0; base < n; base += 64) {
    tile[threadIdx.x] = x[base + threadIdx.x];  // here
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += tile[k];
  }
  y[threadIdx.x] = sum;
}

__global__ void wrong_mask(const float* x, float* y, int n) {
  float sum = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0x0000ffff, sum, d);  // here
  if (threadIdx.x == 0) *y = sum;
}

__global__ void absent_lane(const float* x, float* y, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x < 16) v += __shfl_sync(0x0000ffff, v, threadIdx.x + 8);  // here
  y[threadIdx.x] = v;
}

__global__ void one_too_far(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = 2 * x[i];  // here
}

__global__ void halo_not_loaded(const float* x, float* y, int n) {
  __shared__ float tile[66];
  int t = threadIdx.x;
  tile[t + 1] = x[t];
  if (t == 0) tile[0] = 0;
  __syncthreads();
  y[t] = tile[t] + tile[t + 2];  // here
}

__global__ void barrier_in_branch(const float* x, float* y, int n) {
  __shared__ float part[64];
  part[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x < 32) {
    __syncthreads();
    y[threadIdx.x] = part[threadIdx.x + 32];
  } else {
    y[threadIdx.x] = 0;
    __syncthreads();  // here
  }
}

// The copy is not waited for.
__global__ void copy_on_its_way(const float* x, float* y, int n) {
  __shared__ float part[128];
  __pipeline_memcpy_async(&part[threadIdx.x], &x[threadIdx.x], 4);
  __pipeline_commit();
  __syncthreads();
  y[threadIdx.x] = part[threadIdx.x];  // here
}

__global__ void counts_without_atomics(const float* x, float* y, int n) {
  int bin = (int)x[threadIdx.x] & 3;
  y[bin] += 1.0f;  // here
}

__device__ unsigned done;
__global__ void no_fence(const float* x, float* y, int n) {
  if (threadIdx.x != 0) return;
  y[1 + blockIdx.x] = x[blockIdx.x];
  if (atomicAdd(&done, 1u) == gridDim.x - 1) {
    float sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += y[1 + b];  // here
    y[0] = sum;
  }
}

__global__ void unaligned(const float* x, float* y, int n) {
  float4 v = *(const float4*)&x[4 * threadIdx.x + 1];  // here
  y[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void two_in_one_place(const float* x, float* y, int n) {
  y[threadIdx.x / 2] = x[threadIdx.x];  // here
}

__device__ volatile int flag;
__global__ void waits_for_nobody(const float* x, float* y, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    while (flag == 0) {  // here
    }
  y[blockIdx.x] = x[blockIdx.x];
}

__global__ void divides_by_zero(const float* x, float* y, int n) {
  y[threadIdx.x] = x[n % (int)threadIdx.x];  // here
}

__global__ void fast_division(const float* x, float* y, int n) {
  y[threadIdx.x] = __fdividef(x[threadIdx.x], 3.0f);  // here
}

__global__ void asserts(const float* x, float* y, int n) {
  assert(x[threadIdx.x] < 5);  // here
  y[threadIdx.x] = x[threadIdx.x];
}

// What follows does what a kernel may do, and is wrong.

__global__ void tail_dropped(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i + 32 <= n; i += 32) sum += x[i];  // here
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) *y = sum;
}

__global__ void index_swapped(const float* x, float* y, int n) {
  __shared__ float tile[8][9];
  int i = threadIdx.x / 8, j = threadIdx.x % 8;
  tile[i][j] = x[i * 8 + j];
  __syncthreads();
  y[i * 8 + j] = tile[i][j];  // here
}

__global__ void sum_in_halves(const float* x, float* y, int n) {
  __half sum = __float2half(0.0f);
  for (int i = threadIdx.x; i < n; i += 32) sum = __hadd(sum, __float2half(x[i]));  // here
  y[threadIdx.x] = __half2float(sum);
}

__global__ void wrong_scale(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  y[threadIdx.x] = x[threadIdx.x] / sqrtf(sum / 32);  // here
}

// Two tiles in turn: the one that is read is the one before.
__global__ void stale_tile(const float* x, float* y, int n) {
  __shared__ float tile[2][32];
  tile[1][threadIdx.x] = 0;
  for (int base = 0, k = 0; base < n; base += 32, ++k) {
    tile[k % 2][threadIdx.x] = x[base + threadIdx.x];
    __syncthreads();
    y[base + threadIdx.x] = tile[(k + 1) % 2][31 - threadIdx.x];  // here
    __syncthreads();
  }
}

__global__ void exclusive_instead(const float* x, float* y, int n) {
  float v = x[threadIdx.x], sum = v;
  for (int d = 1; d < 32; d *= 2) {
    float other = __shfl_up_sync(0xffffffff, sum, d);
    if (threadIdx.x >= d) sum += other;
  }
  y[threadIdx.x] = sum - v;  // here
}

}  // extern "C"
