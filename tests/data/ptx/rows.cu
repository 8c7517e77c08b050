// What networks do with rows and elements. tests/ptx/cuda_rows_test.cpp computes the same in the same order, or, where
// an approximate exponential takes part, what mathematics says.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" {

// A warp for each row, one pass: the sum is scaled when a greater number comes.
__global__ void softmax_online(const float* x, float* y, int columns) {
  const float* row = x + blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int j = threadIdx.x; j < columns; j += 32) {
    float now = fmaxf(most, row[j]);
    sum = sum * expf(most - now) + expf(row[j] - now);
    most = now;
  }
  for (int d = 16; d > 0; d /= 2) {
    float other = __shfl_xor_sync(0xffffffff, most, d), more = __shfl_xor_sync(0xffffffff, sum, d);
    float now = fmaxf(most, other);
    sum = (most == -INFINITY ? 0.0f : sum * expf(most - now)) + (other == -INFINITY ? 0.0f : more * expf(other - now));
    most = now;
  }
  for (int j = threadIdx.x; j < columns; j += 32) y[blockIdx.x * columns + j] = expf(row[j] - most) / sum;
}

__device__ float sum_of_block(float v, float* room) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? room[threadIdx.x] : 0.0f;
  if (threadIdx.x < 32) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) room[0] = v;
  }
  __syncthreads();
  v = room[0];
  __syncthreads();
  return v;
}

// A block for each row; a gain and a bias for each column.
__global__ void layer_norm_of_block(const float* x, const float* gain, const float* bias, float* y, int columns) {
  __shared__ float room[32];
  const float* row = x + blockIdx.x * columns;
  float sum = 0, squares = 0;
  for (int j = threadIdx.x; j < columns; j += blockDim.x) sum += row[j];
  float mean = sum_of_block(sum, room) / columns;
  for (int j = threadIdx.x; j < columns; j += blockDim.x) {
    float d = row[j] - mean;
    squares += d * d;
  }
  float scale = 1.0f / sqrtf(sum_of_block(squares, room) / columns + 1e-5f);
  for (int j = threadIdx.x; j < columns; j += blockDim.x)
    y[blockIdx.x * columns + j] = (row[j] - mean) * scale * gain[j] + bias[j];
}

__global__ void rms_norm(const __nv_bfloat16* x, const __nv_bfloat16* gain, __nv_bfloat16* y, int columns) {
  __shared__ float room[32];
  const __nv_bfloat16* row = x + blockIdx.x * columns;
  float squares = 0;
  for (int j = threadIdx.x; j < columns; j += blockDim.x) {
    float v = __bfloat162float(row[j]);
    squares += v * v;
  }
  float scale = 1.0f / sqrtf(sum_of_block(squares, room) / columns + 1e-6f);
  for (int j = threadIdx.x; j < columns; j += blockDim.x)
    y[blockIdx.x * columns + j] = __float2bfloat16(__bfloat162float(row[j]) * scale * __bfloat162float(gain[j]));
}

// Groups of channels of an image: one pass, from sums and squares.
__global__ void group_norm(const float* x, float* y, int channels, int groups, int pixels) {
  __shared__ float room[32];
  int group = blockIdx.x % groups, image = blockIdx.x / groups, size = channels / groups * pixels;
  const float* from = x + (image * groups + group) * size;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < size; i += blockDim.x) sum += from[i], squares += from[i] * from[i];
  float mean = sum_of_block(sum, room) / size, square = sum_of_block(squares, room) / size;
  float scale = 1.0f / sqrtf(square - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < size; i += blockDim.x)
    y[(image * groups + group) * size + i] = (from[i] - mean) * scale;
}

