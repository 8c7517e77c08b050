#include "interp/rounds.h"

#include "ir/op.h"

namespace reckon::interp {

bool Rounds::last_state(Frame& frame, std::vector<Tensor>& out) {
  const ir::Node& node = evaluator_.module()[loop_];
  IndexColumn rounds;
  if (!evaluator_.index_column(frame, node.indices[0], loop_, rounds)) return false;
  if (!evaluator_.parts_of(frame, node.operands[1], out)) return false;
  const std::int64_t count = rounds.strided ? rounds.base : rounds.values.front();
  for (std::int64_t k = 0; k < count; ++k) {
    Frame round;
    round.init_round(frame);
    round.bind_index(node.variables[0], same_for_all(round, k));
    round.bind_operand(node.variables[1], {});
    round.state = std::move(out);
    out.clear();
    if (!evaluator_.parts_of(round, node.operands[0], out)) return false;
  }
  return true;
}

/// One element of `home` alone, in a frame that has values of its own for the free variables of the loop.
void Rounds::open_alone(Frame& home, std::int64_t element, Frame& out) {
  out.init_choice(home, {element});
  out.whole = true;
  for (const ir::VariableId variable : evaluator_.module().free_variables(loop_)) {
    Frame* frame = &home;
    while (!frame->introduces(variable)) frame = frame->parent;
    if (frame->whole) continue;  // the state of a loop around
    const auto elements = home.elements_of(*frame);
    const std::int64_t there = elements ? (*elements)[static_cast<std::size_t>(element)] : element;
    for (const auto& [bound, column] : frame->indices) {
      if (bound != variable) continue;
      std::vector<std::int64_t> values(static_cast<std::size_t>(frame->size));
      write_out(column, frame->dims, frame->size, values.data());
      out.bind_index(variable, same_for_all(out, values[static_cast<std::size_t>(there)]));
    }
    for (const auto& [bound, columns] : frame->operands) {
      if (bound != variable) continue;
      Columns alone;
      for (const Column& column : columns) alone.push_back(gathered(evaluator_, column, {there}));
      out.bind_operand(variable, std::move(alone));
    }
  }
}

bool Rounds::last_states(Frame& home, Columns& out) {
  const Semantics& semantics = evaluator_.semantics();
  const std::vector<ir::Scalar> scalars = evaluator_.component_scalars(evaluator_.module()[loop_].type);
  std::vector<Columns> parts(scalars.size());
  for (std::int64_t h = 0; h < home.size; ++h) {
    Frame alone;
    std::vector<Tensor> tensors;
    open_alone(home, h, alone);
    if (!last_state(alone, tensors)) return false;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::int64_t count = tensors[k]->count();
      if (parts[k].empty()) parts[k].push_back(evaluator_.column(scalars[k], count * home.size));
      for (std::int64_t i = 0; i < count; ++i) {
        copy_values(semantics, scalars[k], tensors[k]->at(i),
                    parts[k][0].writable() + static_cast<std::size_t>(i * home.size + h) * semantics.size(scalars[k]),
                    1);
      }
    }
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    out.push_back(parts[k].empty() ? evaluator_.column(scalars[k], 0) : std::move(parts[k][0]));
  }
  return true;
}

}  // namespace reckon::interp
