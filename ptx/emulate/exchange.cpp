// What lanes of a warp give each other (PTX ISA 9.0, 9.7.9 and 9.7.13): shfl, vote, match, redux, elect, bar.warp.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

enum class Way : std::uint8_t { up, down, bfly, idx };

/// Mode: the Way. a: the value, b: by how much, f: the clamp, c: the mask.
void shuffle(const Operation& operation, Warp& warp, Mask on) {
  const auto* value = warp.at<std::uint32_t>(operation.a);
  const auto* by = warp.at<std::uint32_t>(operation.b);
  const auto* clamps = warp.at<std::uint32_t>(operation.f);
  std::uint32_t taken[lanes_of_warp];
  Mask inside = 0;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const int distance = static_cast<int>(by[lane] & 31), segment = static_cast<int>(clamps[lane] >> 8 & 31);
    const int clamp = static_cast<int>(clamps[lane] & 31);
    const int low = lane & segment, top = low | (clamp & ~segment);
    int from = lane;
    bool is_inside = true;
    switch (static_cast<Way>(operation.mode)) {
      case Way::up: from = lane - distance, is_inside = from >= top; break;
      case Way::down: from = lane + distance, is_inside = from <= top; break;
      case Way::bfly: from = lane ^ distance, is_inside = from <= top; break;
      case Way::idx: from = low | (distance & ~segment), is_inside = from <= top; break;
    }
    if (!is_inside) from = lane;
    if ((on >> from & 1) == 0) {
      warp.machine().finding(operation, FindingKind::absent_lane, [&] {
        return fmt::format("lane {} takes the value of lane {}, which does not take part: its value is undefined", lane,
                           from);
      });
    }
    taken[lane] = value[from];
    if (is_inside) inside |= Mask{1} << lane;
  }
  if (operation.d != no_slot) {
    auto* d = warp.at<std::uint32_t>(operation.d);
    for_lanes(on, [&](int lane) { d[lane] = taken[lane]; });
  }
  warp.put(operation.e, inside, on);
}

enum class Vote : std::uint8_t { all, any, uni, ballot };
void vote(const Operation& operation, Warp& warp, Mask on) {
  const Mask value = warp.predicate(operation, operation.a, 0) & on;
  const auto kind = static_cast<Vote>(operation.mode);
  if (kind == Vote::ballot) {
    auto* d = warp.at<std::uint32_t>(operation.d);
    for_lanes(on, [&](int lane) { d[lane] = value; });
    return;
  }
  const bool result = kind == Vote::all ? value == on : kind == Vote::any ? value != 0 : value == on || value == 0;
  warp.put(operation.d, result ? ~Mask{0} : 0, on);
}

/// Mode 1: all.
template <class T>
void match(const Operation& operation, Warp& warp, Mask on) {
  const T* a = warp.at<T>(operation.a);
  auto* d = warp.at<std::uint32_t>(operation.d);
  Mask found[lanes_of_warp];
  bool all_same = true;
  for_lanes(on, [&](int lane) {
    Mask same = 0;
    for_lanes(on, [&](int other) { same |= static_cast<Mask>(a[lane] == a[other] ? 1u : 0u) << other; });
    found[lane] = same;
    all_same = all_same && same == on;
  });
  for_lanes(on, [&](int lane) { d[lane] = operation.mode == 1 ? (all_same ? on : 0) : found[lane]; });
  if (operation.mode == 1) warp.put(operation.e, all_same ? ~Mask{0} : 0, on);
}

enum class Reduction : std::uint8_t { add, min, max, and_, or_, xor_ };
template <class T>
void reduce(const Operation& operation, Warp& warp, Mask on) {
  const T* a = warp.at<T>(operation.a);
  T* d = warp.at<T>(operation.d);
  T sum = a[std::countr_zero(on)];
  for (Mask rest = on & (on - 1); rest != 0; rest &= rest - 1) {
    const T x = a[std::countr_zero(rest)];
    switch (static_cast<Reduction>(operation.mode)) {
      case Reduction::add: sum = static_cast<T>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(x)); break;
      case Reduction::min: sum = std::min(sum, x); break;
      case Reduction::max: sum = std::max(sum, x); break;
      case Reduction::and_: sum &= x; break;
      case Reduction::or_: sum |= x; break;
      case Reduction::xor_: sum ^= x; break;
    }
  }
  for_lanes(on, [&](int lane) { d[lane] = sum; });
}

void elect(const Operation& operation, Warp& warp, Mask on) {
  const int leader = std::countr_zero(on);
  if (operation.d != no_slot) {
    auto* d = warp.at<std::uint32_t>(operation.d);
    for_lanes(on, [&](int lane) { d[lane] = static_cast<std::uint32_t>(leader); });
  }
  warp.put(operation.e, Mask{1} << leader, on);
}

void active_mask(const Operation& operation, Warp& warp, Mask on) {
  auto* d = warp.at<std::uint32_t>(operation.d);
  for_lanes(on, [&](int lane) { d[lane] = on; });
}

void nothing(const Operation&, Warp&, Mask) {}
void wait_a_while(const Operation&, Warp& warp, Mask) { warp.yield(); }

