// Approximate operations as the instructions of one chip give them (numerics/chips/chip.h), in the forms that keep
// subnormals.
#include "semantics/float/chips.h"

#include <fmt/format.h>

#include <algorithm>

#include "semantics/float/semantics.h"

namespace reckon::interp {
namespace {

using numerics::Chip;
using numerics::Tabled;

/// The table that an operation is made of.
std::optional<Tabled> table_of(ir::Op op) {
  switch (op) {
    case ir::Op::approx_exp2: return Tabled::ex2;
    case ir::Op::approx_rcp:
    case ir::Op::approx_div: return Tabled::rcp;
    case ir::Op::approx_rsqrt: return Tabled::rsqrt;
    case ir::Op::approx_sqrt: return Tabled::sqrt;
    default: return std::nullopt;
  }
}

/// What the instruction gives for the first `count` numbers, NaNs in the one form of `float`.
void carry_out(const Chip& chip, ir::Op op, const float* x, const float* y, float* out, std::size_t count) {
  const auto on = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
  switch (op) {
    case ir::Op::approx_exp2: chip.ex2(x, out, on, false); break;
    case ir::Op::approx_rcp: chip.rcp(x, out, on, false); break;
    case ir::Op::approx_rsqrt: chip.rsqrt(x, out, on, false); break;
    case ir::Op::approx_sqrt: chip.sqrt(x, out, on, false); break;
    default: chip.div(x, y, out, on, false, false); break;
  }
}

}  // namespace

std::optional<Fault> FloatSemantics::apply(ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands,
                                           std::byte* out, std::ptrdiff_t out_row_stride, std::size_t rows,
                                           std::size_t columns) {
  if (!ir::is_approximate(op)) return ArraySemantics::apply(op, from, to, operands, out, out_row_stride, rows, columns);
  const auto table = table_of(op);
  const bool may_have_table = from == ir::Scalar::f32 && table;
  if (!may_have_table || !chip_ || !chip_->has(*table)) {
    Fault fault = missing(op);
    if (chip_) {
      fault.message = fmt::format("`{}` has no table of what an {} gives for `{}` of {}", name_, chip_->name(),
                                  ir::traits(op).spelling, ir::scalar_name(from));
    } else if (may_have_table) {
      fault.help += ", or under `float(h200)`, which knows that GPU's bits";
    }
    return fault;
  }
  const auto at = [&](const Rows& all, std::size_t element) {
    const auto row = static_cast<std::ptrdiff_t>(element / columns);
    return reinterpret_cast<const float*>(
        all.data)[row * all.row_stride + static_cast<std::ptrdiff_t>(element % columns)];
  };
  const Rows& second = operands[ir::traits(op).arity - 1];
  for (std::size_t begin = 0; begin < rows * columns; begin += Chip::most) {
    const std::size_t count = std::min<std::size_t>(Chip::most, rows * columns - begin);
    float x[Chip::most] = {}, y[Chip::most] = {}, made[Chip::most];
    for (std::size_t k = 0; k < count; ++k) {
      x[k] = at(operands[0], begin + k);
      y[k] = at(second, begin + k);
    }
    carry_out(*chip_, op, x, y, made, count);
    for (std::size_t k = 0; k < count; ++k) {
      const auto row = static_cast<std::ptrdiff_t>((begin + k) / columns);
      reinterpret_cast<float*>(out)[row * out_row_stride + static_cast<std::ptrdiff_t>((begin + k) % columns)] =
          made[k];
    }
  }
  return std::nullopt;
}

std::unique_ptr<Semantics> make_float_of_chip(const std::string& chip) {
  auto tables = Chip::named(chip);
  if (!tables) return nullptr;
  return std::make_unique<FloatSemantics>(std::move(tables), fmt::format("float({})", chip));
}

}  // namespace reckon::interp
