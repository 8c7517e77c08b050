// interval: two f64 endpoints around the true real value. Every result is the tightest f64 interval that holds all
// values of the operation on the operands' reals; what a format would round away is kept: literals keep their rational,
// conversions between formats are identities.
//
// Rules for what has no ordinary answer:
//   * An infinite endpoint means unbounded on that side. `inf` stands for every real beyond the largest f64, `nan` is
//     refused (E0502). At endpoints 0 * inf is 0: the other factor is a real number, however large.
//   * x / y with 0 inside y is everything, [-inf, inf]; with y = [0, b] or [a, 0] (b > 0, a < 0) the quotient is
//     unbounded on the sides that the signs allow; y = [0, 0] has no value (E0502).
//   * sqrt, rsqrt, log and log2 take the part of their operand that lies in their domain. Where nothing does, they have
//     no value (E0502). log(0) and 1/sqrt(0) are the limits.
//   * A comparison is yes or no only if every pair of values agrees, otherwise unknown; `select` on unknown is the
//   hull.
//   * There is one zero; copysign takes it as positive.
#include <algorithm>
#include <bit>

#include "interp/semantics/array_semantics.h"
#include "interp/semantics/directed.h"
#include "interp/semantics/real_constant.h"
#include "interp/semantics/registry.h"

namespace reckon::interp {

namespace {

using directed::add_down;
using directed::add_up;
using directed::div_down;
using directed::div_up;
using directed::infinity;
using directed::largest;
using directed::mul_down;
using directed::mul_up;
using numerics::Format;
using numerics::Function;
using numerics::Rounding;

constexpr FaultText by_zero{Code::undefined_result, "division by an interval that holds only 0 has no value",
                            "keep the divisor from being 0"};
constexpr FaultText outside_domain{Code::undefined_result, "no value of this interval lies in the operation's domain",
                                   ""};

struct Interval {
  double low = 0, high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

double as_double(std::uint64_t bits) { return std::bit_cast<double>(bits); }

Interval enclosing(const mpq_class& value) {
  return {as_double(numerics::round_rational(value, Format::f64, Rounding::downward)),
          as_double(numerics::round_rational(value, Format::f64, Rounding::upward))};
}

mpq_class rational(double value) { return *numerics::exact_value(std::bit_cast<std::uint64_t>(value), Format::f64); }

/// a * b + c rounded down once; c finite or infinite.
double fma_down(double a, double b, double c) {
  if (c == -infinity) return c;
  if (a == 0 || b == 0) return c == infinity ? largest : c;
  if (std::isinf(a) || std::isinf(b)) return a * b;  // c is finite, or on the same side, or no lower than it
  if (c == infinity) return largest;
  const double near = std::fma(a, b, c);
  if (near == infinity) return largest;
  if (near == -infinity) return near;
  const double product = a * b;
  const bool ordinary = std::fabs(product) >= directed::small && std::fabs(product) < 0x1p1000 &&
                        std::fabs(c) < 0x1p1000 && (std::fabs(near) >= directed::small);
  if (ordinary) {
    // ErrFmaNearest (Boldo and Muller, ARITH 2005): near + high + low is exact.
    const double tail = std::fma(a, b, -product);
    const double first = c + tail;
    const double first_error = directed::sum_error(c, tail, first);
    const double second = product + first;
    const double second_error = directed::sum_error(product, first, second);
    const double difference = (second - near) + second_error;
    const double high = difference + first_error;
    const double low = first_error - (high - difference);
    return directed::down(near, high != 0 ? high : low);
  }
  const mpq_class error = rational(a) * rational(b) + rational(c) - rational(near);
  return directed::down(near, sgn(error));
}
double fma_up(double a, double b, double c) { return -fma_down(-a, b, -c); }

struct Intervals {
  using Value = Interval;
  using V = Interval;

  static V add(const V& a, const V& b) { return {add_down(a.low, b.low), add_up(a.high, b.high)}; }
  static V sub(const V& a, const V& b) { return {add_down(a.low, -b.high), add_up(a.high, -b.low)}; }
  static V neg(const V& a) { return {-a.high, -a.low}; }

  static V mul(const V& a, const V& b) {
    // Two corners do if one factor keeps its sign.
    if (a.low >= 0) {
      return {mul_down(b.low >= 0 ? a.low : a.high, b.low), mul_up(b.high >= 0 ? a.high : a.low, b.high)};
    }
    if (a.high <= 0) return neg(mul(neg(a), b));
    if (b.low >= 0 || b.high <= 0) return mul(b, a);
    return {std::min(mul_down(a.low, b.high), mul_down(a.high, b.low)),
            std::max(mul_up(a.low, b.low), mul_up(a.high, b.high))};
  }

  static V fma(const V& a, const V& b, const V& c) {
    return {std::min({fma_down(a.low, b.low, c.low), fma_down(a.low, b.high, c.low), fma_down(a.high, b.low, c.low),
                      fma_down(a.high, b.high, c.low)}),
            std::max({fma_up(a.low, b.low, c.high), fma_up(a.low, b.high, c.high), fma_up(a.high, b.low, c.high),
                      fma_up(a.high, b.high, c.high)})};
  }

