// Branch-free loops over blocks, for operands that are zero or have a magnitude between 2^-450 and 2^450. There no
// intermediate result overflows or underflows, so residuals are exact and their signs say which way to round. A block
// with another operand (infinite endpoints, empty intervals, subnormals, divisors that hold 0, negative radicands) is
// computed element by element by the rules themselves.
//
// One step of the last place is x +- fl(phi |x|), phi = 2^-53 (1 + 2^-52): Rump, Zimmermann, Boldo and Melquiond,
// "Computing predecessor and successor in rounding to nearest", BIT 49, 2009; right for |x| >= 2^-969.
#include "semantics/interval/kernels.h"

#include <bit>
#include <cmath>

#include "semantics/interval/exp.h"

namespace reckon::interp {

namespace {

using Interval = IntervalOf<double>;
constexpr std::size_t block = 256;

#define RECKON_INLINE [[gnu::always_inline]] static inline

constexpr double phi = 0x1.0000000000001p-53;

/// `near` rounded down, where `error` has the sign of exact value - near; and rounded up.
RECKON_INLINE double step_down(double near, double error) { return near - (error < 0 ? std::fabs(near) * phi : 0.0); }
RECKON_INLINE double step_up(double near, double error) { return near + (error > 0 ? std::fabs(near) * phi : 0.0); }

/// Negative unless x is zero or has a magnitude from `least` to `most`. It works on patterns, without a comparison:
/// combined by `|`, this costs less than the arithmetic.
RECKON_INLINE std::int64_t out_of_fast_range(double x, double least = 0x1p-450, double most = 0x1p+450) {
  const auto magnitude = std::bit_cast<std::int64_t>(std::fabs(x));
  return (std::bit_cast<std::int64_t>(most) - magnitude) |
         ((magnitude - std::bit_cast<std::int64_t>(least)) & ~(magnitude - 1));
}
RECKON_INLINE std::int64_t out_of_fast_range(const Interval& x) {
  return out_of_fast_range(x.low) | out_of_fast_range(x.high);
}

/// Negative if 0 is inside the interval or an endpoint.
RECKON_INLINE std::int64_t holds_zero(const Interval& x) {
  // These sums turn -0 into 0, so a sign bit means less than 0.
  const auto from = std::bit_cast<std::int64_t>(0.0 - x.low), to = std::bit_cast<std::int64_t>(x.high + 0.0);
  return ~from & ~to;
}

// Each kernel computes the block's results, and returns whether they are valid.

struct Add {
  RECKON_INLINE bool run(const Interval* a, const Interval* b, Interval* out, std::size_t n) {
    std::int64_t unfit = 0;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) out[i] = sum(a[i].low, a[i].high, b[i].low, b[i].high, unfit);
    return unfit >= 0;
  }
  /// TwoSum requires less: if the sum has an ordinary size, nothing overflowed, and errors of sums are always exact.
  RECKON_INLINE Interval sum(double al, double ah, double bl, double bh, std::int64_t& unfit) {
    const double low = al + bl, high = ah + bh;
    unfit |= out_of_fast_range(low, 0x1p-900, 0x1p+1000) | out_of_fast_range(high, 0x1p-900, 0x1p+1000);
    return {step_down(low, error(al, bl, low)), step_up(high, error(ah, bh, high))};
  }
  RECKON_INLINE double error(double a, double b, double sum) {
    const double a_part = sum - b;
    const double b_part = sum - a_part;
    return (a - a_part) + (b - b_part);
  }
};

struct Sub {
  RECKON_INLINE bool run(const Interval* a, const Interval* b, Interval* out, std::size_t n) {
    std::int64_t unfit = 0;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) out[i] = Add::sum(a[i].low, a[i].high, -b[i].high, -b[i].low, unfit);
    return unfit >= 0;
  }
};

struct Mul {
  RECKON_INLINE bool run(const Interval* a, const Interval* b, Interval* out, std::size_t n) {
    std::int64_t unfit = 0;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
      unfit |= out_of_fast_range(a[i]) | out_of_fast_range(b[i]);
      const double al = a[i].low, ah = a[i].high, bl = b[i].low, bh = b[i].high;
      const double p = al * bl, q = al * bh, r = ah * bl, s = ah * bh;
      const double pe = std::fma(al, bl, -p), qe = std::fma(al, bh, -q), re = std::fma(ah, bl, -r),
                   se = std::fma(ah, bh, -s);
      const double low1 = min_of(step_down(p, pe), step_down(q, qe)), low2 = min_of(step_down(r, re), step_down(s, se));
      const double high1 = max_of(step_up(p, pe), step_up(q, qe)), high2 = max_of(step_up(r, re), step_up(s, se));
      out[i] = {min_of(low1, low2), max_of(high1, high2)};
    }
    return unfit >= 0;
  }
  RECKON_INLINE double min_of(double a, double b) { return a < b ? a : b; }
  RECKON_INLINE double max_of(double a, double b) { return a > b ? a : b; }
};

