#include "numerics/functions_of_f64.h"

#include "numerics/processor.h"

namespace reckon::numerics {

#if defined(__x86_64__)
namespace avx2 {
void nearest_f64(Function function, const double* x, double* result, std::size_t count);
void nearest_f64(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count);
}  // namespace avx2
#endif

void nearest_f64(Function function, const double* x, double* result, std::size_t count) {
#if defined(__x86_64__)
  if (has_avx2_and_fma()) return avx2::nearest_f64(function, x, result, count);
#endif
  for (std::size_t i = 0; i < count; ++i) result[i] = mpfr_nearest(function, x[i]);
}

void nearest_f64(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count) {
#if defined(__x86_64__)
  if (has_avx2_and_fma()) return avx2::nearest_f64(function, x, y, result, count);
#endif
  for (std::size_t i = 0; i < count; ++i) result[i] = mpfr_nearest(function, x[i], y[i]);
}

}  // namespace reckon::numerics
