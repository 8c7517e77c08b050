// `show tune(f, e)`: formats with which the error stays below a bound, and circuits in other formats.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <random>

#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/worst/random_circuits.h"
#include "worst/search.h"
#include "worst/witness.h"

using namespace reckon;
using namespace reckon::worst;

namespace {

std::vector<nlohmann::json> shown_all(const std::string& text) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "program.rk", text);
  const auto found = test::run_program({"run", (folder / "program.rk").string(), "--format=json"});
  INFO(found.out << found.err);
  REQUIRE(found.status == 0);
  std::vector<nlohmann::json> out;
  for (std::size_t at = 0; at < found.out.size();) {
    const std::size_t end = found.out.find('\n', at);
    out.push_back(nlohmann::json::parse(found.out.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}
double amount(const nlohmann::json& json) { return std::stod(json.get<std::string>()); }

}  // namespace

TEST_CASE("circuits in other formats have the same reals, and bounds above their errors") {
  const Format formats[] = {Format::f16, Format::bf16, Format::f32, Format::f64};
  int bounded = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto made = random_circuits::make(random, Format::f32, 1 + seed % 2, 3 + seed % 7, seed % 3 == 0, seed % 4 == 0);
    std::vector<Format> chosen;
    for (const Node& node : made.circuit.nodes()) {
      // What a rounding leaves out has the format of its sum.
      const bool free = node.kind == Kind::operation;
      chosen.push_back(node.kind == Kind::residual ? chosen[node.first] : free ? formats[random() % 4] : node.format);
    }
    std::vector<NodeNumber> outputs{made.output};
    std::vector<std::uint32_t> conditions;
    Circuit other = made.circuit.retyped(chosen, outputs, conditions);
    other.reduce(outputs);
    REQUIRE(other[outputs.front()].format == made.circuit[made.output].format);
    BoxBounds bounds(other, outputs.front(), {}, made.box, true);
    const Extreme error = extreme(bounds, made.box, Goal::error, {.operations = 2e5});
    if (error.obstacle) continue;
    ++bounded;
    Sampler ours(made.circuit, made.output, {}), theirs(other, outputs.front(), {});
    std::uint64_t state = seed;
    for (int k = 0; k < 100; ++k) {
      const Point point = ours.draw(made.box, state);
      const Sample before = ours.at(point), after = theirs.at(point);
      INFO("seed " << seed << ", point " << k);
      REQUIRE(after.valid);
      if (before.valid) REQUIRE(before.real == after.real);
      REQUIRE(after.error <= error.bound);
    }
  }
  CHECK(bounded > 100);
}

TEST_CASE("show tune(f, e) finds formats with which the circuit, written in them, keeps the bound") {
  const auto found = shown_all(
      "fn f(x: f64, y: f64) -> f64 = x * x / 1000 + y * y\n"
      "show tune(f, 1e-6) for x: 1..2, y: 1..2\n"
      "fn in_formats(x: f64, y: f64) -> f64 {\n"
      "  let a = f16(x) * f16(x) / f16(1000);\n"
      "  f64(f32(a) + f32(y) * f32(y))\n"
      "}\n"
      "show bound(in_formats) for x: 1..2, y: 1..2\n"
      "show tune(f, 1e-5) for x: 1..2, y: 1..2\n");
  REQUIRE(found.size() == 3);
  // A quotient below 2^-7 errs by 2^-19 in f16, which is above 1e-6 and below 1e-5.
  CHECK(amount(found[0]["bound"]) <= 1e-6);
  for (const auto& each : found[0]["formats"]) CHECK(each["format"] == "f32");
  CHECK(found[2]["keeps"] == true);
  std::map<std::string, std::string> formats;
  for (const auto& each : found[2]["formats"]) formats[each["text"]] = each["format"];
  CHECK(formats["x * x"] == "f16");
  CHECK(formats["x * x / 1000"] == "f16");
  CHECK(formats["y * y"] == "f32");
  CHECK(formats["x * x / 1000 + y * y"] == "f32");
  // The bounds of the same roundings; searches end within 0.1 %.
  CHECK(amount(found[2]["bound"]) <= amount(found[1]["bound"]) * 1.01);
  CHECK(amount(found[1]["bound"]) <= amount(found[2]["bound"]) * 1.01);
  CHECK(amount(found[2]["found"]) <= amount(found[2]["bound"]));
}

