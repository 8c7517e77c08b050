// Values in tiles of wmma.
#include "ptx/emulate/wmma.h"

#include <cstring>

#include "ptx/emulate/reach.h"
#include "ptx/shadow/shadow.h"

namespace reckon::ptx {
namespace {

using numerics::Format;

constexpr Mask all_of_warp = ~Mask{0};

/// The byte of a register at which element i of a lane begins; `slot` is its register.
std::size_t place_in(const Slot* slots, const Tile& tile, int lane, int i, Slot& slot) {
  const int run = 32 / tile.bits;
  slot = slots[i / run];
  return static_cast<std::size_t>(lane * 4 + i % run * (tile.bits / 8));
}

std::vector<Number> numbers_of(const Operation& operation, Warp& warp, Shadow& shadow, const Slot* slots, const Tile& tile,
                               Format format) {
  std::vector<Number> out(static_cast<std::size_t>(tile.size()));
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < tile.held(); ++i) {
      Slot slot = 0;
      const std::size_t at = place_in(slots, tile, lane, i, slot);
      out[static_cast<std::size_t>(tile.number(lane, i))] =
          shadow.take(operation, warp, warp.at<std::uint8_t>(slot) + at, shadow.tags(warp, slot) + at, format);
    }
  }
  return out;
}

}  // namespace

/// A load or store of a tile, which is carried out first: it checks where it reaches.
void follow_tile(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  const Kernel& kernel = warp.machine().kernel();
  const Access& access = kernel.accesses[operation.extra];
  const Slot* slots = kernel.slots.data() + access.slots;
  shadow.check(operation, warp, operation.a, how.bytes[2], on,
               "this address was computed from floats, which has no meaning under {}");
  const TileMove move = tile_move(operation);
  std::array<std::uint64_t, lanes_of_warp> where{}, stride{};
  addresses(operation, warp, access, on, where);
  for (std::size_t lane = 0; lane < lanes_of_warp; ++lane)
    stride[lane] = operation.b == no_slot ? move.own() : warp.at<std::uint32_t>(operation.b)[lane];
  operation.run(operation, warp, on);
  if (on != all_of_warp || warp.machine().stopped()) return;
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < move.tile.held(); ++i) {
      if (!move.loads && lane * move.tile.held() + i >= move.tile.size()) continue;
      const auto n = static_cast<std::size_t>(lane);
      const std::uint64_t at = where[n] + move.element(lane, i, stride[n]) * access.bytes;
      const Reached reached = warp.reach(operation, access, at, lane, !move.loads);
      if (reached.data == nullptr) return;
      Slot slot = 0;
      const std::size_t place = place_in(slots, move.tile, lane, i, slot);
      Tag *memory = shadow.tags(warp, reached, lane, access.bytes), *own = shadow.tags(warp, slot) + place;
      if (move.loads) std::copy_n(memory, access.bytes, own);
      else std::copy_n(own, access.bytes, memory);
    }
  }
}

void follow_product_of_tiles(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  if (on != all_of_warp) return operation.run(operation, warp, on);
  const TileProduct p = unpacked_tiles(operation.target);
  const Tile tile_a = p.a(), tile_b = p.b(), tile_c = p.c();
  const Slot* d = warp.machine().kernel().slots.data() + operation.extra;
  const Slot *a = d + tile_c.registers, *b = a + tile_a.registers, *c = b + tile_b.registers;
  const auto x = numbers_of(operation, warp, shadow, a, tile_a, p.x);
  const auto y = numbers_of(operation, warp, shadow, b, tile_b, p.x);
  const auto sums = numbers_of(operation, warp, shadow, c, tile_c, p.sums);
  if (!shadow.values().replaces_bits()) operation.run(operation, warp, on);
  const numerics::MmaUnit* unit = numerics::mma_unit(p.model, p.x, p.sums);
  const DotAct act{p.x, p.x, p.sums, p.model, unit == nullptr ? 1 : unit->length};
  const auto k = static_cast<std::size_t>(p.k), columns = static_cast<std::size_t>(p.columns);
  std::vector<Number> made;
  std::vector<Number> column(k);
  for (std::size_t number = 0; number < sums.size(); ++number) {
    for (std::size_t l = 0; l < k; ++l) column[l] = y[l * columns + number % columns];
    made.push_back(shadow.values().dot(act, sums[number], std::span(x).subspan(number / columns * k, k), column));
  }
  const int bytes = bytes_of(p.sums);
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < tile_c.held(); ++i) {
      Slot slot = 0;
      const std::size_t at = place_in(d, tile_c, lane, i, slot);
      const Number& one = made[static_cast<std::size_t>(tile_c.number(lane, i))];
      Shadow::put(one, bytes, shadow.tags(warp, slot) + at);
      if (shadow.values().replaces_bits())
        std::memcpy(warp.at<std::uint8_t>(slot) + at, &one.bits, static_cast<std::size_t>(bytes));
    }
  }
}

void follow_integer_tiles(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  const TileProduct p = unpacked_tiles(operation.target);
  const Slot* d = warp.machine().kernel().slots.data() + operation.extra;
  const int results = p.c().registers, sources = p.a().registers + p.b().registers + results;
  for (int k = 0; k < sources; ++k)
    shadow.check(operation, warp, d[results + k], 4, on,
                 "an integer instruction takes the bits of a number that was computed: it has no meaning under {}");
  operation.run(operation, warp, on);
  for (int k = 0; k < results; ++k) Shadow::clear(shadow.tags(warp, d[k]), 4 * lanes_of_warp);
}

}  // namespace reckon::ptx
