// Compiled for machines with AVX2 and FMA, and only called there.
#include <cstring>

#include "numerics/functions64/functions64.h"
#include "numerics/functions_of_f64.h"
#include "numerics/vector_builder.h"
#include "numerics/wide_functions.h"

namespace reckon::numerics::avx2 {

namespace {

/// Arithmetic on four lanes that remembers in which of them a rounding rests on the estimated errors.
struct Deciding : VectorBuilder {
  Bool decided{i64_const(~std::uint64_t{0})};

  void decide(Bool condition) { decided = both(decided, condition); }
};
using Lanes = Deciding::F64;

/// These take the place of triple.h's: the arguments' namespace is searched when its templates are instantiated.
[[gnu::always_inline]] inline Lanes rounded(Deciding& b, const Triple<Deciding>& x) {
  const Lanes tail = b.add(x.middle, x.low), slack = b.mul(magnitude(b, x.high), b.f64_const(0x1p-90));
  const Lanes below = b.add(x.high, b.sub(tail, slack)), above = b.add(x.high, b.add(tail, slack));
  b.decide(b.i_equal(b.bits(below), b.bits(above)));
  b.decide(b.f_less(b.f64_const(0.0), magnitude(b, below)));  // the sign of 0 is another matter
  return below;
}
[[gnu::always_inline]] inline Lanes rounded(Deciding& b, const Triple<Deciding>& x, Deciding::I64 k) {
  const Lanes result = times_power_int(b, rounded(b, x), k);
  b.decide(b.f_less(b.f64_const(0x1p-1022), magnitude(b, result)));
  return result;
}

/// Up to four elements.
template <auto function, class... Inputs>
[[gnu::always_inline]] inline void run_lanes(double* result, std::size_t count, const Inputs*... inputs) {
  const auto loaded = [&](const double* from) {
    Lanes lanes = Deciding::f64_const(1.0);
    std::memcpy(&lanes, from, count * sizeof(double));
    return lanes;
  };
  Deciding builder;
  const Lanes lanes = elementary_f64<function>(builder, loaded(inputs)...);
  const int decided = _mm256_movemask_pd(reinterpret_cast<Lanes>(builder.decided.mask));
  for (std::size_t i = 0; i < count; ++i) result[i] = decided >> i & 1 ? lanes[i] : mpfr_nearest(function, inputs[i]...);
}

template <auto function, class... Inputs>
void run(double* result, std::size_t count, const Inputs*... inputs) {
  constexpr std::size_t lanes = Deciding::lanes;
  for (std::size_t i = 0; i < count; i += lanes) {
    run_lanes<function>(result + i, count - i < lanes ? count - i : lanes, inputs + i...);
  }
}

}  // namespace

void nearest_f64(Function function, const double* x, double* result, std::size_t count) {
  with_function(function, [&]<Function f>() {
    if constexpr (has_f64_algorithm(f)) {
      run<f>(result, count, x);
    } else {
      for (std::size_t i = 0; i < count; ++i) result[i] = mpfr_nearest(f, x[i]);
    }
  });
}

void nearest_f64(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count) {
  with_function(function, [&]<BinaryFunction f>() { run<f>(result, count, x, y); });
}

}  // namespace reckon::numerics::avx2
