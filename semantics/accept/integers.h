// u32 under accept: the same answers, with whole numbers from 0 to 2^32 - 1 for ends. A part that is one number is that
// integer; a longer one is any integer between its ends.
#pragma once

#include "interp/semantics.h"
#include "semantics/accept/rules.h"

namespace reckon::interp::accept {

/// For comparisons: nothing is rounded or flushed.
Setting integer_setting();

/// WordAlgebra (interp/algebra/words.h) of operands of which few integers are possible; of others,
/// anything.
Answers integer_operation(ir::Op op, const Answers* const* operands);

/// Truncated toward zero, and to the ends of u32; a NaN is 0.
Answers to_integers(const Setting& from, const Answers& x);

/// The patterns of a format's numbers; of 0 both, since its sign is not known. What the profile may flush is flushed: WGSL
/// has bit reinterpretation among what may ("Floating Point Evaluation").
Answers pattern_of(const Setting& from, const Answers& x);

/// The number that a pattern of the format stands for: its low bits, where it is narrower.
Answers from_pattern(const Setting& to, const Answers& integers);

/// `7`, `7 or 9`, `7..9`.
Rendering rendered_integers(const Answers& answers, const Rules& rules);

}  // namespace reckon::interp::accept
