// Polynomials in normal form, over the reals: rational coefficients, monomials in atoms, one power of e in each
// monomial (the free exponential ring: exp(a) exp(b) is exp(a + b)). All are hash-consed: equal forms are equal ids.
//
// What a form guarantees: wherever the expression that it was made of has a value, the form has the same value. It may
// also be defined where the expression is not (x / x is 1). So two expressions with one form agree where both are
// defined. Rules that would violate this are not used, or only where they are safe: TermStore::total says that nothing
// in a form can be undefined.
//
// Integer expressions (subscripts, extents) are the IR's own. Variables that are free are the IR's temporaries; those
// that an atom binds are numbered from its body's height, as in ids.h.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <map>
#include <vector>

#include "ir/module.h"

namespace reckon::ir::normal {

/// Rules within rules; beyond this depth there is no normal form.
inline constexpr int deepest = 400;
inline constexpr int largest_exponent = 64;

using AtomId = Id<struct AtomTag>;
using MonomialId = Id<struct MonomialTag>;
using PolynomialId = Id<struct PolynomialTag>;

enum class AtomKind : std::uint8_t {
  element,  ///< attribute: a parameter's position, or 2^31 + a source's NodeId; indices: the subscripts
  index,    ///< indices[0]: an integer expression that is no sum or product: a variable, a dimension, n // 2
  pi,
  operand,   ///< attribute: a VariableId; indices[0]: the part, a constant. An operand of a reduction's operation
  function,  ///< attribute: an Op; parts: its operands. A function of which no more is known here: log, sin, floor, ...
  positive,  ///< 1 if parts[0] > 0, else 0
  is_zero,   ///< 1 if parts[0] = 0, else 0
  select,    ///< parts: a condition (0 or 1) and two values, of which one may be undefined
  lookup,    ///< parts: the elements of a written-out tensor; indices: subscripts, then its extents
  group,     ///< parts[0]: a sum of several terms that is divided by: only powers below 0 occur
  positive_part,  ///< the larger of parts[0] and 0: max(a, b) = b + ramp(a - b)
  maximum,        ///< parts: three or more, ascending
  sum,       ///< bound, indices: variables and their extents, each in the scope of those before; parts[0]: one monomial
  product,   ///< the same; parts[0]: any polynomial
  supremum,  ///< the same: the largest value
  opaque,    ///< attribute: a NodeId of unknown meaning; indices: what stands for its free variables, ascending
};

struct Atom {
  AtomKind kind{};
  std::uint32_t attribute = 0;
  /// sum: bit k is set if the k-th range is known not to be empty wherever the sum is reached.
  std::uint32_t certain = 0;
  std::vector<PolynomialId> parts;
  std::vector<IndexId> indices;
  std::vector<VariableId> bound;
  friend bool operator==(const Atom&, const Atom&) = default;
};

struct Factor {
  AtomId atom;
  int power = 1;  ///< not 0
  friend bool operator==(const Factor&, const Factor&) = default;
};

struct Monomial {
  PolynomialId exponent;        ///< of e; invalid for none
  std::vector<Factor> factors;  ///< ascending in their atoms
  friend bool operator==(const Monomial&, const Monomial&) = default;
};

struct Term {
  MonomialId monomial;
  mpq_class coefficient;  ///< not 0
};

/// A variable with its range 0..extent-1.
struct Binder {
  VariableId variable;
  IndexId extent;
  bool certain = false;  ///< the range is known not to be empty
};

/// Terms that are being added up.
using Accumulator = std::map<MonomialId, mpq_class>;

/// What is put in for variables.
using Replacements = std::map<VariableId, IndexId>;

}  // namespace reckon::ir::normal
