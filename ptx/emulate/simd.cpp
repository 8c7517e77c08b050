// Operations on the bytes and half-words of a register (PTX ISA 9.0, 9.7.19: vadd2, vadd4 and their kin), in whole: the
// forms that choose bytes or leave some are refused.
#include <algorithm>
#include <cstdlib>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

enum class Kind : std::uint8_t { add, sub, absdiff, min, max };

constexpr std::uint16_t d_signed = 0x10, a_signed = 0x20, b_signed = 0x40, saturates = 0x80, accumulates = 0x100;

std::int64_t extended(std::uint32_t bits, int width, bool is_signed) {
  bits &= (1u << width) - 1;
  const bool minus = is_signed && (bits >> (width - 1)) != 0;
  return std::int64_t{bits} - (minus ? std::int64_t{1} << width : 0);
}

std::int64_t result_of(Kind kind, std::int64_t a, std::int64_t b) {
  switch (kind) {
    case Kind::add: return a + b;
    case Kind::sub: return a - b;
    case Kind::absdiff: return std::llabs(a - b);
    case Kind::min: return std::min(a, b);
    case Kind::max: return std::max(a, b);
  }
  return 0;
}

/// Mode: the Kind and flags; `extra`: the bits of an element.
void simd(const Operation& operation, Warp& warp, Mask on) {
  auto* d = warp.at<std::uint32_t>(operation.d);
  const auto* a = warp.at<std::uint32_t>(operation.a);
  const auto* b = warp.at<std::uint32_t>(operation.b);
  const auto* c = warp.at<std::uint32_t>(operation.c);
  const auto kind = static_cast<Kind>(operation.mode & 15);
  const auto has = [&](std::uint16_t flag) { return (operation.mode & flag) != 0; };
  const int width = static_cast<int>(operation.extra);
  const std::int64_t low = has(d_signed) ? -(std::int64_t{1} << (width - 1)) : 0;
  const std::int64_t high = (std::int64_t{1} << (has(d_signed) ? width - 1 : width)) - 1;
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    std::uint32_t out = 0, sum = c[lane];
    for (int at = 0; at < 32; at += width) {
      std::int64_t value =
          result_of(kind, extended(a[lane] >> at, width, has(a_signed)), extended(b[lane] >> at, width, has(b_signed)));
      if (has(saturates)) value = std::clamp(value, low, high);
      const auto bits = static_cast<std::uint32_t>(value) & ((1u << width) - 1);
      out |= bits << at;
      sum += static_cast<std::uint32_t>(extended(bits, width, has(d_signed)));
    }
    d[lane] = has(accumulates) ? sum : out;
  }
}

}  // namespace

bool decode_simd(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  static constexpr std::pair<std::string_view, Kind> names[] = {
      {"vadd", Kind::add}, {"vsub", Kind::sub}, {"vabsdiff", Kind::absdiff}, {"vmin", Kind::min}, {"vmax", Kind::max}};
  const std::string_view name = one.name;
  if (name.size() < 5 || (name.back() != '2' && name.back() != '4')) return false;
  const auto* found = std::find_if(std::begin(names), std::end(names),
                                   [&](const auto& row) { return row.first == name.substr(0, name.size() - 1); });
  const auto types = decoder.types();
  if (found == std::end(names) || types.size() != 3) return false;
  for (const std::string_view part : one.parts)
    if (part != "sat" && part != "add" && part != "u32" && part != "s32") return false;
  if (!decoder.has_operands(4, 4)) return true;
  operation.mode =
      static_cast<std::uint16_t>(static_cast<int>(found->second) | (types[0] == Type::s32 ? d_signed : 0) |
                                 (types[1] == Type::s32 ? a_signed : 0) | (types[2] == Type::s32 ? b_signed : 0) |
                                 (one.has("sat") ? saturates : 0) | (one.has("add") ? accumulates : 0));
  operation.extra = name.back() == '2' ? 16 : 8;
  operation.d = decoder.result(decoder.operand(0), 32);
  operation.a = decoder.source(decoder.operand(1), Type::b32);
  operation.b = decoder.source(decoder.operand(2), Type::b32);
  operation.c = decoder.source(decoder.operand(3), Type::b32);
  operation.run = simd;
  return true;
}

}  // namespace reckon::ptx
