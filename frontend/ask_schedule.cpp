// Questions about a schedule for a given number of leaves: its tree and what follows from it.
#include <fmt/format.h>

#include "diagnostics/codes/bad_accumulator.h"
#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/static_needed.h"
#include "diagnostics/codes/too_large.h"
#include "frontend/calls.h"
#include "frontend/schedules.h"
#include "ir/bind.h"
#include "ir/schedule/shape.h"

namespace reckon::frontend {

using ir::ScheduleId;
using ir::ScheduleOp;
using ir::TreeId;

namespace {

constexpr std::int64_t max_written = 100'000;  ///< most leaves of a tree that is written as text
constexpr std::int64_t max_expanded = 10'000'000;

/// Decides equality up to swapped operands: trees are hash-consed, so each pair is made with its operands in id order.
class Normal {
 public:
  explicit Normal(ir::TreeStore& trees) : trees_(trees) {}
  TreeId operator()(TreeId root) {
    // An explicit stack: a `seq` tree is as deep as it has leaves.
    std::vector<TreeId> pending{root};
    while (!pending.empty()) {
      const TreeId id = pending.back();
      const ir::TreeNode node = trees_[id];
      if (done_.contains(id)) {
        pending.pop_back();
      } else if (node.leaf >= 0) {
        done_[id] = id;
      } else {
        auto left = done_.find(node.left), right = done_.find(node.right);
        if (left == done_.end()) pending.push_back(node.left);
        if (right == done_.end()) pending.push_back(node.right);
        if (left == done_.end() || right == done_.end()) continue;
        done_[id] = trees_.pair(std::min(left->second, right->second), std::max(left->second, right->second));
      }
    }
    return done_.at(root);
  }

