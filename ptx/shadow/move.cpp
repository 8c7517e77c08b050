// Values that go from place to place as whole bytes: in registers, memory, and between lanes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/emulate/reach.h"
#include "ptx/shadow/shadow.h"

namespace reckon::ptx {
namespace {

constexpr const char* of_address = "this address was computed from floats, which has no meaning under {}";
constexpr const char* of_integers =
    "an integer instruction takes the bits of a number that was computed: it has no meaning under {}";
constexpr const char* of_comparison =
    "this compares a number that was computed: what it decides has no meaning under {}";

std::size_t lane_of(Mask rest) { return static_cast<std::size_t>(std::countr_zero(rest)); }

void clear_results(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  for (const auto& [slot, bytes] : {std::pair{operation.d, how.bytes[0]}, std::pair{operation.e, how.bytes[1]}}) {
    if (slot == no_slot || bytes == 0) continue;
    Tag* tags = shadow.tags(warp, slot);
    if (on == ~Mask{0}) {
      Shadow::clear(tags, bytes * lanes_of_warp);
      continue;
    }
    for (Mask rest = on; rest != 0; rest &= rest - 1) Shadow::clear(tags + lane_of(rest) * bytes, bytes);
  }
}

}  // namespace

void follow_move(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  const std::size_t bytes = how.bytes[0];
  const Tag* from = operation.a == no_slot ? nullptr : shadow.tags(warp, operation.a);
  Tag* to = shadow.tags(warp, operation.d);
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const std::size_t at = lane_of(rest) * bytes;
    if (from == nullptr) Shadow::clear(to + at, bytes);
    else std::copy_n(from + at, bytes, to + at);
  }
  operation.run(operation, warp, on);
}

void follow_pack(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  const Slot* slots = warp.machine().kernel().slots.data() + operation.extra;
  const auto size = static_cast<std::size_t>(operation.offset), whole = size * operation.mode;
  std::array<Tag, 16 * lanes_of_warp> made{};
  for (std::size_t k = 0; k < operation.mode; ++k) {
    const Tag* part = shadow.tags(warp, slots[k]);
    for (std::size_t lane = 0; lane < lanes_of_warp; ++lane)
      std::copy_n(part + lane * size, size, made.data() + lane * whole + k * size);
  }
  Tag* to = shadow.tags(warp, operation.d);
  for (Mask rest = on; rest != 0; rest &= rest - 1)
    std::copy_n(made.data() + lane_of(rest) * whole, whole, to + lane_of(rest) * whole);
  operation.run(operation, warp, on);
}

void follow_unpack(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  const Slot* slots = warp.machine().kernel().slots.data() + operation.extra;
  const auto size = static_cast<std::size_t>(operation.offset), whole = size * operation.mode;
  std::array<Tag, 16 * lanes_of_warp> taken{};
  std::copy_n(shadow.tags(warp, operation.a), whole * lanes_of_warp, taken.data());
  for (std::size_t k = 0; k < operation.mode; ++k) {
    if (slots[k] == no_slot) continue;
    Tag* part = shadow.tags(warp, slots[k]);
    for (Mask rest = on; rest != 0; rest &= rest - 1)
      std::copy_n(taken.data() + lane_of(rest) * whole + k * size, size, part + lane_of(rest) * size);
  }
  operation.run(operation, warp, on);
}

void follow_select(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  const std::size_t bytes = how.bytes[0];
  const Tag* a = shadow.tags(warp, operation.a);
  const Tag* b = shadow.tags(warp, operation.b);
  Tag* to = shadow.tags(warp, operation.d);
  const Mask chosen = warp.predicate(operation, operation.c, 2);
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const std::size_t lane = lane_of(rest);
    std::copy_n(((chosen >> lane & 1) != 0 ? a : b) + lane * bytes, bytes, to + lane * bytes);
  }
  operation.run(operation, warp, on);
}

