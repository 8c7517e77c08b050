#include "semantics/accept/real_range.h"

#include <optional>

#include "interp/algebra/interval_rules.h"
#include "ir/function_of.h"
#include "numerics/functions/sided.h"
#include "numerics/native.h"
#include "numerics/native_builder.h"

namespace reckon::interp::accept {

namespace {

using ir::Op;
using numerics::BinaryFunction;
using numerics::Function;

/// Endpoints for numbers that an f32 can hold. Functions are those of numerics/functions/sided.h, which lie on the
/// right side of every f32; arithmetic is rounded to the given side in f64.
struct SidedEndpoints : F64Endpoints {
  /// Whether one evaluation serves both sides.
  template <class Endpoints>
  static constexpr bool exactly_sided = std::is_same_v<Endpoints, SidedEndpoints>;
  static double function(Function f, Toward side, double x) {
    if (f == Function::sqrt) return F64Endpoints::sqrt(side, x);
    if (std::isinf(x)) return F64Endpoints::function(f, side, x);
    numerics::NativeBuilder b;
    return numerics::sided(b, f, x);
  }
  static double function(BinaryFunction f, Toward side, double x, double y) {
    if (std::isinf(x) || std::isinf(y)) return F64Endpoints::function(f, side, x, y);
    numerics::NativeBuilder b;
    return numerics::sided(b, f, x, y);
  }
};

/// sqrt is not a function of sided.h, so it is left out.
std::optional<Function> unary_function(Op op) { return op == Op::sqrt ? std::nullopt : ir::function_of(op); }

bool holds_infinity(const Interval& x) { return std::isinf(x.low) || std::isinf(x.high); }

template <class Endpoints>
class Ranges {
 public:
  using V = IntervalOf<double>;

  Range of(Op op, const Interval* box) const {
    switch (op) {  // the functions that a GPU's instructions approximate
      case Op::approx_exp2: return of(Op::exp2, box);
      case Op::approx_log2: return of(Op::log2, box);
      case Op::approx_sin: return of(Op::sin, box);
      case Op::approx_cos: return of(Op::cos, box);
      case Op::approx_tanh: return of(Op::tanh, box);
      case Op::approx_sqrt: return of(Op::sqrt, box);
      case Op::approx_rsqrt: return of(Op::rsqrt, box);
      case Op::approx_div: return of(Op::div, box);
      case Op::approx_rcp: {
        const Interval quotient[2] = {{1, 1}, box[0]};
        return of(Op::div, quotient);
      }
      default: break;
    }
    const V x{box[0].low, box[0].high};
    Range out;
    const auto is = [&](const V& value) { out.values = {value.low + 0.0, value.high + 0.0}; };
    const auto perhaps = [&](const FaultText* fault, const V& value) {
      out.some = fault == nullptr;
      if (fault == nullptr) is(value);
      else out.undefined = true;
    };
    V value;
    switch (op) {
      case Op::neg: is(rules_.neg(x)); return out;
      case Op::abs: is(rules_.abs(x)); return out;
      case Op::sign: is(rules_.sign(x)); return out;
      case Op::floor: is(rules_.floor(x)); return out;
      case Op::ceil: is(rules_.ceil(x)); return out;
      case Op::trunc: is(rules_.trunc(x)); return out;
      case Op::round: is(rules_.round(x)); return out;
      case Op::convert: is(x); return out;
      case Op::sqrt:
        perhaps(rules_.sqrt(value, x), value);
        out.undefined = x.low < 0;
        return out;
      default: break;
    }
    if (const auto function = unary_function(op)) return of_function(numerics::traits(*function), box[0]);
    return of_several(op, box, out);
  }

