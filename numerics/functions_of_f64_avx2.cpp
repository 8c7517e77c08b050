// Compiled for machines with AVX2 and FMA, and only called there.
#include <cstring>

#include "numerics/functions64/quick.h"
#include "numerics/functions_of_f64.h"
#include "numerics/vector_builder.h"
#include "numerics/wide_functions.h"

namespace reckon::numerics::avx2 {

namespace {

/// Up to four elements.
template <auto function, class... Inputs>
[[gnu::always_inline]] inline void run_lanes(double* result, std::size_t count, const Inputs*... inputs) {
  using Lanes = VectorBuilder::F64;
  const auto loaded = [&](const double* from) {
    Lanes lanes = VectorBuilder::f64_const(1.0);
    std::memcpy(&lanes, from, count * sizeof(double));
    return lanes;
  };
  VectorBuilder builder;
  const auto [lanes, is_decided] = quick_f64<function>(builder, loaded(inputs)...);
  const int decided = _mm256_movemask_pd(reinterpret_cast<Lanes>(is_decided.mask));
  for (std::size_t i = 0; i < count; ++i) result[i] = decided >> i & 1 ? lanes[i] : mpfr_nearest(function, inputs[i]...);
}

template <auto function, class... Inputs>
void run(double* result, std::size_t count, const Inputs*... inputs) {
  constexpr std::size_t lanes = VectorBuilder::lanes;
  for (std::size_t i = 0; i < count; i += lanes) {
    run_lanes<function>(result + i, count - i < lanes ? count - i : lanes, inputs + i...);
  }
}

}  // namespace

void nearest_f64(Function function, const double* x, double* result, std::size_t count) {
  with_function(function, [&]<Function f>() { run<f>(result, count, x); });
}

void nearest_f64(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count) {
  with_function(function, [&]<BinaryFunction f>() { run<f>(result, count, x, y); });
}

}  // namespace reckon::numerics::avx2
