// Products of whole tiles by a warp, whose fragments only the three instructions know (PTX ISA 9.0, 9.7.15.3:
// wmma.load, wmma.mma, wmma.store). The ISA leaves open which lane holds which element: here lane l has the elements of
// a row-major tile from l times their number on, and where the lanes have room for more elements than there are, the
// tile begins again, as on a chip some elements are in two lanes.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "ptx/emulate/reach.h"
#include "ptx/emulate/tensor_core.h"

namespace reckon::ptx {
namespace {

using numerics::Format;

/// A tile in registers.
struct Tile {
  int rows = 16, columns = 16;
  int bits = 16;      ///< of an element
  int registers = 4;  ///< of a lane
  int held() const { return registers * 32 / bits; }
  int size() const { return rows * columns; }
  /// Of element i of a lane: its number in the tile.
  int number(int lane, int i) const { return (lane * held() + i) % size(); }
};

std::uint32_t packed(const Tile& tile, bool by_columns) {
  return static_cast<std::uint32_t>(tile.rows) | static_cast<std::uint32_t>(tile.columns) << 8 |
         static_cast<std::uint32_t>(tile.bits) << 16 | static_cast<std::uint32_t>(tile.registers) << 24 |
         (by_columns ? 1u << 31 : 0);
}
Tile unpacked(std::uint32_t word) {
  return {static_cast<int>(word & 0xff), static_cast<int>(word >> 8 & 0xff), static_cast<int>(word >> 16 & 0xff),
          static_cast<int>(word >> 24 & 0x7f)};
}

std::uint64_t get(Warp& warp, const Slot* slots, const Tile& tile, int lane, int i) {
  return element(warp, slots, tile.bits, lane, i);
}
void set(Warp& warp, const Slot* slots, const Tile& tile, int lane, int i, std::uint64_t bits) {
  const int run = 32 / tile.bits, shift = tile.bits * (i % run);
  const std::uint32_t mask = (tile.bits == 32 ? ~0u : (1u << tile.bits) - 1) << shift;
  std::uint32_t& word = warp.at<std::uint32_t>(slots[i / run])[lane];
  word = (word & ~mask) | (static_cast<std::uint32_t>(bits) << shift & mask);
}

/// `target`: the tile; b: the distance of rows, or of columns, in elements; no_slot: they are adjacent.
template <bool loads>
void move_tile(const Operation& operation, Warp& warp, Mask on) {
  if (!is_whole_warp(operation, warp, on)) return;
  const Kernel& kernel = warp.machine().kernel();
  const Access& access = kernel.accesses[operation.extra];
  const Slot* slots = kernel.slots.data() + access.slots;
  const Tile tile = unpacked(operation.target);
  const bool by_columns = (operation.target >> 31) != 0;
  std::array<std::uint64_t, lanes_of_warp> where{};
  addresses(operation, warp, access, on, where);
  const auto own = static_cast<std::uint64_t>(by_columns ? tile.rows : tile.columns);
  bool is_shared = false;
  std::array<std::uint64_t, lanes_of_warp> request{};
  for (int i = 0; i < tile.held(); ++i) {
    Mask first = 0;  // lanes whose element no other lane has moved
    for (int lane = 0; lane < lanes_of_warp; ++lane) {
      const int number = tile.number(lane, i), row = number / tile.columns, column = number % tile.columns;
      if (!loads && lane * tile.held() + i >= tile.size()) continue;
      const std::uint64_t stride = operation.b == no_slot ? own : warp.at<std::uint32_t>(operation.b)[lane];
      const auto across = static_cast<std::uint64_t>(by_columns ? column : row),
                 along = static_cast<std::uint64_t>(by_columns ? row : column);
      const auto n = static_cast<std::size_t>(lane);
      request[n] = where[n] + (across * stride + along) * access.bytes;
      const Reached reached = warp.reach(operation, access, request[n], lane, !loads);
      if (reached.data == nullptr) return;
      is_shared = reached.is_shared;
      first |= Mask{1} << lane;
      std::uint64_t word = 0;
      if (loads) {
        note_read(operation, warp, reached, access.bytes);
        std::memcpy(&word, reached.data, access.bytes);
        set(warp, slots, tile, lane, i, word);
      } else {
        note_write(operation, warp, reached, access.bytes);
        word = get(warp, slots, tile, lane, i);
        std::memcpy(reached.data, &word, access.bytes);
      }
    }
    if (first != 0) count_request(operation, warp, access, first, request, is_shared);
  }
}

/// What wmma.mma needs besides its slots, which are those of d, a, b and c.
struct Product {
  int rows = 16, columns = 16, k = 16;
  Format x{}, sums{};
  bool of_integers = false, a_signed = false, b_signed = false, saturates = false;
  numerics::MmaModel model{};
  int bits() const { return of_integers ? 8 : x == Format::tf32 ? 32 : 16; }
  /// Factors of f16 have eight registers, whatever their shape.
  int registers(int elements) const {
    return !of_integers && x == Format::f16 ? 8 : std::max(1, elements * bits() / 32 / lanes_of_warp);
  }
  Tile a() const { return {rows, k, bits(), registers(rows * k)}; }
  Tile b() const { return {k, columns, bits(), registers(k * columns)}; }
  Tile c() const {
    const int width = !of_integers && sums == Format::f16 ? 16 : 32;
    return {rows, columns, width, rows * columns * width / 32 / lanes_of_warp};
  }
};
std::uint32_t packed(const Product& p) {
  return static_cast<std::uint32_t>(p.rows / 8) | static_cast<std::uint32_t>(p.columns / 8) << 3 |
         static_cast<std::uint32_t>(p.k / 8) << 6 | static_cast<std::uint32_t>(p.x) << 9 |
         static_cast<std::uint32_t>(p.sums) << 13 | static_cast<std::uint32_t>(p.model) << 17 |
         (p.of_integers ? 1u << 21 : 0) | (p.a_signed ? 1u << 22 : 0) | (p.b_signed ? 1u << 23 : 0) |
         (p.saturates ? 1u << 24 : 0);
}
Product unpacked_product(std::uint32_t word) {
  Product p;
  p.rows = static_cast<int>(word & 7) * 8;
  p.columns = static_cast<int>(word >> 3 & 7) * 8;
  p.k = static_cast<int>(word >> 6 & 7) * 8;
  p.x = static_cast<Format>(word >> 9 & 15);
  p.sums = static_cast<Format>(word >> 13 & 15);
  p.model = static_cast<numerics::MmaModel>(word >> 17 & 15);
  p.of_integers = (word >> 21 & 1) != 0;
  p.a_signed = (word >> 22 & 1) != 0;
  p.b_signed = (word >> 23 & 1) != 0;
  p.saturates = (word >> 24 & 1) != 0;
  return p;
}

/// The patterns of a tile, row by row.
std::vector<std::uint64_t> read(Warp& warp, const Slot* slots, const Tile& tile) {
  std::vector<std::uint64_t> out(static_cast<std::size_t>(tile.size()));
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    for (int i = 0; i < tile.held(); ++i)
      out[static_cast<std::size_t>(tile.number(lane, i))] = get(warp, slots, tile, lane, i);
  return out;
}

std::uint64_t sum_of_integers(const Product& p, std::uint64_t before, const std::uint64_t* x, const std::uint64_t* y) {
  std::int64_t sum = static_cast<std::int32_t>(before);
  const auto value = [](std::uint64_t byte, bool is_signed) {
    return is_signed ? std::int64_t{static_cast<std::int8_t>(byte)} : static_cast<std::int64_t>(byte);
  };
  for (int k = 0; k < p.k; ++k) sum += value(x[k], p.a_signed) * value(y[k * p.columns], p.b_signed);
  if (p.saturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

void multiply(const Operation& operation, Warp& warp, Mask on) {
  if (!is_whole_warp(operation, warp, on)) return;
  const Product p = unpacked_product(operation.target);
  const Tile tile_a = p.a(), tile_b = p.b(), sums = p.c();
  const Slot* d = warp.machine().kernel().slots.data() + operation.extra;
  const Slot *a = d + sums.registers, *b = a + tile_a.registers, *c = b + tile_b.registers;
  const auto x = read(warp, a, tile_a), y = read(warp, b, tile_b), before = read(warp, c, sums);
  std::vector<double> rows, columns;
  if (!p.of_integers) {
    for (const std::uint64_t bits : x) rows.push_back(operand_value(bits, p.x));
    for (int j = 0; j < p.columns; ++j)
      for (int k = 0; k < p.k; ++k)
        columns.push_back(operand_value(y[static_cast<std::size_t>(k * p.columns + j)], p.x));
  }
  const numerics::MmaUnit* unit = p.of_integers ? nullptr : numerics::mma_unit(p.model, p.x, p.sums);
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < sums.held(); ++i) {
      const auto number = static_cast<std::size_t>(sums.number(lane, i));
      const std::size_t row = number / static_cast<std::size_t>(p.columns),
                        column = number % static_cast<std::size_t>(p.columns);
      const auto leaves = static_cast<std::size_t>(p.k);
      const std::uint64_t made = p.of_integers ? sum_of_integers(p, before[number], &x[row * leaves], &y[column])
                                               : sum_bits(chain(*unit, operand_value(before[number], p.sums),
                                                                std::span(rows).subspan(row * leaves, leaves),
                                                                std::span(columns).subspan(column * leaves, leaves)),
                                                          p.sums);
      set(warp, d, sums, lane, i, made);
    }
  }
}

bool read_shape(const Instruction& one, Product& p) {
  for (const std::string_view part : one.parts) {
    if (std::sscanf(std::string(part).c_str(), "m%dn%dk%d", &p.rows, &p.columns, &p.k) == 3)
      return (p.rows == 8 || p.rows == 16 || p.rows == 32) && p.columns == 256 / p.rows && (p.k == 16 || p.k == 8);
  }
  return false;
}

/// The registers of an operand.
bool add_registers(Decoder& decoder, const Operand& list, int count, bool are_results, std::vector<Slot>& slots) {
  const auto given = list.kind == Operand::Kind::list ? static_cast<int>(list.count) : 1;
  if (given != count)
    return !decoder.fail(
        fmt::format("`{}` takes {} registers here, not {}", decoder.instruction().opcode, count, given));
  for (int i = 0; i < given; ++i) {
    const Operand& one = list.kind == Operand::Kind::list ? decoder.child(list, static_cast<std::size_t>(i)) : list;
    const bool real = one.kind == Operand::Kind::number && one.real;
    slots.push_back(are_results ? decoder.result(one, 32) : decoder.source(one, real ? Type::f32 : Type::b32));
  }
  return !decoder.failed();
}

bool decode_move(Decoder& decoder, Operation& operation, bool loads) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  Product p;
  if (types.size() != 1 || !read_shape(one, p)) return false;
  const bool of_integers = types[0] == Type::s8 || types[0] == Type::u8 || types[0] == Type::s32;
  p.of_integers = of_integers;
  const auto format = operand_format(types[0]);
  if (!of_integers && !format && types[0] != Type::f32) return false;
  // A load of f32 with k = 8 is of factors that become tf32.
  p.x = types[0] == Type::f32 ? Format::tf32 : of_integers ? Format::f16 : *format;
  p.sums = types[0] == Type::f16 ? Format::f16 : Format::f32;
  const Tile tile = one.has("a") ? p.a() : one.has("b") ? p.b() : p.c();
  if (!decoder.has_operands(2, 3)) return true;
  Access access;
  access.space = space_of(one);
  access.bytes = static_cast<std::uint8_t>(tile.bits / 8);
  std::vector<Slot> slots;
  if (!add_registers(decoder, decoder.operand(loads ? 0 : 1), tile.registers, loads, slots)) return true;
  access.slots = decoder.add_slots(slots);
  if (!decoder.address(decoder.operand(loads ? 1 : 0), operation, access)) return true;
  if (one.operands.size() == 3) operation.b = decoder.source(decoder.operand(2), Type::u32);
  decoder.narrow_granule(access);
  operation.extra = decoder.add_access(access);
  operation.target = packed(tile, one.has("col"));
  operation.flow = Flow::converge;
  operation.effect = Effect::opaque;
  operation.run = loads ? move_tile<true> : move_tile<false>;
  return true;
}

bool decode_product(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  Product p;
  if (!read_shape(one, p)) return false;
  std::vector<Type> all = types;
  if (all.size() == 2) all = {types[0], Type::f16, Type::f16, types[1]};  // of f16 the factors' type is not written
  if (all.size() != 4 || all[0] != all[3] || one.has("popc")) return false;
  p.of_integers = all[0] == Type::s32;
  p.saturates = one.has("satfinite");
  if (p.of_integers) {
    if ((all[1] != Type::s8 && all[1] != Type::u8) || all[1] != all[2]) return false;
    p.a_signed = p.b_signed = all[1] == Type::s8;
  } else {
    const auto x = operand_format(all[1]);
    const auto model = model_of_target(decoder.module().target);
    if (!x || all[1] != all[2] || !model || p.saturates || (all[0] != Type::f32 && all[0] != Type::f16)) return false;
    p.x = *x;
    p.model = *model;
    p.sums = all[0] == Type::f32 ? Format::f32 : Format::f16;
    if (numerics::mma_unit(p.model, p.x, p.sums) == nullptr)
      return decoder.fail(fmt::format("no model of `{}` on {} is known", one.opcode, decoder.module().target));
  }
  if (!decoder.has_operands(4, 4)) return true;
  std::vector<Slot> slots;
  const int counts[] = {p.c().registers, p.a().registers, p.b().registers, p.c().registers};
  for (std::size_t k = 0; k < 4; ++k) {
    if (!add_registers(decoder, decoder.operand(k), counts[k], k == 0, slots)) return true;
  }
  operation.extra = decoder.add_slots(slots);
  operation.target = packed(p);
  operation.flow = Flow::converge;
  operation.effect = Effect::opaque;
  operation.run = multiply;
  return true;
}

}  // namespace

bool decode_wmma(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name != "wmma") return false;
  if (one.has("mma")) return decode_product(decoder, operation);
  return decode_move(decoder, operation, one.has("load"));
}

}  // namespace reckon::ptx
