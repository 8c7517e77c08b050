// How each instruction's values are followed.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ptx/emulate/decode.h"
#include "ptx/shadow/sequences.h"
#include "ptx/shadow/shadow.h"

namespace reckon::ptx {

using numerics::Format;

std::string_view name_of(Act act) {
  static constexpr std::string_view names[] = {"add",   "sub",   "mul",      "div",    "fma",  "neg",     "abs",
                                               "min",   "max",   "minnum",   "maxnum", "rcp",  "sqrt",    "rsqrt",
                                               "exp2",  "log",   "log2",     "sin",    "cos",  "tanh",    "erf",
                                               "erfc",  "tan",   "asin",     "acos",   "atan", "sinh",    "cosh",
                                               "exp10", "expm1", "log10",    "log1p",  "pow",  "floor",   "ceil",
                                               "trunc", "round", "copysign", "clamp",  "relu", "convert", "dot"};
  return names[static_cast<std::size_t>(act)];
}

std::optional<Format> float_format(Type type, int& parts) {
  parts = 1;
  switch (type) {
    case Type::f64: return Format::f64;
    case Type::f32x2: parts = 2; [[fallthrough]];
    case Type::f32: return Format::f32;
    case Type::f16x2: parts = 2; [[fallthrough]];
    case Type::f16: return Format::f16;
    case Type::bf16x2: parts = 2; [[fallthrough]];
    case Type::bf16: return Format::bf16;
    case Type::tf32: return Format::tf32;
    case Type::e4m3x2: parts = 2; [[fallthrough]];
    case Type::e4m3: return Format::f8e4m3;
    case Type::e5m2x2: parts = 2; [[fallthrough]];
    case Type::e5m2: return Format::f8e5m2;
    default: return std::nullopt;
  }
}

namespace {

struct NamedAct {
  std::string_view name;
  Act act;
  std::uint8_t operands;
};
constexpr NamedAct named_acts[] = {{"add", Act::add, 2},  {"sub", Act::sub, 2},   {"mul", Act::mul, 2},
                                   {"div", Act::div, 2},  {"fma", Act::fma, 3},   {"mad", Act::fma, 3},
                                   {"neg", Act::neg, 1},  {"abs", Act::abs, 1},   {"min", Act::min, 2},
                                   {"max", Act::max, 2},  {"rcp", Act::rcp, 1},   {"sqrt", Act::sqrt, 1},
                                   {"ex2", Act::exp2, 1}, {"lg2", Act::log2, 1},  {"sin", Act::sin, 1},
                                   {"cos", Act::cos, 1},  {"tanh", Act::tanh, 1}, {"rsqrt", Act::rsqrt, 1}};

bool is_plain(const Instruction& one) {
  return std::none_of(one.parts.begin(), one.parts.end(), [](std::string_view part) {
    return part == "ftz" || part == "rz" || part == "rm" || part == "rp" || part == "approx" || part == "full" ||
           part == "rna";
  });
}

bool follow_arithmetic(Decoder& decoder, Followed& how) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (types.size() != 1) return false;
  int parts = 1;
  const auto format = float_format(types[0], parts);
  if (!format) return false;
  how.act.format = *format;
  how.act.plain = is_plain(one);
  how.parts = static_cast<std::uint8_t>(parts);
  how.clamps = one.has("sat");
  how.is_relu = one.has("relu");
  how.follow = follow_act;
  if (one.name == "copysign") {
    // PTX takes the sign of the first operand.
    how.act.act = Act::copysign;
    how.operands = 2;
    how.swaps = true;
    return true;
  }
  for (const NamedAct& row : named_acts) {
    if (row.name != one.name) continue;
    how.act.act = row.act;
    if (row.act == Act::min && !one.has("NaN")) how.act.act = Act::minnum;
    if (row.act == Act::max && !one.has("NaN")) how.act.act = Act::maxnum;
    how.operands = row.operands;
    return true;
  }
  return false;
}

bool follow_conversion(Decoder& decoder, Followed& how) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (types.size() != 2) return false;
  int to_parts = 1, from_parts = 1;
  const auto to = float_format(types[0], to_parts), from = float_format(types[1], from_parts);
  if (!from) {
    // Of integers: a constant, or the bits of a value that go on.
    how.follow = to ? follow_integers : follow_bits;
    return true;
  }
  if (!to) {
    how.follow = follow_to_integer;
    return true;
  }
  how.act.format = *to;
  how.act.from = *from;
  how.act.act = Act::convert;
  how.act.plain = is_plain(one);
  how.operands = 1;
  how.parts = static_cast<std::uint8_t>(to_parts);
  how.clamps = one.has("sat");
  how.is_relu = one.has("relu");
  how.follow = follow_act;
  if (to_parts == 2 && from_parts == 1) {
    how.is_pair_of_two = true;
    how.operands = 2;
  }
  const bool whole = one.has("rni") || one.has("rzi") || one.has("rmi") || one.has("rpi");
  if (whole && *to != *from) return decoder.fail(fmt::format("the values of `{}` are not followed", one.opcode));
  if (whole)
    how.act.act = one.has("rni") ? Act::round : one.has("rzi") ? Act::trunc : one.has("rmi") ? Act::floor : Act::ceil;
  return true;
}

