// Elements of buffers: where they are stored, and how they are read and written.
#include <algorithm>

#include "codegen/lower/circuits.h"
#include "diagnostics/codes/not_compilable.h"
#include "ir/index_stages.h"

namespace reckon::codegen {

using ir::IndexId;
using ir::NodeId;
using ir::Scalar;

const Place* Circuits::place_of(NodeId id) {
  Occurrence occurrence{id, {}};
  for (ir::VariableId variable : module_.free_variables(id)) {
    const Scope* scope = w_.binder(variable);
    if (!scope) return nullptr;
    const auto bound = std::find_if(scope->variables.begin(), scope->variables.end(),
                                    [&](const Scope::Bound& candidate) { return candidate.variable == variable; });
    if (bound == scope->variables.end()) return nullptr;  // an operand
    occurrence.extents.push_back(bound->extent);
  }
  auto found = planned_.places.find(occurrence);
  return found == planned_.places.end() ? nullptr : &found->second;
}

Values Circuits::load_place(NodeId id, const Place& place, const std::vector<IndexId>& subscripts) {
  std::vector<IndexId> all;
  for (ir::VariableId variable : place.variables) all.push_back(module_.indices().variable(variable));
  all.insert(all.end(), subscripts.begin(), subscripts.end());
  Values values;
  const std::size_t count = scalars_of(module_, module_[id].type).size();
  if (auto kept = kept_value(place, count, all)) return *kept;
  for (std::size_t k = 0; k < count; ++k) values.push_back(load(place.buffer + static_cast<std::uint32_t>(k), all));
  return values;
}

IndexId Circuits::offset_of(const Buffer& buffer, const std::vector<IndexId>& subscripts) {
  if (!buffer.storage) return offset_of(buffer.extents, subscripts);
  const auto& [layout, stages, span] = *buffer.storage;
  std::vector<IndexId> coordinate;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    ir::split_index(module_.indices(), subscripts[d], layout.mode(d).shape, coordinate);
  }
  return ir::after_stages(module_.indices(), stages, ir::offset_at(module_.indices(), layout.stride, coordinate));
}

/// The row-major offset. A view's subscripts are digits of the number that is computed here, so they are rejoined.
IndexId Circuits::offset_of(const std::vector<IndexId>& extents, const std::vector<IndexId>& subscripts) {
  ir::IndexStore& indices = module_.indices();
  IndexId offset = indices.constant(0);
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    offset = indices.rejoined(indices.add(indices.multiply(offset, extents[k]), subscripts[k]));
  }
  return offset;
}

Value Circuits::load(std::uint32_t buffer, const std::vector<IndexId>& subscripts) {
  return load_at_offset(buffer, w_.index(offset_of(planned_.plan.buffers[buffer], subscripts)));
}

Value Circuits::load_at_offset(std::uint32_t buffer, Value offset) {
  const Buffer& description = planned_.plan.buffers[buffer];
  w_.resume();
  if (description.scalar == Scalar::number) {
    w_.fail(Diagnostic(code::not_compilable, {}, "a tensor of type `number` cannot be compiled"));
    return w_.i64(0);
  }
  return b_.load(w_.buffers()[buffer], offset, stream_);
}

Value Circuits::place_in(const Buffer& buffer, Value element) {
  if (!buffer.storage) return element;
  ir::IndexStore& indices = module_.indices();
  Scope scope;
  std::vector<IndexId> subscripts;
  for (std::size_t d = buffer.extents.size(); d-- > 0;) {
    Value extent = d == 0 ? nullptr : w_.index(buffer.extents[d]);
    const ir::VariableId variable = module_.fresh_variable();
    scope.variables.push_back({variable, buffer.extents[d], extent ? b_.urem(element, extent) : element});
    subscripts.insert(subscripts.begin(), indices.variable(variable));
    if (extent) element = b_.udiv(element, extent);
  }
  return w_.in_scope(scope, [&] { return Values{w_.index(offset_of(buffer, subscripts))}; })[0];
}

Value Circuits::place_in(const Buffer& buffer, const std::vector<Binder>& space) {
  std::vector<IndexId> subscripts;
  for (const Binder& binder : space) subscripts.push_back(module_.indices().variable(binder.variable));
  return w_.index(offset_of(buffer, subscripts));
}

void Circuits::store(std::uint32_t buffer, Value element, Value value) {
  store_at_offset(buffer, place_in(planned_.plan.buffers[buffer], element), value);
}

void Circuits::store_at_offset(std::uint32_t buffer, Value offset, Value value) {
  if (!w_.failed()) b_.store(w_.buffers()[buffer], offset, value);
}

std::optional<Values> Circuits::kept_value(const Place& place, std::size_t parts,
                                           const std::vector<ir::IndexId>& subscripts) {
  const auto found = kept_.find(place.buffer);
  const KeptValues::Kept* kept = found.first;
  if (!kept) return std::nullopt;
  const std::size_t part = place.buffer - found.second;
  if (!kept->value.empty()) {
    if (part + parts > kept->value.size()) return std::nullopt;
    return Values(kept->value.begin() + part, kept->value.begin() + part + parts);
  }
  if (part != 0) return std::nullopt;
  Value position = w_.index(subscripts.back());
  if (kept->array || !kept->of_slot.empty()) return kept_.row_element(*kept, position);
  if (!kept->step) return std::nullopt;
  Scope scope;
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    const Binder& binder = kept->step->space[k];
    scope.variables.push_back({binder.variable, binder.extent, w_.index(subscripts[k])});
  }
  KeptValues::Reads of_reader = kept_.exchange_reads(kept->reads);
  const Values values = w_.in_scope(scope, [&] { return Values{scalar(kept->step->node)}; });
  kept_.exchange_reads(std::move(of_reader));
  return values;
}

}  // namespace reckon::codegen
