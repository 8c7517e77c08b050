// Hash-consing of forms, and the facts that are stored beside every form.
#include "prove/store.h"

#include <algorithm>
#include <deque>

#include "ir/function_of.h"

namespace reckon::ir::normal {
namespace {

std::size_t hash_of(const mpq_class& value) {
  std::size_t seed = static_cast<std::size_t>(mpz_get_si(value.get_num_mpz_t()));
  seed = hash_combine(seed, mpz_size(value.get_num_mpz_t()));
  return hash_combine(seed, mpz_get_ui(value.get_den_mpz_t()));
}

/// Whether a function has a value for all reals.
bool is_total(Op op) {
  switch (op) {
    case Op::floor:
    case Op::trunc:
    case Op::round: return true;
    default: break;
  }
  const auto function = function_of(op);
  return function && numerics::is_total(*function);
}

std::size_t mixed(std::size_t a, std::size_t b) {
  std::size_t z = a * 0x9e3779b97f4a7c15ull + b + 0x632be59bd9b4e019ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  return z ^ (z >> 31);
}

/// A hash of an index expression in which all variables are treated as one.
std::size_t shape_of(const IndexStore& indices, IndexId id) {
  if (indices.variables(id).empty()) return mixed(23, id.index);
  const IndexNode& node = indices[id];
  std::size_t out = mixed(static_cast<std::size_t>(node.op), static_cast<std::size_t>(node.value));
  for (std::size_t k = 0; k < node.operands.size(); ++k) {
    const auto coefficient = node.coefficients.empty() ? 1 : static_cast<std::size_t>(node.coefficients[k]);
    out += mixed(shape_of(indices, node.operands[k]), coefficient);
  }
  return out;
}

/// Whether no part of the expression is one that does not fit in 64 bits (1 // 0): different such ones share an id.
bool has_value(const IndexStore& indices, IndexId id) {
  const IndexNode& node = indices[id];
  const bool divides = node.op == IndexOp::floor_div || node.op == IndexOp::floor_mod;
  if (divides && indices.as_constant(node.operands[1]) == 0) return false;
  return std::all_of(node.operands.begin(), node.operands.end(),
                     [&](IndexId each) { return has_value(indices, each); });
}

}  // namespace

std::size_t TermStore::AtomHash::operator()(const Atom& atom) const {
  std::size_t seed = hash_combine(static_cast<std::size_t>(atom.kind), atom.attribute);
  seed = hash_combine(seed, atom.certain);
  for (PolynomialId part : atom.parts) seed = hash_combine(seed, part.index);
  for (IndexId index : atom.indices) seed = hash_combine(seed, index.index);
  for (VariableId variable : atom.bound) seed = hash_combine(seed, variable.index);
  return seed;
}

std::size_t TermStore::MonomialHash::operator()(const Monomial& monomial) const {
  std::size_t seed = monomial.exponent.index;
  for (const Factor& factor : monomial.factors) {
    seed = hash_combine(hash_combine(seed, factor.atom.index), static_cast<std::size_t>(factor.power));
  }
  return seed;
}

std::size_t TermStore::TermsHash::operator()(const std::vector<Term>& terms) const {
  std::size_t seed = terms.size();
  for (const Term& term : terms)
    seed = hash_combine(hash_combine(seed, term.monomial.index), hash_of(term.coefficient));
  return seed;
}

bool TermStore::TermsEqual::operator()(const std::vector<Term>& a, const std::vector<Term>& b) const {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Term& x, const Term& y) {
    return x.monomial == y.monomial && x.coefficient == y.coefficient;
  });
}

TermStore::TermStore(IndexStore& indices, std::int64_t steps) : indices_(indices), most_steps_(steps) {
  zero_ = intern(Accumulator{});
  const MonomialId nothing = intern(Monomial{});
  one_ = intern(Accumulator{{nothing, 1}});
}

PolynomialId TermStore::fail() {
  failed_ = true;
  return zero_;
}

bool TermStore::step(std::int64_t count) {
  steps_ += count;
  if (steps_ > most_steps_) failed_ = true;
  return !failed_;
}

void TermStore::include(Facts& into, const Facts& from) {
  if (!from.variables.empty()) {
    std::vector<VariableId> all;
    std::set_union(into.variables.begin(), into.variables.end(), from.variables.begin(), from.variables.end(),
                   std::back_inserter(all));
    into.variables = std::move(all);
  }
  into.height = std::max(into.height, from.height);
  into.total = into.total && from.total;
  into.ordered = into.ordered || from.ordered;
}

