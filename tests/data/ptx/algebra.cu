// Linear algebra, grids of physics and signals, as users write them, for tests/ptx/cuda_algebra_test.cpp.
#include <cuda/std/complex>

extern "C" {

// The factor of Cholesky in place, of a matrix that fits one block: a thread has a row.
__global__ void cholesky(double* a, int n) {
  for (int k = 0; k < n; ++k) {
    if (threadIdx.x == k) a[k * n + k] = sqrt(a[k * n + k]);
    __syncthreads();
    const int i = threadIdx.x;
    if (i > k && i < n) a[i * n + k] /= a[k * n + k];
    __syncthreads();
    if (i > k && i < n)
      for (int j = k + 1; j <= i; ++j) a[i * n + j] = fma(-a[i * n + k], a[j * n + k], a[i * n + j]);
    __syncthreads();
  }
}

// LU with pivots: the largest element of a column is found by shuffles of one warp, which has all rows.
__global__ void lu_with_pivots(float* a, int* pivots, int n) {
  const int i = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    float size = i >= k && i < n ? fabsf(a[i * n + k]) : -1.0f;
    int place = i;
    for (int d = 16; d > 0; d /= 2) {
      const float other = __shfl_xor_sync(0xffffffff, size, d);
      const int there = __shfl_xor_sync(0xffffffff, place, d);
      if (other > size || (other == size && there < place)) size = other, place = there;
    }
    if (i == 0) pivots[k] = place;
    if (i < n && place != k) {
      const float held = a[k * n + i];
      a[k * n + i] = a[place * n + i];
      a[place * n + i] = held;
    }
    __syncwarp();
    if (i > k && i < n) {
      const float factor = __fdiv_rn(a[i * n + k], a[k * n + k]);
      a[i * n + k] = factor;
      for (int j = k + 1; j < n; ++j) a[i * n + j] = fmaf(-factor, a[k * n + j], a[i * n + j]);
    }
    __syncwarp();
  }
}

// Many right sides of one lower triangle, which is held in shared memory; a thread has a column.
__global__ void triangular_solves(const float* lower, float* b, int n, int columns) {
  extern __shared__ float held[];
  for (int k = threadIdx.x; k < n * n; k += blockDim.x) held[k] = lower[k];
  __syncthreads();
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  for (int i = 0; i < n; ++i) {
    float sum = b[i * columns + column];
    for (int j = 0; j < i; ++j) sum = fmaf(-held[i * n + j], b[j * columns + column], sum);
    b[i * columns + column] = sum / held[i * n + i];
  }
}

// Tridiagonal systems by parallel cyclic reduction, one for each block.
__global__ void tridiagonal(const float* low, const float* diagonal, const float* high, const float* right, float* x,
                            int n) {
  __shared__ float a[128], b[128], c[128], d[128];
  const int i = threadIdx.x, at = blockIdx.x * n + i;
  a[i] = i > 0 ? low[at] : 0.0f, b[i] = diagonal[at], c[i] = i + 1 < n ? high[at] : 0.0f, d[i] = right[at];
  for (int step = 1; step < n; step *= 2) {
    __syncthreads();
    float na = 0, nb = b[i], nc = 0, nd = d[i];
    if (i >= step) {
      const float f = a[i] / b[i - step];
      na = -f * a[i - step], nb = fmaf(-f, c[i - step], nb), nd = fmaf(-f, d[i - step], nd);
    }
    if (i + step < n) {
      const float f = c[i] / b[i + step];
      nc = -f * c[i + step], nb = fmaf(-f, a[i + step], nb), nd = fmaf(-f, d[i + step], nd);
    }
    __syncthreads();
    a[i] = na, b[i] = nb, c[i] = nc, d[i] = nd;
  }
  x[at] = d[i] / b[i];
}

// F(2 x 2, 3 x 3) of Winograd: a thread has a tile of four results.
__global__ void winograd(const float* image, const float* weights, float* out, int width) {
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = 2 * blockIdx.y;
  if (x + 3 >= width) return;
  float g[4][4], u[4][3], d[4][4], v[4][4], m[2][4];
  for (int j = 0; j < 3; ++j) {
    const float a = weights[j], b = weights[3 + j], c = weights[6 + j];
    u[0][j] = a, u[1][j] = 0.5f * (a + b + c), u[2][j] = 0.5f * (a - b + c), u[3][j] = c;
  }
  for (int i = 0; i < 4; ++i) {
    const float a = u[i][0], b = u[i][1], c = u[i][2];
    g[i][0] = a, g[i][1] = 0.5f * (a + b + c), g[i][2] = 0.5f * (a - b + c), g[i][3] = c;
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) d[i][j] = image[(y + i) * width + x + j];
  for (int j = 0; j < 4; ++j) {
    v[0][j] = d[0][j] - d[2][j], v[1][j] = d[1][j] + d[2][j], v[2][j] = d[2][j] - d[1][j], v[3][j] = d[1][j] - d[3][j];
  }
  for (int i = 0; i < 4; ++i) {
    const float a = v[i][0], b = v[i][1], c = v[i][2], e = v[i][3];
    v[i][0] = (a - c) * g[i][0], v[i][1] = (b + c) * g[i][1], v[i][2] = (c - b) * g[i][2], v[i][3] = (b - e) * g[i][3];
  }
  for (int j = 0; j < 4; ++j) m[0][j] = v[0][j] + v[1][j] + v[2][j], m[1][j] = v[1][j] - v[2][j] - v[3][j];
  for (int i = 0; i < 2; ++i) {
    out[(y + i) * (width - 2) + x] = m[i][0] + m[i][1] + m[i][2];
    out[(y + i) * (width - 2) + x + 1] = m[i][1] - m[i][2] - m[i][3];
  }
}

