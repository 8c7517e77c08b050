/* Sums in C, as a library of one's own would have them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Four accumulators, joined in pairs, and a sequential rest. */
float sum4(const float* x, int64_t n) {
  float s[4] = {0, 0, 0, 0};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) s[k] += x[i + k];
  }
  float total = (s[0] + s[1]) + (s[2] + s[3]);
  for (; i < n; ++i) total += x[i];
  return total;
}

double sequential(int n, const double* x) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}

/* From the right. */
float backwards(const float* x, int n) {
  float s = 0;
  for (int i = n - 1; i >= 0; --i) s += x[i];
  return s;
}

/* f32 elements, f64 sums. */
double wide(const float* x, int64_t n) {
  double s = 0;
  for (int64_t i = 0; i < n; ++i) s += x[i];
  return s;
}

/* As in BLAS. */
float dot(int n, const float* x, int stride_x, const float* y, int stride_y) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += x[i * stride_x] * y[i * stride_y];
  return s;
}

float dot_fma(const float* x, const float* y, int64_t n) {
  float s = 0;
  for (int64_t i = 0; i < n; ++i) s = __builtin_fmaf(x[i], y[i], s);
  return s;
}

float mean(const float* x, int64_t n) { return sum4(x, n) / (float)n; }

float chatty(const float* x, int64_t n) {
  printf("adding %d\n", (int)n);
  fflush(stdout);
  return sum4(x, n);
}

float crash(const float* x, int64_t n) {
  (void)x, (void)n;
  abort();
}
