// u32 under accept: the same answers, whose ends are whole numbers from 0 to 2^32 - 1. A part with one number is that
// integer; a longer one is any integer between its ends.
#pragma once

#include "interp/semantics.h"
#include "semantics/accept/rules.h"

namespace reckon::interp::accept {

/// The setting for comparisons: nothing is rounded or flushed.
Setting integer_setting();

/// WordAlgebra (interp/algebra/words.h), for operands with few possible integers; for others the result is
/// anything.
Answers integer_operation(ir::Op op, const Answers* const* operands);

/// Truncates toward zero, and to the bounds of u32; a NaN becomes 0.
Answers to_integers(const Setting& from, const Answers& x);

/// The patterns of a format's numbers; for 0 both, since its sign is not known. If the profile may flush a number, it
/// is flushed: bit reinterpretation is among the operations for which WGSL allows it ("Floating Point Evaluation").
Answers pattern_of(const Setting& from, const Answers& x);

/// The number that a pattern of the format stands for; if the format is narrower than u32, the low bits count.
Answers from_pattern(const Setting& to, const Answers& integers);

/// `7`, `7 or 9`, `7..9`.
Rendering rendered_integers(const Answers& answers, const Rules& rules);

}  // namespace reckon::interp::accept
