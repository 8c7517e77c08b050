#include <algorithm>
#include <map>
#include <tuple>

#include "ir/op.h"
#include "ir/passes/bottom_up.h"
#include "ir/passes/passes.h"

namespace reckon::ir {
namespace {

/// How many leading operands of an operation may be exchanged, and which law that needs. Operands of (in)equality
/// comparisons and of the logical operations may be exchanged under every semantics, three-valued ones too.
struct Commutation {
  Op op;
  std::size_t operands;
  Laws needs;
};
constexpr Commutation commutations[] = {
    {Op::add, 2, {Law::add_commutes}},
    {Op::mul, 2, {Law::mul_commutes}},
    {Op::fma, 2, {Law::mul_commutes}},
    {Op::min, 2, {Law::min_max_commute}},
    {Op::max, 2, {Law::min_max_commute}},
    {Op::equal, 2, {}},
    {Op::not_equal, 2, {}},
    {Op::logical_and, 2, {}},
    {Op::logical_or, 2, {}},
};

const Commutation* commutation_of(Op op, Laws laws) {
  const auto found = std::find_if(std::begin(commutations), std::end(commutations),
                                  [&](const Commutation& row) { return row.op == op && laws.has_all(row.needs); });
  return found == std::end(commutations) ? nullptr : found;
}

}  // namespace

Function share_subexpressions(Module& module, const Function& function, Laws laws) {
  // The first spelling is kept, so that a printed expression occurs in the source.
  std::map<std::tuple<Op, std::vector<NodeId>>, NodeId> spellings;
  BottomUp rewriter(module, [&](NodeId, const Node& node, std::vector<NodeId> operands) {
    const Commutation* row = commutation_of(node.op, laws);
    if (!row) return module.rebuild(node, std::move(operands));
    std::vector<NodeId> key = operands;
    std::sort(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(row->operands));
    if (auto found = spellings.find({node.op, key}); found != spellings.end()) return found->second;
    const NodeId result = module.rebuild(node, std::move(operands));
    spellings.emplace(std::tuple{node.op, std::move(key)}, result);
    return result;
  });
  Function out = function;
  out.body = rewriter.run(function.body);
  return out;
}

}  // namespace reckon::ir
