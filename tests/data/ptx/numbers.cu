// Numbers of other formats, random ones, functions, and what the language has besides. tests/ptx/cuda_numbers_test.cpp
// computes the same.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdio>

// Philox 4x32 with ten rounds (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3").
__device__ uint4 philox(uint4 c, uint2 key) {
  for (int k = 0; k < 10; ++k) {
    unsigned low0 = c.x * 0xD2511F53u, high0 = __umulhi(c.x, 0xD2511F53u), low1 = c.z * 0xCD9E8D57u,
             high1 = __umulhi(c.z, 0xCD9E8D57u);
    c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
    key.x += 0x9E3779B9u, key.y += 0xBB67AE85u;
  }
  return c;
}

extern "C" {

__global__ void random_numbers(uint4* out, uint2 key, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = philox(make_uint4(i, 0, 0, 0), key);
}
// Points in the unit square, and how many of them lie within the circle.
__global__ void monte_carlo(unsigned long long* inside, int each, uint2 key) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned count = 0;
  for (int k = 0; k < each; ++k) {
    uint4 r = philox(make_uint4(thread, k, 0, 0), key);
    float x = (r.x >> 8) * 0x1p-24f, y = (r.y >> 8) * 0x1p-24f;
    if (x * x + y * y < 1.0f) ++count;
  }
  count = __reduce_add_sync(0xffffffff, count);
  if (threadIdx.x % 32 == 0) atomicAdd(inside, (unsigned long long)count);
}

__global__ void to_halves(const float* x, __half* h, __nv_bfloat16* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) h[i] = __float2half_rn(x[i]), b[i] = __float2bfloat16_rn(x[i]);
}
__global__ void to_eights(const float2* x, unsigned short* e4m3, unsigned short* e5m2, __half2* back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_fp8x2_storage_t s = __nv_cvt_float2_to_fp8x2(x[i], __NV_SATFINITE, __NV_E4M3);
  e4m3[i] = s;
  e5m2[i] = __nv_cvt_float2_to_fp8x2(x[i], __NV_SATFINITE, __NV_E5M2);
  __half2_raw r = __nv_cvt_fp8x2_to_halfraw2(s, __NV_E4M3);
  back[i] = *(__half2*)&r;
}
// Polynomials of pairs, the greater of two, comparisons that count.
__global__ void pairs(const __half2* x, const __half2* y, __half2* polynomial, __half2* greatest, int* greater, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 p = __hfma2(x[i], __float2half2_rn(0.5f), __float2half2_rn(-1.25f));
  p = __hfma2(p, x[i], y[i]);
  polynomial[i] = __hsub2(__hmul2(p, y[i]), __habs2(x[i]));
  greatest[i] = __hmax2(x[i], __hneg2(y[i]));
  greater[i] = __hbgt2(x[i], y[i]) ? 1 : __heq(__low2half(x[i]), __low2half(y[i])) ? 2 : 0;
}
__global__ void bf16_pairs(const __nv_bfloat162* x, __nv_bfloat162* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hadd2(__hmul2(x[i], x[i]), __hfma2(x[i], y[i], x[i]));
}

// Directed roundings: intervals of sums and products.
__global__ void intervals(const double2* x, const double2* y, double2* sum, double2* product, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double2 a = x[i], b = y[i];
  sum[i] = make_double2(__dadd_rd(a.x, b.x), __dadd_ru(a.y, b.y));
  double low = fmin(fmin(__dmul_rd(a.x, b.x), __dmul_rd(a.x, b.y)), fmin(__dmul_rd(a.y, b.x), __dmul_rd(a.y, b.y)));
  double high = fmax(fmax(__dmul_ru(a.x, b.x), __dmul_ru(a.x, b.y)), fmax(__dmul_ru(a.y, b.x), __dmul_ru(a.y, b.y)));
  product[i] = make_double2(low, high);
}

// Of the library, by tables and polynomials; large angles go through local memory.
__global__ void functions_of_doubles(const double* x, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double s, c;
  sincos(x[i], &s, &c);
  out[i] = s, out[n + i] = c;
  out[2 * n + i] = exp(-fabs(x[i])), out[3 * n + i] = log(fabs(x[i]) + 1), out[4 * n + i] = pow(fabs(x[i]), 0.3);
  out[5 * n + i] = erf(x[i]), out[6 * n + i] = cbrt(x[i]), out[7 * n + i] = atan2(x[i], 2.0);
}
__global__ void angles(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sinf(x[i]), out[n + i] = cosf(x[i]);
}

__global__ void whole_numbers(const long long* x, const long long* y, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long a = x[i], b = y[i];
  out[i] = a / b, out[n + i] = a % b, out[2 * n + i] = __mul64hi(a, b);
  out[3 * n + i] = (long long)__popcll(a) << 32 | __clzll(b) << 16 | __ffsll(a), out[4 * n + i] = __brevll(a);
  out[5 * n + i] = __funnelshift_l((int)a, (int)b, (int)(b >> 32)),
              out[6 * n + i] = __byte_perm((int)a, (int)b, (int)(a >> 32));
  out[7 * n + i] = (unsigned)a / ((unsigned)b | 1u), out[8 * n + i] = __sad((int)a, (int)b, 7u);
}

// A choice among many ways.
__global__ void interpret(const int* code, const int* x, int* out, int steps) {
  int v = x[threadIdx.x];
  for (int k = 0; k < steps; ++k) switch (code[k]) {
      case 0: v += 3; break;
      case 1: v *= 5; break;
      case 2: v ^= v >> 3; break;
      case 3: v = -v; break;
      case 4: v = v << 2 | threadIdx.x; break;
      case 5: v = v / 7; break;
      case 6: v = max(v, -100000); break;
      default: v = v % 1000; break;
    }
  out[threadIdx.x] = v;
}

}  // extern "C"

// Functions by their address.
struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};
typedef int (*Operation)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ Operation operations[2] = {add, subtract};

extern "C" {

__global__ void areas(float* out) {
  Square square(threadIdx.x);
  Circle circle(threadIdx.x);
  const Shape* shape = threadIdx.x % 3 == 0 ? (const Shape*)&circle : &square;
  out[threadIdx.x] = shape->area();
}
__global__ void by_address(const int* which, int* out) {
  out[threadIdx.x] = operations[which[threadIdx.x]](10, threadIdx.x);
}

__global__ void speaks(const float* x) {
  if (threadIdx.x < 2) printf("thread %d has %g, %s\n", threadIdx.x, x[threadIdx.x], "as given");
}

}  // extern "C"
