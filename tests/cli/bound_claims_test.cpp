// Claims about error bounds for all numbers of leaves. What is proved is evaluated here at sizes and unit roundoffs, by
// heights that follow from the schedules' definitions.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

std::string verdict_of(const std::string& claim) {
  const RunResult found = reckon_here({"run", "-"}, claim + "\n");
  INFO(claim << "\n" << found.out << found.err);
  return found.out.substr(0, found.out.find(' ')) +
         (found.out.find("(proved; for all") != std::string::npos ? " for all" : "");
}

long halved(long n) { return n <= 1 ? 0 : 1 + halved((n + 1) / 2); }

/// An order and the height of its tree.
struct Order {
  std::string text;
  std::function<long(long)> height;
};
Order seq() {
  return {"seq", [](long n) { return n - 1; }};
}
Order tree() { return {"tree", halved}; }
Order tile(long k, const Order& inner, const Order& outer) {
  return {"tile(" + std::to_string(k) + ", " + inner.text + ") then " + outer.text, [=](long n) {
            const long runs = (n + k - 1) / k;
            return n <= k ? inner.height(n) : inner.height(k) + outer.height(runs);
          }};
}
Order lanes(long k, const Order& inner, const Order& outer) {
  return {"lanes(" + std::to_string(k) + ", " + inner.text + ") then " + outer.text,
          [=](long n) { return inner.height((n + k - 1) / k) + outer.height(std::min(n, k)); }};
}

}  // namespace

TEST_CASE("claims about bounds are proved for all sizes, or refuted with a size") {
  for (const char* claim :
       {"check bound(seq, n) <= (n - 1) * u for all n", "check bound(tree, n) <= (n - 1) * u for all n",
        "check bound(tile(k, seq) then tree, n) <= (n - 1) * u for all n, k",
        "check bound(tree, n) <= bound(seq, n) for all n", "check bound(seq, n, u) >= (n - 1) * u for all n",
        "check bound(tree, n, u) <= bound(seq, n, u) for all n",
        "check bound(seq, n, u) <= (n - 1) * u / (1 - (n - 1) * u) for all n, (n - 1) * u < 1",
        "check bound(tile(128, seq) then tree, n, u) <= bound(tile(256, seq) then tree, n, u) for all n",
        "check bound_dot(fused(tree), n) <= n * u for all n", "check bound(any, n) == (n - 1) * u for n > 0",
        "check bound(rounded_once, n) == u for all n", "check bound_dot(fused(any), n) == n * u for all n",
        "check depth(tile(128, seq) then tree, n) <= 127 + depth(tree, n) for all n",
        "check depth(lanes(32, seq) then tree, n) <= n / 32 + 6 for all n",
        "check depth(blelloch, n) <= 2 * depth(tree, n) for all n"}) {
    INFO(claim);
    CHECK(verdict_of(claim) == "holds for all");
  }
  // (1 + u)^2 - 1 = 2 u + u^2: more than 2 u.
  CHECK(verdict_of("check bound(seq, n, u) <= (n - 1) * u for all n") == "fails");
  CHECK(verdict_of("check bound(seq, n, u) <= (n - 1) * u / (1 - (n - 3) * u / 2) for all n, (n - 3) * u / 2 < 1") ==
        "fails");
  CHECK(verdict_of("check bound(seq, n) <= (n - 1) * u - u / 1000000 for all n") == "fails");
  CHECK(verdict_of("check bound(tree, n) <= 19 * u for all n") == "fails");  // n = 2^20
  CHECK(verdict_of("check bound(tree, n, u) == bound(halving, n, u) for all n") == "holds for all");
  CHECK(verdict_of("check bound(tree, n) == bound(seq, n) for all n") == "fails");
  CHECK(verdict_of("check depth(seq, n) <= depth(tree, n) for all n") == "fails");
  // A condition that divides by a number below zero turns around.
  CHECK(verdict_of("check depth(seq, n) <= 5 for all n, n / (0 - 2) > 0 - 7/2") == "undecided");
  CHECK(verdict_of("check depth(seq, n) <= 5 for all n, n / (0 - 2) < 0 - 7/2") == "fails");
  // Sizes whose trees are too large to be built are left out of those that are tried.
  CHECK(verdict_of("check bound(tree, n * 20000000) <= 3 * u for all n") == "undecided");
  // True at every size that is tried; more than 2^21 leaves refute it.
  CHECK(verdict_of("check depth(tree, n) <= 21 for all n") == "undecided");
  // The fraction is 0 or less up to 2^20 leaves, and below 1: 2^21 leaves refute the first claim, and no number the
  // second.
  const std::string runs = "check depth(tile(16, seq) then tree, n) <= ",
                    fraction = " + depth(tree, n) - (n - 1048576) / (n + 1048576) for all n, n + 1048576 > 0";
  CHECK(verdict_of(runs + "11" + fraction) == "undecided");
  CHECK(verdict_of(runs + "12" + fraction) == "holds for all");
  // 25.6 u and 21 u for 2^21 leaves: the left side is below (n - 1) u, and not below the growth of the tree.
  const std::string tree_bound = " * (n - 1) * u / (n + 3145728) <= bound(tree, n) for all n, n + 3145728 > 0";
  CHECK(verdict_of("check 64" + tree_bound) == "undecided");
  CHECK(verdict_of("check 1" + tree_bound) == "holds for all");
}

