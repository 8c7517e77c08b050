// The operations of ops.def as an enumeration with its table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reckon::ir {

enum class Op : std::uint8_t {
#define RECKON_SCALAR(name, arity, spelling, result) name,
#define RECKON_STRUCTURE(name, spelling) name,
#include "ir/ops.def"
};

enum class ResultRule : std::uint8_t { same, truth, logic, choose, cast, structure };

struct OpTraits {
  std::string_view spelling;
  int arity;  ///< -1 for structures
  ResultRule result;
};

/// The traits, in the order of Op. Not a local of traits(): gcc would write the table to the stack at every call.
inline constexpr OpTraits op_traits[] = {
#define RECKON_SCALAR(name, arity, spelling, result) {spelling, arity, ResultRule::result},
#define RECKON_STRUCTURE(name, spelling) {spelling, -1, ResultRule::structure},
#include "ir/ops.def"
};
constexpr const OpTraits& traits(Op op) { return op_traits[static_cast<int>(op)]; }

constexpr bool is_scalar_operation(Op op) { return traits(op).result != ResultRule::structure; }

/// exp, sin, pow, ...: the rows of ops.def from exp to hypot.
constexpr bool is_elementary(Op op) { return op >= Op::exp && op <= Op::hypot; }

/// Quotients, roots and elementary functions.
constexpr bool may_have_no_value(Op op) {
  return op == Op::div || op == Op::rem || op == Op::sqrt || op == Op::rsqrt || is_elementary(op);
}

/// approx.exp2, ...: what the GPU's instruction gives, which no other target has.
constexpr bool is_approximate(Op op) { return op >= Op::approx_exp2 && op <= Op::approx_div; }

/// `& | xor << >>`, and `//` and `%` of integers, which floats do not have.
constexpr bool is_integer_operation(Op op) { return op >= Op::bit_and && op <= Op::floor_mod; }
/// `//` and `%` of integers, which have no value for a divisor of 0.
constexpr bool divides_integers(Op op) { return op == Op::floor_div || op == Op::floor_mod; }

/// Whether operands may be integers.
constexpr bool takes_integers(Op op) {
  const ResultRule rule = traits(op).result;
  return is_integer_operation(op) || op == Op::add || op == Op::sub || op == Op::mul || op == Op::neg ||
         op == Op::abs || op == Op::min || op == Op::max || op == Op::clamp || op == Op::sign ||
         rule == ResultRule::truth || rule == ResultRule::choose || op == Op::convert || op == Op::from_bits;
}

/// The exact expression that a message suggests instead of an approximate operation: `exp2(x)`, `1 / x`.
std::string exact_spelling(Op approximate);

std::optional<Op> op_named(std::string_view spelling);

}  // namespace reckon::ir
