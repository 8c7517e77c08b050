// The thread-value layouts of tensor-core atoms against the hardware: matrix products whose operands are placed, and
// whose results are found, by the layouts of tests/golden/layout/gpu_atoms.h and nothing else. Inputs are small
// integers, so that every sum is exact in every format.
// For tests/gpu/atoms.sh; status 1 if a product is wrong.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "gpu_atoms.h"

namespace {

void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__host__ __device__ int digits(const Leaf (&leaves)[3], int index) {
  int out = 0;
  for (const Leaf& leaf : leaves) {
    out += index % leaf.extent * leaf.stride;
    index /= leaf.extent;
  }
  return out;
}
__host__ __device__ int place(const Fragment& fragment, int thread, int value) {
  return digits(fragment.thread, thread) + digits(fragment.value, value);
}

struct Fragments {
  Fragment a, b, c;
};

/// A, B and C are columns of A (M,K), B (N,K), C (M,N).
template <class T>
__device__ unsigned pair(T low, T high) {
  static_assert(sizeof(T) == 2);
  return static_cast<unsigned>(*reinterpret_cast<unsigned short*>(&low)) |
         static_cast<unsigned>(*reinterpret_cast<unsigned short*>(&high)) << 16;
}

template <class T>
__global__ void warp_16x8x16(Fragments at, const T* a, const T* b, float* c) {
  const int lane = threadIdx.x;
  unsigned ra[4], rb[2];
  float rc[4] = {};
  for (int k = 0; k < 4; ++k) ra[k] = pair(a[place(at.a, lane, 2 * k)], a[place(at.a, lane, 2 * k + 1)]);
  for (int k = 0; k < 2; ++k) rb[k] = pair(b[place(at.b, lane, 2 * k)], b[place(at.b, lane, 2 * k + 1)]);
  if constexpr (std::is_same_v<T, __half>) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(rc[0]), "+f"(rc[1]), "+f"(rc[2]), "+f"(rc[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(rc[0]), "+f"(rc[1]), "+f"(rc[2]), "+f"(rc[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  }
  for (int k = 0; k < 4; ++k) c[place(at.c, lane, k)] = rc[k];
}

__global__ void warp_tf32_16x8x8(Fragments at, const float* a, const float* b, float* c) {
  const int lane = threadIdx.x;
  unsigned ra[4], rb[2];
  float rc[4] = {};
  for (int k = 0; k < 4; ++k) ra[k] = __float_as_uint(a[place(at.a, lane, k)]);
  for (int k = 0; k < 2; ++k) rb[k] = __float_as_uint(b[place(at.b, lane, k)]);
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(rc[0]), "+f"(rc[1]), "+f"(rc[2]), "+f"(rc[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int k = 0; k < 4; ++k) c[place(at.c, lane, k)] = rc[k];
}

__global__ void warp_f64_8x8x4(Fragments at, const double* a, const double* b, double* c) {
  const int lane = threadIdx.x;
  double rc[2] = {};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(rc[0]), "+d"(rc[1])
               : "d"(a[place(at.a, lane, 0)]), "d"(b[place(at.b, lane, 0)]));
  for (int k = 0; k < 2; ++k) c[place(at.c, lane, k)] = rc[k];
}

/// Where element (row, k) of an operand lies in shared memory, in elements: atoms of 8 rows one after another; where an
/// atom has less than 16 columns, the next ones follow behind all rows.
__device__ int shared_place(const SharedTile& tile, int rows, int row, int k) {
  const int atom = tile.rows * tile.columns;
  const int plain = row % tile.rows * tile.row_stride + k % tile.columns * tile.column_stride;
  const int mask = (1 << tile.bits) - 1;
  const int swizzled = plain ^ ((plain >> (tile.base + tile.shift) & mask) << tile.base);
  return swizzled + atom * (row / tile.rows) + atom * (rows / tile.rows) * (k / tile.columns);
}

/// A matrix descriptor of wgmma (PTX ISA): addresses and steps in units of 16 bytes. Without a swizzle the steps are
/// those between neighbours of 8x8 elements along K and along the rows.
__device__ unsigned long long descriptor(const SharedTile& tile, const void* start, int rows) {
  const unsigned long long address = __cvta_generic_to_shared(start);
  const unsigned long long along_rows = tile.rows * tile.columns * 2 / 16;
  const unsigned long long along_k = tile.bits == 0 ? along_rows * (rows / tile.rows) : 1;
  const unsigned long long mode = tile.bits == 0 ? 0 : 4 - tile.bits;
  return (address >> 4 & 0x3fff) | along_k << 16 | along_rows << 32 | mode << 62;
}

/// One 64 x N x K product, K of 64 in steps of 16; from registers, A too comes by its layout.
template <int n, class T, bool from_registers>
__global__ void group_product(SharedTile tile, Fragment at_a, Fragment at_c, const T* a, const T* b, float* c) {
  constexpr int k = 64;
  extern __shared__ __align__(1024) unsigned char memory[];
  T* shared_a = reinterpret_cast<T*>(memory);
  T* shared_b = shared_a + 64 * k;
  for (int i = threadIdx.x; i < 64 * k; i += 128) shared_a[shared_place(tile, 64, i % 64, i / 64)] = a[i];
  for (int i = threadIdx.x; i < n * k; i += 128) shared_b[shared_place(tile, n, i % n, i / n)] = b[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[n / 2];
  for (float& value : d) value = 0;
  for (int step = 0; step < k / 16; ++step) {
    const auto at = [&](const T* start, int rows) {
      // Inside of an atom's rows a step is 32 bytes of address; the hardware swizzles what comes of it.
      const int first = 16 * step / tile.columns * tile.columns;
      return descriptor(tile, start + shared_place(tile, rows, 0, first) + (16 * step - first), rows);
    };
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    using Name = std::conditional_t<std::is_same_v<T, __half>, Half, Brain>;
    if constexpr (from_registers) {
      unsigned ra[4];
      const T* part = a + 64 * 16 * step;
      for (int r = 0; r < 4; ++r) {
        ra[r] = pair(part[place(at_a, threadIdx.x, 2 * r)], part[place(at_a, threadIdx.x, 2 * r + 1)]);
      }
      wgmma_64x64x16(d, ra, at(shared_b, n), 1, Name{});
    } else if constexpr (n == 8) {
      wgmma_64x8x16(d, at(shared_a, 64), at(shared_b, n), 1, Name{});
    } else if constexpr (n == 24) {
      wgmma_64x24x16(d, at(shared_a, 64), at(shared_b, n), 1, Name{});
    } else if constexpr (n == 64) {
      wgmma_64x64x16(d, at(shared_a, 64), at(shared_b, n), 1, Name{});
    } else if constexpr (n == 128) {
      wgmma_64x128x16(d, at(shared_a, 64), at(shared_b, n), 1, Name{});
    } else {
      wgmma_64x256x16(d, at(shared_a, 64), at(shared_b, n), 1, Name{});
    }
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  for (int v = 0; v < n / 2; ++v) c[place(at_c, threadIdx.x, v)] = d[v];
}

int failures = 0;

/// Small integers in, and every result against the sum by definition.
template <class T, class R, class Launch>
void product(const char* name, int m, int n, int k, const Launch& launch) {
  T *a, *b;
  R* c;
  must(cudaMallocManaged(&a, sizeof(T) * m * k));
  must(cudaMallocManaged(&b, sizeof(T) * n * k));
  must(cudaMallocManaged(&c, sizeof(R) * m * n));
  std::vector<int> left(m * k), right(n * k);
  std::uint32_t state = 12345;
  const auto next = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>(state >> 24) % 15 - 7;
  };
  for (int i = 0; i < m * k; ++i) a[i] = static_cast<T>(static_cast<float>(left[i] = next()));
  for (int i = 0; i < n * k; ++i) b[i] = static_cast<T>(static_cast<float>(right[i] = next()));
  for (int i = 0; i < m * n; ++i) c[i] = static_cast<R>(1e9);
  launch(a, b, c);
  must(cudaGetLastError());
  must(cudaDeviceSynchronize());
  int wrong = 0;
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      int sum = 0;
      for (int i = 0; i < k; ++i) sum += left[row + m * i] * right[column + n * i];
      wrong += c[row + m * column] != static_cast<R>(sum);
    }
  }
  std::printf("%s  %s", wrong == 0 ? "right" : "WRONG", name);
  std::printf(wrong == 0 ? "\n" : ": %d elements\n", wrong);
  failures += wrong != 0;
  must(cudaFree(a));
  must(cudaFree(b));
  must(cudaFree(c));
}

template <int n, class T, bool from_registers = false>
void group(const char* type, const Fragment& at_c) {
  for (const SharedTile& tile : shared_tiles) {
    const auto kernel = group_product<n, T, from_registers>;
    const int bytes = (64 + n) * 64 * 2;
    must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    char name[96];
    std::snprintf(name, sizeof name, "wgmma 64x%dx16 %s%s, %s", n, type, from_registers ? ", A from registers" : "",
                  tile.name);
    product<T, float>(name, 64, n, 64,
                      [&](T* a, T* b, float* c) { kernel<<<1, 128, bytes>>>(tile, wgmma_64x64x16_a, at_c, a, b, c); });
  }
}

}  // namespace

int main() {
  product<__half, float>("mma 16x8x16 f16", 16, 8, 16, [](__half* a, __half* b, float* c) {
    warp_16x8x16<<<1, 32>>>({f16_16x8x16_a, f16_16x8x16_b, f16_16x8x16_c}, a, b, c);
  });
  product<__nv_bfloat16, float>("mma 16x8x16 bf16", 16, 8, 16, [](__nv_bfloat16* a, __nv_bfloat16* b, float* c) {
    warp_16x8x16<<<1, 32>>>({bf16_16x8x16_a, bf16_16x8x16_b, bf16_16x8x16_c}, a, b, c);
  });
  product<float, float>("mma 16x8x8 tf32", 16, 8, 8, [](float* a, float* b, float* c) {
    warp_tf32_16x8x8<<<1, 32>>>({tf32_16x8x8_a, tf32_16x8x8_b, tf32_16x8x8_c}, a, b, c);
  });
  product<double, double>("mma 8x8x4 f64", 8, 8, 4, [](double* a, double* b, double* c) {
    warp_f64_8x8x4<<<1, 32>>>({f64_8x8x4_a, f64_8x8x4_b, f64_8x8x4_c}, a, b, c);
  });
  group<8, __half>("f16", wgmma_64x8x16_c);
  group<24, __half>("f16", wgmma_64x24x16_c);
  group<64, __half>("f16", wgmma_64x64x16_c);
  group<128, __half>("f16", wgmma_64x128x16_c);
  group<256, __half>("f16", wgmma_64x256x16_c);
  group<64, __half, true>("f16", wgmma_64x64x16_c);
  group<8, __nv_bfloat16>("bf16", wgmma_64x8x16_c);
  group<128, __nv_bfloat16>("bf16", wgmma_64x128x16_c);
  std::printf(failures == 0 ? "all products are right\n" : "%d products are wrong\n", failures);
  return failures != 0;
}
