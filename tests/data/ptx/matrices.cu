// Products of matrices and what is made of them. tests/ptx/cuda_matrices_test.cpp computes the same in the same order.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

extern "C" {

// 64 x 64 results of a block, 4 x 4 of each of 256 threads; loads of four numbers, A transposed on its way; n is a
// multiple of 64.
__global__ void product_of_fours(const float* a, const float* b, float* c, int n) {
  __shared__ float of_a[16][68], of_b[16][64];
  int t = threadIdx.x, ty = t / 16, tx = t % 16;
  float sums[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    float4 v = *(const float4*)&a[(blockIdx.y * 64 + t / 4) * n + k + t % 4 * 4];
    of_a[t % 4 * 4][t / 4] = v.x, of_a[t % 4 * 4 + 1][t / 4] = v.y;
    of_a[t % 4 * 4 + 2][t / 4] = v.z, of_a[t % 4 * 4 + 3][t / 4] = v.w;
    *(float4*)&of_b[t / 16][t % 16 * 4] = *(const float4*)&b[(k + t / 16) * n + blockIdx.x * 64 + t % 16 * 4];
    __syncthreads();
    for (int l = 0; l < 16; ++l) {
      float4 x = *(float4*)&of_a[l][ty * 4], y = *(float4*)&of_b[l][tx * 4];
      float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] += xs[i] * ys[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    *(float4*)&c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] =
        make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

// 32 x 32 results, two tiles on their way (cp.async).
__global__ void product_with_pipeline(const float* a, const float* b, float* c, int n) {
  __shared__ float of_a[2][32][32], of_b[2][32][32];
  int tx = threadIdx.x % 8, ty = threadIdx.x / 8, row = blockIdx.y * 32, column = blockIdx.x * 32;
  auto load = [&](int at, int k) {
    __pipeline_memcpy_async(&of_a[at][ty][tx * 4], &a[(row + ty) * n + k + tx * 4], 16);
    __pipeline_memcpy_async(&of_b[at][ty][tx * 4], &b[(k + ty) * n + column + tx * 4], 16);
    __pipeline_commit();
  };
  float sums[4] = {};
  load(0, 0);
  for (int k = 0; k < n; k += 32) {
    if (k + 32 < n) {
      load((k / 32 + 1) % 2, k + 32);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    for (int l = 0; l < 32; ++l)
      for (int j = 0; j < 4; ++j) sums[j] += of_a[k / 32 % 2][ty][l] * of_b[k / 32 % 2][l][tx * 4 + j];
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) c[(row + ty) * n + column + tx * 4 + j] = sums[j];
}

// A warp for each 16 x 16 results, by the library.
__global__ void product_by_wmma(const __half* a, const __half* b, float* c, int n) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> x;
  fragment<matrix_b, 16, 16, 16, __half, col_major> y;
  fragment<accumulator, 16, 16, 16, float> sums;
  fill_fragment(sums, 0.0f);
  for (int k = 0; k < n; k += 16) {
    load_matrix_sync(x, a + blockIdx.y * 16 * n + k, n);
    load_matrix_sync(y, b + blockIdx.x * 16 * n + k, n);
    mma_sync(sums, x, y, sums);
  }
  for (int i = 0; i < sums.num_elements; ++i) sums.x[i] *= 2.0f;
  store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, sums, n, mem_row_major);
}
__global__ void product_by_wmma_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> x;
  fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> y;
  fragment<accumulator, 16, 16, 16, float> sums;
  load_matrix_sync(sums, c + blockIdx.y * 16 * n + blockIdx.x * 16, n, mem_row_major);
  for (int k = 0; k < n; k += 16) {
    load_matrix_sync(x, a + blockIdx.y * 16 * n + k, n);
    load_matrix_sync(y, b + k * n + blockIdx.x * 16, n);
    mma_sync(sums, x, y, sums);
  }
  store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, sums, n, mem_row_major);
}
// One warp: 32 x 8 of bytes.
__global__ void product_by_wmma_s8(const signed char* a, const signed char* b, int* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 32, 8, 16, signed char, row_major> x;
  fragment<matrix_b, 32, 8, 16, signed char, col_major> y;
  fragment<accumulator, 32, 8, 16, int> sums;
  fill_fragment(sums, 0);
  load_matrix_sync(x, a, 16);
  load_matrix_sync(y, b, 16);
  mma_sync(sums, x, y, sums);
  store_matrix_sync(c, sums, 8, mem_row_major);
}

