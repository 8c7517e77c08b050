// Signatures of forms: hashes that do not depend on the names of bound variables.
#include "prove/binding.h"

#include <algorithm>

namespace reckon::ir::normal {
namespace {

class Signature {
 public:
  Signature(const TermStore& terms, VariableId marked, const std::vector<Binder>& others)
      : terms_(terms), marked_(marked), others_(others) {}

  std::size_t of(PolynomialId id) {
    if (!open(terms_.variables(id))) return hash_combine(11, id.index);
    if (auto found = done_.find(id); found != done_.end()) return found->second;
    std::size_t out = 1;
    for (const Term& term : terms_[id]) {
      const Monomial& monomial = terms_[term.monomial];
      std::size_t product = 2;
      if (monomial.exponent.valid()) product += mixed(of(monomial.exponent), 3);
      for (const Factor& factor : monomial.factors) {
        product += mixed(of(factor.atom), static_cast<std::size_t>(factor.power));
      }
      out += mixed(product, static_cast<std::size_t>(mpz_get_si(term.coefficient.get_num_mpz_t())));
    }
    return done_[id] = out;
  }

 private:
  /// Whether a variable occurs whose name must not count.
  bool open(const std::vector<VariableId>& variables) const {
    return std::any_of(variables.begin(), variables.end(), [&](VariableId v) { return name(v) != v.index; });
  }
  std::uint32_t name(VariableId variable) const {
    if (variable == marked_) return 1u << 30;
    const bool other =
        std::any_of(others_.begin(), others_.end(), [&](const Binder& each) { return each.variable == variable; });
    return other ? (1u << 30) + 1 : variable.index;
  }
  static std::size_t mixed(std::size_t a, std::size_t b) {
    std::size_t z = a * 0x9e3779b97f4a7c15ull + b + 0x632be59bd9b4e019ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  std::size_t of(AtomId id) {
    if (!open(terms_.variables(id))) return hash_combine(13, id.index);
    const Atom& atom = terms_[id];
    std::size_t out = mixed(static_cast<std::size_t>(atom.kind), atom.attribute);
    for (PolynomialId part : atom.parts) {
      // The parts of a maximum have no order.
      if (atom.kind == AtomKind::maximum) out += mixed(of(part), 5);
      else out = mixed(out, of(part));
    }
    for (IndexId index : atom.indices) out = mixed(out, of(index));
    return mixed(out, atom.bound.size());
  }

  std::size_t of(IndexId id) {
    const IndexStore& indices = terms_.indices();
    if (!open(indices.variables(id))) return hash_combine(17, id.index);
    const IndexNode& node = indices[id];
    if (node.op == IndexOp::variable) return mixed(19, name(node.variable));
    const bool ordered = node.op == IndexOp::floor_div || node.op == IndexOp::floor_mod || node.op == IndexOp::less ||
                         node.op == IndexOp::less_equal;
    std::size_t out = mixed(static_cast<std::size_t>(node.op), static_cast<std::size_t>(node.value));
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      const std::size_t part =
          mixed(of(node.operands[k]), node.coefficients.empty() ? 1 : static_cast<std::size_t>(node.coefficients[k]));
      out = ordered ? mixed(out, part) : out + part;
    }
    return out;
  }

  const TermStore& terms_;
  VariableId marked_;
  const std::vector<Binder>& others_;
  std::unordered_map<PolynomialId, std::size_t> done_;
};

}  // namespace

std::size_t signature(const TermStore& terms, PolynomialId id, VariableId marked, const std::vector<Binder>& others) {
  std::size_t out = Signature(terms, marked, others).of(id);
  for (const Binder& binder : others) {
    // The range helps to distinguish a variable from others, if it does not mention variables itself.
    if (binder.variable == marked && terms.indices().variables(binder.extent).empty()) {
      out = hash_combine(out, binder.extent.index);
    }
  }
  return out;
}

}  // namespace reckon::ir::normal