AtomId TermStore::intern(Atom atom) {
  auto [found, inserted] = atom_ids_.try_emplace(atom, AtomId{static_cast<std::uint32_t>(atoms_.size())});
  if (!inserted) return found->second;
  step();
  Facts facts;
  facts.shape = mixed(static_cast<std::size_t>(atom.kind), atom.kind == AtomKind::operand ? 0 : atom.attribute);
  for (PolynomialId part : atom.parts) {
    include(facts, polynomials_[part.index].facts);
    const std::size_t shape = polynomials_[part.index].facts.shape;
    if (atom.kind == AtomKind::maximum) facts.shape += mixed(shape, 5);
    else facts.shape = mixed(facts.shape, shape);
  }
  for (IndexId index : atom.indices) {
    facts.shape = mixed(facts.shape, shape_of(indices_, index));
    if (!has_value(indices_, index)) failed_ = true;
    Facts of_index;
    of_index.variables = indices_.variables(index);
    include(facts, of_index);
  }
  for (VariableId variable : atom.bound) {
    std::erase(facts.variables, variable);
    facts.height = std::max(facts.height, variable.index + 1);
  }
  const bool partial = atom.kind == AtomKind::group || atom.kind == AtomKind::opaque || atom.kind == AtomKind::select ||
                       (atom.kind == AtomKind::function && !is_total(static_cast<Op>(atom.attribute)));
  if (partial) facts.total = false;
  facts.ordered = facts.ordered || atom.kind == AtomKind::positive_part || atom.kind == AtomKind::maximum ||
                  atom.kind == AtomKind::positive || atom.kind == AtomKind::is_zero || atom.kind == AtomKind::select;
  atoms_.push_back({std::move(atom), std::move(facts)});
  return found->second;
}

MonomialId TermStore::intern(Monomial monomial) {
  auto [found, inserted] =
      monomial_ids_.try_emplace(monomial, MonomialId{static_cast<std::uint32_t>(monomials_.size())});
  if (!inserted) return found->second;
  step();
  Facts facts;
  if (monomial.exponent.valid()) {
    include(facts, polynomials_[monomial.exponent.index].facts);
    facts.shape = mixed(polynomials_[monomial.exponent.index].facts.shape, 3);
  }
  for (const Factor& factor : monomial.factors) {
    include(facts, atoms_[factor.atom.index].facts);
    facts.shape += mixed(atoms_[factor.atom.index].facts.shape, static_cast<std::size_t>(factor.power));
    if (factor.power < 0) facts.total = false;
  }
  monomials_.push_back({std::move(monomial), std::move(facts)});
  return found->second;
}

PolynomialId TermStore::intern(Accumulator terms) {
  std::vector<Term> list;
  for (auto& [monomial, coefficient] : terms) {
    if (coefficient != 0) list.push_back({monomial, std::move(coefficient)});
  }
  step(static_cast<std::int64_t>(list.size()));
  auto [found, inserted] =
      polynomial_ids_.try_emplace(list, PolynomialId{static_cast<std::uint32_t>(polynomials_.size())});
  if (!inserted) return found->second;
  Facts facts;
  for (const Term& term : list) {
    include(facts, monomials_[term.monomial.index].facts);
    facts.shape += mixed(monomials_[term.monomial.index].facts.shape, hash_of(term.coefficient));
  }
  polynomials_.push_back({std::move(list), std::move(facts)});
  return found->second;
}

void TermStore::accumulate(Accumulator& into, PolynomialId a, const mpq_class& factor) const {
  for (const Term& term : (*this)[a]) {
    auto [found, inserted] = into.try_emplace(term.monomial, 0);
    found->second += factor * term.coefficient;
    if (found->second == 0) into.erase(found);
  }
}

std::optional<mpq_class> TermStore::as_constant(PolynomialId id) const {
  const std::vector<Term>& terms = (*this)[id];
  if (terms.empty()) return mpq_class(0);
  if (terms.size() > 1) return std::nullopt;
  const Monomial& monomial = (*this)[terms[0].monomial];
  if (monomial.exponent.valid() || !monomial.factors.empty()) return std::nullopt;
  return terms[0].coefficient;
}

const Term& TermStore::lead(PolynomialId id) const {
  const std::vector<Term>& terms = (*this)[id];
  return *std::min_element(terms.begin(), terms.end(), [&](const Term& a, const Term& b) {
    return facts(a.monomial).shape < facts(b.monomial).shape;
  });
}

}  // namespace reckon::ir::normal
