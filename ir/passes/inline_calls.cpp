// Calls of circuits, replaced by what is called or by what it approximates.
#include "ir/op.h"
#include "ir/passes/passes.h"
#include "ir/rewrite.h"
#include "ir/visit.h"

namespace reckon::ir {
namespace {

/// Binds the dimensions that stand alone in a parameter's type, which are all dimensions (the elaborator checks that).
void bind(const Module& module, TypeId parameter, TypeId argument, IndexSubstitution& out) {
  const Type &wanted = module.types()[parameter], &given = module.types()[argument];
  for (std::size_t k = 0; k < wanted.parts.size(); ++k) bind(module, wanted.parts[k], given.parts[k], out);
  for (std::size_t k = 0; k < wanted.extents.size(); ++k) {
    const IndexNode& extent = module.indices()[wanted.extents[k]];
    if (extent.op == IndexOp::dimension) out.dimensions.try_emplace(extent.symbol, given.extents[k]);
  }
}

}  // namespace

Function inline_calls(Module& module, const Function& function, Approximations approximations) {
  const auto is_call = [&](NodeId id) { return module[id].op == Op::call; };
  if (approximations == Approximations::operations && function.approximated) {
    Function out = function;
    std::vector<NodeId> parameters;
    for (std::size_t k = 0; k < function.parameters.size(); ++k) {
      parameters.push_back(module.parameter(static_cast<std::uint32_t>(k), function.parameters[k].type));
    }
    out.body = module.apply(*function.approximated, std::move(parameters));
    return out;
  }
  if (!find_node(module, {function.body}, is_call)) return function;
  const PlacesGuard placing(module, function.places);
  Function out = function;
  out.body = module.rewrite(function.body, [&](const Node& node, std::vector<NodeId> operands) {
    if (node.op != Op::call) return module.rebuild(node, std::move(operands));
    if (approximations == Approximations::operations && module.callee_of(node).approximated) {
      return module.apply(*module.callee_of(node).approximated, std::move(operands));
    }
    const Function callee = inline_calls(module, module.callee_of(node), approximations);
    // A circuit without parameters is inlined unchanged, so its nodes keep their places.
    if (callee.parameters.empty()) module.places().use(callee.places);
    Module::Substitution substitution;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      bind(module, callee.parameters[k].type, module[operands[k]].type, substitution.indices);
    }
    substitution.parameters = std::move(operands);
    substitution.places = callee.places;
    return module.substitute(callee.body, substitution);
  });
  return out;
}

}  // namespace reckon::ir
