// Bounds over boxes for floats that are rounded in other directions, that are flushed, and that saturate.
#include <fmt/format.h>

#include "tests/worst/compared.h"
#include "tests/worst/values_shown.h"

using namespace reckon;
using namespace reckon::worst;
using namespace reckon::worst::random_circuits;
using numerics::FloatMode;
using numerics::Rounding;

namespace {

constexpr FloatMode modes[] = {{Rounding::toward_zero},
                               {Rounding::upward},
                               {Rounding::downward},
                               {Rounding::nearest_even, true},
                               {Rounding::nearest_even, false, true},
                               {Rounding::toward_zero, true, true},
                               {Rounding::upward, true},
                               {Rounding::downward, false, true}};

/// As `in float(...)` has them.
std::string arguments(const FloatMode& mode) {
  std::vector<std::string> out;
  if (mode.rounding == Rounding::toward_zero) out.emplace_back("toward_zero");
  if (mode.rounding == Rounding::upward) out.emplace_back("up");
  if (mode.rounding == Rounding::downward) out.emplace_back("down");
  if (mode.flush) out.emplace_back("flush");
  if (mode.flush_inputs) out.emplace_back("flush_inputs");
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

TEST_CASE("bounds in other modes are above the errors at random points") {
  Counts counts;
  const Format formats[] = {Format::f64,  Format::f32,    Format::f16,   Format::bf16,
                            Format::tf32, Format::f8e4m3, Format::f8e5m2};
  for (std::uint64_t seed = 1; seed <= 700; ++seed) {
    std::mt19937_64 random(seed);
    const FloatMode& mode = modes[seed % std::size(modes)];
    const Format format = formats[seed % std::size(formats)];
    const auto made = make(random, format, 1 + seed % 3, 2 + seed % 8, seed % 2 == 0, seed % 3 == 0, mode);
    INFO("in float(" << arguments(mode) << "), " << numerics::traits(format).name);
    for (const Inputs inputs : {Inputs::floats, Inputs::reals}) compare(made, {.inputs = inputs}, seed, counts);
  }
  INFO(counts.bounded << " bounded, " << counts.refused << " refused, " << counts.tight << " tight");
  CHECK(counts.bounded > 600);
  CHECK(counts.tight > counts.bounded / 3);
}

TEST_CASE("bounds in other modes are above the errors of all numbers of few bits") {
  // In 8 bits some results saturate, and many are subnormal.
  Compared bounds;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    std::mt19937_64 random(seed);
    const bool eight = seed % 2 == 0;
    const Format format =
        eight ? (seed % 4 == 0 ? Format::f8e4m3 : Format::f8e5m2) : (seed % 4 == 1 ? Format::f6e2m3 : Format::f6e3m2);
    const FloatMode mode = seed % 5 == 0 ? FloatMode{} : modes[seed % std::size(modes)];
    const auto made = make(random, format, eight ? 1 : 2, 3 + seed % 6, false, seed % 4 == 0, mode);
    INFO("seed " << seed << ", in float(" << arguments(mode) << "), " << numerics::traits(format).name);
    bounds.compare(made, format);
  }
  CHECK(bounds.bounded > 250);
  CHECK(bounds.close > 60);
}

namespace {

/// A random expression of x and y in the syntax of programs.
std::string expression(std::mt19937_64& random, const std::string& format, int depth) {
  const char* leaves[] = {"x", "y", "x", "y", "0.1", "3", "1 / 3", "0.003"};
  if (depth == 0) return leaves[below(random, std::size(leaves))];
  const auto part = [&] { return expression(random, format, depth - 1 - static_cast<int>(below(random, 2)) % depth); };
  const std::string a = part(), b = part();
  switch (below(random, 12)) {
    case 0:
    case 1: return fmt::format("({} + {})", a, b);
    case 2:
    case 3: return fmt::format("({} - {})", a, b);
    case 4:
    case 5:
    case 6: return fmt::format("({} * {})", a, b);
    case 7: return fmt::format("({} / (1 + abs({})))", a, b);
    case 8: return fmt::format("fma({0}({1}), {2}, x)", format, a, b);
    case 9: return fmt::format("max({0}({1}), {2})", format, a, b);
    case 10: return fmt::format("select({0}({1}) < {2}, x + {1}, y)", format, a, b);
    default:
      return fmt::format("(sum i: [{0}({1}), {2}, x, {2}][i] by {3})", format, a, b,
                         below(random, 2) == 0 ? "rounded_once" : "neumaier(seq)");
  }
}

}  // namespace

TEST_CASE("no program's float is further from its exact value than `show bound(f)` in that mode says") {
  // The floats are the evaluator's, the exact values those of `in exact`: neither knows the analysis.
  int bounded = 0;
  double nearest_to_bound = 0;
  const Format formats[] = {Format::f32, Format::f16, Format::f8e4m3, Format::f8e5m2, Format::f64, Format::bf16};
  constexpr int points = 12;
  for (std::uint64_t seed = 1; seed <= 72; ++seed) {
    std::mt19937_64 random(seed);
    const Format format = formats[seed % std::size(formats)];
    const std::string name(numerics::traits(format).name), mode = arguments(modes[seed / 6 % std::size(modes)]);
    // Around 1, and where numbers are subnormal.
    const double scale = seed % 3 == 0 ? std::ldexp(1.0, numerics::traits(format).emin) : 1;
    const auto number = [&](double low, double high) {
      const double at = low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
      const std::uint64_t bits = numerics::round_f64(scale * at, format, Rounding::toward_zero);
      return fmt::format("{}#{}", name, numerics::bit_digits(bits, format));
    };
    const mpq_class end = mpq_class(scale) * 4;
    std::string program = fmt::format("fn f(x: {0}, y: {0}) -> {0} = {0}({1})\n", name, expression(random, name, 3));
    program += fmt::format("show bound(f) for x: -({0})..({0}), y: 0..({0}) in float({1})\n", end.get_str(), mode);
    for (int k = 0; k < points; ++k) {
      const std::string at = fmt::format("f({}, {})", number(-4, 4), number(0, 4));
      program += fmt::format("show {0} in float({1})\nshow {0} in exact\n", at, mode);
    }
    const auto found = test::values_shown(program);
    REQUIRE(found.size() == 1 + 2 * points);
    INFO(program << found[0].dump());
    REQUIRE(found[0]["semantics"] == fmt::format("float({})", mode));
    if (!found[0].contains("bound")) continue;
    ++bounded;
    const double bound = std::stod(found[0]["bound"].get<std::string>());
    for (int k = 0; k < points; ++k) {
      const double value = std::stod(found[1 + 2 * static_cast<std::size_t>(k)]["hex"].get<std::string>());
      const mpq_class exact(found[2 + 2 * static_cast<std::size_t>(k)]["value"].get<std::string>());
      const mpq_class error = abs(mpq_class(value) - exact);
      INFO("point " << k << ": " << value << " for " << exact.get_d());
      REQUIRE(error <= mpq_class(bound));
      if (bound > 0) nearest_to_bound = std::max(nearest_to_bound, error.get_d() / bound);
    }
  }
  CHECK(bounded > 50);
  CHECK(nearest_to_bound > 0.5);
}

TEST_CASE("the bound of one operation in a mode is the mode's own") {
  const auto bound_of = [](const std::string& body, const std::string& clauses) {
    const auto found =
        test::values_shown(fmt::format("fn f(x: f32) -> f32 = {}\nshow bound(f) for {}\n", body, clauses));
    return std::stod(found[0]["bound"].get<std::string>());
  };
  const double tolerance = 1.001;
  // A unit of [4, 8) toward zero and in a direction; half of it to nearest.
  for (const auto& [mode, units] : {std::pair{"", 0.5},
                                    {" in float", 0.5},
                                    {" in bound", 0.5},
                                    {" in float(toward_zero)", 1.0},
                                    {" in float(up)", 1.0},
                                    {" in float(down)", 1.0}}) {
    INFO(mode);
    const double bound = bound_of("x + 1/3", fmt::format("x: 4..5{}", mode));
    CHECK(bound >= units * 0x1p-21);
    CHECK(bound <= (units + 0.125) * 0x1p-21 * tolerance);
  }
  // Exact in every direction; and flushed.
  CHECK(bound_of("x * 2", "x: 1..2 in float(up)") == 0);
  CHECK(bound_of("x * 2", "x: 1..2 in float(up, flush, flush_inputs)") == 0);
  const double least = 0x1p-126;
  const double flushed = bound_of("x * 2", "x: 0..1 in float(flush)");
  CHECK(flushed >= least * (1 - 0x1p-23));
  CHECK(flushed <= least * tolerance);
  const double flushed_input = bound_of("x * 2", "x: 0..1 in float(flush_inputs)");
  CHECK(flushed_input >= 2 * least * (1 - 0x1p-23));
  CHECK(flushed_input <= 2 * least * tolerance);
  // The second operand, too: below 2^-126 it counts as 0, and the product with 2 is missing.
  const auto product = test::values_shown(
      "fn f(x: f32, y: f32) -> f32 = x * y\n"
      "show bound(f) for x: 1..2, y: 0..1 / 85070591730234615865843651857942052864 in float(flush_inputs)\n");
  CHECK(std::stod(product[0]["bound"].get<std::string>()) >= 2 * least * (1 - 0x1p-23));
  // 448 is the largest number of f8e4m3.
  const auto saturated = test::values_shown("fn f(x: f8e4m3) -> f8e4m3 = x * x\nshow bound(f) for x: 0..32\n");
  CHECK(std::stod(saturated[0]["bound"].get<std::string>()) == 1024 - 448);
}

TEST_CASE("semantics without one float's rounding are refused in `show bound(f)` over ranges") {
  for (const char* semantics : {"exact", "interval", "fpsan", "bound(any)", "count"}) {
    const test::RunResult found =
        test::run_program({"run", "-"},
                          fmt::format("fn f(x: f32) -> f32 = x * x\nshow bound(f) for x: 1..2 in {}\n", semantics));
    INFO(found.out << found.err);
    CHECK(found.status == 3);
    CHECK(found.err.find("error[E0501]: over ranges, `bound` is about the rounding") != std::string::npos);
  }
  const test::RunResult found =
      test::run_program({"run", "-"}, "fn f(x: f32) -> f32 = x * x\nshow tune(f, 1e-3) for x: 1..2 in float(up)\n");
  CHECK(found.status == 3);
  CHECK(found.err.find("error[E0501]: `tune` chooses formats for rounding to nearest") != std::string::npos);
}
