// Values that the lanes of a warp hold together as matrices, and their products by tensor cores.
#include <algorithm>
#include <cstring>

#include "ptx/emulate/fragments.h"
#include "ptx/emulate/mma_f64.h"
#include "ptx/emulate/reach.h"
#include "ptx/emulate/tensor_core.h"
#include "ptx/emulate/warp_group.h"
#include "ptx/shadow/shadow.h"

namespace reckon::ptx {
namespace {

using numerics::Format;

constexpr Mask all_of_warp = ~Mask{0};

template <bool loads>
void move_matrices(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  const Kernel& kernel = warp.machine().kernel();
  const Access& access = kernel.accesses[operation.extra];
  const Slot* slots = kernel.slots.data() + access.slots;
  if (on != all_of_warp) return operation.run(operation, warp, on);  // which is a fault
  shadow.check(operation, warp, operation.a, how.bytes[2], on,
               "this address was computed from floats, which has no meaning under {}");
  std::array<std::uint64_t, lanes_of_warp> where{};
  addresses(operation, warp, access, on, where);
  const bool transposed = (operation.mode & 1) != 0;
  for (int m = 0; m < static_cast<int>(operation.target); ++m) {
    for (int row = 0; row < 8; ++row) {
      const int lane = m * 8 + row;
      const Reached reached = warp.reach(operation, access, where[static_cast<std::size_t>(lane)], lane, !loads);
      if (reached.data == nullptr) return;
      Tag* memory = shadow.tags(warp, reached, lane, 16);
      for (int column = 0; column < 8; ++column) {
        const ElementPlace place = place_of(row, column, transposed);
        Tag* element = shadow.tags(warp, slots[m]) + place.lane * 4 + place.half * 2;
        if (loads) std::copy_n(memory + column * 2, 2, element);
        else std::copy_n(element, 2, memory + column * 2);
      }
    }
  }
  operation.run(operation, warp, on);
}

/// The elements of a register of 32 bits.
Number element(const Operation& operation, Warp& warp, Shadow& shadow, const Slot* slots, const Fragments& shape, int lane,
               int i, Format format) {
  const int run = shape.of_register();
  const Slot slot = slots[i / run];
  const int at = lane * 4 + i % run * (4 / run);
  return shadow.take(operation, warp, warp.at<std::uint8_t>(slot) + at, shadow.tags(warp, slot) + at, format);
}

DotAct dot_act(Format x, Format y, Format sums, numerics::MmaModel model) {
  const numerics::MmaUnit* unit = numerics::mma_unit(model, x, sums);
  return {x, y, sums, model, unit == nullptr ? 1 : unit->length};
}

void put_sum(Warp& warp, Shadow& shadow, Slot slot, int lane, int half, Format format, Number made) {
  const int size = bytes_of(format), at = lane * 4 + half * size;
  Shadow::put(made, size, shadow.tags(warp, slot) + at);
  if (shadow.values().replaces_bits())
    std::memcpy(warp.at<std::uint8_t>(slot) + at, &made.bits, static_cast<std::size_t>(size));
}

}  // namespace

void follow_matrices(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  move_matrices<true>(operation, how, warp, on, shadow);
}
void follow_stored_matrices(const Operation& operation, const Followed& how, Warp& warp, Mask on, Shadow& shadow) {
  move_matrices<false>(operation, how, warp, on, shadow);
}

void follow_transposition(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  std::array<Tag, 4 * lanes_of_warp> taken;
  std::copy_n(shadow.tags(warp, operation.a), taken.size(), taken.data());
  Tag* to = shadow.tags(warp, operation.d);
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      const ElementPlace from = place_of(row, column, false), at = place_of(column, row, false);
      std::copy_n(taken.data() + from.lane * 4 + from.half * 2, 2, to + at.lane * 4 + at.half * 2);
    }
  }
  operation.run(operation, warp, on);
}

