#include "ptx/emulate/tensor_core.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

#include "numerics/mma_chips.h"
#include "numerics/native.h"
#include "ptx/emulate/floats.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {

using numerics::Format;
using numerics::MmaModel;

std::optional<MmaModel> model_of_target(std::string_view target) {
  if (!target.starts_with("sm_")) return std::nullopt;
  int number = 0;
  std::from_chars(target.data() + 3, target.data() + target.size(), number);
  return numerics::mma_model_of_chip(number);
}

std::optional<Format> operand_format(Type type) {
  switch (type) {
    case Type::f16: return Format::f16;
    case Type::bf16: return Format::bf16;
    case Type::tf32: return Format::tf32;
    case Type::e4m3: return Format::f8e4m3;
    case Type::e5m2: return Format::f8e5m2;
    default: return std::nullopt;
  }
}

double operand_value(std::uint64_t bits, Format format) {
  switch (format) {
    case Format::f16: return numerics::f16_to_f32(static_cast<std::uint16_t>(bits));
    case Format::bf16: return numerics::bf16_to_f32(static_cast<std::uint16_t>(bits));
    // Tensor cores do not read the low 13 bits.
    case Format::tf32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xffffe000u);
    case Format::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default: return numerics::widen(bits, format);
  }
}

double chain(const numerics::MmaUnit& unit, double c, std::span<const double> x, std::span<const double> y) {
  const auto length = static_cast<std::size_t>(unit.length);
  for (std::size_t k = 0; k < x.size(); k += length) {
    const std::size_t count = std::min(length, x.size() - k);
    c = numerics::mma_node(unit, c, x.subspan(k, count), y.subspan(k, count));
  }
  return c;
}

std::uint32_t sum_bits(double sum, Format accumulator) {
  if (accumulator == Format::f16)
    return sum != sum ? nan_of_half : static_cast<std::uint32_t>(numerics::round_f64(sum, Format::f16));
  return std::bit_cast<std::uint32_t>(canonical(static_cast<float>(sum)));
}

// One register of A covers adjacent leaves of a row; each group of four lanes covers four such runs, and the second of
// two registers is eight rows below.
Element element_of_a(const Fragments& shape, int lane, int i) {
  const int run = shape.of_register(), reg = i / run;
  return {(lane >> 2) + (reg % 2 == 1 ? 8 : 0), (lane & 3) * run + i % run + reg / 2 * 4 * run};
}
Element element_of_b(const Fragments& shape, int lane, int i) {
  const int run = shape.of_register();
  return {lane >> 2, (lane & 3) * run + i % run + i / run * 4 * run};
}
Element element_of_sums(int lane, int i) { return {(lane >> 2) + (i & 2) * 4, i / 4 * 8 + (lane & 3) * 2 + (i & 1)}; }

std::uint64_t element(Warp& warp, const Slot* slots, int bits, int lane, int i) {
  const int run = 32 / bits;
  const std::uint32_t word = warp.at<std::uint32_t>(slots[i / run])[lane];
  return bits == 32 ? word : word >> (bits * (i % run)) & ((1u << bits) - 1);
}

namespace {

std::vector<double> read_fragment(Warp& warp, const Slot* slots, const Fragments& shape, Format format, int sides,
                                  Element (*place)(const Fragments&, int, int)) {
  std::vector<double> out(static_cast<std::size_t>(sides * shape.k));
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    for (int i = 0; i < sides * shape.k / lanes_of_warp; ++i) {
      const Element at = place(shape, lane, i);
      out[static_cast<std::size_t>(at.side * shape.k + at.leaf)] =
          operand_value(element(warp, slots, shape.bits, lane, i), format);
    }
  }
  return out;
}

}  // namespace

std::vector<double> read_a(Warp& warp, const Slot* slots, const Fragments& shape, Format format) {
  return read_fragment(warp, slots, shape, format, 16, element_of_a);
}
std::vector<double> read_b(Warp& warp, const Slot* slots, const Fragments& shape, Format format) {
  return read_fragment(warp, slots, shape, format, 8, element_of_b);
}

void add_products(Warp& warp, const numerics::MmaUnit& unit, const Sums& sums, std::span<const double> x,
                  std::span<const double> y, int k) {
  const bool halves = sums.format == Format::f16;
  const auto leaves = static_cast<std::size_t>(k);
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    const bool adds = (sums.adds >> lane & 1) != 0;
    std::array<std::uint32_t, 128> made{};  // all of a lane's sums before one is written: d and c may overlap
    for (int i = 0; i < sums.columns / 2; ++i) {
      const Element at = element_of_sums(lane, i);
      const double before = adds ? operand_value(element(warp, sums.c, halves ? 16 : 32, lane, i), sums.format) : 0.0;
      const std::uint32_t sum =
          sum_bits(chain(unit, before, x.subspan(static_cast<std::size_t>(at.side) * leaves, leaves),
                         y.subspan(static_cast<std::size_t>(at.leaf) * leaves, leaves)),
                   sums.format);
      if (halves) made[static_cast<std::size_t>(i / 2)] |= sum << 16 * (i & 1);
      else made[static_cast<std::size_t>(i)] = sum;
    }
    for (int i = 0; i < sums.registers(); ++i)
      warp.at<std::uint32_t>(sums.d[i])[lane] = made[static_cast<std::size_t>(i)];
  }
}

bool is_whole_warp(const Operation& operation, Warp& warp, Mask on) {
  if (on == all_lanes) return true;
  warp.machine().fault(operation, warp, "all 32 lanes of a warp must carry this out together");
  return false;
}

bool add_registers(Decoder& decoder, std::size_t number, int count, std::vector<Slot>& slots, Type type) {
  const Operand& list = decoder.operand(number);
  const auto given = list.kind == Operand::Kind::list ? static_cast<int>(list.count) : 1;
  if (given != count)
    return !decoder.fail(fmt::format("`{}` takes {} registers as its operand {}, not {}", decoder.instruction().opcode,
                                     count, number + 1, given));
  for (int i = 0; i < given; ++i) {
    const Operand& one = list.kind == Operand::Kind::list ? decoder.child(list, static_cast<std::size_t>(i)) : list;
    // Sums of f32 are in registers of .f32, and so are constants among them.
    const bool real = one.kind == Operand::Kind::number && one.real && type == Type::b32;
    slots.push_back(number == 0 ? decoder.result(one, bits_of(type)) : decoder.source(one, real ? Type::f32 : type));
  }
  return !decoder.failed();
}

bool add_fragments(Decoder& decoder, Operation& operation, const std::array<int, 4>& counts, Type type) {
  std::vector<Slot> slots;
  for (std::size_t k = 0; k < 4; ++k) {
    if (!add_registers(decoder, k, counts[k], slots, type)) return true;
  }
  operation.extra = decoder.add_slots(slots);
  return true;
}

bool finish_product(Operation& operation, Run run) {
  operation.flow = Flow::converge;
  operation.effect = Effect::opaque;
  operation.run = run;
  return true;
}

}  // namespace reckon::ptx
