#include "kernel/jam.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "kernel/builder.h"

namespace reckon::kernel {
namespace {

/// Which values of a loop's body differ from round to round.
class Dependence {
 public:
  Dependence(const Program& program, const Operation& loop) : program_(program) {
    differs_.insert(loop.regions[0].parameters[0].id);
    find_written(loop.regions[0]);
    do {
      changed_ = false;
      visit(loop.regions[0]);
    } while (changed_);
  }

  bool differs(Value value) const { return differs_.contains(value.id); }
  bool any_differs(const Values& values) const {
    return std::ranges::any_of(values, [&](Value value) { return differs(value); });
  }
  /// The arrays on the stack that rounds write.
  const Values& arrays() const { return arrays_; }
  bool is_array(Value memory) const { return std::ranges::find(arrays_, memory) != arrays_.end(); }
  /// Whether it depends on the round how often, or in which way, the operation runs.
  bool control_differs(const Operation& operation) const {
    switch (operation.op) {
      case Op::loop: return differs(operation.operands[0]) || differs(operation.operands[1]) || differs(operation.operands[2]);
      case Op::while_loop: return differs(operation.regions[0].yields[0]);
      case Op::branch: return differs(operation.operands[0]);
      default: return false;
    }
  }

 private:
  void find_written(const Region& region) {
    for (const std::uint32_t each : region.operations) {
      const Operation& operation = program_.operations[each];
      if (operation.op == Op::store || operation.op == Op::store_vector) {
        written_.insert(operation.operands[0].id);
        if (const Operation* array = program_.as_operation(operation.operands[0]); array && array->op == Op::stack) {
          if (std::ranges::find(arrays_, operation.operands[0]) == arrays_.end()) arrays_.push_back(operation.operands[0]);
        }
      }
      for (const Region& inside : operation.regions) find_written(inside);
    }
  }

  void raise(Value value) { changed_ |= differs_.insert(value.id).second; }

  void visit(const Region& region) {
    for (const std::uint32_t each : region.operations) visit(program_.operations[each]);
  }

  void visit(const Operation& operation) {
    for (const Region& region : operation.regions) visit(region);
    const bool control = control_differs(operation);
    if (operation.op == Op::loop || operation.op == Op::while_loop) {
      const bool counted = operation.op == Op::loop;
      if (counted && control) raise(operation.regions[0].parameters[0]);
      for (std::uint32_t k = 0; k < operation.results; ++k) {
        const Value next = operation.regions.back().yields[k];
        if (!control && !differs(next) && !differs(operation.operands[counted ? k + 3 : k]) &&
            !differs(operation.regions[0].parameters[counted ? k + 1 : k]))
          continue;
        for (const Region& region : operation.regions) raise(region.parameters[counted ? k + 1 : k]);
        raise(operation.result(k));
      }
      return;
    }
    if (operation.op == Op::branch) {
      for (std::uint32_t k = 0; k < operation.results; ++k) {
        if (control || differs(operation.regions[0].yields[k]) || differs(operation.regions[1].yields[k]))
          raise(operation.result(k));
      }
      return;
    }
    const bool reads_written = (operation.op == Op::load || operation.op == Op::load_vector) &&
                               written_.contains(operation.operands[0].id);
    if (!reads_written && !any_differs(operation.operands)) return;
    for (std::uint32_t k = 0; k < operation.results; ++k) raise(operation.result(k));
  }

