#include "kernel/uniformity.h"

#include <algorithm>

#include "kernel/gpu.h"

namespace reckon::kernel {
namespace {

constexpr std::uint64_t warp = threads_of_a_warp;

/// If operands are the same in all but their lowest bits, nothing is known of most results.
Uniform whole(Uniform level) { return level == Uniform::warp_part ? Uniform::none : level; }

}  // namespace

Uniformity::Uniformity(const Program& program, const Function& function) : program_(program) {
  for (const Parameter& parameter : function.parameters) {
    if (!function.is_kernel) raise(parameter.value, Uniform::none);
    if (parameter.changes) changing_[parameter.value.id] = true;
  }
  find_changing(function.body);
  // This is repeated because loops carry values back to operations visited before; it ends because levels only rise.
  do {
    changed_ = false;
    visit(function.body);
  } while (changed_);
}

Uniform Uniformity::of(Value value) const {
  const auto found = levels_.find(value.id);
  return found == levels_.end() ? Uniform::block : found->second;
}

void Uniformity::raise(Value value, Uniform level) {
  if (level <= of(value)) return;
  levels_[value.id] = level;
  changed_ = true;
}

/// The parameter or array that the place is in; none if that is not known.
Value Uniformity::root(Value memory) const {
  for (;;) {
    const Operation* operation = program_.as_operation(memory);
    if (operation == nullptr) return memory;
    if (operation->op == Op::advance) {
      memory = operation->operands[0];
    } else if (operation->op == Op::await_previous) {
      memory = operation->operands[memory.id - operation->first_result];
    } else {
      return operation->regions.empty() && operation->op != Op::select && operation->op != Op::call ? memory : Value();
    }
  }
}

void Uniformity::find_changing(const Region& region) {
  for (const std::uint32_t each : region.operations) {
    const Operation& operation = program_.operations[each];
    switch (operation.op) {
      case Op::store:
      case Op::store_vector:
      case Op::atomic_add:
      case Op::clear:
      case Op::arrive:
      case Op::ticket:
      case Op::publish: changing_[root(operation.operands[0]).id] = true; break;
      case Op::call:
      case Op::chains:
        for (const Value operand : operation.operands) {
          if (program_.type(operand).kind == Kind::memory) changing_[root(operand).id] = true;
        }
        break;
      default: break;
    }
    for (const Region& inside : operation.regions) find_changing(inside);
  }
}

void Uniformity::visit(const Region& region) {
  for (const std::uint32_t each : region.operations) visit(program_.operations[each]);
}

/// Whether a loop's first index is the same in a warp but for the lowest bits, and its step and limit are multiples of
/// a warp: then all threads of a warp go the same number of rounds.
bool Uniformity::goes_by_warps(const Operation& operation) const {
  const auto limit = constant(operation, 1), step = constant(operation, 2);
  return of(operation.operands[0]) == Uniform::warp_part && limit && step && *limit % warp == 0 && *step % warp == 0;
}

Uniform Uniformity::of_control(const Operation& operation) const {
  Uniform out = Uniform::block;
  if (operation.op == Op::loop) {
    if (goes_by_warps(operation)) return Uniform::warp;
    for (std::size_t k = 0; k < 3; ++k) out = std::max(out, of(operation.operands[k]));
  } else if (operation.op == Op::while_loop) {
    out = of(operation.regions[0].yields[0]);
  } else if (operation.op == Op::branch) {
    out = of(operation.operands[0]);
  } else if (operation.op == Op::mma_tiles || operation.op == Op::mma_rows) {
    out = Uniform::warp;  // not all warps are consumers
  }
  return whole(out);
}

void Uniformity::visit(const Operation& operation) {
  for (const Region& region : operation.regions) visit(region);
  const Uniform control = of_control(operation);
  if (operation.op == Op::branch) {
    for (std::uint32_t k = 0; k < operation.results; ++k) {
      for (const Region& region : operation.regions) {
        raise(operation.result(k),
              control == Uniform::block ? of(region.yields[k]) : whole(std::max(control, of(region.yields[k]))));
      }
    }
  } else if (operation.op == Op::loop || operation.op == Op::while_loop) {
    const bool counted = operation.op == Op::loop;
    const bool by_warps = counted && goes_by_warps(operation);
    if (counted) raise(operation.regions[0].parameters[0], by_warps ? Uniform::warp_part : control);
    for (std::uint32_t k = 0; k < operation.results; ++k) {
      const std::uint32_t parameter = counted ? k + 1 : k;
      const Uniform next = of(operation.regions.back().yields[k]);
      const Uniform level = whole(std::max({control, next, of(operation.operands[counted ? k + 3 : k])}));
      for (const Region& region : operation.regions) raise(region.parameters[parameter], level);
      raise(operation.result(k), level);
    }
  } else if (operation.op == Op::chains) {
    for (const Value parameter : operation.regions[0].parameters) raise(parameter, Uniform::none);
  } else if (operation.op == Op::mma_tiles) {
    const Values& parameters = operation.regions[1].parameters;
    for (std::size_t k = 1; k < parameters.size(); ++k) raise(parameters[k], Uniform::none);
  } else if (operation.op == Op::mma_rows) {
    const MmaRows& rows = program_.mma_rows[static_cast<std::size_t>(operation.number)];
    for (std::size_t which = 1; which < operation.regions.size(); ++which) {
      const Values& parameters = operation.regions[which].parameters;
      const bool is_tile = which % 2 == 0 && which <= MmaRows::tile_of(rows.passes - 1);
      for (std::size_t k = is_tile ? 2 : 1; k < parameters.size(); ++k) raise(parameters[k], Uniform::none);
    }
  } else {
    for (std::uint32_t k = 0; k < operation.results; ++k) raise(operation.result(k), result(operation));
  }
}

Uniform Uniformity::of_operands(const Operation& operation) const {
  Uniform out = Uniform::block;
  for (const Value operand : operation.operands) out = std::max(out, of(operand));
  return out;
}

Uniform Uniformity::result(const Operation& operation) const {
  switch (operation.op) {
    case Op::thread: return Uniform::warp_part;
    case Op::shuffle_xor:
    case Op::peers:
    case Op::mma_f64:
    case Op::arrive:
    case Op::ticket:
    case Op::look_up:
    case Op::call: return Uniform::none;
    case Op::barrier_or: return Uniform::block;
    case Op::load:
    case Op::load_vector: {
      const Value array = root(operation.operands[0]);
      const Space space = program_.type(operation.operands[0]).space;
      const bool stays = array && !changing_.contains(array.id) && !changing_.contains(Value::none);
      const bool same = space == Space::shared || (space == Space::global && stays);
      return same ? whole(of_operands(operation)) : Uniform::none;
    }
    default: break;
  }
  const auto of_bits = by_bits(operation);
  return of_bits ? *of_bits : whole(of_operands(operation));
}

std::optional<std::uint64_t> Uniformity::constant(const Operation& operation, std::size_t operand) const {
  const Constant* found = program_.as_constant(operation.operands[operand]);
  return found != nullptr && found->kind == Constant::Kind::integer ? std::optional(found->value) : std::nullopt;
}

/// The level of the result of an operation with an operand of level warp_part, if its constant operand decides it.
std::optional<Uniform> Uniformity::by_bits(const Operation& operation) const {
  if (operation.operands.size() != 2 || of_operands(operation) != Uniform::warp_part) return std::nullopt;
  const auto right = constant(operation, 1);
  const bool low_bits_clear = right && *right % warp == 0, low_bits_set = right && *right % warp == warp - 1;
  const auto if_so = [](bool so, Uniform level) { return so ? std::optional(level) : std::nullopt; };
  switch (operation.op) {
    case Op::udiv: return if_so(low_bits_clear && *right != 0, Uniform::warp);
    case Op::lshr:
    case Op::ashr: return if_so(right && *right >= 5, Uniform::warp);
    case Op::bit_and: return low_bits_clear ? Uniform::warp : Uniform::warp_part;
    case Op::bit_or: return low_bits_set ? Uniform::warp : Uniform::warp_part;
    case Op::bit_xor: return Uniform::warp_part;
    case Op::add:
    case Op::sub: return if_so(low_bits_clear, Uniform::warp_part);
    case Op::urem: return if_so(low_bits_clear && *right != 0, Uniform::warp_part);
    case Op::less:
    case Op::greater_equal:
    case Op::below: return if_so(low_bits_clear, Uniform::warp);
    case Op::less_equal:
    case Op::greater:
    case Op::above: return if_so(low_bits_set, Uniform::warp);
    default: return std::nullopt;
  }
}

}  // namespace reckon::kernel
