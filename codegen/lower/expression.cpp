#include <algorithm>

#include "codegen/lower/lowering.h"
#include "ir/index_stages.h"
#include "ir/op.h"

namespace reckon::codegen {

using ir::IndexId;
using ir::Node;
using ir::NodeId;
using ir::Op;
using ir::Scalar;

/// The scope in which something with these free variables is emitted.
Scope* Lowering::owner(const std::vector<ir::VariableId>& free) {
  Scope* scope = scope_;
  while (scope->parent && !scope->guard &&
         std::none_of(free.begin(), free.end(), [&](ir::VariableId variable) { return scope->binds(variable); })) {
    scope = scope->parent;
  }
  return scope;
}

/// The value of a node where it is already known, and may be used here.
const Values* Lowering::cached(NodeId id) const {
  const auto& free = module_.free_variables(id);
  for (const Scope* scope = scope_; scope; scope = scope->parent) {
    if (auto found = scope->nodes.find(id); found != scope->nodes.end()) return &found->second;
    // Beyond the scope that binds its variables a node of this id would be another.
    if (std::any_of(free.begin(), free.end(), [&](ir::VariableId variable) { return scope->binds(variable); })) break;
  }
  return nullptr;
}

Values Lowering::emit(NodeId id) {
  if (!ir::is_scalar_operation(module_[id].op)) return emit_new(id);
  // Operands first and without recursion: a chain of additions may be thousands long.
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
  for (NodeId at : order) emit_new(at);
  return emit_new(id);
}

/// The quotient where many elements are divided by one number, and someone looks at `unusual_`; null otherwise.
Value Lowering::quick_quotient(const Node& node, const Values& operands) {
  if (node.op != Op::div || unusual_ == nullptr) return nullptr;
  Scope* inner = scope_;
  // What is noted must be known after the element: not within a branch, and not in a scope around it.
  for (const Scope* scope = inner; scope != unusual_->element; scope = scope->parent) {
    if (scope == nullptr || scope->guard) return nullptr;
  }
  Scope* outer = owner(module_.free_variables(node.operands[1]));
  if (outer == inner) return nullptr;
  if (!code_.divides_quickly(module_.type(node.operands[1]).scalar)) return nullptr;
  auto prepared = outer->divisors.find(node.operands[1]);
  if (prepared == outer->divisors.end()) {
    scope_ = outer;
    settle();
    prepared = outer->divisors.emplace(node.operands[1], b_.prepare_divisor(operands[1])).first;
    scope_ = inner;
    settle();
  }
  uses_fma_ = true;
  if (unusual_->again) return b_.divide_unusual(operands[0], operands[1]);
  const auto one = std::ranges::find(unusual_->divisors, prepared->second, &Unusual::Divisor::prepared);
  Unusual::Divisor& by =
      one != unusual_->divisors.end() ? *one : unusual_->divisors.emplace_back(Unusual::Divisor{prepared->second, {}});
  const auto [quotient, sizes] = b_.divide_quick(operands[0], operands[1], prepared->second, by.sizes);
  by.sizes = sizes;
  return quotient;
}

/// Emits one node into the scope that owns it, unless it is there already.
Values Lowering::emit_new(NodeId id) {
  const std::vector<ir::VariableId> free = module_.free_variables(id);
  Scope* place = owner(free);
  if (const Values* found = cached(id)) return *found;
  Scope* inner = scope_;
  scope_ = place;
  settle();
  const Node node = module_[id];
  Values values;
  switch (node.op) {
    case Op::literal: {
      const Scalar type = module_.type(id).scalar;
      if (code_.has_literal(module_.literal_of(id), type)) {
        values = {b_.literal(module_.literal_of(id), type)};
      } else if (ir::is_float(type)) {
        fail(code_.no_literal(module_.literal_of(id), type, module_.span(id)));
        values = undefined(id);
      } else {
        fail(id, "a value of type `number`");
        values = undefined(id);
      }
      break;
    }
    case Op::parameter: values = {load(node.attribute, {})}; break;
    case Op::index_value:
      if (module_.type(id).scalar == Scalar::number) {
        fail(id, "a value of type `number`");
        values = undefined(id);
      } else {
        values = {b_.from_index(module_.type(id).scalar, index(node.indices[0]))};
      }
      break;
    case Op::index_condition:
      values = {b_.from_flag(b_.not_equal(index(node.indices[0]), i64(0)))};
      break;
    case Op::operand:
      // Outside of this scope, if it is a guarded region inside the operation.
      for (const Scope* scope = scope_; scope && values.empty(); scope = scope->parent) {
        for (const auto& [variable, bound] : scope->operands) {
          if (variable == node.variables[0]) values = bound;
        }
      }
      if (values.empty()) {
        fail(Diagnostic(Code::internal, module_.span(id), "an operand has no value here"));
        values = undefined(id);
      }
      break;
    case Op::tuple:
      for (NodeId operand : node.operands) {
        const Values part = emit(operand);
        values.append(part.begin(), part.end());
      }
      break;
    case Op::get: {
      const Values whole = emit(node.operands[0]);
      const PartRange range = part_range(module_, module_[node.operands[0]].type, node.attribute);
      values.append(whole.begin() + range.first, whole.begin() + range.first + range.count);
      break;
    }
    case Op::element: values = emit_element(id, node); break;
    case Op::source:
      if (const Place* kept = place_of(id)) values = load_place(id, *kept, {});
      break;
    case Op::reduce:
      if (const Place* kept = place_of(id)) {
        values = load_place(id, *kept, {});
      } else {
        values = emit_fold(site_of(id), index(node.indices[0]));
      }
      break;
    default: {
      Values operands;
      for (NodeId operand : node.operands) operands.push_back(emit_new(operand)[0]);
      settle();
      const Scalar to = module_.type(id).scalar;
      const Scalar from = node.op == Op::select ? to : module_.type(node.operands[0]).scalar;
      if (from == Scalar::number || to == Scalar::number) {
        fail(id, "a value of type `number`");
        values = undefined(id);
        break;
      }
      Value value = quick_quotient(node, operands);
      if (!value) value = b_.apply(node.op, from, to, operands, id);
      values = {value};
      note_fault(id, node.op, from, operands);
    }
  }
  if (values.empty()) {
    fail(id, "this expression");
    values = undefined(id);
  }
  place->nodes[id] = values;
  scope_ = inner;
  settle();
  return values;
}

Values Lowering::emit_element(NodeId id, const Node& node) {
  const NodeId tensor = node.operands[0];
  const Node whole = module_[tensor];
  if (whole.op == Op::parameter) {
    if (const Local* row = row_input(id)) {
      return row_element(*row, index(node.indices.back()));
    }
    const Stream before = stream_;
    if (has_policies() && read_once_.contains(id)) stream_ = Stream::once;
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
    const Values all = emit_fold(site_of(scan), b_.add(index(node.indices[0]), i64(1)));
    if (whole.op != Op::get) return all;
    return {all[part_range(module_, module_[scan].type, whole.attribute).first]};
  }
  fail(id, "an element of this tensor");
  return undefined(id);
}

/// An array whose elements depend on variables: written to the stack, and read back by index.
Value Lowering::emit_array_element(const Node& array, const std::vector<IndexId>& subscripts) {
  const ir::Type type = module_.types()[array.type];
  Values values;
  for (NodeId operand : array.operands) values.push_back(scalar(operand));
  Value offset = index(offset_of(type.extents, subscripts));
  if (auto fixed = known(offset)) return values[static_cast<std::size_t>(*fixed)];
  Value storage = stack_array(Type::number(type.scalar), static_cast<std::int64_t>(values.size()));
  for (std::size_t k = 0; k < values.size(); ++k) b_.store(storage, i64(static_cast<std::int64_t>(k)), values[k]);
  return b_.load(storage, offset);
}

const Place* Lowering::place_of(NodeId id) {
  Occurrence occurrence{id, {}};
  for (ir::VariableId variable : module_.free_variables(id)) {
    const Scope* scope = scope_;
    while (scope && !scope->binds(variable)) scope = scope->parent;
    if (!scope) return nullptr;
    const auto bound = std::find_if(scope->variables.begin(), scope->variables.end(),
                                    [&](const Scope::Bound& candidate) { return candidate.variable == variable; });
    if (bound == scope->variables.end()) return nullptr;  // an operand
    occurrence.extents.push_back(bound->extent);
  }
  auto found = planned_.places.find(occurrence);
  return found == planned_.places.end() ? nullptr : &found->second;
}

Values Lowering::load_place(NodeId id, const Place& place, const std::vector<IndexId>& subscripts) {
  std::vector<IndexId> all;
  for (ir::VariableId variable : place.variables) all.push_back(module_.indices().variable(variable));
  all.insert(all.end(), subscripts.begin(), subscripts.end());
  Values values;
  const std::size_t count = scalars_of(module_, module_[id].type).size();
  if (auto local = local_value(place, count, all)) return *local;
  for (std::size_t k = 0; k < count; ++k) values.push_back(load(place.buffer + static_cast<std::uint32_t>(k), all));
  return values;
}

/// Where an element of a buffer lies.
IndexId Lowering::offset_of(const Buffer& buffer, const std::vector<IndexId>& subscripts) {
  if (!buffer.storage) return offset_of(buffer.extents, subscripts);
  const auto& [layout, stages, span] = *buffer.storage;
  std::vector<IndexId> coordinate;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    ir::split_index(module_.indices(), subscripts[d], layout.mode(d).shape, coordinate);
  }
  return ir::after_stages(module_.indices(), stages, ir::offset_at(module_.indices(), layout.stride, coordinate));
}

