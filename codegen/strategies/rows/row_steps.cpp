// Reductions over rows and what is computed from them, in one pass over memory: a block has a row, and the results of a
// step stay in the block. If the row's length is known, a thread has the same elements of the row in every step
// (slots), and keeps them in shared memory or in registers; if not, elements that later steps read are computed again
// where they are read.
#include "codegen/strategies/rows/row_steps.h"

#include <algorithm>

#include "codegen/place/place.h"

namespace reckon::codegen {

namespace {

/// Elements of a row that a thread computes without a branch between them.
constexpr std::size_t side_by_side = 8;
constexpr std::size_t side_by_side_in_rounds = 4;
/// The same of rows that are too long for that, where loads wait for main memory.
constexpr std::int64_t side_by_side_long = 8;
constexpr std::int64_t neighbours = 4;  ///< elements that one access reads or writes, where vectors are aligned

/// The inputs that a step reads, each with the element node that reads it.
std::vector<std::pair<ir::NodeId, std::size_t>> inputs_of_step(const RowArrays& arrays, std::size_t step) {
  std::vector<std::pair<ir::NodeId, std::size_t>> out;
  for (std::size_t k = 0; k < arrays.inputs.size(); ++k) {
    for (const auto& [reader, element] : arrays.inputs[k].reads) {
      if (reader == step) out.emplace_back(element, k);
    }
  }
  return out;
}

}  // namespace

RowSteps::RowSteps(Folds& folds, Items& items, KeptValues& kept, const KernelBody& body, const RowShares& shares,
                   Kernel& kernel, BlockReducer& reducer)
    : LoweringParts(folds, folds.joins()),
      items_(items),
      kept_(kept),
      body_(body),
      shares_(shares),
      kernel_(kernel),
      reducer_(reducer) {}

void RowSteps::lower() {
  kept_.clear();
  kept_.set_slots(slots_of_row());
  if (!kept_.slots().empty())
    reducer_.set_slots(&kept_.slots(), shares_.step, present_.empty() ? nullptr : &present_, shares_.ends_at);
  for (std::uint32_t k = 0; k < shares_.arrays.count; ++k) {
    const std::int64_t bytes = shares_.slots * reducer_.threads() * shares_.arrays.element_bytes;
    arrays_.push_back({reducer_.shared_bytes(bytes), bytes});
  }
  if (shares_.copies) {
    reducer_.reads_whole_vectors();
    for (const RowArrays::Input& input : shares_.arrays.inputs) {
      const std::int64_t bytes = *w_.known(w_.index(inner_of(input).extent)) * bytes_of_copy(input);
      arrays_.push_back({reducer_.shared_bytes_beside(bytes), bytes});
    }
  }
  reducer_.keep_shared_memory();
  // A loop over rows would need registers for addresses, which the row itself takes up.
  if (shares_.slots > 0) {
    items_.block_per_item(kernel_, [&](Value item) {
      items_.bind_item(body_, kernel_, item);
      lower_row(item);
    });
  } else {
    items_.of_ptx(body_, kernel_, [&](Value item, Value) {
      lower_row(item);
      if (shares_.copies) reducer_.reads_shared();
      reducer_.before_writing();
    });
  }
  kept_.clear();
}

void RowSteps::lower_row(Value item) {
  std::vector<Value> coordinates;
  for (const Binder& binder : body_.space) coordinates.push_back(w_.index(module_.indices().variable(binder.variable)));
  stage_row(coordinates);
  for (std::size_t number = 0; number < body_.steps.size(); ++number) {
    const KernelBody& step = body_.steps[number];
    kept_.begin_step(inputs_of_step(shares_.arrays, number));
    // Different steps may use the same variables.
    Scope scope;
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      scope.variables.push_back({step.space[k].variable, step.space[k].extent, coordinates[k]});
    }
    w_.in_scope(scope, [&] {
      lower_step(number, item);
      return Values{};
    });
  }
}

Binder RowSteps::inner_of(const RowArrays::Input& input) const {
  const KernelBody& step = body_.steps[input.reads.front().first];
  const ir::Node& node = module_[step.node];
  return step.kind == KernelBody::Kind::fold ? Binder{node.variables[0], node.indices[0]} : step.space.back();
}

std::int64_t RowSteps::bytes_of_copy(const RowArrays::Input& input) const {
  return w_.numbers().widths().of(module_.type(input.reads.front().second).scalar, kernel::Form::kept);
}

