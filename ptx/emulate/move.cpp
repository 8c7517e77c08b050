// Moves: of registers, of addresses, between spaces, of parts of registers (PTX ISA 9.0, 9.7.9: mov, cvta, isspacep).
#include <fmt/format.h>

#include <cstring>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

struct Same {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};

void move_predicate(const Operation& operation, Warp& warp, Mask on) {
  warp.put(operation.d, warp.predicate(operation, operation.a, 0), on);
}

void move_128(const Operation& operation, Warp& warp, Mask on) {
  auto* d = warp.at<std::uint8_t>(operation.d);
  const auto* a = warp.at<std::uint8_t>(operation.a);
  for_lanes(on, [&](int lane) { std::memmove(d + 16 * lane, a + 16 * lane, 16); });
}

/// The address of a local variable: where the lane's variables begin, and the offset. Mode 1: as a generic address.
template <class T>
void move_frame(const Operation& operation, Warp& warp, Mask on) {
  T* d = warp.at<T>(operation.d);
  const std::uint64_t base = static_cast<std::uint64_t>(operation.offset) + (operation.mode == 1 ? local_window : 0);
  for_lanes(on, [&](int lane) { d[lane] = static_cast<T>(base + warp.frame(lane)); });
}

/// Clocks count what the launch has carried out, so that they grow.
template <class T>
void move_clock(const Operation& operation, Warp& warp, Mask on) {
  T* d = warp.at<T>(operation.d);
  const std::uint64_t now = ++warp.machine().clock * 16;
  const std::uint64_t value = operation.mode == 1 ? now >> 32 : now;
  for_lanes(on, [&](int lane) { d[lane] = static_cast<T>(value); });
}

// A register of so many bytes from its parts, or the parts of one. `extra`: the slots of the parts; mode: their number;
// offset: the bytes of a part.
void pack(const Operation& operation, Warp& warp, Mask on) {
  const Slot* slots = warp.machine().kernel().slots.data() + operation.extra;
  const auto size = static_cast<std::size_t>(operation.offset), whole = size * operation.mode;
  // All parts are read before the result is written: it may be one of them.
  alignas(16) std::uint8_t made[16 * lanes_of_warp];
  for (std::size_t k = 0; k < operation.mode; ++k) {
    const auto* part = warp.at<std::uint8_t>(slots[k]);
    for (std::size_t lane = 0; lane < lanes_of_warp; ++lane)
      std::memcpy(made + lane * whole + k * size, part + lane * size, size);
  }
  auto* d = warp.at<std::uint8_t>(operation.d);
  for_lanes(on, [&](int lane) {
    const auto at = static_cast<std::size_t>(lane) * whole;
    std::memcpy(d + at, made + at, whole);
  });
}
void unpack(const Operation& operation, Warp& warp, Mask on) {
  const Slot* slots = warp.machine().kernel().slots.data() + operation.extra;
  const auto size = static_cast<std::size_t>(operation.offset), whole = size * operation.mode;
  alignas(16) std::uint8_t taken[16 * lanes_of_warp];
  std::memcpy(taken, warp.at<std::uint8_t>(operation.a), whole * lanes_of_warp);
  for (std::size_t k = 0; k < operation.mode; ++k) {
    if (slots[k] == no_slot) continue;
    auto* part = warp.at<std::uint8_t>(slots[k]);
    for_lanes(on, [&](int lane) {
      const auto n = static_cast<std::size_t>(lane);
      std::memcpy(part + n * size, taken + n * whole + k * size, size);
    });
  }
}

/// `offset` is added: the beginning of a space's window.
void shift_address(const Operation& operation, Warp& warp, Mask on) {
  auto* d = warp.at<std::uint64_t>(operation.d);
  const auto* a = warp.at<std::uint64_t>(operation.a);
  for_lanes(on, [&](int lane) { d[lane] = a[lane] + static_cast<std::uint64_t>(operation.offset); });
}

/// Mode: the Space.
void is_in_space(const Operation& operation, Warp& warp, Mask on) {
  const auto* a = warp.at<std::uint64_t>(operation.a);
  const auto space = static_cast<Space>(operation.mode);
  Mask out = 0;
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    const std::uint64_t window = a[lane] / window_bytes * window_bytes;
    const bool is_window = window == shared_window || window == local_window || window == param_window;
    const bool value = space == Space::shared  ? window == shared_window
                       : space == Space::local ? window == local_window
                       : space == Space::param ? window == param_window
                                               : !is_window;
    out |= static_cast<Mask>(value ? 1u : 0u) << lane;
  }
  warp.put(operation.d, out, on);
}

std::optional<Space> space_among(const Instruction& one) {
  for (const std::string_view part : one.parts) {
    if (part == "global") return Space::global;
    if (part == "shared" || part == "shared::cta" || part == "shared::cluster") return Space::shared;
    if (part == "local") return Space::local;
    if (part == "const") return Space::constant;
    if (part == "param" || part == "param::entry") return Space::param;
  }
  return std::nullopt;
}

