// The laws that FPSan guarantees, over every format and generation, as circuits in the language: for all
// values of formats of 8 and 16 bits where a law has one operand, for all pairs where 8 bits have two (the older
// generations on some of them).
#include <fmt/format.h>

#include <bit>

#include "tests/algebra/program.h"
#include "tests/algebra/term.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::algebra;

namespace {

/// Bodies over x, y, z (@ is the format); how many of them the law is about.
struct FpsanLaw {
  int operands;
  const char *left, *right;
  bool f32_only = false;
};
constexpr FpsanLaw laws[] = {
    // A commutative ring.
    {2, "x + y", "y + x"},
    {2, "x * y", "y * x"},
    {3, "(x + y) + z", "x + (y + z)"},
    {3, "(x * y) * z", "x * (y * z)"},
    {3, "x * (y + z)", "x * y + x * z"},
    {3, "x * (y - z)", "x * y - x * z"},
    {1, "x + 0", "x"},
    {1, "x - 0", "x"},
    {1, "x * 1", "x"},
    {1, "x * 0", "@(0)"},
    {1, "x - x", "@(0)"},
    {1, "-(-x)", "x"},
    {1, "-x", "0 - x"},
    {1, "-x", "x * @(-1)"},
    {2, "x - y", "x + -y"},
    {2, "-(x * y)", "-x * y"},
    {3, "fma(x, y, z)", "x * y + z"},
    {3, "fma(x, y, -z)", "-(z - x * y)"},
    {2, "(x + y) * (x - y)", "x * x - y * y"},
    // exp
    {2, "exp(x + y)", "exp(x) * exp(y)"},
    {2, "exp2(x + y)", "exp2(x) * exp2(y)"},
    {1, "exp(@(0))", "@(1)"},
    {1, "exp2(@(0))", "@(1)"},
    {1, "exp(-x)", "1 / exp(x)"},
    {1, "exp2(-x)", "1 / exp2(x)"},
    {2, "exp(x - y)", "exp(x) / exp(y)"},
    {1, "exp(x)", "exp2(x * f32#3fb8aa3b)", true},
    // The circle
    {1, "sin(x) * sin(x) + cos(x) * cos(x)", "@(1)"},
    {2, "sin(x + y)", "sin(x) * cos(y) + cos(x) * sin(y)"},
    {2, "cos(x + y)", "cos(x) * cos(y) - sin(x) * sin(y)"},
    {2, "sin(x - y)", "sin(x) * cos(y) - cos(x) * sin(y)"},
    {2, "cos(x - y)", "cos(x) * cos(y) + sin(x) * sin(y)"},
    {1, "sin(-x)", "-sin(x)"},
    {1, "cos(-x)", "cos(x)"},
    // Quotients
    {1, "1 / (1 / x)", "x"},
    {2, "x / y", "x * (1 / y)"},
    {3, "(x + y) / z", "x / z + y / z"},
    {3, "(x - y) / z", "x / z - y / z"},
    {3, "(x * y) / z", "x * (y / z)"},
    {1, "x / 1", "x"},
    // The lattice
    {2, "max(x, y)", "max(y, x)"},
    {2, "min(x, y)", "min(y, x)"},
    {3, "max(max(x, y), z)", "max(x, max(y, z))"},
    {3, "min(min(x, y), z)", "min(x, min(y, z))"},
    {1, "max(x, x)", "x"},
    {1, "min(x, x)", "x"},
    {2, "max(x, min(x, y))", "x"},
    {2, "min(x, max(x, y))", "x"},
    {3, "max(x, min(y, z))", "min(max(x, y), max(x, z))"},
    {3, "min(x, max(y, z))", "max(min(x, y), min(x, z))"},
    {2, "max(x, y) + min(x, y)", "x + y"},
    // Reductions in any order, by any accumulator
    {3, "sum j < 8: v[i, j] by seq", "sum j < 8: v[i, 7 - j] by tree"},
    {3, "sum j < 8: v[i, j] * v[i, 7 - j] by seq",
     "sum j < 8: v[i, j] * v[i, 7 - j] by fused(lanes(3, tree) then seq)"},
    {3, "sum j < 8: v[i, j] by kahan", "sum j < 8: v[i, j] by halving"},
    {3, "sum j < 8: v[i, j] by rounded_once", "(sum j < 3: v[i, j]) + (sum j < 5: v[i, j + 3] by tree)"},
    {3, "sum j < 7: x * v[i, j]", "x * (sum j < 7: v[i, j] by tree)"},
    {3, "sum j < 7: v[i, j] + v[i, j + 1]", "(sum j < 7: v[i, j] by tree) + (sum j < 7: v[i, j + 1])"},
    {3, "prod j < 7: v[i, j] by seq", "prod j < 7: v[i, j] by tree"},
    {3, "prod j < 7: exp(v[i, j])", "exp(sum j < 7: v[i, j])"},
    {3, "max j < 8: v[i, j] by seq", "max j < 8: v[i, 7 - j] by tree"},
    {3, "min j < 8: v[i, j] by tree", "0 + min(min j < 3: v[i, j], min j < 5: v[i, j + 3])"},
};

constexpr const char* formats[] = {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2"};
constexpr const char* rings[] = {"fpsan", "fpsan(now, homomorphic)", "fpsan(v38)", "fpsan(article)"};

std::string in_format(std::string body, const std::string& format) {
  for (std::size_t at; (at = body.find('@')) != std::string::npos;) body.replace(at, 1, format);
  return body;
}

/// x, y, z and five more, at so many points: x takes every pattern of up to 16 bits, x and y every pair of up to 8
/// bits; otherwise one in four is remarkable.
ir::HostTensor points(Random& random, ir::Scalar scalar, int operands, std::int64_t count, bool exhaustive = true) {
  const ir::Format format = ir::format_of(scalar);
  const int width = numerics::traits(format).width;
  const bool all = exhaustive && ((operands == 1 && width <= 16) || (operands == 2 && width <= 8));
  if (all) count = std::int64_t{1} << (width * operands);
  ir::HostTensor out = random_patterns(random, scalar, {count, 8});
  const std::uint64_t sign = numerics::sign_bit(format);
  const auto traits = numerics::traits(format);
  const std::uint64_t infinity = ((std::uint64_t{1} << (traits.width - traits.precision)) - 1)
                                 << (traits.precision - 1);
  const std::uint64_t remarkable[] = {0, 1, infinity, infinity - 1, infinity + 1, numerics::round_f64(1, format)};
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t k = 0; k < 8; ++k) {
      if (random.below(4) == 0) out.set_bits(8 * i + k, remarkable[random.below(6)] ^ (random.below(2) ? sign : 0));
    }
    if (!all) continue;
    const auto word = static_cast<std::uint64_t>(i);
    out.set_bits(8 * i, word & ((std::uint64_t{1} << width) - 1));
    if (operands == 2) out.set_bits(8 * i + 1, word >> width);
  }
  return out;
}

