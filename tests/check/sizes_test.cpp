// Which sizes a check tries.
#include "check/sizes.h"

#include <algorithm>

#include "tests/prove/pair.h"

using namespace reckon;

namespace {

struct Sizes {
  normal::Pair pair;
  frontend::ElaboratedItem item;

  explicit Sizes(const std::string& program) : pair(program) {
    item.left = pair.f;
    item.right = pair.g;
  }
  std::vector<std::int64_t> constants() { return check::constants_in_sight(pair.session.module(), item); }
  /// Of circuits with one dimension.
  std::vector<std::int64_t> values() {
    std::vector<std::int64_t> out;
    for (const auto& sizes : check::choose_sizes(pair.session.module(), item)) out.push_back(sizes.begin()->second);
    return out;
  }
};
using Numbers = std::vector<std::int64_t>;

const std::string plain = "fn f(x: f64[n]) -> f64 = sum i: x[i]\n";

}  // namespace

TEST_CASE("usual sizes are small numbers, primes and the neighbours of powers of two, smallest first") {
  Sizes usual(plain + "fn g(x: f64[n]) -> f64 = sum i: x[i] by tree\n");
  CHECK(usual.constants().empty());
  CHECK(usual.values() == Numbers{1,  2,  3,  4,  5,   7,   8,   11,  13,  16,  17,  31,   32,   33,
                                  63, 64, 65, 97, 100, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025});
}

TEST_CASE("both sides of every constant in sight are tried, and its double") {
  const auto has_all = [](const std::string& program, const Numbers& wanted) {
    const Numbers values = Sizes(program).values();
    CAPTURE(values);
    return std::ranges::all_of(wanted, [&](std::int64_t size) { return std::ranges::binary_search(values, size); });
  };
  CHECK(has_all(plain + "fn g(x: f64[n]) -> f64 = sum i: x[i] by tile(24, seq) then tree\n", {23, 24, 25, 48}));
  CHECK(has_all(plain + "fn g(x: f64[n]) -> f64 = sum i: x[i] by lanes(40, tree) then tree\n", {39, 40, 41, 80}));
  CHECK(has_all(plain + "fn g(x: f64[n]) -> f64 = sum i < min(n, 777): x[i]\n", {776, 777, 778, 1554}));
  CHECK(has_all(plain + "fn g(x: f64[n]) -> f64 = sum i: select(i < 2000, x[i], 0)\n", {1999, 2000, 2001, 4000}));
  CHECK(has_all(plain + "fn g(x: f64[n]) -> f64 = sum i: select(f64(i) < 501.5, x[i], 0)\n", {500, 501, 502}));
  CHECK(has_all(plain + "fn g(x: f64[n]) -> f64 = sum i: select(i % 96 == 95, x[i], x[i])\n", {95, 96, 97, 192}));
  CHECK(has_all(plain + "let s = length m: if m <= 300 { seq } else { tree }\n"
                 "fn g(x: f64[n]) -> f64 = sum i: x[i] by s\n", {299, 300, 301, 600}));
  // Of 6 and 10 also the common multiple.
  const std::string subscripts = plain + "fn g(x: f64[n]) -> f64 = sum i < n: x[i // 6 * 6 + i % 6] by lanes(10, seq) then seq\n";
  CHECK(Sizes(subscripts).constants() == Numbers{6, 10});
  CHECK(has_all(subscripts, {5, 6, 12, 9, 10, 20, 30}));
}

TEST_CASE("several dimensions are tried together, mixed, and one at a time, within a bounded number of index values") {
  Sizes both("fn f(x: f64[n, m]) -> f64 = sum i < n: sum j < m: x[i, j] by tile(48, tree) then seq\n"
             "fn g(x: f64[n, m]) -> f64 = sum j < m: sum i < n: x[i, j]\n");
  const auto sizes = check::choose_sizes(both.pair.session.module(), both.item);
  const auto has = [&](std::int64_t n, std::int64_t m) {
    return std::ranges::any_of(sizes, [&](const auto& each) {
      return each.begin()->second == n && std::next(each.begin())->second == m;
    });
  };
  const auto has_alone = [&](std::int64_t size) { return (has(size, 2) || has(size, 3)) && (has(2, size) || has(3, size)); };
  CHECK((has(48, 48) && has_alone(48) && has_alone(96) && has_alone(1025) && has(1, 1) && has(100, 100)));
  CHECK(std::ranges::is_sorted(sizes, {}, check::index_values));
  CHECK(check::index_values(sizes.back()) <= 16384);
}

TEST_CASE("the sizes of a check are said as ranges") {
  Sizes one(plain + "fn g(x: f64[n]) -> f64 = sum i: x[i] by tree\n");
  ir::Module& module = one.pair.session.module();
  const ir::SymbolId n = module.symbol("n"), m = module.symbol("m");
  CHECK(check::sizes_text(module, {}).empty());
  CHECK(check::sizes_text(module, {{{n, 4}}}) == "n: 4");
  CHECK(check::sizes_text(module, {{{n, 1}}, {{n, 2}}, {{n, 3}}, {{n, 7}}, {{n, 8}}}) == "n: 1..3, 7, 8");
  CHECK(check::sizes_text(module, {{{n, 1}, {m, 2}}, {{n, 3}, {m, 4}}}) == "(n, m): (1, 2), (3, 4)");
  CHECK(check::size_text(module, {{n, 1}, {m, 2}}) == "n = 1, m = 2");
}
