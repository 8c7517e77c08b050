// Sums over ranges: linear, flat, without factors that do not vary, and split into products where factors share no
// variable.
#include <algorithm>
#include <functional>

#include "prove/binding.h"

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

}  // namespace

PolynomialId Terms::sum_of_powers(PolynomialId count, int exponent) {
  // Faulhaber: the sum of i^p over i < n is the sum over k <= p of C(p + 1, k) B_k n^(p + 1 - k) / (p + 1), B_1 = -1/2.
  static const mpq_class bernoulli[] = {1, {-1, 2}, {1, 6}, 0, {-1, 30}, 0, {1, 42}, 0, {-1, 30}};
  PolynomialId out = zero_;
  mpq_class binomial = 1;
  for (int k = 0; k <= exponent; ++k) {
    out = add(out, scale(power(count, exponent + 1 - k), binomial * bernoulli[k] / (exponent + 1)));
    binomial = binomial * (exponent + 1 - k) / (k + 1);
  }
  return out;
}

PolynomialId Terms::sum(const std::vector<Binder>& binders, PolynomialId body) {
  if (failed_) return zero_;
  if (binders.empty()) return body;
  if (binders.size() > max_binders) return fail();
  PolynomialId out = zero_;
  for (const Term& term : std::vector<Term>((*this)[body])) {
    out = add(out, scale(sum_of_monomial(binders, term.monomial), term.coefficient));
  }
  return out;
}

