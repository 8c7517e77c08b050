// Loads and stores (PTX ISA 9.0, 9.7.9: ld, st, ldu, prefetch and their kin).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/emulate/reach.h"

namespace reckon::ptx {

void addresses(const Operation& operation, Warp& warp, const Access& access, Mask on,
               std::array<std::uint64_t, lanes_of_warp>& out) {
  const auto offset = static_cast<std::uint64_t>(operation.offset);
  const bool of_frame = (operation.mode & 0x100) != 0;
  if (access.wide_address) {
    const auto* base = warp.at<std::uint64_t>(operation.a);
    for_lanes(on, [&](int lane) { out[static_cast<std::size_t>(lane)] = base[lane] + offset; });
  } else {
    const auto* base = warp.at<std::uint32_t>(operation.a);
    for_lanes(on,
              [&](int lane) { out[static_cast<std::size_t>(lane)] = base[lane] + static_cast<std::uint32_t>(offset); });
  }
  if (!of_frame) return;
  for_lanes(on, [&](int lane) { out[static_cast<std::size_t>(lane)] += warp.frame(lane); });
}

bool is_unwritten_read(const Operation& operation, Warp& warp, const Reached& reached, std::uint32_t bytes) {
  if (reached.is_shared) {
    if (reached.owner != &warp.block()) {
      reached.owner->touched_from_outside(warp, operation, reached.offset, bytes, false);
      return reached.owner->is_unwritten(reached.offset, bytes);
    }
    return warp.block().read_shared(warp, operation, reached.offset, bytes);
  }
  return reached.allocation != nullptr &&
         warp.block().touch_global(warp, operation, *reached.allocation, reached.offset, bytes, false);
}
std::string place_text(const Reached& reached) {
  return reached.is_shared ? fmt::format("byte {} of shared memory", reached.offset)
                           : fmt::format("byte {} of {}", reached.offset, reached.allocation->name);
}
void note_read(const Operation& operation, Warp& warp, const Reached& reached, std::uint32_t bytes) {
  if (is_unwritten_read(operation, warp, reached, bytes))
    warp.machine().finding(operation, FindingKind::unwritten_read, [&] {
      return fmt::format("{} is read before anything was written there", place_text(reached));
    });
}
void note_write(const Operation& operation, Warp& warp, const Reached& reached, std::uint32_t bytes, bool keeps) {
  ++warp.machine().progress;
  if (reached.is_shared && reached.owner != &warp.block()) {
    reached.owner->touched_from_outside(warp, operation, reached.offset, bytes, true, keeps);
    reached.owner->written_from_outside(reached.offset, bytes);
  } else if (reached.is_shared) warp.block().write_shared(warp, operation, reached.offset, bytes, keeps);
  else if (reached.allocation != nullptr)
    warp.block().touch_global(warp, operation, *reached.allocation, reached.offset, bytes, true, keeps);
}

void count_request(const Operation& operation, Warp& warp, const Access& access, Mask on,
                   const std::array<std::uint64_t, lanes_of_warp>& where, bool is_shared) {
  LaunchReport& report = warp.machine().report();
  OperationCounts* profile =
      warp.machine().profile.empty() ? nullptr : &warp.machine().profile[warp.machine().number_of(operation)];
  const std::uint32_t bytes = std::uint32_t{access.bytes} * access.count;
  std::array<std::uint64_t, lanes_of_warp> found;
  std::size_t count = 0;
  if (!is_shared) {
    const auto threads = static_cast<std::uint64_t>(std::popcount(on));
    for (; on != 0; on &= on - 1) {
      const std::uint64_t sector = where[static_cast<std::size_t>(std::countr_zero(on))] / 32;
      if (count == 0 || found[count - 1] != sector) found[count++] = sector;
    }
    std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
    const auto end = std::unique(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
    ++report.global_requests;
    const auto sectors = static_cast<std::uint64_t>(end - found.begin());
    report.global_sectors += sectors;
    if (profile == nullptr) return;
    ++profile->global_requests;
    profile->global_bytes += threads * bytes;
    profile->global_sectors += sectors;
    return;
  }
  // Threads that take more than 4 bytes go in halves and quarters of a warp.
  const int at_once = std::max<int>(1, lanes_of_warp / static_cast<int>(std::max(1u, bytes / 4)));
  ++report.shared_requests;
  std::uint64_t wavefronts = 0, least = 0;
  for (int begin = 0; begin < lanes_of_warp; begin += at_once) {
    std::array<std::uint8_t, 32> load{};
    std::size_t words = 0;
    std::array<std::uint64_t, 4 * lanes_of_warp> seen;
    for (int lane = begin; lane < begin + at_once; ++lane) {
      if ((on >> lane & 1) == 0) continue;
      for (std::uint32_t k = 0; k < std::max(1u, bytes / 4); ++k) {
        const std::uint64_t word = where[static_cast<std::size_t>(lane)] / 4 + k;
        if (std::find(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(words), word) !=
            seen.begin() + static_cast<std::ptrdiff_t>(words))
          continue;
        if (words < seen.size()) seen[words++] = word;
        ++load[word % 32];
      }
    }
    wavefronts += *std::max_element(load.begin(), load.end());
    if (words > 0) ++least;
  }
  report.shared_wavefronts += wavefronts;
  if (profile == nullptr) return;
  ++profile->shared_requests;
  profile->shared_wavefronts += wavefronts;
  profile->least_wavefronts += least;
}

std::uint64_t key_of(const Reached& reached) {
  // Of a cluster, any block may synchronise there.
  constexpr std::uint64_t of_cluster = std::uint64_t{1} << 63;
  if (reached.is_shared && reached.owner->cluster().size() > 1)
    return of_cluster | std::uint64_t{reached.owner->number()} << rank_shift | reached.offset;
  return reached.is_shared               ? shared_window + reached.offset
         : reached.allocation != nullptr ? reached.allocation->base + reached.offset
                                         : 0;
}
namespace {

/// Whether several blocks may synchronise there.
bool is_among_blocks(const Reached& reached) { return !reached.is_shared || reached.owner->cluster().size() > 1; }

}  // namespace

void acquire_at(Warp& warp, const Reached& reached) {
  warp.block().acquire(warp, key_of(reached), is_among_blocks(reached));
}
void release_at(Warp& warp, const Reached& reached, bool itself) {
  warp.block().release(warp, key_of(reached), itself, is_among_blocks(reached));
}

Space space_of(const Instruction& instruction) {
  for (const std::string_view part : instruction.parts) {
    if (part == "global") return Space::global;
    if (part == "shared" || part == "shared::cta" || part == "shared::cluster") return Space::shared;
    if (part == "local") return Space::local;
    if (part == "const") return Space::constant;
    if (part == "param" || part == "param::entry" || part == "param::func") return Space::param;
  }
  return Space::generic;
}

void set_order(const Instruction& instruction, Access& access) {
  access.acquires = instruction.has("acquire") || instruction.has("acq_rel");
  access.of_cluster = instruction.has("shared::cluster");
  access.releases = instruction.has("release") || instruction.has("acq_rel");
  access.strong = access.acquires || access.releases || instruction.has("volatile") || instruction.has("relaxed") ||
                  instruction.has("mmio");
}

namespace {

/// A store by two lanes of different values to one place: which one stays is not said.
void check_same_place(const Operation& operation, Warp& warp, const Access& access, Mask on,
                      const std::array<std::uint64_t, lanes_of_warp>& where) {
  std::uint64_t last = where[static_cast<std::size_t>(std::countr_zero(on))];
  bool rises = true;
  for (Mask rest = on & (on - 1); rest != 0 && rises; rest &= rest - 1) {
    const std::uint64_t at = where[static_cast<std::size_t>(std::countr_zero(rest))];
    rises = at > last;
    last = at;
  }
  if (rises || access.strong) return;
  const Slot* slots = warp.machine().kernel().slots.data() + access.slots;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    for (Mask other = rest & (rest - 1); other != 0; other &= other - 1) {
      const auto second = static_cast<std::size_t>(std::countr_zero(other));
      // Generic addresses of local variables are each lane's own.
      if (where[lane] != where[second] || is_in_window(where[lane], local_window)) continue;
      bool differs = false;
      for (std::size_t k = 0; k < access.count; ++k) {
        const auto* from = warp.at<std::uint8_t>(slots[k]);
        differs =
            differs || std::memcmp(from + lane * access.reg_bytes, from + second * access.reg_bytes, access.bytes) != 0;
      }
      if (!differs) continue;
      warp.machine().finding(operation, FindingKind::lanes_disagree, [&] {
        return fmt::format("race: lanes {} and {} of a warp store different values to one place", lane, second);
      });
      return;
    }
  }
}

bool is_untouched(const Reached& reached, std::uint64_t at, std::uint32_t bytes) {
  if (reached.is_shared) return reached.owner->is_untouched(reached.offset + at, bytes);
  for (std::uint32_t k = 0; k < bytes; ++k) {
    if (!reached.allocation->is_unwritten(reached.offset + at + k, 1)) return false;
  }
  return true;
}

/// Local memory is each thread's own, and no two lanes meet there.
bool has_checks(const Access& access) { return access.space != Space::local && access.space != Space::param; }

void load(const Operation& operation, Warp& warp, Mask on) {
  const Kernel& kernel = warp.machine().kernel();
  const Access& access = kernel.accesses[operation.extra];
  const Slot* slots = kernel.slots.data() + access.slots;
  std::array<std::uint64_t, lanes_of_warp> where;
  addresses(operation, warp, access, on, where);
  for (std::size_t k = 0; k < access.count; ++k) warp.clear_poison(slots[k], on);
  bool is_shared = false, is_global = false;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto n = static_cast<std::size_t>(lane);
    const Reached reached = warp.reach(operation, access, where[n], lane, false);
    if (reached.data == nullptr) return;
    is_shared = reached.is_shared;
    is_global = reached.allocation != nullptr;
    if (has_checks(access)) {
      Reached used = reached;
      used.offset += std::uint64_t{access.first_used} * access.bytes;
      if (access.strong) acquire_at(warp, reached);
      if (access.used > 0 && is_unwritten_read(operation, warp, used, std::uint32_t{access.used} * access.bytes)) {
        // Compilers load words of which they need some bytes: an element counts if nobody wrote any of it.
        for (std::size_t k = 0; k < access.count; ++k) {
          if (slots[k] != no_slot && is_untouched(reached, k * access.bytes, access.bytes)) warp.poison(slots[k], lane);
        }
      }
    }
    for (std::size_t k = 0; k < access.count; ++k) {
      if (slots[k] == no_slot) continue;
      std::uint8_t* to = warp.at<std::uint8_t>(slots[k]) + n * access.reg_bytes;
      const std::uint8_t* from = reached.data + k * access.bytes;
      if (access.reg_bytes == access.bytes) {
        if (access.bytes == 4) std::memcpy(to, from, 4);
        else std::memcpy(to, from, access.bytes);
        continue;
      }
      std::uint64_t word = 0;
      std::memcpy(&word, from, access.bytes);
      if (access.is_signed) {
        const int up = 64 - 8 * access.bytes;
        word = static_cast<std::uint64_t>(static_cast<std::int64_t>(word << up) >> up);
      }
      std::memcpy(to, &word, access.reg_bytes);
    }
  }
  if (is_shared || is_global) count_request(operation, warp, access, on, where, is_shared);
}

}  // namespace

