// CUB's functions as peers of bench/shapes: nvcc -O3 -std=c++17 -arch=native -shared -Xcompiler -fPIC
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/cub.cuh>

struct Widen {
  __device__ float operator()(__half x) const { return __half2float(x); }
  __device__ float operator()(__nv_bfloat16 x) const { return __bfloat162float(x); }
};
template <class T>
using Widened = thrust::transform_iterator<Widen, const T*>;

struct Begin {
  long columns;
  __host__ __device__ long operator()(long row) const { return row * columns; }
};
using Begins = thrust::transform_iterator<Begin, thrust::counting_iterator<long>>;

// Each: without `temporary`, tells how many bytes it needs. Element type 0: f32, 1: f64, 2: f16, 3: bf16 (summed in
// f32).

extern "C" int cub_sum(void* temporary, size_t* bytes, const void* in, void* out, long, long n, int type,
                       void* stream) {
  auto* queue = static_cast<cudaStream_t>(stream);
  auto* sum = static_cast<float*>(out);
  switch (type) {
    case 0: return cub::DeviceReduce::Sum(temporary, *bytes, static_cast<const float*>(in), sum, n, queue);
    case 1:
      return cub::DeviceReduce::Sum(temporary, *bytes, static_cast<const double*>(in), static_cast<double*>(out), n,
                                    queue);
    case 2:
      return cub::DeviceReduce::Sum(temporary, *bytes, Widened<__half>(static_cast<const __half*>(in), Widen{}), sum, n,
                                    queue);
    default:
      return cub::DeviceReduce::Sum(
          temporary, *bytes, Widened<__nv_bfloat16>(static_cast<const __nv_bfloat16*>(in), Widen{}), sum, n, queue);
  }
}

extern "C" int cub_row_sums(void* temporary, size_t* bytes, const void* in, void* out, long rows, long columns,
                            int type, void* stream) {
  auto* queue = static_cast<cudaStream_t>(stream);
  const Begins begins(thrust::counting_iterator<long>(0), Begin{columns});
  if (type == 1) {
    return cub::DeviceSegmentedReduce::Sum(temporary, *bytes, static_cast<const double*>(in), static_cast<double*>(out),
                                           rows, begins, begins + 1, queue);
  }
  return cub::DeviceSegmentedReduce::Sum(temporary, *bytes, static_cast<const float*>(in), static_cast<float*>(out),
                                         rows, begins, begins + 1, queue);
}

extern "C" int cub_scan(void* temporary, size_t* bytes, const void* in, void* out, long, long n, int, void* stream) {
  return cub::DeviceScan::InclusiveSum(temporary, *bytes, static_cast<const float*>(in), static_cast<float*>(out), n,
                                       static_cast<cudaStream_t>(stream));
}

extern "C" int cub_histogram(void* temporary, size_t* bytes, const void* in, void* out, long bins, long n, int,
                             void* stream) {
  return cub::DeviceHistogram::HistogramEven(temporary, *bytes, static_cast<const int*>(in), static_cast<int*>(out),
                                             static_cast<int>(bins) + 1, 0, static_cast<int>(bins), static_cast<int>(n),
                                             static_cast<cudaStream_t>(stream));
}
