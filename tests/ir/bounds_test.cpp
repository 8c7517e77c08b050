// bind_dimensions and check_bounds.
#include <catch2/catch.hpp>
#include <chrono>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/dimension_unbound.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "ir/bind.h"
#include "ir/parser.h"

using namespace reckon;
using namespace reckon::ir;

namespace {

struct Fixture {
  Module m;
  Function function;

  explicit Fixture(const std::string& text) {
    const auto parsed = parse_ir(m, text, 0);
    if (!parsed) FAIL(parsed.error().message);
    function = parsed->front();
  }
  std::vector<Diagnostic> check(std::map<std::string, std::int64_t> sizes) {
    Dimensions dimensions;
    for (auto [name, size] : sizes) dimensions[m.symbol(name)] = size;
    return check_bounds(m, instantiate(m, function, dimensions));
  }
  std::string message(std::map<std::string, std::int64_t> sizes) {
    const auto problems = check(std::move(sizes));
    return problems.empty() ? "" : code_text(problems[0].code) + " " + problems[0].message;
  }
};

std::string reduce(const std::string& extent, const std::string& schedule, const std::string& body = "x[%0]",
                   const std::string& otherwise = "") {
  return "fn f[n](x: f32[n]) -> f32 {\n  %v0: f32 = reduce add %0 < " + extent + " by " + schedule + " { yield " +
         body + " }" + otherwise + "\n  yield %v0\n}\n";
}

}  // namespace

TEST_CASE("dimensions are bound from shapes, and everything else is checked") {
  Fixture f(
      "fn f[n, m](x: f32[n, m], y: f32[n + 1], s: f32) -> f32 {\n"
      "  require n == 2*m else E0302 \"twice as many rows\"\n  yield s\n}\n");
  auto bind = [&](std::vector<std::vector<std::int64_t>> shapes, Dimensions given = {}) {
    return bind_dimensions(f.m, f.function, shapes, std::move(given));
  };
  const SymbolId n = f.m.symbol("n"), m = f.m.symbol("m");
  const auto bound = bind({{4, 2}, {5}, {}});
  REQUIRE(bound);
  CHECK(*bound == Dimensions{{n, 4}, {m, 2}});
  CHECK(bind({{4, 2}, {5}}).error().code == code::argument_count);
  CHECK(bind({{4, 2}, {6}, {}}).error().message == "dimension 1 of `y` should be `n + 1` = 5 and is 6");
  CHECK(bind({{4, 2, 1}, {5}, {}}).error().code == code::bad_argument);
  CHECK(bind({{4, 2}, {5}, {}}, {{n, 5}}).error().message == "dimension 1 of `x` should be `n` = 5 and is 4");
  CHECK(bind({{4, 2}, {5}, {}}, {{n, -1}}).error().code == code::dimension_value);
  const auto requirement = bind({{4, 3}, {5}, {}});
  REQUIRE_FALSE(requirement);
  CHECK(requirement.error().code == code::shape_mismatch);
  CHECK(requirement.error().message == "twice as many rows");
  CHECK(requirement.error().notes.back() == "here `n` is 4 and `2*m` is 6");

  Fixture solved("fn g[n, m](x: f32[2*n - m + 1], y: f32[m + 3]) -> f32 { yield x[n] }\n");
  const auto solve = [&](std::int64_t x, std::int64_t y) {
    return bind_dimensions(solved.m, solved.function, {{x}, {y}});
  };
  REQUIRE(solve(8, 4));
  CHECK(*solve(8, 4) == Dimensions{{solved.m.symbol("n"), 4}, {solved.m.symbol("m"), 1}});
  CHECK(solve(7, 4).error().message == "dimension 1 of `x` should be `2*n - m + 1` and is 7, which no `n` gives");
  CHECK(solve(7, 2).error().message == "dimension 1 of `y` should be `m + 3` and is 2, which no `m` gives");

  Fixture unbound("fn g[n](x: f32[n*n]) -> f32 { yield x[n] }\n");
  CHECK(bind_dimensions(unbound.m, unbound.function, {{4}}).error().code == code::dimension_unbound);
  CHECK(bind_dimensions(unbound.m, unbound.function, {{4}}, {{unbound.m.symbol("n"), 2}}));
}