struct Div {
  RECKON_INLINE bool run(const Interval* a, const Interval* b, Interval* out, std::size_t n) {
    std::int64_t unfit = 0;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
      unfit |= out_of_fast_range(a[i]) | out_of_fast_range(b[i]) | holds_zero(b[i]);
      const bool negative = b[i].high < 0;
      const double al = negative ? -a[i].high : a[i].low, ah = negative ? -a[i].low : a[i].high;
      const double bl = negative ? -b[i].high : b[i].low, bh = negative ? -b[i].low : b[i].high;
      const double under_low = al >= 0 ? bh : bl, under_high = ah >= 0 ? bl : bh;
      const double low = al / under_low, high = ah / under_high;
      out[i] = {step_down(low, std::fma(-low, under_low, al)), step_up(high, std::fma(-high, under_high, ah))};
    }
    return unfit >= 0;
  }
};

struct Sqrt {
  RECKON_INLINE bool run(const Interval* a, Interval* out, std::size_t n) {
    std::int64_t unfit = 0;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
      unfit |= out_of_fast_range(a[i]) | std::bit_cast<std::int64_t>(a[i].low);
      const double low = std::sqrt(a[i].low), high = std::sqrt(a[i].high);
      out[i] = {step_down(low, std::fma(-low, low, a[i].low)), step_up(high, std::fma(-high, high, a[i].high))};
    }
    return unfit >= 0;
  }
};

struct Exp {
  /// Only endpoints that the fast evaluation cannot decide are computed by MPFR.
  RECKON_INLINE bool run(const Interval* a, Interval* out, std::size_t n) {
    const interval_exp::Table& table = interval_exp::table();
    std::int64_t low_open[block], high_open[block], any = 0;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
      const auto low = interval_exp::evaluate(table, a[i].low), high = interval_exp::evaluate(table, a[i].high);
      low_open[i] = low.undecided;
      high_open[i] = high.undecided;
      any |= low.undecided | high.undecided;
      out[i] = {interval_exp::scaled(step_down(low.near, low.error), low.exponent),
                interval_exp::scaled(step_up(high.near, high.error), high.exponent)};
    }
    if (any == 0) return true;
    for (std::size_t i = 0; i < n; ++i) {
      if (low_open[i]) out[i].low = exp_slow_path(Toward::below, a[i].low);
      if (high_open[i]) out[i].high = exp_slow_path(Toward::above, a[i].high);
    }
    return true;
  }
  static double exp_slow_path(Toward side, double x) {
    if (std::isnan(x)) return F64Intervals::empty().low;
    return x == 0 ? 1.0 : F64Endpoints::function(numerics::Function::exp, side, x);
  }
};

/// Uses `Kernel` where it is valid, and `rule(i, result)` elsewhere.
template <class Kernel, class Rule, class... Operands>
RECKON_INLINE const FaultText* in_blocks(Interval* out, std::size_t count, const Rule& rule, const Operands*... operands) {
  // The kernel writes directly into `out`, unless a rule might still need the operands that are there.
  const bool apart = ((operands + count <= out || out + count <= operands) && ...);
  Interval buffer[block];
  for (std::size_t start = 0; start < count; start += block) {
    const std::size_t n = std::min(block, count - start);
    Interval* const results = apart ? out + start : buffer;
    const bool fine = Kernel::run((operands + start)..., results, n);
    if (!fine) {
      for (std::size_t i = 0; i < n; ++i) {
        if (const FaultText* fault = rule(results[i], operands[start + i]...)) return fault;
      }
    }
    if (!apart) std::copy_n(buffer, n, out + start);
  }
  return nullptr;
}

#if defined(__x86_64__)
template <class Kernel, class Rule, class... Operands>
[[gnu::target("avx512f,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")]] const FaultText* with_avx512(
    Interval* out, std::size_t count, const Rule& rule, const Operands*... operands) {
  return in_blocks<Kernel>(out, count, rule, operands...);
}
template <class Kernel, class Rule, class... Operands>
[[gnu::target("avx2,fma")]] const FaultText* with_avx2(Interval* out, std::size_t count, const Rule& rule,
                                                       const Operands*... operands) {
  return in_blocks<Kernel>(out, count, rule, operands...);
}
#endif