// 64 x 64 results by four warps, ldmatrix and mma; halves, with rows of 40 in shared memory against conflicts.
__global__ void product_by_mma(const __half* a, const __half* b, __half* c, int n) {
  __shared__ __half of_a[64][40], of_b[32][72];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  float sums[8][4] = {};
  for (int k = 0; k < n; k += 32) {
    for (int i = t; i < 64 * 4; i += 128)
      *(int4*)&of_a[i / 4][i % 4 * 8] = *(const int4*)&a[(blockIdx.y * 64 + i / 4) * n + k + i % 4 * 8];
    for (int i = t; i < 32 * 8; i += 128)
      *(int4*)&of_b[i / 8][i % 8 * 8] = *(const int4*)&b[(k + i / 8) * n + blockIdx.x * 64 + i % 8 * 8];
    __syncthreads();
    for (int l = 0; l < 32; l += 16) {
      unsigned x[4], y[2];
      unsigned at = __cvta_generic_to_shared(&of_a[warp * 16 + lane % 16][l + lane / 16 * 8]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                   : "r"(at));
      for (int j = 0; j < 8; ++j) {
        at = __cvta_generic_to_shared(&of_b[l + lane % 16][j * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(y[0]), "=r"(y[1])
                     : "r"(at));
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sums[j][0]), "+f"(sums[j][1]), "+f"(sums[j][2]), "+f"(sums[j][3])
            : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j) {
    __half* at = c + (blockIdx.y * 64 + warp * 16 + lane / 4) * n + blockIdx.x * 64 + j * 8 + lane % 4 * 2;
    *(__half2*)at = __floats2half2_rn(sums[j][0], sums[j][1]);
    *(__half2*)(at + 8 * n) = __floats2half2_rn(sums[j][2], sums[j][3]);
  }
}
// tf32, straight from global memory: 16 x 8 results of a warp.
__global__ void product_by_tf32(const float* a, const float* b, float* c, int n) {
  int group = threadIdx.x / 4, in_group = threadIdx.x % 4;
  const float *x = a + blockIdx.y * 16 * n, *y = b + blockIdx.x * 8;
  float s[4] = {};
  for (int k = 0; k < n; k += 8) {
    unsigned u[4], v[2];
    for (int i = 0; i < 4; ++i)
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u[i]) : "f"(x[(group + i % 2 * 8) * n + k + in_group + i / 2 * 4]));
    for (int i = 0; i < 2; ++i)
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(v[i]) : "f"(y[(k + in_group + i * 4) * n + group]));
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
        : "r"(u[0]), "r"(u[1]), "r"(u[2]), "r"(u[3]), "r"(v[0]), "r"(v[1]));
  }
  float* at = c + (blockIdx.y * 16 + group) * n + blockIdx.x * 8 + in_group * 2;
  at[0] = s[0], at[1] = s[1], at[8 * n] = s[2], at[8 * n + 1] = s[3];
}

// Bytes, four products an instruction: rows of A times columns of B, both along k.
__global__ void product_by_dp4a(const int* a, const int* b, int* c, int n, int fours) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  if (i >= n || j >= n) return;
  for (int k = 0; k < fours; ++k) sum = __dp4a(a[i * fours + k], b[j * fours + k], sum);
  c[i * n + j] = sum;
}

