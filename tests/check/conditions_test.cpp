// Points at and around the conditions of two circuits: every border that is written below is met, and both of its
// sides.
#include "check/conditions.h"

#include <functional>

#include "numerics/format.h"
#include "tests/prove/pair.h"

using namespace reckon;

namespace {

struct Points {
  normal::Pair pair;
  std::vector<std::vector<ir::HostTensor>> all;

  Points(const std::string& f, const std::string& g, std::int64_t n = 3,
         const std::vector<frontend::RangeClause>& ranges = {})
      : pair("fn f" + f + "\nfn g" + g + "\n") {
    ir::Dimensions sizes;
    for (ir::SymbolId symbol : pair.f->dimensions) sizes[symbol] = n;
    all = check::condition_points(pair.session.module(), *pair.f, *pair.g, sizes, ranges, 0, {});
  }

  static mpq_class at(const std::vector<ir::HostTensor>& point, std::size_t parameter, std::int64_t element = 0) {
    const ir::HostTensor& tensor = point[parameter];
    if (tensor.scalar == ir::Scalar::u32) return mpq_class(static_cast<unsigned long>(tensor.bits(element)));
    return *numerics::exact_value(tensor.bits(element), ir::format_of(tensor.scalar));
  }
  using Number = std::function<mpq_class(const std::vector<ir::HostTensor>&)>;
  /// Whether `number` is 0 at some point, above 0 at another, below at a third.
  void meets(const Number& number) const {
    bool zero = false, above = false, below = false;
    for (const auto& point : all) {
      const mpq_class value = number(point);
      (value == 0 ? zero : value > 0 ? above : below) = true;
    }
    CHECK(zero);
    CHECK(above);
    CHECK(below);
  }
};

}  // namespace

TEST_CASE("an input meets a constant that it is compared with") {
  for (const char* condition :
       {"x <= 3", "x < 3", "x == 3", "x != 3", "3 > x", "2 * x < 6", "x - 1 >= 2", "sqrt(x) < sqrt(f32(3))"}) {
    INFO(condition);
    const Points points(std::string("(x: f32) -> f32 = select(") + condition + ", x, 1)", "(x: f32) -> f32 = x");
    points.meets([](const auto& p) { return mpq_class(Points::at(p, 0) - 3); });
  }
  for (const char* body :
       {"min(x, 100)", "max(100, x)", "clamp(x, -5, 100)", "abs(x - 100)", "sign(100 - x)", "copysign(2, x - 100)"}) {
    INFO(body);
    const Points points("(x: f32) -> f32 = x", std::string("(x: f32) -> f32 = ") + body);
    points.meets([](const auto& p) { return mpq_class(Points::at(p, 0) - 100); });
  }
}

TEST_CASE("two thresholds that are close have a point in between") {
  const Points points("(x: f32) -> f32 = clamp(x, 0, 6)", "(x: f32) -> f32 = clamp(x, 0, 6.0001)");
  CHECK(std::ranges::any_of(points.all, [](const auto& p) {
    return Points::at(p, 0) > 6 && Points::at(p, 0) <= mpq_class(60002, 10000);
  }));
}

TEST_CASE("one operand takes the value of the other") {
  const std::string head = "(x: f32, y: f32) -> f32 = ";
  const Points points(head + "select(y <= x, y, x + y)", head + "y");
  points.meets([](const auto& p) { return mpq_class(Points::at(p, 0) - Points::at(p, 1)); });
  const std::string vector = "(v: f32[n], y: f32) -> f32 = ";
  const Points elements(vector + "sum i: select(v[i] != y, 1, v[i])", vector + "y");
  for (std::int64_t i : {0, 2}) {
    elements.meets([&](const auto& p) { return mpq_class(Points::at(p, 0, i) - Points::at(p, 1)); });
  }
}

TEST_CASE("an element meets its index, and a tie for a maximum") {
  const std::string head = "(v: f32[n]) -> f32 = ";
  const Points points(head + "prod i: select(v[i] <= f32(i), f32(i), 7)", head + "v[0]");
  for (std::int64_t i : {0, 2}) points.meets([&](const auto& p) { return mpq_class(Points::at(p, 0, i) - i); });
  const Points ties(head + "max i: v[i]", head + "v[0]", 2);
  ties.meets([](const auto& p) { return mpq_class(Points::at(p, 0, 0) - Points::at(p, 0, 1)); });
}

TEST_CASE("a reduction by a function of the program compares two leaves") {
  const Points points(
      "(v: f32[n]) -> f32 { let (value, place) = reduce(larger) i < n: (v[i], f32(i)); place }\n"
      "fn larger(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {"
      " let (a0, a1) = a; let (b0, b1) = b; (select(a0 < b0, b0, a0), select(a0 < b0, b1, a1)) }",
      "(v: f32[n]) -> f32 = v[0]", 2);
  points.meets([](const auto& p) { return mpq_class(Points::at(p, 0, 0) - Points::at(p, 0, 1)); });
}

TEST_CASE("two borders are met at once, nested conditions among them") {
  const std::string head = "(x: f32, y: f32) -> f32 = ";
  const Points points(head + "select(x == 3, select(y == 5, x, y), 3)", head + "select(x == 3, y, 3)");
  CHECK(std::ranges::any_of(points.all, [](const auto& p) { return Points::at(p, 0) == 3 && Points::at(p, 1) == 5; }));
}

TEST_CASE("steps are met where they are") {
  for (const char* step : {"floor(x)", "ceil(x)", "trunc(x)", "x % 1"}) {
    INFO(step);
    const Points points(std::string("(x: f32) -> f32 = ") + step, "(x: f32) -> f32 = 0");
    CHECK(std::ranges::any_of(points.all, [](const auto& p) { return Points::at(p, 0).get_den() == 1; }));
  }
  const Points halves("(x: f32) -> f32 = round(x)", "(x: f32) -> f32 = 0");
  CHECK(std::ranges::any_of(halves.all, [](const auto& p) { return Points::at(p, 0).get_den() == 2; }));
}

TEST_CASE("points stay in the ranges, are the same for one seed, and are few") {
  const std::string head = "(x: f32) -> f32 = ";
  const Points points(head + "select(x < 3, x, select(x < 300, 2 * x, 1))", head + "x", 1, {{0, 2, 5, 0, {}}});
  CHECK_FALSE(points.all.empty());
  CHECK(points.all.size() <= 400);
  for (const auto& point : points.all) CHECK((Points::at(point, 0) >= 2 && Points::at(point, 0) <= 5));
  const Points again(head + "select(x < 3, x, select(x < 300, 2 * x, 1))", head + "x", 1, {{0, 2, 5, 0, {}}});
  REQUIRE(again.all.size() == points.all.size());
  for (std::size_t k = 0; k < again.all.size(); ++k) CHECK(again.all[k][0].bytes == points.all[k][0].bytes);
}

TEST_CASE("circuits without conditions on inputs have no points") {
  CHECK(Points("(x: f32) -> f32 = x + 1", "(x: f32) -> f32 = exp(x)").all.empty());
  CHECK(Points("(x: f32[n]) -> f32 = sum i: select(i < 2, x[i], 0)", "(x: f32[n]) -> f32 = x[0]").all.empty());
}
