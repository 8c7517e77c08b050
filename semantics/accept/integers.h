// Integers under accept: the same answers, whose ends are whole numbers of the type. A part with one number is that
// integer; a longer one is any integer between its ends. Ends are doubles, so that an integer beyond 2^53 is not known:
// its answer is anything.
#pragma once

#include "interp/semantics.h"
#include "semantics/accept/rules.h"

namespace reckon::interp::accept {

/// The setting for comparisons: nothing is rounded or flushed.
Setting integer_setting();

/// The integer with this pattern, or anything if it is beyond 2^53. `operation`: what made it.
Answers integer_answer(ir::Scalar type, std::uint64_t pattern, std::uint16_t operation);

/// Every integer of the type that lies between the numbers; nothing if there is none.
std::optional<Answers> integers_between(ir::Scalar type, const Interval& reals);

/// WordAlgebra (interp/algebra/words.h), for operands with few possible integers; for others the result is
/// anything. A conversion to another type of integers is one, too. A fault if a divisor is 0.
std::optional<Fault> integer_operation(ir::Op op, ir::Scalar from, ir::Scalar to, const Answers* const* operands,
                                       Answers& out);

/// Truncates toward zero, and to the bounds of the type; a NaN becomes 0.
Answers to_integers(const Setting& from, const Answers& x, ir::Scalar to);

/// The patterns of a format's numbers; for 0 both, since its sign is not known. If the profile may flush a number, it
/// is flushed: bit reinterpretation is among the operations for which WGSL allows it ("Floating Point Evaluation").
Answers pattern_of(const Setting& from, const Answers& x);

/// The number that a pattern of the format stands for; if the format is narrower than the integers, the low bits count.
Answers from_pattern(const Setting& to, const Answers& integers);

/// `7`, `7 or 9`, `7..9`.
Rendering rendered_integers(const Answers& answers, const Rules& rules);

}  // namespace reckon::interp::accept
