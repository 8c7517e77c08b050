// `in accept(P)` where P lets compilers rewrite: no result of any compilation lies outside. The compilations are carried
// out by C++'s own floats (random_circuit.h).
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>

#include "tests/cli/reckon_run.h"
#include "tests/compilations/random_circuit.h"

using namespace reckon::test;

namespace {

double end_of(const Json& of, const char* field) {
  const std::string text = of.at(field).get<std::string>();
  return std::strtod(text.c_str(), nullptr);
}

/// The alternatives of an answer; the whole line for one that may be anything.
std::vector<std::pair<double, double>> alternatives(const Json& answer) {
  if (answer.contains("unbounded")) return {{-HUGE_VAL, HUGE_VAL}};
  std::vector<std::pair<double, double>> out;
  if (!answer.contains("alternatives")) return {{end_of(answer, "lo"), end_of(answer, "hi")}};
  for (const Json& each : answer.at("alternatives")) out.emplace_back(end_of(each, "lo"), end_of(each, "hi"));
  return out;
}
bool holds(const std::vector<std::pair<double, double>>& parts, float value) {
  return std::ranges::any_of(parts, [&](const auto& part) { return part.first <= value && value <= part.second; });
}
bool allows(const Json& answer, float value) {
  if (answer.contains("unbounded")) return true;
  return std::isnan(value) ? answer.contains("nan") : holds(alternatives(answer), value);
}
/// So many floats lie in the alternatives, with one zero.
double count(const std::vector<std::pair<double, double>>& parts) {
  double out = 0;
  const auto place = [](double x) {
    const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(x));
    return static_cast<double>(bits < 0 ? -(bits & 0x7fffffff) : bits);
  };
  for (const auto& [low, high] : parts) out += place(high) - place(low) + 1;
  return out;
}

struct Case {
  SmallCircuit circuit;
  std::vector<float> x;
};

std::string exactly(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "f32#%08x", std::bit_cast<std::uint32_t>(value));
  return text;
}

std::vector<Json> answers(const std::vector<Case>& cases, const std::string& profile) {
  std::string program = "import \"profiles/compilers\"\n";
  for (std::size_t k = 0; k < cases.size(); ++k) program += cases[k].circuit.text("f" + std::to_string(k));
  for (std::size_t k = 0; k < cases.size(); ++k) {
    program += "show f" + std::to_string(k) + "(";
    for (std::size_t i = 0; i < cases[k].x.size(); ++i) program += (i > 0 ? ", " : "") + exactly(cases[k].x[i]);
    program += ") in accept(" + profile + ")\n";
  }
  const RunResult done = run_text(program, {"--format=json"});
  INFO(done.err);
  REQUIRE(done.status == 0);
  std::vector<Json> out = json_lines(done.out);
  REQUIRE(out.size() == cases.size());
  return out;
}

std::vector<Case> cases(std::uint64_t seed, int number, int least, int most) {
  std::mt19937_64 random(seed);
  std::vector<Case> out;
  for (int k = 0; k < number; ++k) {
    SmallCircuit circuit(random, least + static_cast<int>(random() % static_cast<std::uint64_t>(most - least + 1)));
    out.push_back({std::move(circuit), small_inputs(random)});
  }
  return out;
}

}  // namespace

TEST_CASE("accept encloses the results of every choice of additions that are contracted") {
  const std::vector<Case> all = cases(21, 300, 2, 7);
  const std::vector<Json> found = answers(all, "compilers");
  int several = 0, tight = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto results = all[k].circuit.contracted(all[k].x);
    if (!results) continue;
    const auto parts = alternatives(found[k]);
    INFO(all[k].circuit.text("f") << found[k].dump());
    for (const float each : *results) REQUIRE(allows(found[k], each));
    several += results->size() > 1 ? 1 : 0;
    // -0 and 0 are one number here.
    tight += count(parts) <= static_cast<double>(results->size()) ? 1 : 0;
  }
  CHECK(several > 50);
  // In most circuits nothing but the results is allowed.
  CHECK(tight > 200);
}

TEST_CASE("accept encloses chains that are computed in any order, short and long") {
  std::vector<Case> all = cases(22, 120, 2, 5);
  for (Case& each : cases(23, 40, 9, 14)) all.push_back(std::move(each));
  const std::vector<Json> found = answers(all, "compilers_fast");
  std::mt19937_64 random(5);
  for (std::size_t k = 0; k < all.size(); ++k) {
    INFO(all[k].circuit.text("f") << found[k].dump());
    for (int sample = 0; sample < 1500; ++sample)
      REQUIRE(allows(found[k], all[k].circuit.reassociated(all[k].x, random)));
  }
}