TEST_CASE("subscripts that leave their range are found, at the first index that does") {
  Fixture shifted(reduce("n - 1", "seq", "x[%0 + 1]"));
  CHECK(shifted.message({{"n", 5}}).empty());
  Fixture past(reduce("n", "seq", "x[%0 + 1]"));
  CHECK(past.message({{"n", 5}}) == "E0308 index 5 is out of range: dimension 1 has 5 elements (at index 4)");
  Fixture below(reduce("n", "seq", "x[%0 - 2]"));
  CHECK(below.message({{"n", 5}}) == "E0308 index -2 is out of range: dimension 1 has 5 elements (at index 0)");
  // Ranges alone do not decide these; visiting the values does.
  Fixture clamped(reduce("n", "seq", "x[%0 * (n - 1 - %0) // n]"));
  CHECK(clamped.message({{"n", 6}}).empty());
  Fixture reversed(reduce("n", "seq", "x[n - 1 - %0]"));
  CHECK(reversed.message({{"n", 6}}).empty());
  Fixture modulo(reduce("2*n", "seq", "x[%0 % n]"));
  CHECK(modulo.message({{"n", 6}}).empty());
  Fixture triangle(
      "fn f[n](x: f32[n]) -> f32[n] {\n  %v0: f32[n] = map %1 < n {\n    %v1: f32 = reduce add %0 < %1 + 1 by seq { "
      "yield "
      "x[%1 - %0] }\n    yield %v1\n  }\n  yield %v0\n}\n");
  CHECK(triangle.message({{"n", 6}}).empty());
  Fixture nothing_runs(reduce("n - 1", "seq", "x[%0 + 99]", " else f32(0)"));
  CHECK(nothing_runs.message({{"n", 1}}).empty());
  // What no loop changes may be computed outside of them, whether they run or not.
  Fixture hoisted(reduce("n - 1", "seq", "x[99]", " else f32(0)"));
  CHECK(hoisted.message({{"n", 1}}).substr(0, 5) == "E0308");
  // The extent mentions a variable that the subscript does not.
  Fixture ragged(
      "fn f[n](x: f32[n]) -> f32[n] {\n  %v0: f32[n] = map %1 < n {\n    %v1: f32[%1*%1 - %1 + 1] = scan add %0 < "
      "%1*%1 - %1 + 1 by seq { yield x[0] }\n    yield %v1[0]\n  }\n  yield %v0\n}\n");
  CHECK(ragged.message({{"n", 4}}).empty());
}

TEST_CASE("reductions over nothing, negative extents and schedules without a tree") {
  Fixture plain(reduce("n", "seq"));
  CHECK(plain.message({{"n", 1}}).empty());
  CHECK(plain.message({{"n", 0}}) == "E0309 this reduction has no elements");
  Fixture with_else(reduce("n", "seq", "x[%0]", " else f32(0)"));
  CHECK(with_else.message({{"n", 0}}).empty());
  Fixture negative(reduce("n - 3", "seq", "x[%0]", " else f32(0)"));
  CHECK(negative.message({{"n", 1}}) == "E0313 an extent is -2, which is negative");
  Fixture inside(
      "fn f[n](x: f32[n]) -> f32[n] {\n  %v0: f32[n] = map %1 < n {\n    %v1: f32 = reduce add %0 < %1 by seq { yield "
      "x[%0] "
      "}\n    yield %v1\n  }\n  yield %v0\n}\n");
  CHECK(inside.message({{"n", 3}}) == "E0309 this reduction has no elements (at index 0)");
  Fixture quoted(reduce("n", "'((0 1) 2)"));
  CHECK(quoted.message({{"n", 3}}).empty());
  CHECK(quoted.message({{"n", 4}}) == "E0402 the quoted tree has 3 leaves, and 4 are to be reduced");
  Fixture tiles(reduce("n", "tile(n - 3, seq) then seq"));
  CHECK(tiles.message({{"n", 4}}).empty());
  CHECK(tiles.message({{"n", 3}}).substr(0, 5) == "E0403");
  Fixture any(reduce("n", "any"));
  CHECK(any.message({{"n", 3}}).substr(0, 5) == "E0507");
  Fixture deep(reduce("n", "tile(3, '((0 1) 2)) then seq"));
  CHECK(deep.message({{"n", 9}}).empty());
  CHECK(deep.message({{"n", 10}}).substr(0, 5) == "E0402");
  Fixture lengths(reduce("n", "length %0: if %0 < 5 { seq } else { any_tree }"));
  CHECK(lengths.message({{"n", 4}}).empty());
  CHECK(lengths.message({{"n", 5}}).substr(0, 5) == "E0507");
  Fixture scan(
      "fn f[n](x: f32[n]) -> f32[n] {\n  %v0: f32[n] = scan add %0 < n by '(0 1) { yield x[%0] }\n  yield %v0\n}\n");
  CHECK(scan.message({{"n", 2}}).substr(0, 5) == "E0402");  // its first prefix has one element
}

TEST_CASE("layer upon layer is checked once each") {
  // Softmax after softmax: each layer uses the one before it in three places.
  std::string text = "fn f[n](x: f32[n]) -> f32[n] {\n";
  std::string last = "x";
  int next = 0;
  for (int layer = 0; layer < 60; ++layer) {
    auto line = [&](const std::string& value) {
      text += "  %v" + std::to_string(next) + ": " + value + "\n";
      return "%v" + std::to_string(next++);
    };
    const std::string largest = line("f32 = reduce max %0 < n by seq { yield " + last + "[%0] }");
    const std::string id = std::to_string(next + 1000);
    const std::string exps = line("f32[n] = map %0 < n {\n    %v" + id + ": f32 = sub " + last + "[%0], " + largest +
                                  "\n    yield %v" + id + "\n  }");
    const std::string sum = line("f32 = reduce add %0 < n by seq { yield " + exps + "[%0] }");
    const std::string id2 = std::to_string(next + 1000);
    last = line("f32[n] = map %0 < n {\n    %v" + id2 + ": f32 = div " + exps + "[%0], " + sum + "\n    yield %v" +
                id2 + "\n  }");
  }
  Fixture f(text + "  yield " + last + "\n}\n");
  const auto start = std::chrono::steady_clock::now();
  CHECK(f.message({{"n", 8}}).empty());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}
