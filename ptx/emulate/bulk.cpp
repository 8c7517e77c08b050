// Copies in bulk, and by boxes of tensors (PTX ISA 9.0, 9.7.9.27: cp.async.bulk, cp.reduce.async.bulk; st.async,
// red.async). A copy is carried out where it begins; whoever reads what it brings without having waited for its barrier
// is found as a race.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/emulate/atomic.h"
#include "ptx/emulate/floats.h"
#include "ptx/emulate/phased.h"
#include "ptx/emulate/reach.h"
#include "ptx/emulate/tensor_map.h"
#include "ptx/shadow/shadow.h"

namespace reckon::ptx {
namespace {

/// The operands of a copy, in the kernel's slots from `b` on, each with its width and offset.
struct Place {
  Slot slot = no_slot;
  bool wide = false;
  std::uint32_t offset = 0;
};
Place place_at(const Kernel& kernel, std::uint32_t index) {
  return {kernel.slots[index], kernel.slots[index + 1] != 0, kernel.slots[index + 2]};
}
std::uint64_t value_of(Warp& warp, const Place& place, int lane) {
  return word_of(warp, place.slot, place.wide, lane) +
         static_cast<std::uint64_t>(static_cast<std::int32_t>(place.offset));
}

// Of an operation: mode: the dimensions of a box; `target`: what follows.
constexpr std::uint32_t target_stores = 1;      // from shared to global memory
constexpr std::uint32_t target_many = 2;        // to each block that the mask, the last of the slots, names
constexpr std::uint32_t target_reduces = 4;     // with what is there; the Type above 8 bits, the AtomicKind above 16
constexpr std::uint32_t target_from_block = 8;  // from shared memory, to that of another block

/// Bytes come to a place: they are there afterwards, or what the reduction makes of them and what was there.
void put_bytes(const Operation& operation, std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  if ((operation.target & target_reduces) == 0) {
    std::memcpy(to, from, bytes);
    return;
  }
  const auto type = static_cast<Type>(operation.target >> 8 & 0xff);
  const auto kind = static_cast<AtomicKind>(operation.target >> 16);
  const auto size = static_cast<std::size_t>(bits_of(type) / 8);
  for (std::size_t k = 0; k + size <= bytes; k += size) {
    std::uint64_t old = 0, value = 0;
    std::memcpy(&old, to + k, size);
    std::memcpy(&value, from + k, size);
    const std::uint64_t made = atomic_result(type, kind, old, value, 0, true);
    std::memcpy(to + k, &made, size);
  }
}

/// Notes that a copy writes shared memory.
void note_copied(const Operation& operation, Warp& warp, const Reached& reached, std::uint32_t bytes) {
  if (reached.owner == &warp.block()) warp.block().copied_shared(warp, operation, reached.offset, bytes);
  else reached.owner->written_from_outside(reached.offset, bytes);
}

/// Calls `f` with what is added to addresses of shared memory: the ranks of the blocks to which a copy goes.
template <class F>
void for_blocks(const Operation& operation, Warp& warp, int lane, std::uint32_t mask_at, F&& f) {
  if ((operation.target & target_many) == 0) {
    f(std::uint64_t{0});
    return;
  }
  const std::uint32_t mask = warp.at<std::uint16_t>(warp.machine().kernel().slots[mask_at])[lane];
  for (std::uint32_t rest = mask; rest != 0 && !warp.machine().stopped(); rest &= rest - 1)
    f(rank_bits(static_cast<std::uint64_t>(std::countr_zero(rest))));
}

/// Places: destination, source, barrier; c: the bytes.
void copy_bytes(const Operation& operation, Warp& warp, Mask on) {
  const Kernel& kernel = warp.machine().kernel();
  const bool stores = (operation.target & target_stores) != 0;
  Access shared, global;
  shared.space = Space::shared;
  shared.of_cluster = true;
  global.space = Space::generic;
  shared.bytes = global.bytes = 16;
  const Access& source = stores || (operation.target & target_from_block) != 0 ? shared : global;
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    const std::uint32_t bytes = warp.at<std::uint32_t>(operation.c)[lane];
    const std::uint64_t to = value_of(warp, place_at(kernel, operation.b), lane),
                        from = value_of(warp, place_at(kernel, operation.b + 3), lane);
    if (((to | from | bytes) & 15) != 0) {
      warp.machine().fault(operation, warp,
                           fmt::format("addresses and sizes of copies in bulk are multiples of 16: 0x{:x}, 0x{:x}, {}",
                                       to, from, bytes));
      return;
    }
    for_blocks(operation, warp, lane, operation.b + 9, [&](std::uint64_t rank) {
      for (std::uint32_t k = 0; k < bytes; k += 16) {
        const Reached a = warp.reach(operation, source, from + k, lane, false);
        if (a.data == nullptr) return;
        const Reached b = warp.reach(operation, stores ? global : shared, (to + k) | rank, lane, true);
        if (b.data == nullptr) return;
        note_read(operation, warp, a, 16);
        if (stores) note_write(operation, warp, b, 16);
        else note_copied(operation, warp, b, 16);
        Shadow* shadow = warp.machine().shadow();
        if (shadow != nullptr && (operation.target & target_reduces) != 0) {
          shadow->reduced(operation, warp, b, a, lane, static_cast<Type>(operation.target >> 8 & 0xff),
                          static_cast<AtomicKind>(operation.target >> 16), 16);
          continue;
        }
        put_bytes(operation, b.data, a.data, 16);
        if (shadow != nullptr) shadow->copied(warp, b, a, lane, 16, 16);
      }
      if (!stores) bring(operation, warp, value_of(warp, place_at(kernel, operation.b + 6), lane) | rank, bytes);
    });
    if (warp.machine().stopped()) return;
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
    if (shadow() != nullptr) tags_.resize(row);
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
  Shadow* shadow() { return warp_.machine().shadow(); }
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
    std::fill(tags_.begin(), tags_.end(), 0);
    std::int64_t first = 0, count = 0;
    std::uint64_t address = 0;
    if (!find(index, first, count, address)) return;
    const auto bytes = static_cast<std::uint32_t>(count * map_.element_bytes);
    const Reached from = global(address, bytes, false);
    if (from.data == nullptr) return;
    note_read(operation_, warp_, from, bytes);
    std::memcpy(row.data() + first * map_.element_bytes, from.data, bytes);
    if (shadow() != nullptr)
      std::copy_n(shadow()->tags(warp_, from, lane_, bytes), bytes, tags_.data() + first * map_.element_bytes);
  }
  void write_global(const std::uint32_t* index, const std::vector<std::uint8_t>& row) {
    std::int64_t first = 0, count = 0;
    std::uint64_t address = 0;
    if (!find(index, first, count, address)) return;
    const auto bytes = static_cast<std::uint32_t>(count * map_.element_bytes);
    const Reached to = global(address, bytes, true);
    if (to.data == nullptr) return;
    note_write(operation_, warp_, to, bytes);
    put_bytes(operation_, to.data, row.data() + first * map_.element_bytes, bytes);
    if (shadow() != nullptr)
      std::copy_n(tags_.data() + first * map_.element_bytes, bytes, shadow()->tags(warp_, to, lane_, bytes));
  }
  Reached shared(std::uint64_t offset, std::uint32_t bytes, bool writes) {
    Access access;
    access.space = Space::shared;
    access.of_cluster = true;
    access.bytes = 1;
    const std::uint64_t place = swizzled(shared_ + offset, map_.swizzle);
    if (warp_.reach(operation_, access, place + bytes - 1, lane_, writes).data == nullptr) return {};
    const Reached reached = warp_.reach(operation_, access, place, lane_, writes);
    if (reached.data == nullptr) return {};
    if (writes) note_copied(operation_, warp_, reached, bytes);
    else note_read(operation_, warp_, reached, bytes);
    return reached;
  }
  void write_shared(std::uint64_t offset, const std::vector<std::uint8_t>& row) {
    for (std::size_t k = 0; k < row.size(); k += 16) {
      const auto bytes = static_cast<std::uint32_t>(std::min<std::size_t>(16, row.size() - k));
      const Reached to = shared(offset + k, bytes, true);
      if (to.data == nullptr) return;
      std::memcpy(to.data, row.data() + k, bytes);
      if (shadow() != nullptr) std::copy_n(tags_.data() + k, bytes, shadow()->tags(warp_, to, lane_, bytes));
    }
  }
  void read_shared(std::uint64_t offset, std::vector<std::uint8_t>& row) {
    for (std::size_t k = 0; k < row.size(); k += 16) {
      const auto bytes = static_cast<std::uint32_t>(std::min<std::size_t>(16, row.size() - k));
      const Reached from = shared(offset + k, bytes, false);
      if (from.data == nullptr) return;
      std::memcpy(row.data() + k, from.data, bytes);
      if (shadow() != nullptr) std::copy_n(shadow()->tags(warp_, from, lane_, bytes), bytes, tags_.data() + k);
    }
  }

