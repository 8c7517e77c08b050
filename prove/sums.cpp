// Sums over ranges: linear, flat, without factors that do not vary, and split into products where factors share no
// variable.
#include <algorithm>
#include <functional>

#include "prove/binders.h"
#include "prove/binding.h"
#include "prove/indices.h"
#include "prove/ranges.h"
#include "prove/substitute.h"

namespace reckon::ir::normal {
namespace {

constexpr std::size_t max_binders = 8;
constexpr int largest_flattened_power = 3;
constexpr int largest_sum_of_powers = 8;

/// The number of terms that are negative.
int negative_terms(const IndexStore& indices, IndexId id) {
  const IndexNode& node = indices[id];
  if (node.op == IndexOp::constant) return node.value < 0;
  if (node.op != IndexOp::sum) return 0;
  return (node.value < 0) + static_cast<int>(std::count_if(node.coefficients.begin(), node.coefficients.end(),
                                                           [](std::int64_t c) { return c < 0; }));
}

/// The shift c of f(v + c): of the offsets of its subscripts, the one relative to which the fewest terms of the others
/// are negative. Nothing if not all subscripts have this form, or if there is nothing to shift.
std::optional<IndexId> shift_of(Terms& terms, const Binding& sum, const Binder& binder) {
  IndexStore& indices = terms.indices();
  for (const Binder& other : sum.binders) {
    if (indices.mentions(other.extent, binder.variable)) return std::nullopt;
  }
  std::vector<IndexId> offsets;
  for (IndexId each : occurrences(terms, sum.body, binder.variable).subscripts) {
    const IndexId offset = indices.subtract(each, indices.variable(binder.variable));
    // An offset that varies is that of a tile, and belongs to the sum around this one.
    if (!indices.variables(offset).empty()) return std::nullopt;
    if (std::find(offsets.begin(), offsets.end(), offset) == offsets.end()) offsets.push_back(offset);
  }
  if (offsets.empty() || offsets.size() > 4) return std::nullopt;
  IndexId best;
  int best_score = 0;
  for (IndexId offset : offsets) {
    int score = 0;
    for (IndexId other : offsets) score += negative_terms(indices, indices.subtract(other, offset));
    if (best.valid() && (score > best_score || (score == best_score && best < offset))) continue;
    best = offset;
    best_score = score;
  }
  if (indices.as_constant(best) == 0 || !evidently_natural(indices, best)) return std::nullopt;
  return best;
}

PolynomialId sum_of_powers(Terms& t, PolynomialId count, int exponent) {
  // Faulhaber: the sum of i^p over i < n is the sum over k <= p of C(p + 1, k) B_k n^(p + 1 - k) / (p + 1), B_1 = -1/2.
  static const mpq_class bernoulli[] = {1, {-1, 2}, {1, 6}, 0, {-1, 30}, 0, {1, 42}, 0, {-1, 30}};
  PolynomialId out = t.zero();
  mpq_class binomial = 1;
  for (int k = 0; k <= exponent; ++k) {
    out = t.add(out, t.scale(t.power(count, exponent + 1 - k), binomial * bernoulli[k] / (exponent + 1)));
    binomial = binomial * (exponent + 1 - k) / (k + 1);
  }
  return out;
}

/// One sum of a monomial over ranges. Each rule gives the form that it makes of the sum, or nothing if it does not
/// apply.
class Summation {
 public:
  Summation(Terms& terms, std::vector<Binder> binders, MonomialId id)
      : t_(terms), binders_(std::move(binders)), id_(id), harmless_(terms.total(id)), whole_(terms[id]) {
    // If nothing in the body can be undefined, a range may be empty: factors outside of the sum are then multiplied
    // by 0.
    for (Binder& binder : binders_) {
      const auto extent = t_.indices().as_constant(binder.extent);
      binder.certain = binder.certain || harmless_ || (extent && *extent > 0);
    }
  }

  PolynomialId result() {
    if (const auto out = written_out()) return *out;
    if (const auto out = with_inner_sum()) return *out;
    if (const auto shorter = cut_range(t_, binders_, id_)) return *shorter;
    if (const auto tiles = split_range(t_, binders_, id_)) return *tiles;
    binding_ = Binding{AtomKind::sum, binders_, t_.monomial(id_)};
    if (binding_.merge_tiles(t_) || binding_.reverse_index(t_)) return sum(t_, binding_.binders, binding_.body);
    if (t_.failed()) return t_.zero();
    if (const auto out = counted()) return *out;
    if (const auto out = total_of_tiles()) return *out;
    if (const auto out = factored()) return *out;
    if (const auto out = shifted()) return *out;
    return binding_.close(t_);
  }

