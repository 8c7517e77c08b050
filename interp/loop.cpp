// Loops: the state of a loop is computed whole, round by round, in a frame for each round.
#include "interp/evaluator.h"
#include "ir/op.h"

namespace reckon::interp {

namespace {

IndexColumn same_for_all(const Frame& frame, std::int64_t value) {
  IndexColumn out;
  out.base = value;
  out.strides.assign(frame.dims.size(), 0);
  return out;
}

}  // namespace

/// The last state of a loop whose home, `frame`, is whole.
bool Evaluator::loop(Frame& frame, ir::NodeId id, std::vector<Tensor>& out) {
  const ir::Node& node = module_[id];
  IndexColumn rounds;
  if (!index_column(frame, node.indices[0], id, rounds) || !parts_of(frame, node.operands[1], out)) return false;
  const std::int64_t count = rounds.strided ? rounds.base : rounds.values.front();
  for (std::int64_t k = 0; k < count; ++k) {
    Frame round;
    round.init_round(frame);
    round.bind_index(node.variables[0], same_for_all(round, k));
    round.bind_operand(node.variables[1], {});
    round.state = std::move(out);
    out.clear();
    if (!parts_of(round, node.operands[0], out)) return false;
  }
  return true;
}

/// One element of `home` alone, in a frame that has values of its own for the free variables of the node.
bool Evaluator::open_alone(Frame& home, ir::NodeId id, std::int64_t element, Frame& out) {
  out.init_choice(home, {element});
  out.whole = true;
  for (const ir::VariableId variable : module_.free_variables(id)) {
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
      for (const Column& column : columns) alone.push_back(gathered(*this, column, {there}));
      out.bind_operand(variable, std::move(alone));
    }
  }
  return true;
}

/// The last states of a loop for each element of its home: element i for the home's element h is entry i * size + h.
bool Evaluator::loop_table(Frame& home, ir::NodeId id, Columns& out) {
  const std::vector<ir::Scalar> scalars = component_scalars(module_[id].type);
  std::vector<Columns> parts(scalars.size());
  for (std::int64_t h = 0; h < home.size; ++h) {
    Frame alone;
    std::vector<Tensor> tensors;
    if (!open_alone(home, id, h, alone) || !loop(alone, id, tensors)) return false;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::int64_t count = tensors[k]->count();
      if (parts[k].empty()) parts[k].push_back(column(scalars[k], count * home.size));
      for (std::int64_t i = 0; i < count; ++i) {
        copy_values(semantics_, scalars[k], tensors[k]->at(i),
                    parts[k][0].writable() + static_cast<std::size_t>(i * home.size + h) * semantics_.size(scalars[k]), 1);
      }
    }
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    out.push_back(parts[k].empty() ? column(scalars[k], 0) : std::move(parts[k][0]));
  }
  return true;
}

}  // namespace reckon::interp