 private:
  Range of_function(const numerics::FunctionTraits& row, const Interval& box) const {
    using enum numerics::Shape;
    const V x{box.low, box.high};
    const numerics::Domain& domain = row.domain;
    Range out;
    V value;
    if (row.shape == sinusoid && !row.half_turns) value = sinusoid_of(row, x);
    else out.some = rules_.of(row.function, value, x) == nullptr;
    if (out.some) out.values = {value.low + 0.0, value.high + 0.0};
    out.undefined = !out.some || x.low < domain.low || x.high > domain.high ||
                    (numerics::is_periodic(row.function) && holds_infinity(box));
    const bool low_pole = domain.low_open && box.contains(domain.low);
    const bool high_pole = domain.high_open && box.contains(domain.high);
    out.pole = low_pole || high_pole || (row.shape == branches && std::isinf(out.values.high));
    if (row.poles != numerics::Poles::none) return at_poles(row, box, out);
    if (out.pole && !out.some) {  // only the pole
      out.some = true;
      out.values = Interval{-infinity, infinity};
      if (row.shape == increasing)
        out.values = high_pole ? Interval{infinity, infinity} : Interval{-infinity, -infinity};
      out.undefined = x.low < domain.low || x.high > domain.high;
    }
    if (row.function == Function::rsqrt && out.pole) out.values.low = -infinity;  // the value at -0
    return out;
  }

  /// tanpi, gamma or lgamma; at a pole lgamma is +inf, gamma a NaN below 0.
  static Range at_poles(const numerics::FunctionTraits& row, const Interval& box, Range out) {
    const bool of_gamma = row.function == Function::gamma;
    out.pole = numerics::holds_pole(row.poles, box.low, box.high);
    out.undefined = (row.function == Function::tanpi && holds_infinity(box)) ||
                    (of_gamma && (box.low == -infinity || (out.pole && box.low < 0)));
    if (!out.pole) return out;
    if (row.function == Function::tanpi && box.is_point()) {  // the sign of the pole is known
      const double pole = F64Endpoints::function(row.function, Toward::below, box.low);
      out.values = {pole, pole};
    } else if (row.function == Function::lgamma) {
      out.values = {out.some ? out.values.low : infinity, infinity};
    } else {
      out.values = {-infinity, infinity};
    }
    out.some = true;
    return out;
  }

  Range of_several(Op op, const Interval* box, Range out) const {
    const V x{box[0].low, box[0].high}, y{box[1].low, box[1].high};
    const auto is = [&](const V& value) { out.values = {value.low + 0.0, value.high + 0.0}; };
    const auto third = [&] { return V{box[2].low, box[2].high}; };
    const bool infinite = holds_infinity(box[0]) || holds_infinity(box[1]);
    V value;
    switch (op) {
      case Op::add:
      case Op::sub: {
        is(op == Op::add ? rules_.add(x, y) : rules_.sub(x, y));
        const V z = op == Op::add ? y : rules_.neg(y);
        out.undefined = (x.high == infinity && z.low == -infinity) || (x.low == -infinity && z.high == infinity);
        break;
      }
      case Op::mul:
        is(rules_.mul(x, y));
        out.undefined = infinite && zero_times_infinity(box[0], box[1]);
        break;
      case Op::fma: {
        is(rules_.fma(x, y, third()));
        if (!infinite && !holds_infinity(box[2])) break;
        if (!infinite && box[2].is_point()) {
          out.values = box[2];
          break;
        }
        const V product = rules_.mul(x, y), z = third();
        out.undefined = zero_times_infinity(box[0], box[1]) || (product.high == infinity && z.low == -infinity) ||
                        (product.low == -infinity && z.high == infinity);
        if (out.undefined) out.values = {-infinity, infinity};
        break;
      }
      case Op::div:
        out.pole = y.low <= 0 && y.high >= 0;
        out.undefined = (out.pole && x.low <= 0 && x.high >= 0) || (holds_infinity(box[0]) && holds_infinity(box[1]));
        if (out.pole) is(rules_.everything());
        else rules_.div(value, x, y), is(value);
        break;
      case Op::rem:
        out.undefined = (y.low <= 0 && y.high >= 0) || holds_infinity(box[0]);
        out.some = !rules_.rem(value, {std::min(x.low, std::numeric_limits<double>::max()), x.high}, y);
        if (out.some) is(value);
        break;
      case Op::min:
      case Op::minnum: is(rules_.min(x, y)); break;
      case Op::max:
      case Op::maxnum: is(rules_.max(x, y)); break;
      case Op::clamp: is(rules_.clamp(x, y, third())); break;
      case Op::copysign:
        is(rules_.copysign(x, y));
        if (y.low <= 0 && y.high >= 0)
          out.values = {-std::max(-x.low, x.high), std::max(-x.low, x.high)};  // the zero may have either sign
        break;
      case Op::ldexp:  // the exponent is an integer
        out.undefined = !y_is_whole(y);
        out.some = rules_.ldexp(value, x, y) == nullptr;
        if (out.some) is(value);
        if (holds_infinity(box[1]) && out.some) {  // limits
          out.undefined = true;
          out.values = {x.low < 0 ? -infinity : 0, x.high > 0 ? infinity : 0};
        }
        if (x.low == infinity) out.values.low = infinity;  // an infinity stays an infinity
        if (x.high == -infinity) out.values.high = -infinity;
        break;
      case Op::hypot: is(rules_.hypot(x, y)); break;
      case Op::atan2:  // if y may be -0, both sides of the cut
        if (y.low <= 0 && x.low <= 0 && x.high >= 0) {
          is(rules_.hull(positive_pi(), rules_.neg(positive_pi())));
        } else {
          atan2(x, y, out);
        }
        break;
      case Op::pow: pow(x, y, out); break;
      case Op::rootn: {  // the degree is an integer
        const bool odd = rules_.endpoints.is_odd(y.low);
        out.undefined = !y_is_whole(y) || y.low == 0 || (!odd && x.low < 0);
        out.pole = y.low < 0 && x.low <= 0 && x.high >= 0;
        out.some = rules_.rootn(value, x, y) == nullptr;
        if (out.pole) out.some = true, value = rules_.everything();
        if (out.some) out.values = {value.low + 0.0, value.high + 0.0};
        break;
      }
      default: out.some = false; break;
    }
    return out;
  }

