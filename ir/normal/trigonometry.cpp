// Sine and cosine by the addition theorems; sin^2 = 1 - cos^2 is a rule for single factors (polynomial.cpp).
#include "ir/normal/terms.h"

namespace reckon::ir::normal {
namespace {

constexpr std::size_t most_terms = 4;  ///< an angle of more terms is one angle
constexpr int largest_multiple = 8;

}  // namespace

Terms::Angle Terms::angle_of_term(MonomialId monomial, const mpq_class& coefficient) {
  if (coefficient < 0) {
    const Angle mirrored = angle_of_term(monomial, -coefficient);
    return {negate(mirrored.sine), mirrored.cosine};
  }
  mpq_class unit = coefficient;
  int multiple = 1;
  if (coefficient.get_num() <= largest_multiple) {
    multiple = static_cast<int>(coefficient.get_num().get_si());
    unit = mpq_class(1) / coefficient.get_den();
  }
  const PolynomialId one_unit = this->monomial(monomial, unit);
  const Angle base{function(Op::sin, {one_unit}), function(Op::cos, {one_unit})};
  Angle out = base;
  for (int k = 1; k < multiple && !failed_; ++k) {
    out = {add(multiply(out.sine, base.cosine), multiply(out.cosine, base.sine)),
           subtract(multiply(out.cosine, base.cosine), multiply(out.sine, base.sine))};
  }
  return out;
}

Terms::Angle Terms::angle(PolynomialId a) {
  if (failed_) return {zero_, zero_};
  const std::vector<Term> terms = (*this)[a];
  if (terms.size() > most_terms) {
    if (terms.front().coefficient < 0) {
      const Angle mirrored = angle(negate(a));
      return {negate(mirrored.sine), mirrored.cosine};
    }
    return {function(Op::sin, {a}), function(Op::cos, {a})};
  }
  Angle out{zero_, one_};
  for (const Term& term : terms) {
    const Angle next = angle_of_term(term.monomial, term.coefficient);
    out = {add(multiply(out.sine, next.cosine), multiply(out.cosine, next.sine)),
           subtract(multiply(out.cosine, next.cosine), multiply(out.sine, next.sine))};
  }
  return out;
}

}  // namespace reckon::ir::normal