  const Program& program_;
  std::unordered_set<std::uint32_t> differs_, written_;
  Values arrays_;
  bool changed_ = false;
};

bool has_effects(Op op) {
  switch (op) {
    case Op::fault:
    case Op::bounded_index:  // keeps a fault in mind, too
    case Op::stack:
    case Op::chains:
    case Op::shared:
    case Op::clear:
    case Op::barrier:
    case Op::barrier_or:
    case Op::warp_barrier:
    case Op::peers:
    case Op::mma_f64:
    case Op::shuffle_xor:
    case Op::atomic_add:
    case Op::arrive:
    case Op::ticket:
    case Op::publish:
    case Op::look_up:
    case Op::launch_next:
    case Op::await_previous: return true;
    default: return false;
  }
}

/// An operation on numbers that is one instruction of most machines, or next to nothing.
bool is_light(const Operation& operation) {
  using ir::Scalar;
  const bool of_words = operation.from == Scalar::f32 || operation.from == Scalar::f64 ||
                        ir::is_integer(operation.from) || operation.from == Scalar::boolean;
  switch (operation.number_op) {
    case ir::Op::convert: return of_words || operation.from == Scalar::f16 || operation.from == Scalar::bf16;
    case ir::Op::add:
    case ir::Op::sub:
    case ir::Op::mul:
    case ir::Op::fma:
    case ir::Op::neg:
    case ir::Op::abs:
    case ir::Op::min:
    case ir::Op::max:
    case ir::Op::less:
    case ir::Op::less_equal:
    case ir::Op::equal:
    case ir::Op::select: return of_words;
    default: return false;
  }
}

class Examination {
 public:
  Examination(const Program& program, const Operation& loop)
      : program_(program), dependence_(program, loop), index_(loop.regions[0].parameters[0]) {
    out_.possible = loop.results == 0 && loop.operands.size() == 3;
    visit(loop.regions[0], false);
    out_.possible &= out_.has_chains;
    for (const Value array : dependence_.arrays()) {
      const Operation& stack = *program.as_operation(array);
      out_.stack_bytes += stack.number * program.widths.of_element(program.type(array));
    }
  }
  const Jammable& result() const { return out_; }

 private:
  /// Whether the operation does anything with memory on the stack, or a function may write any.
  bool passes_local_memory(const Operation& operation) const {
    return std::ranges::any_of(operation.operands, [&](Value operand) {
      const Type type = program_.type(operand);
      return type.kind == Kind::memory && (type.space == Space::local || operation.op == Op::call);
    });
  }

  /// Whether the index is one larger in the next round: the round's own index and what all rounds have alike.
  bool steps_by_one(Value index) const {
    if (index == index_) return true;
    const Operation* sum = program_.as_operation(index);
    if (sum == nullptr || sum->op != Op::add) return false;
    const bool first = dependence_.differs(sum->operands[0]);
    return first != dependence_.differs(sum->operands[1]) && steps_by_one(sum->operands[first ? 0 : 1]);
  }

  /// Whether it is known that a loop runs so few times that an emitter writes out all of its rounds.
  bool is_short(const Operation& operation) const {
    constexpr std::uint64_t max_rounds = 8;
    if (operation.op != Op::loop) return false;
    const Constant *first = program_.as_constant(operation.operands[0]), *limit = program_.as_constant(operation.operands[1]);
    return first != nullptr && limit != nullptr && limit->value - first->value <= max_rounds;
  }

  void visit(const Region& region, bool in_chain) {
    bool same = false, differs = false;
    for (const std::uint32_t each : region.operations) {
      const Operation& operation = program_.operations[each];
      if (has_effects(operation.op) || dependence_.control_differs(operation)) out_.possible = false;
      if (operation.op != Op::load && operation.op != Op::store) out_.possible &= !passes_local_memory(operation);
      if (operation.op == Op::load) (dependence_.any_differs(operation.operands) ? differs : same) = true;
      if (in_chain && operation.op == Op::load && dependence_.differs(operation.operands[1]))
        out_.reads_neighbours &= steps_by_one(operation.operands[1]);
      const bool is_loop = operation.op == Op::loop || operation.op == Op::while_loop;
      bool carries = false;
      for (std::uint32_t k = 0; is_loop && k < operation.results; ++k) carries |= dependence_.differs(operation.result(k));
      carries &= !is_short(operation);
      if (in_chain && dependence_.any_differs(operation.operands)) ++out_.operations;
      if (in_chain && operation.op == Op::apply) out_.is_light &= is_light(operation);
      if (in_chain && operation.op == Op::apply_rounded) out_.is_light = false;
      out_.has_chains |= carries;
      for (const Region& inside : operation.regions) visit(inside, in_chain || carries);
    }
    if (in_chain && same && differs) out_.shares_loads = true;
  }

  const Program& program_;
  Dependence dependence_;
  Value index_;
  Jammable out_;
};

/// Writes the rounds that are side by side. A value that differs has as many copies as there are rounds.
class Jam {
 public:
  Jam(Program& program, Function& function, const Operation& loop, std::int64_t width, RoundArrays arrays)
      : program_(program), b_(program), loop_(loop), dependence_(program, loop), width_(width), arrays_(arrays) {
    for (const Value array : dependence_.arrays()) {
      Region made;
      b_.set_region(&made);
      const Operation& from = *program.as_operation(array);
      wide_arrays_[array.id] = {b_.stack(program.type(array).element_type(), width * from.number), from.number};
      auto& all = function.body.operations;
      all.insert(all.begin(), made.operations.begin(), made.operations.end());
    }
  }