 private:
  ir::TreeStore& trees_;
  std::map<TreeId, TreeId> done_;
};

/// The leaves' numbers from left to right.
ListValue leaf_order(const ir::TreeStore& trees, TreeId root, SourceSpan at) {
  ListValue out;
  std::vector<TreeId> pending{root};
  while (!pending.empty()) {
    const ir::TreeNode& node = trees[pending.back()];
    pending.pop_back();
    if (node.leaf >= 0) {
      out.elements.emplace_back(mpq_class(static_cast<long>(node.leaf)));
      out.spans.push_back(at);
    } else {
      pending.push_back(node.right);
      pending.push_back(node.left);
    }
  }
  return out;
}

/// `additions`: additions of many operands will do.
std::optional<TreeId> tree_of(Elaborator& elaborator, const Value& value, SourceSpan at, std::int64_t leaves,
                              SourceSpan leaves_at, bool additions = false) {
  ir::Module& module = elaborator.module;
  if (leaves < 1) {
    elaborator.report(Diagnostic(code::empty_reduction, leaves_at, "a tree has at least one leaf",
                                 fmt::format("{} leaves are asked for", leaves))
                          .help("ask for at least 1; what a sum of nothing gives, `else` says: `sum i: x[i] else 0`"));
    return std::nullopt;
  }
  auto schedule = elaborator.schedule_of(value, at, false);
  if (!schedule) return std::nullopt;
  if (leaves > max_expanded) {
    elaborator.fail(code::too_large, leaves_at, fmt::format("a tree of {} leaves is too large to write out", leaves));
    return std::nullopt;
  }
  auto [tree, problem] =
      additions ? module.schedules().additions(*schedule, leaves) : module.schedules().expand(*schedule, leaves);
  if (problem) {
    elaborator.report(ir::schedule_diagnostic(module, *schedule, *problem, at));
    return std::nullopt;
  }
  return tree;
}

}  // namespace

Maybe ask_schedule(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                   const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::Module& module = elaborator.module;
  const std::size_t operands = name == "same" ? 2 : 1;
  // A tree knows its number of leaves; only for a schedule it has to be given.
  const auto quoted = [&](const Value& value) -> std::optional<std::int64_t> {
    const ir::TreeStore& trees = module.schedules().trees();
    if (auto* tree = value.get_if<TreeValue>()) return trees.leaf_count(tree->tree);
    auto* schedule = value.get_if<ScheduleValue>();
    if (!schedule || module.schedules()[schedule->schedule].op != ScheduleOp::quoted) return std::nullopt;
    return trees.leaf_count(module.schedules()[schedule->schedule].tree);
  };
  std::optional<std::int64_t> length;
  SourceSpan length_at = at;
  if (arguments.size() == operands) {
    for (const Value& value : arguments) {
      if (!length) length = quoted(value);
    }
  }
  if (!length) {
    if (wrong_count(elaborator, name, operands + 1, arguments, at)) return std::nullopt;
    length_at = spans[operands];
    length = elaborator.integer_of(arguments[operands], length_at, "the number of leaves");
    if (!length) return std::nullopt;
  }
  if ((name == "parens" || name == "leaf_order") && *length > max_written) {
    return elaborator.fail(code::too_large, length_at,
                           fmt::format("a tree of {} leaves is too large to write out", *length));
  }
  std::vector<TreeId> trees;
  for (std::size_t k = 0; k < operands; ++k) {
    if (name == "error_growth") {
      // The exact sum is rounded once, in every order.
      auto* schedule = arguments[0].get_if<ScheduleValue>();
      const ScheduleId id = schedule ? schedule->schedule : ScheduleId{};
      if (id.valid() && module.schedules()[id].op == ScheduleOp::rounded_once && *length >= 1)
        return Value{mpq_class(1)};
      const auto operations = id.valid() ? module.schedules().operations(id) : std::set<ScheduleOp>();
      for (ScheduleOp op :
           {ScheduleOp::neumaier, ScheduleOp::kahan, ScheduleOp::binned, ScheduleOp::rounded_once, ScheduleOp::mma}) {
        if (!operations.contains(op)) continue;
        return elaborator.report(Diagnostic(code::bad_accumulator, spans[0],
                                            fmt::format("the error of `{}` does not grow by roundings on a path alone",
                                                        ir::schedule_text(module, id)))
                                     .help("for given inputs, `show f(x) in bound` says how large it can be"));
      }
    }
    const bool additions = name == "parens" || name == "depth" || name == "leaves" || name == "leaf_order";
    auto tree = tree_of(elaborator, arguments[k], spans[k], *length, length_at, additions);
    if (!tree) return std::nullopt;
    trees.push_back(*tree);
  }
  ir::TreeStore& store = module.schedules().trees();
  if (name == "parens") return Value{TreeValue{trees[0]}};
  if (name == "leaves") return Value{mpq_class(static_cast<long>(store.leaf_count(trees[0])))};
  if (name == "leaf_order") return Value{leaf_order(store, trees[0], at)};
  if (name == "depth") return Value{mpq_class(store.depth(trees[0]))};
  if (name == "error_growth") {
    // With `fused`, one product of the deepest pair of leaves is rounded before the other one is added.
    auto* schedule = arguments[0].get_if<ScheduleValue>();
    const bool fused = schedule && module.schedules().operations(schedule->schedule).contains(ScheduleOp::fused);
    return Value{mpq_class(store.depth(trees[0]) + (fused ? 1 : 0))};
  }
  if (name == "hash") return Value{store.hash_text(trees[0])};
  if (name == "shape") return Value{ir::shape_text(store, trees[0])};
  Normal normal(store);
  return Value{normal(trees[0]) == normal(trees[1])};
}

std::optional<bool> equal_schedules(Elaborator& elaborator, const Context& context, const Item& item, const Value& left,
                                    const Value& right, SourceSpan left_at, SourceSpan right_at) {
  std::vector<std::int64_t> sizes;
  for (const ForClause& clause : item.clauses) {
    if (clause.kind != ForClause::Kind::sizes) continue;
    for (ExprId id : clause.values) {
      auto value = elaborator.elaborate(context, id);
      auto size =
          value ? elaborator.integer_of(*value, elaborator.expr(context, id).span, "a number of leaves") : std::nullopt;
      if (!size) return std::nullopt;
      sizes.push_back(*size);
      auto a = tree_of(elaborator, left, left_at, *size, elaborator.expr(context, id).span);
      auto b = a ? tree_of(elaborator, right, right_at, *size, elaborator.expr(context, id).span) : std::nullopt;
      if (!b) return std::nullopt;
      if (*a != *b) return false;
    }
  }
  if (!sizes.empty()) return true;
  elaborator.report(Diagnostic(code::static_needed, item.span, "two schedules are compared for some numbers of leaves")
                        .help("say which: `for n: {1, 7, 64}`; equal up to swapped operands is `same(S, T, n)`"));
  return std::nullopt;
}

}  // namespace reckon::frontend