void follow_product(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  if (on != all_of_warp) return operation.run(operation, warp, on);
  const FragmentProduct p = unpacked_fragments(operation.target);
  const Fragments& shape = p.shape;
  const Slot* d = warp.machine().kernel().slots.data() + operation.extra;
  const bool halves = p.sums == Format::f16;
  const int of_sums = halves ? 2 : 4;
  const Slot* a = d + of_sums;
  const Slot* b = a + shape.elements_of_a() / shape.of_register();
  const Slot* c = b + shape.elements_of_b() / shape.of_register();
  const auto k = static_cast<std::size_t>(shape.k);
  std::vector<Number> x(16 * k), y(8 * k), sums(4 * lanes_of_warp);
  const Fragments of_c{shape.k, halves ? 16 : 32};
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < shape.elements_of_a(); ++i) {
      const Element at = element_of_a(shape, lane, i);
      x[static_cast<std::size_t>(at.side) * k + static_cast<std::size_t>(at.leaf)] =
          element(operation, warp, shadow, a, shape, lane, i, p.x);
    }
    for (int i = 0; i < shape.elements_of_b(); ++i) {
      const Element at = element_of_b(shape, lane, i);
      y[static_cast<std::size_t>(at.side) * k + static_cast<std::size_t>(at.leaf)] =
          element(operation, warp, shadow, b, shape, lane, i, p.y);
    }
    for (int i = 0; i < 4; ++i)
      sums[static_cast<std::size_t>(lane * 4 + i)] = element(operation, warp, shadow, c, of_c, lane, i, p.sums);
  }
  // The sums may be in the registers of the factors: the bits are the instruction's own where values have none.
  if (!shadow.values().replaces_bits()) operation.run(operation, warp, on);
  const DotAct act = dot_act(p.x, p.y, p.sums, p.model);
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const Element at = element_of_sums(lane, i);
      const Number made = shadow.values().dot(act, sums[static_cast<std::size_t>(lane * 4 + i)],
                                              std::span(x).subspan(static_cast<std::size_t>(at.side) * k, k),
                                              std::span(y).subspan(static_cast<std::size_t>(at.leaf) * k, k));
      put_sum(warp, shadow, d[halves ? i / 2 : i], lane, halves ? i % 2 : 0, p.sums, made);
    }
  }
}

/// Fused products, one after the other.
void follow_product_of_f64(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  if (on != all_of_warp) return operation.run(operation, warp, on);
  const WideProduct p{static_cast<int>(operation.target & 0xff), static_cast<int>(operation.target >> 8)};
  const Slot* d = warp.machine().kernel().slots.data() + operation.extra;
  const Slot *a = d + p.sums(), *b = a + p.of_a(), *c = b + p.of_b();
  const auto taken = [&](Slot slot, int lane) {
    return shadow.take(operation, warp, warp.at<std::uint8_t>(slot) + lane * 8, shadow.tags(warp, slot) + lane * 8,
                       Format::f64);
  };
  Number x[16][16]{}, y[8][16]{}, sums[lanes_of_warp][4]{};
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < p.of_a(); ++i) {
      const Element at = p.element_of_a(lane, i);
      x[at.side][at.leaf] = taken(a[i], lane);
    }
    for (int i = 0; i < p.of_b(); ++i) {
      const Element at = p.element_of_b(lane, i);
      y[at.side][at.leaf] = taken(b[i], lane);
    }
    for (int i = 0; i < p.sums(); ++i) sums[lane][i] = taken(c[i], lane);
  }
  if (!shadow.values().replaces_bits()) operation.run(operation, warp, on);
  FloatAct act;
  act.act = Act::fma;
  act.format = Format::f64;
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < p.sums(); ++i) {
      const Element at = element_of_sums(lane, i);
      Number sum = sums[lane][i];
      for (int k = 0; k < p.k; ++k) {
        const Number operands[] = {x[at.side][k], y[at.leaf][k], sum};
        sum = shadow.values().apply(act, operands);
      }
      Shadow::put(sum, 8, shadow.tags(warp, d[i]) + lane * 8);
      if (shadow.values().replaces_bits()) warp.at<std::uint64_t>(d[i])[lane] = sum.bits;
    }
  }
}

/// Of bytes: four registers of sums before and after, and those of the factors.
void follow_integer_product(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  const Fragments shape{static_cast<int>(operation.target), 8};
  const Slot* d = warp.machine().kernel().slots.data() + operation.extra;
  const int sources = shape.elements_of_a() / 4 + shape.elements_of_b() / 4 + 4;
  for (int k = 0; k < sources; ++k)
    shadow.check(operation, warp, d[4 + k], 4, on,
                 "an integer instruction takes the bits of a number that was computed: it has no meaning under {}");
  operation.run(operation, warp, on);
  for (int k = 0; k < 4; ++k) Shadow::clear(shadow.tags(warp, d[k]), 4 * lanes_of_warp);
}

