// A profile of IEEE 754 in any direction of rounding, with infinities and NaN as values: no correctly rounded result,
// in any direction, escapes. Results are MPFR's and GMP's.
#include <fmt/format.h>

#include <cstdio>
#include <random>

#include "interp/semantics.h"
#include "numerics/elementary.h"
#include "semantics/accept/number_kind.h"
#include "semantics/standard.h"
#include "tests/interp/profiles.h"
#include "tests/support/long_run.h"

#include <catch2/catch.hpp>

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using accept::Answers;
using accept::Interval;
using accept::NumberKind;
using numerics::Format;
using numerics::Rounding;

namespace {

using Random = std::mt19937_64;

const std::vector<Op> unary{Op::exp,   Op::exp2,  Op::exp10, Op::log10, Op::log,   Op::log2, Op::sin,   Op::cos,
                            Op::tan,   Op::asin,  Op::acos,  Op::atan,  Op::sinh,  Op::cosh, Op::tanh,  Op::asinh,
                            Op::acosh, Op::atanh, Op::sinpi, Op::cospi, Op::tanpi, Op::erfc, Op::gamma, Op::lgamma,
                            Op::erf,   Op::expm1, Op::log1p, Op::cbrt,  Op::rsqrt, Op::sqrt};
const std::vector<Op> others{Op::add,   Op::sub, Op::mul,   Op::div, Op::fma,
                             Op::atan2, Op::pow, Op::hypot, Op::min, Op::minnum, Op::ldexp};

std::shared_ptr<const ir::Profile> ieee() {
  ProfileBuilder builder;
  builder.profile->name = "ieee";
  builder.profile->formats = {Scalar::f32, Scalar::f16, Scalar::f64};
  for (const Scalar scalar : builder.profile->formats) {
    for (const auto* list : {&unary, &others}) {
      for (const Op op : *list) builder.rule(op, scalar, {piece(Accuracy::Kind::rounded)});
    }
  }
  return builder.done();
}

std::optional<numerics::Function> function(Op op) {
  if (op == Op::sqrt) return numerics::Function::sqrt;
  switch (op) {
#define RECKON_FUNCTION(name) \
  case Op::name: return numerics::Function::name;
#include "numerics/functions.def"
    default: return std::nullopt;
  }
}

/// One result, as a pattern of the format. Zeros of either sign are operands.
std::uint64_t result(Op op, const std::uint64_t* x, Format format, Rounding way) {
  if (const auto f = function(op)) return numerics::mpfr_unary(*f, x[0], format, way);
  const std::uint64_t one = numerics::round_f64(1, format), negated = x[1] ^ numerics::sign_bit(format);
  switch (op) {
    case Op::add: return numerics::mpfr_fma(x[0], one, x[1], format, way);
    case Op::sub: return numerics::mpfr_fma(x[0], one, negated, format, way);
    case Op::mul: return numerics::mpfr_fma(x[0], x[1], 0, format, way);
    case Op::fma: return numerics::mpfr_fma(x[0], x[1], x[2], format, way);
    case Op::atan2: return numerics::mpfr_binary(numerics::BinaryFunction::atan2, x[0], x[1], format, way);
    case Op::pow: return numerics::mpfr_binary(numerics::BinaryFunction::pow, x[0], x[1], format, way);
    case Op::hypot: return numerics::mpfr_binary(numerics::BinaryFunction::hypot, x[0], x[1], format, way);
    default: break;
  }
  const double a = numerics::widen(x[0], format), b = numerics::widen(x[1], format);
  if (op == Op::min) return numerics::round_f64(std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b), format);
  if (op == Op::minnum) return numerics::round_f64(std::fmin(a, b), format);
  if (op == Op::ldexp) {  // docs/semantics.md: an exponent that is no integer gives a NaN, infinite ones are limits
    if (std::isnan(a) || std::isnan(b) || std::floor(b) != b) return numerics::round_f64(NAN, format);
    if (std::isinf(b)) return numerics::round_f64(b < 0 && std::isfinite(a) ? a * 0 : a == 0 ? a : a * INFINITY, format);
    if (!std::isfinite(a)) return numerics::round_f64(a, format);
    const double far = std::clamp(b, -5000.0, 5000.0);
    return numerics::round_rational(mpq_class(a) * power_of_two(static_cast<int>(far)), format, way);
  }
  const double quotient = a / b;
  if (!std::isfinite(a) || !std::isfinite(b) || b == 0) return numerics::round_f64(quotient, format);
  return numerics::round_rational(mpq_class(a) / mpq_class(b), format, way);
}

