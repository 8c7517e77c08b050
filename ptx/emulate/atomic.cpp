// Atomic operations (PTX ISA 9.0, 9.7.14: atom, red) and fences. The lanes of a warp go in order.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "numerics/native.h"
#include "ptx/emulate/atomic.h"
#include "ptx/emulate/floats.h"
#include "ptx/emulate/reach.h"

namespace reckon::ptx {
namespace {

using Kind = AtomicKind;

template <numerics::Format format>
std::uint64_t of_halves(Kind kind, std::uint64_t a, std::uint64_t b) {
  using H = Half<format>;
  const float x = H::wide(static_cast<std::uint16_t>(a)), y = H::wide(static_cast<std::uint16_t>(b));
  if (kind == Kind::add) return H::narrow(x + y);
  if (x != x || y != y) return x != x ? (y != y ? nan_of_half : b) : a;
  const bool first = kind == Kind::min ? x < y || (x == y && std::signbit(x)) : x > y || (x == y && !std::signbit(x));
  return first ? a : b;
}

/// A float operation on the bits of both operands. f32 additions in global memory flush subnormals (PTX ISA, "atom").
std::uint64_t of_floats(Type type, Kind kind, std::uint64_t a, std::uint64_t b, bool flushes) {
  switch (type) {
    case Type::f32: {
      float x = std::bit_cast<float>(static_cast<std::uint32_t>(a)),
            y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
      if (flushes) x = flushed(x), y = flushed(y);
      const float sum = flushes ? flushed(x + y) : x + y;
      return std::bit_cast<std::uint32_t>(canonical(sum));
    }
    case Type::f64: return std::bit_cast<std::uint64_t>(canonical(std::bit_cast<double>(a) + std::bit_cast<double>(b)));
    case Type::f16: return of_halves<numerics::Format::f16>(kind, a, b);
    case Type::bf16: return of_halves<numerics::Format::bf16>(kind, a, b);
    case Type::f16x2:
    case Type::bf16x2: {
      const Type half = type == Type::f16x2 ? Type::f16 : Type::bf16;
      return of_floats(half, kind, a >> 16 & 0xffff, b >> 16 & 0xffff, flushes) << 16 |
             of_floats(half, kind, a & 0xffff, b & 0xffff, flushes);
    }
    default: return 0;
  }
}

template <class T>
T of_integers(Kind kind, T old, T b, T c) {
  using U = std::make_unsigned_t<T>;
  switch (kind) {
    case Kind::add: return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
    case Kind::min: return b < old ? b : old;
    case Kind::max: return old < b ? b : old;
    case Kind::inc: return static_cast<U>(old) >= static_cast<U>(b) ? T{0} : static_cast<T>(old + 1);
    case Kind::dec: return old == 0 || static_cast<U>(old) > static_cast<U>(b) ? b : static_cast<T>(old - 1);
    case Kind::and_: return old & b;
    case Kind::or_: return old | b;
    case Kind::xor_: return old ^ b;
    case Kind::exch: return b;
    case Kind::cas: return old == b ? c : old;
  }
  return old;
}

}  // namespace

std::optional<AtomicKind> atomic_kind_among(const Instruction& one) {
  static constexpr std::string_view names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"};
  for (const std::string_view part : one.parts) {
    for (std::size_t k = 0; k < std::size(names); ++k) {
      if (part == names[k]) return static_cast<AtomicKind>(k);
    }
  }
  return std::nullopt;
}

std::uint64_t atomic_result(Type type, AtomicKind kind, std::uint64_t old, std::uint64_t b, std::uint64_t c,
                            bool flushes) {
  if (type >= Type::f16 && type <= Type::f64 && kind <= Kind::max) return of_floats(type, kind, old, b, flushes);
  switch (type) {
    case Type::s32:
      return static_cast<std::uint32_t>(of_integers<std::int32_t>(
          kind, static_cast<std::int32_t>(old), static_cast<std::int32_t>(b), static_cast<std::int32_t>(c)));
    case Type::s64:
      return static_cast<std::uint64_t>(of_integers<std::int64_t>(
          kind, static_cast<std::int64_t>(old), static_cast<std::int64_t>(b), static_cast<std::int64_t>(c)));
    case Type::u64:
    case Type::b64: return of_integers<std::uint64_t>(kind, old, b, c);
    case Type::b16:
      return of_integers<std::uint16_t>(kind, static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b),
                                        static_cast<std::uint16_t>(c));
    default:
      return of_integers<std::uint32_t>(kind, static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(b),
                                        static_cast<std::uint32_t>(c));
  }
}