TEST_CASE("what is no claim about bounds is refused at its place") {
  const auto refused = [](const std::string& claim) {
    const RunResult found = reckon_here({"run", "-"}, claim + "\n");
    CHECK(found.status == 3);
    return found.err;
  };
  CHECK_THAT(refused("check bound(kahan, n) <= 3 * u for all n"), Catch::Contains("`kahan` has no bound of this form"));
  CHECK_THAT(refused("check bound(tree, n, f32) <= n for all n"),
             Catch::Contains("`u` stands for the unit roundoff of any format"));
  CHECK_THAT(refused("check bound(tree, n) <= n // 2 for all n"), Catch::Contains("has no `//`"));
  CHECK_THAT(refused("check bound(tree, n) <= u / (1 - n * u) for all n"),
             Catch::Contains("divides by what is known to be positive"));
  CHECK_THAT(refused("check bound(seq, depth(tree, n)) <= n * u for all n"),
             Catch::Contains("a number of leaves is made of sizes and numbers alone"));
  CHECK_THAT(refused("check bound(tree, 200000000) <= n * u for all n"), Catch::Contains("at most 2^24 leaves"));
  // What is not asked about would else be ignored.
  CHECK_THAT(refused("check bound(tree, n) <= n * u for all n, x: 0..1"),
             Catch::Contains("has names that it mentions, and conditions"));
  CHECK_THAT(refused("check bound(tree, n) <= n * u for all n, n: {1, 2}"),
             Catch::Contains("has names that it mentions, and conditions"));
  CHECK_THAT(refused("fn f(x: f32[n]) -> f32 = sum i: x[i]\ncheck f == f in algebra for all n"),
             Catch::Contains("`for all` is for claims about numbers"));
}

