// Schedules as static values.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "frontend/elaborator.h"
#include "ir/bind.h"

namespace reckon::frontend {

using ir::ScheduleId;
using ir::ScheduleOp;

std::optional<ScheduleId> Elaborator::schedule_of(const Value& value, SourceSpan at, bool stage) {
  if (auto* schedule = value.get_if<ScheduleValue>()) {
    const ScheduleOp op = module.schedules()[schedule->schedule].op;
    if (ir::is_stage(op) == stage) return schedule->schedule;
    const std::string text = ir::schedule_text(module, schedule->schedule);
    if (stage) {
      return report(Diagnostic(Code::stage_needed, at, fmt::format("a stage is needed before `then`, and `{}` is a schedule", text),
                               "a schedule leaves one node, so nothing can follow it")
                        .help(fmt::format("make a stage of it: `tile(k, {0}) then ...` or `lanes(k, {0}) then ...`", text)));
    }
    return report(Diagnostic(Code::schedule_needed, at, fmt::format("a schedule is needed, and `{}` is a stage", text),
                             "a stage leaves several nodes")
                      .help(fmt::format("say how the rest is reduced: `{} then tree`", text)));
  }
  if (auto* tree = value.get_if<TreeValue>(); tree && !stage) {
    return module.schedules().quoted(tree->tree);
  }
  return fail(stage ? Code::stage_needed : Code::schedule_needed, at,
              fmt::format("a {} is needed, and this is {}", stage ? "stage" : "schedule", kind_text(value)));
}

Elaborator::Maybe Elaborator::elaborate_then(const Context& context, const Expr& expression) {
  auto first = elaborate(context, expression.children[0]);
  auto second = elaborate(context, expression.children[1]);
  if (!first || !second) return std::nullopt;
  auto stage = schedule_of(*first, expr(context, expression.children[0]).span, true);
  if (!stage) return std::nullopt;
  const auto* rest = second->get_if<ScheduleValue>();
  if (rest && ir::is_stage(module.schedules()[rest->schedule].op)) {
    return Value{ScheduleValue{module.schedules().stage_then(*stage, rest->schedule)}};
  }
  auto schedule = schedule_of(*second, expr(context, expression.children[1]).span, false);
  if (!schedule) return std::nullopt;
  return Value{ScheduleValue{module.schedules().then(*stage, *schedule)}};
}

Elaborator::Maybe Elaborator::elaborate_length(const Context& context, const Expr& expression) {
  const ir::VariableId variable = module.fresh_variable();
  Scope scope(context.scope);
  scope.bind(expression.names[0].name, {SymbolicInteger{module.indices().variable(variable)}});
  ++length_depth_;
  auto body = elaborate(context.in(scope), expression.children[0]);
  --length_depth_;
  if (!body) return body;
  auto schedule = schedule_of(*body, expr(context, expression.children[0]).span, false);
  if (!schedule) return std::nullopt;
  return Value{ScheduleValue{module.schedules().length(variable, *schedule)}};
}

Elaborator::Maybe Elaborator::elaborate_quoted(const Expr& expression) {
  // Prefix order, read from its end: a leaf is pushed, a pair joins the two last.
  std::vector<ir::TreeId> stack;
  std::vector<std::int64_t> leaves;
  for (auto at = expression.tree.prefix.rbegin(); at != expression.tree.prefix.rend(); ++at) {
    if (*at >= 0) {
      stack.push_back(module.schedules().trees().leaf(*at));
      leaves.push_back(*at);
      continue;
    }
    const ir::TreeId left = stack.back();
    stack.pop_back();
    const ir::TreeId right = stack.back();
    stack.pop_back();
    stack.push_back(module.schedules().trees().pair(left, right));
  }
  std::sort(leaves.begin(), leaves.end());
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (leaves[k] == static_cast<std::int64_t>(k)) continue;
    const bool twice = k > 0 && leaves[k] == leaves[k - 1];
    return fail(Code::bad_quoted_tree, expression.span,
                fmt::format("a quoted tree has each of the leaves 0 to {} once, and {} {}", leaves.size() - 1,
                            twice ? leaves[k] : static_cast<std::int64_t>(k), twice ? "stands twice" : "is missing"));
  }
  return Value{ScheduleValue{module.schedules().quoted(stack.back())}};
}