  /// The body of the loop at `index`, `index` + 1, ...
  void body(Region& into, Value index) {
    b_.set_region(&into);
    Values indices{index};
    for (std::int64_t k = 1; k < width_; ++k) indices.push_back(b_.add(index, b_.index(k), Fits::as_signed));
    copies_[loop_.regions[0].parameters[0].id] = indices;
    region(loop_.regions[0], into);
  }

 private:
  Value copy(Value value, std::size_t round) const {
    const auto found = copies_.find(value.id);
    if (found == copies_.end()) return value;  // from outside of the loop
    return found->second.size() == 1 ? found->second[0] : found->second[round];
  }
  std::size_t copies_of(Value value) const { return dependence_.differs(value) ? static_cast<std::size_t>(width_) : 1; }

  void region(const Region& from, Region& into) {
    for (const std::uint32_t each : from.operations) {
      b_.set_region(&into);
      operation(each, into);
    }
  }

  /// The values in the order of the rounds, one after the other for each.
  Values all(const Values& values, const Values& like) const {
    Values out;
    for (std::size_t k = 0; k < values.size(); ++k) {
      for (std::size_t round = 0; round < copies_of(like[k]); ++round) out.push_back(copy(values[k], round));
    }
    return out;
  }

  void operation(std::uint32_t number, Region& into) {
    const Operation& from = program_.operations[number];
    if (from.regions.empty()) {
      bool differs = dependence_.any_differs(from.operands);
      for (std::uint32_t k = 0; k < from.results; ++k) differs |= dependence_.differs(from.result(k));
      if (from.op == Op::store) differs |= dependence_.is_array(from.operands[0]);
      const std::size_t count = differs ? static_cast<std::size_t>(width_) : 1;
      for (std::size_t round = 0; round < count; ++round) simple(number, round, into);
      return;
    }
    control(number, into);
  }

  void simple(std::uint32_t number, std::size_t round, Region& into) {
    const auto made = static_cast<std::uint32_t>(program_.operations.size());
    Operation& to = program_.operations.emplace_back(program_.operations[number]);
    const Operation& from = program_.operations[number];
    for (Value& operand : to.operands) operand = copy(operand, round);
    if (!to.operands.empty() && wide_arrays_.contains(to.operands[0].id)) into_wide_array(to, round, into);
    to.first_result = Value::none;
    for (std::uint32_t k = 0; k < from.results; ++k) {
      const Value value = program_.fresh(program_.type(from.result(k)), {Program::Definition::Kind::operation, made});
      if (k == 0) to.first_result = value.id;
      copies_[from.result(k).id].push_back(value);
    }
    into.operations.push_back(made);
  }

  /// Makes a load or a store one of the round's own elements.
  void into_wide_array(Operation& access, std::size_t round, Region& into) {
    const auto [array, count] = wide_arrays_.at(access.operands[0].id);
    const auto number = static_cast<std::int64_t>(round);
    b_.set_region(&into);
    access.operands[0] = array;
    if (arrays_ == RoundArrays::interleaved) {
      access.operands[1] = b_.mul(access.operands[1], b_.index(width_), Fits::as_signed);
      access.offset = access.offset * width_ + number;
    } else {
      access.offset += number * count;
    }
  }

