// Products of warp groups (PTX ISA 9.0, 9.7.16: wgmma): 64 rows, of which each of four warps computes 16. They are
// carried out where they begin; fences, groups and waits order nothing further.
#include <fmt/format.h>

#include <cstring>

#include "ptx/emulate/reach.h"
#include "ptx/emulate/tensor_core.h"
#include "ptx/emulate/tensor_map.h"
#include "ptx/emulate/warp_group.h"

namespace reckon::ptx {
namespace {

using numerics::Format;

/// Elements [side][leaf] of a factor, from `first` of its sides on.
bool read_factor(const Operation& operation, Warp& warp, const Descriptor& descriptor, Format format, int first,
                 int sides, int leaves, bool negates, std::vector<double>& out) {
  const int bytes = operand_bytes(format);
  const auto& shared = warp.block().shared();
  out.resize(static_cast<std::size_t>(sides * leaves));
  std::uint64_t noted = ~std::uint64_t{0};
  for (int side = 0; side < sides; ++side) {
    for (int leaf = 0; leaf < leaves; ++leaf) {
      const std::uint64_t at =
          descriptor.address(static_cast<std::uint64_t>(first + side), static_cast<std::uint64_t>(leaf));
      if (at + static_cast<std::uint64_t>(bytes) > shared.size()) {
        warp.machine().fault(operation, warp,
                             fmt::format("a factor reaches byte {} of the {} bytes of shared memory", at,
                                         shared.size()));
        return false;
      }
      if (at / 4 != noted) {
        noted = at / 4;
        const std::uint64_t begin = at / 4 * 4;
        warp.block().read_shared(warp, operation, begin,
                                 static_cast<std::uint32_t>(std::min<std::uint64_t>(4, shared.size() - begin)));
      }
      std::uint64_t word = 0;
      std::memcpy(&word, shared.data() + at, static_cast<std::size_t>(bytes));
      const double value = operand_value(word, format);
      out[static_cast<std::size_t>(side * leaves + leaf)] = negates ? -value : value;
    }
  }
  return true;
}

void read_registers(Warp& warp, const Slot* slots, Format format, int leaves, bool negates, std::vector<double>& out) {
  const int bytes = operand_bytes(format), run = 4 / bytes;
  out.assign(static_cast<std::size_t>(16 * leaves), 0);
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int reg = 0; reg < 4; ++reg) {
      const std::uint32_t word = warp.at<std::uint32_t>(slots[reg])[lane];
      for (int k = 0; k < run; ++k) {
        const int row = (lane >> 2) + (reg % 2 == 1 ? 8 : 0), leaf = (lane & 3) * run + k + reg / 2 * 4 * run;
        const std::uint64_t bits = bytes == 4 ? word : word >> (8 * bytes * k) & ((1u << (8 * bytes)) - 1);
        const double value = operand_value(bits, format);
        out[static_cast<std::size_t>(row * leaves + leaf)] = negates ? -value : value;
      }
    }
  }
}

void multiply(const Operation& operation, Warp& warp, Mask on) {
  if (on != all_lanes) {
    warp.machine().fault(operation, warp, "all 32 lanes of a warp must carry this out together");
    return;
  }
  const GroupProduct p = unpacked_group(operation.target);
  const int leaves = 32 / operand_bytes(p.operand);
  const bool halves = p.sums == Format::f16;
  const int of_sums = p.columns / (halves ? 4 : 2);
  const Slot* d = warp.machine().kernel().slots.data() + warp.machine().kernel().accesses[operation.extra].slots;
  const Slot* a = d + of_sums;
  std::vector<double> x, y;
  if (p.a_in_registers) {
    read_registers(warp, a, p.operand, leaves, p.negates_a, x);
  } else {
    const Descriptor of_a(warp.at<std::uint64_t>(a[0])[0], operand_bytes(p.operand), p.a_side_first);
    const int first = static_cast<int>(warp.number() % 4) * 16;
    if (!read_factor(operation, warp, of_a, p.operand, first, 16, leaves, p.negates_a, x)) return;
  }
  const Descriptor of_b(warp.at<std::uint64_t>(operation.b)[0], operand_bytes(p.other), p.b_side_first);
  if (!read_factor(operation, warp, of_b, p.other, 0, p.columns, leaves, p.negates_b, y)) return;
  const numerics::MmaUnit& unit = *numerics::mma_unit(numerics::MmaModel::hopper, p.operand, p.sums);
  const Mask adds = warp.predicate(operation, operation.f, 3);
  const auto k = static_cast<std::size_t>(leaves);
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < p.columns / 2; ++i) {
      const auto row = static_cast<std::size_t>((lane >> 2) + (i & 2) * 4);
      const auto column = static_cast<std::size_t>(8 * (i / 4) + (lane & 3) * 2 + (i & 1));
      std::uint32_t* word = &warp.at<std::uint32_t>(d[halves ? i / 2 : i])[lane];
      const int shift = halves ? 16 * (i & 1) : 0;
      const double before =
          (adds >> lane & 1) == 0 ? 0.0 : operand_value(halves ? *word >> shift & 0xffff : *word, p.sums);
      const std::uint32_t made =
          sum_bits(chain(unit, before, std::span(x).subspan(row * k, k), std::span(y).subspan(column * k, k)), p.sums);
      if (halves) *word = (*word & ~(0xffffu << shift)) | made << shift;
      else *word = made;
    }
  }
}

