// Reductions over rows and what is computed from them, in one pass over memory: a block has a row, and what one step
// makes of it stays in the block. Where the row's length is known, the same elements of it are a thread's in every step
// (slots), and it keeps them in shared memory or in registers; where not, elements that later steps read are computed
// where they are read.
#include <algorithm>

#include "codegen/lower/team/team.h"
#include "codegen/place/place.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {


namespace {

/// Elements of a row that a thread computes without a branch between them.
constexpr std::size_t side_by_side = 8;
constexpr std::size_t side_by_side_in_rounds = 4;

}  // namespace

void Lowering::lower_rows(const KernelBody& body, Kernel& kernel, Team& team) {
  locals_.clear();
  slots_ = slots_of_row(body, team);
  team.set_slots(slots_.empty() ? nullptr : &slots_);
  const RowArrays& arrays = body.row_arrays;
  for (std::uint32_t k = 0; k < arrays.count; ++k) {
    const std::int64_t bytes = body.row_slots * team.threads() * arrays.element_bytes;
    arrays_.push_back({team.shared_bytes(bytes), bytes});
  }
  team.keep_shared();
  const auto row = [&](Value item) {
    std::vector<Value> coordinates;
    for (const Binder& binder : body.space) coordinates.push_back(index(module_.indices().variable(binder.variable)));
    stage_row(body, coordinates);
    for (std::size_t number = 0; number < body.steps.size(); ++number) {
      const KernelBody& step = body.steps[number];
      row_inputs_.clear();
      for (std::size_t k = 0; k < arrays.inputs.size(); ++k) {
        for (const auto& [reader, element] : arrays.inputs[k].reads) {
          if (reader == number) row_inputs_[element] = &staged_[k];
        }
      }
      // Variables of different steps may have one name.
      Scope scope;
      for (std::size_t k = 0; k < coordinates.size(); ++k) {
        scope.variables.push_back({step.space[k].variable, step.space[k].extent, coordinates[k]});
      }
      in_scope(scope, [&] {
        lower_step(body, number, item, team);
        return Values{};
      });
    }
  };
  // A loop over rows would need addresses in registers that the row itself takes.
  if (body.row_slots > 0) {
    one_of_a_block(kernel, [&](Value item) {
      bind_item(body, kernel, item);
      row(item);
    });
  } else {
    ptx_items(body, kernel, [&](Value item, Value) {
      row(item);
      team.before_writing();
    });
  }
  locals_.clear();
  slots_.clear();
  arrays_.clear();
  staged_.clear();
  row_inputs_.clear();
}

/// Every thread reads its elements of the parameters that several steps read, once.
void Lowering::stage_row(const KernelBody& body, std::span<const Value> coordinates) {
  staged_.clear();
  const bool writes_rows = std::ranges::any_of(body.steps, [&](const KernelBody& step) {
    return step.written && step.kind == KernelBody::Kind::elements && step.space.size() > body.space.size();
  });
  if (writes_rows && has_policies()) stream_ = Stream::beside_results;
  for (const RowArrays::Input& input : body.row_arrays.inputs) {
    const auto& [number, element] = input.reads.front();
    const KernelBody& step = body.steps[number];
    const bool folds = step.kind == KernelBody::Kind::fold;
    const ir::Node& node = module_[step.node];
    const Binder inner = folds ? Binder{node.variables[0], node.indices[0]} : step.space.back();
    const ir::Scalar type = module_.type(element).scalar;
    Local& row = staged_.emplace_back();
    for (Value position : slots_) {
      Scope scope;
      for (std::size_t k = 0; k < coordinates.size(); ++k) {
        scope.variables.push_back({step.space[k].variable, step.space[k].extent, coordinates[k]});
      }
      scope.variables.push_back({inner.variable, inner.extent, position});
      row.of_slot.push_back(in_scope(scope, [&] { return Values{scalar(element)}; }));
    }
    if (arrays_.empty()) continue;
    row.array = array_of(input.array, type);
    for (std::size_t k = 0; k < slots_.size(); ++k) b_.store(row.array, slots_[k], row.of_slot[k][0]);
  }
  stream_ = Stream::none;
}

const Lowering::Local* Lowering::row_input(ir::NodeId element) const {
  const auto found = row_inputs_.find(element);
  return found == row_inputs_.end() ? nullptr : found->second;
}

