// What the front end makes of `profile` items, as text: the library's, and one that uses every part of the syntax.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include "numerics/format.h"
#include "tests/profiles/program.h"
#include "tests/support/golden.h"

using namespace reckon;
using namespace reckon::test;

TEST_CASE("the library's profiles, rule by rule") {
  for (const char* name : {"wgsl", "wgsl_suite", "ieee", "cuda", "cuda_fast"}) {
    Elaborated program;
    check_golden(fmt::format("profiles/{}.txt", name), ir::profile_text(*program.profile("", name)));
  }
}

TEST_CASE("every part of a profile's syntax") {
  Elaborated program;
  const auto profile = program.profile(R"(
import "wgsl"
let c = 3
profile base {
  formats f32, f16
  flush outputs may, inputs always
  add, sub, mul, div : rounded
  min, max : exact
  exp(x) : ulps(c + 2 * abs(x)) for x < 80 else anything for x: 80..90 or 100..inf
  sin(x), cos(x) in f32 : hull(ulps(1 / 2), absolute(0x1p-11)) for abs(x) <= 2 * pi else ulps(8)
  tan(x) in f32 = sin(x) / cos(x) for x: -pi..pi
  clamp(x, low, high) : either(primitive(clampMedian), inherited(min(max(x, low), high)))
  approx.exp2 : ulps(2)
  fract : primitive
}
profile derived = base with {
  overflow indeterminate
  evaluate ends
  add : exact
  exp(y) in f16 : ulps(max(1, floor(y * 1.5)) - min(y, -y) / 4)
}
)", "derived");
  check_golden("profiles/syntax.txt", ir::profile_text(*profile));
}

TEST_CASE("a derived profile may have other formats than the one that it is made from") {
  Elaborated program;
  const auto profile = program.profile(R"(
profile wide { formats f64, f32; add : rounded; mul in f64 : ulps(1) }
profile narrow = wide with { formats f32, f16 }
)", "narrow");
  CHECK(profile->find("add", ir::Scalar::f32) != nullptr);
  CHECK(profile->find("add", ir::Scalar::f16) != nullptr);
  CHECK(profile->find("add", ir::Scalar::f64) == nullptr);
  CHECK(profile->rules.size() == 2);
}

TEST_CASE("an inherited circuit rounds its numbers to the format: that is left to the semantics") {
  Elaborated program;
  const auto profile = program.profile("profile p { formats f16; mul : rounded; sin(x) = x * 0.1 * pi }", "p");
  const ir::Function* circuit = profile->circuits->find(
      profile->find("sin", ir::Scalar::f16)->choices.front().pieces.front().accuracy.circuit);
  REQUIRE(circuit != nullptr);
  CHECK(ir::type_text(*profile->circuits, circuit->result) == "f16");
  CHECK(profile->circuits->functions().size() == 1);
}

TEST_CASE("whether a domain holds a number of its format") {
  const auto rational = [](mpq_class value) {
    ir::Literal out;
    out.kind = ir::Literal::Kind::rational;
    out.value = std::move(value);
    return out;
  };
  const auto pi = [](mpq_class factor) {
    ir::Literal out;
    out.kind = ir::Literal::Kind::real;
    out.value = std::move(factor);
    out.constant = ir::RealConstant::pi;
    return out;
  };
  using ir::Format;
  const mpq_class tiny = mpq_class(1) >> 24, below = mpq_class(1) >> 30;
  CHECK(ir::has_number({rational(1), rational(1)}, false, Format::f16));
  CHECK_FALSE(ir::has_number({rational(2), rational(1)}, false, Format::f16));
  CHECK_FALSE(ir::has_number({rational(1), rational(1), true, false}, false, Format::f32));
  CHECK_FALSE(ir::has_number({rational(1 + below), rational(1 + 2 * below)}, false, Format::f32));
  CHECK(ir::has_number({rational(1 + below), rational(1 + 2 * below)}, false, Format::f64));
  // Between 0 and the least subnormal of f16, 2^-24, there is nothing; with it there is.
  CHECK_FALSE(ir::has_number({rational(0), rational(tiny), true, true}, false, Format::f16));
  CHECK(ir::has_number({rational(0), rational(tiny), true, false}, false, Format::f16));
  CHECK(ir::has_number({pi(-1), pi(1)}, false, Format::f16));
  CHECK_FALSE(ir::has_number({pi(1), pi(1)}, false, Format::f64));
  CHECK_FALSE(ir::has_number({rational(-2), rational(-1)}, true, Format::f64));
  CHECK(ir::has_number({rational(-2), rational(-1)}, false, Format::f64));
}
