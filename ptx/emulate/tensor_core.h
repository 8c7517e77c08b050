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

/// The bits of a sum in the accumulator's format; NaNs are 0x7fffffff or 0x7fff.
std::uint32_t sum_bits(double sum, numerics::Format accumulator);

}  // namespace reckon::ptx