 private:
  std::optional<PolynomialId> written_out();
  std::optional<PolynomialId> with_inner_sum();
  std::optional<PolynomialId> counted();
  std::optional<PolynomialId> total_of_tiles();
  struct Piece {
    PolynomialId form;
    std::uint32_t touches = 0;  ///< a bit for each binder
  };
  std::vector<Piece> pieces();
  std::vector<std::uint32_t> groups(const std::vector<Piece>& pieces);
  std::optional<PolynomialId> factored();
  std::optional<PolynomialId> shifted();

  Terms& t_;
  std::vector<Binder> binders_;
  MonomialId id_;
  bool harmless_;
  const Monomial whole_;
  Binding binding_;
};

/// Writes out constant ranges: of one value, of few values if asked for, and those that index a written-out tensor.
std::optional<PolynomialId> Summation::written_out() {
  for (std::size_t k = 0; k < binders_.size(); ++k) {
    const auto extent = t_.indices().as_constant(binders_[k].extent);
    if (!extent) continue;
    if (*extent <= 0) return t_.zero();
    bool expand = *extent <= std::max<std::int64_t>(1, t_.limits.expansion);
    if (!expand && *extent <= 64) expand = looks_up(t_, t_.monomial(id_), binders_[k].variable);
    if (!expand) continue;
    PolynomialId out = t_.zero();
    for (std::int64_t value = 0; value < *extent && !t_.failed(); ++value) {
      const Replacements here{{binders_[k].variable, t_.indices().constant(value)}};
      std::vector<Binder> others;
      for (std::size_t other = 0; other < binders_.size(); ++other) {
        if (other == k) continue;
        others.push_back(binders_[other]);
        others.back().extent = substitute(t_, others.back().extent, here);
      }
      out = t_.add(out, sum(t_, others, substitute(t_, id_, here)));
    }
    return out;
  }
  return std::nullopt;
}

/// An inner sum that varies becomes part of this one.
std::optional<PolynomialId> Summation::with_inner_sum() {
  for (std::size_t k = 0; k < whole_.factors.size(); ++k) {
    const auto [inner, power] = whole_.factors[k];
    const Atom atom = t_[inner];
    if (atom.kind != AtomKind::sum || power < 1 || power > largest_flattened_power) continue;
    const bool varies =
        std::any_of(binders_.begin(), binders_.end(), [&](const Binder& b) { return t_.mentions(inner, b.variable); });
    if (!varies) continue;
    Monomial rest = whole_;
    rest.factors.erase(rest.factors.begin() + static_cast<std::ptrdiff_t>(k));
    PolynomialId body = t_.monomial(t_.intern(std::move(rest)));
    for (int copy = 0; copy < power; ++copy) {
      Replacements names;
      for (std::size_t v = 0; v < atom.bound.size(); ++v) {
        const IndexId extent = substitute(t_, atom.indices[v], names);
        const VariableId variable = t_.fresh(extent);
        names[atom.bound[v]] = t_.indices().variable(variable);
        binders_.push_back({variable, extent, (atom.certain >> v & 1) != 0});
      }
      body = t_.multiply(body, substitute(t_, atom.parts[0], names));
    }
    return sum(t_, binders_, body);
  }
  return std::nullopt;
}

/// A variable that does not occur counts how often the rest is added; one that occurs only as a number gives a sum of
/// powers. If its range may be empty, a rest that may be undefined must stay in the variable's scope.
std::optional<PolynomialId> Summation::counted() {
  for (std::size_t k = binders_.size(); k-- > 0;) {
    const Binder binder = binders_[k];
    if (!binder.certain) continue;
    const auto mentioned = [&](const Binder& other) { return t_.indices().mentions(other.extent, binder.variable); };
    if (std::any_of(binders_.begin(), binders_.end(), mentioned)) continue;
    Monomial rest = whole_;
    int exponent = 0;
    const IndexId itself = t_.indices().variable(binder.variable);
    std::erase_if(rest.factors, [&](const Factor& factor) {
      const Atom& atom = t_[factor.atom];
      if (atom.kind != AtomKind::index || atom.indices[0] != itself || factor.power < 0) return false;
      exponent = factor.power;
      return true;
    });
    if (exponent > largest_sum_of_powers) continue;
    const MonomialId beside = t_.intern(std::move(rest));
    if (t_.mentions(beside, binder.variable)) continue;
    binders_.erase(binders_.begin() + static_cast<std::ptrdiff_t>(k));
    return sum(t_, binders_, t_.multiply(t_.monomial(beside), sum_of_powers(t_, number(t_, binder.extent), exponent)));
  }
  return std::nullopt;
}

/// The sizes of the tiles that cover n add up to n.
std::optional<PolynomialId> Summation::total_of_tiles() {
  if (binders_.size() == 1 && !whole_.exponent.valid() && whole_.factors.size() == 1 && whole_.factors[0].power == 1) {
    const Atom& atom = t_[whole_.factors[0].atom];
    if (atom.kind == AtomKind::index) {
      if (const auto all = tiled(t_, binders_[0], atom.indices[0])) return number(t_, all->total);
    }
  }
  return std::nullopt;
}

/// The factors of the monomial, and of its power of e, with the variables that each has or may depend on.
std::vector<Summation::Piece> Summation::pieces() {
  std::vector<Piece> out;
  const auto touches = [&](auto form, bool is_total) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < binders_.size(); ++k) {
      if (t_.mentions(form, binders_[k].variable) || (!is_total && !binders_[k].certain)) bits |= std::uint32_t{1} << k;
    }
    return bits;
  };
  for (const Factor& factor : whole_.factors) {
    const bool is_total = factor.power > 0 && t_.total(factor.atom);
    out.push_back({t_.power(factor.atom, factor.power), touches(factor.atom, is_total)});
  }
  if (whole_.exponent.valid()) {
    for (const Term& term : std::vector<Term>(t_[whole_.exponent])) {
      out.push_back(
          {t_.exp(t_.monomial(term.monomial, term.coefficient)), touches(term.monomial, t_.total(term.monomial))});
    }
  }
  return out;
}