/// The element of the parameter at the position in the row.
Value RowSteps::element_of(const RowArrays::Input& input, std::span<const Value> coordinates, Value position) {
  const KernelBody& step = body_.steps[input.reads.front().first];
  const Binder inner = inner_of(input);
  Scope scope;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    scope.variables.push_back({step.space[k].variable, step.space[k].extent, coordinates[k]});
  }
  scope.variables.push_back({inner.variable, inner.extent, position});
  return w_.in_scope(scope, [&] { return Values{circuits_.scalar(input.reads.front().second)}; })[0];
}

/// Every thread reads its elements of the parameters that several steps read, once.
void RowSteps::stage_row(std::span<const Value> coordinates) {
  kept_.clear_inputs();
  const bool writes_rows = std::ranges::any_of(body_.steps, [&](const KernelBody& step) {
    return step.written && step.kind == KernelBody::Kind::elements && step.space.size() > body_.space.size();
  });
  if (writes_rows && w_.has_policies()) circuits_.set_stream(Stream::beside_results);
  const std::vector<Value>& slots = kept_.slots();
  for (const RowArrays::Input& input : shares_.arrays.inputs) {
    Kept& row = kept_.add_input();
    for (Value position : slots) row.of_slot.push_back({element_of(input, coordinates, position)});
    if (shares_.arrays.count == 0) continue;
    row.array = array_of(input.array, module_.type(input.reads.front().second).scalar);
    for (std::size_t k = 0; k < slots.size(); ++k) b_.store(row.array, slots[k], row.of_slot[k][0]);
  }
  if (shares_.copies) copy_row(coordinates);
  circuits_.set_stream(Stream::none);
}

/// The parameters that several steps read, copied to shared memory.
void RowSteps::copy_row(std::span<const Value> coordinates) {
  std::vector<Value> arrays;
  for (std::size_t k = 0; k < shares_.arrays.inputs.size(); ++k) {
    const ir::Scalar scalar = module_.type(shares_.arrays.inputs[k].reads.front().second).scalar;
    arrays.push_back(b_.shared(arrays_[k].offset, arrays_[k].bytes, Type::number(scalar), kernel::Form::kept));
  }
  Value length = w_.index(inner_of(shares_.arrays.inputs[0]).extent);
  const bool in_vectors = *w_.known(length) % neighbours == 0;
  // Four vectors, which are few bytes where elements are narrow.
  each_of_row(length, in_vectors ? neighbours : 1, in_vectors ? 4 : side_by_side_long,
              [&](std::span<const Value> positions) {
                std::vector<Values> read;
                for (Value position : positions) {
                  Values& of_position = read.emplace_back();
                  for (const RowArrays::Input& input : shares_.arrays.inputs) {
                    of_position.push_back(element_of(input, coordinates, position));
                  }
                }
                for (std::size_t p = 0; p < positions.size(); ++p) {
                  for (std::size_t k = 0; k < arrays.size(); ++k) b_.store(arrays[k], positions[p], read[p][k]);
                }
              });
  reducer_.barrier();
  for (std::size_t k = 0; k < arrays.size(); ++k) kept_.input(k).array = arrays[k];
}

Value RowSteps::array_of(std::uint32_t number, ir::Scalar scalar) {
  return b_.shared(arrays_[number].offset, arrays_[number].bytes, Type::number(scalar));
}

/// Computes the elements at the positions by the quick method, and all of them again if one may be wrong. There are no
/// branches between the elements, so that they hide each other's latency.
Values RowSteps::elements_of_step(std::span<const Value> positions, Element element) {
  const auto all = [&] {
    Values values;
    for (Value position : positions) values.push_back(element(position)[0]);
    return values;
  };
  return circuits_.quick_or_exact(all, all);
}

/// Computes the thread's elements of a step, which are only written to memory. All of them are computed by the quick
/// method, and if one may be wrong, all of them again in a loop: code of the exact method for each few elements would
/// be a tenth of softmax's code.
void RowSteps::write_elements(std::size_t number, Element element, Write write) {
  const auto write_all = [&](std::span<const Value> positions) {
    Values values;
    for (Value position : positions) values.push_back(element(position)[0]);
    for (std::size_t k = 0; k < values.size(); ++k) write(positions[k], values[k]);
  };
  QuickElements quick;
  circuits_.look_for_quick(&quick);
  const std::vector<Value> slots = kept_.slots();
  for (std::size_t first = 0; first < slots.size(); first += side_by_side) {
    write_all(std::span<const Value>(slots).subspan(first, side_by_side));
  }
  quick.again = true;
  if (Value wrong = circuits_.may_be_wrong(quick)) {
    w_.if_then(wrong, [&] { rows_go_round(number, side_by_side_in_rounds, write_all); });
  }
  circuits_.look_for_quick(nullptr);
}

