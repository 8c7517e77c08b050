// CUB's reductions and scans: of a block, called from kernels, and of the device, whose kernels the calls in
// `instantiate` bring into the PTX.
#include <cub/cub.cuh>

extern "C" {

__global__ void cub_block_sums(const int* x, int* warp_sums, int* raking, int* shuffled) {
  typedef cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_WARP_REDUCTIONS> ByWarps;
  typedef cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_RAKING> ByRaking;
  typedef cub::WarpReduce<int> OfWarp;
  __shared__ typename ByWarps::TempStorage a;
  __shared__ typename ByRaking::TempStorage b;
  __shared__ typename OfWarp::TempStorage c[4];
  int v = x[blockIdx.x * 128 + threadIdx.x];
  int sum = ByWarps(a).Sum(v), other = ByRaking(b).Reduce(v, [](int p, int q) { return max(p, q); });
  int of_warp = OfWarp(c[threadIdx.x / 32]).Sum(v);
  if (threadIdx.x == 0) warp_sums[blockIdx.x] = sum, raking[blockIdx.x] = other;
  if (threadIdx.x % 32 == 0) shuffled[blockIdx.x * 4 + threadIdx.x / 32] = of_warp;
}

__global__ void cub_block_scan(const int* x, int* y, int* total) {
  typedef cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE> Load;
  typedef cub::BlockScan<int, 64, cub::BLOCK_SCAN_RAKING> Scan;
  typedef cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE> Store;
  __shared__ union {
    typename Load::TempStorage load;
    typename Scan::TempStorage scan;
    typename Store::TempStorage store;
  } room;
  int v[4], all;
  Load(room.load).Load(x + blockIdx.x * 256, v);
  __syncthreads();
  Scan(room.scan).ExclusiveSum(v, v, all);
  __syncthreads();
  Store(room.store).Store(y + blockIdx.x * 256, v);
  if (threadIdx.x == 0) total[blockIdx.x] = all;
}

__global__ void cub_block_sort(const unsigned* x, unsigned* y) {
  typedef cub::BlockRadixSort<unsigned, 64, 4> Sort;
  __shared__ typename Sort::TempStorage room;
  unsigned v[4];
  for (int k = 0; k < 4; ++k) v[k] = x[blockIdx.x * 256 + threadIdx.x * 4 + k];
  Sort(room).Sort(v);
  for (int k = 0; k < 4; ++k) y[blockIdx.x * 256 + threadIdx.x * 4 + k] = v[k];
}

}  // extern "C"

void instantiate(void* room, size_t bytes, const float* x, float* y, int n) {
  cub::DeviceReduce::Sum(room, bytes, x, y, n);
  cub::DeviceScan::InclusiveSum(room, bytes, x, y, n);
}
