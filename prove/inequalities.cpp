// What follows from assumed inequalities between forms. They are read as linear inequalities in monomials, and the
// monomials are eliminated one after the other (Fourier and Motzkin). A contradiction proves that a case is impossible;
// if none is found, the case may still be impossible.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "ir/function_of.h"
#include "prove/assumptions.h"
#include "prove/terms.h"

namespace reckon::ir::normal {
namespace {

constexpr std::size_t max_rows = 40, max_monomials = 16;
constexpr std::size_t max_words = 8;  ///< limit for the words of a coefficient's numerator and denominator

/// The sum of coefficients times monomials, plus the constant, is >= 0, or > 0 if `strictly`.
struct Row {
  std::map<MonomialId, mpq_class> coefficients;
  mpq_class constant;
  bool strictly = false;
};

/// f(x) < f(y) for x < y wherever both have a value.
bool increases(Op op) {
  const auto function = function_of(op);
  return function && numerics::increases(*function);
}

}  // namespace

PolynomialId Assumptions::of_same_sign(PolynomialId a) const {
  for (int round = 0; round < 4 && !t_.failed(); ++round) {
    const std::vector<Term> terms = t_[a];
    if (terms.empty()) return a;
    if (terms.size() == 1) {
      // x / y has the sign of x y.
      Monomial monomial = t_[terms[0].monomial];
      for (Factor& factor : monomial.factors) factor.power = std::abs(factor.power);
      return t_.simplify(std::move(monomial), terms[0].coefficient);
    }
    if (const MonomialId common = common_positive(a); common.valid() && terms.size() > 1) {
      const std::vector<Factor>& factors = t_[common].factors;
      if (std::all_of(factors.begin(), factors.end(), [&](const Factor& f) { return is_positive(f.atom, true); })) {
        a = t_.multiply(a, t_.inverse(t_.monomial(common)));
        continue;
      }
    }
    // c (f(x) - f(y)); if f is exp, one of the two may be 1.
    if (terms.size() != 2 || terms[0].coefficient != -terms[1].coefficient) return a;
    const Monomial& p = t_[terms[0].monomial];
    const Monomial& q = t_[terms[1].monomial];
    const mpq_class side = sgn(terms[0].coefficient);
    if (p.factors.empty() && q.factors.empty()) {
      const auto exponent = [&](const Monomial& m) { return m.exponent.valid() ? m.exponent : t_.zero(); };
      a = t_.scale(t_.subtract(exponent(p), exponent(q)), side);
      continue;
    }
    const auto function = [&](const Monomial& m) -> const Atom* {
      if (m.exponent.valid() || m.factors.size() != 1 || m.factors[0].power != 1) return nullptr;
      const Atom& atom = t_[m.factors[0].atom];
      return atom.kind == AtomKind::function && increases(static_cast<Op>(atom.attribute)) ? &atom : nullptr;
    };
    const Atom* f = function(p);
    const Atom* g = function(q);
    if (!f || !g || f->attribute != g->attribute) return a;
    a = t_.scale(t_.subtract(f->parts[0], g->parts[0]), side);
  }
  return a;
}

bool Assumptions::follows(PolynomialId a, bool strictly) const {
  if (all_.empty() || t_.failed()) return false;
  const PolynomialId same = of_same_sign(a);
  if (const auto value = t_.as_constant(same)) return strictly ? *value > 0 : *value >= 0;
  return contradictory(Assumption{t_.negate(same), !strictly});
}

bool Assumptions::contradictory(const std::optional<Assumption>& more) const {
  std::vector<Row> rows;
  std::set<MonomialId> monomials;
  const MonomialId nothing = t_[t_.one()].front().monomial;
  const auto give = [&](PolynomialId form, bool strictly) {
    Row row;
    row.strictly = strictly;
    for (const Term& term : t_[form]) {
      if (term.monomial == nothing) {
        row.constant = term.coefficient;
        continue;
      }
      row.coefficients[term.monomial] = term.coefficient;
      monomials.insert(term.monomial);
    }
    rows.push_back(std::move(row));
  };
  for (const Assumption& each : all_) give(each.of, each.strictly);
  if (more) give(more->of, more->strictly);
  // Inequalities that hold for the monomials themselves.
  const std::vector<MonomialId> pending(monomials.begin(), monomials.end());
  for (std::size_t k = 0; k < pending.size() && k < max_monomials; ++k) {
    const Monomial monomial = t_[pending[k]];
    int side = 1;
    bool known = true, strictly = true;
    for (const Factor& factor : monomial.factors) {
      if (is_positive(factor.atom, true)) continue;
      // Whether -x >= 0, or -x > 0, is assumed.
      bool below = false, far_below = false;
      const PolynomialId opposite = t_.negate(t_.power(factor.atom, 1));
      for (const Assumption& each : all_) {
        const std::vector<Term>& terms = t_[each.of];
        if (terms.size() != 1 || t_.scale(each.of, 1 / abs(terms.front().coefficient)) != opposite) continue;
        below = true;
        far_below = far_below || each.strictly;
      }
      strictly = strictly && far_below;
      if (factor.power % 2 == 0 || is_positive(factor.atom, false)) continue;
      known = known && below;
      side = -side;
    }
    if (known) give(t_.monomial(pending[k], side), strictly);
    if (monomial.exponent.valid() || monomial.factors.size() != 1 || monomial.factors[0].power != 1) continue;
    const Atom atom = t_[monomial.factors[0].atom];
    if (atom.kind == AtomKind::positive_part) {
      const PolynomialId itself = t_.monomial(pending[k]);
      if (!known) give(itself, false);
      give(t_.subtract(itself, atom.parts[0]), false);
    }
  }
  if (monomials.size() > 2 * max_monomials) return false;
  for (;;) {
    for (const Row& row : rows) {
      if (row.coefficients.empty() && (row.constant < 0 || (row.strictly && row.constant == 0))) return true;
    }
    std::erase_if(rows, [](const Row& row) { return row.coefficients.empty(); });
    if (rows.empty() || rows.size() > max_rows) return false;
    // Eliminates the monomial that makes the fewest rows.
    std::map<MonomialId, std::pair<std::size_t, std::size_t>> counts;
    for (const Row& row : rows) {
      for (const auto& [monomial, coefficient] : row.coefficients)
        ++(coefficient > 0 ? counts[monomial].first : counts[monomial].second);
    }
    const MonomialId eliminated = std::min_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                                    return a.second.first * a.second.second < b.second.first * b.second.second;
                                  })->first;
    std::vector<Row> next, above, below;
    for (Row& row : rows) {
      const auto found = row.coefficients.find(eliminated);
      if (found == row.coefficients.end()) next.push_back(std::move(row));
      else (found->second > 0 ? above : below).push_back(std::move(row));
    }
    for (const Row& a : above) {
      for (const Row& b : below) {
        const mpq_class of_a = -b.coefficients.at(eliminated), of_b = a.coefficients.at(eliminated);
        Row sum;
        sum.strictly = a.strictly || b.strictly;
        sum.constant = of_a * a.constant + of_b * b.constant;
        for (const auto& [monomial, coefficient] : a.coefficients) sum.coefficients[monomial] += of_a * coefficient;
        for (const auto& [monomial, coefficient] : b.coefficients) sum.coefficients[monomial] += of_b * coefficient;
        std::erase_if(sum.coefficients, [](const auto& each) { return each.second == 0; });
        // Rows are scaled; otherwise numbers would double in length with every eliminated monomial.
        if (!sum.coefficients.empty()) {
          const mpq_class factor = 1 / abs(sum.coefficients.begin()->second);
          for (auto& [monomial, coefficient] : sum.coefficients) {
            coefficient *= factor;
            if (mpz_size(coefficient.get_num_mpz_t()) + mpz_size(coefficient.get_den_mpz_t()) > max_words) return false;
          }
          sum.constant *= factor;
        }
        next.push_back(std::move(sum));
      }
    }
    if (!t_.step(static_cast<std::int64_t>(4 + above.size() * below.size()))) return false;
    rows = std::move(next);
  }
}

}  // namespace reckon::ir::normal
