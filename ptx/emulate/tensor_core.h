// What mma and wgmma have in common: the model of the chip, and one tile of sums.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "numerics/mma.h"
#include "ptx/emulate/decode.h"

namespace reckon::ptx {

/// Of `sm_90a`: the generation whose tensor cores run the code.
std::optional<numerics::MmaModel> model_of_target(std::string_view target);

/// The formats of a product: those of f16, bf16, tf32, e4m3 and e5m2.
std::optional<numerics::Format> operand_format(Type type);

/// A pattern of an operand as an f64.
double operand_value(std::uint64_t bits, numerics::Format format);

/// c + sum over k of x[k] y[k], as the unit does it: `length` products at a time, in order.
double chain(const numerics::MmaUnit& unit, double c, std::span<const double> x, std::span<const double> y);

// Fragments: how the lanes of a warp hold 16 x k elements of A and 8 x k of B, and sums of 16 rows (PTX ISA 9.0,
// 9.7.15.5, "Matrix Fragments for mma"). A `side` is a row of A or a column of B; a `leaf` runs along the sum.

struct Fragments {
  int k = 16;
  int bits = 16;  ///< of an element
  int of_register() const { return 32 / bits; }
  int elements_of_a() const { return 16 * k / lanes_of_warp; }  ///< of a lane
  int elements_of_b() const { return 8 * k / lanes_of_warp; }
  int registers_of_a() const { return elements_of_a() / of_register(); }
  int registers_of_b() const { return elements_of_b() / of_register(); }
};
struct Element {
  int side = 0, leaf = 0;
};
/// Element i of the registers of a lane.
Element element_of_a(const Fragments& shape, int lane, int i);
Element element_of_b(const Fragments& shape, int lane, int i);
/// The row, and the column as `leaf`; sums of more than 8 columns go on, 8 by 8.
Element element_of_sums(int lane, int i);
/// The bits of an element.
std::uint64_t element(Warp& warp, const Slot* slots, int bits, int lane, int i);
/// [row][leaf], 16 rows, or [column][leaf], 8 columns.
std::vector<double> read_a(Warp& warp, const Slot* slots, const Fragments& shape, numerics::Format format);
std::vector<double> read_b(Warp& warp, const Slot* slots, const Fragments& shape, numerics::Format format);

/// Sums of 16 rows and `columns` columns, in registers of f32, or of two f16 each.
struct Sums {
  const Slot *d = nullptr, *c = nullptr;
  numerics::Format format{};
  int columns = 8;
  Mask adds = ~Mask{0};  ///< lanes that take c; the others begin with 0
  int registers() const { return format == numerics::Format::f16 ? columns / 4 : columns / 2; }
};
/// d = c + x y: x is [row][leaf], y [column][leaf], with k leaves.
void add_products(Warp& warp, const numerics::MmaUnit& unit, const Sums& sums, std::span<const double> x,
                  std::span<const double> y, int k);

/// False, with a fault, unless all 32 lanes carry the operation out.
bool is_whole_warp(const Operation& operation, Warp& warp, Mask on);

// Decoding.

/// The registers of an operand, a list of so many or one, added to the slots; the operand is the instruction's
/// `number`.
bool add_registers(Decoder& decoder, std::size_t number, int count, std::vector<Slot>& slots, Type type = Type::b32);
/// Those of d, a, b and c, one after the other, in Operation::extra. Constants are f32s or of the type.
bool add_fragments(Decoder& decoder, Operation& operation, const std::array<int, 4>& counts, Type type = Type::b32);
/// What products of all kinds are besides their operands: all lanes meet, and no rule says what becomes of what nobody
/// wrote.
bool finish_product(Operation& operation, Run run);

/// The bits of a sum in the accumulator's format; NaNs are 0x7fffffff or 0x7fff.
std::uint32_t sum_bits(double sum, numerics::Format accumulator);

}  // namespace reckon::ptx