PolynomialId Terms::sum_of_monomial(std::vector<Binder> binders, MonomialId id) {
  if (failed_ || !step(2)) return zero_;
  if (depth_ > deepest) return fail();
  struct Depth {
    int& depth;
    explicit Depth(int& d) : depth(d) { ++depth; }
    ~Depth() { --depth; }
  } counted(depth_);

  // If nothing in the body can be undefined, a range may be empty: factors outside of the sum are then multiplied by 0.
  const bool harmless = total(id);
  for (Binder& binder : binders) {
    const auto extent = indices_.as_constant(binder.extent);
    binder.certain = binder.certain || harmless || (extent && *extent > 0);
  }

  // Writes out constant ranges: of one value, of few values if asked for, and those that index a written-out tensor.
  for (std::size_t k = 0; k < binders.size(); ++k) {
    const auto extent = indices_.as_constant(binders[k].extent);
    if (!extent) continue;
    if (*extent <= 0) return zero_;
    bool expand = *extent <= std::max<std::int64_t>(1, limits_.expansion);
    if (!expand && *extent <= 64) expand = looks_up(monomial(id), binders[k].variable);
    if (!expand) continue;
    PolynomialId out = zero_;
    for (std::int64_t value = 0; value < *extent && !failed_; ++value) {
      const std::map<VariableId, IndexId> here{{binders[k].variable, indices_.constant(value)}};
      std::vector<Binder> others;
      for (std::size_t other = 0; other < binders.size(); ++other) {
        if (other == k) continue;
        others.push_back(binders[other]);
        others.back().extent = substitute(others.back().extent, here);
      }
      out = add(out, sum(others, substitute(id, here)));
    }
    return out;
  }

  // An inner sum that varies becomes part of this one.
  const Monomial whole = (*this)[id];
  for (std::size_t k = 0; k < whole.factors.size(); ++k) {
    const auto [inner, power] = whole.factors[k];
    const Atom atom = (*this)[inner];
    if (atom.kind != AtomKind::sum || power < 1 || power > largest_flattened_power) continue;
    const bool varies =
        std::any_of(binders.begin(), binders.end(), [&](const Binder& b) { return mentions(inner, b.variable); });
    if (!varies) continue;
    Monomial rest = whole;
    rest.factors.erase(rest.factors.begin() + static_cast<std::ptrdiff_t>(k));
    PolynomialId body = monomial(intern(std::move(rest)));
    for (int copy = 0; copy < power; ++copy) {
      std::map<VariableId, IndexId> names;
      for (std::size_t v = 0; v < atom.bound.size(); ++v) {
        const IndexId extent = substitute(atom.indices[v], names);
        const VariableId variable = fresh(extent);
        names[atom.bound[v]] = indices_.variable(variable);
        binders.push_back({variable, extent, (atom.certain >> v & 1) != 0});
      }
      body = multiply(body, substitute(atom.parts[0], names));
    }
    return sum(binders, body);
  }

  if (const auto shorter = cut_range(binders, id)) return *shorter;
  if (const auto tiles = split_range(binders, id)) return *tiles;
  Binding binding{AtomKind::sum, binders, monomial(id)};
  if (binding.merge_tiles(*this) || binding.reverse_index(*this)) return sum(binding.binders, binding.body);
  if (failed_) return zero_;

  // A variable that does not occur counts how often the rest is added; one that occurs only as a number gives a sum of
  // powers. If its range may be empty, a rest that may be undefined must stay in the variable's scope.
  for (std::size_t k = binders.size(); k-- > 0;) {
    const Binder binder = binders[k];
    if (!binder.certain) continue;
    const auto mentioned = [&](const Binder& other) { return indices_.mentions(other.extent, binder.variable); };
    if (std::any_of(binders.begin(), binders.end(), mentioned)) continue;
    Monomial rest = whole;
    int exponent = 0;
    const IndexId itself = indices_.variable(binder.variable);
    std::erase_if(rest.factors, [&](const Factor& factor) {
      const Atom& atom = (*this)[factor.atom];
      if (atom.kind != AtomKind::index || atom.indices[0] != itself || factor.power < 0) return false;
      exponent = factor.power;
      return true;
    });
    if (exponent > largest_sum_of_powers) continue;
    const MonomialId beside = intern(std::move(rest));
    if (mentions(beside, binder.variable)) continue;
    binders.erase(binders.begin() + static_cast<std::ptrdiff_t>(k));
    return sum(binders, multiply(monomial(beside), sum_of_powers(number(binder.extent), exponent)));
  }
  // The sizes of the tiles that cover n add up to n.
  if (binders.size() == 1 && !whole.exponent.valid() && whole.factors.size() == 1 && whole.factors[0].power == 1) {
    const Atom& atom = (*this)[whole.factors[0].atom];
    if (atom.kind == AtomKind::index) {
      if (const auto all = tiled(*this, binders[0], atom.indices[0])) return number(all->total);
    }
  }

  // Groups of pieces that share no variable become separate factors.
  struct Piece {
    PolynomialId form;
    std::uint32_t touches = 0;  ///< a bit for each binder
  };
  std::vector<Piece> pieces;
  const auto touches = [&](auto form, bool is_total) {
    std::uint32_t out = 0;
    for (std::size_t k = 0; k < binders.size(); ++k) {
      if (mentions(form, binders[k].variable) || (!is_total && !binders[k].certain)) out |= std::uint32_t{1} << k;
    }
    return out;
  };
  for (const Factor& factor : whole.factors) {
    const bool is_total = factor.power > 0 && total(factor.atom);
    pieces.push_back({power(factor.atom, factor.power), touches(factor.atom, is_total)});
  }
  if (whole.exponent.valid()) {
    for (const Term& term : std::vector<Term>((*this)[whole.exponent])) {
      pieces.push_back({exp(monomial(term.monomial, term.coefficient)), touches(term.monomial, total(term.monomial))});
    }
  }
  std::vector<std::uint32_t> groups;  // of binders
  const auto join = [&](std::uint32_t bits) {
    if (bits == 0) return;
    std::erase_if(groups, [&](std::uint32_t group) {
      if (!(group & bits)) return false;
      bits |= group;
      return true;
    });
    groups.push_back(bits);
  };
  for (std::size_t k = 0; k < binders.size(); ++k) {
    std::uint32_t bits = std::uint32_t{1} << k;
    for (std::size_t other = 0; other < binders.size(); ++other) {
      if (indices_.mentions(binders[k].extent, binders[other].variable)) bits |= std::uint32_t{1} << other;
    }
    join(bits);
  }
  for (const Piece& piece : pieces) join(piece.touches);
  const bool something_outside =
      std::any_of(pieces.begin(), pieces.end(), [](const Piece& p) { return p.touches == 0; });
  if (groups.size() > 1 || something_outside) {
    PolynomialId out = one_;
    for (const Piece& piece : pieces) {
      if (piece.touches == 0) out = multiply(out, piece.form);
    }
    for (std::uint32_t group : groups) {
      std::vector<Binder> own;
      for (std::size_t k = 0; k < binders.size(); ++k) {
        if (group >> k & 1) own.push_back(binders[k]);
      }
      PolynomialId body = one_;
      for (const Piece& piece : pieces) {
        if (piece.touches & group) body = multiply(body, piece.form);
      }
      out = multiply(out, sum(own, body));
    }
    return out;
  }

  // The sum of f(k + c) over k < e is that of f over k < e + c, minus that over k < c. Used only where f also has a
  // value beyond the range, whatever the elements that do not exist are taken to be.
  if (harmless) {
    for (std::size_t k = 0; k < binders.size(); ++k) {
      const auto offset = shift_of(*this, binding, binders[k]);
      if (!offset) continue;
      const auto up_to = [&](IndexId extent) {
        std::vector<Binder> changed = binders;
        changed[k] = {fresh(extent), extent, true};
        const IndexId shifted = indices_.subtract(indices_.variable(changed[k].variable), *offset);
        return sum(changed, substitute(id, {{binders[k].variable, shifted}}));
      };
      return subtract(up_to(indices_.add(binders[k].extent, *offset)), up_to(*offset));
    }
  }
  return binding.close(*this);
}

}  // namespace reckon::ir::normal
