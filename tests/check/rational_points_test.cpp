// Rational inputs at conditions: every border that is written below is met exactly, alone and all at once.
#include "check/rational_points.h"

#include <algorithm>
#include <functional>

#include "check/totality.h"
#include "tests/prove/pair.h"

using namespace reckon;

namespace {

using Point = check::RationalPoint;

struct Points {
  normal::Pair pair;
  check::RationalPoints all;

  Points(const std::string& f, const std::string& g, const std::vector<frontend::RangeClause>& ranges = {}, std::int64_t n = 3)
      : pair("fn f" + f + "\nfn g" + g + "\n") {
    ir::Dimensions sizes;
    for (ir::SymbolId symbol : pair.f->dimensions) sizes[symbol] = n;
    all = check::rational_points(pair.session.module(), *pair.f, *pair.g, sizes, ranges, 256);
  }
  bool any(const std::function<bool(const Point&)>& holds) const {
    return std::ranges::any_of(all.points, holds);
  }
};

mpq_class x(const Point& p) { return p[0][0]; }
mpq_class y(const Point& p) { return p[1][0]; }
mpq_class z(const Point& p) { return p[2][0]; }

}  // namespace

TEST_CASE("borders of products, powers, quotients and functions are met by rationals") {
  const std::string two = "(x: f32, y: f32) -> f32 = ", three = "(x: f32, y: f32, z: f32) -> f32 = ";
  const auto meets = [&](const std::string& signature, const char* condition, const std::function<bool(const Point&)>& border) {
    INFO(condition);
    CHECK(Points(signature + "select(" + condition + ", x, y)", signature + "y").any(border));
  };
  meets(two, "x < 1 / 3", [](const Point& p) { return x(p) == mpq_class(1, 3); });
  meets(two, "x == 0.1", [](const Point& p) { return x(p) == mpq_class(1, 10); });
  meets(two, "x * 0.1 < y * 0.7", [](const Point& p) { return x(p) == 7 * y(p) && y(p) != 0; });
  meets(two, "x * x + y * y < 25", [](const Point& p) { return x(p) * x(p) + y(p) * y(p) == 25; });
  meets(two, "x * x * x < y", [](const Point& p) { return x(p) * x(p) * x(p) == y(p) && abs(x(p)) > 1; });
  meets(two, "exp(x) < y", [](const Point& p) { return x(p) == 0 && y(p) == 1; });
  meets(two, "sqrt(x) < y", [](const Point& p) { return x(p) == y(p) * y(p) && y(p) > 1; });
  meets(three, "x * y < z", [](const Point& p) { return x(p) * y(p) == z(p) && x(p) != y(p) && z(p) != 0; });
  meets(three, "x / y < z / x", [](const Point& p) { return y(p) != 0 && x(p) != 0 && x(p) * x(p) == z(p) * y(p); });
  meets(three, "(x == 2) and (y == 3) and (z == 5)", [](const Point& p) { return x(p) == 2 && y(p) == 3 && z(p) == 5; });
  meets(three, "(x == y) and (y == z)", [](const Point& p) { return x(p) == y(p) && y(p) == z(p); });
  meets(three, "(x > 50) and (y > x + 50) and (z > y + x)",
        [](const Point& p) { return x(p) > 50 && y(p) > x(p) + 50 && z(p) > y(p) + x(p); });
}

TEST_CASE("edges of domains and ends of ranges are met by rationals") {
  const std::string one = "(x: f32) -> f32 = ";
  CHECK(Points(one + "x / (3 * x - 1)", one + "x").any([](const Point& p) { return x(p) == mpq_class(1, 3); }));
  CHECK(Points(one + "sqrt(x - 1.5)", one + "x").any([](const Point& p) { return x(p) < mpq_class(3, 2); }));
  CHECK(Points(one + "asin(x / 5)", one + "x").any([](const Point& p) { return x(p) > 5; }));
  CHECK(Points(one + "log1p(x)", one + "x").any([](const Point& p) { return x(p) == -1; }));
  const Points ranged(one + "x", one + "abs(x)", {{0, mpq_class(-1, 1000), 1}});
  CHECK(ranged.any([](const Point& p) { return x(p) == mpq_class(-1, 1000); }));
  for (const Point& point : ranged.all.points) CHECK((mpq_class(-1, 1000) <= x(point) && x(point) <= 1));
  const Points positive(one + "log(x)", one + "x", {{0, 0, 1, 1}});
  for (const Point& point : positive.all.points) CHECK(x(point) > 0);
}

TEST_CASE("elements of tensors are moved alone and together") {
  const std::string sum = "(x: f32[n]) -> f32 = ";
  const Points points(sum + "select((sum i: x[i]) < 10, 1, x[0])", sum + "x[0]");
  CHECK(points.any([](const Point& p) { return p[0][0] + p[0][1] + p[0][2] == 10 && p[0][0] != p[0][1]; }));
  CHECK(points.any([](const Point& p) { return p[0][0] == p[0][1] && p[0][1] == p[0][2] && p[0][0] == mpq_class(10, 3); }));
  // Of many elements, 0, 1 and -1 everywhere.
  CHECK(Points(sum + "sum i: abs(x[i])", sum + "x[0]", {}, 100).all.points.size() == 3);
}

namespace {

bool is_total(const std::string& circuit, const std::vector<frontend::RangeClause>& ranges = {}) {
  normal::Pair pair("fn f(x: f32[n], y: f32) -> f32 = " + circuit + "\nfn g(x: f32[n], y: f32) -> f32 = y\n");
  frontend::ElaboratedItem item;
  item.left = *pair.f;
  item.right = *pair.g;
  item.ranges = ranges;
  return check::are_total(pair.session.module(), item);
}

}  // namespace

TEST_CASE("what has a value everywhere by its form is seen, and nothing else is said to") {
  for (const char* circuit : {"y / (sum i: exp(x[i]))", "log(1 + exp(y))", "sqrt(sum i: x[i] * x[i])", "1 / sqrt((sum i: x[i] * x[i]) + 1e-5)",
                              "log(max(abs(y), 1))", "asin(sin(y))", "1 / cosh(y)", "rsqrt(hypot(y, y) + 1)",
                              "log1p(abs(y))", "y / 3", "pow(exp(y), y)", "1 / (fma(y, y, 2))"}) {
    INFO(circuit);
    CHECK(is_total(circuit));
  }
  for (const char* circuit : {"1 / y", "log(y * y)", "sqrt(y)", "1 / (exp(y) - 1)", "asin(2 * sin(y))", "tan(y)", "sqrt(y * y * y)",
                              "1 / (sum i: x[i] * x[i])", "acosh(cosh(y))", "1 / min(exp(y), y)", "pow(y, 2)", "1 / abs(y)", "y + inf - inf"}) {
    INFO(circuit);
    CHECK_FALSE(is_total(circuit));
  }
  CHECK(is_total("1 / y", {{1, 1, 2}}));
  CHECK(is_total("log(y)", {{1, 0, 1, 1}}));
  CHECK_FALSE(is_total("log(y)", {{1, 0, 1}}));
  CHECK(is_total("sqrt(y)", {{1, 0, 1}}));
  CHECK_FALSE(is_total("log(y)", {{0, 1, 2}}));
}
