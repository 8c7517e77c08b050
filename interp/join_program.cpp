#include "interp/join_program.h"

#include <algorithm>
#include <unordered_map>

#include "ir/op.h"

namespace reckon::interp {

std::unique_ptr<JoinProgram> JoinProgram::make(Evaluator& evaluator, Frame& around, ir::NodeId operation,
                                               ir::VariableId left, ir::VariableId right) {
  std::unique_ptr<JoinProgram> out(new JoinProgram(evaluator));
  if (!out->build(around, operation, left, right)) return nullptr;
  return out;
}

bool JoinProgram::build(Frame& around, ir::NodeId operation, ir::VariableId left, ir::VariableId right) {
  const ir::Module& module = evaluator_.module();
  Frame frame;  // a frame like one in which a join would be computed
  frame.init_tile(around, 1);
  frame.bind_operand(left, {});
  frame.bind_operand(right, {});
  if (!frame.owns(module, operation)) return false;

  std::unordered_map<ir::NodeId, std::vector<std::size_t>> slots;  // of the parts of each node
  const auto new_slots = [&](ir::TypeId type) {
    std::vector<std::size_t> out;
    for (const ir::Scalar scalar : evaluator_.component_scalars(type)) {
      out.push_back(slots_.size());
      slots_.push_back({.scalar = scalar, .data = nullptr, .buffer = {}, .tensor = {}});
    }
    return out;
  };
  const ir::TypeId state = module[operation].type;
  const std::vector<std::size_t> of_left = new_slots(state), of_right = new_slots(state);
  left_parts_ = of_left.size();
  right_parts_ = of_right.size();
  const auto slots_of = [&](ir::NodeId id) -> const std::vector<std::size_t>* {
    if (const auto found = slots.find(id); found != slots.end()) return &found->second;
    if (module[id].op != ir::Op::literal) return nullptr;
    const auto made = slots.emplace(id, new_slots(module[id].type)).first;
    numbers_.emplace_back(made->second.front(), id);
    return &made->second;
  };
  for (const Plan::Step& planned : evaluator_.planner().plan(frame, {operation}).steps) {
    const ir::Node& node = module[planned.node];
    if (node.op == ir::Op::operand) {
      if (node.type != state) return false;
      slots[planned.node] = node.variables[0] == left ? of_left : of_right;
      continue;
    }
    std::vector<const std::vector<std::size_t>*> operands;
    for (const ir::NodeId operand : node.operands) {
      operands.push_back(slots_of(operand));
      if (operands.back() == nullptr) return false;
    }
    if (node.op == ir::Op::tuple) {
      std::vector<std::size_t> all;
      for (const auto* part : operands) all.insert(all.end(), part->begin(), part->end());
      slots[planned.node] = std::move(all);
      continue;
    }
    if (node.op == ir::Op::get) {
      const auto& parts = module.type(node.operands[0]).parts;
      std::size_t first = 0;
      for (std::uint32_t k = 0; k < node.attribute; ++k) first += evaluator_.component_scalars(parts[k]).size();
      const std::size_t length = evaluator_.component_scalars(parts[node.attribute]).size();
      const auto begin = operands[0]->begin() + static_cast<std::ptrdiff_t>(first);
      slots[planned.node] = std::vector<std::size_t>(begin, begin + static_cast<std::ptrdiff_t>(length));
      continue;
    }
    if (!ir::is_scalar_operation(node.op)) return false;
    Step step{.node = planned.node, .op = node.op, .to = module.type(planned.node).scalar, .arity = operands.size()};
    for (std::size_t k = 0; k < operands.size(); ++k) step.operands[k] = operands[k]->front();
    step.from = node.op == ir::Op::select ? step.to : slots_[step.operands[0]].scalar;
    slots[planned.node] = new_slots(node.type);
    step.out = slots[planned.node].front();
    steps_.push_back(step);
  }
  results_ = slots.at(operation);
  for (Step& step : steps_) step.is_result = std::ranges::find(results_, step.out) != results_.end();
  return true;
}

/// Fills the slots of literals with `count` copies, and gives the steps' slots room for as many values.
bool JoinProgram::hold_numbers(std::int64_t count) {
  capacity_ = count;
  Semantics& semantics = evaluator_.semantics();
  for (const auto& [slot, node] : numbers_) {
    Column& column = slots_[slot];
    column = evaluator_.column(column.scalar, count);
    if (!evaluator_.check(node,
                          semantics.literal(evaluator_.module().literal_of(node), column.scalar, column.writable())))
      return false;
    const std::vector<std::int64_t> first(static_cast<std::size_t>(count), 0);
    semantics.gather(column.scalar, column.data, first.data(), column.writable(), first.size());
  }
  for (const Step& step : steps_) slots_[step.out] = evaluator_.column(slots_[step.out].scalar, count);
  return true;
}

bool JoinProgram::run(const Columns& left, const Columns& right, std::int64_t count, Columns& out) {
  if (count > capacity_ && !hold_numbers(count)) return false;
  for (std::size_t k = 0; k < left_parts_; ++k) slots_[k].data = left[k].data;
  for (std::size_t k = 0; k < right_parts_; ++k) slots_[left_parts_ + k].data = right[k].data;
  Semantics& semantics = evaluator_.semantics();
  for (const Step& step : steps_) {
    Column& to = slots_[step.out];
    if (step.is_result) to = evaluator_.column(to.scalar, count);  // a result column passes to the caller
    Rows rows[3];
    for (std::size_t k = 0; k < step.arity; ++k) {
      rows[k] = {slots_[step.operands[k]].data, static_cast<std::ptrdiff_t>(count)};
    }
    if (!evaluator_.check(step.node, semantics.apply(step.op, step.from, step.to, rows, to.writable(), count, 1,
                                                     static_cast<std::size_t>(count)))) {
      return false;
    }
  }
  out.clear();
  for (const std::size_t slot : results_) {
    out.push_back(slot < left_parts_                  ? left[slot]
                  : slot < left_parts_ + right_parts_ ? right[slot - left_parts_]
                                                      : slots_[slot]);
  }
  return true;
}

}  // namespace reckon::interp