void put_elements(const Operation& operation, Warp& warp, const Access& access, int lane, const Reached& reached) {
  const Slot* slots = warp.machine().kernel().slots.data() + access.slots;
  const auto n = static_cast<std::size_t>(lane);
  for (std::size_t k = 0; k < access.count; ++k) {
    std::memcpy(reached.data + k * access.bytes, warp.at<std::uint8_t>(slots[k]) + n * access.reg_bytes, access.bytes);
    const Poison poison = warp.poison_of(slots[k]);
    if ((poison.lanes >> lane & 1) == 0) continue;
    if (poison.division != nullptr) report_division(warp.machine(), *poison.division);
    else if (reached.is_shared) reached.owner->forget_shared(reached.offset + k * access.bytes, access.bytes);
    else if (reached.allocation != nullptr)
      warp.machine().finding(operation, FindingKind::unwritten_store, [&] {
        return fmt::format("a value is stored that comes from memory nobody wrote: to {}", place_text(reached));
      });
  }
}

namespace {

void store(const Operation& operation, Warp& warp, Mask on) {
  const Kernel& kernel = warp.machine().kernel();
  const Access& access = kernel.accesses[operation.extra];
  const Slot* slots = kernel.slots.data() + access.slots;
  std::array<std::uint64_t, lanes_of_warp> where;
  addresses(operation, warp, access, on, where);
  const std::uint32_t bytes = std::uint32_t{access.bytes} * access.count;
  if (has_checks(access)) check_same_place(operation, warp, access, on, where);
  bool is_shared = false, is_global = false;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto n = static_cast<std::size_t>(lane);
    const Reached reached = warp.reach(operation, access, where[n], lane, true);
    if (reached.data == nullptr) return;
    is_shared = reached.is_shared;
    is_global = reached.allocation != nullptr;
    if (has_checks(access)) {
      if (access.strong) release_at(warp, reached, access.releases);
      bool keeps = true;
      for (std::size_t k = 0; k < access.count && keeps; ++k)
        keeps = std::memcmp(reached.data + k * access.bytes, warp.at<std::uint8_t>(slots[k]) + n * access.reg_bytes,
                            access.bytes) == 0;
      note_write(operation, warp, reached, bytes, keeps);
    }
    put_elements(operation, warp, access, lane, reached);
  }
  if (is_shared || is_global) count_request(operation, warp, access, on, where, is_shared);
}

