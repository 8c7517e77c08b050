// Calls: of functions by name and by address, and of what the system gives: vprintf, __assertfail, malloc and free (PTX
// ISA 9.0, 9.7.12: call; CUDA C++ Programming Guide, "Formatted Output").
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/heap.h"
#include "ptx/emulate/print.h"
#include "ptx/emulate/warp.h"

namespace reckon::ptx {
namespace {

/// After a call: its results go to the caller's parameters.
void take_results(const Operation& operation, Warp& warp, Mask on) {
  const Kernel& kernel = warp.machine().kernel();
  const Call& call = kernel.calls[operation.extra];
  for (std::size_t k = 0; k < call.results.size(); ++k) {
    for (Mask rest = on; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const Part& part = kernel.parts[call.by_address ? warp.returned_from(std::countr_zero(rest)) : call.part];
      std::memcpy(warp.at<std::uint8_t>(call.results[k]) + lane * call.result_bytes[k],
                  warp.at<std::uint8_t>(part.results[k]) + lane * part.result_bytes[k],
                  std::min(call.result_bytes[k], part.result_bytes[k]));
    }
  }
}

/// What an instruction `call` calls: a function, or the register with its address. Null if neither is there.
const Operand* callee_of(const Instruction& one) {
  const auto found = std::find_if(one.operands.begin(), one.operands.end(), [](const Operand& operand) {
    return operand.kind == Operand::Kind::function || operand.kind == Operand::Kind::reg;
  });
  return found == one.operands.end() ? nullptr : &*found;
}

}  // namespace

/// Of what may be called by its address: functions that stand in variables, or as operands of other instructions.
void Decoder::find_addresses_taken() {
  for (const Variable& variable : module_.variables) {
    for (const Variable::Address& address : variable.addresses) {
      if (address.of_function) addresses_taken_.insert(address.variable);
    }
  }
  for (const Function& function : module_.functions) {
    for (const Instruction& one : function.instructions) {
      if (one.name == "call") continue;
      for (const Operand& operand : one.operands) {
        if (operand.kind == Operand::Kind::function) addresses_taken_.insert(operand.index);
      }
    }
  }
}

std::vector<std::uint32_t> Decoder::callees(const Function& function) const {
  std::vector<std::uint32_t> out;
  for (const Instruction& one : function.instructions) {
    if (one.name != "call") continue;
    const Operand* callee = callee_of(one);
    if (callee == nullptr) continue;
    if (callee->kind == Operand::Kind::function) out.push_back(callee->index);
    else out.insert(out.end(), addresses_taken_.begin(), addresses_taken_.end());
  }
  return out;
}

bool Decoder::add_passed(const Operand& group, std::vector<Slot>& slots, std::vector<std::uint32_t>& sizes) {
  for (std::uint32_t k = 0; k < group.count; ++k) {
    const Operand& one = child(group, k);
    if (one.kind == Operand::Kind::variable && parameter_slots_.contains(one.index)) {
      slots.push_back(parameter_slots_[one.index]);
      sizes.push_back(static_cast<std::uint32_t>(module_.variables[one.index].bytes));
    } else if (one.kind == Operand::Kind::reg) {
      slots.push_back(registers_[part_][one.index]);
      sizes.push_back(lane_bytes(function_->registers[one.index].type));
    } else if (one.kind == Operand::Kind::number) {
      slots.push_back(constant_slot_of(one.bits, 64));
      sizes.push_back(8);
    } else {
      return !fail("a call passes parameters and registers");
    }
  }
  return true;
}

/// True if the system gives a function of this name.
bool Decoder::decode_call_of_system(std::string_view name, const Call& made) {
  struct Row {
    std::string_view name;
    std::vector<std::uint32_t> sizes;
    Run run;
  };
  static const Row rows[] = {{"vprintf", {8, 8}, print},
                             {"__assertfail", {8, 8, 4, 8, 8}, fail_assertion},
                             {"malloc", {8}, allocate_in_heap},
                             {"free", {8}, free_in_heap}};
  const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& each) { return each.name == name; });
  if (row == std::end(rows)) return false;
  if (made.argument_bytes != row->sizes || (name == "malloc" && made.result_bytes != row->sizes))
    return fail(fmt::format("`{}` is called with other parameters than it has", name));
  Operation operation;
  operation.extra = static_cast<std::uint32_t>(kernel_.calls.size());
  operation.effect = Effect::opaque;
  operation.run = row->run;
  kernel_.calls.push_back(made);
  emit(operation);
  return true;
}

bool Decoder::decode_call(Operation& operation) {
  Call made;
  const Operand* callee = callee_of(*instruction_);
  if (callee == nullptr) return fail("`call` needs a function");
  std::vector<const Operand*> groups;
  bool results_first = false;
  for (const Operand& one : instruction_->operands) {
    if (&one == callee) results_first = !groups.empty();
    else if (one.kind == Operand::Kind::group) groups.push_back(&one);
  }
  if (results_first && !add_passed(*groups[0], made.results, made.result_bytes)) return true;
  if (groups.size() > (results_first ? 1u : 0u) && !add_passed(*groups.back(), made.arguments, made.argument_bytes))
    return true;
  if (callee->kind == Operand::Kind::reg) {
    made.by_address = true;
    operation.a = source(*callee, Type::b64);
    if (failed()) return true;
  } else {
    const Function& function = module_.functions[callee->index];
    if (!function.is_defined && decode_call_of_system(function.name, made)) return true;
    const auto part = part_of_.find(callee->index);
    if (part == part_of_.end()) return fail(fmt::format("`{}` has no body here", function.name));
    made.part = static_cast<std::uint32_t>(part->second);
    if (made.arguments.size() != function.parameters.size() || made.results.size() > function.results.size())
      return fail(fmt::format("`{}` takes {} parameters and has {} results", function.name, function.parameters.size(),
                              function.results.size()));
  }
  const auto number = static_cast<std::uint32_t>(kernel_.calls.size());
  kernel_.calls.push_back(std::move(made));
  operation.flow = Flow::call;
  operation.extra = number;
  emit(operation);
  if (kernel_.calls[number].results.empty()) return true;
  Operation after;
  after.extra = number;
  after.run = take_results;
  emit(after);
  return true;
}

}  // namespace reckon::ptx
