// What atomic operations and reductions make of two numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/module.h"

namespace reckon::ptx {

enum class AtomicKind : std::uint8_t { add, min, max, inc, dec, and_, or_, xor_, exch, cas };

/// The first modifier of an instruction that names one.
std::optional<AtomicKind> atomic_kind_among(const Instruction& one);

/// What is at a place of memory afterwards, by its bits: `old` was there, b and, of a compare-and-swap, c are the
/// operands. `flushes`: additions of f32 flush subnormals, as in global memory (PTX ISA 9.0, 9.7.14.7, "atom").
std::uint64_t atomic_result(Type type, AtomicKind kind, std::uint64_t old, std::uint64_t b, std::uint64_t c,
                            bool flushes);

}  // namespace reckon::ptx
