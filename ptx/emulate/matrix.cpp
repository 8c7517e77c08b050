// Matrices that the lanes of a warp hold together (PTX ISA 9.0, 9.7.15: mma, ldmatrix, stmatrix, movmatrix).
#include <fmt/format.h>

#include <cstring>

#include "ptx/emulate/fragments.h"
#include "ptx/emulate/mma_f64.h"
#include "ptx/emulate/reach.h"
#include "ptx/emulate/tensor_core.h"

namespace reckon::ptx {
namespace {

using numerics::Format;

// ---- ldmatrix, stmatrix: 8 x 8 matrices of 16-bit elements ----

/// Mode: bit 0: transposed; `target`: the number of matrices. Their registers are the access's slots.
template <bool loads>
void move_matrices(const Operation& operation, Warp& warp, Mask on) {
  const Kernel& kernel = warp.machine().kernel();
  const Access& access = kernel.accesses[operation.extra];
  const Slot* slots = kernel.slots.data() + access.slots;
  if (!is_whole_warp(operation, warp, on)) return;
  std::array<std::uint64_t, lanes_of_warp> where{};
  addresses(operation, warp, access, on, where);
  const bool transposed = (operation.mode & 1) != 0;
  const auto count = static_cast<int>(operation.target);
  for (int m = 0; m < count; ++m) {
    for (int row = 0; row < 8; ++row) {
      const int lane = m * 8 + row;
      const Reached reached = warp.reach(operation, access, where[static_cast<std::size_t>(lane)], lane, !loads);
      if (reached.data == nullptr) return;
      if (loads) note_read(operation, warp, reached, 16);
      else note_write(operation, warp, reached, 16);
      for (int column = 0; column < 8; ++column) {
        const ElementPlace place = place_of(row, column, transposed);
        auto* element = warp.at<std::uint16_t>(slots[m]) + place.lane * 2 + place.half;
        if (loads) std::memcpy(element, reached.data + column * 2, 2);
        else std::memcpy(reached.data + column * 2, element, 2);
      }
    }
  }
  count_request(operation, warp, access, count >= 4 ? all_lanes : (Mask{1} << (8 * count)) - 1, where, true);
}

void transpose_matrix(const Operation& operation, Warp& warp, Mask) {
  std::uint16_t taken[2 * lanes_of_warp];
  std::memcpy(taken, warp.at<std::uint16_t>(operation.a), sizeof taken);
  auto* d = warp.at<std::uint16_t>(operation.d);
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      const ElementPlace from = place_of(row, column, false), to = place_of(column, row, false);
      d[to.lane * 2 + to.half] = taken[from.lane * 2 + from.half];
    }
  }
}

// ---- mma ----

/// Slots: of d, a, b, c in this order. A sum's place in c is that in d, so that one may be the other.
void multiply(const Operation& operation, Warp& warp, Mask on) {
  if (!is_whole_warp(operation, warp, on)) return;
  const FragmentProduct p = unpacked_fragments(operation.target);
  Sums sums;
  sums.format = p.sums;
  sums.d = warp.machine().kernel().slots.data() + operation.extra;
  const Slot* a = sums.d + sums.registers();
  const Slot* b = a + p.shape.registers_of_a();
  sums.c = b + p.shape.registers_of_b();
  const auto x = read_a(warp, a, p.shape, p.x), y = read_b(warp, b, p.shape, p.y);
  add_products(warp, *numerics::mma_unit(p.model, p.x, p.sums), sums, x, y, p.shape.k);
}

/// Mode: bit 0 and 1: the bytes of a and of b are signed; bit 2: sums saturate.
void multiply_integers(const Operation& operation, Warp& warp, Mask on) {
  if (!is_whole_warp(operation, warp, on)) return;
  const Fragments shape{static_cast<int>(operation.target), 8};
  const Slot* d = warp.machine().kernel().slots.data() + operation.extra;
  const Slot* a = d + 4;
  const Slot* b = a + shape.registers_of_a();
  const Slot* c = b + shape.registers_of_b();
  const auto value = [](std::uint64_t byte, bool is_signed) {
    return is_signed ? std::int64_t{static_cast<std::int8_t>(byte)} : static_cast<std::int64_t>(byte);
  };
  std::int64_t x[16][32], y[8][32];
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < 4 * shape.registers_of_a(); ++i) {
      const Element at = element_of_a(shape, lane, i);
      x[at.side][at.leaf] = value(element(warp, a, 8, lane, i), (operation.mode & 1) != 0);
    }
    for (int i = 0; i < 4 * shape.registers_of_b(); ++i) {
      const Element at = element_of_b(shape, lane, i);
      y[at.side][at.leaf] = value(element(warp, b, 8, lane, i), (operation.mode & 2) != 0);
    }
  }
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    std::uint32_t made[4];
    for (int i = 0; i < 4; ++i) {
      const Element at = element_of_sums(lane, i);
      std::int64_t sum = warp.at<std::int32_t>(c[i])[lane];
      for (int k = 0; k < shape.k; ++k) sum += x[at.side][k] * y[at.leaf][k];
      if ((operation.mode & 4) != 0) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
      made[i] = static_cast<std::uint32_t>(sum);
    }
    for (int i = 0; i < 4; ++i) warp.at<std::uint32_t>(d[i])[lane] = made[i];
  }
}

