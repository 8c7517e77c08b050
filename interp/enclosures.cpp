#include "interp/enclosures.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "numerics/wide_float.h"

namespace reckon::interp {

namespace {

using numerics::Rounding;
using numerics::WideFloat;

constexpr std::string_view names[] = {
#define RECKON_ENCLOSURE_FUNCTION(name, operands, result) #name,
#include "ir/enclosure_functions.def"
};

using Bound = std::optional<mpq_class>;

constexpr EndNumber::Kind infinite = EndNumber::Kind::plus_infinity;

WideFloat wide(const mpq_class& value, const EndFormat& format, mpfr_rnd_t way) {
  return WideFloat::rounded(format.bits, numerics::Toward::below,
                            [&](mpfr_ptr out, mpfr_rnd_t) { mpfr_set_q(out, value.get_mpq_t(), way); });
}

EndNumber rounded(const mpq_class& value, const EndFormat& format, Rounding rounding) {
  if (!format.format) return {.value = wide(value, format, rounding == Rounding::upward ? MPFR_RNDU : MPFR_RNDN).rational()};
  const std::uint64_t bits = numerics::round_rational(value, *format.format, rounding);
  if (!numerics::is_finite(bits, *format.format)) return {.kind = infinite};
  return {.value = *numerics::exact_value(bits, *format.format)};
}
EndNumber as_it_is(const mpq_class& value) { return {.value = value}; }

EndNumber middle(const EndFormat& format, const Ends& x) {
  if (x.low && x.high) return rounded((*x.low + *x.high) / 2, format, Rounding::nearest_even);
  if (!x.low && !x.high) return as_it_is(0);
  // Without a largest number, as with MPFR's exponents, a half-line has no middle of this kind.
  if (!format.format) return {.kind = EndNumber::Kind::not_a_number};
  const mpq_class largest = *numerics::exact_value(numerics::largest_finite(*format.format), *format.format);
  return as_it_is(x.low ? largest : mpq_class(-largest));
}

EndNumber number(EnclosureFunction function, const EndFormat& format, const Ends& x) {
  using enum EnclosureFunction;
  if (x.empty) return {.kind = EndNumber::Kind::not_a_number};
  if (function == mid) return middle(format, x);
  if (function == mig) {
    if (x.low && *x.low > 0) return as_it_is(*x.low);
    return as_it_is(x.high && *x.high < 0 ? mpq_class(-*x.high) : mpq_class());
  }
  if (!x.low || !x.high) return {.kind = infinite};
  if (function == width) return rounded(*x.high - *x.low, format, Rounding::upward);
  if (function == mag) return as_it_is(std::max(mpq_class(abs(*x.low)), mpq_class(abs(*x.high))));
  assert(function == rad);
  const mpq_class at = middle(format, x).value;
  return rounded(std::max(mpq_class(at - *x.low), mpq_class(*x.high - at)), format, Rounding::upward);
}

// a <= b of two lower ends, and of two upper ones; without a number they are -inf and inf.
bool low_not_above(const Bound& a, const Bound& b) { return !a || (b && *a <= *b); }
bool high_not_above(const Bound& a, const Bound& b) { return !b || (a && *a <= *b); }

Ends intersected(const Ends& x, const Ends& y) {
  if (x.empty || y.empty) return {.empty = true};
  Ends out{.low = low_not_above(x.low, y.low) ? y.low : x.low, .high = high_not_above(x.high, y.high) ? x.high : y.high};
  if (out.low && out.high && *out.low > *out.high) return {.empty = true};
  return out;
}

Ends joined(const Ends& x, const Ends& y) {
  if (x.empty || y.empty) return x.empty ? y : x;
  return {.low = low_not_above(x.low, y.low) ? x.low : y.low, .high = high_not_above(x.high, y.high) ? y.high : x.high};
}

struct Text {
  std::string decimal, hexadecimal;
};
/// On the given side of the value, if it is no number of the format.
Text text_of(const mpq_class& value, const EndFormat& format, numerics::Toward side) {
  if (!format.format) {
    const WideFloat near = wide(value, format, numerics::mpfr_toward(side));
    return {near.decimal(format.bits, side), near.hexadecimal()};
  }
  const std::uint64_t bits = numerics::round_rational(
      value, *format.format, side == numerics::Toward::below ? Rounding::downward : Rounding::upward);
  return {numerics::shortest_decimal(bits, *format.format), numerics::hexadecimal(bits, *format.format)};
}

}  // namespace

EnclosureFunction enclosure_function_named(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  assert(found != std::end(names));
  return static_cast<EnclosureFunction>(found - std::begin(names));
}

EnclosureAnswer enclosure_answer(EnclosureFunction function, const EndFormat& format, const Ends& x, const Ends& y) {
  using enum EnclosureFunction;
  switch (function) {
    case subset: return x.empty || (!y.empty && low_not_above(y.low, x.low) && high_not_above(x.high, y.high));
    case disjoint: return intersected(x, y).empty;
    case intersection: return intersected(x, y);
    case hull: return joined(x, y);
    default: return number(function, format, x);
  }
}

Rendering rendered(const EnclosureAnswer& answer, const EndFormat& format) {
  if (const bool* truth = std::get_if<bool>(&answer)) {
    const char* text = *truth ? "true" : "false";
    return {text, {{"value", text}}};
  }
  if (const auto* number = std::get_if<EndNumber>(&answer)) {
    if (number->kind == EndNumber::Kind::not_a_number) return {"nan", {{"value", "nan"}}};
    if (number->kind == infinite) return {"inf", {{"value", "inf"}}};
    const Text text = text_of(number->value, format, numerics::Toward::above);
    return {text.decimal, {{"value", text.decimal}, {"hex", text.hexadecimal}}};
  }
  const Ends& ends = std::get<Ends>(answer);
  if (ends.empty) return {"empty", {{"empty", "true"}}};
  const Text low = ends.low ? text_of(*ends.low, format, numerics::Toward::below) : Text{"-inf", "-inf"};
  const Text high = ends.high ? text_of(*ends.high, format, numerics::Toward::above) : Text{"inf", "inf"};
  std::string text = "[" + low.decimal + ", " + high.decimal + "]";
  if (!ends.low && !ends.high) return {text, {{"unbounded", "true"}}};
  return {text, {{"lo", low.hexadecimal}, {"hi", high.hexadecimal}}};
}

}  // namespace reckon::interp