/// slct: the first operand where the third, an s32 or an f32 (`operands`), is not negative.
void follow_sign(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  const std::size_t bytes = how.bytes[0];
  shadow.check(operation, warp, operation.c, how.bytes[4], on, of_comparison);
  const Tag* a = shadow.tags(warp, operation.a);
  const Tag* b = shadow.tags(warp, operation.b);
  const auto* c = warp.at<std::uint32_t>(operation.c);
  Tag* to = shadow.tags(warp, operation.d);
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const std::size_t lane = lane_of(rest);
    const bool first = how.operands != 0 ? std::bit_cast<float>(c[lane]) >= 0 : static_cast<std::int32_t>(c[lane]) >= 0;
    std::copy_n((first ? a : b) + lane * bytes, bytes, to + lane * bytes);
  }
  operation.run(operation, warp, on);
}

void follow_integers(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  const Slot slots[] = {operation.a, operation.b, operation.c, operation.f};
  for (std::size_t k = 0; k < 4; ++k) shadow.check(operation, warp, slots[k], how.bytes[2 + k], on, of_integers);
  operation.run(operation, warp, on);
  clear_results(operation, how, warp, on, shadow);
}

/// Instructions of bits move bytes if their other operands say so (a shift by 16, a mask of whole bytes). Where a byte
/// of the result comes from is found out by carrying the instruction out on labels in the place of values.
void follow_bits(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  constexpr std::size_t runs = 3, most = 8;
  const Slot slots[] = {operation.a, operation.b, operation.c, operation.f};
  bool any = false;
  std::array<std::array<Tag, most * lanes_of_warp>, 4> tags{};
  std::array<std::array<std::uint8_t, most * lanes_of_warp>, 4> before{};
  const auto usable = [&](std::size_t k) {
    return slots[k] != no_slot && how.bytes[2 + k] != 0 && how.bytes[2 + k] <= most;
  };
  for (std::size_t k = 0; k < 4; ++k) {
    if (!usable(k)) continue;
    const std::size_t count = std::size_t{how.bytes[2 + k]} * lanes_of_warp;
    std::copy_n(shadow.tags(warp, slots[k]), count, tags[k].data());
    std::memcpy(before[k].data(), warp.at<std::uint8_t>(slots[k]), count);
    any = any || shadow.has_values(tags[k].data(), count, false);
  }
  const std::size_t bytes = how.bytes[0];
  if (!any || bytes > most) return follow_integers(operation, how, warp, on, shadow);
  // The second run has the complement of the first one's labels, so that no bit of a label is the same in all runs. The
  // same place among the operands of an instruction has the same label.
  const auto label = [&](std::size_t operand, std::size_t byte, std::size_t run) {
    std::size_t first = operand;
    for (std::size_t k = 0; k < operand; ++k) {
      if (usable(k) && slots[k] == slots[operand]) first = std::min(first, k);
    }
    const auto number = static_cast<std::uint8_t>(first * most + byte);
    const auto one = static_cast<std::uint8_t>(number * 37 + 11);
    return run == 0   ? one
           : run == 1 ? static_cast<std::uint8_t>(~one)
                      : static_cast<std::uint8_t>((number * 101 + 7) ^ 0x5a);
  };
  auto* d = warp.at<std::uint8_t>(operation.d);
  std::array<std::uint8_t, most * lanes_of_warp> result_before{};
  std::memcpy(result_before.data(), d, bytes * lanes_of_warp);
  std::array<std::array<std::uint8_t, most * lanes_of_warp>, runs> results{};
  for (std::size_t run = 0; run < runs; ++run) {
    for (std::size_t k = 0; k < 4; ++k) {
      if (!usable(k) || (slots[k] & constant_slot) != 0) continue;
      auto* at = warp.at<std::uint8_t>(slots[k]);
      const std::size_t size = how.bytes[2 + k];
      for (std::size_t i = 0; i < size * lanes_of_warp; ++i)
        at[i] = tags[k][i] != 0 ? label(k, i % size, run) : before[k][i];
    }
    operation.run(operation, warp, on);
    std::memcpy(results[run].data(), d, bytes * lanes_of_warp);
    std::memcpy(d, result_before.data(), bytes * lanes_of_warp);
    for (std::size_t k = 0; k < 4; ++k) {
      if (usable(k) && (slots[k] & constant_slot) == 0)
        std::memcpy(warp.at<std::uint8_t>(slots[k]), before[k].data(), std::size_t{how.bytes[2 + k]} * lanes_of_warp);
    }
  }
  Tag* to = shadow.tags(warp, operation.d);
  bool mixes = false;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const std::size_t lane = lane_of(rest);
    for (std::size_t i = 0; i < bytes; ++i) {
      const std::size_t at = lane * bytes + i;
      Tag found = 0;
      bool known = results[0][at] == results[1][at] && results[0][at] == results[2][at];
      for (std::size_t k = 0; k < 4 && !known; ++k) {
        if (!usable(k)) continue;
        const std::size_t size = how.bytes[2 + k];
        for (std::size_t j = 0; j < size && !known; ++j) {
          if (tags[k][lane * size + j] == 0) continue;
          known =
              results[0][at] == label(k, j, 0) && results[1][at] == label(k, j, 1) && results[2][at] == label(k, j, 2);
          if (known) found = tags[k][lane * size + j];
        }
      }
      mixes = mixes || !known;
      to[at] = found;
    }
  }
  if (mixes) {
    for (std::size_t k = 0; k < 4; ++k) {
      for (Mask rest = on; rest != 0 && usable(k); rest &= rest - 1) {
        const std::size_t size = how.bytes[2 + k];
        if (!shadow.has_values(tags[k].data() + lane_of(rest) * size, size, true)) continue;
        shadow.report(operation, warp, FindingKind::meaningless_use, fmt::format(fmt::runtime(of_integers), shadow.values().name()));
        break;
      }
    }
  }
  operation.run(operation, warp, on);
}

