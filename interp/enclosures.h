// Functions of enclosures, which `show` and `check` ask about: IEEE 1788-2015. They are functions of the intervals as sets,
// not of the reals in them, and so no operations of circuits.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "interp/semantics.h"

namespace reckon::interp {

enum class EnclosureFunction : std::uint8_t {
#define RECKON_ENCLOSURE_FUNCTION(name, operands, result) name,
#include "ir/enclosure_functions.def"
};
EnclosureFunction enclosure_function_named(std::string_view name);

/// A number in the format of an enclosure's ends.
struct EndNumber {
  enum class Kind : std::uint8_t { finite, plus_infinity, not_a_number } kind = Kind::finite;
  mpq_class value;
};
/// The answer: a number, an enclosure, or yes or no.
using EnclosureAnswer = std::variant<EndNumber, Ends, bool>;

/// f(x), or f(x, y); y does not count if f takes one operand.
///   mid    the middle, rounded to nearest; of a half-line the largest number of the format, of the whole line 0
///   rad    the least number r such that x lies in [m - r, m + r], where m is the rounded mid
///   width  high - low, rounded upward
///   mag, mig   the largest and the least |t| of all t in x
///   subset, disjoint, intersection, hull   of the two sets of reals
/// The first five are NaN for the empty set; that is a subset of every set, and disjoint from every set.
EnclosureAnswer enclosure_answer(EnclosureFunction function, const EndFormat& format, const Ends& x, const Ends& y);

/// As values are rendered: `0.25`, `[1, 2]`, `true`.
Rendering rendered(const EnclosureAnswer& answer, const EndFormat& format);

}  // namespace reckon::interp
