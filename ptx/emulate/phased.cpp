// Barriers in shared memory with phases, and the copies in bulk that they wait for (PTX ISA 9.0, 9.7.13.15: mbarrier;
// 9.7.9.27: cp.async.bulk). A copy is carried out where it begins; whoever reads what it brings without having waited
// for its barrier is found as a race.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/emulate/phased.h"
#include "ptx/emulate/reach.h"
#include "ptx/emulate/tensor_map.h"

namespace reckon::ptx {

PhasedBarrier* phased_at(const Operation& operation, Warp& warp, std::uint64_t address) {
  if (is_in_window(address, shared_window)) address -= shared_window;
  Block* owner = &warp.block();
  if (const std::uint64_t above = address >> rank_shift; above != 0) {
    owner = warp.block().cluster().block(above - 1);
    address &= (std::uint64_t{1} << rank_shift) - 1;
  }
  if (owner != nullptr) {
    const auto found = owner->phased.find(static_cast<std::uint32_t>(address));
    if (found != owner->phased.end()) return &found->second;
  }
  warp.machine().fault(operation, warp,
                       fmt::format("there is no mbarrier at 0x{:x} of shared memory: none was initialised there",
                                   address));
  return nullptr;
}

namespace {

void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  into.resize(std::max(into.size(), from.size()), 0);
  for (std::size_t k = 0; k < from.size(); ++k) into[k] = std::max(into[k], from[k]);
}

void complete_if_done(Warp& warp, PhasedBarrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  join(barrier.clock, barrier.gathering);
  ++warp.machine().progress;
}

/// What the warp did, or the copies that it began, comes before what waits for the phase.
void give_clock(Warp& warp, PhasedBarrier& barrier, bool of_copies) {
  if (!warp.machine().options().finds_races) return;
  warp.block().join_into(barrier.gathering, of_copies ? warp.block().agent() : warp.number());
  if (!of_copies) warp.block().fence(warp);
}

enum class Action : std::uint8_t { init, inval, arrive, arrive_drop, expect, complete, test };

/// Mode: the Action; 0x10: with bytes; 0x20: parity. d: the state, or e: the
/// predicate; b: a count, bytes, a state or a parity.
void act(const Operation& operation, Warp& warp, Mask on) {
  const Access& access = warp.machine().kernel().accesses[operation.extra];
  std::array<std::uint64_t, lanes_of_warp> where;
  addresses(operation, warp, access, on, where);
  const auto action = static_cast<Action>(operation.mode & 15);
  const bool with_bytes = (operation.mode & 0x10) != 0, parity = (operation.mode & 0x20) != 0;
  Mask done = 0;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto n = static_cast<std::size_t>(lane);
    const std::uint32_t given =
        operation.b == no_slot || (action == Action::test && !parity) ? 1 : warp.at<std::uint32_t>(operation.b)[lane];
    const Reached reached = warp.reach(operation, access, where[n], lane, true);
    if (reached.data == nullptr) return;
    if (action == Action::init) {
      if (given == 0 || given >= (1u << 20)) {
        warp.machine().fault(operation, warp, fmt::format("an mbarrier is for 1 to 2^20 - 1 arrivals, not {}", given));
        return;
      }
      PhasedBarrier made;
      made.expected = made.pending = given;
      warp.block().phased[static_cast<std::uint32_t>(reached.offset)] = made;
      continue;
    }
    PhasedBarrier* barrier = phased_at(operation, warp, where[n]);
    if (barrier == nullptr) return;
    switch (action) {
      case Action::inval: warp.block().phased.erase(static_cast<std::uint32_t>(reached.offset)); break;
      case Action::arrive:
      case Action::arrive_drop: {
        const std::uint32_t count = with_bytes ? 1 : given;
        if (count > barrier->pending) {
          warp.machine().fault(operation, warp,
                               fmt::format("{} threads arrive at an mbarrier that waits for {} more", count,
                                           barrier->pending));
          return;
        }
        if (operation.d != no_slot) warp.at<std::uint64_t>(operation.d)[lane] = barrier->phase;
        if (with_bytes) barrier->bytes += given;
        if (action == Action::arrive_drop) --barrier->expected;
        barrier->pending -= count;
        give_clock(warp, *barrier, false);
        complete_if_done(warp, *barrier);
        break;
      }
      case Action::expect: barrier->bytes += given; break;
      case Action::complete:
        barrier->bytes -= given;
        complete_if_done(warp, *barrier);
        break;
      default: {
        const bool is_done =
            parity ? (barrier->phase & 1) != (given & 1)
                   : barrier->phase != static_cast<std::uint32_t>(warp.at<std::uint64_t>(operation.b)[lane]);
        if (!is_done) break;
        done |= Mask{1} << lane;
        if (warp.machine().options().finds_races) warp.block().join_from(barrier->clock, warp.number());
      }
    }
  }
  if (action != Action::test) return;
  warp.put(operation.e, done, on);
  if (done != on) warp.yield();
}