  const Operation& operation_;
  Warp& warp_;
  const TensorMap& map_;
  const std::int32_t* begin_;
  std::uint64_t shared_;
  int lane_;
  std::vector<std::uint32_t> tags_;  ///< of the row, where values are followed
};

/// Places: shared memory, the map, the barrier (of loads); then the slots of the coordinates. Mode: their number.
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
    const std::uint64_t base = is_in_window(shared, shared_window) ? shared - shared_window : shared;
    const bool loads = (operation.target & target_stores) == 0;
    for_blocks(operation, warp, lane, operation.b + 9 + operation.mode, [&](std::uint64_t rank) {
      Box box(operation, warp, map, begin, base | rank, lane);
      box.copy(loads);
      if (loads && !warp.machine().stopped())
        bring(operation, warp, value_of(warp, place_at(kernel, operation.b + 6), lane) | rank, box.bytes());
    });
    if (warp.machine().stopped()) return;
  }
}

void nothing(const Operation&, Warp&, Mask) {}

/// st.async: to the shared memory of a block, whose barrier, at the address in `b`, counts the bytes.
void store_async(const Operation& operation, Warp& warp, Mask on) {
  const Kernel& kernel = warp.machine().kernel();
  const Access& access = kernel.accesses[operation.extra];
  std::array<std::uint64_t, lanes_of_warp> where;
  addresses(operation, warp, access, on, where);
  const std::uint32_t bytes = std::uint32_t{access.bytes} * access.count;
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    const Reached reached = warp.reach(operation, access, where[static_cast<std::size_t>(lane)], lane, true);
    if (reached.data == nullptr) return;
    note_copied(operation, warp, reached, bytes);
    put_elements(operation, warp, access, lane, reached);
    bring(operation, warp, value_of(warp, place_at(kernel, operation.b), lane), bytes);
    if (warp.machine().stopped()) return;
  }
}