double some_number(Format format, Random& random) {
  const NumberKind kind = NumberKind::of(format);
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53, sign = random() % 2 ? 1 : -1;
  const int range = std::min(numerics::traits(format).emax, 500);
  switch (random() % 10) {
    case 0: return sign * accept::infinity;
    case 1: return 0;
    case 2: return sign * kind.largest;
    case 3:
      return sign * std::ldexp(1 + unit, static_cast<int>(random() % (2u * static_cast<unsigned>(range))) - range);
    case 4: return sign * unit * kind.min_normal;
    case 5: return sign * static_cast<double>(random() % 9) / 2;
    case 6: return sign;
    default: return sign * unit * 4;
  }
}

}  // namespace

TEST_CASE("no rounding in any direction escapes accept(ieee)") {
  Random random(reckon::test::stream(31));
  const auto profile = ieee();
  auto semantics = make_semantics("accept", {{"ieee", profile}}, {});
  REQUIRE(semantics);
  const std::uint64_t trials = reckon::test::trials<std::uint64_t>(30'000);
  std::uint64_t unbounded = 0, sharp = 0;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const std::size_t which = random() % (unary.size() + others.size());
    const Op op = which < unary.size() ? unary[which] : others[which - unary.size()];
    const Scalar scalar = std::array{Scalar::f32, Scalar::f32, Scalar::f16, Scalar::f64}[random() % 4];
    const Format format = ir::format_of(scalar);
    const NumberKind kind = NumberKind::of(format);
    const auto arity = static_cast<std::size_t>(ir::traits(op).arity);
    Answers arguments[3], answers;
    Rows rows[3];
    std::string given;
    for (std::size_t k = 0; k < arity; ++k) {
      double a = kind.round_down(some_number(format, random)), b = random() % 3 ? a : kind.round_down(some_number(format, random));
      if (a > b) std::swap(a, b);
      arguments[k] = Answers::of({a + 0.0, b + 0.0});
      arguments[k].nan = random() % 20 == 0;
      rows[k] = {reinterpret_cast<const std::byte*>(&arguments[k]), 0};
      given += fmt::format("[{:a}, {:a}]{} ", a, b, arguments[k].nan ? " or nan" : "");
    }
    REQUIRE(!(*semantics)->apply(op, scalar, scalar, rows, reinterpret_cast<std::byte*>(&answers), 0, 1, 1));
    unbounded += answers.unbounded;
    for (int sample = 0; sample < 4; ++sample) {
      std::uint64_t x[3] = {};
      for (std::size_t k = 0; k < arity; ++k) {
        const Interval part = arguments[k].parts[0];
        double point = random() % 2 ? part.low : part.high;
        if (random() % 2 && std::isfinite(part.low) && std::isfinite(part.high)) {
          point = part.low + (part.high - part.low) * static_cast<double>(random() >> 11) * 0x1p-53;
          if (!std::isfinite(point)) point = 1;
        } else if (random() % 4 == 0) {
          point = some_number(format, random);
        }
        point = std::clamp(kind.round_down(std::clamp(point, part.low, part.high)), part.low, part.high);
        if (arguments[k].nan && random() % 2) point = NAN;
        x[k] = numerics::round_f64(point == 0 && random() % 2 ? -0.0 : point, format);
      }
      for (const Rounding way : {Rounding::downward, Rounding::upward, Rounding::nearest_even}) {
        const std::uint64_t bits = result(op, x, format, way);
        const double value = numerics::widen(bits, format) + 0.0;
        if (answers.contains(value)) continue;
        INFO(ir::traits(op).spelling << " in " << ir::scalar_name(scalar) << " of " << given);
        INFO(fmt::format("at {:a}, {:a}", numerics::widen(x[0], format), numerics::widen(x[1], format)));
        INFO(fmt::format("{:a} is not in [{:a}, {:a}] and {} more{}", value, answers.parts[0].low,
                         answers.parts[0].high, answers.count - 1, answers.nan ? ", nan" : ""));
        CHECK(false);
      }
      // At points the two directions are all there is.
      bool point = answers.count == 1 && !answers.nan;
      for (std::size_t k = 0; k < arity; ++k) point &= arguments[k].is_point() && arguments[k].parts[0].low != 0;
      if (!point) continue;
      const auto end = [&](Rounding way) { return numerics::widen(result(op, x, format, way), format) + 0.0; };
      INFO(ir::traits(op).spelling << " in " << ir::scalar_name(scalar) << " of " << given);
      CHECK(answers.parts[0] == Interval{end(Rounding::downward), end(Rounding::upward)});
      ++sharp;
    }
  }
  if (reckon::test::long_run())
    std::printf("%llu at points, as tight as can be\n", static_cast<unsigned long long>(sharp));
  CHECK(unbounded == 0);
  CHECK(sharp > trials / 4);
}