bool decode_barrier(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  static constexpr std::pair<std::string_view, Action> actions[] = {
      {"init", Action::init},      {"inval", Action::inval},      {"arrive_drop", Action::arrive_drop},
      {"arrive", Action::arrive},  {"expect_tx", Action::expect}, {"complete_tx", Action::complete},
      {"test_wait", Action::test}, {"try_wait", Action::test}};
  const auto found = std::find_if(std::begin(actions), std::end(actions),
                                  [&](const auto& row) { return !one.parts.empty() && one.parts[0] == row.first; });
  if (found == std::end(actions) || one.has("noComplete")) return false;
  Access access;
  access.space = space_of(one);
  access.bytes = 8;
  access.strong = true;
  const Action action = found->second;
  operation.mode = static_cast<std::uint16_t>(action);
  std::size_t at = 0;
  const bool gives = action == Action::arrive || action == Action::arrive_drop || action == Action::test;
  if (!decoder.has_operands(gives ? 2 : 1, 4)) return true;
  if (action == Action::test) operation.e = decoder.predicate_result(decoder.operand(at++));
  else if (gives && decoder.operand(0).kind != Operand::Kind::address)
    operation.d = decoder.result_or_none(decoder.operand(at++), 64);
  if (at >= one.operands.size() || !decoder.address(decoder.operand(at++), operation, access)) return true;
  if ((action == Action::arrive || action == Action::arrive_drop) && one.has("expect_tx")) operation.mode |= 0x10;
  if (action == Action::test && one.has("parity")) operation.mode |= 0x20;
  const bool by_state = action == Action::test && !one.has("parity");
  if (at < one.operands.size()) operation.b = decoder.source(decoder.operand(at), by_state ? Type::b64 : Type::b32);
  else if (action != Action::arrive && action != Action::arrive_drop && action != Action::inval)
    return decoder.fail(fmt::format("`{}` needs a further operand", one.opcode));
  operation.extra = decoder.add_access(access);
  operation.effect = Effect::opaque;
  operation.run = act;
  return true;
}

// ---- Copies in bulk ----

/// The bytes have come: the barrier of this address knows it.
void bring(const Operation& operation, Warp& warp, std::uint64_t barrier_address, std::uint64_t bytes) {
  PhasedBarrier* barrier = phased_at(operation, warp, barrier_address);
  if (barrier == nullptr) return;
  barrier->bytes -= static_cast<std::int64_t>(bytes);
  give_clock(warp, *barrier, true);
  complete_if_done(warp, *barrier);
}

std::uint64_t address_in(Warp& warp, Slot slot, bool wide, int lane) {
  return wide ? warp.at<std::uint64_t>(slot)[lane] : warp.at<std::uint32_t>(slot)[lane];
}

/// The operands of a copy, in the kernel's slots from `b` on... each with its width and offset.
struct Place {
  Slot slot = no_slot;
  bool wide = false;
  std::uint32_t offset = 0;
};
Place place_at(const Kernel& kernel, std::uint32_t index) {
  return {kernel.slots[index], kernel.slots[index + 1] != 0, kernel.slots[index + 2]};
}
std::uint64_t value_of(Warp& warp, const Place& place, int lane) {
  return address_in(warp, place.slot, place.wide, lane) +
         static_cast<std::uint64_t>(static_cast<std::int32_t>(place.offset));
}

