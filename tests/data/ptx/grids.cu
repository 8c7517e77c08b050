// Grids, images and rows and columns that change places. tests/ptx/cuda_grids_test.cpp computes the same in the same
// order.
extern "C" {

__global__ void transpose_naive(const float* in, float* out, int rows, int columns) {
  int column = blockIdx.x * 32 + threadIdx.x;
  for (int row = blockIdx.y * 32 + threadIdx.y; row < blockIdx.y * 32 + 32 && row < rows; row += blockDim.y)
    if (column < columns) out[column * rows + row] = in[row * columns + column];
}
// Without a column more, all of a warp's reads are of one bank. Sizes are multiples of 32.
__global__ void transpose_with_conflicts(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}
// Places within the tile are exchanged instead.
__global__ void transpose_swizzled(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x ^ (threadIdx.y + k)] = in[(y + k) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.x ^ (threadIdx.y + k)];
}

// Five points, a tile with a halo of one; what is outside counts as 0.
__global__ void five_points(const float* in, float* out, int width, int height) {
  __shared__ float tile[18][18];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int j = threadIdx.y; j < 18; j += 16)
    for (int i = threadIdx.x; i < 18; i += 16) {
      int gx = blockIdx.x * 16 + i - 1, gy = blockIdx.y * 16 + j - 1;
      tile[j][i] = gx >= 0 && gx < width && gy >= 0 && gy < height ? in[gy * width + gx] : 0.0f;
    }
  __syncthreads();
  int i = threadIdx.x + 1, j = threadIdx.y + 1;
  if (x < width && y < height)
    out[y * width + x] = 0.25f * (((tile[j][i - 1] + tile[j][i + 1]) + tile[j - 1][i]) + tile[j + 1][i]);
}

// Seven points; each thread goes along z and keeps three planes in registers.
__global__ void seven_points(const float* in, float* out, int nx, int ny, int nz, float centre, float side) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  int plane = nx * ny, at = y * nx + x;
  float below = in[at], here = in[at + plane];
  for (int z = 1; z < nz - 1; ++z) {
    int i = z * plane + at;
    float above = in[i + plane];
    out[i] = centre * here + side * (((in[i - 1] + in[i + 1]) + (in[i - nx] + in[i + nx])) + (below + above));
    below = here, here = above;
  }
}

__constant__ float mask[7] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
__global__ void convolve(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 7; ++k) {
    int at = i + k - 3;
    if (at >= 0 && at < n) sum += mask[k] * x[at];
  }
  y[i] = sum;
}

// Conway's: the edges meet.
__global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int alive = 0;
  for (int dy = height - 1; dy <= height + 1; ++dy)
    for (int dx = width - 1; dx <= width + 1; ++dx)
      if (dx != width || dy != height) alive += in[(y + dy) % height * width + (x + dx) % width];
  out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}

// All shortest ways through one more node.
__global__ void floyd_warshall(float* distance, int n, int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= n || i == k || j == k) return;
  float by = distance[i * n + k] + distance[k * n + j];
  if (by < distance[i * n + j]) distance[i * n + j] = by;
}

__global__ void mandelbrot(unsigned char* out, int width, int height, float left, float top, float step, int most) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cx = left + x * step, cy = top + y * step, a = 0, b = 0;
  int k = 0;
  while (k < most && a * a + b * b < 4.0f) {
    float next = a * a - b * b + cx;
    b = 2 * a * b + cy;
    a = next;
    ++k;
  }
  out[y * width + x] = k;
}

// Forces among bodies, in tiles of shared memory.
__global__ void n_body(const float4* bodies, float3* force, int n) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = {0, 0, 0};
  for (int base = 0; base < n; base += 64) {
    tile[threadIdx.x] = base + threadIdx.x < n ? bodies[base + threadIdx.x] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < 64; ++k) {
      float dx = tile[k].x - own.x, dy = tile[k].y - own.y, dz = tile[k].z - own.z;
      float r = dx * dx + dy * dy + dz * dz + 0.01f;
      float scale = tile[k].w / (r * sqrtf(r));
      sum.x += dx * scale, sum.y += dy * scale, sum.z += dz * scale;
    }
    __syncthreads();
  }
  if (i < n) force[i] = sum;
}

// 256 points, one block of 128 threads, factors given: decimation in time after bits are reversed.
__global__ void fft_256(const float2* in, float2* out, const float2* factors) {
  __shared__ float2 a[256];
  int t = threadIdx.x;
  const float2* from = in + blockIdx.x * 256;
  a[__brev(t) >> 24] = from[t];
  a[__brev(t + 128) >> 24] = from[t + 128];
  for (int half = 1; half < 256; half *= 2) {
    __syncthreads();
    int k = t % half, i = 2 * (t - k) + k, j = i + half;
    float2 w = factors[k * (128 / half)], u = a[i], v = a[j];
    float re = w.x * v.x - w.y * v.y, im = w.x * v.y + w.y * v.x;
    a[i] = make_float2(u.x + re, u.y + im);
    a[j] = make_float2(u.x - re, u.y - im);
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = a[t];
  out[blockIdx.x * 256 + t + 128] = a[t + 128];
}

}  // extern "C"
