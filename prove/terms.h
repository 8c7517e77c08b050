// Polynomials in normal form, over the reals: rational coefficients, monomials in atoms, one power of e in each
// monomial (the free exponential ring: exp(a) exp(b) is exp(a + b)). All are hash-consed: equal forms are equal ids.
//
// What a form guarantees: wherever the expression that it was made of has a value, the form has the same value. It may
// also be defined where the expression is not (x / x is 1). So two expressions with one form agree where both are
// defined. Rules that would violate this are not used, or only where they are safe: Terms::total says that nothing in a
// form can be undefined.
//
// Integer expressions (subscripts, extents) are the IR's own. Variables that are free are the IR's temporaries; those
// that an atom binds are numbered from its body's height, as in ids.h.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
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

struct Limits {
  std::int64_t steps = 25000;             ///< how much work is done before there is no normal form
  std::int64_t expansion = 0;             ///< sums, maxima and products over at most so many values are written out
  int cases = 0;                          ///< how many orders a proof may consider in both cases
  std::set<std::uint32_t> positive = {};  ///< parameters whose elements are above 0
};

class Terms {
 public:
  explicit Terms(Module& module, Limits limits);

  /// Whether there is no normal form: too much work, or an expression without a meaning over the reals. Every result
  /// from then on is 0, and means nothing.
  bool failed() const { return failed_; }
  PolynomialId fail();

  // store.cpp: what has been made.
  const std::vector<Term>& operator[](PolynomialId id) const { return polynomials_[id.index].terms; }
  const Monomial& operator[](MonomialId id) const { return monomials_[id.index].monomial; }
  const Atom& operator[](AtomId id) const { return atoms_[id.index].atom; }
  template <class Any>
  const std::vector<VariableId>& variables(Any id) const {
    return facts(id).variables;
  }
  template <class Any>
  bool mentions(Any id, VariableId variable) const;
  /// Whether nothing in it can lack a value, for any inputs.
  template <class Any>
  bool total(Any id) const {
    return facts(id).total;
  }
  /// One above every variable that is bound inside.
  template <class Any>
  std::uint32_t height(Any id) const {
    return facts(id).height;
  }
  std::optional<mpq_class> as_constant(PolynomialId id) const;
  /// The term whose coefficient a form is scaled by; it does not depend on the names of variables.
  const Term& lead(PolynomialId id) const;

  // polynomial.cpp: the ring.
  PolynomialId constant(const mpq_class& value);
  PolynomialId zero() const { return zero_; }
  PolynomialId one() const { return one_; }
  PolynomialId atom(Atom atom) { return power(intern(std::move(atom)), 1); }
  PolynomialId power(AtomId atom, int exponent);
  PolynomialId monomial(MonomialId id, const mpq_class& coefficient = 1);
  PolynomialId scale(PolynomialId a, const mpq_class& factor);
  PolynomialId add(PolynomialId a, PolynomialId b) { return combine(a, b, 1); }
  /// The sum of forms with the factors 1 or -1.
  PolynomialId add(const std::vector<std::pair<PolynomialId, int>>& parts);
  PolynomialId subtract(PolynomialId a, PolynomialId b) { return combine(a, b, -1); }
  PolynomialId negate(PolynomialId a) { return scale(a, -1); }
  PolynomialId multiply(PolynomialId a, PolynomialId b);
  PolynomialId power(PolynomialId a, int exponent);
  PolynomialId exp(PolynomialId a);

  // division.cpp
  PolynomialId inverse(PolynomialId a);
  /// The polynomial times all its denominators: where it is defined, it is 0 if and only if the result is.
  PolynomialId cleared(PolynomialId a);
  bool same_where_defined(PolynomialId a, PolynomialId b);

  // cases.cpp: equality in every case of the order of two forms, where the forms differ as they stand.
  bool equal_by_cases(PolynomialId a, PolynomialId b, int depth);
  /// Sines and cosines of whole and of half angles, by those of the half.
  bool refine_angles();
  /// Makes all parts again: by what is assumed, and with the common parts of angles.
  PolynomialId revisit(PolynomialId id);

  // functions.cpp, inverses.cpp, roots.cpp, conditions.cpp, trigonometry.cpp
  PolynomialId apply(Op op, const std::vector<PolynomialId>& operands);
  PolynomialId log(PolynomialId a);
  PolynomialId sqrt(PolynomialId a);
  PolynomialId maximum(std::vector<PolynomialId> parts);
  PolynomialId positive(PolynomialId a);
  PolynomialId is_zero(PolynomialId a);
  PolynomialId select(PolynomialId condition, PolynomialId a, PolynomialId b);
  struct Angle {
    PolynomialId sine, cosine;
  };
  Angle angle(PolynomialId a);
  /// Whether it is above 0 wherever it has a value; or, if not `strictly`, a sum that is 0 if its range is empty.
  bool is_positive(PolynomialId a, bool strictly) const;
  bool is_positive(AtomId a, bool strictly) const;

