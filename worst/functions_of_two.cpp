#include "worst/functions_of_two.h"

#include "worst/functions.h"

namespace reckon::worst {

namespace {

const IntervalArithmetic rules{};

bool is_integer(const Interval& x) { return is_point(x) && std::fabs(x.low) < 0x1p53 && std::trunc(x.low) == x.low; }
Interval quotient(const Interval& a, const Interval& b) {
  return holds_zero(b) ? everything() : rules.Rules::div(a, b);
}
Interval square(const Interval& a) {
  const Interval size = rules.abs(a);
  return rules.mul(size, size);
}
/// x^y for a box in which it is defined.
Interval power(const Interval& x, const Interval& y) {
  if (is_point(y) && y.low == 0) return {1, 1};
  return is_defined(BinaryFunction::pow, x, y) ? rules.Rules::pow(x, y) : everything();
}
Interval logarithm(const Interval& x) {
  return x.low > 0 ? value(numerics::Function::log, x) : everything();
}
Interval less_by(const Interval& y, double by) { return rules.sub(y, {by, by}); }

}  // namespace

bool touches_cut(BinaryFunction f, const Interval& a, const Interval& b) {
  return f == BinaryFunction::atan2 && b.low <= 0 && holds_zero(a);
}

bool is_defined(BinaryFunction f, const Interval& a, const Interval& b) {
  if (!is_bounded(a) || !is_bounded(b)) return false;
  switch (f) {
    case BinaryFunction::pow:
      if (a.low > 0 || (a.low >= 0 && b.low > 0)) return true;
      return is_integer(b) && (b.low >= 0 || !holds_zero(a));
    case BinaryFunction::atan2: return !(holds_zero(a) && holds_zero(b));
    case BinaryFunction::hypot: return true;
    case BinaryFunction::rootn:
      if (!is_integer(b) || b.low == 0) return false;
      return (a.low >= 0 || std::fmod(b.low, 2) != 0) && (b.low > 0 || !holds_zero(a));
  }
  return false;
}

Interval value(BinaryFunction f, const Interval& a, const Interval& b) {
  switch (f) {
    case BinaryFunction::pow: return power(a, b);
    case BinaryFunction::atan2: return rules.Rules::atan2(a, b);
    case BinaryFunction::hypot: return rules.hypot(a, b);
    case BinaryFunction::rootn: return rules.Rules::rootn(a, b);
  }
  return everything();
}

Gradient gradient(BinaryFunction f, const Interval& a, const Interval& b, const Interval& value) {
  switch (f) {
    case BinaryFunction::pow:
      return {rules.mul(b, power(a, less_by(b, 1))), rules.mul(value, logarithm(a))};
    case BinaryFunction::atan2: {
      const Interval norm = rules.add(square(a), square(b));
      return {quotient(b, norm), rules.neg(quotient(a, norm))};
    }
    case BinaryFunction::hypot:
      return {intersection({-1, 1}, quotient(a, value)), intersection({-1, 1}, quotient(b, value))};
    case BinaryFunction::rootn: return {quotient(value, rules.mul(a, b)), {0, 0}};
  }
  return {everything(), everything()};
}

double second_order(BinaryFunction f, const Interval& a, const Interval& b, const Interval& value, double first,
                    double second) {
  const double aa = mul_up(first, first), ab = mul_up(first, second), bb = mul_up(second, second);
  const auto times = [](double weight, const Interval& derivative) {
    return weight == 0 ? 0 : mul_up(weight, magnitude(derivative));
  };
  switch (f) {
    case BinaryFunction::pow: {
      const Interval below = less_by(b, 1), twice_below = less_by(b, 2), log = logarithm(a);
      double sum = 0;
      if (aa != 0) sum = times(mul_up(0.5, aa), rules.mul(rules.mul(b, below), power(a, twice_below)));
      if (is_integer(b) && (b.low == 0 || b.low == 1)) sum = 0;  // a constant, and the operand itself
      if (second == 0) return sum;
      const Interval mixed = rules.mul(power(a, below), rules.add({1, 1}, rules.mul(b, log)));
      return add_up(sum, add_up(times(ab, mixed), times(mul_up(0.5, bb), rules.mul(value, square(log)))));
    }
    // The second derivatives of atan2 have the eigenvalues 1 / r^2 and -1 / r^2; those of hypot 1 / r and 0.
    case BinaryFunction::atan2: return div_up(mul_up(0.5, add_up(aa, bb)), rules.add(square(a), square(b)).low);
    case BinaryFunction::hypot: return div_up(mul_up(0.5, add_up(aa, bb)), value.low);
    case BinaryFunction::rootn: {
      // (1/n) (1/n - 1) value / a^2
      const Interval inverse = quotient({1, 1}, b), factor = rules.mul(inverse, less_by(inverse, 1));
      return times(mul_up(0.5, aa), quotient(rules.mul(factor, value), square(a)));
    }
  }
  return interp::directed::infinity;
}

}  // namespace reckon::worst