/// Parameters of functions lie among the registers, in the slot `b`: for each lane `target` bytes, of which those from
/// `offset` on are taken.
void load_parameter(const Operation& operation, Warp& warp, Mask on) {
  const Access& access = warp.machine().kernel().accesses[operation.extra];
  const Slot* slots = warp.machine().kernel().slots.data() + access.slots;
  const auto* from = warp.at<std::uint8_t>(operation.b);
  for (; on != 0; on &= on - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(on));
    for (std::size_t k = 0; k < access.count; ++k) {
      if (slots[k] == no_slot) continue;
      std::uint64_t word[2] = {0, 0};
      std::memcpy(word, from + lane * operation.target + static_cast<std::size_t>(operation.offset) + k * access.bytes,
                  access.bytes);
      if (access.is_signed && access.bytes < 8) {
        const int up = 64 - 8 * access.bytes;
        word[0] = static_cast<std::uint64_t>(static_cast<std::int64_t>(word[0] << up) >> up);
      }
      std::memcpy(warp.at<std::uint8_t>(slots[k]) + lane * access.reg_bytes, word, access.reg_bytes);
    }
  }
}
void store_parameter(const Operation& operation, Warp& warp, Mask on) {
  const Access& access = warp.machine().kernel().accesses[operation.extra];
  const Slot* slots = warp.machine().kernel().slots.data() + access.slots;
  auto* to = warp.at<std::uint8_t>(operation.b);
  for (; on != 0; on &= on - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(on));
    for (std::size_t k = 0; k < access.count; ++k)
      std::memcpy(to + lane * operation.target + static_cast<std::size_t>(operation.offset) + k * access.bytes,
                  warp.at<std::uint8_t>(slots[k]) + lane * access.reg_bytes, access.bytes);
  }
}