Value Lowering::array_of(std::uint32_t number, ir::Scalar scalar) {
  return b_.shared(arrays_[number].offset, arrays_[number].bytes, Type::number(scalar));
}

Values Lowering::row_element(const Local& row, Value position) {
  if (row.array) {
    settle();
    return {b_.load(row.array, position)};
  }
  const auto slot = std::find(slots_.begin(), slots_.end(), position);
  if (slot != slots_.end()) return row.of_slot[static_cast<std::size_t>(slot - slots_.begin())];
  fail(Diagnostic(Code::internal, {}, "an element of a row is not the thread's own"));
  return row.of_slot[0];
}

/// Null: none of the elements can be.
Value Lowering::may_be_wrong(const Unusual& unusual) {
  Value any = nullptr;
  for (const auto& [prepared, sizes] : unusual.divisors) {
    Value one = b_.may_be_wrong(prepared, sizes);
    any = !any ? one : b_.bit_or(any, one);
  }
  return any;
}

/// Those at the positions: in a quick way, and all of them again if one of them needs it. Without branches between them
/// they hide each other's latency.
Values Lowering::elements_of_step(std::span<const Value> positions, FunctionRef<Values(Value)> element) {
  const auto all = [&] {
    Values values;
    for (Value position : positions) values.push_back(element(position)[0]);
    return values;
  };
  Unusual unusual;
  unusual_ = &unusual;
  const Values values = all();
  unusual.again = true;
  Value wrong = may_be_wrong(unusual);
  const Values result = !wrong ? values : branch(wrong, all, [&] { return values; });
  unusual_ = nullptr;
  return result;
}

/// The thread's elements, which only memory keeps: all in a quick way, and if one of them needs it, all over again in a
/// loop: a second way for every few of them would be a tenth of softmax's code.
void Lowering::write_elements(const KernelBody& rows, std::size_t number, FunctionRef<Values(Value)> element,
                              FunctionRef<void(Value position, Value)> write) {
  const auto write_all = [&](std::span<const Value> positions) {
    Values values;
    for (Value position : positions) values.push_back(element(position)[0]);
    for (std::size_t k = 0; k < values.size(); ++k) write(positions[k], values[k]);
  };
  Unusual unusual;
  unusual_ = &unusual;
  const std::vector<Value> slots = slots_;
  for (std::size_t first = 0; first < slots.size(); first += side_by_side) {
    write_all(std::span<const Value>(slots).subspan(first, side_by_side));
  }
  unusual.again = true;
  if (Value wrong = may_be_wrong(unusual)) {
    when(wrong, [&] { rows_go_round(rows, number, side_by_side_in_rounds, write_all); });
  }
  unusual_ = nullptr;
}

