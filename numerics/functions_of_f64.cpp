#include "numerics/functions_of_f64.h"

#include <bit>

namespace reckon::numerics {

#if defined(__x86_64__)
namespace avx2 {
void nearest_f64(Function function, const double* x, double* result, std::size_t count);
void nearest_f64(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count);
}  // namespace avx2

namespace {
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
}  // namespace
#endif

void nearest_f64(Function function, const double* x, double* result, std::size_t count) {
#if defined(__x86_64__)
  if (has_avx2()) return avx2::nearest_f64(function, x, result, count);
#endif
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = std::bit_cast<double>(mpfr_unary(function, std::bit_cast<std::uint64_t>(x[i]), Format::f64));
  }
}

void nearest_f64(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count) {
#if defined(__x86_64__)
  if (has_avx2()) return avx2::nearest_f64(function, x, y, result, count);
#endif
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = std::bit_cast<double>(
        mpfr_binary(function, std::bit_cast<std::uint64_t>(x[i]), std::bit_cast<std::uint64_t>(y[i]), Format::f64));
  }
}

}  // namespace reckon::numerics
