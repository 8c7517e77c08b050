// Products of warp groups (PTX ISA 9.0, 9.7.16: wgmma): 64 rows, of which each of four warps computes 16. They are
// carried out where they begin; using their sums before they are waited for is found (pending.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

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

/// Slots of the access: of the sums, then of A: four registers, or its descriptor. b: the descriptor of B; f: the
/// predicate that the sums begin with d.
void multiply(const Operation& operation, Warp& warp, Mask on) {
  if (!is_whole_warp(operation, warp, on)) return;
  const GroupProduct p = unpacked_group(operation.target);
  const int leaves = 32 / operand_bytes(p.operand);
  Sums sums;
  sums.d = sums.c = warp.machine().kernel().slots.data() + warp.machine().kernel().accesses[operation.extra].slots;
  sums.format = p.sums;
  sums.columns = p.columns;
  sums.adds = warp.predicate(operation, operation.f, 3);
  const Slot* a = sums.d + sums.registers();
  std::vector<double> x, y;
  if (p.a_in_registers) {
    x = read_a(warp, a, {leaves, 8 * operand_bytes(p.operand)}, p.operand);
    if (p.negates_a) std::transform(x.begin(), x.end(), x.begin(), std::negate<>());
  } else {
    const Descriptor of_a(warp.at<std::uint64_t>(a[0])[0], operand_bytes(p.operand), p.a_side_first);
    const int first = static_cast<int>(warp.number() % 4) * 16;
    if (!read_factor(operation, warp, of_a, p.operand, first, 16, leaves, p.negates_a, x)) return;
  }
  const Descriptor of_b(warp.at<std::uint64_t>(operation.b)[0], operand_bytes(p.other), p.b_side_first);
  if (!read_factor(operation, warp, of_b, p.other, 0, p.columns, leaves, p.negates_b, y)) return;
  add_products(warp, *numerics::mma_unit(numerics::MmaModel::hopper, p.operand, p.sums), sums, x, y, leaves);
  if (warp.machine().options().finds_races) {
    const auto count = static_cast<std::size_t>(sums.registers());
    warp.begin_sums(operation, {sums.d, count}, {a, p.a_in_registers ? std::size_t{4} : 0});
  }
}

void commit_sums(const Operation&, Warp& warp, Mask) { warp.commit_sums(); }
/// `extra`: so many groups may be left.
void wait_for_sums(const Operation& operation, Warp& warp, Mask) { warp.wait_for_sums(operation.extra); }

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
      columns > 256 || leaves != 32 / operand_bytes(p.operand) || operand_bytes(p.operand) != operand_bytes(p.other))
    return decoder.fail(fmt::format("`{}` has no such shape", one.opcode));
  p.columns = columns;
  if (numerics::mma_unit(numerics::MmaModel::hopper, p.operand, p.sums) == nullptr)
    return decoder.fail(fmt::format("no model of `{}` is known", one.opcode));
  if (!decoder.has_operands(4, 8)) return true;
  std::vector<Slot> slots;
  if (!add_registers(decoder, 0, columns / (p.sums == Format::f16 ? 4 : 2), slots)) return true;
  const Operand& a = decoder.operand(1);
  p.a_in_registers = a.kind == Operand::Kind::list;
  if (p.a_in_registers && !add_registers(decoder, 1, 4, slots)) return true;
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
  return finish_product(operation, multiply);
}

}  // namespace

bool decode_warp_group(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name == "setmaxnreg") {
    operation.effect = Effect::opaque;
    operation.run = nothing;
    return true;
  }
  if (one.name != "wgmma") return false;
  if (one.has("mma_async")) return decode_product(decoder, operation);
  operation.flow = Flow::converge;
  operation.effect = Effect::opaque;
  operation.run = one.has("commit_group") ? commit_sums : nothing;
  if (one.has("wait_group")) {
    const auto left = one.operands.size() == 1 ? decoder.constant(decoder.operand(0)) : std::nullopt;
    if (!left) return decoder.fail("`wgmma.wait_group` needs a number");
    operation.extra = static_cast<std::uint32_t>(*left);
    operation.run = wait_for_sums;
  }
  return true;
}

}  // namespace reckon::ptx
