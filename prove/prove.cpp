#include "prove/prove.h"

#include <algorithm>

#include "prove/cases.h"
#include "prove/dimensions.h"
#include "prove/division.h"
#include "prove/indices.h"
#include "prove/loops.h"
#include "prove/reader.h"
#include "prove/substitute.h"

namespace reckon::ir {
namespace {

using normal::PolynomialId;
using normal::Reader;
using normal::Terms;

constexpr int max_cases = 5;                ///< most orders of two forms that a proof considers one after the other
constexpr std::int64_t max_elements = 256;  ///< most elements of a result that is compared element by element

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
  auto renamed = normal::in_dimensions_of(module, left, right);
  if (!renamed) return std::nullopt;
  const NodeId with_loops =
      normal::with_equal_loops(module, left, renamed->body, [&](const Function& a, const Function& b) {
        return prove_equal(module, a, b, positive).has_value();
      });
  const bool by_induction = with_loops != renamed->body;
  renamed->body = with_loops;
  for (const int cases : {0, max_cases}) {
    for (const bool write_out : {false, true}) {
      normal::Limits limits;
      if (write_out) limits = {.steps = 100000, .expansion = 64};
      if (cases > 0) limits.steps = 60000;
      limits.cases = cases;
      limits.positive = positive;
      Prover prover(module, limits, write_out);
      if (prover.same(left.body, renamed->body, left.result, renamed->result)) {
        return Proof{prover.cleared(), write_out, by_induction, prover.by_cases()};
      }
      if (prover.gave_up()) break;  // written out it would be larger still
    }
  }
  return std::nullopt;
}

}  // namespace reckon::ir
