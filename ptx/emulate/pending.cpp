// Sums of wgmma before they are waited for (PTX ISA 9.0, 9.7.16.7: accessing the registers "including the accumulator
// register" before wgmma.wait_group "is undefined"). The emulator has the sums at once, so that only this shows what a
// chip would not have.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/emulate/warp.h"

namespace reckon::ptx {
namespace {

/// The registers that an operation gives.
std::vector<Slot> results_of(const Operation& operation, const Kernel& kernel) {
  std::vector<Slot> out;
  for (const Slot slot : {operation.d, operation.e})
    if (slot != no_slot) out.push_back(slot);
  const Slot* first = nullptr;
  std::size_t count = 0;
  if (operation.effect == Effect::unpack) {
    first = kernel.slots.data() + operation.extra;
    count = operation.mode;
  } else if (operation.effect == Effect::load) {
    first = kernel.slots.data() + kernel.accesses[operation.extra].slots;
    count = kernel.accesses[operation.extra].count;
  }
  out.insert(out.end(), first, first + count);
  return out;
}

}  // namespace

void Warp::begin_sums(const Operation& operation, std::span<const Slot> sums, std::span<const Slot> factors) {
  for (const Slot slot : sums) sums_on_way_[slot] = {&operation, sum_group_};
  for (const Slot slot : factors)
    if ((slot & constant_slot) == 0) factors_on_way_[slot] = {&operation, sum_group_};
}

void Warp::wait_for_sums(std::uint32_t groups_left) {
  if (sum_group_ < groups_left) return;
  const std::uint32_t below = sum_group_ - groups_left;
  for (auto* on_way : {&sums_on_way_, &factors_on_way_})
    std::erase_if(*on_way, [&](const auto& one) { return one.second.group < below; });
}

void Warp::check_sums(const Operation& operation) {
  const Kernel& kernel = machine_.kernel();
  for (const Slot slot : results_of(operation, kernel)) {
    const auto found = factors_on_way_.find(slot);
    if (found == factors_on_way_.end()) continue;
    const Operation& product = *found->second.operation;
    machine_.finding(operation, FindingKind::sums_on_way, [&] {
      return fmt::format(
          "a factor of `wgmma` is changed before `wgmma.wait_group`: the product at {} may not have "
          "read it",
          machine_.line_text(machine_.number_of(product)));
    });
  }
  const auto check = [&](Slot slot) {
    const auto found = sums_on_way_.find(slot);
    if (found == sums_on_way_.end()) return;
    const Operation& product = *found->second.operation;
    machine_.finding(operation, FindingKind::sums_on_way, [&] {
      return fmt::format("a sum of `wgmma` is used before `wgmma.wait_group`: the product at {} may not have ended",
                         machine_.line_text(machine_.number_of(product)));
    });
  };
  if (operation.effect == Effect::plain && operation.b == no_slot && operation.c == no_slot && operation.f == no_slot &&
      operation.d != no_slot) {
    // A move, as compilers write where a loop begins anew and assemblers leave out: what it gives is on its way, too.
    const auto found = sums_on_way_.find(operation.a);
    if (found != sums_on_way_.end()) sums_on_way_[operation.d] = SumOnWay(found->second);
    else sums_on_way_.erase(operation.d);
    return;
  }
  for (const Slot slot : {operation.a, operation.b, operation.c, operation.f, operation.d, operation.e})
    if (slot != no_slot) check(slot);
  if (operation.effect == Effect::pack || operation.effect == Effect::unpack) {
    for (std::size_t k = 0; k < operation.mode; ++k) check(kernel.slots[operation.extra + k]);
  } else if (operation.effect == Effect::store || operation.effect == Effect::load) {
    const Access& access = kernel.accesses[operation.extra];
    for (std::size_t k = 0; k < access.count; ++k) check(kernel.slots[access.slots + k]);
  }
}

}  // namespace reckon::ptx