bool decode_mma(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.has("sp") || one.has("block_scale") || one.parts.size() < 9) return false;
  if (!decoder.has_operands(4, 4)) return true;
  const std::string_view shape = one.parts[2];
  const auto types = decoder.types();
  if (!one.has("row") || !one.has("col") || types.size() != 4) return false;
  if (types == std::vector<Type>(4, Type::f64)) return decode_mma_f64(decoder, operation);
  if (!shape.starts_with("m16n8k")) return false;
  const int k = std::atoi(std::string(shape.substr(6)).c_str());
  if (types[1] == Type::s8 || types[1] == Type::u8) {
    if (k != 16 && k != 32) return false;
    operation.mode = static_cast<std::uint16_t>((types[1] == Type::s8 ? 1 : 0) | (types[2] == Type::s8 ? 2 : 0) |
                                                (one.has("satfinite") ? 4 : 0));
    operation.target = static_cast<std::uint32_t>(k);
    return add_fragments(decoder, operation, {4, k / 8, k / 16, 4}) && finish_product(operation, multiply_integers);
  }
  const auto x = operand_format(types[1]), y = operand_format(types[2]);
  const auto model = model_of_target(decoder.module().target);
  if (!x || !y || types[0] != types[3] || (types[0] != Type::f32 && types[0] != Type::f16)) return false;
  FragmentProduct p;
  p.x = *x;
  p.y = *y;
  p.sums = types[0] == Type::f32 ? Format::f32 : Format::f16;
  p.shape = {k, bits_of(types[1])};
  const bool is_f8 = p.shape.bits == 8;
  const bool known_shape = p.shape.bits == 16 ? k == 8 || k == 16 : is_f8 ? k == 32 : k == 4 || k == 8;
  if (!known_shape || !model || p.shape.bits != bits_of(types[2])) return false;
  p.model = *model;
  if (numerics::mma_unit(p.model, p.x, p.sums) == nullptr || (is_f8 && p.model == numerics::MmaModel::hopper))
    return decoder.fail(fmt::format("no model of `{}` on {} is known", one.opcode, decoder.module().target));
  operation.target = packed(p);
  const int of_sums = p.sums == Format::f16 ? 2 : 4;
  return add_fragments(decoder, operation, {of_sums, p.shape.registers_of_a(), p.shape.registers_of_b(), of_sums}) &&
         finish_product(operation, multiply);
}

bool decode_matrices(Decoder& decoder, Operation& operation, bool loads) {
  const Instruction& one = decoder.instruction();
  if (!one.has("m8n8") || !one.has("b16")) return false;
  if (!decoder.has_operands(2, 2)) return true;
  const Operand& list = decoder.operand(loads ? 0 : 1);
  Access access;
  access.space = space_of(one);
  access.bytes = 16;
  std::vector<Slot> slots;
  const std::uint32_t count = list.kind == Operand::Kind::list ? list.count : 1;
  for (std::uint32_t k = 0; k < count; ++k) {
    const Operand& reg = list.kind == Operand::Kind::list ? decoder.child(list, k) : list;
    slots.push_back(loads ? decoder.result(reg, 32) : decoder.source(reg, Type::b32));
  }
  const std::uint32_t stated = one.has("x4") ? 4 : one.has("x2") ? 2 : 1;
  if (stated != count) return decoder.fail(fmt::format("`{}` needs {} registers, not {}", one.opcode, stated, count));
  access.slots = decoder.add_slots(slots);
  if (!decoder.address(decoder.operand(loads ? 1 : 0), operation, access)) return true;
  operation.mode |= one.has("trans") ? 1 : 0;
  operation.target = count;
  operation.extra = decoder.add_access(access);
  operation.flow = Flow::converge;
  operation.effect = Effect::opaque;
  operation.run = loads ? move_matrices<true> : move_matrices<false>;
  return true;
}

}  // namespace

bool decode_matrix(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name == "mma") return decode_mma(decoder, operation);
  if (one.name == "ldmatrix") return decode_matrices(decoder, operation, true);
  if (one.name == "stmatrix") return decode_matrices(decoder, operation, false);
  if (one.name == "movmatrix") {
    if (!decoder.has_operands(2, 2)) return true;
    operation.d = decoder.result(decoder.operand(0), 32);
    operation.a = decoder.source(decoder.operand(1), Type::b32);
    operation.flow = Flow::converge;
    operation.effect = Effect::opaque;
    operation.run = transpose_matrix;
    return true;
  }
  return false;
}

}  // namespace reckon::ptx
