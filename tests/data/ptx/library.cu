// Kernels by way of CUDA's own library: barriers, pipelines, atomics and groups of threads.
// tests/ptx/cuda_library_test.cpp computes the same.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

extern "C" {

// 64 threads; the copy comes by a barrier.
__global__ void reversed_by_barrier(const int* x, int* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int part[64];
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, part, x + blockIdx.x * 64, sizeof(int) * 64, barrier);
  barrier.arrive_and_wait();
  y[blockIdx.x * 64 + threadIdx.x] = part[63 - threadIdx.x];
}

// Two stages on their way.
__global__ void reversed_by_pipeline(const int* x, int* y, int tiles) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ __align__(16) int part[2][64];
  auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int next = 0, k = 0; k < tiles; ++k) {
    for (; next < tiles && next < k + 2; ++next) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, part[next % 2], x + next * 64, cuda::aligned_size_t<16>(256), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    y[k * 64 + threadIdx.x] = part[k % 2][63 - threadIdx.x];
    pipeline.consumer_release();
  }
}

// One warp: scans, odd numbers alone, classes of three, and halves of the warp.
__global__ void groups(const int* x, int* y) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int v = x[threadIdx.x];
  y[threadIdx.x] = cg::inclusive_scan(warp, v);
  y[32 + threadIdx.x] = cg::exclusive_scan(warp, v);
  y[64 + threadIdx.x] = 0;
  if (v & 1) {
    auto odd = cg::coalesced_threads();
    y[64 + threadIdx.x] = cg::reduce(odd, v, cg::plus<int>()) * 100 + odd.thread_rank();
  }
  auto same = cg::labeled_partition(warp, v % 3);
  y[96 + threadIdx.x] = cg::reduce(same, v, cg::greater<int>()) * 100 + same.size();
  auto half = cg::binary_partition(warp, v > 8);
  y[128 + threadIdx.x] = half.size();
}

// A lock that spins, and what it protects.
__global__ void counted_under_lock(int* lock, int* count) {
  cuda::atomic_ref<int, cuda::thread_scope_device> held(*lock);
  if (threadIdx.x % 32 != 0) return;
  while (held.exchange(1, cuda::memory_order_acquire) != 0) {
  }
  *count = *count + 1;
  held.store(0, cuda::memory_order_release);
}

// A message: the second block waits for the first one.
__global__ void message(int* flag, int* data, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    *out = *data;
  }
}
// The same with orders that give no guarantee: a race.
__global__ void message_without_order(int* flag, int* data, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    *out = *data;  // here
  }
}

}  // extern "C"