std::uint64_t window_of(Space space) {
  return space == Space::shared  ? shared_window
         : space == Space::local ? local_window
         : space == Space::param ? param_window
                                 : 0;
}

bool decode_parts(Decoder& decoder, Operation& operation, int bits) {
  const bool packs = decoder.operand(1).kind == Operand::Kind::list;
  const Operand& list = decoder.operand(packs ? 1 : 0);
  const Operand& whole = decoder.operand(packs ? 0 : 1);
  const auto count = static_cast<int>(list.count);
  if (count != 2 && count != 4) return decoder.fail("a register has two or four parts");
  const int part = bits / count;
  if (part < 8 || bits > 128) return decoder.fail("the parts of a register have 8 bits or more");
  const Type type = part == 8 ? Type::b8 : part == 16 ? Type::b16 : part == 32 ? Type::b32 : Type::b64;
  std::vector<Slot> slots;
  for (std::uint32_t k = 0; k < list.count; ++k) {
    const Operand& one = decoder.child(list, k);
    slots.push_back(packs ? decoder.source(one, type) : decoder.result_or_none(one, part));
  }
  operation.extra = decoder.add_slots(slots);
  operation.mode = static_cast<std::uint16_t>(count);
  operation.offset = part / 8;
  const Type whole_type = bits == 16 ? Type::b16 : bits == 32 ? Type::b32 : bits == 64 ? Type::b64 : Type::b128;
  if (packs) operation.d = decoder.result(whole, bits);
  else operation.a = decoder.source(whole, whole_type);
  operation.run = packs ? pack : unpack;
  operation.effect = packs ? Effect::pack : Effect::unpack;
  return true;
}

bool decode_mov(Decoder& decoder, Operation& operation) {
  const auto types = decoder.types();
  if (types.size() != 1) return false;
  if (!decoder.has_operands(2, 2)) return true;
  const Type type = types[0];
  const int bits = bits_of(type);
  const Operand& from = decoder.operand(1);
  if (type == Type::pred) {
    operation.d = decoder.predicate_result(decoder.operand(0));
    operation.a = decoder.predicate(from, 0, operation);
    operation.run = move_predicate;
    return true;
  }
  if (decoder.operand(0).kind == Operand::Kind::list || from.kind == Operand::Kind::list)
    return decode_parts(decoder, operation, bits);
  operation.d = decoder.result(decoder.operand(0), bits);
  if (from.kind == Operand::Kind::special && is_clock(static_cast<Special>(from.index))) {
    const auto special = static_cast<Special>(from.index);
    if (bits_of(special) != bits) return decoder.fail("the special register has another width");
    operation.mode = special == Special::clock_hi || special == Special::globaltimer_hi ? 1 : 0;
    operation.run = bits == 64 ? move_clock<std::uint64_t> : move_clock<std::uint32_t>;
    return true;
  }
  if (from.kind == Operand::Kind::variable) {
    bool of_frame = false;
    const auto address = decoder.variable_address(from.index, of_frame);
    if (!address) return decoder.fail("the address of this variable cannot be taken");
    if (of_frame) {
      operation.offset = static_cast<std::int64_t>(*address + from.bits);
      operation.run = bits == 64 ? move_frame<std::uint64_t> : move_frame<std::uint32_t>;
      return bits >= 32;
    }
  }
  operation.a = decoder.source(from, type);
  if (bits == 128) operation.run = move_128;
  else operation.run = with_word(bits, [](auto zero) -> Run { return unary<Same, decltype(zero), decltype(zero)>; });
  return operation.run != nullptr;
}

bool decode_cvta(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto space = space_among(one);
  if (!space || !one.has("u64")) return false;
  if (!decoder.has_operands(2, 2)) return true;
  operation.d = decoder.result(decoder.operand(0), 64);
  const std::uint64_t window = window_of(*space);
  const Operand& from = decoder.operand(1);
  if (from.kind == Operand::Kind::variable) {
    bool of_frame = false;
    const auto address = decoder.variable_address(from.index, of_frame);
    if (!address) return decoder.fail("the address of this variable cannot be taken");
    if (of_frame) {
      operation.offset = static_cast<std::int64_t>(*address + from.bits);
      operation.mode = one.has("to") ? 0 : 1;
      operation.run = move_frame<std::uint64_t>;
      return true;
    }
  }
  operation.a = decoder.source(from, Type::b64);
  operation.offset = static_cast<std::int64_t>(one.has("to") ? 0 - window : window);
  operation.run = shift_address;
  return true;
}

}  // namespace

bool decode_move(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name == "mov") return decode_mov(decoder, operation);
  if (one.name == "cvta") return decode_cvta(decoder, operation);
  if (one.name == "isspacep") {
    const auto space = space_among(one);
    if (!space) return false;
    if (!decoder.has_operands(2, 2)) return true;
    operation.mode = static_cast<std::uint16_t>(*space);
    operation.d = decoder.predicate_result(decoder.operand(0));
    operation.a = decoder.source(decoder.operand(1), Type::b64);
    operation.run = is_in_space;
    return true;
  }
  return false;
}

}  // namespace reckon::ptx