void follow_warp_group(const Operation& operation, const Followed&, Warp& warp, Mask on, Shadow& shadow) {
  const Kernel& kernel = warp.machine().kernel();
  const GroupProduct p = unpacked_group(operation.target);
  const int size = operand_bytes(p.operand), leaves = 32 / size;
  const bool halves = p.sums == Format::f16;
  const int of_sums = p.columns / (halves ? 4 : 2);
  const Slot* d = kernel.slots.data() + kernel.accesses[operation.extra].slots;
  const Slot* a = d + of_sums;
  const auto k = static_cast<std::size_t>(leaves);
  const auto count = static_cast<std::size_t>(p.columns / 2);
  std::vector<Number> x(16 * k), y(static_cast<std::size_t>(p.columns) * k), sums(count * lanes_of_warp);
  const auto signed_number = [&](Number number, bool negates, Format format) {
    if (!negates) return number;
    FloatAct act;
    act.act = Act::neg;
    act.format = format;
    return shadow.values().apply(act, {&number, 1});
  };
  const Mask adds = warp.predicate(operation, operation.f, 3);
  // What the factors were, and where, is read before the operation is carried out, which checks it.
  auto& shared = warp.block().shared();
  if (warp.block().tags.size() < shared.size()) warp.block().tags.resize(shared.size(), 0);
  const auto in_shared = [&](const Descriptor& descriptor, int side, int leaf, Format format) -> Number {
    const std::uint64_t at = descriptor.address(static_cast<std::uint64_t>(side), static_cast<std::uint64_t>(leaf));
    if (at + static_cast<std::uint64_t>(size) > shared.size()) return {};
    return shadow.take(operation, warp, shared.data() + at, warp.block().tags.data() + at, format);
  };
  if (p.a_in_registers) {
    const Fragments shape{leaves, 8 * size};
    for (int lane = 0; lane < lanes_of_warp; ++lane) {
      for (int i = 0; i < shape.elements_of_a(); ++i) {
        const Element at = element_of_a(shape, lane, i);
        x[static_cast<std::size_t>(at.side) * k + static_cast<std::size_t>(at.leaf)] =
            signed_number(element(operation, warp, shadow, a, shape, lane, i, p.operand), p.negates_a, p.operand);
      }
    }
  } else {
    const Descriptor of_a(warp.at<std::uint64_t>(a[0])[0], size, p.a_side_first);
    const int first = static_cast<int>(warp.number() % 4) * 16;
    for (int side = 0; side < 16; ++side) {
      for (int leaf = 0; leaf < leaves; ++leaf)
        x[static_cast<std::size_t>(side) * k + static_cast<std::size_t>(leaf)] =
            signed_number(in_shared(of_a, first + side, leaf, p.operand), p.negates_a, p.operand);
    }
  }
  const Descriptor of_b(warp.at<std::uint64_t>(operation.b)[0], size, p.b_side_first);
  for (int side = 0; side < p.columns; ++side) {
    for (int leaf = 0; leaf < leaves; ++leaf)
      y[static_cast<std::size_t>(side) * k + static_cast<std::size_t>(leaf)] =
          signed_number(in_shared(of_b, side, leaf, p.other), p.negates_b, p.other);
  }
  const Fragments of_c{leaves, halves ? 16 : 32};
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    if ((adds >> lane & 1) == 0) continue;
    for (std::size_t i = 0; i < count; ++i)
      sums[static_cast<std::size_t>(lane) * count + i] =
          element(operation, warp, shadow, d, of_c, lane, static_cast<int>(i), p.sums);
  }
  operation.run(operation, warp, on);
  if (on != all_of_warp || warp.machine().stopped()) return;
  const DotAct act = dot_act(p.operand, p.other, p.sums, numerics::MmaModel::hopper);
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto n = static_cast<int>(i);
      const auto row = static_cast<std::size_t>((lane >> 2) + (n & 2) * 4);
      const auto column = static_cast<std::size_t>(8 * (n / 4) + (lane & 3) * 2 + (n & 1));
      const Number made = shadow.values().dot(act, sums[static_cast<std::size_t>(lane) * count + i],
                                              std::span(x).subspan(row * k, k), std::span(y).subspan(column * k, k));
      put_sum(warp, shadow, d[halves ? i / 2 : i], lane, halves ? n & 1 : 0, p.sums, made);
    }
  }
}

}  // namespace reckon::ptx
