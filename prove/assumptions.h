// Signs of forms: those that follow from what the forms are made of, and those that follow from inequalities that a
// proof by cases assumes.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "prove/form.h"

namespace reckon::ir::normal {

class Terms;

struct Assumption {
  PolynomialId of;
  bool strictly;  ///< of > 0; else of >= 0
};

class Assumptions {
 public:
  explicit Assumptions(Terms& terms) : t_(terms) {}
  Assumptions(const Assumptions&) = delete;

  // assumptions.cpp
  /// Whether it is above 0 wherever it has a value; or, if not `strictly`, a sum that is 0 if its range is empty.
  bool is_positive(PolynomialId a, bool strictly) const;
  bool is_positive(AtomId a, bool strictly) const;
  /// The common factors of all terms that are not below 0; invalid if there are none.
  MonomialId common_positive(PolynomialId a) const;

  void assume(PolynomialId of, bool strictly);
  /// Assumes that `of` is 0: an element that stands in it alone is replaced by the rest.
  void assume_zero(PolynomialId of);
  /// What the atom is replaced by.
  std::optional<PolynomialId> equated(AtomId atom) const;
  /// What is assumed while it lives is taken back at its end.
  class Scope {
   public:
    explicit Scope(Assumptions& of);
    Scope(const Scope&) = delete;
    ~Scope();

   private:
    Assumptions& of_;
    std::vector<Assumption> all_;
    std::map<AtomId, PolynomialId> equated_;
  };

  // inequalities.cpp
  /// Whether a >= 0, or a > 0, follows from what is assumed.
  bool follows(PolynomialId a, bool strictly) const;
  /// Whether what is assumed, and what is given here besides, is known to hold nowhere.
  bool contradictory(const std::optional<Assumption>& more = std::nullopt) const;
  /// A form of the same sign: without common positive factors, and for f(x) - f(y) with an increasing f, x - y.
  PolynomialId of_same_sign(PolynomialId a) const;

 private:
  bool every_term_is_positive(PolynomialId id, bool strictly) const;
  bool is_assumed(AtomId atom, bool strictly) const;
  /// What was found and made under other assumptions holds no longer.
  void forget();

  Terms& t_;
  std::vector<Assumption> all_;
  std::map<AtomId, PolynomialId> equated_;
  mutable std::unordered_map<PolynomialId, bool> positive_[2];  ///< what is_positive has found
};

}  // namespace reckon::ir::normal
