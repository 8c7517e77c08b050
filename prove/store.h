// The store of all forms that have been made: equal ones once, with facts beside each. It also counts the work, since
// every step makes forms.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "prove/form.h"

namespace reckon::ir::normal {

class TermStore {
 public:
  /// `steps`: how much work is done before there is no normal form.
  TermStore(IndexStore& indices, std::int64_t steps);

  /// Whether there is no normal form: too much work, or an expression without a meaning over the reals. Every result
  /// from then on is 0, and means nothing.
  bool failed() const { return failed_; }
  PolynomialId fail();
  /// Counts work. Returns whether there may still be a normal form.
  bool step(std::int64_t count = 1);

  AtomId intern(Atom atom);
  MonomialId intern(Monomial monomial);
  PolynomialId intern(Accumulator terms);
  PolynomialId zero() const { return zero_; }
  PolynomialId one() const { return one_; }
  /// Adds a multiple of a form to terms that are being added up.
  void accumulate(Accumulator& into, PolynomialId a, const mpq_class& factor) const;

  const std::vector<Term>& operator[](PolynomialId id) const { return polynomials_[id.index].terms; }
  const Monomial& operator[](MonomialId id) const { return monomials_[id.index].monomial; }
  const Atom& operator[](AtomId id) const { return atoms_[id.index].atom; }
  std::optional<mpq_class> as_constant(PolynomialId id) const;
  /// The term whose coefficient a form is scaled by; it does not depend on the names of variables.
  const Term& lead(PolynomialId id) const;

  // Facts about forms, monomials and atoms.
  template <class Any>
  const std::vector<VariableId>& variables(Any id) const {
    return facts(id).variables;
  }
  template <class Any>
  bool mentions(Any id, VariableId variable) const {
    const auto& all = variables(id);
    return std::binary_search(all.begin(), all.end(), variable);
  }
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
  /// A hash that depends on neither the names of variables nor what was made first.
  template <class Any>
  std::size_t shape(Any id) const {
    return facts(id).shape;
  }
  /// Whether a part of it depends on an order: a ramp, a condition, a maximum.
  template <class Any>
  bool ordered(Any id) const {
    return facts(id).ordered;
  }

  IndexStore& indices() { return indices_; }
  const IndexStore& indices() const { return indices_; }

 private:
  struct Facts {
    std::vector<VariableId> variables;
    std::uint32_t height = 0;
    std::size_t shape = 0;
    bool total = true;
    bool ordered = false;
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
  static void include(Facts& into, const Facts& from);

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

  IndexStore& indices_;
  std::int64_t most_steps_, steps_ = 0;
  bool failed_ = false;
  std::deque<AtomEntry> atoms_;  // deques: references stay valid while more is made
  std::deque<MonomialEntry> monomials_;
  std::deque<PolynomialEntry> polynomials_;
  std::unordered_map<Atom, AtomId, AtomHash> atom_ids_;
  std::unordered_map<Monomial, MonomialId, MonomialHash> monomial_ids_;
  std::unordered_map<std::vector<Term>, PolynomialId, TermsHash, TermsEqual> polynomial_ids_;
  PolynomialId zero_, one_;
};

}  // namespace reckon::ir::normal
