// WG21 P4016's reduction with 128 lanes, by hand, as its author's CUDA demonstrator goes about it: a pass over the data that
// leaves aligned subtrees' sums, passes over those, and a tree over the lanes. For compare.py, beside `by canonical(128)`.
#include <cuda_runtime.h>

namespace {

constexpr int lanes = 128, groups = 4, thread_rows = 64;
constexpr long block_elements = long{lanes} * groups * thread_rows;

// Adjacent pairs of `rows` rows of a lane, again and again. All are there.
template <int rows>
__device__ float whole(const float* x) {
  if constexpr (rows == 1) {
    return *x;
  } else {
    return whole<rows / 2>(x) + whole<rows / 2>(x + rows / 2 * lanes);
  }
}

// The same where only `left` elements from the first row's first lane on are there; an absent operand is passed through.
template <int rows>
__device__ float some(const float* x, long left) {
  if constexpr (rows == 1) {
    return *x;
  } else {
    const float first = some<rows / 2>(x, left);
    const long offset = rows / 2 * lanes;
    return static_cast<long>(threadIdx.x) + offset < left ? first + some<rows / 2>(x + offset, left - offset) : first;
  }
}

__global__ void __launch_bounds__(lanes* groups) reduce_rows(const float* x, long n, float* out) {
  __shared__ float sums[groups][lanes];
  const int lane = threadIdx.x, group = threadIdx.y;
  const long begin = blockIdx.x * block_elements + long{group} * thread_rows * lanes, left = n - begin;
  if (left >= thread_rows * lanes) {
    sums[group][lane] = whole<thread_rows>(x + begin + lane);
  } else if (lane < left) {
    sums[group][lane] = some<thread_rows>(x + begin + lane, left);
  }
  __syncthreads();
  if (group != 0 || lane >= left) return;
  const auto there = [&](int k) { return lane < left - long{k} * thread_rows * lanes; };
  float low = sums[0][lane];
  if (there(1)) low += sums[1][lane];
  if (there(2)) {
    float high = sums[2][lane];
    if (there(3)) high += sums[3][lane];
    low += high;
  }
  out[static_cast<long>(blockIdx.x) * lanes + lane] = low;
}

__global__ void join_lanes(const float* x, int n, float* out) {
  __shared__ float sums[lanes];
  const int lane = threadIdx.x;
  if (lane < n) sums[lane] = x[lane];
  for (; n > 1; n = (n + 1) / 2) {
    __syncthreads();
    const bool takes = 2 * lane + 1 < n, moves = 2 * lane + 1 == n;
    const float value = takes ? sums[2 * lane] + sums[2 * lane + 1] : moves ? sums[2 * lane] : 0;
    __syncthreads();
    if (takes || moves) sums[lane] = value;
  }
  if (lane == 0) *out = *sums;
}

long blocks(long n) { return (n + block_elements - 1) / block_elements; }

}  // namespace

// Without `temporary`, tells how many bytes it needs. n >= 1. Parameters as cub_sum's; of f32 only.
extern "C" int canonical_sum(void* temporary, size_t* bytes, const float* in, float* out, long n, int, cudaStream_t stream) {
  const long half = blocks(n) * lanes;
  *bytes = 2 * half * sizeof(float);
  if (!temporary) return 0;
  float* next = static_cast<float*>(temporary);
  float* other = next + half;
  while (n > lanes) {
    const long grid = blocks(n);
    reduce_rows<<<static_cast<unsigned>(grid), dim3(lanes, groups), 0, stream>>>(in, n, next);
    n = (grid - 1) * lanes + min(long{lanes}, n - (grid - 1) * block_elements);
    in = next;
    next = other;
    other = const_cast<float*>(in);
  }
  join_lanes<<<1, lanes, 0, stream>>>(in, static_cast<int>(n), out);
  return cudaGetLastError();
}
