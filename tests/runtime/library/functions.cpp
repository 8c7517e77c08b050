// A shared library of functions that checks call: right ones, wrong ones, and some that cannot be called.
#include <cfenv>
#include <cmath>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

extern "C" {

// Rounded once from f64, with an error far below half an ulp of f32.
float right_exp(float x) { return static_cast<float>(std::exp(static_cast<double>(x))); }
// Taylor's polynomial, which is no exponential beyond small x.
float wrong_exp(float x) { return 1 + x + x * x / 2 + x * x * x / 6; }
// Off by so many ulps, upward.
float add_off_by_3(float x, float y) {
  float sum = x + y;
  for (int k = 0; k < 3; ++k) sum = std::nextafterf(sum, INFINITY);
  return sum;
}
double fused(double x, double y, double z) { return std::fma(x, y, z); }
_Float16 half_root(_Float16 x) { return static_cast<_Float16>(std::sqrt(static_cast<float>(x))); }
float not_a_number(float x) { return x - x + NAN; }
// Leaves the machine rounding downward and flushing subnormals, as careless code does.
float careless(float x) {
  std::fesetround(FE_DOWNWARD);
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  return x;
}

int some_data = 7;
}

float mangled(float x) { return x; }
