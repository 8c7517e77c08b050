// What single operations may err, by hand and by looking at all numbers.
#include <catch2/catch.hpp>

#include <bit>

#include "worst/box_bound.h"
#include "worst/rounding.h"
#include "worst/search.h"

using namespace reckon;
using namespace reckon::worst;
using ir::Op;

namespace {

/// The bound of one operation on inputs in these ranges.
BoxBound of(Op op, Format format, const Box& box, Inputs inputs = Inputs::floats) {
  Circuit circuit;
  NodeNumber x[3] = {};
  for (std::size_t k = 0; k < box.size(); ++k) x[k] = circuit.input(format);
  const NodeNumber output = circuit.operation(op, format, x[0], x[1], x[2]);
  return BoxBounds(circuit, output, {.inputs = inputs}, box, true).bound(box);
}
/// The bound of one operation on an input and a constant.
BoxBound with_constant(Op op, Format format, const Interval& range, const mpq_class& constant) {
  Circuit circuit;
  const NodeNumber x = circuit.input(format), c = circuit.number(constant, ir::RealConstant::one, format);
  const NodeNumber output = circuit.operation(op, format, x, c);
  return BoxBounds(circuit, output, {}, {range}, true).bound({range});
}
double error(const BoxBound& bound) {
  REQUIRE(!bound.obstacle);
  return bound.error;
}
/// The affine form of the total is rounded, too.
bool is_about(double bound, double value) { return bound >= value && bound <= value * (1 + 1e-12); }

}  // namespace

TEST_CASE("rounding moves reals by half a unit of their binade at most") {
  // Reals on a grid eight times finer than f16's, rounded by the exact rational rounding.
  double most = 0;
  for (std::uint64_t bits = 0; bits + 1 < numerics::infinity_bits(Format::f16); ++bits) {
    const double low = numerics::widen(bits, Format::f16), high = numerics::widen(bits + 1, Format::f16);
    for (int k = 0; k <= 8; ++k) {
      const double real = low + (high - low) * k / 8;
      const double rounded = numerics::widen(numerics::round_rational(mpq_class(real), Format::f16), Format::f16);
      most = std::max(most, std::fabs(rounded - real));
      REQUIRE(most <= rounding_error(real, Format::f16));
      // It is tight but for the rest of the way to the next power of two.
      REQUIRE(rounding_error(real, Format::f16) <= std::max(most, std::fabs(real - low) + 0x1p-25) * 2);
    }
  }
  CHECK(rounding_error(1, Format::f64) == 0x1p-54);
  CHECK(rounding_error(1.5, Format::f64) == 0x1p-53);
  CHECK(rounding_error(4, Format::f32) == 0x1p-23);
  CHECK(rounding_error(0x1p-1030, Format::f64) == 0x1p-1074);  // half of the least f64 is none
  CHECK(rounding_error(0x1p-140, Format::f32) == 0x1p-150);
}

TEST_CASE("single operations err as IEEE arithmetic says") {
  const Format f64 = Format::f64, f32 = Format::f32;
  // Products of numbers in [1, 2] are at most 4, and half a unit below 4 is 2^-52.
  CHECK(is_about(error(of(Op::mul, f64, {{1, 2}, {1, 2}})), 0x1p-52));
  CHECK(is_about(error(of(Op::mul, f32, {{1, 2}, {1, 2}})), 0x1p-23));
  CHECK(is_about(error(of(Op::add, f64, {{1, 2}, {0, 1}})), 0x1p-52));
  CHECK(is_about(error(of(Op::sqrt, f64, {{1, 4}})), 0x1p-53));
  CHECK(is_about(error(of(Op::exp, f64, {{0, 0.5}})), 0x1p-53));
  CHECK(is_about(error(of(Op::fma, f64, {{1, 2}, {1, 2}, {0, 0.25}})), 0x1p-51));  // up to 4.25
  // Sterbenz: the difference is a float.
  CHECK(error(of(Op::sub, f64, {{1, 2}, {1, 2}})) == 0);
  CHECK(error(of(Op::sub, f64, {{1, 2}, {1, 8}})) > 0);
  for (const Op op : {Op::neg, Op::abs}) CHECK(error(of(op, f64, {{-1, 2}})) == 0);
  for (const Op op : {Op::min, Op::max}) CHECK(error(of(op, f64, {{-1, 2}, {0, 3}})) == 0);
  CHECK(error(with_constant(Op::mul, f64, {-3, 5}, 2)) == 0);
  CHECK(error(with_constant(Op::mul, f64, {1, 5}, mpq_class(1, 4))) == 0);
  CHECK(error(with_constant(Op::div, f64, {1, 5}, 8)) == 0);
  CHECK(error(with_constant(Op::mul, f64, {-3, 5}, mpq_class(1, 4))) == 0x1p-1074);  // it may be subnormal
  CHECK(error(with_constant(Op::mul, f64, {1, 5}, 3)) > 0);
  // Numbers of f16 in [1, 2] are multiples of 2^-10, and f16 has all of these up to 2.
  CHECK(error(of(Op::sub, Format::f16, {{1, 2}, {1, 1.5}})) == 0);
  CHECK(error(with_constant(Op::sub, Format::f16, {1, 2}, mpq_class(1, 4))) == 0);
  // The constant 1/10 is off by a known amount.
  const mpq_class tenth(1, 10);
  const double off = std::fabs(mpq_class(mpq_class(0.1) - tenth).get_d());
  Circuit circuit;
  const NodeNumber x = circuit.input(f64), c = circuit.number(tenth, ir::RealConstant::one, f64);
  const NodeNumber output = circuit.operation(Op::max, f64, circuit.operation(Op::min, f64, x, c), c);
  CHECK(is_about(error(BoxBounds(circuit, output, {}, {{-1, 1}}, true).bound({{-1, 1}})), off));
}