void nothing(const Operation&, Warp&, Mask) {}

/// Of a function's own parameters, in registers; false if the operand is none.
bool decode_parameter(Decoder& decoder, Operation& operation, const Operand& place, Access& access, bool loads) {
  if (place.kind != Operand::Kind::address || place.count != 1) return false;
  const Operand& base = decoder.child(place, 0);
  if (base.kind != Operand::Kind::variable) return false;
  const auto slot = decoder.parameter_slot(base.index);
  if (!slot) return false;
  const std::uint64_t bytes = decoder.variable(base.index).bytes;
  if (base.bits + std::uint64_t{access.bytes} * access.count > bytes)
    return decoder.fail(fmt::format("the parameter `{}` has only {} bytes", decoder.variable(base.index).name, bytes));
  operation.b = *slot;
  operation.target = static_cast<std::uint32_t>(bytes);
  operation.offset = static_cast<std::int64_t>(base.bits);
  operation.extra = decoder.add_access(access);
  operation.run = loads ? load_parameter : store_parameter;
  operation.effect = Effect::opaque;
  return true;
}

}  // namespace

bool set_elements(Decoder& decoder, const Operand& operand, Type type, bool loads, Access& access) {
  std::vector<Slot> slots;
  const int bits = bits_of(type);
  int reg_bits = 0, first_bits = 0;
  const std::uint32_t count = operand.kind == Operand::Kind::list ? operand.count : 1;
  for (std::uint32_t k = 0; k < count; ++k) {
    const Operand& one = operand.kind == Operand::Kind::list ? decoder.child(operand, k) : operand;
    if (one.kind == Operand::Kind::sink) {
      slots.push_back(no_slot);
      continue;
    }
    slots.push_back(loads                            ? decoder.wide_result(one, bits, reg_bits)
                    : one.kind == Operand::Kind::reg ? decoder.wide_source(one, bits, reg_bits)
                                                     : decoder.source(one, type));
    if (one.kind != Operand::Kind::reg) reg_bits = bits;
    if (first_bits == 0) first_bits = reg_bits;
    if (reg_bits != first_bits) {
      // A number among registers that are wider than the type: as wide as these.
      if (one.kind == Operand::Kind::number && !one.real) slots.back() = decoder.constant_slot_of(one.bits, first_bits);
      else return !decoder.fail("the registers of a vector have one width");
    }
  }
  const Instruction& instruction = decoder.instruction();
  const std::uint32_t vector = instruction.has("v2") ? 2 : instruction.has("v4") ? 4 : instruction.has("v8") ? 8 : 1;
  if (vector != count)
    return !decoder.fail(fmt::format("`{}` needs {} registers, not {}", instruction.opcode, vector, count));
  access.count = access.used = static_cast<std::uint8_t>(count);
  if (loads && operand.kind == Operand::Kind::list) {
    std::uint32_t begin = 0, end = count;
    while (begin < end && decoder.is_unused(decoder.child(operand, begin))) ++begin;
    while (end > begin && decoder.is_unused(decoder.child(operand, end - 1))) --end;
    access.first_used = static_cast<std::uint8_t>(begin);
    access.used = static_cast<std::uint8_t>(end - begin);
  }
  access.bytes = static_cast<std::uint8_t>(bits / 8);
  access.reg_bytes = static_cast<std::uint8_t>(first_bits == 0 ? access.bytes : first_bits / 8);
  access.is_signed = is_signed(type);
  access.slots = decoder.add_slots(slots);
  return !decoder.failed();
}