/// red.async: an integer operation in the shared memory of a block, whose barrier counts the bytes.
void reduce_async(const Operation& operation, Warp& warp, Mask on) {
  const Kernel& kernel = warp.machine().kernel();
  const Access& access = kernel.accesses[operation.extra];
  std::array<std::uint64_t, lanes_of_warp> where;
  addresses(operation, warp, access, on, where);
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    const Reached reached = warp.reach(operation, access, where[static_cast<std::size_t>(lane)], lane, true);
    if (reached.data == nullptr) return;
    note_read(operation, warp, reached, access.bytes);
    note_copied(operation, warp, reached, access.bytes);
    put_bytes(operation, reached.data,
              warp.at<std::uint8_t>(operation.b) + static_cast<std::size_t>(lane) * access.bytes, access.bytes);
    bring(operation, warp, value_of(warp, place_at(kernel, operation.c), lane), access.bytes);
    if (warp.machine().stopped()) return;
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

/// cp.reduce.async.bulk. Of tensors the elements' type is the map's, which the instruction does not state.
bool set_reduction(Decoder& decoder, Operation& operation, bool tensor) {
  const auto kind = atomic_kind_among(decoder.instruction());
  const auto types = decoder.types();
  if (!kind || tensor || types.size() != 1 || bits_of(types[0]) < 16 || *kind > AtomicKind::xor_) return false;
  operation.target |=
      target_reduces | static_cast<std::uint32_t>(types[0]) << 8 | static_cast<std::uint32_t>(*kind) << 16;
  return true;
}

bool decode_bulk_copy(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.has("commit_group") || one.has("wait_group") || one.has("prefetch")) {
    operation.effect = Effect::opaque;
    operation.run = nothing;
    return true;
  }
  if (one.has("im2col") || one.has("tile::gather4") || one.has("tile::scatter4")) return false;
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
  operation.target = stores ? target_stores : 0;
  if (one.has("shared::cluster") && one.has("shared::cta") && !stores) operation.target |= target_from_block;
  if (one.has("multicast::cluster")) {
    const std::size_t mask_at = tensor ? 3 : 4;
    if (one.operands.size() <= mask_at) return decoder.fail("a copy to several blocks needs a mask of them");
    slots.push_back(decoder.source(decoder.operand(mask_at), Type::b16));
    operation.target |= target_many;
  }
  if (one.has("reduce") && !set_reduction(decoder, operation, tensor)) return false;
  operation.b = decoder.add_slots(slots);
  Access access;
  access.bytes = 16;
  access.strong = one.has("reduce");  // each element is added by itself, in any order
  operation.extra = decoder.add_access(access);
  return true;
}

