// The elementary functions of one operand beside two references that share nothing with ours, for benchmarks that go
// through all arguments: glibc's x87 functions, whose documented errors are a few units in the 64th bit, and MPFR.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "ir/op.h"
#include "numerics/elementary.h"
#include "numerics/format.h"

namespace reckon::bench {

using numerics::Format;
using numerics::Function;

struct Row {
  const char* name;
  Function function;
  ir::Op op;
  long double (*wide)(long double);
  int (*mpfr)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
};
#define RECKON_ROW(name) {#name, Function::name, ir::Op::name, name##l, mpfr_##name}
/// glibc has no functions of pi x: the sine and cosine of pi t, for the exact distance t of x from a multiple of 1/2.
/// Where the value is 0, 1, -1 or a pole, the result is so small that MPFR decides.
template <Function function>
long double of_half_turns(long double x) {
  constexpr bool tangent = function == Function::tanpi;
  if (!std::isfinite(x)) return std::numeric_limits<long double>::quiet_NaN();
  const long double within = std::fmod(x, 2.0L), nearest = std::nearbyint(2 * within) / 2, t = within - nearest;
  const long double angle = 3.14159265358979323846264338327950288L * t;
  const int quarter = static_cast<int>(2 * nearest) & 3;
  const auto turned = [&](int quarters) {
    const long double value = quarters % 2 ? cosl(angle) : sinl(angle);
    return (quarters & 2) ? -value : value;
  };
  if (t == 0 || (tangent && std::fabs(t) == 0.25L)) return 0x1p-130L;
  if (tangent) return turned(quarter) / turned(quarter + 1);
  return turned(quarter + (function == Function::sinpi ? 0 : 1));
}
inline const Row rows[] = {
    RECKON_ROW(exp),
    RECKON_ROW(exp2),
    RECKON_ROW(expm1),
    RECKON_ROW(log),
    RECKON_ROW(log2),
    RECKON_ROW(log1p),
    RECKON_ROW(sin),
    RECKON_ROW(cos),
    RECKON_ROW(tan),
    RECKON_ROW(asin),
    RECKON_ROW(acos),
    RECKON_ROW(atan),
    RECKON_ROW(sinh),
    RECKON_ROW(cosh),
    RECKON_ROW(tanh),
    RECKON_ROW(asinh),
    RECKON_ROW(acosh),
    RECKON_ROW(atanh),
    RECKON_ROW(erf),
    RECKON_ROW(cbrt),
    RECKON_ROW(sqrt),
    RECKON_ROW(erfc),
    {"sinpi", Function::sinpi, ir::Op::sinpi, of_half_turns<Function::sinpi>, mpfr_sinpi},
    {"cospi", Function::cospi, ir::Op::cospi, of_half_turns<Function::cospi>, mpfr_cospi},
    {"tanpi", Function::tanpi, ir::Op::tanpi, of_half_turns<Function::tanpi>, mpfr_tanpi},
    {"gamma", Function::gamma, ir::Op::gamma,
     [](long double x) { return x <= 0 && x == std::floor(x) ? (x == 0 ? 1 / x : NAN) : tgammal(x); }, mpfr_gamma},
    {"lgamma", Function::lgamma, ir::Op::lgamma,
     [](long double x) {
       int sign = 0;
       return ::lgammal_r(x, &sign);
     },
     [](mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t where) {
       int sign = 0;
       return mpfr_lgamma(result, &sign, x, where);
     }},
    {"exp10", Function::exp10, ir::Op::exp10, [](long double x) { return ::exp10l(x); }, mpfr_exp10},
    RECKON_ROW(log10),
    {"rsqrt", Function::rsqrt, ir::Op::rsqrt,
     [](long double x) { return x == 0 ? std::copysign(HUGE_VALL, x) : 1 / sqrtl(x); },
     [](mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t where) {
       const int ternary = mpfr_rec_sqrt(result, x, where);
       if (mpfr_zero_p(x) && mpfr_signbit(x)) mpfr_set_inf(result, -1);
       return ternary;
     }}};

inline std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// One correct rounding into the format, subnormals and overflow as there.
class Mpfr {
 public:
  explicit Mpfr(Format format) {
    const auto traits = numerics::traits(format);
    mpfr_init2(argument_, 53);
    mpfr_init2(result_, traits.precision);
    // MPFR's significands are in [1/2, 1). The range is this thread's own.
    mpfr_set_emin(traits.emin - traits.precision + 2);
    mpfr_set_emax(traits.emax + 1);
  }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;
  ~Mpfr() {
    mpfr_clear(argument_);
    mpfr_clear(result_);
    mpfr_free_cache();
  }
  double operator()(const Row& row, double x, mpfr_rnd_t where = MPFR_RNDN) {
    mpfr_set_d(argument_, x, MPFR_RNDN);
    const int ternary = row.mpfr(result_, argument_, where);
    mpfr_subnormalize(result_, ternary, where);
    return mpfr_get_d(result_, MPFR_RNDN);
  }

 private:
  mpfr_t argument_;
  mpfr_t result_;
};

struct Tally {
  std::uint64_t arguments = 0, by_mpfr = 0, mismatches = 0, checksum = 0;
  void add(const Tally& other) {
    arguments += other.arguments;
    by_mpfr += other.by_mpfr;
    mismatches += other.mismatches;
    checksum += other.checksum;
  }
};

}  // namespace reckon::bench