  // bound.cpp, maxima.cpp, sums.cpp: forms that bind variables, and lookups. The binders' variables are temporaries,
  // each in the scope of those before it.
  PolynomialId sum(const std::vector<Binder>& binders, PolynomialId body);
  PolynomialId product(const std::vector<Binder>& binders, PolynomialId body);
  PolynomialId supremum(const std::vector<Binder>& binders, PolynomialId body);
  PolynomialId lookup(Atom atom);

  // substitute.cpp
  PolynomialId substitute(PolynomialId id, const std::map<VariableId, IndexId>& replacements);
  PolynomialId substitute(MonomialId id, const std::map<VariableId, IndexId>& replacements);
  PolynomialId substitute(AtomId id, const std::map<VariableId, IndexId>& replacements);

  // indices.cpp
  IndexStore& indices() { return indices_; }
  const IndexStore& indices() const { return indices_; }
  /// The same integer, simplified: quotients of sums, remainders as differences, by the ranges of variables.
  IndexId simplified(IndexId id);
  IndexId substitute(IndexId id, const std::map<VariableId, IndexId>& replacements);
  PolynomialId number(IndexId id);
  PolynomialId condition(IndexId id);
  /// A variable that occurs nowhere yet, with the range 0..extent-1.
  VariableId fresh(IndexId extent);
  void set_range(VariableId variable, IndexId extent) { extents_[variable] = extent; }

 private:
  friend struct Binding;
  friend class Summation;
  struct Facts {
    std::vector<VariableId> variables;
    std::uint32_t height = 0;
    std::size_t shape = 0;  ///< a hash that depends on neither the names of variables nor what was made first
    bool total = true;
    bool ordered = false;  ///< a part of it depends on an order: a ramp, a condition, a maximum
  };
  struct AtomEntry {
    Atom atom;
    Facts facts;
  };
  struct MonomialEntry {
    Monomial monomial;
    Facts facts;
  };
  struct PolynomialEntry {
    std::vector<Term> terms;
    Facts facts;
  };
  const Facts& facts(AtomId id) const { return atoms_[id.index].facts; }
  const Facts& facts(MonomialId id) const { return monomials_[id.index].facts; }
  const Facts& facts(PolynomialId id) const { return polynomials_[id.index].facts; }
  void include(Facts& into, const Facts& from) const;

  using Accumulator = std::map<MonomialId, mpq_class>;
  AtomId intern(Atom atom);
  MonomialId intern(Monomial monomial);
  PolynomialId intern(Accumulator terms);
  bool step(std::int64_t count = 1);

  PolynomialId combine(PolynomialId a, PolynomialId b, const mpq_class& factor);
  void accumulate(Accumulator& into, PolynomialId a, const mpq_class& factor) const;
  /// Divides by groups, until no term over a group is a multiple of the group's leading monomial.
  void reduce(Accumulator& terms);
  bool reduce_once(Accumulator& terms);
  std::optional<MonomialId> quotient(MonomialId dividend, MonomialId divisor, AtomId except);
  MonomialId leading(PolynomialId group) const;
  /// The monomial by the rules for single factors: sin^2, sqrt^2, conditions, powers of groups, exp of logarithms.
  PolynomialId simplify(Monomial monomial, const mpq_class& coefficient);