TEST_CASE("sums by a schedule are chains, too, and so are sums in any order") {
  const std::string program = R"(
import "profiles/compilers"
fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by seq
fn any_dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by any
fn nested(x: f32[n], y: f32[n]) -> f32 = (sum i: x[i] + y[i] by tree) - x[0]
let x = random(f32[SIZE], 1)
let y = random(f32[SIZE], 2)
show x
show y
show dot(x, y) in accept(compilers)
show any_dot(x, y) in accept(compilers)
show dot(x, y) in accept(compilers_fast)
show nested(x, y) in accept(compilers_fast)
)";
  std::mt19937_64 random(9);
  for (const int size : {3, 5, 8, 40}) {
    std::string sized = program;
    for (auto at = sized.find("SIZE"); at != std::string::npos; at = sized.find("SIZE")) sized.replace(at, 4, std::to_string(size));
    const std::vector<Json> found = json_lines(run_text(sized, {"--format=json"}).out);
    REQUIRE(found.size() == 6);
    const auto floats = [](const Json& shown) {
      std::vector<float> out;
      for (const Json& each : shown.at("values")) out.push_back(std::strtof(each.at("hex").get<std::string>().c_str(), nullptr));
      return out;
    };
    const std::vector<float> x = floats(found[0]), y = floats(found[1]);
    const auto in_order = alternatives(found[2]), by_any = alternatives(found[3]), fast = alternatives(found[4]),
               nested = alternatives(found[5]);
    INFO(size << " " << found[2].dump() << found[3].dump() << found[4].dump() << found[5].dump());
    for (int sample = 0; sample < 3000; ++sample) {
      // Each addition of a product, in order: as it is, or fused with either product where there are two.
      float sum = x[0] * y[0];
      for (int i = 1; i < size; ++i) {
        const auto way = random() % 3;
        sum = way == 0            ? sum + x[i] * y[i]
              : way == 1 || i > 1 ? std::fma(x[i], y[i], sum)
                                  : std::fma(x[0], y[0], x[i] * y[i]);
      }
      REQUIRE(holds(in_order, sum));
      struct Part {
        float value;
        int product;
      };
      std::vector<Part> parts;
      for (int i = 0; i < size; ++i) parts.push_back({x[i] * y[i], i});
      std::vector<float> terms;
      for (int i = 0; i < size; ++i) terms.insert(terms.end(), {x[i], y[i]});
      terms.push_back(-x[0]);
      const auto take = [&](auto& list) {
        std::swap(list[random() % list.size()], list.back());
        const auto out = list.back();
        list.pop_back();
        return out;
      };
      while (parts.size() > 1) {
        const Part a = take(parts), b = take(parts);
        const bool fuses = a.product >= 0 && random() % 2 == 0;
        parts.push_back({fuses ? std::fma(x[a.product], y[a.product], b.value) : a.value + b.value, -1});
      }
      REQUIRE(holds(by_any, parts[0].value));
      REQUIRE(holds(fast, parts[0].value));
      while (terms.size() > 1) {
        const float a = take(terms), b = take(terms);
        terms.push_back(a + b);
      }
      REQUIRE(holds(nested, terms[0]));
    }
  }
}

TEST_CASE("what only looks like a product is none") {
  const std::string program = R"(
import "profiles/compilers"
fn least(x: f32, y: f32) -> f32 = min(x * y, 10) - x * y
fn chosen(x: f32, y: f32) -> f32 = select(x < y, x * y, x) - f32(0.03)
fn wide(x: f32, y: f32) -> f64 = f64(x * y) - f64(f32(0.03))
fn root(x: f32, y: f32) -> f32 = sqrt(x * x - y * y)
show least(0.1, 0.3) in accept(compilers)
show wide(0.1, 0.3) in accept(compilers)
show root(f32#3f800001, f32#3f800001) in accept(compilers)
)";
  const std::vector<Json> found = json_lines(run_text(program, {"--format=json"}).out);
  REQUIRE(found.size() == 3);
  const float x = 0.1f, y = 0.3f, one = std::bit_cast<float>(0x3f800001);
  // The minimum is a number of the format; the other product is contracted.
  CHECK(holds(alternatives(found[0]), 0));
  CHECK(holds(alternatives(found[0]), std::fma(-x, y, x * y)));
  CHECK(count(alternatives(found[0])) == 2);
  CHECK(alternatives(found[1]).size() == 1);
  // One square is rounded and the other is not: their difference may be negative.
  CHECK(found[2].at("nan").get<bool>());
  CHECK(std::isnan(std::sqrt(std::fma(one, one, -(one * one)))) != std::isnan(std::sqrt(std::fma(-one, one, one * one))));
}
