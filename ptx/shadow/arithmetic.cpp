// Float arithmetic and conversions of values.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/shadow/sequences.h"
#include "ptx/shadow/shadow.h"

namespace reckon::ptx {
namespace {

using numerics::Format;

void store_bits(Number number, int bytes, std::uint8_t* to) {
  std::memcpy(to, &number.bits, static_cast<std::size_t>(bytes));
}

/// What follows the operation itself.
Number finished(const Followed& how, Number made, Shadow& shadow) {
  for (const auto& [applies, act] : {std::pair{how.is_relu, Act::relu}, std::pair{how.clamps, Act::clamp}}) {
    if (!applies) continue;
    FloatAct further = how.act;
    further.act = act;
    made = shadow.values().apply(further, {&made, 1});
  }
  return made;
}

struct Source {
  const std::uint8_t* bits;
  const Tag* tags;
};

void follow_lanes(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow,
                  std::uint32_t factor) {
  const bool converts = how.act.act == Act::convert;
  const Format from = converts ? how.act.from : how.act.format;
  const int of_operand = bytes_of(from), of_result = bytes_of(how.act.format);
  const Slot slots[] = {operation.a, operation.b, operation.c};
  Source sources[3]{};
  int wide[3]{};
  for (int k = 0; k < how.operands; ++k) {
    sources[k] = {warp.at<std::uint8_t>(slots[k]), shadow.tags(warp, slots[k])};
    wide[k] = how.bytes[static_cast<std::size_t>(2 + k)];
  }
  auto* bits = warp.at<std::uint8_t>(operation.d);
  Tag* tags = shadow.tags(warp, operation.d);
  const int of_register = how.bytes[0];
  const bool replaces = shadow.values().replaces_bits();
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    Number made[4]{};
    const int results = how.is_pair_of_two ? 2 : how.parts;
    for (int part = 0; part < results; ++part) {
      Number operands[3]{};
      std::size_t count = 0;
      for (int k = 0; k < how.operands; ++k) {
        // Of two operands that become a pair, the first is the upper half.
        if (how.is_pair_of_two && k != 1 - part) continue;
        const int at = lane * wide[k] + (how.is_pair_of_two ? 0 : part * of_operand);
        operands[count++] = shadow.take(operation, warp, sources[k].bits + at, sources[k].tags + at, from);
      }
      if (how.swaps) std::swap(operands[0], operands[1]);
      if (factor != 0) operands[count++] = {factor, 0};
      made[part] = finished(how, shadow.values().apply(how.act, {operands, count}), shadow);
    }
    std::uint8_t* to = bits + lane * of_register;
    Tag* to_tags = tags + lane * of_register;
    if (results * of_result != of_register) {
      Shadow::clear(to_tags, static_cast<std::size_t>(of_register));
      if (replaces) std::memset(to, 0, static_cast<std::size_t>(of_register));
    }
    for (int part = 0; part < results; ++part) {
      Shadow::put(made[part], of_result, to_tags + part * of_result);
      if (replaces) store_bits(made[part], of_result, to + part * of_result);
    }
  }
  if (!replaces) operation.run(operation, warp, on);
}

}  // namespace

void follow_act(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  follow_lanes(operation, how, warp, on, shadow, 0);
}

/// The product of the first operand and a constant stands for what the instruction says.
void follow_scaled(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  follow_lanes(operation, how, warp, on, shadow, how.factor);
}

namespace {

/// Carries a step of a function out: with stand-ins for its arguments if their patterns are no numbers.
void run_step(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  if (!shadow.values().replaces_bits()) return operation.run(operation, warp, on);
  std::array<std::array<std::uint32_t, lanes_of_warp>, 4> kept;
  for (std::size_t k = 0; k < how.stand_in_count; ++k) {
    auto* words = warp.at<std::uint32_t>(how.stand_ins[k]);
    std::copy_n(words, lanes_of_warp, kept[k].begin());
    std::fill_n(words, lanes_of_warp, stand_in);
  }
  operation.run(operation, warp, on);
  for (std::size_t k = 0; k < how.stand_in_count; ++k) {
    if (how.stand_ins[k] != operation.d) std::ranges::copy(kept[k], warp.at<std::uint32_t>(how.stand_ins[k]));
  }
}

}  // namespace

/// The result stands for a function of f32s in registers.
void follow_function(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  std::array<Number, lanes_of_warp> made{};
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    Number operands[2]{};
    for (std::size_t k = 0; k < how.operands; ++k)
      operands[k] = shadow.take(operation, warp, warp.at<std::uint8_t>(how.arguments[k]) + lane * 4,
                                shadow.tags(warp, how.arguments[k]) + lane * 4, Format::f32);
    made[lane] = shadow.values().apply(how.act, {operands, how.operands});
  }
  run_step(operation, how, warp, on, shadow);
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    Shadow::put(made[lane], 4, shadow.tags(warp, operation.d) + lane * 4);
    if (shadow.values().replaces_bits()) store_bits(made[lane], 4, warp.at<std::uint8_t>(operation.d) + lane * 4);
  }
}

/// The result stands for 1, whatever the instruction says.
void follow_one(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  constexpr std::uint32_t one = 0x3f800000;
  operation.run(operation, warp, on);
  auto* bits = warp.at<std::uint32_t>(operation.d);
  Tag* tags = shadow.tags(warp, operation.d);
  const Number number{one, shadow.values().known(one, Format::f32)};
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (shadow.values().replaces_bits()) bits[lane] = one;
    Shadow::put(number, 4, tags + lane * 4);
  }
}

/// A step of a sequence that is followed as a whole.
void follow_unwatched(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  run_step(operation, how, warp, on, shadow);
  if (operation.d == no_slot || how.bytes[0] == 0) return;
  Tag* tags = shadow.tags(warp, operation.d);
  for (Mask rest = on; rest != 0; rest &= rest - 1)
    Shadow::clear(tags + std::countr_zero(rest) * how.bytes[0], how.bytes[0]);
}

void follow_comparison(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  for (const auto& [slot, k] : {std::pair{operation.a, 2u}, std::pair{operation.b, 3u}})
    if (!how.is_of_equality)
      shadow.check(operation, warp, slot, how.bytes[k], on,
                   "this compares numbers that were computed: what it decides has no meaning under {}");
  operation.run(operation, warp, on);
  if (operation.d == no_slot || how.bytes[0] == 0) return;
  Tag* tags = shadow.tags(warp, operation.d);
  for (Mask rest = on; rest != 0; rest &= rest - 1)
    Shadow::clear(tags + std::countr_zero(rest) * how.bytes[0], how.bytes[0]);
}

void follow_to_integer(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  shadow.check(operation, warp, operation.a, how.bytes[2], on,
               "a number that was computed becomes an integer, which has no meaning under {}");
  operation.run(operation, warp, on);
  Tag* tags = shadow.tags(warp, operation.d);
  for (Mask rest = on; rest != 0; rest &= rest - 1)
    Shadow::clear(tags + std::countr_zero(rest) * how.bytes[0], how.bytes[0]);
}

}  // namespace reckon::ptx
