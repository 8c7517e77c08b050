// Rules that no circuit can express (docs/profiles.md): one for each row of ir/primitives.def. Those of vectors are
// in vector_primitives.cpp.
#pragma once

#include <string>
#include <string_view>

#include "semantics/accept/rules.h"

namespace reckon::interp::accept {

struct PrimitiveRow {
  const char* name;
  int arity;
  /// The suite's answers at one choice of arguments.
  Answers (*at)(const Setting& setting, const double* point);
  /// All answers over a box of arguments.
  Answers (*over)(const Setting& setting, const Interval* box);
};

const PrimitiveRow* primitive_named(std::string_view name);

/// The operation that makes an answer unbounded: one of ops.def, a row here, a builtin circuit for which the profile
/// has a rule (Rules::operation_number), or one without a name.
std::uint16_t operation_number(ir::Op op);
std::uint16_t operation_number(const PrimitiveRow& row);
inline constexpr std::uint16_t unnamed_operation = 0xffff;
/// The name of an operation of ops.def, or of a row.
std::string operation_name(std::uint16_t operation);

/// The fraction and the whole part of the unrounded number (the suite rounds and flushes only the results).
struct Parts {
  Answers fract, whole;
};
Parts modf(const Setting& setting, const Interval& x);

/// x * 2^exponent, rounded once. If the exponent is not one known whole number, the answer is "anything".
Answers ldexp(const Setting& setting, const Answers& x, const Answers& exponent);

}  // namespace reckon::interp::accept
