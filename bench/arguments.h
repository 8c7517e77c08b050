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
inline const Row rows[] = {RECKON_ROW(exp),   RECKON_ROW(exp2),  RECKON_ROW(expm1), RECKON_ROW(log),   RECKON_ROW(log2),
                           RECKON_ROW(log1p), RECKON_ROW(sin),   RECKON_ROW(cos),   RECKON_ROW(tan),   RECKON_ROW(asin),
                           RECKON_ROW(acos),  RECKON_ROW(atan),  RECKON_ROW(sinh),  RECKON_ROW(cosh),  RECKON_ROW(tanh),
                           RECKON_ROW(asinh), RECKON_ROW(acosh), RECKON_ROW(atanh), RECKON_ROW(erf),   RECKON_ROW(cbrt),
                           RECKON_ROW(sqrt), {"exp10", Function::exp10, ir::Op::exp10, [](long double x) { return ::exp10l(x); }, mpfr_exp10}, RECKON_ROW(log10),
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
