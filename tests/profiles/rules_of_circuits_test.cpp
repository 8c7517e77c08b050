// Rules for `builtin fn`s: each is applied, or refused where it stands. Expected values follow from the rule and the
// real value of the circuit, as each case says.
#include <catch2/catch.hpp>

#include "tests/support/process.h"

using namespace reckon::test;

namespace {

RunResult run(const std::string& text, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", "-"});
  return run_program(more, RunOptions{.input = text, .folder = {}, .environment = {}});
}

const std::string circuits = R"(
import "profiles/wgsl"
import "profiles/ieee"
import "wgsl"
builtin fn sq[T](x: T) -> T = x * x
builtin fn axpy[T](a: T, x: T[n], y: T[n], b: T) -> T[n] = for i: a * x[i] + b * y[i]
builtin fn both[T](x: T, v: T[n]) -> (T, T[n]) = (x + 1, v)
builtin fn positive[T](x: T) -> bool = x > 0
builtin fn root[T](x: T) -> T = sqrt(x)
)";

/// What a profile made from ieee (whose operations round once, and flush nothing) says to a call.
std::string said(const std::string& rules, const std::string& call, const std::string& base = "ieee") {
  const RunResult done =
      run(circuits + "profile mine = " + base + " with { " + rules + " }\nshow " + call + " in accept(mine)\n");
  const std::string text = done.status == 0 ? done.out : done.err;
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

}  // namespace

TEST_CASE("a rule for a circuit of numbers: errors count from the real value of its body") {
  CHECK(said("sq : absolute(0.5)", "sq(f32(3))") == "8.5..9.5");
  CHECK(said("sq : absolute(0.5)", "sq(f32(3))", "wgsl") == "8.5..9.5");
  CHECK(said("sq : absolute(0.5)", "sq(f32(3))", "wgsl_suite") == "8.5..9.5");
  // (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46 lies between 1 + 2 2^-23 and 1 + 3 2^-23, nearer to the first.
  CHECK(said("sq : exact", "sq(f32#3f800001) == f32#3f800002") == "true");
  CHECK(said("sq : rounded", "(sq(f32#3f800001) - 1) * 0x1p23") == "2..3");
  // 8 <= 9 < 16, and f16 has 11 bits: a unit in the last place is 2^-7.
  CHECK(said("sq : ulps(1)", "(sq(f16(3)) - 9) * 128") == "-1..1");
  CHECK(said("sq : anything", "sq(f32(3))") == "unbounded: the profile allows `sq` anything");
  CHECK(said("sq(x) : absolute(abs(x) / 2)", "sq(f32(-3))") == "7.5..10.5");
  // Over an interval the real values are an interval: [1, 2]^2 = [1, 4].
  CHECK(said("sq : absolute(1)", "sq(clamp(f32(5), 1, 2))") == "3..5");
}

TEST_CASE("rules of the library's circuits are no decoration") {
  CHECK(said("fract : absolute(0.25)", "fract(f32(1.5))") == "0.25..0.75");
  CHECK(said("fract : absolute(0.25)", "fract(f32(1.5))", "wgsl") == "0.25..0.75");
  CHECK(said("mix : absolute(0.25)", "mix(f32(2), 10, 0.25)") == "3.75..4.25");  // 2 * 3/4 + 10 / 4 = 4
  CHECK(said("mix : absolute(0.25)", "mix(f32(2), 10, 0.25)", "wgsl") == "3.75..4.25");
  // |(3, 4)| = 5; its unit in the last place is 2^-21.
  CHECK(said("length : ulps(4)", "(length([f32(3), 4]) - 5) * 0x1p21") == "-4..4");
  CHECK(said("length : absolute(0.5)", "length([f32(0), 0])", "wgsl") == "-0.5..0.5");
  CHECK(said("dot : exact", "dot([f32(1), 2, 3], [4, 5, 6])") == "32");
  CHECK(said("cross : absolute(1)", "cross([f32(1), 2, 3], [4, 5, 6])") == "[-4..-2, 5..7, -4..-2]");
  CHECK(said("modf : absolute(0.125)", "modf(f32(-1.25))") == "(-0.375..-0.125, -1.125..-0.875)");
  CHECK(said("transpose : absolute(0.5)", "transpose([[f32(1), 2, 3], [4, 5, 6]])") ==
        "[[0.5..1.5, 3.5..4.5],\n [1.5..2.5, 4.5..5.5],\n [2.5..3.5, 5.5..6.5]]");
  CHECK(said("unpack4x8unorm in f32 : absolute(0.5)", "unpack4x8unorm(0xff00ff00)") ==
        "[-0.5..0.5, 0.5..1.5, -0.5..0.5, 0.5..1.5]");
  CHECK(said("determinant2 : exact", "determinant2([[f32(1), 2], [3, 4]])") == "-2");
}

