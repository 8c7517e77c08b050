// Arrays of local memory whose size is known only when the kernel runs (PTX ISA 9.0, 9.7.17: stacksave, stackrestore,
// alloca). All are at multiples of 16.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/warp.h"

namespace reckon::ptx {
namespace {

void put_word(Warp& warp, Slot slot, bool wide, int lane, std::uint64_t value) {
  if (wide) warp.at<std::uint64_t>(slot)[lane] = value;
  else warp.at<std::uint32_t>(slot)[lane] = static_cast<std::uint32_t>(value);
}

// Mode: 1 if registers have 64 bits.

void allocate(const Operation& operation, Warp& warp, Mask on) {
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    const bool wide = operation.mode != 0;
    const std::uint64_t bytes = word_of(warp, operation.a, wide, lane);
    const auto taken = warp.local().take(static_cast<std::size_t>(lane), bytes);
    if (!taken) {
      const std::uint32_t top = warp.local().frame(static_cast<std::size_t>(lane)).top;
      warp.machine().fault(operation, warp,
                           fmt::format("lane {}: {} bytes are more than the {} that are left of its local memory", lane,
                                       bytes, LocalMemory::most - std::min(top, LocalMemory::most)));
      return;
    }
    put_word(warp, operation.d, wide, lane, *taken);
  }
}

void save(const Operation& operation, Warp& warp, Mask on) {
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    put_word(warp, operation.d, operation.mode != 0, lane, warp.local().frame(static_cast<std::size_t>(lane)).top);
  }
}

void restore(const Operation& operation, Warp& warp, Mask on) {
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    const std::uint64_t top = word_of(warp, operation.a, operation.mode != 0, lane);
    const LocalMemory::Frame frame = warp.local().frame(static_cast<std::size_t>(lane));
    if (top > frame.top || top < frame.begin) {
      warp.machine().fault(operation, warp, "the stack is restored to what no `stacksave` of this function gave");
      return;
    }
    warp.local().restore(static_cast<std::size_t>(lane), static_cast<std::uint32_t>(top));
  }
}

}  // namespace

bool decode_stack(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const bool allocates = one.name == "alloca", saves = one.name == "stacksave";
  if (!allocates && !saves && one.name != "stackrestore") return false;
  const auto types = decoder.types();
  if (types.size() != 1 || (types[0] != Type::u32 && types[0] != Type::u64)) return false;
  if (!decoder.has_operands(allocates ? 2 : 1, allocates ? 3 : 1)) return true;
  if (one.operands.size() == 3 && decoder.constant(decoder.operand(2)).value_or(~0ull) > 16)
    return decoder.fail("`alloca` aligns at multiples of 16 at most here");
  const int bits = bits_of(types[0]);
  operation.mode = bits == 64 ? 1 : 0;
  operation.effect = Effect::opaque;
  if (allocates || saves) operation.d = decoder.result(decoder.operand(0), bits);
  if (allocates) operation.a = decoder.source(decoder.operand(1), types[0]);
  else if (!saves) operation.a = decoder.source(decoder.operand(0), types[0]);
  operation.run = allocates ? allocate : saves ? save : restore;
  return true;
}

}  // namespace reckon::ptx
