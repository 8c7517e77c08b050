// Products of whole tiles by a warp, whose fragments only the three instructions know (PTX ISA 9.0, 9.7.15.3:
// wmma.load, wmma.mma, wmma.store). The ISA leaves open which lane holds which element: here lane l has the elements of
// a row-major tile from l times their number on, and where the lanes have room for more elements than there are, the
// tile begins again, as on a chip some elements are in two lanes.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "ptx/emulate/reach.h"
#include "ptx/emulate/tensor_core.h"
#include "ptx/emulate/wmma.h"

namespace reckon::ptx {
namespace {

using numerics::Format;

std::uint64_t get(Warp& warp, const Slot* slots, const Tile& tile, int lane, int i) {
  return element(warp, slots, tile.bits, lane, i);
}
void set(Warp& warp, const Slot* slots, const Tile& tile, int lane, int i, std::uint64_t bits) {
  const int run = 32 / tile.bits, shift = tile.bits * (i % run);
  const std::uint32_t mask = (tile.bits == 32 ? ~0u : (1u << tile.bits) - 1) << shift;
  std::uint32_t& word = warp.at<std::uint32_t>(slots[i / run])[lane];
  word = (word & ~mask) | (static_cast<std::uint32_t>(bits) << shift & mask);
}

/// b: the distance of rows, or of columns, in elements; no_slot: they are adjacent.
void move_tile(const Operation& operation, Warp& warp, Mask on) {
  if (!is_whole_warp(operation, warp, on)) return;
  const Kernel& kernel = warp.machine().kernel();
  const Access& access = kernel.accesses[operation.extra];
  const Slot* slots = kernel.slots.data() + access.slots;
  const TileMove move = tile_move(operation);
  const Tile& tile = move.tile;
  std::array<std::uint64_t, lanes_of_warp> where{};
  addresses(operation, warp, access, on, where);
  bool is_shared = false;
  std::array<std::uint64_t, lanes_of_warp> request{};
  for (int i = 0; i < tile.held(); ++i) {
    Mask first = 0;  // lanes whose element no other lane has moved
    for (int lane = 0; lane < lanes_of_warp; ++lane) {
      if (!move.loads && lane * tile.held() + i >= tile.size()) continue;
      const auto n = static_cast<std::size_t>(lane);
      const std::uint64_t stride = operation.b == no_slot ? move.own() : warp.at<std::uint32_t>(operation.b)[lane];
      request[n] = where[n] + move.element(lane, i, stride) * access.bytes;
      const Reached reached = warp.reach(operation, access, request[n], lane, !move.loads);
      if (reached.data == nullptr) return;
      is_shared = reached.is_shared;
      first |= Mask{1} << lane;
      std::uint64_t word = 0;
      if (move.loads) {
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

/// The patterns of a tile, row by row.
std::vector<std::uint64_t> read(Warp& warp, const Slot* slots, const Tile& tile) {
  std::vector<std::uint64_t> out(static_cast<std::size_t>(tile.size()));
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    for (int i = 0; i < tile.held(); ++i)
      out[static_cast<std::size_t>(tile.number(lane, i))] = get(warp, slots, tile, lane, i);
  return out;
}

std::uint64_t sum_of_integers(const TileProduct& p, std::uint64_t before, const std::uint64_t* x,
                              const std::uint64_t* y) {
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
  const TileProduct p = unpacked_tiles(operation.target);
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

bool read_shape(const Instruction& one, TileProduct& p) {
  for (const std::string_view part : one.parts) {
    if (std::sscanf(std::string(part).c_str(), "m%dn%dk%d", &p.rows, &p.columns, &p.k) == 3)
      return (p.rows == 8 || p.rows == 16 || p.rows == 32) && p.columns == 256 / p.rows && (p.k == 16 || p.k == 8);
  }
  return false;
}

bool decode_move(Decoder& decoder, Operation& operation, bool loads) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  TileProduct p;
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
  if (!add_registers(decoder, loads ? 0 : 1, tile.registers, slots)) return true;
  access.slots = decoder.add_slots(slots);
  if (!decoder.address(decoder.operand(loads ? 1 : 0), operation, access)) return true;
  if (one.operands.size() == 3) operation.b = decoder.source(decoder.operand(2), Type::u32);
  decoder.narrow_granule(access);
  operation.extra = decoder.add_access(access);
  operation.target = packed(tile, one.has("col"));
  operation.mode = loads ? 1 : 0;
  return finish_product(operation, move_tile);
}

bool decode_product(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  TileProduct p;
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
  operation.target = packed(p);
  return add_fragments(decoder, operation, {p.c().registers, p.a().registers, p.b().registers, p.c().registers}) &&
         finish_product(operation, multiply);
}

}  // namespace

bool decode_wmma(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name != "wmma") return false;
  if (one.has("mma")) return decode_product(decoder, operation);
  return decode_move(decoder, operation, one.has("load"));
}

}  // namespace reckon::ptx
