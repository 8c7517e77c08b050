// Faults: operations without a value for some operands (E0502), integers that are divided by 0 (E0400), and indices
// from data that are out of range (E0308). Each such operation has a number; at the end of the function the emitter
// writes the numbers of faults that happened to the buffer of faults. After a fault the kernel goes on, with an empty
// value or with the index 0.
#include "codegen/lower/circuits.h"
#include "codegen/lower/undefined.h"
#include "diagnostics/codes/division_by_zero.h"
#include "ir/op.h"

namespace reckon::codegen {

void Circuits::record_fault(ir::NodeId id, ir::Op op, ir::Scalar from, std::span<const Value> operands) {
  static constexpr Undefined of_zero{code::division_by_zero, "an integer is divided by zero", ""};
  const bool divides = ir::divides_integers(op);
  if (divides && ir::has_known_divisor(module_, id)) return;
  const Undefined* why = divides ? &of_zero : numbers_.may_be_undefined(op);
  if (!why) return;
  const std::int64_t number = fault_number(id, [&] {
    Diagnostic fault(why->code, module_.span(id), why->message);
    if (*why->help != '\0') fault.helps.emplace_back(why->help);
    return fault;
  });
  b_.fault(number, op, from, operands);
}

std::int64_t Circuits::fault_number(ir::NodeId id, FunctionRef<Diagnostic()> make) {
  const auto [found, is_new] = fault_numbers_.try_emplace(id, faults_.size());
  if (is_new) faults_.push_back(make());
  return static_cast<std::int64_t>(found->second);
}

}  // namespace reckon::codegen
