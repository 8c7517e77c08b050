// Sums, maxima and counts, as courses and libraries teach them. tests/ptx/cuda_reductions_test.cpp computes the same in
// the same order. How the PTX is made: compile.sh.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" {

// Neighbours first, with threads that part: the first reduction of Harris's "Optimizing parallel reduction in CUDA".
__global__ void sum_of_neighbours(const float* x, float* sums) {
  extern __shared__ float part[];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

// The same sums by adjacent threads, whose addresses share banks.
__global__ void sum_with_conflicts(const float* x, float* sums) {
  extern __shared__ float part[];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    int i = 2 * s * t;
    if (i < blockDim.x) part[i] += part[i + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

// A first addition while loading, and a last warp without barriers of the block.
__global__ void sum_with_unrolled_warp(const float* x, float* sums, int n) {
  extern __shared__ float part[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  float sum = i < n ? x[i] : 0.0f;
  if (i + blockDim.x < n) sum += x[i + blockDim.x];
  part[t] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 32; s /= 2) {
    if (t < s) part[t] = sum = sum + part[t + s];
    __syncthreads();
  }
  if (t < 32) {
    sum += part[t + 32];
#pragma unroll
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t == 0) sums[blockIdx.x] = sum;
  }
}

// Four numbers a load; n is a multiple of 4.
__global__ void sum_of_fours(const float4* x, float* sums, int n) {
  __shared__ float part[8];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    float4 v = x[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) total += part[w];
    sums[blockIdx.x] = total;
  }
}

// Each warp adds to one number.
__global__ void sum_by_atomics(const float* x, float* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? x[i] : 0.0f;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

// All blocks of the grid wait for each other between the passes.
__global__ void sum_of_grid(const float* x, float* partial, float* total, int n) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  float sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += x[i];
  for (int d = 16; d > 0; d /= 2) sum += warp.shfl_down(sum, d);
  if (warp.thread_rank() == 0) partial[grid.thread_rank() / 32] = sum;
  grid.sync();
  if (grid.thread_rank() == 0) {
    float all = 0;
    for (int w = 0; w < grid.size() / 32; ++w) all += partial[w];
    *total = all;
  }
}

// Tiles of eight threads, by the library's reduction.
__global__ void sums_of_eights(const int* x, int* sums, int n) {
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = cg::reduce(tile, i < n ? x[i] : 0, cg::plus<int>());
  if (tile.thread_rank() == 0) sums[i / 8] = sum;
}

// Where the greatest is; the first one of several.
__global__ void argmax(const float* x, int* where, int n) {
  __shared__ float values[32];
  __shared__ int places[32];
  float best = -INFINITY;
  int place = 0x7fffffff;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (x[i] > best) best = x[i], place = i;
  for (int d = 16; d > 0; d /= 2) {
    float other = __shfl_down_sync(0xffffffff, best, d);
    int at = __shfl_down_sync(0xffffffff, place, d);
    if (other > best || (other == best && at < place)) best = other, place = at;
  }
  if (threadIdx.x % 32 == 0) values[threadIdx.x / 32] = best, places[threadIdx.x / 32] = place;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w)
      if (values[w] > best || (values[w] == best && places[w] < place)) best = values[w], place = places[w];
    *where = place;
  }
}

// Of integers, with the instruction for it; the least and the greatest in shared memory by atomics.
__global__ void range(const int* x, int* out, int n) {
  __shared__ int least, most;
  if (threadIdx.x == 0) least = 0x7fffffff, most = -0x7fffffff - 1;
  __syncthreads();
  int low = 0x7fffffff, high = -0x7fffffff - 1;
  for (int i = threadIdx.x; i < n; i += blockDim.x) low = min(low, x[i]), high = max(high, x[i]);
  low = __reduce_min_sync(0xffffffff, low);
  high = __reduce_max_sync(0xffffffff, high);
  if (threadIdx.x % 32 == 0) atomicMin(&least, low), atomicMax(&most, high);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = least, out[1] = most;
}

// What each addition loses is carried on.
__global__ void compensated_sum(const float* x, float* sums, int n) {
  float sum = 0, lost = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float y = __fsub_rn(x[i], lost), t = __fadd_rn(sum, y);
    lost = __fsub_rn(__fsub_rn(t, sum), y);
    sum = t;
  }
  sums[threadIdx.x] = sum;
}

// Means and squares of deviations, joined pair by pair (Chan, Golub and LeVeque).
__global__ void welford(const float* x, float* mean_out, float* variance, int n) {
  float mean = 0, squares = 0;
  int count = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    ++count;
    float d = x[i] - mean;
    mean += d / count;
    squares += d * (x[i] - mean);
  }
  for (int s = 16; s > 0; s /= 2) {
    float other = __shfl_down_sync(0xffffffff, mean, s), more = __shfl_down_sync(0xffffffff, squares, s);
    int further = __shfl_down_sync(0xffffffff, count, s);
    int all = count + further;
    if (all > 0) {
      float d = other - mean;
      mean += d * ((float)further / all);
      squares += more + d * d * ((float)count * further / all);
    }
    count = all;
  }
  if (threadIdx.x == 0) *mean_out = mean, *variance = squares / n;
}

// A thread for each column.
__global__ void sums_of_columns(const float* x, float* sums, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += x[i * columns + j];
  sums[j] = sum;
}

// Lanes that have the same key add for it once.
__global__ void sums_of_keys(const int* keys, const int* x, int* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool is_there = i < n;
  unsigned there = __ballot_sync(0xffffffff, is_there);
  if (!is_there) return;
  unsigned peers = __match_any_sync(there, keys[i]);
  int sum = __reduce_add_sync(peers, x[i]);
  if (__ffs(peers) - 1 == threadIdx.x % 32) atomicAdd(&sums[keys[i]], sum);
}

__device__ int done_blocks;
// Sums of f64 by compare-and-swap, as before there was an instruction for it.
__device__ double add_by_swaps(double* at, double value) {
  unsigned long long *word = (unsigned long long*)at, old = *word, before;
  do {
    before = old;
    old = atomicCAS(word, before, __double_as_longlong(value + __longlong_as_double(before)));
  } while (before != old);
  return __longlong_as_double(old);
}
__global__ void sum_by_swaps(const double* x, double* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) add_by_swaps(total, x[i]);
  if (threadIdx.x == 0) atomicAdd(&done_blocks, 1);
}

}  // extern "C"
