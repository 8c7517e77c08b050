// `reckon export` and back: an FPCore that is read again has the bits of the circuit that it was written from.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <random>

#include "numerics/format.h"
#include "reckon/reckon.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace reckon;

namespace {

std::string messages(const std::vector<Message>& all) {
  std::string out;
  for (const Message& each : all) out += each.text + "\n";
  return out;
}

/// Numbers of all magnitudes, zeros of both signs, equal ones, and integers.
double draw(std::mt19937_64& random, bool is_single) {
  const double unit = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
  switch (random() % 12) {
    case 0: return 0.0;
    case 1: return -0.0;
    case 2: return std::ldexp(unit, is_single ? -135 : -1030);
    case 3: return std::nearbyint(8 * unit);
    case 4: return 1;
    case 5: return std::ldexp(unit, static_cast<int>(random() % 40) - 20);
    default: return unit * 2;
  }
}

Tensor tensor_of(const Parameter& parameter, std::int64_t n, std::mt19937_64& random) {
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;
  for (std::size_t k = 0; k < parameter.rank; ++k) shape.push_back(n), count *= n;
  const auto format = *numerics::format_named(parameter.type);
  Tensor out{parameter.type, shape, {}};
  for (std::int64_t k = 0; k < count; ++k) {
    const std::uint64_t bits = numerics::round_f64(draw(random, parameter.type != "f64"), format);
    for (int byte = 0; byte < numerics::word_width(format) / 8; ++byte)
      out.bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * byte)));
  }
  return out;
}

void compare(const std::string& text, const std::string& name, std::int64_t n = 0) {
  INFO(name);
  Session written;
  const auto loaded = written.load(text, "a.rk");
  INFO((loaded ? std::string() : messages(loaded.messages())));
  REQUIRE(loaded);
  CallOptions options;
  if (n > 0) options.values["n"] = n;
  CompileOptions as_core;
  as_core.emit = Emit::fpcore;
  as_core.values = options.values;
  const auto core = written.compile(name, as_core);
  INFO((core ? *core : messages(core.messages())));
  REQUIRE(core);
  Session read;
  const auto again = read.load(*core, "a.fpcore");
  INFO((again ? std::string() : messages(again.messages())));
  REQUIRE(again);
  REQUIRE(again->size() == 1);
  const auto parameters = written.parameters(name);
  REQUIRE(parameters);
  std::mt19937_64 random(7);
  for (int k = 0; k < 100; ++k) {
    std::vector<Tensor> arguments;
    for (const Parameter& parameter : *parameters) arguments.push_back(tensor_of(parameter, n, random));
    const auto ours = written.call(name, arguments, options), theirs = read.call(again->front(), arguments);
    REQUIRE(ours);
    INFO((theirs ? std::string() : messages(theirs.messages())));
    REQUIRE(theirs);
    REQUIRE(ours->front().tensor->bytes == theirs->front().tensor->bytes);
  }
}

}  // namespace

TEST_CASE("an exported circuit that is read again has the same bits") {
  const std::string text =
      "fn plain(x: f64, y: f64) -> f64 = (x + y) * x / 3 - fma(x, y, 1/10) + (0.1 + 0.2)\n"
      "fn functions(x: f64, y: f64) -> f64 = sin(x) * exp(-y * y) + atan2(x, y) + hypot(x, y) + rem(x, 2) + cbrt(y) * pi / 4\n"
      "fn named(x: f32) -> f32 = x * pi + 3 * pi * e + ln2\n"
      "fn steps(x: f32) -> f32 = floor(4 * x) + ceil(x) / 2 + trunc(x * 8) / 4 + round(x * 16) + copysign(1, x) + sign(x)\n"
      "fn chosen(x: f64, y: f64) -> f64 = select(x < y and not (x == 0) or y >= 1, min(x, y), clamp(y, -1, abs(x)))\n"
      "fn mixed(x: f32, y: f64) -> f32 = f32(f64(x) * y) + f32(f16(x)) * f32(bf16(y))\n"
      "fn narrow(x: f16, y: bf16) -> bf16 = bf16(x * x) + y\n"
      "fn in_order(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by seq\n"
      "fn by_tree(x: f32[n]) -> f32 = sum i: x[i] by tree\n"
      "fn fused_dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by fused(seq)\n"
      "fn compensated(x: f32[n]) -> f32 = sum i: x[i] by neumaier(seq)\n"
      "fn kept(x: f32[n]) -> f32 = sum i: x[i] by kahan\n"
      "fn softmax(x: f32[n]) -> f32[n] {\n  let m = max i: x[i];\n  let s = sum i: exp(x[i] - m);\n"
      "  for i: exp(x[i] - m) / s\n}\n"
      "fn product(a: f32[n, n], b: f32[n, n]) -> f32[n, n] = for i, j: sum k: a[i, k] * b[k, j] by seq\n";
  for (const std::string name : {"plain", "functions", "named", "steps", "chosen", "mixed", "narrow"}) compare(text, name);
  for (const std::string name :
       {"in_order", "by_tree", "fused_dot", "compensated", "kept", "softmax", "product"})
    compare(text, name, 5);
}

TEST_CASE("reckon export writes a circuit to a file, and says what FPCore does not have") {
  const test::TemporaryFolder folder;
  const auto program = (folder / "a.rk").string(), core = (folder / "a.fpcore").string();
  test::write_file(folder / "a.rk",
                   "fn f(x: f64) -> f64 = x * x\nfn g(x: f32) -> f32 = rsqrt(x)\nfn h(x: f32[n]) -> f32 = sum i: x[i]\n");
  const auto found = test::run_program({"export", program, "--fn", "f", "-o", core});
  CHECK(found.status == 0);
  CHECK(test::read_file(core) == "(FPCore f (x)\n  :precision binary64\n  (* x x))\n");
  CHECK(test::run_program({"export", program, "--fn", "f"}).out == test::read_file(core));
  const auto missing = test::run_program({"export", program, "--fn", "g"});
  CHECK(missing.status == 3);
  CHECK(missing.err.find("`rsqrt` is not written as FPCore") != std::string::npos);
  CHECK(test::run_program({"export", program, "--fn", "h"}).status != 0);
  CHECK(test::run_program({"export", program, "--fn", "h", "-D", "n=2"}).out ==
        "(FPCore h ((x 2))\n  :precision binary32\n  (+ (ref x 0) (ref x 1)))\n");
}