/// The sets of binders that are connected by a piece or by the extent of one of them.
std::vector<std::uint32_t> Summation::groups(const std::vector<Piece>& pieces) {
  std::vector<std::uint32_t> out;
  const auto join = [&](std::uint32_t bits) {
    if (bits == 0) return;
    std::erase_if(out, [&](std::uint32_t group) {
      if (!(group & bits)) return false;
      bits |= group;
      return true;
    });
    out.push_back(bits);
  };
  for (std::size_t k = 0; k < binders_.size(); ++k) {
    std::uint32_t bits = std::uint32_t{1} << k;
    for (std::size_t other = 0; other < binders_.size(); ++other) {
      if (t_.indices().mentions(binders_[k].extent, binders_[other].variable)) bits |= std::uint32_t{1} << other;
    }
    join(bits);
  }
  for (const Piece& piece : pieces) join(piece.touches);
  return out;
}

/// Groups of pieces that share no variable become separate factors.
std::optional<PolynomialId> Summation::factored() {
  const std::vector<Piece> all = pieces();
  const std::vector<std::uint32_t> connected = groups(all);
  const bool something_outside = std::any_of(all.begin(), all.end(), [](const Piece& p) { return p.touches == 0; });
  if (connected.size() <= 1 && !something_outside) return std::nullopt;
  PolynomialId out = t_.one();
  for (const Piece& piece : all) {
    if (piece.touches == 0) out = t_.multiply(out, piece.form);
  }
  for (std::uint32_t group : connected) {
    std::vector<Binder> own;
    for (std::size_t k = 0; k < binders_.size(); ++k) {
      if (group >> k & 1) own.push_back(binders_[k]);
    }
    PolynomialId body = t_.one();
    for (const Piece& piece : all) {
      if (piece.touches & group) body = t_.multiply(body, piece.form);
    }
    out = t_.multiply(out, sum(t_, own, body));
  }
  return out;
}

/// The sum of f(k + c) over k < e is that of f over k < e + c, minus that over k < c. Used only where f also has a
/// value beyond the range, whatever the elements that do not exist are taken to be.
std::optional<PolynomialId> Summation::shifted() {
  if (!harmless_) return std::nullopt;
  for (std::size_t k = 0; k < binders_.size(); ++k) {
    const auto offset = shift_of(t_, binding_, binders_[k]);
    if (!offset) continue;
    const auto up_to = [&](IndexId extent) {
      std::vector<Binder> changed = binders_;
      changed[k] = {t_.fresh(extent), extent, true};
      const IndexId shifted = t_.indices().subtract(t_.indices().variable(changed[k].variable), *offset);
      return sum(t_, changed, substitute(t_, id_, {{binders_[k].variable, shifted}}));
    };
    return t_.subtract(up_to(t_.indices().add(binders_[k].extent, *offset)), up_to(*offset));
  }
  return std::nullopt;
}

PolynomialId sum_of_monomial(Terms& t, std::vector<Binder> binders, MonomialId id) {
  if (t.failed() || !t.step(2)) return t.zero();
  if (t.too_deep()) return t.fail();
  const Terms::Deeper deeper(t);
  return Summation(t, std::move(binders), id).result();
}

}  // namespace

PolynomialId sum(Terms& t, const std::vector<Binder>& binders, PolynomialId body) {
  if (t.failed()) return t.zero();
  if (binders.empty()) return body;
  if (binders.size() > max_binders) return t.fail();
  PolynomialId out = t.zero();
  for (const Term& term : std::vector<Term>(t[body])) {
    out = t.add(out, t.scale(sum_of_monomial(t, binders, term.monomial), term.coefficient));
  }
  return out;
}

}  // namespace reckon::ir::normal