/// `target`: 0: global to shared, 1: shared to global. Places: destination, source, barrier; c: the bytes.
void copy_bytes(const Operation& operation, Warp& warp, Mask on) {
  const Kernel& kernel = warp.machine().kernel();
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    const std::uint32_t bytes = warp.at<std::uint32_t>(operation.c)[lane];
    std::uint64_t to = value_of(warp, place_at(kernel, operation.b), lane),
                  from = value_of(warp, place_at(kernel, operation.b + 3), lane);
    if (((to | from | bytes) & 15) != 0) {
      warp.machine().fault(operation, warp,
                           fmt::format("addresses and sizes of copies in bulk are multiples of 16: 0x{:x}, 0x{:x}, {}",
                                       to, from, bytes));
      return;
    }
    Access shared, global;
    shared.space = Space::shared;
    global.space = Space::generic;
    shared.bytes = global.bytes = 1;
    const bool loads = operation.target == 0;
    for (std::uint32_t k = 0; k < bytes; k += 16) {
      shared.bytes = global.bytes = 16;
      const Reached a = warp.reach(operation, loads ? global : shared, from + k, lane, false);
      if (a.data == nullptr) return;
      const Reached b = warp.reach(operation, loads ? shared : global, to + k, lane, true);
      if (b.data == nullptr) return;
      note_read(operation, warp, a, 16);
      if (loads) warp.block().copied_shared(warp, operation, b.offset, 16);
      else note_write(operation, warp, b, 16);
      std::memcpy(b.data, a.data, 16);
    }
    if (loads) bring(operation, warp, value_of(warp, place_at(kernel, operation.b + 6), lane), bytes);
  }
}

/// A box of a tensor whose rows are copied one after the other.
class Box {
 public:
  Box(const Operation& operation, Warp& warp, const TensorMap& map, const std::int32_t* begin, std::uint64_t shared,
      int lane)
      : operation_(operation), warp_(warp), map_(map), begin_(begin), shared_(shared), lane_(lane) {}

  std::uint64_t bytes() const {
    std::uint64_t out = map_.element_bytes;
    for (int d = 0; d < map_.rank; ++d) out *= map_.box[d];
    return out;
  }
  void copy(bool loads) {
    const std::uint64_t row = std::uint64_t{map_.box[0]} * map_.element_bytes,
                        rows = bytes() / std::max<std::uint64_t>(row, 1);
    std::vector<std::uint8_t> buffer(row);
    std::uint32_t index[5] = {};
    for (std::uint64_t r = 0; r < rows && !warp_.machine().stopped(); ++r) {
      if (loads) {
        read_global(index, buffer);
        write_shared(r * row, buffer);
      } else {
        read_shared(r * row, buffer);
        write_global(index, buffer);
      }
      for (int d = 1; d < map_.rank; ++d) {
        if (++index[d] < map_.box[d]) break;
        index[d] = 0;
      }
    }
  }

 private:
  /// The part of the row that is within the tensor: its first element, their number, the address; nothing if none is.
  bool find(const std::uint32_t* index, std::int64_t& first, std::int64_t& count, std::uint64_t& address) const {
    address = map_.address;
    for (int d = 1; d < map_.rank; ++d) {
      const std::int64_t at = std::int64_t{begin_[d]} + index[d];
      if (at < 0 || at >= std::int64_t{map_.extents[d]}) return false;
      address += static_cast<std::uint64_t>(at) * map_.strides[d - 1];
    }
    first = std::max<std::int64_t>(0, -std::int64_t{begin_[0]});
    const std::int64_t end = std::min<std::int64_t>(map_.box[0], std::int64_t{map_.extents[0]} - begin_[0]);
    count = end - first;
    address += static_cast<std::uint64_t>((begin_[0] + first) * map_.element_bytes);
    return count > 0;
  }
  Reached global(std::uint64_t address, std::uint32_t bytes, bool stores) {
    // The last byte is reached first, so that the row is known to be within its memory.
    Access access;
    access.space = Space::global;
    access.bytes = 1;
    if (warp_.reach(operation_, access, address + bytes - 1, lane_, stores).data == nullptr) return {};
    return warp_.reach(operation_, access, address, lane_, stores);
  }
  void read_global(const std::uint32_t* index, std::vector<std::uint8_t>& row) {
    std::fill(row.begin(), row.end(), std::uint8_t{0});
    std::int64_t first = 0, count = 0;
    std::uint64_t address = 0;
    if (!find(index, first, count, address)) return;
    const auto bytes = static_cast<std::uint32_t>(count * map_.element_bytes);
    const Reached from = global(address, bytes, false);
    if (from.data == nullptr) return;
    note_read(operation_, warp_, from, bytes);
    std::memcpy(row.data() + first * map_.element_bytes, from.data, bytes);
  }
  void write_global(const std::uint32_t* index, const std::vector<std::uint8_t>& row) {
    std::int64_t first = 0, count = 0;
    std::uint64_t address = 0;
    if (!find(index, first, count, address)) return;
    const auto bytes = static_cast<std::uint32_t>(count * map_.element_bytes);
    const Reached to = global(address, bytes, true);
    if (to.data == nullptr) return;
    note_write(operation_, warp_, to, bytes);
    std::memcpy(to.data, row.data() + first * map_.element_bytes, bytes);
  }
  std::uint8_t* shared(std::uint64_t offset, std::uint32_t bytes, bool writes) {
    Access access;
    access.space = Space::shared;
    access.bytes = 1;
    const std::uint64_t place = swizzled(shared_ + offset, map_.swizzle);
    if (warp_.reach(operation_, access, place + bytes - 1, lane_, writes).data == nullptr) return nullptr;
    const Reached reached = warp_.reach(operation_, access, place, lane_, writes);
    if (reached.data == nullptr) return nullptr;
    if (writes) warp_.block().copied_shared(warp_, operation_, reached.offset, bytes);
    else note_read(operation_, warp_, reached, bytes);
    return reached.data;
  }
  void write_shared(std::uint64_t offset, const std::vector<std::uint8_t>& row) {
    for (std::size_t k = 0; k < row.size(); k += 16) {
      const auto bytes = static_cast<std::uint32_t>(std::min<std::size_t>(16, row.size() - k));
      std::uint8_t* to = shared(offset + k, bytes, true);
      if (to == nullptr) return;
      std::memcpy(to, row.data() + k, bytes);
    }
  }
  void read_shared(std::uint64_t offset, std::vector<std::uint8_t>& row) {
    for (std::size_t k = 0; k < row.size(); k += 16) {
      const auto bytes = static_cast<std::uint32_t>(std::min<std::size_t>(16, row.size() - k));
      const std::uint8_t* from = shared(offset + k, bytes, false);
      if (from == nullptr) return;
      std::memcpy(row.data() + k, from, bytes);
    }
  }

