// float(h200) gives what an H200 gave: tests/data/ptx/h200_approximate.bin has the results of its instructions on 2048
// random operands of all magnitudes each (tests/gpu/approximate_tables.py), which were no part of the tables.
#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <sstream>

#include "api/reckon/reckon.h"
#include "tests/support/files.h"

using namespace reckon;

namespace {

constexpr const char* approximate_program =
    "import \"quick\"\n"
    "fn exp2s(x: f32[n], y: f32[n]) -> f32[n] = for i: approx.exp2(x[i])\n"
    "fn flushed(x: f32[n], y: f32[n]) -> f32[n] = for i: gpu_exp2(x[i])\n"
    "fn inverses(x: f32[n], y: f32[n]) -> f32[n] = for i: approx.rcp(x[i])\n"
    "fn inverse_roots(x: f32[n], y: f32[n]) -> f32[n] = for i: approx.rsqrt(x[i])\n"
    "fn roots(x: f32[n], y: f32[n]) -> f32[n] = for i: approx.sqrt(x[i])\n"
    "fn quotients(x: f32[n], y: f32[n]) -> f32[n] = for i: approx.div(x[i], y[i])\n"
    "fn logarithms(x: f32[n], y: f32[n]) -> f32[n] = for i: approx.log2(x[i])\n";

const std::map<std::string, std::string> circuit_of{
    {"ex2.approx.f32", "exp2s"},           {"ex2.approx.ftz.f32", "flushed"}, {"rcp.approx.f32", "inverses"},
    {"rsqrt.approx.f32", "inverse_roots"}, {"sqrt.approx.f32", "roots"},      {"div.approx.f32", "quotients"}};

Result<std::vector<Shown>> called(Session& session, const std::string& circuit, const std::vector<Tensor>& x) {
  CallOptions options;
  options.on = On::interpreter;
  options.semantics = "float(h200)";
  return session.call(circuit, x, options);
}

}  // namespace

TEST_CASE("float(h200) has an H200's bits, and gpu_exp2 those of the instruction that flushes") {
  Session session;
  REQUIRE(session.load(approximate_program));
  std::istringstream in(test::read_file(test::data_folder() / "ptx" / "h200_approximate.bin"));
  std::size_t compared = 0;
  for (std::string line; std::getline(in, line);) {
    std::string instruction;
    std::size_t count = 0;
    std::istringstream(line) >> instruction >> count;
    std::vector<float> x(count), y(count), given(count);
    for (auto* all : {&x, &y, &given})
      in.read(reinterpret_cast<char*>(all->data()), static_cast<std::streamsize>(4 * count));
    const auto circuit = circuit_of.find(instruction);
    if (circuit == circuit_of.end()) continue;
    INFO(instruction);
    const auto found = called(session, circuit->second, {Tensor::of<float>(x), Tensor::of<float>(y)});
    REQUIRE(found);
    const auto made = found->at(0).tensor->as<float>();
    int differ = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const bool both_nan = std::isnan(made[k]) && std::isnan(given[k]);
      differ += !both_nan && std::bit_cast<std::uint32_t>(made[k]) != std::bit_cast<std::uint32_t>(given[k]) ? 1 : 0;
    }
    CHECK(differ == 0);
    compared += count;
  }
  CHECK(compared == 6 * 2048);
}

TEST_CASE("float(h200) refuses what has no table") {
  Session session;
  REQUIRE(session.load(approximate_program));
  const std::vector<float> one{1};
  const auto refused = called(session, "logarithms", {Tensor::of<float>(one), Tensor::of<float>(one)});
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.messages().front().text,
             Catch::Matchers::Contains(
                 "`float(h200)` has no table of what an NVIDIA H200 gives for `approx.log2` of f32"));
}
