// The integer sub-language of sizes, ranges, subscripts and schedule parameters.
// Expressions are hash-consed in a normal form (sums of integer multiples of products of atoms), so that
// two that are equal as polynomials over their atoms are one id. Arithmetic is exact in 64 bits; where a
// value does not fit, evaluation says so.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/ids.h"

namespace reckon::ir {

enum class IndexOp : std::uint8_t {
  constant,     ///< value
  dimension,    ///< symbol: a size of the function, or a static parameter
  variable,     ///< variable: of a binder
  sum,          ///< value + sum of coefficients[k] * operands[k]; operands ascending, coefficients not 0
  product,      ///< of two or more atoms, ascending
  floor_div,    ///< operands[0] // operands[1], towards minus infinity
  floor_mod,    ///< operands[0] % operands[1], the sign of the divisor
  minimum,      ///< of two
  maximum,      ///< of two
  less,         ///< conditions: 0 or 1
  less_equal,
  equal,
  logical_and,
  logical_or,
  logical_not,
};

constexpr bool is_condition(IndexOp op) { return op >= IndexOp::less; }

struct IndexNode {
  IndexOp op{};
  std::int64_t value = 0;
  SymbolId symbol;
  VariableId variable;
  std::vector<IndexId> operands;
  std::vector<std::int64_t> coefficients;
  friend bool operator==(const IndexNode&, const IndexNode&) = default;
};

/// What dimensions and variables stand for when an expression is evaluated.
struct IndexEnvironment {
  std::map<SymbolId, std::int64_t> dimensions;
  std::map<VariableId, std::int64_t> variables;
};

/// Replacements for dimensions and variables, applied all at once.
struct IndexSubstitution {
  std::map<SymbolId, IndexId> dimensions;
  std::map<VariableId, IndexId> variables;
  bool empty() const { return dimensions.empty() && variables.empty(); }
};

/// Inclusive range of values.
struct IndexRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

class IndexStore {
 public:
  IndexStore();

  IndexId constant(std::int64_t value);
  IndexId dimension(SymbolId symbol);
  IndexId variable(VariableId variable);
  IndexId add(IndexId a, IndexId b);
  IndexId subtract(IndexId a, IndexId b);
  IndexId multiply(IndexId a, IndexId b);
  IndexId negate(IndexId a);
  IndexId floor_div(IndexId a, IndexId b);
  IndexId floor_mod(IndexId a, IndexId b);
  IndexId minimum(IndexId a, IndexId b);
  IndexId maximum(IndexId a, IndexId b);
  IndexId less(IndexId a, IndexId b);
  IndexId less_equal(IndexId a, IndexId b);
  IndexId equal(IndexId a, IndexId b);
  IndexId logical_and(IndexId a, IndexId b);
  IndexId logical_or(IndexId a, IndexId b);
  IndexId logical_not(IndexId a);
  /// A number that was split into coordinates and joined again: c*m*(x // m) + c*(x % m) as c*x, wherever a sum has both.
  /// No part of the normal form, in which (a + b) - b is a.
  IndexId rejoined(IndexId id);
  /// The operation by name, as printed IR has it.
  IndexId apply(IndexOp op, IndexId a, IndexId b);

  /// The reference stays valid when others are made.
  const IndexNode& operator[](IndexId id) const { return nodes_[id.index]; }
  std::optional<std::int64_t> as_constant(IndexId id) const;

  /// Nothing if a name is missing from the environment, the value does not fit in 64 bits, or a divisor is 0.
  std::optional<std::int64_t> evaluate(IndexId id, const IndexEnvironment& environment) const;
  IndexId substitute(IndexId id, const IndexSubstitution& substitution);

  /// Variables that occur, ascending.
  const std::vector<VariableId>& variables(IndexId id) const { return variables_[id.index]; }
  bool mentions(IndexId id, VariableId variable) const;
  /// Dimensions that occur, added to `out` in order of first occurrence.
  void dimensions(IndexId id, std::vector<SymbolId>& out) const;

  /// Enclosing range when each variable lies in its range and dimensions have the environment's values; sound, not
  /// always tight. Nothing if it cannot be computed.
  std::optional<IndexRange> range(IndexId id, const std::map<VariableId, IndexRange>& variables,
                                  const std::map<SymbolId, std::int64_t>& dimensions) const;

  /// If `id` = base + stride * variable with neither part mentioning `variable`: the two parts.
  struct Affine {
    IndexId base;
    IndexId stride;
  };
  std::optional<Affine> affine_in(IndexId id, VariableId variable);

 private:
  IndexId intern(IndexNode node);
  struct Terms {
    std::int64_t constant = 0;
    std::map<IndexId, std::int64_t> atoms;
  };
  IndexId make_sum(Terms terms);
  bool join_quotients(Terms& terms) const;  ///< one pair; false if there is none (or a coefficient does not fit)
  std::pair<Terms, Terms> divided(IndexId id, std::int64_t divisor) const;
  bool add_terms(IndexId id, std::int64_t factor, Terms& out) const;  ///< false if a coefficient does not fit
  /// What an expression becomes whose coefficients do not fit: it has no value under any environment (1 // 0).
  IndexId unrepresentable();

  struct Hash {
    std::size_t operator()(const IndexNode& node) const;
  };
  std::deque<IndexNode> nodes_;  ///< references to nodes stay valid when others are added
  std::vector<std::vector<VariableId>> variables_;
  std::unordered_map<IndexNode, IndexId, Hash> interned_;
};

/// Floor quotient and remainder of mathematics (divisor not 0).
constexpr std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
constexpr std::int64_t floor_remainder(std::int64_t a, std::int64_t b) { return a - floor_quotient(a, b) * b; }

}  // namespace reckon::ir