// A matrix and a vector of each batch; a warp for each row.
__global__ void matrix_vector(const float* a, const float* x, float* y, int rows, int columns) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* from = a + ((size_t)blockIdx.y * rows + row) * columns;
  float sum = 0;
  for (int j = lane; j < columns; j += 32) sum += from[j] * x[blockIdx.y * columns + j];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (lane == 0) y[blockIdx.y * rows + row] = sum;
}

// A sparse matrix by rows: eight lanes for each.
__global__ void sparse_product(const int* begins, const int* columns, const double* values, const double* x, double* y,
                               int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  double sum = 0;
  if (row < rows)
    for (int k = begins[row] + lane; k < begins[row + 1]; k += 8) sum += values[k] * x[columns[k]];
  for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d, 8);
  if (row < rows && lane == 0) y[row] = sum;
}

// Attention of one head: 16 queries a warp, keys by eights, scores and products by mma; 16 elements a head. The maximum
// and the sum of weights go along with the keys.
__global__ void attention_by_mma(const __half* q, const __half* k, const __half* v, float* out, int keys) {
  int lane = threadIdx.x, group = lane / 4, in_group = lane % 4;
  const __half* own = q + blockIdx.x * 16 * 16;
  unsigned a[4];
  for (int i = 0; i < 4; ++i) a[i] = *(const unsigned*)&own[(group + i % 2 * 8) * 16 + in_group * 2 + i / 2 * 8];
  float most[2] = {-INFINITY, -INFINITY}, weights[2] = {}, sums[2][4] = {};
  for (int base = 0; base < keys; base += 16) {
    float s[2][4] = {};
    for (int h = 0; h < 2; ++h) {
      unsigned b[2];
      for (int i = 0; i < 2; ++i) b[i] = *(const unsigned*)&k[(base + h * 8 + group) * 16 + in_group * 2 + i * 8];
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
          : "+f"(s[h][0]), "+f"(s[h][1]), "+f"(s[h][2]), "+f"(s[h][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
    unsigned p[4];
    for (int r = 0; r < 2; ++r) {
      float now = fmaxf(fmaxf(fmaxf(s[0][2 * r], s[0][2 * r + 1]), fmaxf(s[1][2 * r], s[1][2 * r + 1])), most[r]);
      now = fmaxf(now, __shfl_xor_sync(0xffffffff, now, 1));
      now = fmaxf(now, __shfl_xor_sync(0xffffffff, now, 2));
      float keep = exp2f(most[r] - now), sum = 0;
      for (int h = 0; h < 2; ++h) {
        __half2 w = __floats2half2_rn(exp2f(s[h][2 * r] - now), exp2f(s[h][2 * r + 1] - now));
        sum += __low2float(w) + __high2float(w);
        p[h * 2 + r] = *(unsigned*)&w;
      }
      weights[r] = weights[r] * keep + sum;
      for (int h = 0; h < 2; ++h) sums[h][2 * r] *= keep, sums[h][2 * r + 1] *= keep;
      most[r] = now;
    }
    for (int h = 0; h < 2; ++h) {
      unsigned b[2];
      for (int i = 0; i < 2; ++i) {
        const __half* at = &v[(base + in_group * 2 + i * 8) * 16 + h * 8 + group];
        __half2 two = __halves2half2(at[0], at[16]);
        b[i] = *(unsigned*)&two;
      }
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
          : "+f"(sums[h][0]), "+f"(sums[h][1]), "+f"(sums[h][2]), "+f"(sums[h][3])
          : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  for (int r = 0; r < 2; ++r) {
    float all = weights[r];
    all += __shfl_xor_sync(0xffffffff, all, 1);
    all += __shfl_xor_sync(0xffffffff, all, 2);
    for (int h = 0; h < 2; ++h)
      for (int j = 0; j < 2; ++j)
        out[(blockIdx.x * 16 + group + r * 8) * 16 + h * 8 + in_group * 2 + j] = sums[h][2 * r + j] / all;
  }
}

}  // extern "C"