TEST_CASE("circuits of more than three arguments, of several results, and without an element") {
  CHECK(said("axpy : absolute(1)", "axpy(f32(2), [1, 2], [3, 4], 10)") == "[31..33, 43..45]");
  CHECK(said("axpy(a, x, y, b) : absolute(b)", "axpy(f32(2), [1, 2], [3, 4], 10)") == "[22..42, 34..54]");
  CHECK(said("both : absolute(1)", "both(f32(2), [3, 4])") == "(2..4, [2..4, 3..5])");
  CHECK(said("both(x, v) = (x, v + v)", "both(f32(2), [3, 4])") == "(2, [6, 8])");
  CHECK(run(circuits + "profile mine = ieee with { axpy : absolute(1) }\nfn f(x: f32[n]) = axpy(2, x, x, 3)\n"
                       "check f within 0..1 in accept(mine) for n: {0}, x: 0..1\n")
            .err.find("internal") == std::string::npos);
}

TEST_CASE("domains, pieces and alternatives of a circuit's rule") {
  const std::string pieces = "sq(x) : absolute(0.5) for x: 0..2 else absolute(2) for x > 2";
  CHECK(said(pieces, "sq(f32(1))") == "0.5..1.5");
  CHECK(said(pieces, "sq(f32(3))") == "7..11");
  CHECK(said(pieces, "sq(f32(-1))") ==
        "unbounded: the first argument of `sq` may be outside of what the profile states");
  CHECK(said(pieces, "sq(f32(-1))", "wgsl_suite") ==
        "unbounded: the first argument of `sq` may be outside of what the profile states");
  CHECK(said("sq(x) : either(exact, inherited(x + 100))", "sq(f32(3))") == "9 or 103");
  CHECK(said("sq(x) : hull(exact, inherited(x + 100))", "sq(f32(3))") == "9..103");
  CHECK(said("sq(x) : either(exact, inherited(x + 100))", "sq(f32(3))", "wgsl_suite") == "9 or 103");
  CHECK(said("fract(x) : either(primitive, inherited(x + 100))", "fract(f32(1.5))") == "0.5 or 101.5");
  CHECK(said("axpy(a, x, y, b) : absolute(1) for a > 1 else absolute(2)", "axpy(f32(2), [1], [3], 10)") == "[31..33]");
}

TEST_CASE("where a circuit has no real value, anything goes; infinite ones overflow as the profile says") {
  CHECK(said("root : ulps(1)", "root(f32(-1))") == "unbounded: `root` may have no value there");
  CHECK(said("root : ulps(1)", "root(f32(-1))", "wgsl_suite") == "unbounded: `root` may have no value there");
  CHECK(said("sq : rounded", "sq(f32(0x1p100))") == "3.4028235e38..inf");
  CHECK(said("sq : exact", "sq(f32(0x1p100))") == "inf");
  CHECK(said("sq : rounded", "sq(f32(0x1p100))", "wgsl") == "unbounded: `sq` may overflow");
}

TEST_CASE("an inherited circuit has the types of what it is for") {
  CHECK(said("length(x) = sqrt(dot(x, x)) + 1", "length([f32(3), 4])") == "6");
  CHECK(said("normalize(v) = for i: v[i] * 2", "normalize([f32(3), 4])") == "[6, 8]");
  CHECK(said("transpose(m) = for i, j: m[j, i] + 1", "transpose([[f32(1), 2, 3], [4, 5, 6]])") ==
        "[[2, 5],\n [3, 6],\n [4, 7]]");
  CHECK(said("modf(x) = (x, x + 1)", "modf(f32(2))") == "(2, 3)");
  CHECK(said("positive(x) = x > 2", "positive(f32(1))") == "false");
  CHECK(said("sq = 7", "sq(f32(3))") == "7");
  CHECK(said("exp = 7", "exp(f32(3))") == "7");
  // A circuit that it calls has its own rule: dot is 14..36, and sqrt(14) = 3.74165738... is rounded downward.
  CHECK(said("dot : absolute(11); length(x) = sqrt(dot(x, x))", "length([f32(3), 4])") == "3.7416573..6");
}

