// The checker's arithmetic: terms as polynomials in what it does not take apart, with one power of e in each monomial.
// Two terms with one polynomial are equal for all values of their names, wherever no divisor is 0. It shares no code
// with the prover.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "proof/proof.h"

namespace reckon::verify {

/// A sum of rational multiples of names; the name "" is 1.
using Linear = std::map<std::string, mpq_class>;

struct Monomial {
  std::map<std::string, Linear> factors;  ///< atoms, by their texts, and their exponents, which are not 0
  std::string exponential;                ///< the text of the exponent of e; empty for 0
};
bool operator<(const Monomial& a, const Monomial& b);
using Polynomial = std::map<Monomial, mpq_class>;

enum class AtomKind : std::uint8_t { variable, element, call, state, sum, product, largest, inverse, base };

struct Atom {
  AtomKind kind{};
  std::string name;               ///< of a binder: its index
  std::vector<Polynomial> parts;  ///< of a binder: its count and its body
  std::set<std::string> free;     ///< names that occur and are not bound inside
  int height = 0;                 ///< above that of every binder inside
};

class Ring {
 public:
  explicit Ring(const proof::Proof& proof);

  /// Why a term has no polynomial, since the last call of `clear`.
  const std::optional<std::string>& refusal() const { return refusal_; }
  void clear() { refusal_.reset(); }

  Polynomial of(const proof::TermRef& term) { return of(term, {}); }
  /// Whether two terms are equal wherever no divisor is 0.
  bool equal(const proof::TermRef& a, const proof::TermRef& b);
  bool is_zero(Polynomial p);
  /// Whether it is known to be 0 or more, or above 0, for all values of its names.
  bool nonnegative(const Polynomial& p);
  bool positive(const Polynomial& p);
  /// Whether its values are integers.
  bool is_integer(const Polynomial& p) const;
  /// From now on it may be divided by; the proof is about inputs for which it is not 0.
  void accept_divisor(const proof::TermRef& divisor);

  static Polynomial constant(const mpq_class& value);
  Polynomial variable(const std::string& name);
  static Polynomial add(const Polynomial& a, const Polynomial& b, const mpq_class& factor = 1);
  Polynomial multiply(const Polynomial& a, const Polynomial& b);

 private:
  using Names = std::map<std::string, std::string>;  ///< of bound indices, as the ring calls them
  Polynomial of(const proof::TermRef& term, const Names& names);
  Polynomial of_binder(const proof::Term& term, const Names& names);
  Polynomial refuse(const std::string& why);

  Polynomial atom(Atom atom, const Linear& exponent = {{"", 1}});
  Polynomial inverse(const Polynomial& p);
  Polynomial power(const Polynomial& base, const Polynomial& exponent);
  Polynomial exp(const Polynomial& p);
  Polynomial call(const std::string& name, std::vector<Polynomial> parts);
  Polynomial largest_of(std::vector<Polynomial> parts);
  Polynomial absolute(const Polynomial& p);
  Polynomial sum(const std::string& index, const Polynomial& count, const Polynomial& body);
  Polynomial product(const std::string& index, const Polynomial& count, const Polynomial& body);
  Polynomial largest(const std::string& index, const Polynomial& count, const Polynomial& body);
  Polynomial binder(AtomKind kind, const std::string& index, const Polynomial& count, const Polynomial& body);
  std::optional<Monomial> multiply(const Monomial& a, const Monomial& b);
  std::optional<Linear> linear(const Polynomial& p) const;
  Polynomial from(const Linear& linear);
  Polynomial rename(const Polynomial& p, const std::string& from, const std::string& to);
  Polynomial put_in(const Polynomial& p, const std::string& name, const Polynomial& value);
  bool mentions(const Monomial& monomial, const std::string& name) const;
  bool mentions(const Polynomial& p, const std::string& name) const;
  /// The part that does not mention the name, and the part that does.
  std::pair<Monomial, Monomial> split(const Monomial& monomial, const std::string& name);
  std::pair<Monomial, Monomial> smallest_power(const Monomial& monomial, const std::string& index,
                                               const Polynomial& count);
  int height(const Monomial& monomial) const;
  void collect_names(const Polynomial& p, std::set<std::string>& out) const;
  std::string text(const Polynomial& p) const;
  bool is_accepted(const Polynomial& divisor);
  std::string divisor_key(const Polynomial& divisor) const;

  enum class Sign : std::uint8_t { unknown, nonnegative, positive };
  Sign sign(const Monomial& monomial, const mpq_class& coefficient);
  Sign sign(const std::string& atom);
  /// Indices at an end of their ranges, sizes from 0 on: no more than the polynomial.
  Polynomial at_least(Polynomial p);

  std::map<std::string, proof::Variable> declared_;
  std::map<std::string, Polynomial> counts_;  ///< of open binders, by their indices
  std::map<std::string, Atom> atoms_;
  std::map<std::string, Polynomial> exponents_;
  std::set<std::string> divisors_;
  std::optional<std::string> refusal_;
  int opened_ = 0;
};

}  // namespace reckon::verify