bool decode_store_async(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (types.size() != 1 || !one.has("shared::cluster") || !one.has("mbarrier::complete_tx::bytes")) return false;
  if (!decoder.has_operands(3, 3)) return true;
  Access access;
  access.space = Space::shared;
  access.of_cluster = true;
  std::vector<Slot> barrier;
  if (!set_elements(decoder, decoder.operand(1), types[0], false, access)) return true;
  if (!decoder.address(decoder.operand(0), operation, access)) return true;
  if (!add_place(decoder, decoder.operand(2), barrier)) return true;
  operation.b = decoder.add_slots(barrier);
  decoder.narrow_granule(access);
  operation.extra = decoder.add_access(access);
  operation.effect = Effect::opaque;
  operation.run = store_async;
  return true;
}

bool decode_reduce_async(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (types.size() != 1 || is_float(types[0]) || bits_of(types[0]) < 32 || bits_of(types[0]) > 64 ||
      !one.has("shared::cluster") || !one.has("mbarrier::complete_tx::bytes") ||
      !set_reduction(decoder, operation, false))
    return false;
  if (!decoder.has_operands(3, 3)) return true;
  Access access;
  access.space = Space::shared;
  access.of_cluster = true;
  access.strong = true;
  access.bytes = access.reg_bytes = static_cast<std::uint8_t>(bits_of(types[0]) / 8);
  std::vector<Slot> barrier;
  if (!decoder.address(decoder.operand(0), operation, access)) return true;
  operation.b = decoder.source(decoder.operand(1), types[0]);
  if (!add_place(decoder, decoder.operand(2), barrier)) return true;
  operation.c = decoder.add_slots(barrier);
  decoder.narrow_granule(access);
  operation.extra = decoder.add_access(access);
  operation.effect = Effect::opaque;
  operation.run = reduce_async;
  return true;
}

}  // namespace

bool decode_bulk(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name == "cp" && one.has("bulk")) return decode_bulk_copy(decoder, operation);
  if (one.name == "st" && one.has("async")) return decode_store_async(decoder, operation);
  if (one.name == "red" && one.has("async")) return decode_reduce_async(decoder, operation);
  return false;
}

}  // namespace reckon::ptx