template <class Kernel, class Rule, class... Operands>
const FaultText* dispatch(Interval* out, std::size_t count, const Rule& rule, const Operands*... operands) {
#if defined(__x86_64__)
  const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return with_avx512<Kernel>(out, count, rule, operands...);
  }
  if (fma) return with_avx2<Kernel>(out, count, rule, operands...);
#endif
  return in_blocks<Kernel>(out, count, rule, operands...);
}

#undef RECKON_INLINE

}  // namespace

using Value = Interval;

const FaultText* F64Intervals::array(operations::add, const Value* a, const Value* b, Value* out, std::size_t count) const {
  const auto rule = [this](Value& to, const Value& x, const Value& y) -> const FaultText* { return to = add(x, y), nullptr; };
  return dispatch<Add>(out, count, rule, a, b);
}
const FaultText* F64Intervals::array(operations::sub, const Value* a, const Value* b, Value* out, std::size_t count) const {
  const auto rule = [this](Value& to, const Value& x, const Value& y) -> const FaultText* { return to = sub(x, y), nullptr; };
  return dispatch<Sub>(out, count, rule, a, b);
}
const FaultText* F64Intervals::array(operations::mul, const Value* a, const Value* b, Value* out, std::size_t count) const {
  const auto rule = [this](Value& to, const Value& x, const Value& y) -> const FaultText* { return to = mul(x, y), nullptr; };
  return dispatch<Mul>(out, count, rule, a, b);
}
const FaultText* F64Intervals::array(operations::div, const Value* a, const Value* b, Value* out, std::size_t count) const {
  return dispatch<Div>(out, count, [this](Value& to, const Value& x, const Value& y) { return div(to, x, y); }, a, b);
}
const FaultText* F64Intervals::array(operations::sqrt, const Value* a, Value* out, std::size_t count) const {
  return dispatch<Sqrt>(out, count, [this](Value& to, const Value& x) { return sqrt(to, x); }, a);
}
const FaultText* F64Intervals::array(operations::exp, const Value* a, Value* out, std::size_t count) const {
  return dispatch<Exp>(out, count, [](Value&, const Value&) -> const FaultText* { return nullptr; }, a);
}

namespace {

using Narrow = IntervalOf<float>;

/// `of` is what asks: the first element that the operation leaves empty is its cause, too.
template <class Operation, class... Operands>
const FaultText* through_f64(const F32Intervals& of, Operation operation, Narrow* out, std::size_t count,
                             const Operands*... operands) {
  F64Intervals intervals;
  intervals.cause = of.cause;
  constexpr std::size_t arity = sizeof...(operands);
  Interval wide[arity][block], results[block];
  for (std::size_t start = 0; start < count; start += block) {
    const std::size_t n = std::min(block, count - start);
    std::size_t k = 0;
    const auto widen = [&](const Narrow* operand) {
      for (std::size_t i = 0; i < n; ++i) wide[k][i] = {operand[start + i].low, operand[start + i].high};
      ++k;
    };
    (widen(operands), ...);
    const FaultText* fault = nullptr;
    if constexpr (arity == 1) fault = intervals.array(operation, wide[0], results, n);
    else fault = intervals.array(operation, wide[0], wide[1], results, n);
    if (fault) return fault;
    for (std::size_t i = 0; i < n; ++i) {
      if (F64Intervals::is_empty(results[i])) out[start + i] = F32Intervals::empty();
      else
        out[start + i] = {F32Endpoints::number(Toward::below, results[i].low),
                          F32Endpoints::number(Toward::above, results[i].high)};
    }
  }
  return nullptr;
}

}  // namespace

const FaultText* F32Intervals::array(operations::add op, const Value* a, const Value* b, Value* out, std::size_t count) const {
  return through_f64(*this, op, out, count, a, b);
}
const FaultText* F32Intervals::array(operations::sub op, const Value* a, const Value* b, Value* out, std::size_t count) const {
  return through_f64(*this, op, out, count, a, b);
}
const FaultText* F32Intervals::array(operations::mul op, const Value* a, const Value* b, Value* out, std::size_t count) const {
  return through_f64(*this, op, out, count, a, b);
}
const FaultText* F32Intervals::array(operations::div op, const Value* a, const Value* b, Value* out, std::size_t count) const {
  return through_f64(*this, op, out, count, a, b);
}
const FaultText* F32Intervals::array(operations::sqrt op, const Value* a, Value* out, std::size_t count) const {
  return through_f64(*this, op, out, count, a);
}
const FaultText* F32Intervals::array(operations::exp op, const Value* a, Value* out, std::size_t count) const {
  return through_f64(*this, op, out, count, a);
}

}  // namespace reckon::interp