  /// The peaks of a sinusoid are where the quarter turns number peak, peak + 4, ... For small operands
  /// these are counted in f64, unless one is so close to a multiple of pi/2 that rounding could change the count.
  V sinusoid_of(const numerics::FunctionTraits& row, const V& x) const {
    const Function f = row.function;
    const std::int64_t peak = row.peak;
    const auto quarter_turns = [](double end) -> std::optional<std::int64_t> {
      if (!(std::fabs(end) < 0x1p20)) return std::nullopt;
      const double turns = end * 0x1.45f306dc9c883p-1;  // within 2^-31
      if (end != 0 && std::fabs(turns - std::nearbyint(turns)) < 0x1p-20) return std::nullopt;
      return static_cast<std::int64_t>(std::floor(turns));
    };
    const auto low = quarter_turns(x.low), high = quarter_turns(x.high);
    if (!low || !high) return rules_.of(f, x);
    const auto holds = [&](std::int64_t residue) { return *low + 1 + ((residue - *low - 1) % 4 + 4) % 4 <= *high; };
    const double a = rules_.endpoints.function(f, Toward::below, x.low),
                 b = rules_.endpoints.function(f, Toward::below, x.high);
    const double c = SidedEndpoints::exactly_sided<Endpoints> ? a : rules_.endpoints.function(f, Toward::above, x.low);
    const double d = SidedEndpoints::exactly_sided<Endpoints> ? b : rules_.endpoints.function(f, Toward::above, x.high);
    return {holds(peak + 2) ? -1 : std::min(a, b), holds(peak) ? 1 : std::max(c, d)};
  }