bool follow_memory(const Instruction& one, const Operation& operation, Followed& how) {
  if (one.name == "ld" || one.name == "ldu") {
    how.follow = operation.effect == Effect::load ? follow_load : follow_load_parameter;
    return true;
  }
  if (one.name == "st" && one.has("async")) return how.follow = follow_store, true;
  if (one.name == "st") {
    how.follow = operation.effect == Effect::store ? follow_store : follow_store_parameter;
    return true;
  }
  return false;
}

bool follow_atomics(Decoder& decoder, Followed& how) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  how.follow = follow_atomic;
  int parts = 1;
  const auto format = types.empty() ? std::nullopt : float_format(types[0], parts);
  if (one.has("exch")) how.factor = 1;
  else if (one.has("cas")) how.factor = 2;
  else if (format) {
    how.act.act = one.has("min") ? Act::minnum : one.has("max") ? Act::maxnum : Act::add;
    how.act.format = *format;
    // Additions of f32 to global memory flush subnormals; which memory it is, the address says.
    how.act.plain = *format != Format::f32;
    how.act.atomic = true;
    how.parts = static_cast<std::uint8_t>(parts);
    how.operands = 2;
  }
  return true;
}

bool is_of_bits(std::string_view name) {
  static constexpr std::string_view names[] = {"and",  "or",  "xor", "not", "shl", "shr",
                                               "prmt", "shf", "bfe", "bfi", "lop3"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool follow_product_of(Decoder& decoder, Followed& how) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (one.name == "mma") {
    const bool of_integers = types.size() > 1 && (types[1] == Type::s8 || types[1] == Type::u8);
    const bool of_f64 = types.size() > 1 && types[1] == Type::f64;
    how.follow = of_integers ? follow_integer_product : of_f64 ? follow_product_of_f64 : follow_product;
    return true;
  }
  if (one.name == "wmma") {
    const bool of_integers = std::find(types.begin(), types.end(), Type::s32) != types.end();
    how.follow = !one.has("mma") ? follow_tile : of_integers ? follow_integer_tiles : follow_product_of_tiles;
    return true;
  }
  if (one.name != "wgmma" || !one.has("mma_async")) return false;
  how.follow = follow_warp_group;
  return true;
}

bool choose(Decoder& decoder, const Operation& operation, Followed& how) {
  const Instruction& one = decoder.instruction();
  const std::string_view name = one.name;
  if (const auto sequence = decoder.sequence_step()) return follow_sequence(*sequence, decoder, how);
  if (name == "mov") {
    if (decoder.types().size() == 1 && decoder.types()[0] == Type::pred) return true;
    how.follow = operation.effect == Effect::pack     ? follow_pack
                 : operation.effect == Effect::unpack ? follow_unpack
                                                      : follow_move;
    return true;
  }
  if (name == "call") {
    how.follow = operation.effect == Effect::opaque ? follow_call_of_system : follow_results;
    return true;
  }
  if (follow_memory(one, operation, how)) return true;
  if (name == "selp") return how.follow = follow_select, true;
  if (name == "slct") {
    how.operands = decoder.types()[1] == Type::f32 ? 1 : 0;
    how.follow = follow_sign;
    return true;
  }
  if (name == "setp" || name == "set" || name == "testp") {
    how.follow = follow_comparison;
    // Loops of compare and swap ask whether a word is still what it was.
    how.is_of_equality = name == "setp" && (one.has("eq") || one.has("ne")) && one.operands.size() > 2 &&
                         (decoder.is_swapped(decoder.operand(1)) || decoder.is_swapped(decoder.operand(2)));
    return true;
  }
  if (name == "cvt" && one.has("pack")) return how.follow = follow_integers, true;
  if (name == "cvt") return follow_conversion(decoder, how);
  if (name == "shfl") return how.follow = follow_shuffle, true;
  if (name == "atom" || name == "red") return follow_atomics(decoder, how);
  if (name == "ldmatrix") return how.follow = follow_matrices, true;
  if (name == "stmatrix") return how.follow = follow_stored_matrices, true;
  if (name == "movmatrix") return how.follow = follow_transposition, true;
  if (follow_product_of(decoder, how)) return true;
  if (is_of_bits(name)) return how.follow = follow_bits, true;
  // Copies move tags themselves, and their operations hold other things than slots.
  if (name == "cp" || name == "mbarrier") {
    if (how.bytes[0] > 0) how.follow = follow_unwatched;
    return true;
  }
  if (follow_arithmetic(decoder, how)) return true;
  how.follow = follow_integers;
  return true;
}

}  // namespace

Followed followed_of(Decoder& decoder, const Operation& operation) {
  Followed how;
  if (operation.run == nullptr) return how;  // control, which takes predicates and integers alone
  const Slot slots[] = {operation.d, operation.e, operation.a, operation.b, operation.c, operation.f};
  for (std::size_t k = 0; k < std::size(slots); ++k) how.bytes[k] = decoder.bytes_of_slot(slots[k]);
  choose(decoder, operation, how);
  return how;
}

}  // namespace reckon::ptx
