// CUB's reductions of f32, in the persistent protocol of `reckon reveal --lines`: a problem a line, a sum a line.
//   nvcc -O2 -std=c++17 -o cub_block_sum cub_block_sum.cu
//   cub_block_sum device                            cub::DeviceReduce::Sum
//   cub_block_sum raking|commutative|warp THREADS   cub::BlockReduce, one number a thread, THREADS of 32, 64, ..., 1024
#include <cub/cub.cuh>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "cub_block_sum: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <int threads, cub::BlockReduceAlgorithm algorithm>
__global__ void block_sum(const float* x, float* out) {
  using Reduce = cub::BlockReduce<float, threads, algorithm>;
  __shared__ typename Reduce::TempStorage storage;
  const float sum = Reduce(storage).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0) *out = sum;
}

template <cub::BlockReduceAlgorithm algorithm>
static bool launch(int threads, const float* x, float* out) {
  switch (threads) {
    case 32: block_sum<32, algorithm><<<1, 32>>>(x, out); return true;
    case 64: block_sum<64, algorithm><<<1, 64>>>(x, out); return true;
    case 128: block_sum<128, algorithm><<<1, 128>>>(x, out); return true;
    case 256: block_sum<256, algorithm><<<1, 256>>>(x, out); return true;
    case 512: block_sum<512, algorithm><<<1, 512>>>(x, out); return true;
    case 1024: block_sum<1024, algorithm><<<1, 1024>>>(x, out); return true;
  }
  return false;
}

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  const int threads = count > 2 ? std::atoi(words[2]) : 0;
  float *x = nullptr, *out = nullptr;
  void* storage = nullptr;
  std::size_t capacity = 0, storage_bytes = 0;
  check(cudaMalloc(&out, sizeof(float)));
  std::vector<float> values;
  for (std::string line; std::getline(std::cin, line);) {
    values.clear();
    const char* at = line.c_str();
    for (char* end = nullptr;; at = end) {
      const float value = static_cast<float>(std::strtod(at, &end));
      if (end == at) break;
      values.push_back(value);
    }
    if (values.size() > capacity) {
      check(cudaFree(x));
      capacity = values.size();
      check(cudaMalloc(&x, capacity * sizeof(float)));
    }
    check(cudaMemcpy(x, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    bool known = static_cast<int>(values.size()) == threads;
    if (what == "device") {
      std::size_t bytes = 0;
      check(cub::DeviceReduce::Sum(nullptr, bytes, x, out, static_cast<int>(values.size())));
      if (bytes > storage_bytes) {
        check(cudaFree(storage));
        check(cudaMalloc(&storage, storage_bytes = bytes));
      }
      bytes = storage_bytes;
      check(cub::DeviceReduce::Sum(storage, bytes, x, out, static_cast<int>(values.size())));
      known = true;
    } else if (what == "raking") {
      known = known && launch<cub::BLOCK_REDUCE_RAKING>(threads, x, out);
    } else if (what == "commutative") {
      known = known && launch<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(threads, x, out);
    } else if (what == "warp") {
      known = known && launch<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(threads, x, out);
    } else {
      known = false;
    }
    if (!known) {
      std::fprintf(stderr, "cub_block_sum: `%s %d` cannot add %zu numbers\n", what.c_str(), threads, values.size());
      return 2;
    }
    check(cudaGetLastError());
    float sum = 0;
    check(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    std::printf("%.9g\n", static_cast<double>(sum));
    std::fflush(stdout);
  }
  return 0;
}