// The loss of a row, and its gradient.
__global__ void cross_entropy(const float* logits, const int* target, float* loss, float* gradient, int classes) {
  __shared__ float room[32];
  const float* row = logits + blockIdx.x * classes;
  float most = -INFINITY, sum = 0;
  for (int j = threadIdx.x; j < classes; j += 32) most = fmaxf(most, row[j]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
  for (int j = threadIdx.x; j < classes; j += 32) sum += expf(row[j] - most);
  sum = sum_of_block(sum, room);
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(sum) + most - row[target[blockIdx.x]];
  for (int j = threadIdx.x; j < classes; j += 32)
    gradient[blockIdx.x * classes + j] = expf(row[j] - most) / sum - (j == target[blockIdx.x] ? 1.0f : 0.0f);
}

// Pairs of a head are turned by angles that are given as cosines and sines.
__global__ void rope(float* x, const float* cosines, const float* sines, int heads, int half) {
  int position = blockIdx.x, i = threadIdx.x;
  float c = cosines[position * half + i], s = sines[position * half + i];
  for (int h = 0; h < heads; ++h) {
    float* at = x + (position * heads + h) * 2 * half;
    float a = at[i], b = at[i + half];
    at[i] = a * c - b * s;
    at[i + half] = a * s + b * c;
  }
}

__global__ void gelu_by_erf(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
}
__global__ void gelu_by_tanh(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i] * (1.0f + tanhf(0.79788456f * (x[i] + 0.044715f * x[i] * x[i] * x[i])));
}

// Rows of a table, four numbers a thread, and the gradient's way back.
__global__ void gather_rows(const float4* table, const int* rows, float4* out, int fours) {
  for (int j = threadIdx.x; j < fours; j += blockDim.x)
    out[blockIdx.x * fours + j] = table[rows[blockIdx.x] * fours + j];
}
__global__ void scatter_rows(const float* gradient, const int* rows, float* table, int columns) {
  for (int j = threadIdx.x; j < columns; j += blockDim.x)
    atomicAdd(&table[rows[blockIdx.x] * columns + j], gradient[blockIdx.x * columns + j]);
}

struct AdamOptions {
  float rate, beta1, beta2, epsilon, decay;
  int step;
};
__global__ void adam(float* weights, const float* gradient, float* mean, float* square, AdamOptions o, float fix1,
                     float fix2, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float g = gradient[i];
  float m = mean[i] = o.beta1 * mean[i] + (1 - o.beta1) * g;
  float v = square[i] = o.beta2 * square[i] + (1 - o.beta2) * g * g;
  weights[i] -= o.rate * (m / fix1 / (sqrtf(v / fix2) + o.epsilon) + o.decay * weights[i]);
}

// Each row by its greatest magnitude, to 8 bits.
__global__ void quantise_rows(const float* x, signed char* q, float* scales, int columns) {
  __shared__ float room[32];
  const float* row = x + blockIdx.x * columns;
  float most = 0;
  for (int j = threadIdx.x; j < columns; j += blockDim.x) most = fmaxf(most, fabsf(row[j]));
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = most;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; ++w) most = fmaxf(most, room[w]);
  float scale = most / 127.0f;
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
  for (int j = threadIdx.x; j < columns; j += blockDim.x)
    q[blockIdx.x * columns + j] = (signed char)max(-127, min(127, __float2int_rn(row[j] / scale)));
}

// The four greatest of each row, by insertion in each thread and then in the first one.
__global__ void top_four(const float* x, float* values, int* places, int columns) {
  __shared__ float all[32][4];
  __shared__ int at[32][4];
  float best[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  int place[4] = {-1, -1, -1, -1};
  auto insert = [&](float v, int i) {
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (v > best[k]) {
        float t = best[k];
        int u = place[k];
        best[k] = v, place[k] = i;
        v = t, i = u;
      }
  };
  for (int j = threadIdx.x; j < columns; j += 32) insert(x[blockIdx.x * columns + j], j);
  for (int k = 0; k < 4; ++k) all[threadIdx.x][k] = best[k], at[threadIdx.x][k] = place[k];
  __syncwarp();
  if (threadIdx.x != 0) return;
  for (int t = 1; t < 32; ++t)
    for (int k = 0; k < 4; ++k) insert(all[t][k], at[t][k]);
  for (int k = 0; k < 4; ++k) values[blockIdx.x * 4 + k] = best[k], places[blockIdx.x * 4 + k] = place[k];
}

}  // extern "C"
