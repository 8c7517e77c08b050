#include "frontend/assertions.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/assertion.h"
#include "diagnostics/codes/static_needed.h"
#include "frontend/find_expression.h"

namespace reckon::frontend {
namespace {

/// The values of the integers that the claim names, for people: `k is 6`.
std::vector<std::string> values_in(Elaborator& elaborator, const Context& context, ExprId claim) {
  constexpr std::size_t most = 4;
  std::vector<std::string> out;
  find_expression(elaborator.programs[context.program].tree, claim, [&](const Expr& at) {
    const Value* value = at.kind == ExprKind::name && context.scope != nullptr ? context.scope->find(at.text) : nullptr;
    if (value == nullptr || !value->is<mpq_class>()) return false;
    std::string text = fmt::format("`{}` is {}", at.text, elaborator.value_text(*value));
    if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
    return out.size() == most;
  });
  std::ranges::sort(out);
  return out;
}

/// Whether the claim is `f == g` or the like of circuits by name.
bool compares_circuits(Elaborator& elaborator, const Context& context, ExprId claim) {
  const Expr& at = elaborator.expr(context, claim);
  const Expr* left = at.kind == ExprKind::binary ? &elaborator.expr(context, at.children[0]) : nullptr;
  if (left == nullptr || left->kind != ExprKind::name || (context.scope && context.scope->find(left->text))) return false;
  const auto& definitions = elaborator.programs[context.program].environment->definitions;
  const auto found = definitions.find(left->text);
  return found != definitions.end() && elaborator.item_of(elaborator.declarations[found->second]).kind == ItemKind::fn;
}

/// Reports a claim that cannot be decided before anything runs.
bool undecidable(Elaborator& elaborator, SourceSpan at, std::string why, std::string help) {
  elaborator.report(
      Diagnostic(code::static_needed, at, "an assertion is decided before anything runs", std::move(why)).help(std::move(help)));
  return false;
}

/// What has to be equal for the condition to hold, of which a message shows both values.
ir::Requirement requirement(ir::IndexStore& indices, ir::IndexId condition, Diagnostic diagnostic) {
  const ir::IndexNode& node = indices[condition];
  if (node.op == ir::IndexOp::equal) return {node.operands[0], node.operands[1], std::move(diagnostic)};
  return {condition, indices.constant(1), std::move(diagnostic)};
}

}  // namespace

bool is_asserted(Elaborator& elaborator, const Context& context, ExprId claim, const std::string& reason) {
  const SourceSpan at = elaborator.expr(context, claim).span;
  if (compares_circuits(elaborator, context, claim)) {
    return undecidable(elaborator, at, "this compares circuits", "circuits are compared by `check f == g in algebra`");
  }
  const Maybe value = elaborator.elaborate(context, claim);
  if (!value) return false;
  Diagnostic failure(code::assertion, at,
                     fmt::format("`{}` does not hold{}{}", elaborator.sources.text(at), reason.empty() ? "" : ": ",
                                 reason));
  if (const bool* holds = value->get_if<bool>()) {
    if (*holds) return true;
    failure.notes = values_in(elaborator, context, claim);
    elaborator.report(std::move(failure));
    return false;
  }
  const std::string known = "sizes, static parameters, layouts and schedules are known then";
  ir::IndexStore& indices = elaborator.module.indices();
  if (const auto* symbolic = value->get_if<SymbolicCondition>()) {
    if (elaborator.requirements != nullptr && indices.variables(symbolic->condition).empty()) {
      elaborator.requirements->push_back(requirement(indices, symbolic->condition, std::move(failure)));
      return true;
    }
    return undecidable(elaborator, at, "this depends on an index or a length", known);
  }
  return undecidable(elaborator, at, fmt::format("this is {}", elaborator.kind_text(*value)),
                     value->is<DynamicValue>() ? known : "an assertion is a condition, such as `n % 4 == 0`");
}

}  // namespace reckon::frontend
