#include "numerics/wide_functions.h"

#include "numerics/functions/functions.h"
#include "numerics/native_builder.h"
#include "numerics/processor.h"

namespace reckon::numerics {

namespace portable {

void wide_function(Function function, const double* x, double* result, std::size_t count) {
  with_function(function, [&]<Function f>() {
    NativeBuilder builder;
    for (std::size_t i = 0; i < count; ++i) result[i] = elementary<f>(builder, x[i]);
  });
}

void wide_function(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count) {
  with_function(function, [&]<BinaryFunction f>() {
    NativeBuilder builder;
    for (std::size_t i = 0; i < count; ++i) result[i] = elementary<f>(builder, x[i], y[i]);
  });
}

}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {
void wide_function(Function function, const double* x, double* result, std::size_t count);
void wide_function(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count);
}  // namespace avx2
#endif

void wide_function(Function function, const double* x, double* result, std::size_t count) {
#if defined(__x86_64__)
  if (has_avx2_and_fma()) return avx2::wide_function(function, x, result, count);
#endif
  portable::wide_function(function, x, result, count);
}

void wide_function(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count) {
#if defined(__x86_64__)
  if (has_avx2_and_fma()) return avx2::wide_function(function, x, y, result, count);
#endif
  portable::wide_function(function, x, y, result, count);
}

}  // namespace reckon::numerics