  bool every_term_is_positive(PolynomialId id, bool strictly) const;
  PolynomialId log_of_rational(const mpq_class& value);
  PolynomialId sqrt_of_rational(const mpq_class& value);
  PolynomialId function(Op op, std::vector<PolynomialId> operands);
  Angle plus(const Angle& a, const Angle& b);
  /// The angle of so many half turns, if it can be written in square roots.
  std::optional<Angle> angle_of_pi(mpq_class turns);
  Angle angle_of_term(MonomialId monomial, const mpq_class& coefficient);
  /// An angle that is an arcsine or arctangent, or half of one.
  std::optional<Angle> angle_of_inverse(MonomialId monomial, const mpq_class& coefficient);
  std::optional<Angle> angle_of_half_arccosine(PolynomialId a);
  // inverses.cpp
  PolynomialId arcsine(PolynomialId a);
  PolynomialId arctangent(PolynomialId a);
  std::optional<PolynomialId> arctangent_of_rational(const mpq_class& value);
  /// asinh or acosh of r where the form is r + sqrt(r^2 + 1) or r + sqrt(r^2 - 1), and so on.
  std::optional<PolynomialId> log_of_hyperbola(PolynomialId a);
  // roots.cpp
  PolynomialId pow(PolynomialId base, PolynomialId exponent);
  PolynomialId cbrt(PolynomialId a);
  /// q of an atom pow(x, 1/q).
  std::optional<int> root_degree(AtomId id) const;
  /// The root p of a form p^2, up to its sign.
  std::optional<PolynomialId> root_of_square(PolynomialId a);
  struct Ratio {
    PolynomialId above, below;
  };
  /// The form as N / G where N and G are never both below 0.
  std::optional<Ratio> as_safe_ratio(PolynomialId a);
  /// The exponent of a power of e that is taken out of a sum; it is the same for all multiples of the sum.
  PolynomialId common_exponent(PolynomialId a);
  // steps.cpp
  PolynomialId step_function(Op op, PolynomialId a);
  PolynomialId remainder(PolynomialId a, PolynomialId b);
  bool has_whole_values(const Term& term) const;
  bool is_integral(PolynomialId id) const;
  PolynomialId atom_positive(PolynomialId a) { return atom({.kind = AtomKind::positive, .parts = {a}}); }
  PolynomialId positive_part(PolynomialId a);
  std::optional<PolynomialId> maximum_of_powers(const std::vector<PolynomialId>& all);
  /// t + c p and t if the form is t + c ramp(p) for a rational c > 0: their maximum is the form.
  std::optional<std::pair<PolynomialId, PolynomialId>> split_positive_part(PolynomialId a);
  // cases.cpp, inequalities.cpp
  struct Assumption {
    PolynomialId of;
    bool strictly;  ///< of > 0; else of >= 0
  };
  /// Whether a >= 0, or a > 0, follows from what is assumed.
  bool follows(PolynomialId a, bool strictly);
  bool contradictory(const std::optional<Assumption>& more);
  /// A form of the same sign: without common positive factors, and for f(x) - f(y) with an increasing f, x - y.
  PolynomialId of_same_sign(PolynomialId a);
  void assume(PolynomialId of, bool strictly);
  /// Assumes that `of` is 0: an element that stands in it alone is replaced by the rest.
  void assume_zero(PolynomialId of);
  bool mentions(PolynomialId id, AtomId atom, std::set<PolynomialId>& seen) const;
  void collect_orders(PolynomialId id, std::set<PolynomialId>& seen, std::set<PolynomialId>& orders, bool& conditions);
  PolynomialId without_equal_sums(PolynomialId difference, int depth);
  bool assumed_positive(AtomId atom, bool strictly) const;
  /// The common factors of all terms that are not below 0; invalid if there are none.
  MonomialId common_positive(PolynomialId a);

  IndexId simplified_quotient(IndexId a, IndexId b);  ///< a // b, of simplified operands
  // ranges.cpp
  std::optional<IndexId> as_index(PolynomialId id);
  /// Whether a <= b for every value of the variables in their ranges; false if that is not evident.
  bool at_most(IndexId a, IndexId b);
  std::optional<PolynomialId> cut_range(std::vector<Binder> binders, MonomialId body);
  std::optional<PolynomialId> split_range(std::vector<Binder> binders, MonomialId body);

  PolynomialId sum_of_powers(PolynomialId count, int exponent);
  PolynomialId sum_of_monomial(std::vector<Binder> binders, MonomialId body);
  /// Whether a written-out tensor is indexed by the variable.
  bool looks_up(PolynomialId id, VariableId variable) const;
  bool looks_up(PolynomialId id, VariableId variable, std::set<PolynomialId>& seen) const;

  struct AtomHash {
    std::size_t operator()(const Atom& atom) const;
  };
  struct MonomialHash {
    std::size_t operator()(const Monomial& monomial) const;
  };
  struct TermsHash {
    std::size_t operator()(const std::vector<Term>& terms) const;
  };
  struct TermsEqual {
    bool operator()(const std::vector<Term>& a, const std::vector<Term>& b) const;
  };

  Module& module_;
  IndexStore& indices_;
  Limits limits_;
  std::int64_t steps_ = 0;
  bool failed_ = false;
  int depth_ = 0;
  std::deque<AtomEntry> atoms_;  // deques: references stay valid while more is made
  std::deque<MonomialEntry> monomials_;
  std::deque<PolynomialEntry> polynomials_;
  std::unordered_map<Atom, AtomId, AtomHash> atom_ids_;
  std::unordered_map<Monomial, MonomialId, MonomialHash> monomial_ids_;
  std::unordered_map<std::vector<Term>, PolynomialId, TermsHash, TermsEqual> polynomial_ids_;
  std::map<VariableId, IndexId> extents_;
  std::vector<Assumption> assumptions_;
  std::map<AtomId, PolynomialId> equated_;
  bool revisiting_ = false;
  std::unordered_map<PolynomialId, PolynomialId> revisited_;
  std::map<std::size_t, int> angle_parts_;  ///< by an angle's shape: the parts that its multiples are written in
  bool angles_refined_ = false, angles_differ_ = false;
  mutable std::unordered_map<PolynomialId, bool> positive_[2];  ///< what is_positive has found
  PolynomialId zero_, one_;
};

template <class Any>
bool Terms::mentions(Any id, VariableId variable) const {
  const auto& all = variables(id);
  return std::binary_search(all.begin(), all.end(), variable);
}

}  // namespace reckon::ir::normal