void nothing(const Operation&, Warp&, Mask) {}

bool decode_product(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (one.has("sp") || types.size() != 3 || one.parts.size() < 4) return false;
  const auto x = operand_format(types[1]), y = operand_format(types[2]);
  if (!x || !y || (types[0] != Type::f32 && types[0] != Type::f16)) return false;
  GroupProduct p;
  p.operand = *x;
  p.other = *y;
  p.sums = types[0] == Type::f32 ? Format::f32 : Format::f16;
  int columns = 0, leaves = 0;
  const std::string shape(one.parts[3]);
  if (std::sscanf(shape.c_str(), "m64n%dk%d", &columns, &leaves) != 2 || columns % 8 != 0 || columns < 8 ||
      columns > 256 || leaves * operand_bytes(p.operand) != 32 || operand_bytes(p.operand) != operand_bytes(p.other))
    return decoder.fail(fmt::format("`{}` has no such shape", one.opcode));
  p.columns = columns;
  if (numerics::mma_unit(numerics::MmaModel::hopper, p.operand, p.sums) == nullptr)
    return decoder.fail(fmt::format("no model of `{}` is known", one.opcode));
  if (!decoder.has_operands(4, 8)) return true;
  const Operand& sums = decoder.operand(0);
  const int of_sums = columns / (p.sums == Format::f16 ? 4 : 2);
  if (sums.kind != Operand::Kind::list || static_cast<int>(sums.count) != of_sums)
    return decoder.fail(fmt::format("`{}` has {} registers of sums", one.opcode, of_sums));
  std::vector<Slot> slots;
  for (std::uint32_t k = 0; k < sums.count; ++k) slots.push_back(decoder.result(decoder.child(sums, k), 32));
  const Operand& a = decoder.operand(1);
  p.a_in_registers = a.kind == Operand::Kind::list;
  if (p.a_in_registers && a.count != 4) return decoder.fail("a factor in registers has four of them");
  for (std::uint32_t k = 0; p.a_in_registers && k < 4; ++k)
    slots.push_back(decoder.source(decoder.child(a, k), Type::b32));
  if (!p.a_in_registers) slots.push_back(decoder.source(a, Type::b64));
  operation.b = decoder.source(decoder.operand(2), Type::b64);
  operation.f = decoder.predicate(decoder.operand(3), 3, operation);
  std::vector<std::int64_t> flags;
  for (std::size_t k = 4; k < one.operands.size(); ++k) {
    const auto value = decoder.constant(decoder.operand(k));
    if (!value) return decoder.fail("signs and transpositions are numbers");
    flags.push_back(static_cast<std::int64_t>(*value));
  }
  if (!flags.empty()) p.negates_a = flags[0] == -1;
  if (flags.size() > 1) p.negates_b = flags[1] == -1;
  if (!p.a_in_registers && flags.size() > 2) p.a_side_first = flags[2] == 1;
  const std::size_t of_b = p.a_in_registers ? 2 : 3;
  if (flags.size() > of_b) p.b_side_first = flags[of_b] == 1;
  Access access;
  access.bytes = 4;
  access.slots = decoder.add_slots(slots);
  operation.extra = decoder.add_access(access);
  operation.target = packed(p);
  operation.flow = Flow::converge;
  operation.effect = Effect::opaque;
  operation.run = multiply;
  return true;
}

}  // namespace

bool decode_warp_group(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name == "setmaxnreg") {
    operation.effect = Effect::opaque;
    operation.run = nothing;
    return true;
  }
  if (one.name == "mapa" && one.has("shared::cluster")) return false;
  if (one.name != "wgmma") return false;
  if (one.has("mma_async")) return decode_product(decoder, operation);
  operation.flow = Flow::converge;
  operation.effect = Effect::opaque;
  operation.run = nothing;
  return true;
}

}  // namespace reckon::ptx