void RowSteps::lower_step(std::size_t number, Value item) {
  const KernelBody& step = body_.steps[number];
  Kept& kept = kept_.of_step(step.output);
  auto keep_value = [&](const Values& values) {
    kept.value = values;
    if (step.written) reducer_.store_by_first(step.output, item, values);
  };
  if (step.kind == KernelBody::Kind::fold) {
    FoldSite site = joins_.site_of(step);
    if (kept_.computes_elements_anew(step)) site.cheap = site.light = false;
    keep_value(reducer_.fold_of_leaves(site, step.schedule));
    return;
  }
  if (step.space.size() == body_.space.size()) {
    keep_value(circuits_.emit(step.node));
    return;
  }
  const Binder& inner = step.space.back();
  Value row_start = b_.mul(item, w_.index(inner.extent));
  auto at_position = [&](Value position, FunctionRef<Value()> value) {
    Scope scope;
    scope.variables.push_back({inner.variable, inner.extent, position});
    return w_.in_scope(scope, [&] { return Values{value()}; });
  };
  auto element = [&](Value position) {
    return at_position(position, [&] {
      if (circuits_.quick() != nullptr) circuits_.quick()->element = w_.scope();
      return circuits_.scalar(step.node);
    });
  };
  const Buffer& output = planned_.plan.buffers[step.output];
  auto write = [&](Value position, Value value) {
    Value place = output.storage ? at_position(position, [&] { return circuits_.place_in(output, step.space); })[0]
                                 : b_.add(row_start, position);
    circuits_.store_at_offset(step.output, place, value);
  };
  lower_elements(number, kept, element, write);
}

/// The elements of a step, which are kept, or written, or both.
void RowSteps::lower_elements(std::size_t number, Kept& kept, Element element, Write write) {
  const KernelBody& step = body_.steps[number];
  const RowArrays& arrays = shares_.arrays;
  const auto some_elements = [&](std::span<const Value> some) {
    const Values values = elements_of_step(some, element);
    if (!step.written) return values;
    const auto first = static_cast<std::size_t>(some.data() - kept_.slots().data());
    each_present(arrays_.empty() ? first : 0, some.size(), [&](std::size_t begin) {
      const std::size_t end = std::min(some.size(), present_.empty() ? some.size() : begin + together());
      for (std::size_t k = begin; k < end; ++k) write(some[k], values[k]);
    });
    return values;
  };
  if (arrays.count > 0) {
    const auto array = arrays.of_step.find(step.output);
    const bool keeps = array != arrays.of_step.end();
    kept.array = keeps ? array_of(array->second, module_.type(step.node).scalar) : nullptr;
    elements_in_rounds(side_by_side_in_rounds, {}, [&](std::span<const Value> some, const Values&) {
      const Values values = some_elements(some);
      for (std::size_t k = 0; k < some.size() && keeps; ++k) b_.store(kept.array, some[k], values[k]);
      return Values{};
    });
    return;
  }
  const std::vector<Value>& slots = kept_.slots();
  if (slots.empty()) {
    kept.step = &step;
    kept.reads = kept_.reads();
    if (step.written) compute_row(step, element, write);
    return;
  }
  const bool keeps = !arrays.known || arrays.readers.contains(step.output);
  if (step.written && !keeps && slots.size() % side_by_side == 0 && present_.empty()) {
    write_elements(number, element, write);
    return;
  }
  for (std::size_t first = 0; first < slots.size(); first += side_by_side) {
    const auto some = std::span<const Value>(slots).subspan(first, std::min(side_by_side, slots.size() - first));
    for (Value value : some_elements(some)) kept.of_slot.push_back({value});
  }
}

