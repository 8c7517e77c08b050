#include "ir/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/op.h"
#include "ir/printer.h"
#include "numerics/elementary.h"

namespace reckon::ir {

const std::vector<PrimitiveName>& primitive_names() {
  static const std::vector<PrimitiveName> names{
#define RECKON_SCALAR_PRIMITIVE(name, arity, implementation) {#name, arity, PrimitiveName::Kind::scalar, ""},
#define RECKON_VECTOR_PRIMITIVE(name, arity, types, implementation) {#name, arity, PrimitiveName::Kind::vector, types},
#define RECKON_OPERATION_PRIMITIVE(name, arity) {#name, arity, PrimitiveName::Kind::operation, ""},
#include "ir/primitives.def"
  };
  return names;
}

std::optional<Scalar> ruled_format(const std::vector<Scalar>& results, const std::vector<Scalar>& arguments) {
  for (const std::vector<Scalar>* scalars : {&results, &arguments}) {
    const auto found = std::find_if(scalars->begin(), scalars->end(), is_float);
    if (found != scalars->end()) return *found;
  }
  return std::nullopt;
}

bool goes_without_saying(Op op) {
  switch (op) {
    case Op::neg:
    case Op::abs:
    case Op::min:
    case Op::max:
    case Op::minnum:
    case Op::maxnum:
    case Op::clamp:
    case Op::sign:
    case Op::copysign:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round:
    case Op::convert: return true;
    default: return false;
  }
}

namespace {

/// The literal as a pattern of the format. It must be a number or an infinity; where the format has no infinity, this
/// is the largest number.
std::uint64_t rounded(const Literal& literal, Format format, numerics::Rounding rounding) {
  switch (literal.kind) {
    case Literal::Kind::infinity:
      return (numerics::has_infinity(format) ? numerics::infinity_bits(format) : numerics::largest_finite(format)) |
             (literal.negative ? numerics::sign_bit(format) : 0);
    case Literal::Kind::bits: return literal.bits;
    case Literal::Kind::real: {
      using numerics::RealConstant;
      constexpr RealConstant named[] = {{}, RealConstant::pi, RealConstant::e, RealConstant::ln2, RealConstant::log2e};
      if (literal.constant == ir::RealConstant::one) break;
      return numerics::round_real(literal.value, named[static_cast<int>(literal.constant)], format, rounding);
    }
    default: break;
  }
  return numerics::round_rational(literal.value, format, rounding);
}

/// Patterns in the order of their values; both zeros are 0.
std::int64_t place(std::uint64_t bits, Format format) {
  const std::uint64_t sign = numerics::sign_bit(format);
  const auto magnitude = static_cast<std::int64_t>((bits & ~sign) >> numerics::traits(format).unused);
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

bool is_exact(const Literal& literal, Format format) {
  using numerics::Rounding;
  return place(rounded(literal, format, Rounding::upward), format) ==
         place(rounded(literal, format, Rounding::downward), format);
}

std::string literal_text(const Literal& literal) {
  if (literal.kind == Literal::Kind::infinity) return literal.negative ? "-inf" : "inf";
  if (literal.kind == Literal::Kind::real) {
    const std::string name(real_constant_names[static_cast<std::size_t>(literal.constant)]);
    return literal.value == 1 ? name : literal.value == -1 ? "-" + name : literal.value.get_str() + "*" + name;
  }
  return literal.value.get_str();
}

std::string amount_text(const Amount& amount) {
  using Kind = Amount::Kind;
  std::vector<std::string> stack;
  for (const Amount::Step& step : amount.steps) {
    const auto two = [&](const char* form) {
      const std::string right = std::move(stack.back());
      stack.pop_back();
      stack.back() = fmt::format(fmt::runtime(form), stack.back(), right);
    };
    switch (step.kind) {
      case Kind::constant: stack.push_back(step.value.get_str()); break;
      case Kind::argument: stack.push_back(fmt::format("${}", step.argument)); break;
      case Kind::neg: stack.back() = "-" + stack.back(); break;
      case Kind::abs: stack.back() = fmt::format("abs({})", stack.back()); break;
      case Kind::floor: stack.back() = fmt::format("floor({})", stack.back()); break;
      case Kind::add: two("({} + {})"); break;
      case Kind::sub: two("({} - {})"); break;
      case Kind::mul: two("({} * {})"); break;
      case Kind::div: two("({} / {})"); break;
      case Kind::min: two("min({}, {})"); break;
      case Kind::max: two("max({}, {})"); break;
    }
  }
  return stack.empty() ? "" : stack.back();
}

std::string piece_text(const Piece& piece) {
  using Kind = Accuracy::Kind;
  std::string out;
  switch (piece.accuracy.kind) {
    case Kind::exact: out = "exact"; break;
    case Kind::rounded: out = "rounded"; break;
    case Kind::absolute: out = fmt::format("absolute({})", amount_text(piece.accuracy.amount)); break;
    case Kind::ulps: out = fmt::format("ulps({})", amount_text(piece.accuracy.amount)); break;
    case Kind::circuit: out = fmt::format("circuit {}", piece.accuracy.circuit); break;
    case Kind::primitive: out = fmt::format("primitive({})", piece.accuracy.circuit); break;
    case Kind::anything: out = "anything"; break;
  }
  for (std::size_t k = 0; k < piece.domains.size(); ++k) {
    const Domain& domain = piece.domains[k];
    out += fmt::format("{} {}${}{}:", k == 0 ? " for" : ",", domain.magnitude ? "abs " : "", domain.argument, "");
    for (std::size_t r = 0; r < domain.ranges.size(); ++r) {
      const Domain::Range& range = domain.ranges[r];
      out += fmt::format("{} {}{}..{}{}", r == 0 ? "" : " or", range.low_open ? "(" : "[", literal_text(range.low),
                         literal_text(range.high), range.high_open ? ")" : "]");
    }
  }
  return out;
}

}  // namespace

bool has_number(const Domain::Range& range, bool magnitude, Format format) {
  using numerics::Rounding;
  std::int64_t low = place(rounded(range.low, format, Rounding::upward), format);
  std::int64_t high = place(rounded(range.high, format, Rounding::downward), format);
  if (range.low_open && is_exact(range.low, format)) ++low;
  if (range.high_open && is_exact(range.high, format)) --high;
  return low <= high && (!magnitude || high >= 0);
}

std::string profile_text(const Profile& profile) {
  constexpr const char* flushes[] = {"never", "may", "always"};
  std::string out = fmt::format("profile {}\n  formats", profile.name);
  for (Scalar format : profile.formats) out += fmt::format(" {}", scalar_name(format));
  out += fmt::format("\n  flush inputs {}, outputs {}\n  overflow {}\n  evaluate {}\n",
                     flushes[static_cast<int>(profile.flush_inputs)], flushes[static_cast<int>(profile.flush_outputs)],
                     profile.overflow == Profile::Overflow::infinite ? "infinite" : "indeterminate",
                     profile.endpoints_only ? "ends" : "whole");
  if (profile.contracts()) out += "  contract may\n";
  if (profile.reassociates()) out += "  reassociate may\n";
  for (const auto& [key, rule] : profile.rules) {
    out += fmt::format("  {} in {}:{}", key.first, scalar_name(key.second), rule.hull ? " hull" : "");
    for (std::size_t c = 0; c < rule.choices.size(); ++c) {
      out += c == 0 ? " " : " | ";
      for (std::size_t p = 0; p < rule.choices[c].pieces.size(); ++p) {
        out += (p == 0 ? "" : " else ") + piece_text(rule.choices[c].pieces[p]);
      }
    }
    out += "\n";
  }
  if (profile.circuits && !profile.circuits->functions().empty()) out += "\n" + print(*profile.circuits);
  return out;
}

}  // namespace reckon::ir