namespace {

/// Carries out a load or store. Before that, `f` is called for each lane and each register of the access: the lane, the
/// register, and the tags of its bytes in memory.
template <class F>
void follow_access(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow, bool stores,
                   F&& f) {
  const Kernel& kernel = warp.machine().kernel();
  const Access& access = kernel.accesses[operation.extra];
  const Slot* slots = kernel.slots.data() + access.slots;
  shadow.check(operation, warp, operation.a, how.bytes[2], on, of_address);
  std::array<std::uint64_t, lanes_of_warp> where;
  addresses(operation, warp, access, on, where);
  const std::uint32_t bytes = std::uint32_t{access.bytes} * access.count;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const std::size_t lane = lane_of(rest);
    const Reached reached = warp.reach(operation, access, where[lane], static_cast<int>(lane), stores);
    if (reached.data == nullptr) return;
    Tag* memory = shadow.tags(warp, reached, static_cast<int>(lane), bytes);
    for (std::size_t k = 0; k < access.count; ++k) f(access, lane, slots[k], memory + k * access.bytes);
  }
  operation.run(operation, warp, on);
}

}  // namespace

void follow_load(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  follow_access(operation, how, warp, on, shadow, false,
                [&](const Access& access, std::size_t lane, Slot slot, const Tag* from) {
                  if (slot == no_slot) return;
                  Tag* to = shadow.tags(warp, slot) + lane * access.reg_bytes;
                  if (access.bytes == 4 && access.reg_bytes == 4) {
                    std::memcpy(to, from, 4 * sizeof(Tag));
                    return;
                  }
                  Shadow::clear(to, access.reg_bytes);
                  std::copy_n(from, access.bytes, to);
                });
}

void follow_store(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  follow_access(operation, how, warp, on, shadow, true,
                [&](const Access& access, std::size_t lane, Slot slot, Tag* to) {
                  std::copy_n(shadow.tags(warp, slot) + lane * access.reg_bytes, access.bytes, to);
                });
}

void follow_load_parameter(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  const Access& access = warp.machine().kernel().accesses[operation.extra];
  const Slot* slots = warp.machine().kernel().slots.data() + access.slots;
  const Tag* from = shadow.tags(warp, operation.b) + operation.offset;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const std::size_t lane = lane_of(rest);
    for (std::size_t k = 0; k < access.count; ++k) {
      if (slots[k] == no_slot) continue;
      Tag* to = shadow.tags(warp, slots[k]) + lane * access.reg_bytes;
      Shadow::clear(to, access.reg_bytes);
      std::copy_n(from + lane * operation.target + k * access.bytes, access.bytes, to);
    }
  }
  operation.run(operation, warp, on);
}

