// How code computes: the kinds of values that the code generator knows. Here, and not in codegen/, so that a semantics
// can say which of them is its own (driver/traits.h) without knowing the code generator.
#pragma once

#include <compare>
#include <cstdint>

#include "numerics/fpsan_constants.h"

namespace reckon::driver {

enum class CompiledSemantics : std::uint8_t { float_, fpsan, interval, interval_f32, padic };

/// Code that gives the evaluator's bits.
struct CompiledAs {
  CompiledSemantics semantics = CompiledSemantics::float_;
  numerics::fpsan::Generation generation = numerics::fpsan::now;  ///< fpsan
  friend auto operator<=>(const CompiledAs&, const CompiledAs&) = default;
};

}  // namespace reckon::driver