/// All elements of a row that has no slots.
void RowSteps::compute_row(const KernelBody& step, Element element, Write write) {
  Value length = w_.index(step.space.back().extent);
  const auto fixed = w_.known(length);
  const std::int64_t width = fixed && *fixed % neighbours == 0 ? neighbours : 1;
  const bool is_light =
      joins_.is_light(step.node, step.space.back().variable) && !kept_.computes_elements_anew(step);
  each_of_row(length, width, is_light ? side_by_side_long / width : 1, [&](std::span<const Value> positions) {
    std::vector<Values> values;
    for (Value position : positions) values.push_back(element(position));
    for (std::size_t k = 0; k < positions.size(); ++k) write(positions[k], values[k][0]);
  });
}

/// All positions of a row, by all threads: each has `width` neighbours at a time, in `rounds` rounds together, whose
/// loads are under way together; then what is left, round by round.
void RowSteps::each_of_row(Value length, std::int64_t width, std::int64_t rounds,
                           FunctionRef<void(std::span<const Value> positions)> body) {
  const std::int64_t of_all = reducer_.threads() * width;
  const auto some = [&](Value first, std::int64_t count) {
    std::vector<Value> positions;
    for (std::int64_t round = 0; round < count; ++round) {
      for (std::int64_t k = 0; k < width; ++k) positions.push_back(w_.add(first, w_.i64(round * of_all + k)));
    }
    body(positions);
    return Values{};
  };
  Value first = b_.mul(reducer_.thread(), w_.i64(width), Fits::always);
  if (rounds > 1) {
    Value whole = b_.mul(b_.udiv(length, w_.i64(rounds * of_all)), w_.i64(rounds * of_all), Fits::always);
    w_.if_then(b_.greater(whole, w_.i64(0)), [&] {
      w_.loop(w_.i64(0), whole, w_.i64(rounds * of_all), {},
              [&](Value begin, const Values&) { return some(w_.add(begin, first), rounds); });
    });
    first = w_.add(whole, first);
  }
  w_.if_then(b_.less(first, length), [&] {
    w_.loop(first, length, w_.i64(of_all), {}, [&](Value position, const Values&) { return some(position, 1); });
  });
}

/// The position, or the row's last one, where it is absent; notes which.
Value RowSteps::within_row(Value position) {
  if (shares_.ends_at == 0) return position;
  Value end = w_.i64(shares_.ends_at);
  present_.push_back(b_.less(position, end));
  return w_.smaller(position, b_.sub(end, w_.i64(1)));
}

/// The positions of a row that folds assign to this thread; none if the slots are not fixed.
std::vector<Value> RowSteps::slots_of_row() {
  if (shares_.slots == 0) return {};
  const std::int64_t vector = shares_.vector, block_rows = shares_.slots / vector;
  // Places are counted in vectors, or in elements where these are apart.
  const std::int64_t unit = shares_.step > 1 ? 1 : vector, units = warp * vector / unit;
  Value of_thread =
      b_.add(b_.mul(reducer_.warp_number(), w_.i64(block_rows * units), Fits::always), reducer_.lane(), Fits::always);
  std::vector<Value> slots;
  const bool in_whole_vectors = shares_.step == 1 && shares_.ends_at % vector == 0;
  for (std::int64_t row = 0; row < block_rows; ++row) {
    Value number = w_.add(of_thread, w_.i64(row * units));
    if (!in_whole_vectors) {
      Value first = b_.mul(number, w_.i64(unit), Fits::always);
      for (std::int64_t k = 0; k < vector; ++k) slots.push_back(within_row(w_.add(first, w_.i64(k * shares_.step))));
      continue;
    }
    if (shares_.ends_at > 0) {
      Value all = w_.i64(shares_.ends_at / vector);
      present_.insert(present_.end(), static_cast<std::size_t>(vector), b_.less(number, all));
      number = w_.smaller(number, b_.sub(all, w_.i64(1)));
    }
    // The vector's width is multiplied in last, so that LLVM sees that vectors are aligned.
    Value first = b_.mul(number, w_.i64(vector), Fits::always);
    for (std::int64_t k = 0; k < vector; ++k) slots.push_back(w_.add(first, w_.i64(k)));
  }
  return slots;
}

void RowSteps::each_present(std::size_t first, std::size_t count, FunctionRef<void(std::size_t first)> body) {
  if (present_.empty()) {
    body(0);
    return;
  }
  for (std::size_t k = 0; k < count; k += together()) {
    w_.if_then(present_[first + k], [&] { body(k); });
  }
}

}  // namespace reckon::codegen