  const Operation& operation_;
  Warp& warp_;
  const TensorMap& map_;
  const std::int32_t* begin_;
  std::uint64_t shared_;
  int lane_;
};

/// Places: shared memory, the map, the barrier (of loads); then the slots of the coordinates. Mode: their number;
/// `target`: 0 loads, 1 stores.
void copy_box(const Operation& operation, Warp& warp, Mask on) {
  const Kernel& kernel = warp.machine().kernel();
  Access of_map;
  of_map.space = Space::generic;
  of_map.bytes = 64;
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    const std::uint64_t shared = value_of(warp, place_at(kernel, operation.b), lane);
    const std::uint64_t map_address = value_of(warp, place_at(kernel, operation.b + 3), lane);
    const Reached reached = warp.reach(operation, of_map, map_address, lane, false);
    if (reached.data == nullptr || warp.reach(operation, of_map, map_address + 64, lane, false).data == nullptr) return;
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), reached.data, sizeof map);
    if (map.magic != TensorMap::mark || map.rank != operation.mode) {
      warp.machine().fault(operation, warp,
                           map.magic != TensorMap::mark
                               ? fmt::format("there is no tensor map at 0x{:x}", map_address)
                               : fmt::format("the tensor map has {} dimensions, not {}", map.rank, operation.mode));
      return;
    }
    if ((shared & 127) != 0) {
      warp.machine().fault(operation, warp,
                           fmt::format("the address 0x{:x} of shared memory is no multiple of 128", shared));
      return;
    }
    std::int32_t begin[5] = {};
    for (std::uint32_t d = 0; d < operation.mode; ++d)
      begin[d] = warp.at<std::int32_t>(kernel.slots[operation.b + 9 + d])[lane];
    const std::uint64_t base =
        is_in_window(shared, shared_window) ? shared - shared_window : shared;
    Box box(operation, warp, map, begin, base, lane);
    box.copy(operation.target == 0);
    if (warp.machine().stopped()) return;
    if (operation.target == 0)
      bring(operation, warp, value_of(warp, place_at(kernel, operation.b + 6), lane), box.bytes());
  }
}

void nothing(const Operation&, Warp&, Mask) {}

/// cp.async.mbarrier.arrive: after the copies that the threads began. Mode 1: .noinc.
void arrive_after_copies(const Operation& operation, Warp& warp, Mask on) {
  const Access& access = warp.machine().kernel().accesses[operation.extra];
  std::array<std::uint64_t, lanes_of_warp> where;
  addresses(operation, warp, access, on, where);
  finish_copies(warp, on);
  for (; on != 0 && !warp.machine().stopped(); on &= on - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(on));
    PhasedBarrier* barrier = phased_at(operation, warp, where[lane]);
    if (barrier == nullptr) return;
    give_clock(warp, *barrier, false);
    if ((operation.mode & 1) == 0) continue;  // the arrival was added to those that are expected
    if (barrier->pending == 0) {
      warp.machine().fault(operation, warp, "more threads arrive at the mbarrier than it waits for");
      return;
    }
    --barrier->pending;
    complete_if_done(warp, *barrier);
  }
}

