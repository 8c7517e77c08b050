// Expressions over the reals in which proofs are written: with sizes as symbols, sums over ranges, and recurrences.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace reckon::proof {

enum class TermKind : std::uint8_t {
  number,    ///< value
  variable,  ///< name: a size, an index, or a real number
  element,   ///< name: of a tensor; parts: its subscripts
  call,      ///< name: a function; parts: its operands. What is known of it: docs/proofs.md
  state,  ///< name: of a recurrence; part: which of its parts; parts: its arguments, then how many leaves were joined
  add,    ///< parts: two or more
  multiply,  ///< parts: two or more
  divide,    ///< parts: two
  power,     ///< parts: a base and an exponent, which is a natural number
  sum,       ///< name: an index; parts: how many values it has, from 0 on; and what is added
  product,   ///< the same
  largest,   ///< the same, for at least one value
};

struct Term;
using TermRef = std::shared_ptr<const Term>;

struct Term {
  TermKind kind{};
  mpq_class value;
  std::string name;
  std::size_t part = 0;
  std::vector<TermRef> parts;
};

constexpr bool is_binder(TermKind kind) { return kind >= TermKind::sum; }

/// The name of a call without operands, which is no real number: the least value of a maximum, before it has one.
inline constexpr char minus_infinity[] = "minus_infinity";
bool has_infinity(const TermRef& term);

// Terms of sums and products of sums and products, with their numbers as one; 0 times a term is 0.
TermRef number(const mpq_class& value);
TermRef variable(const std::string& name);
TermRef element(const std::string& tensor, std::vector<TermRef> subscripts);
TermRef call(const std::string& function, std::vector<TermRef> operands);
TermRef state(const std::string& recurrence, std::size_t part, std::vector<TermRef> arguments_and_count);
TermRef add(std::vector<TermRef> parts);
TermRef multiply(std::vector<TermRef> parts);
TermRef divide(TermRef a, TermRef b);
TermRef power(TermRef base, TermRef exponent);
TermRef negate(TermRef a);
TermRef subtract(TermRef a, TermRef b);
/// `kind`: sum, product or largest.
TermRef over_range(TermKind kind, const std::string& index, TermRef count, TermRef body);

/// The same term with other parts.
TermRef with_parts(const TermRef& term, std::vector<TermRef> parts);

using Replacement = std::map<std::string, TermRef>;

std::set<std::string> free_variables(const TermRef& term);
/// Puts terms in for free variables, all at once. Binders whose index occurs in what is put in are renamed.
TermRef substitute(const TermRef& term, const Replacement& by);

/// As formulas are written: `sum(i < n: x[i] * y[i])`.
std::string text(const TermRef& term);

}  // namespace reckon::proof