  static const FaultText* div(V& out, const V& a, const V& b) {
    if (b.low == 0 && b.high == 0) return &by_zero;
    if (b.low < 0 && b.high > 0) {
      out = {-infinity, infinity};
    } else if (b.low == 0 || b.high == 0) {
      // One-sided: the quotient by the far end bounds it on one side, if a keeps one sign.
      const V n = b.low == 0 ? a : neg(a);
      const double far = b.low == 0 ? b.high : -b.low;
      if (n.low == 0 && n.high == 0) out = {0, 0};
      else if (n.low >= 0) out = {div_down(n.low, far), infinity};
      else if (n.high <= 0) out = {-infinity, div_up(n.high, far)};
      else out = {-infinity, infinity};
    } else {
      out = {std::min(
                 {div_down(a.low, b.low), div_down(a.low, b.high), div_down(a.high, b.low), div_down(a.high, b.high)}),
             std::max({div_up(a.low, b.low), div_up(a.low, b.high), div_up(a.high, b.low), div_up(a.high, b.high)})};
    }
    return nullptr;
  }

  static V abs(const V& a) {
    if (a.low >= 0) return a;
    if (a.high <= 0) return neg(a);
    return {0, std::max(-a.low, a.high)};
  }
  static V min(const V& a, const V& b) { return {std::min(a.low, b.low), std::min(a.high, b.high)}; }
  static V max(const V& a, const V& b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }
  static V sign(const V& a) {
    return {a.low > 0 ? 1.0 : (a.low == 0 ? 0.0 : -1.0), a.high < 0 ? -1.0 : (a.high == 0 ? 0.0 : 1.0)};
  }
  static V copysign(const V& a, const V& b) {
    const V magnitude = abs(a);
    if (b.low >= 0) return magnitude;
    return b.high < 0 ? neg(magnitude) : V{-magnitude.high, magnitude.high};
  }
  static V floor(const V& a) {
    return monotone(a, [](double x) { return std::floor(x); });
  }
  static V ceil(const V& a) {
    return monotone(a, [](double x) { return std::ceil(x); });
  }
  static V trunc(const V& a) {
    return monotone(a, [](double x) { return std::trunc(x); });
  }
  static V round(const V& a) {
    return monotone(a, [](double x) { return std::nearbyint(x); });
  }

  static const FaultText* sqrt(V& out, const V& a) {
    if (a.high < 0) return &outside_domain;
    const double low = std::max(a.low, 0.0);
    const double low_root = std::sqrt(low), high_root = std::sqrt(a.high);
    out = {directed::down(low_root, directed::root_error(low, low_root)),
           std::isinf(a.high) ? infinity : directed::up(high_root, directed::root_error(a.high, high_root))};
    return nullptr;
  }
  static const FaultText* rsqrt(V& out, const V& a) {
    if (a.high <= 0) return &outside_domain;
    out = {std::isinf(a.high) ? 0 : numerics::mpfr_unary_directed(Function::rsqrt, a.high, false),
           a.low <= 0 ? infinity : numerics::mpfr_unary_directed(Function::rsqrt, a.low, true)};
    return nullptr;
  }
  static V exp(const V& a) { return exponential(Function::exp, a); }
  static V exp2(const V& a) { return exponential(Function::exp2, a); }
  static const FaultText* log(V& out, const V& a) { return logarithm(Function::log, out, a); }
  static const FaultText* log2(V& out, const V& a) { return logarithm(Function::log2, out, a); }

  static Truth less(const V& a, const V& b) { return decided(a.high < b.low, a.low >= b.high); }
  static Truth less_equal(const V& a, const V& b) { return decided(a.high <= b.low, a.low > b.high); }
  static Truth equal(const V& a, const V& b) {
    return decided(a.low == a.high && a == b, a.high < b.low || b.high < a.low);
  }
  static Truth not_equal(const V& a, const V& b) {
    return decided(a.high < b.low || b.high < a.low, a.low == a.high && a == b);
  }

  static V hull(const V& a, const V& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
  static V convert(Intervals, const V& value) { return value; }

 private:
  static Truth decided(bool yes, bool no) { return yes ? Truth::yes : (no ? Truth::no : Truth::unknown); }
  static V monotone(const V& a, auto function) { return {function(a.low), function(a.high)}; }
  static V exponential(Function function, const V& a) {
    return {a.low == -infinity ? 0 : numerics::mpfr_unary_directed(function, a.low, false),
            a.high == infinity ? infinity : numerics::mpfr_unary_directed(function, a.high, true)};
  }
  static const FaultText* logarithm(Function function, V& out, const V& a) {
    if (a.high <= 0) return &outside_domain;
    out = {a.low <= 0 ? -infinity : numerics::mpfr_unary_directed(function, a.low, false),
           a.high == infinity ? infinity : numerics::mpfr_unary_directed(function, a.high, true)};
    return nullptr;
  }
};

class IntervalSemantics : public ArraySemantics<IntervalSemantics> {
 public:
  std::string_view name() const override { return "interval"; }