bool decode_memory(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name == "prefetch" || one.name == "prefetchu" || one.name == "applypriority" || one.name == "discard" ||
      one.name == "createpolicy" || (one.name == "griddepcontrol")) {
    operation.run = nothing;
    operation.effect = Effect::opaque;
    if (one.name == "createpolicy" && !one.operands.empty()) {
      operation.d = decoder.result(decoder.operand(0), 64);
    }
    return one.name != "discard";
  }
  const bool loads = one.name == "ld" || one.name == "ldu";
  if (!loads && one.name != "st") return false;
  const auto types = decoder.types();
  if (types.size() != 1 || types[0] == Type::pred) return false;
  if (one.has("async")) return false;
  if (!decoder.has_operands(2, 3)) return true;  // the third is a policy of the cache
  Access access;
  access.space = space_of(one);
  set_order(one, access);
  if (!set_elements(decoder, decoder.operand(loads ? 0 : 1), types[0], loads, access)) return true;
  const Operand& place = decoder.operand(loads ? 1 : 0);
  if (access.space == Space::param && decode_parameter(decoder, operation, place, access, loads)) return true;
  if (access.space == Space::constant) access.space = Space::global;
  if (!decoder.address(place, operation, access)) return true;
  if (access.space == Space::param && !loads) return decoder.fail("a kernel's parameters cannot be stored to");
  decoder.narrow_granule(access);
  operation.extra = decoder.add_access(access);
  operation.run = loads ? load : store;
  operation.effect = loads ? Effect::load : Effect::store;
  return true;
}

}  // namespace reckon::ptx
