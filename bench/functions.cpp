// The elementary functions in f32 and f64, correctly rounded, beside the C library's, which need not be: nanoseconds an
// element, on one core, over arguments that an array in the caches holds.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "bench/kernel.h"
#include "bench/measure.h"
#include "ir/op.h"
#include "numerics/arrays.h"
#include "numerics/functions_of_f64.h"

namespace {

using namespace reckon;

constexpr std::size_t count = 1 << 14;

template <class T>
struct Row {
  const char* name;
  numerics::Function function;
  ir::Op op;
  void (*library)(const T* x, T* result);
  double low, high;
};

float exp10(float x) { return ::exp10f(x); }
double exp10(double x) { return ::exp10(x); }

template <class T>
const std::vector<Row<T>>& rows() {
  using namespace std;
#define RECKON_ROW(name, low, high)                                         \
  {                                                                         \
#name, numerics::Function::name, ir::Op::name,                            \
   [](const T* x, T* result) {                                               \
     for (std::size_t i = 0; i < count; ++i) result[i] = name(x[i]);         \
   },                                                                        \
   low, high \
  }
  static const std::vector<Row<T>> all = {
      RECKON_ROW(exp, -10, 10),    RECKON_ROW(exp2, -10, 10),    RECKON_ROW(expm1, -2, 2),
      RECKON_ROW(exp10, -5, 5),    RECKON_ROW(log10, 1e-3, 1e3), RECKON_ROW(log, 1e-3, 1e3),
      RECKON_ROW(log2, 1e-3, 1e3), RECKON_ROW(log1p, -0.9, 10),  RECKON_ROW(sin, -10, 10),
      RECKON_ROW(cos, -10, 10),    RECKON_ROW(tan, -10, 10),     RECKON_ROW(asin, -1, 1),
      RECKON_ROW(acos, -1, 1),     RECKON_ROW(atan, -10, 10),    RECKON_ROW(sinh, -5, 5),
      RECKON_ROW(cosh, -5, 5),     RECKON_ROW(tanh, -5, 5),      RECKON_ROW(asinh, -10, 10),
      RECKON_ROW(acosh, 1, 10),    RECKON_ROW(atanh, -1, 1),     RECKON_ROW(erf, -4, 4),
      RECKON_ROW(cbrt, -10, 10),   RECKON_ROW(sqrt, 0, 10)};
#undef RECKON_ROW
  return all;
}

void interpret(numerics::Function function, const std::vector<float>& x, std::vector<float>& result) {
  numerics::elementary_array(function, numerics::Format::f32, x.data(), result.data(), count);
}
void interpret(numerics::Function function, const std::vector<double>& x, std::vector<double>& result) {
  numerics::nearest_f64(function, x.data(), result.data(), count);
}

template <class T>
void measure(const char* format, ir::Scalar scalar) {
  std::printf("%s function    C library  interpreter  host code   (ns an element)   library / host code\n", format);
  for (const Row<T>& row : rows<T>()) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<T> any(static_cast<T>(row.low), static_cast<T>(row.high));
    std::vector<T> x(count), result(count);
    for (T& value : x) value = any(engine);
    const auto nanoseconds = [&](auto&& work) {
      return 1e9 / static_cast<double>(count) * bench::median_seconds(51, [&] {
        work();
        bench::keep(result.data());
      });
    };
    const bench::Kernel kernel(row.op, scalar);
    const double library = nanoseconds([&] { row.library(x.data(), result.data()); });
    const double interpreter = nanoseconds([&] { interpret(row.function, x, result); });
    const double host = nanoseconds([&] { kernel(x, result); });
    std::printf("%-12s %12.2f %12.2f %10.2f %39.2f\n", row.name, library, interpreter, host, library / host);
  }
}

}  // namespace

int main() {
  measure<float>("f32", ir::Scalar::f32);
  std::printf("\n");
  measure<double>("f64", ir::Scalar::f64);
}
