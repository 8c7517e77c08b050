// Functions of two operands, and operations that jump: derivatives against quotients of differences that MPFR computes,
// and bounds that follow from a function's definition.
#include <catch2/catch.hpp>

#include <mpfr.h>

#include <random>

#include "numerics/mpfr_evaluate.h"
#include "worst/functions_of_two.h"
#include "worst/search.h"

using namespace reckon;
using namespace reckon::worst;
using ir::Op;

namespace {

constexpr mpfr_prec_t digits = 400;

struct Number {
  mpfr_t value;
  explicit Number(double of = 0) { mpfr_init2(value, digits), mpfr_set_d(value, of, MPFR_RNDN); }
  Number(const Number&) = delete;
  ~Number() { mpfr_clear(value); }
};

/// f(a + da, b + db) - f(a, b) - first da - second db.
double rest(BinaryFunction f, double a, double b, double da, double db, double first, double second) {
  Number x(a), y(b), whole, moved;
  numerics::mpfr_evaluate(f, whole.value, x.value, y.value, MPFR_RNDN);
  mpfr_add_d(x.value, x.value, da, MPFR_RNDN);
  mpfr_add_d(y.value, y.value, db, MPFR_RNDN);
  numerics::mpfr_evaluate(f, moved.value, x.value, y.value, MPFR_RNDN);
  mpfr_sub(moved.value, moved.value, whole.value, MPFR_RNDN);
  Number part(first);
  mpfr_mul_d(part.value, part.value, da, MPFR_RNDN);
  mpfr_sub(moved.value, moved.value, part.value, MPFR_RNDN);
  mpfr_set_d(part.value, second, MPFR_RNDN);
  mpfr_mul_d(part.value, part.value, db, MPFR_RNDN);
  mpfr_sub(moved.value, moved.value, part.value, MPFR_RNDN);
  return mpfr_get_d(moved.value, MPFR_RNDN);
}

/// The bound on the error of one operation on two inputs of f64.
Extreme of_inputs(Op op, Interval a, Interval b) {
  Circuit circuit;
  const NodeNumber x = circuit.input(Format::f64), y = circuit.input(Format::f64);
  const NodeNumber out = circuit.operation(op, Format::f64, x, y);
  const Box box{a, b};
  BoxBounds bounds(circuit, out, {}, box, true);
  return extreme(bounds, box, Goal::error, {.operations = 1e6});
}

}  // namespace

TEST_CASE("derivatives of functions of two operands, and what is of the second order") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  int compared = 0;
  for (int k = 0; k < 4000; ++k) {
    const auto f = static_cast<BinaryFunction>(k % numerics::binary_function_count);
    double a = std::ldexp(unit(random), static_cast<int>(random() % 8) - 3), b = std::ldexp(unit(random), 2);
    if (f == BinaryFunction::pow && k % 8 < 4) b = std::nearbyint(b);
    else if (f == BinaryFunction::pow) a = std::fabs(a);
    if (f == BinaryFunction::rootn) b = std::nearbyint(3 * b), a = std::fabs(a);
    const double da = std::ldexp(unit(random), -static_cast<int>(4 + random() % 12));
    const bool moves = f != BinaryFunction::rootn && b != std::nearbyint(b);
    const double db = moves ? std::ldexp(unit(random), -static_cast<int>(4 + random() % 12)) : 0;
    const Interval x = hull({a, a}, widened({a, a}, std::fabs(da))), y = widened({b, b}, std::fabs(db));
    if (!is_defined(f, x, y) || touches_cut(f, x, y)) continue;
    const Interval values = value(f, x, y);
    const Gradient here = gradient(f, {a, a}, {b, b}, value(f, {a, a}, {b, b}));
    const double second = second_order(f, x, y, values, std::fabs(da), std::fabs(db));
    if (!std::isfinite(second)) continue;
    // The derivatives at a point are known to some units of the last place.
    const double first_middle = here.first.low / 2 + here.first.high / 2,
                 second_middle = moves ? here.second.low / 2 + here.second.high / 2 : 0;
    const double found = std::fabs(rest(f, a, b, da, db, first_middle, second_middle));
    const double slack = width(here.first) * std::fabs(da) + (moves ? width(here.second) * std::fabs(db) : 0);
    INFO(static_cast<int>(f) << " at " << a << ", " << b << " by " << da << ", " << db);
    REQUIRE(found <= second + slack);
    const Gradient all = gradient(f, x, y, values);
    REQUIRE(all.first.low <= here.first.high);
    REQUIRE(all.first.high >= here.first.low);
    ++compared;
  }
  CHECK(compared > 1500);
}

TEST_CASE("functions of two operands err by their own rounding where their operands do not err") {
  // Half a unit of the binade of the greatest result.
  CHECK(of_inputs(Op::hypot, {3, 4}, {3, 4}).bound == 0x1p-51);
  CHECK(of_inputs(Op::pow, {1, 1.75}, {1, 2}).bound == 0x1p-52);
  CHECK(of_inputs(Op::atan2, {1, 2}, {1, 2}).bound == 0x1p-53);
  // Nothing is rounded.
  CHECK(of_inputs(Op::rem, {0, 100}, {1, 2}).bound == 0);
  CHECK(of_inputs(Op::copysign, {-3, 4}, {1, 2}).bound == 0);
  // There is no value at (0, 0), and none of 0 to a negative power.
  CHECK(of_inputs(Op::atan2, {-1, 1}, {0, 1}).obstacle);
  CHECK(of_inputs(Op::pow, {0, 1}, {-2, -1}).obstacle);
  CHECK(of_inputs(Op::rem, {0, 1}, {-1, 1}).obstacle);
}

TEST_CASE("a step counts where the float and the real may lie on two sides of it") {
  const auto bound_of = [](Op op, double low, double high) {
    Circuit circuit;
    const NodeNumber x = circuit.input(Format::f64);
    const NodeNumber tenth = circuit.number(mpq_class(1, 10), ir::RealConstant::one, Format::f64);
    const NodeNumber scaled = circuit.operation(Op::mul, Format::f64, x, tenth);
    const NodeNumber out = circuit.operation(op, Format::f64, scaled);
    const Box box{{low, high}};
    BoxBounds bounds(circuit, out, {}, box, true);
    return extreme(bounds, box, Goal::error, {.operations = 1e6}).bound;
  };
  for (const Op op : {Op::floor, Op::ceil, Op::trunc}) {
    CHECK(bound_of(op, 11, 19) == 0);
    CHECK(bound_of(op, 11, 21) == 1);
  }
  CHECK(bound_of(Op::round, 6, 14) == 0);
  CHECK(bound_of(Op::round, 11, 16) == 1);
  CHECK(bound_of(Op::sign, 1, 2) == 0);
  CHECK(bound_of(Op::sign, -1, 2) == 2);
}