  /// Laws of the enclosures themselves: associativity and distributivity hold for the reals inside, not for these.
  ir::Laws laws() const override {
    using enum ir::Law;
    return {add_commutes, mul_commutes,    add_zero,           sub_zero,    mul_one,
            div_one,      double_negation, min_max_idempotent, select_same, literals_exact, sums_exactly,
            any_order_encloses};
  }

  template <ir::Scalar>
  auto algebra() const {
    return Intervals{};
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    using Kind = ir::Literal::Kind;
    switch (literal.kind) {
      case Kind::boolean: *out = static_cast<std::byte>(literal.bits != 0); return std::nullopt;
      case Kind::rational: put(enclosing(literal.value), out); return std::nullopt;
      case Kind::real:
        if (const auto constant = real_constant(literal.constant)) {
          const auto [low, high] = numerics::enclose_real(literal.value, *constant);
          put({low, high}, out);
        } else {
          put(enclosing(literal.value), out);
        }
        return std::nullopt;
      case Kind::bits: return from_pattern(literal.bits, scalar, out);
      case Kind::infinity:
        put(literal.negative ? Interval{-infinity, -largest} : Interval{largest, infinity}, out);
        return std::nullopt;
      case Kind::not_a_number: break;
    }
    return Fault{Code::undefined_result, "`nan` is no real number, so it has no value under `interval`", ""};
  }

  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    if (scalar == ir::Scalar::boolean) {
      load_truths(bytes, count, out);
      return std::nullopt;
    }
    if (scalar == ir::Scalar::number) return Fault{Code::bad_argument, "a `number` has no bit pattern", ""};
    const auto width = static_cast<std::size_t>(ir::byte_width(scalar));
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t pattern = 0;
      std::memcpy(&pattern, bytes + i * width, width);
      if (auto fault = from_pattern(pattern, scalar, out + i * sizeof(Interval))) return fault;
    }
    return std::nullopt;
  }

  std::optional<Fault> from_index(ir::Scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    for (std::size_t i = 0; i < count; ++i) {
      const auto near = static_cast<double>(values[i]);
      const bool fits = values[i] >= -exact && values[i] <= exact;
      put(fits ? Interval{near, near} : enclosing(mpq_class(static_cast<long>(values[i]))), out + i * sizeof(Interval));
    }
    return std::nullopt;
  }

  std::optional<Fault> range(ir::Scalar, const mpq_class& low, const mpq_class& high, std::byte* out) const override {
    put({enclosing(low).low, enclosing(high).high}, out);
    return std::nullopt;
  }

  Rendering render(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return render_truth(value);
    const Interval interval = get(value);
    const auto low = std::bit_cast<std::uint64_t>(interval.low + 0.0),
               high = std::bit_cast<std::uint64_t>(interval.high + 0.0);
    std::string text =
        "[" + numerics::shortest_decimal(low, Format::f64) + ", " + numerics::shortest_decimal(high, Format::f64) + "]";
    if (interval.low == -infinity && interval.high == infinity) return {text, {{"unbounded", "true"}}};
    return {text, {{"lo", numerics::hexadecimal(low, Format::f64)}, {"hi", numerics::hexadecimal(high, Format::f64)}}};
  }

  /// Of what the intervals stand for: yes only for one and the same number, no only if they do not meet.
  Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const override {
    if (scalar == ir::Scalar::boolean) return equal_truths(a, b);
    return Intervals::equal(get(a), get(b));
  }

  std::optional<Enclosure> enclosure(ir::Scalar scalar, const std::byte* value) const override {
    const Interval interval = scalar == ir::Scalar::boolean ? Interval{-infinity, infinity} : get(value);
    if (!std::isfinite(interval.low) || !std::isfinite(interval.high)) return std::nullopt;
    return Enclosure{rational(interval.low), rational(interval.high)};
  }

  std::optional<std::uint64_t> bits(ir::Scalar, const std::byte*) const override { return std::nullopt; }

 protected:
  std::string help_for(ir::Op) const override { return "it arrives with a later version"; }

 private:
  static void put(const Interval& interval, std::byte* out) { std::memcpy(out, &interval, sizeof interval); }
  static Interval get(const std::byte* value) {
    Interval interval;
    std::memcpy(&interval, value, sizeof interval);
    return interval;
  }
  static std::optional<Fault> from_pattern(std::uint64_t pattern, ir::Scalar scalar, std::byte* out) {
    const Format format = scalar == ir::Scalar::number ? Format::f64 : ir::format_of(scalar);
    if (numerics::is_nan(pattern, format)) {
      return Fault{Code::undefined_result, "`nan` is no real number, so it has no value under `interval`", ""};
    }
    const double value = numerics::widen(pattern, format) + 0.0;
    put({std::min(value, largest), std::max(value, -largest)}, out);
    return std::nullopt;
  }
};

}  // namespace

Expected<std::unique_ptr<Semantics>> make_interval(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  if (!arguments.empty()) {
    return no_arguments("interval", arguments[0], place,
                        "`interval` has f64 endpoints; other precisions arrive with a later version");
  }
  return std::unique_ptr<Semantics>(std::make_unique<IntervalSemantics>());
}

}  // namespace reckon::interp