/// Row-major; a view's subscripts are digits of the number that is wanted here.
IndexId Lowering::offset_of(const std::vector<IndexId>& extents, const std::vector<IndexId>& subscripts) {
  ir::IndexStore& indices = module_.indices();
  IndexId offset = indices.constant(0);
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    offset = indices.rejoined(indices.add(indices.multiply(offset, extents[k]), subscripts[k]));
  }
  return offset;
}

Value Lowering::load(std::uint32_t buffer, const std::vector<IndexId>& subscripts) {
  return load_at_offset(buffer, index(offset_of(planned_.plan.buffers[buffer], subscripts)));
}

Value Lowering::load_at_offset(std::uint32_t buffer, Value offset) {
  const Buffer& description = planned_.plan.buffers[buffer];
  settle();
  if (description.scalar == Scalar::number) {
    fail(Diagnostic(Code::not_compilable, {}, "a tensor of type `number` cannot be compiled"));
    return i64(0);
  }
  return b_.load(function_.buffers[buffer], offset, stream_);
}

Value Lowering::place_in(const Buffer& buffer, Value element) {
  if (!buffer.storage) return element;
  ir::IndexStore& indices = module_.indices();
  Scope scope;
  std::vector<IndexId> subscripts;
  for (std::size_t d = buffer.extents.size(); d-- > 0;) {
    Value extent = d == 0 ? nullptr : index(buffer.extents[d]);
    const ir::VariableId variable = module_.fresh_variable();
    scope.variables.push_back({variable, buffer.extents[d], extent ? b_.urem(element, extent) : element});
    subscripts.insert(subscripts.begin(), indices.variable(variable));
    if (extent) element = b_.udiv(element, extent);
  }
  return in_scope(scope, [&] { return Values{index(offset_of(buffer, subscripts))}; })[0];
}