bool decode_shuffle(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (!one.has("sync")) return false;
  if (!decoder.has_operands(5, 5)) return true;
  operation.mode = static_cast<std::uint16_t>(one.has("up")     ? Way::up
                                              : one.has("down") ? Way::down
                                              : one.has("bfly") ? Way::bfly
                                                                : Way::idx);
  const Operand& out = decoder.operand(0);
  if (out.kind == Operand::Kind::pair) {
    operation.d = decoder.result_or_none(decoder.child(out, 0), 32);
    operation.e = decoder.predicate_result(decoder.child(out, 1));
  } else {
    operation.d = decoder.result_or_none(out, 32);
  }
  operation.a = decoder.source(decoder.operand(1), Type::b32);
  operation.b = decoder.source(decoder.operand(2), Type::b32);
  operation.f = decoder.source(decoder.operand(3), Type::b32);
  operation.c = decoder.source(decoder.operand(4), Type::b32);
  operation.flow = Flow::converge;
  operation.effect = Effect::opaque;
  operation.run = shuffle;
  return true;
}

bool decode_vote(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (!one.has("sync")) return false;
  if (!decoder.has_operands(3, 3)) return true;
  const Vote kind = one.has("all") ? Vote::all : one.has("any") ? Vote::any : one.has("uni") ? Vote::uni : Vote::ballot;
  operation.mode = static_cast<std::uint16_t>(kind);
  operation.d =
      kind == Vote::ballot ? decoder.result(decoder.operand(0), 32) : decoder.predicate_result(decoder.operand(0));
  operation.a = decoder.predicate(decoder.operand(1), 0, operation);
  operation.c = decoder.source(decoder.operand(2), Type::b32);
  operation.flow = Flow::converge;
  operation.run = vote;
  return true;
}

bool decode_match(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (!decoder.has_operands(3, 3)) return true;
  const bool all = one.has("all"), wide = one.has("b64");
  operation.mode = all ? 1 : 0;
  const Operand& out = decoder.operand(0);
  if (out.kind == Operand::Kind::pair) {
    operation.d = decoder.result(decoder.child(out, 0), 32);
    operation.e = decoder.predicate_result(decoder.child(out, 1));
  } else {
    operation.d = decoder.result(out, 32);
  }
  operation.a = decoder.source(decoder.operand(1), wide ? Type::b64 : Type::b32);
  operation.c = decoder.source(decoder.operand(2), Type::b32);
  operation.flow = Flow::converge;
  operation.run = wide ? match<std::uint64_t> : match<std::uint32_t>;
  return true;
}

bool decode_redux(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (types.size() != 1 || bits_of(types[0]) != 32 || types[0] == Type::f32) return false;
  if (!decoder.has_operands(3, 3)) return true;
  const Reduction kind = one.has("add")   ? Reduction::add
                         : one.has("min") ? Reduction::min
                         : one.has("max") ? Reduction::max
                         : one.has("and") ? Reduction::and_
                         : one.has("or")  ? Reduction::or_
                                          : Reduction::xor_;
  operation.mode = static_cast<std::uint16_t>(kind);
  operation.d = decoder.result(decoder.operand(0), 32);
  operation.a = decoder.source(decoder.operand(1), types[0]);
  operation.c = decoder.source(decoder.operand(2), Type::b32);
  operation.flow = Flow::converge;
  operation.run = types[0] == Type::s32 ? reduce<std::int32_t> : reduce<std::uint32_t>;
  return true;
}

}  // namespace

bool decode_exchange(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name == "shfl") return decode_shuffle(decoder, operation);
  if (one.name == "vote") return decode_vote(decoder, operation);
  if (one.name == "match") return decode_match(decoder, operation);
  if (one.name == "redux") return decode_redux(decoder, operation);
  if (one.name == "activemask") {
    if (!decoder.has_operands(1, 1)) return true;
    operation.d = decoder.result(decoder.operand(0), 32);
    operation.run = active_mask;
    return true;
  }
  if (one.name == "elect") {
    if (!decoder.has_operands(2, 2)) return true;
    const Operand& out = decoder.operand(0);
    if (out.kind != Operand::Kind::pair) return decoder.fail("`elect.sync` gives a lane and a predicate");
    operation.d = decoder.result_or_none(decoder.child(out, 0), 32);
    operation.e = decoder.predicate_result(decoder.child(out, 1));
    operation.c = decoder.source(decoder.operand(1), Type::b32);
    operation.flow = Flow::converge;
    operation.run = elect;
    return true;
  }
  if ((one.name == "bar" || one.name == "barrier") && one.has("warp")) {
    if (!decoder.has_operands(1, 1)) return true;
    operation.c = decoder.source(decoder.operand(0), Type::b32);
    operation.flow = Flow::converge;
    operation.run = nothing;
    return true;
  }
  if (one.name == "nanosleep") {
    operation.run = wait_a_while;
    return true;
  }
  if (one.name == "pmevent") {
    operation.run = nothing;
    return true;
  }
  return false;
}

}  // namespace reckon::ptx