TEST_CASE("show tune(f, e) says where no formats keep the bound, and what is wrong with a question") {
  const auto found = shown_all(
      "fn f(x: f64) -> f64 = x * x\nshow tune(f, 1e-30) for x: 1..2\n"
      "fn g(x: f64) -> f64 = 1 / x\nshow tune(g, 1) for x: -1..1\n"
      "fn h(x: f32[n]) -> f32 = sum i: x[i]\nshow tune(h, 1e-2) for x: 0..1, n: {20}\n"
      "fn large(x: f32) -> f32 = x * x\nshow tune(large, 3e4) for x: 1000..2000\n");
  CHECK(found[0]["keeps"] == false);
  CHECK(amount(found[0]["bound"]) >= 0x1p-52 * 0.999);  // half a unit of the binade below 4
  CHECK(found[1]["unbounded"] == true);
  CHECK(found[2]["keeps"] == true);
  REQUIRE(found[2]["formats"].size() == 1);
  CHECK(found[2]["formats"][0]["operations"] == 19);
  // So many inputs have no affine forms.
  const auto many = shown_all(
      "fn h(x: f64[n]) -> f64 = sum i: x[i] * x[i]\nshow tune(h, 1e-2) for x: 0..1, n: {80}\nshow tune(h, 1e-9) for x: "
      "0..1, n: {80}\n");
  CHECK(many[0]["keeps"] == true);
  CHECK(many[0]["formats"][0]["format"] == "f32");
  CHECK(many[1]["formats"][0]["format"] == "f64");
  // Products up to 4e6 overflow in f16. In bf16 they err by 2^13, and by 2 * 2000 * 4 for their rounded factors.
  REQUIRE(found[3]["formats"].size() == 1);
  CHECK(found[3]["formats"][0]["format"] == "bf16");
  const auto refused = [](const std::string& text) {
    const test::TemporaryFolder folder;
    test::write_file(folder / "program.rk", "fn f(x: f64) -> f64 = x * x\n" + text);
    const auto run = test::run_program({"run", (folder / "program.rk").string()});
    CHECK(run.status == 3);
    return run.err;
  };
  CHECK(refused("show tune(f, 1e-6)\n").find("`tune` needs the ranges") != std::string::npos);
  CHECK(refused("show tune(f) for x: 1..2\n").find("a number above 0") != std::string::npos);
  CHECK(refused("show tune(f, -1) for x: 1..2\n").find("a number above 0") != std::string::npos);
  CHECK(refused("show tune(f, 1e-6) for x: 1..2, x > 3\n").find("no input in these ranges") != std::string::npos);
}

TEST_CASE("show tune(f, g, e) takes the circuit whose bound is the least") {
  const std::string program =
      "import \"schedules\"\n"
      "fn f[S](x: f32[n]) -> f32 = sum i: x[i] by S\n"
      "fn a(x: f64, y: f64) -> f64 = x * x - y * y\nfn b(x: f64, y: f64) -> f64 = (x - y) * (x + y)\n"
      "fn pole(x: f64, y: f64) -> f64 = 1 / (x - 1.5) + y\nfn one(x: f64) -> f64 = x\n";
  const auto found =
      shown_all(program +
                "show tune(f[seq], f[tree], f[lanes(32, seq) then tree], 1e-3) for x: -1..1, n: {1000}\n"
                "for S in {seq, tree, lanes(32, seq) then tree}: show bound(f[S]) for x: -1..1, n: {1000}\n"
                "show tune(f[tree], 1e-3) for x: -1..1, n: {1000}\n"
                "show tune(a, b, 1e-6) for x: 1..2, y: 1..2\nshow tune(b, b, 1e-6) for x: 1..2, y: 1..2\n"
                "show tune(pole, a, 1e-3) for x: 1..2, y: 1..2\nshow tune(pole, pole, 1e-3) for x: 1..2, y: 1..2\n");
  CHECK(found[0]["circuit"] == "f[tree]");
  REQUIRE(found[0]["circuits"].size() == 3);
  for (std::size_t k = 0; k < 3; ++k) CHECK(found[0]["circuits"][k]["bound"] == found[1 + k]["bound"]);
  CHECK(amount(found[2]["bound"]) < amount(found[3]["bound"]));
  CHECK(amount(found[3]["bound"]) < amount(found[1]["bound"]));
  CHECK(found[0]["bound"] == found[4]["bound"]);  // and the formats are those of this circuit
  CHECK(found[0]["formats"] == found[4]["formats"]);
  CHECK_FALSE(found[4].contains("circuit"));
  CHECK(found[5]["circuit"] == "b");
  CHECK(found[5]["as_written"] == found[5]["circuits"][1]["bound"]);
  CHECK(found[6]["circuits"][0] == found[6]["circuits"][1]);
  CHECK(found[7]["circuit"] == "a");
  CHECK(found[7]["circuits"][0]["bound"] == "infinity");
  CHECK(found[8]["unbounded"] == true);
  const auto refused = [&](const std::string& text) {
    const test::TemporaryFolder folder;
    test::write_file(folder / "program.rk", program + text);
    const auto run = test::run_program({"run", (folder / "program.rk").string()});
    CHECK(run.status == 3);
    return run.err;
  };
  CHECK(refused("show tune(a, b) for x: 1..2, y: 1..2\n").find("or several, and the error") != std::string::npos);
  CHECK(refused("show tune(a, one, 1) for x: 1..2, y: 1..2\n").find("the same parameters as the first") !=
        std::string::npos);
  CHECK(refused("show tune(a, 3, 1) for x: 1..2, y: 1..2\n").find("`tune` over ranges asks about a circuit") !=
        std::string::npos);
}
