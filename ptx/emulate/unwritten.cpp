// Values that came from memory that nobody wrote. Compilers load such memory and then choose another value, so that a
// load alone is no mistake: it becomes one where the value decides something (a branch, an address) or is stored in
// global memory. Values go through shuffles, matrices and calls unseen.
#include "ptx/emulate/warp.h"

namespace reckon::ptx {

Mask Warp::poison_of(Slot slot) const {
  if (slot == no_slot || (slot & constant_slot) != 0) return 0;
  const auto found = poison_.find(slot);
  return found == poison_.end() ? 0 : found->second;
}

void Warp::set_poison(Slot slot, Mask poisoned, Mask on) {
  if (slot == no_slot) return;
  const auto found = poison_.find(slot);
  const Mask before = found == poison_.end() ? 0 : found->second;
  const Mask after = (before & ~on) | (poisoned & on);
  if (after != 0) poison_[slot] = after;
  else if (found != poison_.end()) poison_.erase(found);
}

void Warp::check_decision(const Operation& operation, Slot slot, Mask on) {
  if ((poison_of(slot) & on) == 0) return;
  machine_.finding(operation, FindingKind::undecided,
                   [] { return std::string("a value decides here that comes from memory nobody wrote"); });
}

void Warp::follow_poison(const Operation& operation, Mask on) {
  const Kernel& kernel = machine_.kernel();
  const Slot* slots = kernel.slots.data();
  if (operation.guard != no_slot) check_decision(operation, operation.guard, active_);
  const Mask a = poison_of(operation.a), b = poison_of(operation.b), c = poison_of(operation.c),
             f = poison_of(operation.f);
  Mask made = 0;
  switch (operation.effect) {
    case Effect::plain: made = a | b | c | f; break;
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
      for (std::size_t k = 0; k < operation.mode; ++k) made |= poison_of(slots[operation.extra + k]);
      break;
    case Effect::unpack:
      for (std::size_t k = 0; k < operation.mode; ++k) set_poison(slots[operation.extra + k], a, on);
      return;
    case Effect::load: {
      check_decision(operation, operation.a, on);
      return;  // which of the elements nobody wrote, the load has noted
    }
    case Effect::store: check_decision(operation, operation.a, on); return;
    case Effect::opaque: break;
  }
  set_poison(operation.d, made, on);
  set_poison(operation.e, made, on);
}

}  // namespace reckon::ptx
