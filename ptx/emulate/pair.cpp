// Sums, differences and products of two f32 at once, in registers of 64 bits (PTX ISA 9.0, 9.7.3: f32x2, from sm_100
// on).
#include <cfenv>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/floats.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

enum class Kind : std::uint8_t { add, sub, mul, fma };

/// Mode: the direction of rounding; `extra`: the Kind, and 0x10 to flush subnormals.
void pairs(const Operation& operation, Warp& warp, Mask on) {
  auto* d = warp.at<float>(operation.d);
  const auto* a = warp.at<float>(operation.a);
  const auto* b = warp.at<float>(operation.b);
  const auto* c = operation.c == no_slot ? a : warp.at<float>(operation.c);
  const auto kind = static_cast<Kind>(operation.extra & 15);
  const bool flushes = (operation.extra & 0x10) != 0;
  const auto taken = [&](float x) { return flushes ? flushed(x) : x; };
  const RoundingScope scope(operation.mode);
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    for (int k = 2 * lane; k < 2 * lane + 2; ++k) {
      const float x = taken(a[k]), y = taken(b[k]);
      const float value = kind == Kind::add   ? x + y
                          : kind == Kind::sub ? x - y
                          : kind == Kind::mul ? x * y
                                              : __builtin_fmaf(x, y, taken(c[k]));
      d[k] = canonical(taken(value));
    }
  }
}

}  // namespace

bool decode_pair(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (types.size() != 1 || types[0] != Type::f32x2) return false;
  static constexpr std::string_view names[] = {"add", "sub", "mul", "fma"};
  const auto* found = std::find(std::begin(names), std::end(names), one.name);
  if (found == std::end(names)) return false;
  int rounding = FE_TONEAREST;
  for (const std::string_view part : one.parts) {
    if (part == "rz") rounding = FE_TOWARDZERO;
    else if (part == "rm") rounding = FE_DOWNWARD;
    else if (part == "rp") rounding = FE_UPWARD;
    else if (part != "rn" && part != "ftz" && part != "f32x2") return false;
  }
  operation.mode = static_cast<std::uint16_t>(rounding);
  operation.extra = static_cast<std::uint32_t>(found - std::begin(names)) | (one.has("ftz") ? 0x10 : 0);
  operation.run = pairs;
  decoder.take(operation, Type::f32x2, one.name == "fma" ? 3 : 2);
  return true;
}

}  // namespace reckon::ptx
