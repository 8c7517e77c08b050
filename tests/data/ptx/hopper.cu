// What Hopper has: products of warp groups, clusters of blocks with each other's shared memory, copies in bulk.
// tests/ptx/cuda_hopper_test.cpp computes the same in the same order.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

extern "C" {

__device__ unsigned long long descriptor(unsigned at, unsigned leading, unsigned stride) {
  return (unsigned long long)(at >> 4 & 0x3fff) | (unsigned long long)(leading >> 4) << 16 |
         (unsigned long long)(stride >> 4) << 32;
}
// c (64 x 8, f32) = a (64 x k) b^T (8 x k), halves in rows; factors in core matrices of 8 x 16 bytes.
__global__ void product_of_warp_group(const __half* a, const __half* b, float* c, int k) {
  __shared__ __align__(128) __half of_a[64 * 16], of_b[8 * 16];
  int t = threadIdx.x;
  float s[4] = {};
  for (int base = 0; base < k; base += 16) {
    for (int i = t; i < 64 * 16; i += 128)
      of_a[(i / 16 / 8) * 128 + (i % 16 / 8) * 64 + i / 16 % 8 * 8 + i % 8] = a[i / 16 * k + base + i % 16];
    of_b[(t % 16 / 8) * 64 + t / 16 * 8 + t % 8] = b[t / 16 * k + base + t % 16];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    unsigned long long x = descriptor(__cvta_generic_to_shared(of_a), 128, 256),
                       y = descriptor(__cvta_generic_to_shared(of_b), 128, 256);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                 : "l"(x), "l"(y));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  float* at = c + (t / 32 * 16 + t % 32 / 4) * 8 + t % 4 * 2;
  at[0] = s[0], at[1] = s[1], at[64] = s[2], at[65] = s[3];
}

// Four blocks add their sums to the first one's.
__global__ void __cluster_dims__(4, 1, 1) sum_of_cluster(const float* x, float* sums) {
  __shared__ float part[4];
  cg::cluster_group cluster = cg::this_cluster();
  float sum = x[blockIdx.x * 32 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) cluster.map_shared_rank(part, 0)[cluster.block_rank()] = sum;
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) sums[blockIdx.x / 4] = (part[0] + part[1]) + (part[2] + part[3]);
}

// Each block reads the histogram of the whole cluster.
__global__ void __cluster_dims__(2, 1, 1) histogram_of_cluster(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned own[128];
  cg::cluster_group cluster = cg::this_cluster();
  for (int b = threadIdx.x; b < 128; b += blockDim.x) own[b] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(cluster.map_shared_rank(own, x[i] / 128) + x[i] % 128, 1u);
  cluster.sync();
  for (int b = threadIdx.x; b < 128; b += blockDim.x) atomicAdd(&bins[cluster.block_rank() * 128 + b], own[b]);
}

// A row of 1024 bytes comes in bulk, and goes back in bulk, doubled.
__global__ void doubled_in_bulk(const float* x, float* y) {
  __shared__ __align__(128) float row[256];
  __shared__ __align__(8) unsigned long long barrier;
  unsigned at = __cvta_generic_to_shared(row), bar = __cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(bar) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(at),
                 "l"(x + blockIdx.x * 256), "r"(bar)
                 : "memory");
  }
  asm volatile(
      "{\n.reg .pred p;\nwait: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra wait;\n}" ::"r"(bar)
      : "memory");
  row[threadIdx.x] *= 2.0f;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(y + blockIdx.x * 256), "r"(at)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// Each block sends its numbers to the other one's shared memory, whose barrier counts the bytes.
__global__ void __cluster_dims__(2, 1, 1) exchanged(const int* x, int* y) {
  __shared__ __align__(16) int part[32];
  __shared__ __align__(8) unsigned long long barrier;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned bar = __cvta_generic_to_shared(&barrier), at = __cvta_generic_to_shared(part), there, bar_there;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(bar) : "memory");
  }
  cluster.sync();
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at + 4 * threadIdx.x), "r"(cluster.block_rank() ^ 1));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar_there) : "r"(bar), "r"(cluster.block_rank() ^ 1));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there),
               "r"(x[blockIdx.x * 32 + threadIdx.x]), "r"(bar_there)
               : "memory");
  asm volatile(
      "{\n.reg .pred p;\nwait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra "
      "wait;\n}" ::"r"(bar)
      : "memory");
  y[blockIdx.x * 32 + threadIdx.x] = part[31 - threadIdx.x];
  cluster.sync();
}

// All blocks of a cluster count in the shared memory of the first one, whose barrier counts what has come.
__global__ void __cluster_dims__(4, 1, 1) counted_by_first(const unsigned* x, unsigned* y) {
  __shared__ unsigned counts[8];
  __shared__ __align__(8) unsigned long long barrier;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned bar = __cvta_generic_to_shared(&barrier), at = __cvta_generic_to_shared(counts), there, bar_there;
  if (threadIdx.x < 8) counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    if (cluster.block_rank() == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(bar) : "memory");
  }
  cluster.sync();
  const unsigned mine = x[blockIdx.x * 32 + threadIdx.x];
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at + 4 * (mine % 8)), "r"(0));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar_there) : "r"(bar), "r"(0));
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                   there),
               "r"(mine), "r"(bar_there)
               : "memory");
  if (cluster.block_rank() == 0) {
    asm volatile(
        "{\n.reg .pred p;\nwait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra "
        "wait;\n}" ::"r"(bar)
        : "memory");
    if (threadIdx.x < 8) y[blockIdx.x / 4 * 8 + threadIdx.x] = counts[threadIdx.x];
  }
  cluster.sync();
}

// One block reads a row for all four.
__global__ void __cluster_dims__(4, 1, 1) row_for_all(const float* x, float* y) {
  __shared__ __align__(128) float row[64];
  __shared__ __align__(8) unsigned long long barrier;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned at = __cvta_generic_to_shared(row), bar = __cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(bar) : "memory");
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], "
        "%3;" ::"r"(at),
        "l"(x + blockIdx.x / 4 * 64), "r"(bar), "h"((short)15)
        : "memory");
  asm volatile(
      "{\n.reg .pred p;\nwait: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra wait;\n}" ::"r"(bar)
      : "memory");
  y[blockIdx.x * 64 + threadIdx.x] = row[threadIdx.x] * (cluster.block_rank() + 1);
  cluster.sync();
}

// All blocks add their rows to one.
__global__ void added_in_bulk(const float* x, float* y) {
  __shared__ __align__(16) float row[64];
  row[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 256;" ::"l"(y),
                 "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

// Four numbers an atomic.
__global__ void sums_of_fours(const float4* x, float4* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sums, x[i]);
}

// The sums are used before the product has ended.
__global__ void product_not_waited_for(const __half* a, const __half* b, float* c) {
  __shared__ __align__(128) __half of_a[64 * 16], of_b[8 * 16];
  int t = threadIdx.x;
  float s[4] = {};
  for (int i = t; i < 64 * 16; i += 128) of_a[i] = a[i];
  of_b[t] = b[t];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  unsigned long long x = descriptor(__cvta_generic_to_shared(of_a), 128, 256),
                     y = descriptor(__cvta_generic_to_shared(of_b), 128, 256);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
               : "l"(x), "l"(y));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  c[t] = s[0] + s[1] + s[2] + s[3];  // here
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

}  // extern "C"
