// Compiled for machines with AVX2 and FMA, and only called there.
#include <cstring>

#include "numerics/functions/functions.h"
#include "numerics/vector_builder.h"
#include "numerics/wide_functions.h"

namespace reckon::numerics::avx2 {

namespace {

using Lanes = VectorBuilder::F64;

/// The next lanes of an array; lanes past its end are 1.
Lanes loaded(const double* from, std::size_t left) {
  Lanes lanes = VectorBuilder::f64_const(1.0);
  std::memcpy(&lanes, from, (left < VectorBuilder::lanes ? left : VectorBuilder::lanes) * sizeof(double));
  return lanes;
}

template <auto function, class... Inputs>
void run(double* result, std::size_t count, const Inputs*... inputs) {
  VectorBuilder builder;
  std::size_t i = 0;
  for (; i + VectorBuilder::lanes <= count; i += VectorBuilder::lanes) {
    const Lanes lanes = elementary<function>(builder, loaded(inputs + i, VectorBuilder::lanes)...);
    std::memcpy(result + i, &lanes, sizeof lanes);
  }
  if (i < count) {
    const Lanes lanes = elementary<function>(builder, loaded(inputs + i, count - i)...);
    std::memcpy(result + i, &lanes, (count - i) * sizeof(double));
  }
}

}  // namespace

void wide_function(Function function, const double* x, double* result, std::size_t count) {
  with_function(function, [&]<Function f>() { run<f>(result, count, x); });
}

void wide_function(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count) {
  with_function(function, [&]<BinaryFunction f>() { run<f>(result, count, x, y); });
}

}  // namespace reckon::numerics::avx2