/// Adds the place of an address operand to the slots.
bool add_place(Decoder& decoder, const Operand& operand, std::vector<Slot>& slots) {
  if (operand.kind != Operand::Kind::address)
    return !decoder.fail(fmt::format("`{}` needs an address", decoder.instruction().opcode));
  const Operand& base = decoder.child(operand, 0);
  const int bits = base.kind == Operand::Kind::reg ? decoder.register_bits(base) : 64;
  if (bits != 32 && bits != 64) return !decoder.fail("an address is in a register of 32 or 64 bits");
  Operand plain = base;
  if (base.kind == Operand::Kind::reg) plain.bits = 0;
  slots.push_back(decoder.source(plain, bits == 32 ? Type::b32 : Type::b64));
  slots.push_back(bits == 64 ? 1 : 0);
  slots.push_back(base.kind == Operand::Kind::reg ? static_cast<std::uint32_t>(base.bits) : 0);
  return !decoder.failed();
}

bool decode_bulk(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.has("commit_group") || one.has("wait_group") || one.has("prefetch")) {
    operation.effect = Effect::opaque;
    operation.run = nothing;
    return true;
  }
  if (one.has("reduce") || one.has("im2col") || one.has("multicast::cluster") || one.has("tile::gather4")) return false;
  const bool stores = one.has("bulk_group"), tensor = one.has("tensor");
  if (!stores && !one.has("mbarrier::complete_tx::bytes")) return false;
  if (!decoder.has_operands(stores ? 2 : 3, 6)) return true;
  std::vector<Slot> slots;
  const std::size_t size_at = tensor ? 0 : 2;
  const Operand& to = decoder.operand(0);
  const Operand& from = decoder.operand(1);
  const Operand& shared = stores ? from : to;
  if (tensor) {
    const Operand& map = stores ? to : from;
    if (!add_place(decoder, shared, slots) || !add_place(decoder, map, slots)) return true;
    if (map.count != 2 || decoder.child(map, 1).kind != Operand::Kind::list)
      return decoder.fail("a copy of a box needs its coordinates");
    if (stores) slots.insert(slots.end(), {no_slot, 0, 0});
    else if (!add_place(decoder, decoder.operand(2), slots)) return true;
    const Operand& coordinates = decoder.child(map, 1);
    if (coordinates.count > 5 || !one.has(fmt::format("{}d", coordinates.count)))
      return decoder.fail("the box has another number of coordinates");
    operation.mode = static_cast<std::uint16_t>(coordinates.count);
    for (std::uint32_t k = 0; k < coordinates.count; ++k)
      slots.push_back(decoder.source(decoder.child(coordinates, k), Type::b32));
    operation.effect = Effect::opaque;
    operation.run = copy_box;
  } else {
    if (!add_place(decoder, to, slots) || !add_place(decoder, from, slots)) return true;
    operation.c = decoder.source(decoder.operand(size_at), Type::b32);
    if (!stores && (one.operands.size() < 4 || !add_place(decoder, decoder.operand(3), slots))) return true;
    operation.effect = Effect::opaque;
    operation.run = copy_bytes;
  }
  operation.target = stores ? 1 : 0;
  operation.b = decoder.add_slots(slots);
  Access access;
  access.bytes = 16;
  operation.extra = decoder.add_access(access);
  return true;
}

}  // namespace

bool decode_phased(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name == "mbarrier") return decode_barrier(decoder, operation);
  if (one.name != "cp") return false;
  if (one.has("mbarrier") && one.has("arrive")) {
    if (!decoder.has_operands(1, 1)) return true;
    Access access;
    access.space = space_of(one);
    access.bytes = 8;
    if (!decoder.address(decoder.operand(0), operation, access)) return true;
    operation.mode |= one.has("noinc") ? 1 : 0;
    operation.extra = decoder.add_access(access);
    operation.effect = Effect::opaque;
    operation.run = arrive_after_copies;
    return true;
  }
  return one.has("bulk") && decode_bulk(decoder, operation);
}

}  // namespace reckon::ptx
