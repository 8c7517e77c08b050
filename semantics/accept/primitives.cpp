#include "semantics/accept/primitives.h"

#include <algorithm>

#include "interp/algebra/directed.h"
#include "ir/op.h"
#include "semantics/accept/sound.h"
#include "semantics/accept/suite.h"

namespace reckon::interp::accept {

namespace {

double median(double x, double y, double z) { return std::max(std::min(x, y), std::min(std::max(x, y), z)); }

Answers median_at(const Setting& setting, const double* p) {
  const double middle = median(p[0], p[1], p[2]);
  return suite::correctly_rounded(setting, {middle, middle});
}
/// The median increases with each argument.
Answers median_over(const Setting& setting, const Interval* box) {
  return sound::rounded(setting,
                        {median(box[0].low, box[1].low, box[2].low), median(box[0].high, box[1].high, box[2].high)});
}

/// The largest number below 1.
double less_than_one(const Setting& setting) { return setting.kind.before(1); }

// x - floor(x), both rounded: this is 1 for small negative x, for which the answer may also stay below 1.
Answers fract_at(const Setting& setting, const double* p) {
  // The floor is a separate operation: it, too, may see 0 instead of a subnormal number.
  Answers whole;
  const Interval number{p[0], p[0]};
  suite::each_choice(setting, &number, 1, [&](const double* v) {
    const double floor = std::floor(v[0]);
    span(whole, suite::correctly_rounded(setting, {floor, floor}));
  });
  const Interval arguments[2] = {{p[0], p[0]}, whole.parts[0]};
  Answers out;
  suite::each_choice(setting, arguments, 2, [&](const double* v) {
    span(out, suite::correctly_rounded(setting, {directed::add_down(v[0], -v[1]), directed::add_up(v[0], -v[1])}));
  });
  if (!out.unbounded && out.parts[0].contains(1)) out.parts[0].low = std::min(out.parts[0].low, less_than_one(setting));
  return out;
}
Answers fract_over(const Setting& setting, const Interval* box) {
  const Interval x = box[0];
  const double first = std::floor(x.low), last = std::floor(x.high);
  Interval reals{0, 1};
  if (first == last) reals = {directed::add_down(x.low, -first), directed::add_up(x.high, -first)};
  const bool flushes = setting.flush_inputs != Setting::Flush::never || setting.flush_outputs != Setting::Flush::never;
  if (flushes && x.low < 0 && x.high > -setting.kind.min_normal)  // -subnormal - 0
    reals = hull(reals, {std::max(x.low, -setting.kind.greatest_subnormal()), 0});
  Answers out = sound::rounded(setting, reals);
  if (!out.unbounded && out.parts[0].contains(1)) out.parts[0].low = std::min(out.parts[0].low, less_than_one(setting));
  return out;
}

/// Converts to f16 and back. Beyond the largest f16, the answer is "anything".
Answers through_f16(const Setting& setting, const Interval& x) {
  static const NumberKind f16 = NumberKind::of(numerics::Format::f16);
  Interval out = f16.outward(x);
  if (f16.meets_subnormals(out) && setting.flushes()) out = {std::min(out.low, 0.0), std::max(out.high, 0.0)};
  if (!f16.is_finite(out)) return Answers::anything(Cause::overflow, setting.operation);
  return Answers::of(out);
}
Answers through_f16_at(const Setting& setting, const double* p) { return through_f16(setting, {p[0], p[0]}); }
Answers through_f16_over(const Setting& setting, const Interval* box) { return through_f16(setting, box[0]); }

constexpr PrimitiveRow primitive_rows[] = {
#define RECKON_SCALAR_PRIMITIVE(name, arity, implementation) {#name, arity, implementation##_at, implementation##_over},
#include "ir/primitives.def"
};
constexpr std::uint16_t first_row = 256;

}  // namespace

const PrimitiveRow* primitive_named(std::string_view name) {
  for (const PrimitiveRow& row : primitive_rows) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

std::uint16_t operation_number(ir::Op op) { return static_cast<std::uint16_t>(op); }
std::uint16_t operation_number(const PrimitiveRow& row) {
  return static_cast<std::uint16_t>(first_row + (&row - primitive_rows));
}
std::string operation_name(std::uint16_t operation) {
  if (operation < first_row) return std::string(ir::traits(static_cast<ir::Op>(operation)).spelling);
  const std::size_t row = operation - first_row;
  return row < std::size(primitive_rows) ? primitive_rows[row].name : "a circuit";
}

Parts modf(const Setting& setting, const Interval& x) {
  const auto unbounded = [&] { return Answers::anything(Cause::infinite, setting.operation); };
  if (!setting.kind.is_finite(x)) return {unbounded(), unbounded()};
  const double first = std::trunc(x.low), last = std::trunc(x.high);
  Interval fract{std::min(x.low - first, x.high - last), std::max(x.low - first, x.high - last)};
  if (first != last) {  // there are fractions up to 1 in between, of the signs that occur
    if (x.high > 0) fract.high = x.high >= 1 ? setting.kind.before(1) : fract.high;
    if (x.low < 0) fract.low = x.low <= -1 ? -setting.kind.before(1) : fract.low;
    fract = hull(fract, {0, 0});
  }
  return {suite::correctly_rounded(setting, {fract.low + 0.0, fract.high + 0.0}),
          suite::correctly_rounded(setting, {first + 0.0, last + 0.0})};
}

Answers ldexp(const Setting& setting, const Answers& of, const Answers& by) {
  if (of.unbounded) return of;
  const double exponent = by.is_point() ? by.parts[0].low : 0;
  if (!by.is_point() || std::trunc(exponent) != exponent) return Answers::anything(Cause::outside, setting.operation, 1);
  const Interval x = of.hull();
  const int bias = std::ilogb(setting.kind.largest);
  if (exponent > bias + 1) return Answers::anything(Cause::overflow, setting.operation, 1);
  const double power =
      exponent < -1074 ? 0 : (exponent > 1023 ? infinity : std::ldexp(1.0, static_cast<int>(exponent)));
  Answers out;
  const auto one = [&](double v) {
    const double result = v * power;
    if (!std::isfinite(result)) return Answers::anything(Cause::overflow, setting.operation);
    return suite::correctly_rounded(setting, {result, result});
  };
  for (const double end : {x.low, x.high}) {
    const suite::Inputs inputs = suite::inputs(setting.kind, setting.flush_inputs, end);
    for (int k = 0; k < inputs.count; ++k) span(out, one(inputs.values[k]));
  }
  return out;
}

}  // namespace reckon::interp::accept