TEST_CASE("random claims that are proved hold at the sizes that are tried") {
  std::vector<Order> orders{seq(), tree()};
  for (const long k : {2, 3, 5, 8, 12}) {
    for (const Order& inner : {seq(), tree()}) {
      for (const Order& outer : {seq(), tree()})
        orders.push_back(tile(k, inner, outer)), orders.push_back(lanes(k, inner, outer));
    }
  }
  std::uint64_t state = 7;
  const auto below = [&](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  struct Claim {
    Order left, right;
    long by_size, more;  ///< of u times a size, and of u
    bool growth;
  };
  std::vector<Claim> claims;
  std::string program;
  for (int k = 0; k < 50; ++k) {
    Claim made{orders[below(orders.size())], orders[below(orders.size())], static_cast<long>(below(3)) - 1,
               static_cast<long>(below(7)) - 3, below(2) == 0};
    const char* last = made.growth ? ", u" : "";
    program += "check bound(" + made.left.text + ", n" + last + ") <= bound(" + made.right.text + ", n" + last +
               ") + " + std::to_string(made.by_size) + " * n * u + " + std::to_string(made.more) + " * u for all n\n";
    claims.push_back(std::move(made));
  }
  const RunResult found = reckon_here({"run", "-", "--format=json"}, program);
  INFO(found.err);
  std::istringstream lines(found.out);
  std::size_t at = 0, proved = 0, failed = 0;
  for (std::string line; std::getline(lines, line); ++at) {
    const auto verdict = nlohmann::json::parse(line)["verdict"].get<std::string>();
    REQUIRE(at < claims.size());
    const Claim& claim = claims[at];
    bool counterexample = false;
    for (long n = 1; n <= 700; ++n) {
      for (const double u : {0x1p-2, 0x1p-4, 0x1p-8, 0x1p-11, 0x1p-24}) {
        const auto bound = [&](const Order& order) {
          const double growth = std::expm1(static_cast<double>(order.height(n)) * std::log1p(u));
          return claim.growth ? growth : std::min(growth, static_cast<double>(n - 1) * u);
        };
        const double left = bound(claim.left),
                     right = bound(claim.right) + static_cast<double>(claim.by_size * n + claim.more) * u;
        if (left > right + 1e-9 * (std::fabs(left) + std::fabs(right))) counterexample = true;
      }
    }
    INFO(line);
    proved += verdict == "holds";
    failed += verdict == "fails";
    if (verdict == "holds") CHECK(!counterexample);
  }
  CHECK(at == claims.size());
  CHECK(proved > 8);
  CHECK(failed > 12);
}

TEST_CASE("bounds of sums in formats that saturate are above their errors") {
  for (const char* format : {"f8e4m3", "f8e5m2", "f6e2m3", "f6e3m2", "f4e2m1"}) {
    for (const char* order : {"seq", "tree"}) {
      const std::string text =
          std::string("fn f(x: ") + format + "[12]) -> " + format + " = sum i: x[i] by " + order + "\n";
      std::string program = text + "fn size(x: " + format + "[12]) -> " + format + " = sum i: abs(x[i]) by " + order +
                            "\nshow bound(" + order + ", 12, " + format + ")\n";
      for (int seed = 0; seed < 20; ++seed) {
        const std::string x = std::string("(random(") + format + "[12], " + std::to_string(seed) + "))\n";
        program += "show f" + x.substr(0, x.size() - 1) + "\nshow f" + x.substr(0, x.size() - 1) +
                   " in exact\nshow size" + x.substr(0, x.size() - 1) + " in exact\n";
      }
      const RunResult found = reckon_here({"run", "-"}, program);
      INFO(program << found.out << found.err);
      REQUIRE(found.status == 0);
      std::istringstream lines(found.out);
      const auto number = [&] {
        std::string line;
        std::getline(lines, line);
        const std::size_t slash = line.find('/');
        return slash == std::string::npos ? std::stod(line) : std::stod(line) / std::stod(line.substr(slash + 1));
      };
      const double factor = number();
      double most = 0;
      for (int seed = 0; seed < 20; ++seed) {
        const double sum = number(), exact = number(), size = number();
        CHECK(std::fabs(sum - exact) <= factor * size);
        most = std::max(most, std::fabs(sum - exact));
      }
      CHECK(most > 0);
    }
  }
  // 12 numbers up to 64 may exceed 448.
  const RunResult refused =
      reckon_here({"run", "-"}, "show bound(seq, 12, f8e4m3, 0..16)\nshow bound(seq, 12, f8e4m3, 0..64)\n");
  CHECK(refused.status == 3);
  CHECK_THAT(refused.err, Catch::Contains("can overflow"));
}
