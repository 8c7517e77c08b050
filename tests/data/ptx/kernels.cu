// Kernels as users write them, for tests/ptx/kernels_test.cpp, which computes the same in the same order.
// How the PTX is made: compile.sh.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

extern "C" {

// Threads add in strides, then halves of the block add each other's sums.
__global__ void sum_by_halves(const float* x, float* sums, int n) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__inline__ __device__ float warp_sum(float x) {
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_down_sync(0xffffffff, x, distance);
  return x;
}

// Warps add by shuffles, and the first warp adds what they give.
__global__ void sum_by_shuffles(const float* x, float* sums, int n) {
  __shared__ float part[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.0f;
    sum = warp_sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
}

// The block that comes last adds the sums of all.
__global__ void sum_by_last_block(const float* x, float* partial, unsigned* done, float* out, int n) {
  __shared__ float part[128];
  __shared__ bool is_last;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = part[0];
    __threadfence();
    is_last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += partial[b];
    *out = total;
  }
}

__global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned own[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[x[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}

__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (column < columns && row + k < rows) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * columns + column];
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (column < rows && row + k < columns) out[(row + k) * rows + column] = tile[threadIdx.x][threadIdx.y + k];
}

// 16 x 16 threads; n is a multiple of 16.
__global__ void product_by_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float of_a[16][16], of_b[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    of_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    of_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int l = 0; l < 16; ++l) sum += of_a[threadIdx.y][l] * of_b[l][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// 16 x 16 threads with 4 x 4 results each; n is a multiple of 64.
__global__ void product_in_registers(const float* a, const float* b, float* c, int n) {
  __shared__ float of_a[64][17], of_b[16][64];
  int thread = threadIdx.y * 16 + threadIdx.x;
  float sums[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = thread; i < 64 * 16; i += 256) {
      of_a[i / 16][i % 16] = a[(blockIdx.y * 64 + i / 16) * n + k + i % 16];
      of_b[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
    }
    __syncthreads();
    for (int l = 0; l < 16; ++l)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] += of_a[threadIdx.y * 4 + i][l] * of_b[l][threadIdx.x * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(blockIdx.y * 64 + threadIdx.y * 4 + i) * n + blockIdx.x * 64 + threadIdx.x * 4 + j] = sums[i][j];
}

// An inclusive scan of a block by doubling distances.
__global__ void scan(const float* x, float* y, int n) {
  extern __shared__ float both[];
  float *from = both, *to = both + blockDim.x;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  from[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    to[t] = t >= distance ? from[t - distance] + from[t] : from[t];
    __syncthreads();
    float* other = from;
    from = to;
    to = other;
  }
  if (i < n) y[i] = from[t];
}

// Three neighbours, with zeros beyond the ends.
__global__ void stencil(const float* x, float* y, float w, int n) {
  __shared__ float part[130];
  int t = threadIdx.x + 1, i = blockIdx.x * 128 + threadIdx.x;
  part[t] = i < n ? x[i] : 0.0f;
  if (threadIdx.x == 0) part[0] = i > 0 ? x[i - 1] : 0.0f;
  if (threadIdx.x == 127) part[129] = i + 1 < n ? x[i + 1] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = part[t] + w * (part[t - 1] + part[t + 1]);
}

// A warp for each row of 32 * k columns.
__global__ void layer_norm(const float* x, float* y, int columns) {
  const float* row = x + blockIdx.x * columns;
  float sum = 0;
  for (int j = threadIdx.x; j < columns; j += 32) sum += row[j];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  float mean = sum / columns, squares = 0;
  for (int j = threadIdx.x; j < columns; j += 32) squares += (row[j] - mean) * (row[j] - mean);
  for (int d = 16; d > 0; d /= 2) squares += __shfl_xor_sync(0xffffffff, squares, d);
  float scale = 1.0f / sqrtf(squares / columns + 1e-5f);
  for (int j = threadIdx.x; j < columns; j += 32) y[blockIdx.x * columns + j] = (row[j] - mean) * scale;
}

__global__ void softmax(const float* x, float* y, int columns) {
  __shared__ float shared[32];
  const float* row = x + blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int j = threadIdx.x; j < columns; j += blockDim.x) most = fmaxf(most, row[j]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = most;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; ++w) most = fmaxf(most, shared[w]);
  __syncthreads();
  for (int j = threadIdx.x; j < columns; j += blockDim.x) sum += expf(row[j] - most);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) sum += shared[w];
  for (int j = threadIdx.x; j < columns; j += blockDim.x) y[blockIdx.x * columns + j] = expf(row[j] - most) / sum;
}

// One query a warp; 32 elements of a head, one a lane.
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys) {
  int lane = threadIdx.x, query = blockIdx.x;
  float own = q[query * 32 + lane], most = -INFINITY, weights = 0, sum = 0;
  for (int key = 0; key < keys; ++key) {
    float score = own * k[key * 32 + lane];
    for (int d = 16; d > 0; d /= 2) score += __shfl_xor_sync(0xffffffff, score, d);
    float now = fmaxf(most, score), keep = expf(most - now), weight = expf(score - now);
    weights = weights * keep + weight;
    sum = sum * keep + weight * v[key * 32 + lane];
    most = now;
  }
  out[query * 32 + lane] = sum / weights;
}

__global__ void axpy_of_halves(const __half2* x, __half2* y, __half2 a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void dot_of_doubles(const double* x, const double* y, double* out, int n) {
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += x[i] * y[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) *out = sum;
}

// Keeps the positive elements of each warp, in order.
__global__ void compact(const int* x, int* y, int* counts) {
  int i = blockIdx.x * 32 + threadIdx.x;
  bool keeps = x[i] > 0;
  unsigned mask = __ballot_sync(0xffffffff, keeps);
  if (keeps) y[blockIdx.x * 32 + __popc(mask & ((1u << threadIdx.x) - 1))] = x[i];
  if (threadIdx.x == 0) counts[blockIdx.x] = __popc(mask);
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

// Two tiles on their way at a time.
__global__ void scaled_by_pipeline(const float* x, float* y, float a, int tiles) {
  __shared__ float part[2][128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&part[0][t], &x[t], 4);
  __pipeline_commit();
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) __pipeline_memcpy_async(&part[(k + 1) % 2][t], &x[(k + 1) * 128 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    y[k * 128 + t] = a * part[k % 2][127 - t];
    __syncthreads();
  }
}

// c (16 x 8, f32) = a (16 x 16) b (16 x 8) + c, of halves in shared memory, by one warp.
__global__ void tensor_core(const __half* a, const __half* b, float* c) {
  __shared__ __half of_a[16 * 16], of_b[16 * 8];
  int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) of_a[i] = a[i];
  for (int i = lane; i < 128; i += 32) of_b[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  unsigned at = __cvta_generic_to_shared(&of_a[lane % 16 * 16 + lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(at));
  at = __cvta_generic_to_shared(&of_b[lane % 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(at));
  float* own = c + lane / 4 * 8 + lane % 4 * 2;
  float sums[4] = {own[0], own[1], own[64], own[65]};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  own[0] = sums[0];
  own[1] = sums[1];
  own[64] = sums[2];
  own[65] = sums[3];
}

}  // extern "C"
