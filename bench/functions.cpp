// The elementary functions in f32, correctly rounded, beside the C library's, which need not be: nanoseconds an element, on
// one core, over arguments that an array in the caches holds.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "bench/kernel.h"
#include "bench/measure.h"
#include "ir/op.h"
#include "numerics/arrays.h"

namespace {

using namespace reckon;

constexpr std::size_t count = 1 << 14;

struct Row {
  const char* name;
  numerics::Function function;
  ir::Op op;
  void (*library)(const float* x, float* result);
  double low, high;
};

#define RECKON_ROW(name, low, high)                                          \
  {#name, numerics::Function::name, ir::Op::name,                            \
   [](const float* x, float* result) {                                       \
     for (std::size_t i = 0; i < count; ++i) result[i] = name##f(x[i]);      \
   },                                                                        \
   low, high}
const Row rows[] = {RECKON_ROW(exp, -10, 10),    RECKON_ROW(exp2, -10, 10),  RECKON_ROW(expm1, -2, 2),
                    RECKON_ROW(exp10, -5, 5),    RECKON_ROW(log10, 1e-3, 1e3),
                    RECKON_ROW(log, 1e-3, 1e3),  RECKON_ROW(log2, 1e-3, 1e3), RECKON_ROW(log1p, -0.9, 10),
                    RECKON_ROW(sin, -10, 10),    RECKON_ROW(cos, -10, 10),   RECKON_ROW(tan, -10, 10),
                    RECKON_ROW(asin, -1, 1),     RECKON_ROW(acos, -1, 1),    RECKON_ROW(atan, -10, 10),
                    RECKON_ROW(sinh, -5, 5),     RECKON_ROW(cosh, -5, 5),    RECKON_ROW(tanh, -5, 5),
                    RECKON_ROW(asinh, -10, 10),  RECKON_ROW(acosh, 1, 10),   RECKON_ROW(atanh, -1, 1),
                    RECKON_ROW(erf, -4, 4),      RECKON_ROW(cbrt, -10, 10),  RECKON_ROW(sqrt, 0, 10)};

}  // namespace

int main() {
  std::printf("f32 function    C library  interpreter  host code   (ns an element)   library / host code\n");
  for (const Row& row : rows) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<float> any(static_cast<float>(row.low), static_cast<float>(row.high));
    std::vector<float> x(count), result(count);
    for (float& value : x) value = any(engine);
    const auto nanoseconds = [&](auto&& work) {
      return 1e9 / static_cast<double>(count) * bench::median_seconds(51, [&] {
        work();
        bench::keep(result.data());
      });
    };
    const bench::Kernel kernel(row.op, ir::Scalar::f32);
    const double library = nanoseconds([&] { row.library(x.data(), result.data()); });
    const double interpreter =
        nanoseconds([&] { numerics::elementary_array(row.function, numerics::Format::f32, x.data(), result.data(), count); });
    const double host = nanoseconds([&] { kernel(x, result); });
    std::printf("%-12s %12.2f %12.2f %10.2f %39.2f\n", row.name, library, interpreter, host, library / host);
  }
}
