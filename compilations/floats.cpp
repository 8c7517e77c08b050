#include "compilations/floats.h"

#include <bit>
#include <cmath>
#include <limits>

#include "ir/function_of.h"
#include "numerics/elementary.h"
#include "worst/rounding.h"

namespace reckon::compilations {

using ir::Op;
using worst::nearest;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::uint64_t pattern(double value, Format format) { return numerics::round_f64(value, format); }

double fused(Format format, double a, double b, double c) {
  if (format == Format::f64 || !std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return std::fma(a, b, c);
  return numerics::widen(numerics::mpfr_fma(pattern(a, format), pattern(b, format), pattern(c, format), format), format);
}

}  // namespace

std::optional<double> rounded(Op op, Format format, double a, double b, double c) {
  const auto out = [&]() -> std::optional<double> {
    if (const auto f = ir::function_of(op); f && op != Op::sqrt)
      return numerics::widen(numerics::mpfr_unary(*f, pattern(a, format), format), format);
    if (const auto f = ir::binary_function_of(op))
      return numerics::widen(numerics::mpfr_binary(*f, pattern(a, format), pattern(b, format), format), format);
    // An f64 has more than twice the digits of the narrower formats, so that rounding its sums, products, quotients and
    // roots once more is rounding once (S. Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30(3),
    // 1995).
    switch (op) {
      case Op::add: return nearest(a + b, format);
      case Op::sub: return nearest(a - b, format);
      case Op::mul: return nearest(a * b, format);
      case Op::div: return nearest(a / b, format);
      case Op::sqrt: return nearest(std::sqrt(a), format);
      case Op::fma: return fused(format, a, b, c);
      case Op::neg: return -a;
      case Op::abs: return std::fabs(a);
      case Op::convert: return nearest(a, format);
      case Op::min: return std::isnan(a) || std::isnan(b) ? not_a_number : is_less(b, a) ? b : a;
      case Op::max: return std::isnan(a) || std::isnan(b) ? not_a_number : is_less(a, b) ? b : a;
      case Op::minnum: return std::isnan(a) ? b : std::isnan(b) ? a : is_less(b, a) ? b : a;
      case Op::maxnum: return std::isnan(a) ? b : std::isnan(b) ? a : is_less(a, b) ? b : a;
      case Op::sign: return std::isnan(a) ? a : a < 0 ? -1.0 : a > 0 ? 1.0 : a;
      case Op::copysign: return std::copysign(a, b);
      case Op::floor: return std::floor(a);
      case Op::ceil: return std::ceil(a);
      case Op::trunc: return std::trunc(a);
      case Op::round: return std::nearbyint(a);
      case Op::rem: return std::fmod(a, b);
      default: return std::nullopt;
    }
  }();
  return out && std::isnan(*out) ? not_a_number : out;
}

bool is_less(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}
bool is_same(double a, double b) { return !is_less(a, b) && !is_less(b, a); }

}  // namespace reckon::compilations