TEST_CASE("types that do not match are refused where the rule stands, never carried out") {
  const auto refused = [](const std::string& rules, const std::string& call, const std::string& message) {
    const std::string text = said(rules, call);
    INFO(rules << "\n" << text);
    CHECK(text.find(message) != std::string::npos);
    CHECK(text.find("standard input:10:") != std::string::npos);  // the profile's line
    CHECK(text.find("internal") == std::string::npos);
  };
  refused("length(x) = x + 1", "length([f32(3), 4])", "the circuit of `length` in f64 has type `f64`");
  refused("dot(x, y) = x * y", "dot([f32(3), 4], [f32(3), 4])", "the circuit of `dot`");
  refused("modf(x) = x", "modf(f32(3))", "the circuit of `modf`");
  refused("sq(x) = (x, x)", "sq(f32(3))", "the circuit of `sq`");
  refused("sq(x) = x > 0", "sq(f32(3))", "`bool`");
  refused("sq(x) = [x, x]", "sq(f32(3))", "the circuit of `sq`");
  refused("sq(x) = f16(x)", "sq(f32(3))", "the circuit of `sq`");
  refused("transpose(x) = x", "transpose([[f32(1), 2, 3], [4, 5, 6]])", "");
  refused("length(x) = x[0] + x[5]", "length([f32(3), 4])", "");
  refused("positive : ulps(2)", "positive(f32(3))", "`positive` gives `bool`");
  refused("quantizeToF16 in f32 : ulps(2)", "quantizeToF16(0.1)", "rounds to f16 on its way");
  refused("quantizeToF16 in f16 : anything", "quantizeToF16(0.1)", "has no result in f16");
  refused("length(x) : ulps(x)", "length([f32(3), 4])", "an amount depends on numbers in f64");
  refused("length(x) : ulps(2) for x > 0", "length([f32(3), 4])", "a domain depends on numbers in f64");
  refused("sq : primitive(transpose)", "sq(f32(3))", "`primitive(transpose)` does not fit `sq`");
  refused("transpose : primitive(modf)", "sq(f32(3))", "`primitive(modf)` does not fit `transpose`");
  refused("exp : primitive(modf)", "exp(f32(3))", "is of a builtin circuit");
  refused("sq : primitive(ldexp)", "sq(f32(3))", "");
  refused("ldexp(x, y) : either(primitive, inherited(x * y))", "ldexp(f32(3), 2)", "stands alone");
  refused("sq : ulps(2) else ulps(3)", "sq(f32(3))", "would never count");
  refused("bits : ulps(2)", "sq(f32(3))", "`bits` has no accuracy");
  refused("bit_and : ulps(2)", "sq(f32(3))", "`bit_and` has no accuracy");
  refused("less : ulps(2)", "sq(f32(3))", "`less` has no accuracy");
  refused("select : ulps(2)", "sq(f32(3))", "`select` has no accuracy");
  refused("sq(x) = sq(x) + 1", "sq(f32(3))", "rests on itself");
  refused("length(x) = sqrt(dot(x, x)); dot(x, y) = length(x)", "length([f32(3), 4])", "rests on itself");
}

TEST_CASE("settings that cannot be kept are refused") {
  const auto refused = [](const std::string& profile, const std::string& message) {
    const RunResult done = run("profile p {\n" + profile + "\n}\nshow f32(1) in accept(p)\n");
    INFO(profile << "\n" << done.err);
    CHECK(done.err.find(message) != std::string::npos);
  };
  refused("formats f32; evaluate ends; overflow infinite", "`evaluate ends` knows no infinite answers");
  refused("formats f32; evaluate ends", "`evaluate ends` knows no infinite answers");
  refused("formats f32, f32", "`f32` stands twice");
  refused("formats f32; flush inputs may, inputs never", "said twice when `inputs` are flushed");
}

TEST_CASE("a domain without an end is one in every format, of f8e4m3 as well, which has no infinity") {
  CHECK(said("exp(x) : ulps(2) for x > 0 else rounded", "exp(f8e4m3(0))") == "1");
  CHECK(said("sq(x) : absolute(1) for abs(x) <= 1 else absolute(2)", "sq(f8e4m3(2))") == "2..6");
}

TEST_CASE("a rule is for the circuit that its own file means") {
  // The library's fract has a rule in wgsl; this one is another.
  const RunResult done = run(R"(
import "profiles/wgsl"
builtin fn fract[T](x: T, y: T) -> T = x + y
show fract(f32(1), 2) in accept(wgsl)
)");
  CHECK(done.out == "3\n");
  const RunResult mine = run(R"(
import "profiles/wgsl"
builtin fn fract[T](x: T, y: T) -> T = x + y
profile mine = wgsl with { fract : absolute(1) }
show fract(f32(1), 2) in accept(mine)
)");
  CHECK(mine.err.find("has a rule for another `fract`") != std::string::npos);
}

TEST_CASE("a conversion of integers has the rule for conversions, too") {
  CHECK(said("convert in f32 : absolute(0.5)", "f32(bits(f32(0)))") == "-0.5..0.5 or 2147483647.5..2147483648.5");
  CHECK(said("convert(x) in f32 = x + 1", "f32(bit_and(bits(f32(1)), 0))") == "1");
}

TEST_CASE("the least of many numbers, in any order, with a rule that errs") {
  // Each min is off by at most 1; in some order the least one takes part in all of the eleven.
  CHECK(said("min : absolute(1)", "min i < 12: [f32(20), 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 0][i] by any_seq")
            .starts_with("-11.."));
}
