#include "prove/prove.h"

#include <algorithm>

#include "ir/bind.h"
#include "prove/cases.h"
#include "prove/division.h"
#include "prove/indices.h"
#include "prove/reader.h"
#include "prove/substitute.h"

namespace reckon::ir {
namespace {

using normal::PolynomialId;
using normal::Reader;
using normal::Terms;

constexpr int max_cases = 5;                ///< most orders of two forms that a proof considers one after the other
constexpr std::int64_t max_elements = 256;  ///< most elements of a result that is compared element by element

/// The right circuit's body and result type in the left one's dimensions; nothing if they take different shapes.
struct Renamed {
  NodeId body;
  TypeId result;
};
std::optional<Renamed> in_dimensions_of(Module& module, const Function& left, const Function& right) {
  if (left.parameters.size() != right.parameters.size()) return std::nullopt;
  Module::Substitution names;
  auto& dimensions = names.indices.dimensions;
  // First the dimensions that stand alone, then those that computed extents give, and then whether all extents agree.
  enum class Step : std::uint8_t { bind, solve, compare };
  const auto is_known = [&](SymbolId symbol) {
    return dimensions.contains(symbol) || std::ranges::find(right.dimensions, symbol) == right.dimensions.end();
  };
  const auto pair_up = [&](auto&& self, TypeId a_id, TypeId b_id, Step step) -> bool {
    const Type a = module.types()[a_id], b = module.types()[b_id];
    if (a.kind != b.kind || a.extents.size() != b.extents.size() || a.parts.size() != b.parts.size()) return false;
    for (std::size_t k = 0; k < a.parts.size(); ++k) {
      if (!self(self, a.parts[k], b.parts[k], step)) return false;
    }
    for (std::size_t k = 0; k < a.extents.size(); ++k) {
      IndexStore& indices = module.indices();
      const IndexNode& extent = indices[b.extents[k]];
      if (step == Step::bind) {
        if (extent.op == IndexOp::dimension) dimensions.try_emplace(extent.symbol, a.extents[k]);
      } else if (step == Step::solve) {
        const auto solved = solve_dimension(indices, b.extents[k], a.extents[k], names.indices, is_known);
        if (solved) dimensions.emplace(solved->symbol, solved->value);  // the value is compared below
      } else if (indices.substitute(b.extents[k], names.indices) != a.extents[k]) {
        return false;
      }
    }
    return true;
  };
  const auto each_parameter = [&](Step step) {
    for (std::size_t k = 0; k < left.parameters.size(); ++k) {
      if (!pair_up(pair_up, left.parameters[k].type, right.parameters[k].type, step)) return false;
    }
    return true;
  };
  if (!each_parameter(Step::bind)) return std::nullopt;
  std::size_t before = 0;
  do {
    before = dimensions.size();
    each_parameter(Step::solve);
  } while (dimensions.size() != before);
  for (SymbolId dimension : right.dimensions) {
    if (!dimensions.contains(dimension)) return std::nullopt;
  }
  if (!each_parameter(Step::compare)) return std::nullopt;
  return Renamed{module.substitute(right.body, names), module.substitute(right.result, names.indices)};
}

class Prover {
 public:
  Prover(Module& module, normal::Limits limits, bool by_element)
      : module_(module),
        terms_(module, limits),
        reader_(module, terms_),
        by_element_(by_element),
        cases_(limits.cases) {}

  bool same(NodeId left, NodeId right, TypeId left_type, TypeId right_type) {
    const Type a = module_.types()[left_type], b = module_.types()[right_type];
    if (a.kind != b.kind || a.parts.size() != b.parts.size() || a.extents.size() != b.extents.size()) return false;
    if (a.kind == TypeKind::tuple) {
      for (std::uint32_t k = 0; k < a.parts.size(); ++k) {
        if (!same(module_.get(left, k), module_.get(right, k), a.parts[k], b.parts[k])) return false;
      }
      return true;
    }
    if (a.kind == TypeKind::scalar) return agree(reader_.scalar(left), reader_.scalar(right));
    std::int64_t elements = 1;
    for (std::size_t k = 0; k < a.extents.size(); ++k) {
      if (simplified(terms_, a.extents[k]) != simplified(terms_, b.extents[k])) return false;
      const auto extent = module_.indices().as_constant(a.extents[k]);
      elements = extent && elements <= max_elements ? elements * *extent : max_elements + 1;
    }
    if (by_element_ && elements <= max_elements) return every_element(left, right, a.extents);
    std::vector<IndexId> place;
    for (IndexId extent : a.extents) place.push_back(module_.indices().variable(terms_.fresh(extent)));
    return agree(reader_.element(left, place), reader_.element(right, place));
  }

  bool cleared() const { return cleared_; }
  bool by_cases() const { return by_cases_; }
  bool gave_up() const { return terms_.failed(); }

 private:
  bool every_element(NodeId left, NodeId right, const std::vector<IndexId>& extents) {
    std::vector<std::int64_t> place(extents.size(), 0);
    for (;;) {
      std::vector<IndexId> here;
      for (std::int64_t each : place) here.push_back(module_.indices().constant(each));
      for (std::size_t k = 0; k < place.size(); ++k) {
        if (*module_.indices().as_constant(extents[k]) == 0) return true;
      }
      if (!agree(reader_.element(left, here), reader_.element(right, here))) return false;
      std::size_t k = place.size();
      while (k > 0 && ++place[k - 1] == *module_.indices().as_constant(extents[k - 1])) place[--k] = 0;
      if (k == 0) return true;
    }
  }

  bool agree(PolynomialId a, PolynomialId b) {
    if (terms_.failed()) return false;
    if (a == b) return true;
    cleared_ = true;
    if (same_where_defined(terms_, a, b)) return true;
    if (terms_.angles.refine()) {
      a = revisit(terms_, a);
      b = revisit(terms_, b);
      if (same_where_defined(terms_, a, b)) return true;
    }
    if (cases_ == 0 || !equal_by_cases(terms_, a, b, cases_)) return false;
    by_cases_ = true;
    return true;
  }

  Module& module_;
  Terms terms_;
  Reader reader_;
  bool by_element_;
  int cases_;
  bool cleared_ = false, by_cases_ = false;
};

}  // namespace

std::optional<Proof> prove_equal(Module& module, const Function& left, const Function& right,
                                 const std::set<std::uint32_t>& positive) {
  const auto renamed = in_dimensions_of(module, left, right);
  if (!renamed) return std::nullopt;
  for (const int cases : {0, max_cases}) {
    for (const bool write_out : {false, true}) {
      normal::Limits limits;
      if (write_out) limits = {.steps = 100000, .expansion = 64};
      if (cases > 0) limits.steps = 60000;
      limits.cases = cases;
      limits.positive = positive;
      Prover prover(module, limits, write_out);
      if (prover.same(left.body, renamed->body, left.result, renamed->result)) {
        return Proof{prover.cleared(), write_out, prover.by_cases()};
      }
      if (prover.gave_up()) break;  // written out it would be larger still
    }
  }
  return std::nullopt;
}

}  // namespace reckon::ir