  static bool y_is_whole(const V& y) { return y.low == y.high && y.low == std::floor(y.low); }
  static bool zero_times_infinity(const Interval& x, const Interval& y) {
    return (x.contains(0) && holds_infinity(y)) || (y.contains(0) && holds_infinity(x));
  }
  V positive_pi() const {
    return {rules_.endpoints.real(Toward::below, 1, numerics::RealConstant::pi),
            rules_.endpoints.real(Toward::above, 1, numerics::RealConstant::pi)};
  }
  void atan2(const V& y, const V& x, Range& out) const {
    V value;
    out.some = rules_.atan2(value, y, x) == nullptr;
    out.values = {value.low + 0.0, value.high + 0.0};
  }
  void pow(const V& x, const V& y, Range& out) const {
    V value;
    out.some = rules_.pow(value, x, y) == nullptr;
    if (out.some) out.values = {value.low + 0.0, value.high + 0.0};
    const bool whole = y.low == y.high && y.low == std::floor(y.low);
    out.undefined = x.low < 0 && !whole;
    out.pole = x.low <= 0 && x.high >= 0 && y.low < 0;
    if (out.pole) {
      out.some = true;
      out.values = {-infinity, infinity};
    }
    if (std::isinf(x.low) && x.low < 0) {  // a limit, which needs no integer: 0 or an infinity
      Interval limit{0, 0};
      if (y.high > 0) limit.high = infinity;
      if (y.low > 0) limit.low = infinity;
      if (y.high >= 1 && !whole) limit.low = -infinity;  // an odd number may be among them
      if (y.low > 0 && whole && rules_.endpoints.is_odd(y.low)) limit = {-infinity, -infinity};
      if (!whole && y.low == y.high && y.low > 0) limit = {infinity, infinity};
      if (y.low == 0 && y.high == 0) limit = {1, 1};
      out.values = out.some ? hull(out.values, limit) : limit;
      out.some = true;
      out.undefined &= x.high != x.low;
    }
  }

  IntervalFunctions<Endpoints> rules_;
};

}  // namespace

Range real_range(const NumberKind& kind, Op op, const Interval* box) {
  return kind.mask == 0 ? Ranges<F64Endpoints>().of(op, box) : Ranges<SidedEndpoints>().of(op, box);
}

Range real_value(const NumberKind& kind, Op op, const double* point) {
  const int arity = ir::traits(op).arity;
  if (arity == 1 && kind.mask != 0) {
    if (const auto function = unary_function(op)) {
      const double x = point[0];
      const numerics::Domain& domain = numerics::traits(*function).domain;
      const numerics::Poles poles = numerics::traits(*function).poles;
      if (std::isfinite(x) && x > domain.low && x < domain.high && !numerics::holds_pole(poles, x, x)) {
        numerics::NativeBuilder b;
        const double value = numerics::sided(b, *function, x) + 0.0;
        return {{value, value}};
      }
    }
  }
  Interval box[3];
  for (int k = 0; k < arity; ++k) box[k] = {point[k], point[k]};
  return real_range(kind, op, box);
}

Range suite_value(const NumberKind& kind, Op op, const double* point) {
  Range out = real_value(kind, op, point);
  if (!ir::is_elementary(op) || !out.some || out.undefined || out.pole) return out;
  const double value = out.values.low;
  if (kind.mask != 0) {
    const double low = kind.round_down(value), high = kind.round_up(value);
    if (low == high) return out;
    const double near = std::fabs(value) * 0x1p-50;
    if (value - low > near && high - value > near && std::fabs(value) >= kind.least) return out;
  }
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  constexpr auto f64 = numerics::Format::f64;
  if (const auto function = unary_function(op)) {
    out.values.low = std::bit_cast<double>(numerics::mpfr_unary(*function, bits(point[0]), f64)) + 0.0;
  } else if (const auto two = ir::binary_function_of(op)) {
    out.values.low = std::bit_cast<double>(numerics::mpfr_binary(*two, bits(point[0]), bits(point[1]), f64)) + 0.0;
  }
  out.values.high = out.values.low;
  return out;
}

double nearest_value(Op op, const double* point) {
  switch (op) {
    case Op::add: return point[0] + point[1];
    case Op::sub: return point[0] - point[1];
    case Op::mul: return point[0] * point[1];
    case Op::div: return point[0] / point[1];
    case Op::fma: return std::fma(point[0], point[1], point[2]);
    case Op::sqrt: return std::sqrt(point[0]);
    case Op::ldexp: return numerics::scaled(point[0], point[1]);
    default: return suite_value(NumberKind::of(numerics::Format::f64), op, point).values.low;
  }
}

}  // namespace reckon::interp::accept