Elaborator::Maybe Elaborator::call_schedule_function(const std::string& name, const std::vector<Value>& arguments,
                                                     const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::ScheduleStore& schedules = module.schedules();
  if (name == "split" || name == "tile" || name == "lanes") {
    if (wrong_count(name, name == "split" ? 3 : 2, arguments, at)) return std::nullopt;
    auto size = index_of(arguments[0], spans[0], fmt::format("the size of `{}`", name));
    if (!size) return std::nullopt;
    for (ir::VariableId variable : module.indices().variables(*size)) {
      auto range = ranges_.find(variable);
      if (range == ranges_.end()) continue;
      return fail(Code::static_needed, spans[0],
                  fmt::format("a schedule cannot depend on the index `{}`", range->second.name));
    }
    if (auto known = module.indices().as_constant(*size); known && *known < 1) {
      return fail(Code::bad_stage_size, spans[0],
                  fmt::format("the size of `{}` is {}, and must be at least 1", name, *known),
                  name == "tile"    ? "so many nodes are in a run"
                  : name == "lanes" ? "so many lanes there are"
                                    : "so many nodes come first");
    }
    auto first = schedule_of(arguments[1], spans[1], false);
    if (!first) return std::nullopt;
    if (name == "tile") return Value{ScheduleValue{schedules.tile(*size, *first)}};
    if (name == "lanes") return Value{ScheduleValue{schedules.lanes(*size, *first)}};
    auto second = schedule_of(arguments[2], spans[2], false);
    if (!second) return std::nullopt;
    return Value{ScheduleValue{schedules.split(*size, *first, *second)}};
  }
  // parens, depth, same: looks at the tree for a given length.
  const std::size_t operands = name == "same" ? 2 : 1;
  if (wrong_count(name, operands + 1, arguments, at)) return std::nullopt;
  auto length = integer_of(arguments[operands], spans[operands], "the number of leaves");
  if (!length) return std::nullopt;
  if (*length < 1) return fail(Code::empty_reduction, spans[operands], "a tree has at least one leaf");
  std::vector<ir::TreeId> trees;
  for (std::size_t k = 0; k < operands; ++k) {
    auto schedule = schedule_of(arguments[k], spans[k], false);
    if (!schedule) return std::nullopt;
    if (*length > (name == "parens" ? 100'000 : 10'000'000)) {
      return fail(Code::too_large, spans[operands], fmt::format("a tree of {} leaves is too large to write out", *length));
    }
    auto [tree, problem] = schedules.expand(*schedule, *length);
    if (problem) return report(ir::schedule_diagnostic(module, *schedule, *problem, spans[k]));
    trees.push_back(tree);
  }
  if (name == "parens") return Value{TreeValue{trees[0]}};
  if (name == "depth") return Value{mpq_class(schedules.trees().depth(trees[0]))};
  // same: equal up to swapping operands. Trees are hash-consed, so ordering the operands of every pair by id decides.
  std::map<ir::TreeId, ir::TreeId> normal;
  auto normalise = [&](auto&& self, ir::TreeId id) -> ir::TreeId {
    if (auto found = normal.find(id); found != normal.end()) return found->second;
    const ir::TreeNode node = schedules.trees()[id];
    ir::TreeId out = id;
    if (node.leaf < 0) {
      ir::TreeId left = self(self, node.left), right = self(self, node.right);
      if (right < left) std::swap(left, right);
      out = schedules.trees().pair(left, right);
    }
    return normal[id] = out;
  };
  return Value{normalise(normalise, trees[0]) == normalise(normalise, trees[1])};
}

}  // namespace reckon::frontend
