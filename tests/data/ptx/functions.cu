// Functions of CUDA's library, as nvcc writes them out.
extern "C" {

// Rows of n: logf, log2f, tanhf, logf of a sum of expf, and erff.
__global__ void functions(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = logf(v);
  y[n + i] = log2f(v + v);
  y[2 * n + i] = tanhf(v * v);
  y[3 * n + i] = logf(1 + expf(v));
  y[4 * n + i] = erff(v - 3) * (v - 3);
}

#define OF_ONE(name)                                            \
  __global__ void of_##name(const float* x, float* y, int n) {  \
    int i = blockIdx.x * blockDim.x + threadIdx.x;              \
    if (i < n) y[i] = name(x[i] * 3) + x[i];                    \
  }
OF_ONE(sinf)
OF_ONE(cosf)
OF_ONE(tanf)
OF_ONE(exp10f)
OF_ONE(expm1f)
OF_ONE(logf)
OF_ONE(log2f)
OF_ONE(log10f)
OF_ONE(log1pf)
OF_ONE(tanhf)
OF_ONE(sinhf)
OF_ONE(coshf)
OF_ONE(atanf)
OF_ONE(asinf)
OF_ONE(acosf)
OF_ONE(erff)
OF_ONE(erfcf)

// Two functions that share what they begin with.
__global__ void turned(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sine, cosine;
  sincosf(x[i], &sine, &cosine);
  y[i] = sine * 2 + cosine;
}
__global__ void sum_of_both(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sinf(x[i]) * 2 + cosf(x[i]);
}
// Rotary embedding: each thread turns a pair by the angle p base^(-2 i / n).
__global__ void rotary(const float* x, const float* p, float* y, int n, float base) {
  int i = threadIdx.x;
  if (i >= n / 2) return;
  float angle = p[blockIdx.x] * powf(base, -2.0f * i / n), sine, cosine;
  sincosf(angle, &sine, &cosine);
  float a = x[blockIdx.x * n + i], b = x[blockIdx.x * n + n / 2 + i];
  y[blockIdx.x * n + i] = a * cosine - b * sine;
  y[blockIdx.x * n + n / 2 + i] = a * sine + b * cosine;
}
__global__ void powers(const float* x, const float* z, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = powf(x[i] * x[i], z[i] + 1) * x[i];
}
// The kernel's own comparison of what it computed, beside a function that asks, too.
__global__ void asks_itself(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i] * 3;
  y[i] = fabsf(v) < 1 ? sinf(v) : v;
}

}  // extern "C"