__constant__ float taps[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

// A separable filter of an image with borders mirrored: rows into shared memory, then columns.
__global__ void smooth(const unsigned char* in, unsigned char* out, int width, int height) {
  __shared__ float rows[20][16];
  const auto mirrored = [](int k, int n) { return k < 0 ? -k : k >= n ? 2 * n - 2 - k : k; };
  const int x = blockIdx.x * 16 + threadIdx.x;
  for (int r = threadIdx.y; r < 20; r += blockDim.y) {
    const int y = mirrored(static_cast<int>(blockIdx.y) * 16 + r - 2, height);
    float sum = 0;
    if (x < width)
      for (int k = -2; k <= 2; ++k) sum += taps[k + 2] * in[y * width + mirrored(x + k, width)];
    rows[r][threadIdx.x] = sum;
  }
  __syncthreads();
  for (int r = threadIdx.y; r < 16; r += blockDim.y) {
    const int y = blockIdx.y * 16 + r;
    if (x >= width || y >= height) continue;
    float sum = 0;
    for (int k = 0; k < 5; ++k) sum += taps[k] * rows[r + k][threadIdx.x];
    out[y * width + x] = static_cast<unsigned char>(lrintf(fminf(sum, 255.0f)));
  }
}

// A step of a lattice Boltzmann method of nine velocities, with periodic borders.
__global__ void lattice(const float* in, float* out, int width, int height, float omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const int n = width * height;
  float f[9], density = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    f[k] = in[k * n + (y - cy[k] + height) % height * width + (x - cx[k] + width) % width];
    density += f[k], ux += cx[k] * f[k], uy += cy[k] * f[k];
  }
  ux /= density, uy /= density;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float weight = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36;
    const float along = 3 * (cx[k] * ux + cy[k] * uy);
    const float equal = weight * density * (1 + along + 0.5f * along * along - 1.5f * (ux * ux + uy * uy));
    out[k * n + y * width + x] = f[k] + omega * (equal - f[k]);
  }
}

struct Orbit {
  double mass, step;
  int steps;
  float2 from, speed;
};

// Orbits by the rule of Verlet, of structs that are passed by value.
__global__ void orbits(Orbit orbit, double* end, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = orbit.from.x + 0.01 * i, y = orbit.from.y, vx = orbit.speed.x, vy = orbit.speed.y;
  for (int k = 0; k < orbit.steps; ++k) {
    const double r2 = x * x + y * y, a = -orbit.mass / (r2 * sqrt(r2));
    vx += 0.5 * orbit.step * a * x, vy += 0.5 * orbit.step * a * y;
    x += orbit.step * vx, y += orbit.step * vy;
    const double s2 = x * x + y * y, b = -orbit.mass / (s2 * sqrt(s2));
    vx += 0.5 * orbit.step * b * x, vy += 0.5 * orbit.step * b * y;
  }
  end[2 * i] = x, end[2 * i + 1] = y;
}

// Quotients of complex numbers as the library has them, which looks for infinities and NaNs.
__global__ void quotients(const float2* x, const float2* y, float2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const cuda::std::complex<float> a(x[i].x, x[i].y), b(y[i].x, y[i].y);
  const cuda::std::complex<float> q = a / b, p = a * b;
  out[2 * i] = make_float2(q.real(), q.imag());
  out[2 * i + 1] = make_float2(p.real(), p.imag());
}

// A dot product of f32 in twice the precision (Dekker, Knuth): sums and errors go through the lanes together.
__global__ void dot_of_twos(const float* x, const float* y, float* out, int n) {
  float high = 0, low = 0;
  const auto add = [&](float a, float b) {
    const float sum = high + a, part = sum - high;
    const float error = (high - (sum - part)) + (a - part);
    high = sum, low += error + b;
  };
  for (int i = threadIdx.x; i < n; i += 32) {
    const float product = x[i] * y[i];
    add(product, fmaf(x[i], y[i], -product));
  }
  for (int d = 16; d > 0; d /= 2) {
    const float a = __shfl_xor_sync(0xffffffff, high, d), b = __shfl_xor_sync(0xffffffff, low, d);
    if ((threadIdx.x & d) == 0) add(a, b);
    high = __shfl_sync(0xffffffff, high, threadIdx.x & ~d);
    low = __shfl_sync(0xffffffff, low, threadIdx.x & ~d);
  }
  if (threadIdx.x == 0) out[0] = high, out[1] = low;
}

}  // extern "C"
