#include "prove/text.h"

#include "ir/op.h"

namespace reckon::ir::normal {
namespace {

class Writer {
 public:
  Writer(const Module& module, const TermStore& terms) : module_(module), terms_(terms) {}

  std::string of(PolynomialId id) const {
    std::string out;
    for (const Term& term : terms_[id]) {
      const Monomial& monomial = terms_[term.monomial];
      const bool alone = monomial.factors.empty() && !monomial.exponent.valid();
      std::string factors;
      for (const Factor& factor : monomial.factors) {
        factors += (factors.empty() ? "" : "*") + of(factor.atom);
        if (factor.power != 1) factors += "^" + std::to_string(factor.power);
      }
      if (monomial.exponent.valid()) factors += (factors.empty() ? "e^(" : "*e^(") + of(monomial.exponent) + ")";
      const mpq_class size = abs(term.coefficient);
      const bool minus = term.coefficient < 0;
      out += out.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
      if (size != 1 || alone) out += size.get_str() + (alone ? "" : "*");
      out += factors;
    }
    return out.empty() ? "0" : out;
  }

 private:
  template <class List, class Text>
  static std::string list(const List& all, Text&& text) {
    std::string out;
    for (const auto& each : all) out += (out.empty() ? "" : ", ") + text(each);
    return out;
  }

  std::string of(AtomId id) const {
    const Atom& atom = terms_[id];
    const std::string parts = list(atom.parts, [&](PolynomialId part) { return of(part); });
    const std::string indices = list(atom.indices, [&](IndexId index) { return index_text(module_, index); });
    std::string ranges;
    for (std::size_t k = 0; k < atom.bound.size(); ++k) {
      ranges += (k ? ", %" : "%") + std::to_string(atom.bound[k].index) + "<" + index_text(module_, atom.indices[k]);
      if (atom.kind == AtomKind::sum && !(atom.certain >> k & 1)) ranges += "?";
    }
    switch (atom.kind) {
      case AtomKind::element: return "x" + std::to_string(atom.attribute) + "[" + indices + "]";
      case AtomKind::index: return indices;
      case AtomKind::pi: return "pi";
      case AtomKind::operand: return "operand" + std::to_string(atom.attribute) + "." + indices;
      case AtomKind::function: return std::string(traits(static_cast<Op>(atom.attribute)).spelling) + "(" + parts + ")";
      case AtomKind::positive: return "[" + parts + " > 0]";
      case AtomKind::is_zero: return "[" + parts + " = 0]";
      case AtomKind::select: return "select(" + parts + ")";
      case AtomKind::lookup: return "{" + parts + "}[" + indices + "]";
      case AtomKind::group: return "(" + parts + ")";
      case AtomKind::positive_part: return "max(0, " + parts + ")";
      case AtomKind::maximum: return "max(" + parts + ")";
      case AtomKind::sum: return "sum[" + ranges + "](" + parts + ")";
      case AtomKind::product: return "prod[" + ranges + "](" + parts + ")";
      case AtomKind::supremum: return "max[" + ranges + "](" + parts + ")";
      case AtomKind::opaque: return "node" + std::to_string(atom.attribute) + "[" + indices + "]";
    }
    return {};
  }

  const Module& module_;
  const TermStore& terms_;
};

}  // namespace

std::string text(const Module& module, const TermStore& terms, PolynomialId id) { return Writer(module, terms).of(id); }

}  // namespace reckon::ir::normal
