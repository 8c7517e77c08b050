#include "ir/schedule/order.h"

namespace reckon::ir {

Order::Order(const ScheduleStore& store, ScheduleId term, Bound bound)
    : store_(&store), term_(term), bound_(std::move(bound)) {
  while (op() == ScheduleOp::conditional) {
    const auto condition = evaluate(node().parameter);
    if (!condition) return;
    term_ = node().operands[*condition != 0 ? 0 : 1];
  }
  if (op() == ScheduleOp::reference) bound_.reset();  // The text of a definition mentions no length around its name.
}

std::optional<std::int64_t> Order::evaluate(IndexId index) const {
  if (const auto constant = store_->indices().as_constant(index)) return constant;
  return bound_ ? store_->indices().evaluate(index, *bound_) : std::nullopt;
}

Order::Head Order::head(std::int64_t n) const {
  Order at = *this;
  for (std::size_t steps = 0; steps <= max_steps_to_head; ++steps) {
    const ScheduleNode& node = at.node();
    if (node.op == ScheduleOp::length) {
      IndexEnvironment lengths = at.bound_ ? *at.bound_ : IndexEnvironment{};
      lengths.variables[node.variable] = n;
      at = Order(*store_, node.operands[0], std::make_shared<const IndexEnvironment>(std::move(lengths)));
      continue;
    }
    if (node.op == ScheduleOp::reference) {
      const auto definition = store_->definition(node.symbol);
      if (!definition) return {at, ScheduleProblem{ScheduleProblem::Kind::no_value}};
      at = Order(*store_, *definition);
      continue;
    }
    auto problem = store_->head_problem(node, node.parameter.valid() ? at.evaluate(node.parameter) : std::nullopt, n);
    // The stage is checked here, so that those who follow a `then` may rely on it.
    if (!problem && node.op == ScheduleOp::then) problem = at.operand(0).head(n).problem;
    return {std::move(at), problem};
  }
  return {at, ScheduleProblem{ScheduleProblem::Kind::endless}};
}

std::vector<std::int64_t> Order::signature() const {
  std::vector<std::int64_t> out;
  sign(out);
  return out;
}

void Order::sign(std::vector<std::int64_t>& out) const {
  const ScheduleNode& here = node();
  out.push_back(term_.index);
  if (here.parameter.valid()) {
    if (const auto value = evaluate(here.parameter)) {
      out.push_back(*value);
    } else {
      for (const auto& [variable, value] : lengths()) {
        if (!store_->indices().mentions(here.parameter, variable)) continue;
        out.push_back(variable.index);
        out.push_back(value);
      }
    }
  }
  for (std::size_t k = 0; k < node().operands.size(); ++k) operand(k).sign(out);
}

}  // namespace reckon::ir