  /// A loop or a branch, which runs once for all rounds.
  void control(std::uint32_t number, Region& into) {
    const Operation& from = program_.operations[number];
    const bool counted = from.op == Op::loop;
    const std::size_t leading = counted ? 3 : from.op == Op::branch ? 1 : 0;
    Values operands(from.operands.begin(), from.operands.begin() + static_cast<std::ptrdiff_t>(leading));
    for (Value& operand : operands) operand = copy(operand, 0);
    Values results;
    for (std::uint32_t k = 0; k < from.results; ++k) results.push_back(from.result(k));
    if (from.op != Op::branch) {
      operands.append(all(Values(from.operands.begin() + static_cast<std::ptrdiff_t>(leading), from.operands.end()), results));
    }
    const Cursor::Open open = b_.open(from.op, operands, from.regions.size());
    b_.operation(open).unroll = from.unroll;
    b_.operation(open).origin = from.origin;
    b_.operation(open).site = from.site;
    for (std::size_t k = 0; k < from.regions.size(); ++k) {
      const Region& inside = program_.operations[number].regions[k];
      for (const Value parameter : inside.parameters) {
        Values& made = copies_[parameter.id];
        for (std::size_t round = 0; round < copies_of(parameter); ++round) {
          made.push_back(b_.region_parameter(open, k, program_.type(parameter)));
        }
      }
      Region& region_made = b_.region_of(open, k);
      region(inside, region_made);
      const bool condition = from.op == Op::while_loop && k == 0;
      region_made.yields = condition ? Values{copy(inside.yields[0], 0)} : all(inside.yields, results);
    }
    std::vector<Type> types;
    for (const Value result : results) types.insert(types.end(), copies_of(result), program_.type(result));
    b_.set_region(&into);
    const Values made = b_.close(open, types, into);
    std::size_t next = 0;
    for (const Value result : results) {
      for (std::size_t round = 0; round < copies_of(result); ++round) copies_[result.id].push_back(made[next++]);
    }
  }

  Program& program_;
  Builder b_;
  const Operation& loop_;
  Dependence dependence_;
  std::int64_t width_;
  RoundArrays arrays_;
  struct WideArray {
    Value array;
    std::int64_t count = 0;  ///< elements of a round
  };
  std::unordered_map<std::uint32_t, WideArray> wide_arrays_;
  std::unordered_map<std::uint32_t, Values> copies_;
};

}  // namespace

Jammable jammable(const Program& program, const Operation& loop) { return Examination(program, loop).result(); }

bool exchange_loops(Program& program, Region& around) {
  const std::uint32_t outer_number = around.operations.back();
  Operation& outer = program.operations[outer_number];
  if (outer.op != Op::loop || outer.results != 0 || outer.regions[0].operations.empty()) return false;
  std::vector<std::uint32_t>& all = outer.regions[0].operations;
  const std::uint32_t inner_number = all.back();
  Operation& inner = program.operations[inner_number];
  if (inner.op != Op::loop || inner.results != 0) return false;
  const Dependence dependence(program, outer);
  if (dependence.any_differs(inner.operands)) return false;
  std::unordered_set<std::uint32_t> inside;
  for (std::size_t k = 0; k + 1 < all.size(); ++k) {
    const Operation& each = program.operations[all[k]];
    if (!is_integer(each.op) && each.op != Op::select) return false;
    for (std::uint32_t result = 0; result < each.results; ++result) inside.insert(each.result(result).id);
  }
  for (const Value operand : inner.operands) {
    if (inside.contains(operand.id)) return false;
  }
  all.pop_back();
  std::vector<std::uint32_t>& body = inner.regions[0].operations;
  all.insert(all.end(), body.begin(), body.end());
  body = {outer_number};
  around.operations.back() = inner_number;
  return true;
}

void unroll_and_jam(Program& program, Function& function, Region& around, std::int64_t width, RoundArrays arrays) {
  const std::uint32_t number = around.operations.back();
  around.operations.pop_back();
  const Operation& loop = program.operations[number];
  Builder b(program);
  b.set_region(&around);
  const Value first = loop.operands[0], limit = loop.operands[1];
  const auto groups = [&](Value end, Region& into) {
    const Cursor::Open open = b.open(Op::loop, {first, end, b.index(width)}, 1);
    const Value index = b.region_parameter(open, 0, Type::index());
    Jam(program, function, program.operations[number], width, arrays).body(b.region_of(open, 0), index);
    b.set_region(&into);
    b.close(open, {}, into);
  };
  const auto guarded = [&](Value flag, auto&& then) {
    if (const auto decided = b.known(flag)) {
      if (*decided != 0) then(around);
      return;
    }
    const Cursor::Open open = b.open(Op::branch, {flag}, 2);
    b.set_region(&b.region_of(open, 0));
    then(b.region_of(open, 0));
    b.set_region(&around);
    b.close(open, {}, around);
  };
  const Value rounds = b.sub(limit, first, Fits::as_signed);
  const Value end = b.add(first, b.sub(rounds, b.urem(rounds, static_cast<std::uint64_t>(width))), Fits::as_signed);
  guarded(b.less(first, end), [&](Region& into) { groups(end, into); });
  guarded(b.less(end, limit), [&](Region& into) {
    program.operations[number].operands[0] = end;
    into.operations.push_back(number);
  });
}

}  // namespace reckon::kernel
