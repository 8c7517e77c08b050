#include "semantics/accept/rules.h"

#include <algorithm>

#include "interp/algebra/directed.h"
#include "interp/algebra/real_constant.h"
#include "ir/op.h"
#include "semantics/accept/primitives.h"

namespace reckon::interp::accept {

namespace {

using numerics::Rounding;
constexpr auto f64 = numerics::Format::f64;

Interval around(const mpq_class& value) {
  return {std::bit_cast<double>(numerics::round_rational(value, f64, Rounding::downward)) + 0.0,
          std::bit_cast<double>(numerics::round_rational(value, f64, Rounding::upward)) + 0.0};
}

Interval product(const Interval& a, const Interval& b) {
  using directed::mul_down, directed::mul_up;
  return {std::min(
              {mul_down(a.low, b.low), mul_down(a.low, b.high), mul_down(a.high, b.low), mul_down(a.high, b.high)}),
          std::max({mul_up(a.low, b.low), mul_up(a.low, b.high), mul_up(a.high, b.low), mul_up(a.high, b.high)})};
}
Interval quotient(const Interval& a, const Interval& b) {
  if (b.contains(0)) return {-infinity, infinity};
  using directed::div_down, directed::div_up;
  return {std::min(
              {div_down(a.low, b.low), div_down(a.low, b.high), div_down(a.high, b.low), div_down(a.high, b.high)}),
          std::max({div_up(a.low, b.low), div_up(a.low, b.high), div_up(a.high, b.low), div_up(a.high, b.high)})};
}
Interval magnitude(const Interval& a) {
  if (a.low >= 0) return a;
  return {a.high <= 0 ? -a.high : 0, std::max(-a.low, a.high)};
}

/// An endpoint of a domain, rounded to nearest in the format.
double end(const ir::Literal& literal, const NumberKind& kind) {
  using Kind = ir::Literal::Kind;
  std::uint64_t bits = 0;
  switch (literal.kind) {
    case Kind::infinity: return literal.negative ? -infinity : infinity;
    case Kind::bits: bits = literal.bits; break;
    case Kind::real:
      if (const auto constant = real_constant(literal.constant)) {
        bits = numerics::round_real(literal.value, *constant, kind.format);
        break;
      }
      [[fallthrough]];
    default: bits = numerics::round_rational(literal.value, kind.format); break;
  }
  return numerics::widen(bits, kind.format) + 0.0;
}

std::vector<Interval> ranges(const ir::Domain& domain, const NumberKind& kind) {
  std::vector<Interval> out;
  for (const ir::Domain::Range& range : domain.ranges) {
    Interval part{end(range.low, kind), end(range.high, kind)};
    if (range.low_open) part.low = kind.after(part.low);
    if (range.high_open) part.high = kind.before(part.high);
    if (domain.magnitude) part.low = std::max(part.low, 0.0);
    if (part.low > part.high) continue;
    out.push_back(part);
    if (domain.magnitude) out.push_back({-part.high, -part.low + 0.0});
  }
  std::sort(out.begin(), out.end(), [](const Interval& a, const Interval& b) { return a.low < b.low; });
  std::vector<Interval> apart;
  for (const Interval& part : out) {
    if (!apart.empty() && part.low <= apart.back().high) apart.back() = hull(apart.back(), part);
    else apart.push_back(part);
  }
  return apart;
}

/// Numbers of builtin circuits follow those of operations and of primitive rules.
constexpr std::uint16_t first_builtin = 0x400;

/// The most operands that the steps of an amount may keep waiting.
constexpr std::size_t max_stack_depth = 32;

}  // namespace

Amount::Amount(const ir::Amount& amount) {
  constant_ = true;
  std::size_t depth = 0, deepest = 0;
  for (const ir::Amount::Step& from : amount.steps) {
    Step step{from.kind, from.argument, 0, {}};
    if (from.kind == Kind::constant) {
      step.near = std::bit_cast<double>(numerics::round_rational(from.value, f64));
      step.value = around(from.value);
    }
    constant_ &= from.kind != Kind::argument;
    steps_.push_back(step);
    if (from.kind == Kind::constant || from.kind == Kind::argument) deepest = std::max(deepest, ++depth);
    else if (from.kind != Kind::neg && from.kind != Kind::abs && from.kind != Kind::floor) --depth;
  }
  if (deepest > max_stack_depth) {  // infinity is a sound bound, and real profiles do not get here
    constant_ = true;
    near_ = upper_bound_ = infinity;
    return;
  }
  if (constant_ && !steps_.empty()) {
    constant_ = false;
    near_ = at(nullptr);
    upper_bound_ = upper_bound(nullptr);
    constant_ = true;
  }
}

double Amount::at(const double* point) const {
  if (constant_) return near_;
  double stack[max_stack_depth];
  std::size_t n = 0;
  for (const Step& step : steps_) {
    if (step.kind == Kind::constant || step.kind == Kind::argument) {
      stack[n++] = step.kind == Kind::constant ? step.near : point[step.argument];
      continue;
    }
    double& x = stack[n - 1];
    if (step.kind == Kind::neg) x = -x;
    else if (step.kind == Kind::abs) x = std::fabs(x);
    else if (step.kind == Kind::floor) x = std::floor(x);
    else {
      const double y = stack[--n];
      double& a = stack[n - 1];
      switch (step.kind) {
        case Kind::add: a += y; break;
        case Kind::sub: a -= y; break;
        case Kind::mul: a *= y; break;
        case Kind::div: a /= y; break;
        case Kind::min: a = std::min(a, y); break;
        default: a = std::max(a, y); break;
      }
    }
  }
  return std::fabs(stack[0]);
}

double Amount::upper_bound(const Interval* box) const {
  if (constant_) return upper_bound_;
  Interval stack[max_stack_depth];
  std::size_t n = 0;
  for (const Step& step : steps_) {
    if (step.kind == Kind::constant || step.kind == Kind::argument) {
      stack[n++] = step.kind == Kind::constant ? step.value : box[step.argument];
      continue;
    }
    Interval& x = stack[n - 1];
    if (step.kind == Kind::neg) x = {-x.high, -x.low};
    else if (step.kind == Kind::abs) x = magnitude(x);
    else if (step.kind == Kind::floor) x = {std::floor(x.low), std::floor(x.high)};
    else {
      const Interval y = stack[--n];
      Interval& a = stack[n - 1];
      switch (step.kind) {
        case Kind::add: a = {directed::add_down(a.low, y.low), directed::add_up(a.high, y.high)}; break;
        case Kind::sub: a = {directed::add_down(a.low, -y.high), directed::add_up(a.high, -y.low)}; break;
        case Kind::mul: a = product(a, y); break;
        case Kind::div: a = quotient(a, y); break;
        case Kind::min: a = {std::min(a.low, y.low), std::min(a.high, y.high)}; break;
        default: a = {std::max(a.low, y.low), std::max(a.high, y.high)}; break;
      }
    }
  }
  return magnitude(stack[0]).high;
}

Rules::Rules(std::shared_ptr<const ir::Profile> profile, bool constant, Numbers numbers)
    : profile_(std::move(profile)), constant_(constant) {
  for (const ir::Scalar scalar : profile_->formats) {
    if (!ir::is_float(scalar)) continue;  // whole numbers have no accuracy
    formats_[index(scalar)] = true;
    kinds_[index(scalar)] = NumberKind::of(numbers == Numbers::reals ? f64 : ir::format_of(scalar));
  }
  for (const auto& [key, rule] : profile_->rules) {
    if (!has(key.second)) continue;
    rules_[key] = compiled(rule, kinds_[index(key.second)]);
    const bool noted = !builtins_.empty() && builtins_.back() == key.first;
    if (!ir::op_named(key.first) && !noted) builtins_.push_back(key.first);
  }
  Piece rounded;
  rounded.kind = Piece::Kind::rounded;
  rounded_.choices.push_back({{rounded}, false});
  for (const ir::Scalar scalar : profile_->formats) {
    if (!has(scalar)) continue;
    for (std::size_t k = 0; k < operations; ++k) {
      const auto op = static_cast<ir::Op>(k);
      if (op > ir::Op::convert) break;
      const auto found = rules_.find(std::pair(std::string(ir::traits(op).spelling), scalar));
      if (found != rules_.end()) by_operation_[k][index(scalar)] = &found->second;
      else if (ir::goes_without_saying(op)) by_operation_[k][index(scalar)] = &rounded_;
    }
  }
}

Rule Rules::compiled(const ir::Rule& rule, const NumberKind& kind) {
  Rule out;
  out.hull = rule.hull;
  out.definition = rule.definition;
  for (const ir::Choice& choice : rule.choices) {
    Choice made;
    for (const ir::Piece& piece : choice.pieces) {
      Piece one;
      for (const ir::Domain& domain : piece.domains) one.domains.push_back({domain.argument, ranges(domain, kind)});
      one.kind = piece.accuracy.kind;
      one.amount = Amount(piece.accuracy.amount);
      if (one.kind == Piece::Kind::circuit) {
        const auto found = std::find(circuits_.begin(), circuits_.end(), piece.accuracy.circuit);
        one.circuit = static_cast<int>(found - circuits_.begin());
        if (found == circuits_.end()) circuits_.push_back(piece.accuracy.circuit);
        made.has_circuits = true;
      }
      if (one.kind == Piece::Kind::primitive) {
        one.name = piece.accuracy.circuit;
        one.primitive = primitive_named(one.name);
      }
      made.pieces.push_back(std::move(one));
    }
    out.choices.push_back(std::move(made));
  }
  return out;
}

const Rule* Rules::rule(std::string_view name, ir::Scalar scalar) const {
  const auto found = rules_.find(std::pair(std::string(name), scalar));
  return found == rules_.end() ? nullptr : &found->second;
}

std::uint16_t Rules::operation_number(std::string_view builtin) const {
  const auto found = std::find(builtins_.begin(), builtins_.end(), builtin);
  return found == builtins_.end() ? unnamed_operation
                                  : static_cast<std::uint16_t>(first_builtin + (found - builtins_.begin()));
}

std::string Rules::operation_text(std::uint16_t operation) const {
  if (operation == unnamed_operation) return "a circuit";
  if (operation < first_builtin) return "`" + operation_name(operation) + "`";
  const std::size_t builtin = operation - first_builtin;
  return builtin < builtins_.size() ? "`" + builtins_[builtin] + "`" : "a circuit";
}

Setting Rules::setting(ir::Scalar scalar, std::uint16_t operation) const {
  const bool in_table = operation <= static_cast<std::uint16_t>(ir::Op::convert);
  return {kinds_[index(scalar)],
          profile_->flush_inputs,
          profile_->flush_outputs,
          profile_->overflow == ir::Profile::Overflow::indeterminate,
          profile_->endpoints_only,
          operation,
          constant_,
          in_table ? ir::traits(static_cast<ir::Op>(operation)).arity : 0};
}

}  // namespace reckon::interp::accept
