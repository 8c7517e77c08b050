// The nodes of circuits (circuits.h).
#include "codegen/lower/circuits.h"

#include <algorithm>
#include <set>

#include "codegen/lower/folds.h"
#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/internal.h"
#include "ir/op.h"
#include "ir/stated_range.h"

namespace reckon::codegen {

using ir::IndexId;
using ir::Node;
using ir::NodeId;
using ir::Op;
using ir::Scalar;

Circuits::Circuits(Writer& writer, KeptValues& kept, Folds& folds)
    : w_(writer),
      b_(writer.builder()),
      module_(writer.module()),
      planned_(writer.planned()),
      numbers_(writer.numbers()),
      kept_(kept),
      folds_(folds) {}

const Values* Circuits::cached(NodeId id) const {
  const auto& free = module_.free_variables(id);
  for (const Scope* scope = w_.scope(); scope; scope = scope->parent) {
    if (auto found = scope->nodes.find(id); found != scope->nodes.end()) return &found->second;
    // Beyond the scope that binds its variables, a node of this id would be another value.
    if (std::any_of(free.begin(), free.end(), [&](ir::VariableId variable) { return scope->binds(variable); })) break;
  }
  return nullptr;
}

Values Circuits::emit(NodeId id) {
  if (!ir::is_scalar_operation(module_[id].op)) return emit_new(id);
  // Operands are emitted first, and without recursion: a chain of additions may be thousands of operations long.
  std::vector<NodeId> order, pending{id};
  std::set<NodeId> seen;
  while (!pending.empty()) {
    const NodeId at = pending.back();
    pending.pop_back();
    if (!ir::is_scalar_operation(module_[at].op) || cached(at) || !seen.insert(at).second) continue;
    order.push_back(at);
    for (NodeId operand : module_[at].operands) pending.push_back(operand);
  }
  // Ids ascend from operands to users.
  std::sort(order.begin(), order.end());
  if (find_rounded(order)) {
    emit_in_stages(order);
  } else {
    for (NodeId at : order) emit_new(at);
  }
  return emit_new(id);
}

/// Emits one node into the scope that owns it, unless it is there already.
Values Circuits::emit_new(NodeId id) {
  const std::vector<ir::VariableId> free = module_.free_variables(id);
  Scope* place = w_.owner(free);
  if (const Values* found = cached(id)) return *found;
  Values values;
  w_.within(*place, [&] {
    const Node node = module_[id];
    const kernel::OriginGuard of_node(b_, id);
    values = emit_node(id, node);
    if (values.empty()) {
      w_.fail(id, "this expression");
      values = undefined(id);
    }
    place->nodes[id] = values;
  });
  return values;
}

/// The values of a node; empty if there is no code for it.
Values Circuits::emit_node(NodeId id, const Node& node) {
  switch (node.op) {
    case Op::literal: return emit_literal(id);
    case Op::parameter: return {load(node.attribute, {})};
    case Op::index_value: return emit_index_value(id, node);
    case Op::index_condition: return {b_.from_flag(b_.not_equal(w_.index(node.indices[0]), w_.i64(0)))};
    case Op::operand: return emit_operand(id, node);
    case Op::tuple: {
      Values values;
      for (NodeId operand : node.operands) values.append(emit(operand));
      return values;
    }
    case Op::get: {
      if (const Place* kept = place_of(id)) return load_place(id, *kept, {});
      const Values whole = emit(node.operands[0]);
      const PartRange range = part_range(module_, module_[node.operands[0]].type, node.attribute);
      return Values(whole.begin() + range.first, whole.begin() + range.first + range.count);
    }
    case Op::element: return emit_element(id, node);
    case Op::source:
      if (const Place* kept = place_of(id)) return load_place(id, *kept, {});
      return {};
    case Op::at: return emit_at(id, node);
    case Op::reduce:
      if (const Place* kept = place_of(id)) return load_place(id, *kept, {});
      return folds_.emit_fold(folds_.joins().site_of(id), w_.index(node.indices[0]));
    default: return emit_operation(id, node);
  }
}

Values Circuits::emit_literal(NodeId id) {
  const Scalar type = module_.type(id).scalar;
  if (numbers_.has_literal(module_.literal_of(id), type)) return {b_.literal(module_.literal_of(id), type)};
  if (ir::is_float(type)) w_.fail(numbers_.no_literal(module_.literal_of(id), type, module_.span(id)));
  else w_.fail(id, "a value of type `number`");
  return undefined(id);
}

Values Circuits::emit_index_value(NodeId id, const Node& node) {
  const Scalar type = module_.type(id).scalar;
  if (type != Scalar::number) return {b_.from_index(type, w_.index(node.indices[0]))};
  w_.fail(id, "a value of type `number`");
  return undefined(id);
}

/// The value of a join's operand: an outer scope has it if this scope is a guarded region inside the join.
Values Circuits::emit_operand(NodeId id, const Node& node) {
  for (const Scope* scope = w_.scope(); scope; scope = scope->parent) {
    for (const auto& [variable, bound] : scope->operands) {
      if (variable == node.variables[0] && !bound.empty()) return bound;
    }
  }
  w_.fail(Diagnostic(code::internal, module_.span(id), "an operand has no value here"));
  return undefined(id);
}

Values Circuits::emit_operation(NodeId id, const Node& node) {
  if (rounding_.contains(id)) return emit_rounded({id});
  Values operands;
  for (NodeId operand : node.operands) operands.push_back(emit_new(operand)[0]);
  w_.resume();
  const Scalar to = module_.type(id).scalar;
  const Scalar from = node.op == Op::select ? to : module_.type(node.operands[0]).scalar;
  if (from == Scalar::number || to == Scalar::number) {
    w_.fail(id, "a value of type `number`");
    return undefined(id);
  }
  Value value = divide_by_reciprocal(node, operands);
  if (!value) value = b_.apply(node.op, from, to, operands, id);
  record_fault(id, node.op, from, operands);
  return {value};
}

Values Circuits::emit_element(NodeId id, const Node& node) {
  const NodeId tensor = node.operands[0];
  const Node whole = module_[tensor];
  if (whole.op == Op::parameter) {
    if (const KeptValues::Kept* row = kept_.row_input(id)) {
      return kept_.row_element(*row, w_.index(node.indices.back()));
    }
    const Stream before = stream_;
    if (w_.has_policies() && single_use_reads_.contains(id)) stream_ = Stream::once;
    Value value = load(whole.attribute, node.indices);
    stream_ = before;
    return {value};
  }
  if (const Place* kept = place_of(tensor)) return load_place(tensor, *kept, node.indices);
  if (whole.op == Op::array) return {emit_array_element(whole, node.indices)};

  // A scan, or a part of one, that has no buffer: by definition, the reduction of leaves 0..j.
  const NodeId scan = whole.op == Op::get ? whole.operands[0] : tensor;
  if (module_[scan].op == Op::scan) {
    if (whole.op == Op::get) {
      if (const Place* kept = place_of(scan)) {
        Place part = *kept;
        part.buffer += static_cast<std::uint32_t>(part_range(module_, module_[scan].type, whole.attribute).first);
        return load_place(tensor, part, node.indices);
      }
    }
    const Values all = folds_.emit_fold(folds_.joins().site_of(scan), b_.add(w_.index(node.indices[0]), w_.i64(1)));
    if (whole.op != Op::get) return all;
    return {all[part_range(module_, module_[scan].type, whole.attribute).first]};
  }
  w_.fail(id, "an element of this tensor");
  return undefined(id);
}

/// A scalar with an index that is read from data, in a scope that gives the index to its variable. Where the index is
/// out of range the fault is recorded, and 0 stands for it: that element is there, unless the extent is 0.
Values Circuits::emit_at(NodeId id, const Node& node) {
  Value value = scalar(node.operands[1]);
  w_.resume();
  Value extent = w_.index(node.indices[0]);
  Value index =
      b_.bounded_index(value, extent, fault_number(id, [&] {
                         if (ir::states_range(module_, id)) {
                           return Diagnostic(code::index_out_of_range, module_.span(id),
                                             "an integer is outside of the stated range", "the range is stated here");
                         }
                         return Diagnostic(code::index_out_of_range, module_.span(id), "an index is out of range",
                                           "the index is read from data here");
                       }));
  const auto body = [&] {
    Scope scope;
    scope.variables.push_back({node.variables[0], node.indices[0], index});
    return w_.in_scope(scope, [&] { return emit(node.operands[0]); });
  };
  const auto known = w_.known(extent);
  if (known && *known > 0) return body();
  return w_.branch(b_.less(w_.i64(0), extent), body, [&] { return undefined(id); });
}

/// The element of an array that depends on variables: the array is written to the stack and read by index.
Value Circuits::emit_array_element(const Node& array, const std::vector<IndexId>& subscripts) {
  const ir::Type type = module_.types()[array.type];
  Values values;
  for (NodeId operand : array.operands) values.push_back(scalar(operand));
  Value offset = w_.index(offset_of(type.extents, subscripts));
  if (auto fixed = w_.known(offset)) return values[static_cast<std::size_t>(*fixed)];
  Value storage = w_.stack_array(Type::number(type.scalar), static_cast<std::int64_t>(values.size()));
  for (std::size_t k = 0; k < values.size(); ++k) b_.store(storage, w_.i64(static_cast<std::int64_t>(k)), values[k]);
  return b_.load(storage, offset);
}

/// Zeros in place of the node's values, so that lowering can go on after a failure.
Values Circuits::undefined(NodeId id) {
  Values values;
  for (Scalar type : scalars_of(module_, module_[id].type)) values.push_back(b_.zero(Type::number(type)));
  return values;
}

}  // namespace reckon::codegen