void Lowering::lower_step(const KernelBody& rows, std::size_t number, Value item, Team& team) {
  const KernelBody& step = rows.steps[number];
  Local& local = locals_[step.output];
  auto keep_value = [&](const Values& values) {
    local.value = values;
    if (step.written) store_by_first(team, step.output, item, values);
  };
  if (step.kind == KernelBody::Kind::fold) {
    keep_value(block_fold(step, team));
    return;
  }
  if (step.space.size() == rows.space.size()) {
    keep_value(emit(step.node));
    return;
  }
  const Binder& inner = step.space.back();
  Value row_start = b_.mul(item, index(inner.extent));
  auto at_position = [&](Value position, FunctionRef<Value()> value) {
    Scope scope;
    scope.variables.push_back({inner.variable, inner.extent, position});
    return in_scope(scope, [&] { return Values{value()}; });
  };
  auto element = [&](Value position) {
    return at_position(position, [&] {
      if (unusual_ != nullptr) unusual_->element = scope_;
      return scalar(step.node);
    });
  };
  const Buffer& output = planned_.plan.buffers[step.output];
  auto keep_element = [&](Value position, Value value) {
    Value place = output.storage ? at_position(position, [&] { return place_in(output, step.space); })[0]
                                  : b_.add(row_start, position);
    store_at_offset(step.output, place, value);
  };
  const auto some_elements = [&](std::span<const Value> some) {
    const Values values = elements_of_step(some, element);
    for (std::size_t k = 0; k < some.size() && step.written; ++k) keep_element(some[k], values[k]);
    return values;
  };
  if (!arrays_.empty()) {
    const auto array = rows.row_arrays.of_step.find(step.output);
    const bool kept = array != rows.row_arrays.of_step.end();
    local.array = kept ? array_of(array->second, module_.type(step.node).scalar) : nullptr;
    elements_in_rounds(side_by_side_in_rounds, {}, [&](std::span<const Value> some, const Values&) {
      const Values values = some_elements(some);
      for (std::size_t k = 0; k < some.size() && kept; ++k) b_.store(local.array, some[k], values[k]);
      return Values{};
    });
    return;
  }
  if (!slots_.empty()) {
    const bool kept = !rows.row_arrays.known || rows.row_arrays.readers.contains(step.output);
    if (step.written && !kept && slots_.size() % side_by_side == 0) {
      write_elements(rows, number, element, keep_element);
      return;
    }
    for (std::size_t first = 0; first < slots_.size(); first += side_by_side) {
      const auto some =
          std::span<const Value>(slots_).subspan(first, std::min(side_by_side, slots_.size() - first));
      for (Value value : some_elements(some)) local.of_slot.push_back({value});
    }
    return;
  }
  local.step = &step;
  if (!step.written) return;
  Value length = index(inner.extent);
  const auto fixed = known(length);
  const std::int64_t width = fixed && *fixed % 4 == 0 ? 4 : 1;
  Value first = b_.mul(team.thread(), i64(width), Fits::always);
  when(b_.less(first, length), [&] {
    loop(first, length, i64(team.threads() * width), {}, [&](Value position, const Values&) {
      std::vector<Values> values;
      for (std::int64_t k = 0; k < width; ++k) values.push_back(element(add(position, i64(k))));
      for (std::int64_t k = 0; k < width; ++k) {
        keep_element(add(position, i64(k)), values[static_cast<std::size_t>(k)][0]);
      }
      return Values{};
    });
  });
}

/// The positions of a row that folds deal out to a thread, if that is the same for all of them, and few enough.
std::vector<Value> Lowering::slots_of_row(const KernelBody& body, const Team& team) {
  if (body.row_slots == 0) return {};
  const std::int64_t vector = body.row_vector, superrows = body.row_slots / vector;
  Value vectors = b_.add(b_.mul(team.warp_number(), i64(superrows * warp), Fits::always), team.lane(),
                         Fits::always);
  Value first = b_.mul(vectors, i64(vector), Fits::always);
  std::vector<Value> slots;
  for (std::int64_t row = 0; row < superrows; ++row) {
    for (std::int64_t k = 0; k < vector; ++k) slots.push_back(add(first, i64(row * vector * warp + k)));
  }
  return slots;
}

/// Are there elements of an earlier step among what it folds that are kept nowhere, and much code each?
bool Lowering::computes_elements_anew(const KernelBody& fold) const {
  const auto is_long = [&](ir::NodeId id) {
    return ir::is_elementary(module_[id].op) || module_[id].op == ir::Op::div;
  };
  return std::ranges::any_of(locals_, [&](const auto& local) {
    const KernelBody* step = local.second.step;
    const auto is_step = [&](ir::NodeId id) { return id == step->node; };
    return step != nullptr && ir::find_node(module_, {step->node}, is_long) &&
           ir::find_node(module_, {fold.node}, is_step);
  });
}

std::optional<Values> Lowering::local_value(const Place& place, std::size_t parts,
                                            const std::vector<ir::IndexId>& subscripts) {
  if (locals_.empty()) return std::nullopt;
  // A part of a tuple has a buffer after the first one.
  auto found = locals_.upper_bound(place.buffer);
  if (found == locals_.begin()) return std::nullopt;
  --found;
  const Local& local = found->second;
  const std::size_t part = place.buffer - found->first;
  if (!local.value.empty()) {
    if (part + parts > local.value.size()) return std::nullopt;
    return Values(local.value.begin() + part, local.value.begin() + part + parts);
  }
  if (part != 0) return std::nullopt;
  Value position = index(subscripts.back());
  if (local.array || !local.of_slot.empty()) {
    return row_element(local, position);
  }
  if (!local.step) return std::nullopt;
  Scope scope;
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    const Binder& binder = local.step->space[k];
    scope.variables.push_back({binder.variable, binder.extent, index(subscripts[k])});
  }
  return in_scope(scope, [&] { return Values{scalar(local.step->node)}; });
}

}  // namespace reckon::codegen