void follow_store_parameter(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  const Access& access = warp.machine().kernel().accesses[operation.extra];
  const Slot* slots = warp.machine().kernel().slots.data() + access.slots;
  Tag* to = shadow.tags(warp, operation.b) + operation.offset;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const std::size_t lane = lane_of(rest);
    for (std::size_t k = 0; k < access.count; ++k)
      std::copy_n(shadow.tags(warp, slots[k]) + lane * access.reg_bytes, access.bytes,
                  to + lane * operation.target + k * access.bytes);
  }
  operation.run(operation, warp, on);
}

void follow_results(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  const Kernel& kernel = warp.machine().kernel();
  const Call& call = kernel.calls[operation.extra];
  for (std::size_t k = 0; k < call.results.size(); ++k) {
    for (Mask rest = on; rest != 0; rest &= rest - 1) {
      const std::size_t lane = lane_of(rest);
      const Part& part = kernel.parts[call.by_address ? warp.returned_from(std::countr_zero(rest)) : call.part];
      const Tag* from = shadow.tags(warp, part.results[k]);
      Tag* to = shadow.tags(warp, call.results[k]);
      const std::size_t wide = call.result_bytes[k], given = part.result_bytes[k];
      Shadow::clear(to + lane * wide, wide);
      std::copy_n(from + lane * given, std::min(wide, given), to + lane * wide);
    }
  }
  operation.run(operation, warp, on);
}

/// What the system gives is no value. What it prints of values are their patterns.
void follow_call_of_system(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  const Call& call = warp.machine().kernel().calls[operation.extra];
  for (std::size_t k = 0; k < call.results.size(); ++k) {
    for (Mask rest = on; rest != 0; rest &= rest - 1)
      Shadow::clear(shadow.tags(warp, call.results[k]) + lane_of(rest) * call.result_bytes[k], call.result_bytes[k]);
  }
  operation.run(operation, warp, on);
}

/// The instruction is carried out on the numbers of the lanes first, which says whose value each lane takes.
void follow_shuffle(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  if (operation.d == no_slot) return operation.run(operation, warp, on);
  shadow.check(operation, warp, operation.b, how.bytes[3], on, of_integers);
  std::array<Tag, 4 * lanes_of_warp> tags;
  std::copy_n(shadow.tags(warp, operation.a), tags.size(), tags.data());
  auto* d = warp.at<std::uint32_t>(operation.d);
  std::array<std::uint32_t, lanes_of_warp> before, result_before, from;
  if ((operation.a & constant_slot) == 0) {
    auto* a = warp.at<std::uint32_t>(operation.a);
    std::array<std::uint32_t, lanes_of_warp> by;
    const Mask predicate = operation.e == no_slot ? 0 : warp.mask(operation.e);
    std::copy_n(a, lanes_of_warp, before.data());
    std::copy_n(d, lanes_of_warp, result_before.data());
    std::copy_n(warp.at<std::uint32_t>(operation.b), lanes_of_warp, by.data());
    // The distance may be in the register of the value.
    if (operation.b == operation.a) return follow_integers(operation, how, warp, on, shadow);
    for (std::uint32_t lane = 0; lane < lanes_of_warp; ++lane) a[lane] = lane;
    operation.run(operation, warp, on);
    std::copy_n(d, lanes_of_warp, from.data());
    std::copy_n(result_before.data(), lanes_of_warp, d);
    std::copy_n(before.data(), lanes_of_warp, a);
    if (operation.b != no_slot && (operation.b & constant_slot) == 0)
      std::copy_n(by.data(), lanes_of_warp, warp.at<std::uint32_t>(operation.b));
    if (operation.e != no_slot) warp.mask(operation.e) = predicate;
  } else {
    for (std::uint32_t lane = 0; lane < lanes_of_warp; ++lane) from[lane] = lane;
  }
  Tag* to = shadow.tags(warp, operation.d);
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const std::size_t lane = lane_of(rest);
    std::copy_n(tags.data() + std::size_t{from[lane] & 31} * 4, 4, to + lane * 4);
  }
  operation.run(operation, warp, on);
}

}  // namespace reckon::ptx
