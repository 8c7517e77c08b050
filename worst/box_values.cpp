// From the inputs to the result: ranges, what each operation errs, and how far floats drift from reals.
#include "ir/function_of.h"
#include "worst/box_bound.h"
#include "worst/rounding.h"

namespace reckon::worst {

using ir::Op;

namespace {

/// So large that no float is a multiple of a higher power of two but 0.
constexpr int any_place = 1 << 20;

/// The exponent of the last bit that is set.
int last_bit(double x) {
  if (x == 0) return any_place;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const auto digits = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  return exponent - 53 + __builtin_ctzll(static_cast<unsigned long long>(digits));
}

bool is_power_of_two(double x) {
  int exponent = 0;
  return x != 0 && std::isfinite(x) && std::fabs(std::frexp(x, &exponent)) == 0.5;
}

}  // namespace

std::optional<Reason> BoxBounds::input(NodeNumber number, const Box& box) {
  const Node& node = circuit_[number];
  const Interval range = box[node.first];
  Found facts;
  facts.value = range;
  const numerics::Rounding way = circuit_.mode().rounding;
  const double reach = magnitude(range), most = largest(node.format);
  if (reach > most && !numerics::saturates(node.format)) return Reason::overflow;
  facts.place = last_place(std::min(mignitude(range), most), node.format);
  facts.floats = {rounded_to(range.low, node.format, way), rounded_to(range.high, node.format, way)};
  if (question_.inputs == Inputs::reals) {
    const bool exact = exact_inputs_[node.first] != 0;
    facts.made = exact ? 0 : rounding_error(std::min(reach, most), node.format, way);
    if (reach > most) facts.made = std::max(facts.made, add_up(reach, -most));
    facts.cut_by = facts.made - (exact ? 0 : rounding_error(std::min(mignitude(range), most), node.format, way));
    facts.drift = facts.made;
  }
  if (with_forms_) {
    forms_.set(form(number), range.low, range.high);
    if (!is_point(range)) {
      double* out = form(number);
      std::swap(out[node.first + 1], forms_.rest(out));
    }
  }
  keep(number, facts);
  return std::nullopt;
}

void BoxBounds::constant(NodeNumber number) {
  const Constant& constant = circuit_.constant_of(circuit_[number]);
  Found facts;
  facts.value = {constant.value.low, constant.value.high};
  facts.drift = std::max(std::fabs(constant.error.low), std::fabs(constant.error.high));
  facts.place = last_bit(constant.rounded);
  facts.floats = {constant.rounded, constant.rounded};
  if (with_forms_) forms_.set(form(number), constant.value.low, constant.value.high);
  keep(number, facts);
}

/// Whether subnormal numbers become zeros, or stay, both are covered by the range of the floats.
void BoxBounds::flush(NodeNumber number) {
  const Node& node = circuit_[number];
  const Facts& a = facts_of(node.first);
  Found facts;
  facts.value = a.value;
  facts.floats = a.floats;
  facts.place = a.place;
  const int least = numerics::traits(node.format).emin;
  if (a.place < least && mignitude(a.floats) < power_of_two(least)) {
    facts.made = facts.cut_by = std::min(magnitude(a.floats), power_of_two(least));
    facts.floats = hull(a.floats, {flushed(a.floats.low, node.format), flushed(a.floats.high, node.format)});
  }
  facts.drift = add_up(a.drift, facts.made);
  if (with_forms_) forms_.copy(form(number), form(node.first));
  keep(number, facts);
}

void BoxBounds::tighten(NodeNumber number, Interval& range) const {
  range = narrowed(range, values_.data() + number * forms_.stride());
}

std::optional<Reason> BoxBounds::operation(NodeNumber number) {
  const Node& node = circuit_[number];
  if (node.kind == Kind::operation && node.op == Op::select) {
    selection(number);
    return std::nullopt;
  }
  Found facts;
  double carried = 0;
  std::optional<Reason> problem;
  const bool chooses =
      node.op == Op::abs || node.op == Op::min || node.op == Op::max || node.op == Op::minnum || node.op == Op::maxnum;
  if (node.kind == Kind::difference || (node.kind == Kind::exact && !chooses)) {
    problem = arithmetic(number, facts, carried);
  } else if (const auto f = ir::function_of(node.op)) {
    problem = function(number, *f, facts, carried);
  } else if (const auto two = ir::binary_function_of(node.op)) {
    problem = function_of_two(number, *two, facts, carried);
  } else if (is_step(node.op)) {
    step(number, facts, carried);
  } else if (node.op == Op::copysign) {
    with_sign(number, facts, carried);
  } else if (node.op == Op::rem) {
    problem = remainder(number, facts, carried);
  } else if (node.op == Op::div) {
    problem = quotient(number, facts, carried);
  } else if (chooses) {
    problem = choice(number, facts, carried);
  } else {
    problem = arithmetic(number, facts, carried);
  }
  if (problem) return problem;
  tighten(number, facts.value);
  return round(number, facts, carried);
}

std::optional<Reason> BoxBounds::arithmetic(NodeNumber number, Found& out, double& carried) {
  const Node& node = circuit_[number];
  const Facts &a = facts_of(node.first), &b = facts_of(node.second), &c = facts_of(node.third);
  const bool same = node.first == node.second;
  const auto forms = [&](auto&& compute) {
    if (with_forms_) compute();
  };
  const Op op = node.kind == Kind::difference ? Op::sub : node.op;
  switch (op) {
    case Op::convert:
      out.value = a.value;
      carried = a.drift;
      forms([&] { forms_.copy(form(number), form(node.first)); });
      return std::nullopt;
    case Op::neg:
      out.value = rules_.neg(a.value);
      carried = a.drift;
      forms([&] { forms_.negate(form(number), form(node.first)); });
      return std::nullopt;
    case Op::add:
      out.value = rules_.add(a.value, b.value);
      carried = add_up(a.drift, b.drift);
      forms([&] { forms_.add(form(number), form(node.first), form(node.second)); });
      return std::nullopt;
    case Op::sub:
      out.value = same ? Interval{0, 0} : rules_.sub(a.value, b.value);
      carried = same ? 0 : add_up(a.drift, b.drift);
      forms([&] { forms_.sub(form(number), form(node.first), form(node.second)); });
      return std::nullopt;
    case Op::mul:
    case Op::fma: {
      const Interval left = same ? rules_.abs(a.value) : a.value, right = same ? left : b.value;
      out.value = rules_.mul(left, right);
      out.made = mul_up(a.drift, b.drift);
      carried = add_up(add_up(mul_up(magnitude(a.value), b.drift), mul_up(magnitude(b.value), a.drift)), out.made);
      forms([&] {
        if (same) forms_.square(form(number), form(node.first));
        else forms_.mul(form(number), form(node.first), form(node.second));
      });
      if (op == Op::mul) return std::nullopt;
      out.value = rules_.add(out.value, c.value);
      carried = add_up(carried, c.drift);
      forms([&] { forms_.add(form(number), form(number), form(node.third)); });
      return std::nullopt;
    }
    default: return Reason::no_rule;
  }
}

/// (a + da) / (b + db) - a / b is (da - q db) / b, less (da - q db) db / (b (b + db)).
std::optional<Reason> BoxBounds::quotient(NodeNumber number, Found& out, double& carried) {
  const Node& node = circuit_[number];
  const Facts &a = facts_of(node.first), &b = facts_of(node.second);
  const Interval divisor = floats(node.second);
  if (holds_zero(divisor) || holds_zero(b.value)) return Reason::division_by_zero;
  if (node.first == node.second) {
    out.value = {1, 1};
    if (with_forms_) {
      forms_.set(form(number), 1, 1);
      forms_.set(slope_form(number), 0, 0);
    }
    out.slope = {0, 0};
    out.flat = true;
    return std::nullopt;
  }
  out.slope = rules_.Rules::div({1, 1}, b.value);
  out.value = rules_.Rules::div(a.value, b.value);
  if (with_forms_) {
    reciprocal(number, node.second, b.value);
    forms_.mul(form(number), form(node.first), slope_form(number));
    tighten(number, out.value);
  }
  const double moved = add_up(a.drift, mul_up(magnitude(out.value), b.drift));
  carried = div_up(moved, mignitude(divisor));
  out.made = div_up(mul_up(carried, b.drift), mignitude(b.value));
  return std::nullopt;
}

/// The form of 1 / b, of which the second derivative is 2 / b^3.
void BoxBounds::reciprocal(NodeNumber number, NodeNumber of, const Interval& range) {
  const double* b = form(of);
  double* out = slope_form(number);
  const Interval inverse = rules_.Rules::div({1, 1}, range);
  if (!forms_.known(b)) return forms_.set(out, inverse.low, inverse.high);
  const double at = std::clamp(b[0], range.low, range.high);
  const double reach = std::min(add_up(forms_.radius(b), add_up(std::fabs(b[0] - at), 0x1p-52 * std::fabs(b[0]))),
                                std::max(add_up(range.high, -at), add_up(at, -range.low)));
  const double value = 1 / at, slope = -value * value;
  const Interval cube = rules_.mul(inverse, rules_.mul(inverse, inverse));  // half of the second derivative
  const double square = mul_up(reach, reach);
  const double error = mul_up(8 * Forms::unit * std::fabs(slope), reach);
  const double low = std::min(cube.low < 0 ? -mul_up(-cube.low, square) : 0, 0.0);
  const double high = std::max(cube.high > 0 ? mul_up(cube.high, square) : 0, 0.0);
  forms_.linear(out, b, at, value, add_up(error, 2 * Forms::unit * std::fabs(value)), slope, low, high);
}

/// What moves no more than its operands do.
std::optional<Reason> BoxBounds::choice(NodeNumber number, Found& out, double& carried) {
  const Node& node = circuit_[number];
  const Facts &a = facts_of(node.first), &b = facts_of(node.second);
  const bool one = node.op == Op::abs;
  const bool greatest = node.op == Op::max || node.op == Op::maxnum;
  if (one) {
    out.value = rules_.abs(a.value);
    carried = a.drift;
  } else {
    out.value = greatest ? Interval{std::max(a.value.low, b.value.low), std::max(a.value.high, b.value.high)}
                         : Interval{std::min(a.value.low, b.value.low), std::min(a.value.high, b.value.high)};
    carried = std::max(a.drift, b.drift);
  }
  // slope: of abs, the derivative; of the others, how much of the first operand there is in the result.
  const Interval x = between(node.first), y = one ? Interval{0, 0} : between(node.second);
  const bool first_above = x.low >= y.high, first_below = x.high <= y.low;
  if (one) out.slope = first_above ? Interval{1, 1} : first_below ? Interval{-1, -1} : Interval{-1, 1};
  else if (first_above || first_below) out.slope = first_above == greatest ? Interval{1, 1} : Interval{0, 0};
  else out.slope = {0, 1};
  if (!with_forms_) return std::nullopt;
  if (!is_point(out.slope)) forms_.set(form(number), out.value.low, out.value.high);
  else if (one && out.slope.low < 0) forms_.negate(form(number), form(node.first));
  else forms_.copy(form(number), form(one || out.slope.low > 0 ? node.first : node.second));
  return std::nullopt;
}

/// How many digits the float's significand has at most: of a number, its own; else those of the format that it was
/// converted from.
int BoxBounds::digits(NodeNumber number) const {
  const Node* node = &circuit_[number];
  int out = numerics::traits(node->format).precision;
  while (node->kind == Kind::operation && (node->op == Op::convert || node->op == Op::neg || node->op == Op::abs)) {
    node = &circuit_[node->first];
    if (node->kind == Kind::exact) break;
    out = std::min(out, numerics::traits(node->format).precision);
  }
  if (node->kind == Kind::constant) {
    const double value = std::fabs(circuit_.constant_of(*node).rounded);
    if (value != 0) out = std::min(out, exponent_of(value) - last_bit(value) + 1);
  }
  return out;
}

/// Whether the result before its rounding is a number of the format already. `error`: where it is one but for
/// underflow.
bool BoxBounds::is_exact(const Node& node, const Interval& before, double& error) const {
  const auto& traits = numerics::traits(node.format);
  const int least = traits.emin - traits.precision + 1;
  const Facts &a = facts_of(node.first), &b = facts_of(node.second);
  int place = least;  // the result is a multiple of 2^place
  switch (node.op) {
    case Op::neg:
    case Op::abs:
    case Op::min:
    case Op::max:
    case Op::minnum:
    case Op::maxnum:
    case Op::sign:
    case Op::copysign:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round:
    case Op::rem: return true;
    case Op::convert:
      if (circuit_[node.first].kind != Kind::exact && numerics::holds(node.format, circuit_[node.first].format))
        return true;
      place = a.place;
      break;
    case Op::add:
    case Op::sub: {
      if (node.first == node.second) return true;  // 0, or twice the number
      // Sterbenz: y / 2 <= x <= 2 y.
      Interval x = floats(node.first), y = floats(node.second);
      if (node.op == Op::add) y = rules_.neg(y);
      if (x.high < 0) x = rules_.neg(x), y = rules_.neg(y);
      if (x.low > 0 && y.low > 0 && x.high <= 2 * y.low && y.high <= 2 * x.low) return true;
      // What an integer part leaves.
      if (node.op == Op::sub && (circuit_[node.second].op == Op::trunc || circuit_[node.second].op == Op::round) &&
          circuit_[node.second].kind == Kind::operation && circuit_[node.second].first == node.first) {
        return true;
      }
      place = std::min(a.place, b.place);
      break;
    }
    case Op::mul:
    case Op::div: {
      if (node.op == Op::div && node.first == node.second) return true;
      place = node.op == Op::mul ? a.place + b.place : least - 1;
      for (const NodeNumber operand : {node.second, node.first}) {
        if (circuit_[operand].kind != Kind::constant || (node.op == Op::div && operand == node.first)) continue;
        const double factor = circuit_.constant_of(circuit_[operand]).rounded;
        if (node.op == Op::mul && factor == 0) return true;
        if (!is_power_of_two(factor)) continue;
        const bool shrinks = node.op == Op::mul ? std::fabs(factor) < 1 : std::fabs(factor) > 1;
        const double least_normal = power_of_two(traits.emin);
        if (shrinks && mignitude(before) < least_normal) {
          error = rounding_error(std::min(least_normal, magnitude(before)), node.format, circuit_.mode().rounding);
        }
        return true;
      }
      // Of floats with few digits, as those of narrower formats are, a product has all of its digits.
      if (node.op == Op::mul && place >= least && digits(node.first) + digits(node.second) <= traits.precision)
        return true;
      break;
    }
    case Op::fma: place = std::min(a.place + b.place, facts_of(node.third).place); break;
    default: return false;
  }
  if (place < least) return false;
  return place > 900 || magnitude(before) <= power_of_two(place + traits.precision);
}

Interval BoxBounds::before_rounding(const Node& node, const Facts& facts, double carried) const {
  const Interval near = widened(facts.value, carried);
  const Interval &a = floats(node.first), &b = floats(node.second);
  const bool same = node.first == node.second;
  switch (node.op) {
    case Op::add: return intersection(near, rules_.add(a, b));
    case Op::sub: return same ? Interval{0, 0} : intersection(near, rules_.sub(a, b));
    case Op::mul: {
      const Interval left = same ? rules_.abs(a) : a;
      return intersection(near, rules_.mul(left, same ? left : b));
    }
    case Op::div: return same ? near : intersection(near, rules_.Rules::div(a, b));
    case Op::fma: return intersection(near, rules_.add(rules_.mul(a, b), floats(node.third)));
    case Op::neg: return intersection(near, rules_.neg(a));
    case Op::abs: return intersection(near, rules_.abs(a));
    case Op::convert: return intersection(near, a);
    default: return near;
  }
}

void BoxBounds::contracted(const Node& node, const Interval& near, Interval& before, double& error, int& place) const {
  const NodeNumber operands[] = {node.first, node.second};
  for (int k = 0; k < 2; ++k) {
    if ((node.contracts & (k + 1)) == 0) continue;
    bool negative = k == 1 && node.op == Op::sub;
    const NodeNumber product = circuit_.without_sign(operands[k], negative);
    const Node& mul = circuit_[product];
    const Facts &a = facts_of(mul.first), &b = facts_of(mul.second);
    const NodeNumber other = operands[1 - k];
    const bool same = mul.first == mul.second;
    Interval exact = same ? rules_.mul(rules_.abs(a.floats), rules_.abs(a.floats)) : rules_.mul(a.floats, b.floats);
    if (negative) exact = rules_.neg(exact);
    const Interval addend = k == 0 && node.op == Op::sub ? rules_.neg(floats(other)) : floats(other);
    const Interval sum = intersection(near, rules_.add(exact, addend));
    before = hull(before, sum);
    // A product that is not rounded, since it is a number of the format, is the same in both.
    if (facts_of(product).made == 0) continue;
    const int common = std::min(a.place + b.place, facts_of(other).place);
    place = std::min(place, common);
    const auto& traits = numerics::traits(node.format);
    const bool is_number = common >= traits.emin - traits.precision + 1 &&
                           (common > 900 || magnitude(sum) <= power_of_two(common + traits.precision));
    // The addend is a number of the format, and no further from the sum than the product is large.
    if (!is_number) error = std::max(error, std::min(rounding_error(magnitude(sum), node.format), magnitude(exact)));
  }
}

std::optional<Reason> BoxBounds::round(NodeNumber number, Found& facts, double carried) {
  const Node& node = circuit_[number];
  facts.drift = carried;
  if (node.kind == Kind::difference) {
    facts.floats = widened(facts.value, carried);
    keep(number, facts);
    return is_bounded(facts.value) ? std::nullopt : std::optional(Reason::overflow);
  }
  if (node.kind == Kind::exact) {
    const Facts &a = facts_of(node.first), &b = facts_of(node.second);
    facts.floats = before_rounding(node, facts, carried);
    facts.place = std::min(node.op == Op::mul ? a.place + b.place : std::min(a.place, b.place), any_place);
    keep(number, facts);
    return is_bounded(facts.value) && is_bounded(facts.floats) ? std::nullopt : std::optional(Reason::overflow);
  }
  // A real may lie beyond all numbers where its float does not.
  if (!is_bounded(facts.value)) return Reason::overflow;
  Interval before = before_rounding(node, facts, carried);
  double fused_error = 0;
  int fused_place = any_place;
  const Interval as_written = before;
  if (node.contracts != 0) contracted(node, widened(facts.value, carried), before, fused_error, fused_place);
  const numerics::Rounding way = circuit_.mode().rounding;
  const double most = largest(node.format);
  const bool saturates = magnitude(before) > most;
  if (!is_bounded(before) || (saturates && !numerics::saturates(node.format))) return Reason::overflow;
  const double reach = std::min(magnitude(before), most), least = std::min(mignitude(before), most);
  double error = 0;
  // Points of a range stand for their neighbours, too: only what does not vary is a number of the format or not.
  const bool is_number =
      varies_[number] == 0 && is_point(as_written) && nearest(as_written.low, node.format) == as_written.low;
  const bool exact = is_number || is_exact(node, as_written, error);
  if (!exact) {
    error = rounding_error(reach, node.format, way);
    if ((node.op == Op::add || node.op == Op::sub) && way == numerics::Rounding::nearest_even) {
      // Each operand is a number of the format itself, and no further away than the other operand is large.
      error = std::min(error, std::min(magnitude(floats(node.first)), magnitude(floats(node.second))));
    }
    facts.cut_by = std::max(error - rounding_error(least, node.format, way), 0.0);
  }
  if (saturates) {
    // What lies beyond the largest number becomes that number.
    error = std::max(error, add_up(magnitude(before), -most));
    facts.cut_by = error;
  }
  error = std::max(error, fused_error);
  facts.made = add_up(facts.made, error);
  facts.drift = add_up(carried, error);
  // Rounding keeps the order of numbers.
  facts.floats = intersection({rounded_to(before.low, node.format, way), rounded_to(before.high, node.format, way)},
                              widened(facts.value, facts.drift));
  facts.place = last_place(least, node.format);
  const Facts &a = facts_of(node.first), &b = facts_of(node.second);
  // A rounded multiple of a power of two is a multiple of it.
  if (node.op == Op::add || node.op == Op::sub) facts.place = std::max(facts.place, std::min({a.place, b.place, fused_place}));
  else if (node.op == Op::mul && a.place < any_place && b.place < any_place)
    facts.place = std::max(facts.place, a.place + b.place);
  else if (node.op == Op::neg || node.op == Op::abs || node.op == Op::convert || node.op == Op::copysign)
    facts.place = std::max(facts.place, a.place);
  else if (node.op == Op::rem) facts.place = std::max(facts.place, std::min(a.place, b.place));
  else if (is_step(node.op)) facts.place = std::max(facts.place, 0);
  if (saturates) facts.place = std::min(facts.place, last_place(most, node.format));
  keep(number, facts);
  return std::nullopt;
}

}  // namespace reckon::worst