TEST_CASE("what derivatives leave of the second order counts") {
  // The real r is halfway between two numbers of f16, so that its float may be off by d = 2^-12; the product and the
  // quotient of the floats are 1, which is not rounded.
  const double d = 0x1p-12, r = 1 - d;
  const Interval half{r, r};
  // (r + d)(r + d) - r r is 2 r d + d d.
  const double product = 2 * r * d + d * d;
  Circuit squares;
  const NodeNumber x = squares.input(Format::f16), y = squares.input(Format::f16);
  const NodeNumber output = squares.operation(Op::mul, Format::f16, x, y);
  const Box box{half, half};
  CHECK(is_about(error(BoxBounds(squares, output, {.inputs = Inputs::reals}, box, true).bound(box)), product));
  CHECK(is_about(error(BoxBounds(squares, output, {.inputs = Inputs::reals}, box, false).bound(box)), product));
  // 1 / (b + e) + b + e less 1 / b + b: the derivative is 1 - 1 / b^2, and what it leaves is e^2 / (b^2 (b + e)). The
  // real b is a little above 1, its float is 1, and the rest is exact.
  const double e = 0x1p-12, b = 1 + e;
  Circuit sums;
  const NodeNumber wide = sums.operation(Op::convert, Format::f64, sums.input(Format::f16));
  const NodeNumber one = sums.number(1, ir::RealConstant::one, Format::f64);
  const NodeNumber sum = sums.operation(Op::add, Format::f64, sums.operation(Op::div, Format::f64, one, wide), wide);
  const Interval above{b, b};
  const BoxBound found = BoxBounds(sums, sum, {.inputs = Inputs::reals}, {above}, true).bound({above});
  CHECK(is_about(error(found), (1 - 1 / (b * b)) * e + e * e / (b * b)));
}

TEST_CASE("inputs that are reals are rounded once") {
  CHECK(is_about(error(of(Op::neg, Format::f64, {{1, 2}}, Inputs::reals)), 0x1p-53));
  CHECK(is_about(error(of(Op::neg, Format::f32, {{1, 2}}, Inputs::reals)), 0x1p-24));
  CHECK(error(of(Op::neg, Format::f64, {{0.5, 0.5}}, Inputs::reals)) == 0);
}

TEST_CASE("boxes in which something has no value have no bound") {
  const auto reason = [](const BoxBound& bound) {
    REQUIRE(bound.obstacle);
    return bound.obstacle->reason;
  };
  CHECK(reason(of(Op::div, Format::f64, {{1, 2}, {-1, 1}})) == Reason::division_by_zero);
  CHECK(reason(of(Op::log, Format::f64, {{0, 1}})) == Reason::outside_domain);
  CHECK(reason(of(Op::sqrt, Format::f64, {{-1, 1}})) == Reason::outside_domain);
  CHECK(reason(of(Op::mul, Format::f16, {{1, 300}, {1, 300}})) == Reason::overflow);
  CHECK(reason(of(Op::exp, Format::f32, {{0, 100}})) == Reason::overflow);
  CHECK(!of(Op::mul, Format::f32, {{1, 300}, {1, 300}}).obstacle);
  CHECK(!of(Op::sqrt, Format::f64, {{0, 1}}).obstacle);
}

TEST_CASE("branch and bound finds a maximum inside of the range") {
  // Of sin(x - 1.65) in f64, where x is rounded to f32, the error is cos(x - 1.65) times half a unit: largest at 1.65.
  Circuit circuit;
  const NodeNumber x = circuit.operation(Op::convert, Format::f64, circuit.input(Format::f32));
  const NodeNumber shift = circuit.number(mpq_class(33, 20), ir::RealConstant::one, Format::f64);
  const NodeNumber output = circuit.operation(Op::sin, Format::f64, circuit.operation(Op::sub, Format::f64, x, shift));
  const Box box{{1, 2}};
  BoxBounds bounds(circuit, output, {.inputs = Inputs::reals}, box, true);
  const Extreme found = extreme(bounds, box, Goal::error, {});
  CHECK(found.bound >= 0x1p-24);
  CHECK(found.bound <= 0x1p-24 * 1.002);
}
