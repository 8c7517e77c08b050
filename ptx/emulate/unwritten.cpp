// Undefined values: those that came from memory that nobody wrote, and quotients and remainders by 0. Compilers load
// such memory, and divide before they know that the divisor is not 0, and then choose another value, so that neither is
// a mistake by itself: it becomes one where the value decides something (a branch, an address) or is stored in global
// memory. Values from memory go through shuffles, matrices and calls unseen; of a division that is a use.
#include "ptx/emulate/warp.h"

namespace reckon::ptx {

Poison Warp::poison_of(Slot slot) const {
  if (slot == no_slot || (slot & constant_slot) != 0) return {};
  const auto found = poison_.find(slot);
  return found == poison_.end() ? Poison() : found->second;
}

void Warp::set_poison(Slot slot, const Poison& poison, Mask on) {
  if (slot == no_slot) return;
  const auto found = poison_.find(slot);
  const Poison before = found == poison_.end() ? Poison() : found->second;
  const Mask made = poison.lanes & on, after = (before.lanes & ~on) | made;
  if (after != 0) poison_[slot] = {after, made != 0 ? poison.division : before.division};
  else if (found != poison_.end()) poison_.erase(found);
}

void report_division(Machine& machine, const Operation& division) {
  machine.finding(division, FindingKind::division, [] { return std::string("an integer is divided by 0"); });
}

void Warp::check_decision(const Operation& operation, Slot slot, Mask on) {
  const Poison poison = poison_of(slot);
  if ((poison.lanes & on) == 0) return;
  if (poison.division != nullptr) return report_division(machine_, *poison.division);
  machine_.finding(operation, FindingKind::undecided,
                   [] { return std::string("a value decides here that comes from memory nobody wrote"); });
}

void Warp::follow_poison(const Operation& operation, Mask on) {
  const Kernel& kernel = machine_.kernel();
  const Slot* slots = kernel.slots.data();
  if (operation.guard != no_slot) check_decision(operation, operation.guard, active_);
  const Poison operands[] = {poison_of(operation.a), poison_of(operation.b), poison_of(operation.c),
                             poison_of(operation.f)};
  const Mask a = operands[0].lanes, b = operands[1].lanes, c = operands[2].lanes, f = operands[3].lanes;
  Poison result;
  const auto take_division = [&](const Poison& of) {
    if (result.division == nullptr && (of.lanes & on) != 0) result.division = of.division;
  };
  for (const Poison& operand : operands) take_division(operand);
  Mask& made = result.lanes;
  switch (operation.effect) {
    case Effect::plain:
      made = a | b | c | f | divided_;
      if (divided_ != 0) result.division = &operation;
      divided_ = 0;
      break;
    case Effect::select: {
      const Mask chosen = predicate(operation, operation.c, 2);
      made = (chosen & a) | (~chosen & b) | c;
      break;
    }
    case Effect::both:
    case Effect::either: {
      // The results are written already: a result in the place of an operand is taken to be undecided.
      const Mask flips = operation.effect == Effect::both ? 0 : ~Mask{0};
      const Mask x = operation.d == operation.a ? ~Mask{0} : predicate(operation, operation.a, 0) ^ flips;
      const Mask y = operation.d == operation.b ? ~Mask{0} : predicate(operation, operation.b, 1) ^ flips;
      made = (a & b) | (a & y) | (b & x);
      break;
    }
    case Effect::pack:
      for (std::size_t k = 0; k < operation.mode; ++k) {
        const Poison part = poison_of(slots[operation.extra + k]);
        made |= part.lanes;
        take_division(part);
      }
      break;
    case Effect::unpack:
      for (std::size_t k = 0; k < operation.mode; ++k) set_poison(slots[operation.extra + k], operands[0], on);
      return;
    case Effect::load: {
      check_decision(operation, operation.a, on);
      return;  // which of the elements nobody wrote, the load has noted
    }
    case Effect::store: check_decision(operation, operation.a, on); return;
    case Effect::opaque:
      for (const Poison& operand : operands) {
        if (operand.division != nullptr && (operand.lanes & on) != 0) report_division(machine_, *operand.division);
      }
      result = {};
      break;
  }
  set_poison(operation.d, result, on);
  set_poison(operation.e, result, on);
}

}  // namespace reckon::ptx