ir::Scalar scalar_of(Program& program, const std::string& circuit) {
  return program.module().types()[program.circuit(circuit).parameters[0].type].scalar;
}

}  // namespace

TEST_CASE("FPSan's guaranteed laws hold in every format and generation") {
  const auto count = test::trials<std::int64_t>(500);
  for (const std::string format : formats) {
    std::string text;
    const auto circuit = [&](const std::string& name, const std::string& body) {
      text += fmt::format(
          "fn {}(v: {}[t, 8]) -> {}[t] = for i < t: {{ let x = v[i, 0]; let y = v[i, 1]; let z = v[i, 2]; {} }}\n",
          name, format, format, in_format(body, format));
    };
    for (std::size_t k = 0; k < std::size(laws); ++k) {
      if (laws[k].f32_only && format != "f32") continue;
      circuit("left" + std::to_string(k), laws[k].left);
      circuit("right" + std::to_string(k), laws[k].right);
    }
    Program program(text);
    const ir::Scalar scalar = scalar_of(program, "left0");
    Random random(test::stream(7));
    for (const char* name : rings) {
      const auto ring = make_ring(name);
      for (std::size_t k = 0; k < std::size(laws); ++k) {
        if (laws[k].f32_only && format != "f32") continue;
        const std::vector<interp::Argument> inputs{points(random, scalar, laws[k].operands, count, name == rings[0])};
        const Comparison found = compare(*ring, program.evaluate("left" + std::to_string(k), *ring, inputs),
                                         program.evaluate("right" + std::to_string(k), *ring, inputs));
        INFO(format << " in " << name << ": " << laws[k].left << " = " << laws[k].right);
        CHECK(found.equal == found.total());
      }
    }
  }
}

TEST_CASE("what FPSan does not guarantee, these inputs can tell") {
  for (const std::string format : formats) {
    constexpr std::pair<const char*, const char*> no_laws[] = {
        {"x + x", "2 * x"}, {"x / x", "@(1)"}, {"sqrt(x) * sqrt(x)", "x"}, {"max(x, y) + z", "max(x + z, y + z)"}};
    for (const auto& [left, right] : no_laws) {
      const auto circuit = [&](const char* name, const char* body) {
        return fmt::format(
            "fn {}(v: {}[t, 8]) -> {}[t] = for i < t: {{ let x = v[i, 0]; let y = v[i, 1]; let z = v[i, 2]; {} }}\n",
            name, format, format, in_format(body, format));
      };
      Program program(circuit("left", left) + circuit("right", right));
      Random random(9);
      const std::vector<interp::Argument> inputs{points(random, scalar_of(program, "left"), 3, 500)};
      const auto ring = make_ring("fpsan");
      INFO(format << ": " << left << " = " << right);
      CHECK(
          compare(*ring, program.evaluate("left", *ring, inputs), program.evaluate("right", *ring, inputs)).different >
          50);
    }
  }
}

