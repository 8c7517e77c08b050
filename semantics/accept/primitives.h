// Rules that no circuit can express (docs/profiles.md): one row each of ir/primitives.def. Those of vectors are
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

/// What makes an answer unbounded is an operation of ops.def, a row here, a builtin circuit that the profile has a rule
/// for (Rules::operation_number), or nothing that has a name.
std::uint16_t operation_number(ir::Op op);
std::uint16_t operation_number(const PrimitiveRow& row);
inline constexpr std::uint16_t unnamed_operation = 0xffff;
/// Of an operation of ops.def, or of a row.
std::string operation_name(std::uint16_t operation);

/// fract and whole part, of the raw number (the suite rounds and flushes only the results).
struct Parts {
  Answers fract, whole;
};
Parts modf(const Setting& setting, const Interval& x);

/// x * 2^exponent, one rounding; the exponent is one whole number, otherwise anything goes.
Answers ldexp(const Setting& setting, const Answers& x, const Answers& exponent);

}  // namespace reckon::interp::accept
