// The ring of forms: what makes forms of forms, and what all of its rules share. Operations beyond the ring's own are
// functions of the ring, by concern: functions.h, conditions.h, maxima.h, binders.h, ranges.h, substitute.h, indices.h,
// division.h, cases.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "prove/angles.h"
#include "prove/assumptions.h"
#include "prove/store.h"

namespace reckon::ir::normal {

struct Limits {
  std::int64_t steps = 25000;             ///< how much work is done before there is no normal form
  std::int64_t expansion = 0;             ///< sums, maxima and products over at most so many values are written out
  int cases = 0;                          ///< how many orders a proof may consider in both cases
  std::set<std::uint32_t> positive = {};  ///< parameters whose elements are above 0
};

/// Forms are made again, because rules by which they were made have changed (substitute.h).
struct Revision {
  bool running = false;
  std::unordered_map<PolynomialId, PolynomialId> made;  ///< by the rules as they are now
};

class Terms : public TermStore {
 public:
  Terms(Module& module, Limits limits_);
  Terms(const Terms&) = delete;

  const Limits limits;
  Assumptions assumptions{*this};
  Angles angles{*this};
  Revision revision;

  // polynomial.cpp
  PolynomialId constant(const mpq_class& value);
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
  /// The monomial by the rules for single factors: sin^2, sqrt^2, conditions, powers of groups, exp of logarithms.
  PolynomialId simplify(Monomial monomial, const mpq_class& coefficient);

  // division.cpp
  PolynomialId inverse(PolynomialId a);

  /// A variable that occurs nowhere yet, with the range 0..extent-1.
  VariableId fresh(IndexId extent);
  void set_range(VariableId variable, IndexId extent) { extents_[variable] = extent; }
  /// The extent of the variable's range, if it is known.
  std::optional<IndexId> extent_of(VariableId variable) const;

  /// Rules within rules: one deeper while it lives.
  class Deeper {
   public:
    explicit Deeper(Terms& terms) : depth_(terms.depth_) { ++depth_; }
    Deeper(const Deeper&) = delete;
    ~Deeper() { --depth_; }

   private:
    int& depth_;
  };
  bool too_deep() const { return depth_ > deepest; }

 private:
  PolynomialId combine(PolynomialId a, PolynomialId b, const mpq_class& factor);

  Module& module_;
  int depth_ = 0;
  std::map<VariableId, IndexId> extents_;
};

}  // namespace reckon::ir::normal