TEST_CASE("FPSan's casts: widening and narrowing again is the identity") {
  constexpr std::pair<const char*, const char*> wider[] = {
      {"f8e4m3", "f8e5m2"}, {"f8e5m2", "f8e4m3"}, {"f8e4m3", "f16"}, {"f8e5m2", "f16"},
      {"f8e4m3", "bf16"},   {"f8e5m2", "bf16"},   {"f8e4m3", "f32"}, {"f8e5m2", "f32"},
      {"f8e4m3", "f64"},    {"f16", "bf16"},      {"bf16", "f16"},   {"f16", "f32"},
      {"bf16", "f32"},      {"f16", "f64"},       {"bf16", "f64"},   {"f32", "f64"}};
  for (const auto& [narrow, wide] : wider) {
    Program program(
        fmt::format("fn left(v: {0}[t, 8]) -> {0}[t] = for i < t: {0}({1}(v[i, 0]))\n"
                    "fn right(v: {0}[t, 8]) -> {0}[t] = for i < t: v[i, 0]\n",
                    narrow, wide));
    Random random(11);
    const std::vector<interp::Argument> inputs{points(random, scalar_of(program, "left"), 1, 2000)};
    for (const char* name : rings) {
      const auto ring = make_ring(name);
      INFO(narrow << " through " << wide << " in " << name);
      const Comparison found =
          compare(*ring, program.evaluate("left", *ring, inputs), program.evaluate("right", *ring, inputs));
      CHECK(found.equal == found.total());
    }
  }
}

TEST_CASE("FPSan: circuits over -1, 0, 1, + - *, exp, sin and cos that are equal over the reals are equal") {
  // The theorem under Schanuel's conjecture, by random walks of the laws of such circuits.
  const auto count = test::trials<std::int64_t>(300);
  std::int64_t different = 0;
  std::string shown;
  for (std::int64_t first = 0; first < count; first += 20) {
    const std::string format = formats[static_cast<std::size_t>(first / 20) % 6];
    std::string text;
    std::vector<std::string> pairs;
    for (std::int64_t k = 0; k < 20; ++k) {
      Generator generator(test::stream(13) * 1000003 + static_cast<std::uint64_t>(first + k),
                          Generator::Language::free_ring);
      std::vector<std::string> used;
      const Tree before = generator.make();
      const Tree after = generator.walk(before, 1 + static_cast<int>(generator.random().below(8)), false, used);
      for (const auto& [name, tree] : {std::pair("left", before), std::pair("right", after)}) {
        std::string body = source(tree, generator.random());
        for (std::size_t at = 0; (at = body.find("f32(", at)) != std::string::npos; at += format.size())
          body.replace(at, 3, format);
        text +=
            fmt::format("fn {0}{1}(x: {2}[t, 6], w: {2}[t, 6]) -> {2}[t] = for i < t: {3}\n", name, k, format, body);
      }
      pairs.push_back(algebra::text(before) + "\n  = " + algebra::text(after) + "\n");
    }
    Program program(text);
    const ir::Scalar scalar = scalar_of(program, "left0");
    const auto ring = make_ring("fpsan");
    Random random(static_cast<std::uint64_t>(first));
    for (std::size_t k = 0; k < 20; ++k) {
      const std::vector<interp::Argument> inputs{random_patterns(random, scalar, {20, 6}),
                                                 random_patterns(random, scalar, {20, 6})};
      const Comparison found = compare(*ring, program.evaluate("left" + std::to_string(k), *ring, inputs),
                                       program.evaluate("right" + std::to_string(k), *ring, inputs));
      if (found.different == 0) continue;
      ++different;
      shown += format + ": " + pairs[k];
    }
  }
  INFO(shown);
  CHECK(different == 0);
}

TEST_CASE("FPSan is deterministic, whatever the batch") {
  Program program(
      "fn f(v: f32[t, 8]) -> f32[t] = for i < t: (sum j < 8: exp(v[i, j]) / sin(v[i, 0]) by tree) + sqrt(v[i, 1])\n");
  Random random(15);
  const std::vector<interp::Argument> inputs{random_patterns(random, ir::Scalar::f32, {700, 8})};
  const auto ring = make_ring("fpsan");
  const auto first = program.evaluate("f", *ring, inputs);
  for (std::size_t batch : {1u, 7u, 64u, 4096u}) {
    auto again = interp::evaluate(program.module(), program.circuit("f"), *ring, inputs, {}, {batch});
    REQUIRE(again);
    CHECK(compare(*ring, first, again->front()).equal == 700);
  }
}