Value Lowering::place_in(const Buffer& buffer, const std::vector<Binder>& space) {
  std::vector<IndexId> subscripts;
  for (const Binder& binder : space) subscripts.push_back(module_.indices().variable(binder.variable));
  return index(offset_of(buffer, subscripts));
}

void Lowering::store(std::uint32_t buffer, Value element, Value value) {
  store_at_offset(buffer, place_in(planned_.plan.buffers[buffer], element), value);
}

void Lowering::store_at_offset(std::uint32_t buffer, Value offset, Value value) {
  if (!error_) b_.store(function_.buffers[buffer], offset, value);
}

/// Something to go on with after a failure.
Values Lowering::undefined(NodeId id) {
  Values values;
  for (Scalar type : scalars_of(module_, module_[id].type)) values.push_back(b_.zero(Type::number(type)));
  return values;
}

void Lowering::fail(Diagnostic diagnostic) {
  if (!error_) error_ = std::move(diagnostic);
}

void Lowering::fail(NodeId id, const std::string& what) {
  Diagnostic diagnostic(Code::not_compilable, module_.span(id),
                        what + " is not available on `" + std::string(target_name()) + "` yet; the interpreter has it",
                        "cannot be compiled");
  if (!code_.help().empty()) diagnostic.helps.push_back(code_.help());
  fail(std::move(diagnostic));
}

}  // namespace reckon::codegen