namespace {

/// `target`: the type and the kind.
void atomic(const Operation& operation, Warp& warp, Mask on) {
  const Access& access = warp.machine().kernel().accesses[operation.extra];
  const auto type = static_cast<Type>(operation.target & 0xff);
  const auto kind = static_cast<Kind>(operation.target >> 8);
  std::array<std::uint64_t, lanes_of_warp> where;
  addresses(operation, warp, access, on, where);
  const auto word_of = [&](Slot slot, std::size_t lane) {
    std::uint64_t word = 0;
    if (slot != no_slot) std::memcpy(&word, warp.at<std::uint8_t>(slot) + lane * access.bytes, access.bytes);
    return word;
  };
  bool is_shared = false;
  for (Mask rest = on; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto n = static_cast<std::size_t>(lane);
    const Reached reached = warp.reach(operation, access, where[n], lane, true);
    if (reached.data == nullptr) return;
    is_shared = reached.is_shared;
    release_at(warp, reached, access.releases);
    acquire_at(warp, reached);
    note_read(operation, warp, reached, access.bytes);
    note_write(operation, warp, reached, access.bytes);
    std::uint64_t old = 0;
    std::memcpy(&old, reached.data, access.bytes);
    const std::uint64_t made =
        atomic_result(type, kind, old, word_of(operation.b, n), word_of(operation.c, n), !reached.is_shared);
    std::memcpy(reached.data, &made, access.bytes);
    if (operation.d != no_slot) std::memcpy(warp.at<std::uint8_t>(operation.d) + n * access.bytes, &old, access.bytes);
  }
  count_request(operation, warp, access, on, where, is_shared);
}

/// Each element is an operation of its own, as the ISA says of vectors. The last one is left in `operation`.
bool decode_vector(Decoder& decoder, Operation& operation, const Operand& values, std::size_t elements, Type type) {
  const bool gives = decoder.instruction().name == "atom";
  const auto is_list = [&](const Operand& list) { return list.kind == Operand::Kind::list && list.count == elements; };
  if (!is_list(values) || (gives && !is_list(decoder.operand(0))))
    return decoder.fail(fmt::format("`{}` takes {} registers", decoder.instruction().opcode, elements));
  operation.effect = Effect::opaque;
  operation.run = atomic;
  const std::int64_t first = operation.offset;
  for (std::size_t k = 0; k < elements; ++k) {
    operation.offset = first + static_cast<std::int64_t>(k) * bits_of(type) / 8;
    operation.b = decoder.source(decoder.child(values, k), type);
    if (gives) operation.d = decoder.result_or_none(decoder.child(decoder.operand(0), k), bits_of(type));
    if (k + 1 < elements && !decoder.failed()) decoder.emit(operation);
  }
  return true;
}

void fence(const Operation&, Warp& warp, Mask) { warp.block().fence(warp); }
void nothing(const Operation&, Warp&, Mask) {}

}  // namespace

bool decode_atomic(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name == "membar" || (one.name == "fence" && !one.has("mbarrier_init") && !one.has("proxy"))) {
    operation.effect = Effect::opaque;
    operation.run = fence;
    return true;
  }
  if (one.name == "fence") {
    operation.effect = Effect::opaque;
    operation.run = nothing;
    return true;
  }
  const bool gives = one.name == "atom";
  if ((!gives && one.name != "red") || one.has("async")) return false;
  const auto kind = atomic_kind_among(one);
  const auto types = decoder.types();
  if (!kind || types.size() != 1 || bits_of(types[0]) < 16 || bits_of(types[0]) > 64) return false;
  if (types[0] == Type::b128) return false;
  const bool is_pair = types[0] == Type::f16x2 || types[0] == Type::bf16x2;
  const bool is_wide = types[0] == Type::f32 || types[0] == Type::f64;
  if ((is_pair || is_float(types[0])) && (*kind > Kind::max || (is_wide && *kind != Kind::add))) return false;
  Access access;
  access.space = space_of(one);
  set_order(one, access);
  access.strong = true;
  access.bytes = access.reg_bytes = static_cast<std::uint8_t>(bits_of(types[0]) / 8);
  const std::size_t count = (gives ? 1 : 0) + (*kind == Kind::cas ? 3u : 2u);
  if (!decoder.has_operands(count, count + 1)) return true;
  operation.target = static_cast<std::uint32_t>(types[0]) | static_cast<std::uint32_t>(*kind) << 8;
  const std::size_t elements = one.has("v2") ? 2 : one.has("v4") ? 4 : one.has("v8") ? 8 : 1;
  std::size_t at = gives ? 1 : 0;
  if (!decoder.address(decoder.operand(at++), operation, access)) return true;
  decoder.narrow_granule(access);
  operation.extra = decoder.add_access(access);
  const Operand& value = decoder.operand(at++);
  if (elements > 1) return decode_vector(decoder, operation, value, elements, types[0]);
  if (gives) operation.d = decoder.result_or_none(decoder.operand(0), bits_of(types[0]));
  operation.b = decoder.source(value, types[0]);
  if (*kind == Kind::cas) operation.c = decoder.source(decoder.operand(at), types[0]);
  operation.effect = Effect::opaque;
  operation.run = atomic;
  return true;
}

}  // namespace reckon::ptx
