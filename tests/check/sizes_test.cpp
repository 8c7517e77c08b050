// Which sizes a check tries.
#include "check/sizes.h"

#include <algorithm>

#include "tests/normal/pair.h"

using namespace reckon;

namespace {

struct Sizes {
  normal::Pair pair;
  frontend::ElaboratedItem item;

  explicit Sizes(const std::string& program) : pair(program) {
    item.left = pair.f;
    item.right = pair.g;
  }
  std::vector<std::int64_t> tiles() { return check::tiles_in_sight(pair.session.module(), item); }
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

TEST_CASE("usual sizes are small, odd, even, prime, smallest first") {
  Sizes usual(plain + "fn g(x: f64[n]) -> f64 = sum i: x[i] by tree\n");
  CHECK(usual.tiles().empty());
  CHECK(usual.values() == Numbers{1, 2, 3, 7, 8, 17, 64, 100});
}

TEST_CASE("multiples of every tile in sight are tried") {
  Sizes in_order(plain + "fn g(x: f64[n]) -> f64 = sum i: x[i] by tile(24, seq) then tree\n");
  CHECK(in_order.tiles() == Numbers{24});
  CHECK(in_order.values() == Numbers{1, 2, 3, 7, 8, 17, 24, 48, 64, 100});
  // Of 6 and 10 also the common multiple.
  Sizes subscripts(plain + "fn g(x: f64[n]) -> f64 = sum i < n: x[i // 6 * 6 + i % 6] by lanes(10, seq) then seq\n");
  CHECK(subscripts.tiles() == Numbers{6, 10});
  CHECK(subscripts.values() == Numbers{1, 2, 3, 6, 7, 8, 12, 17, 30, 60, 64, 100});
  Sizes both("fn f(x: f64[n, m]) -> f64 = sum i < n: sum j < m: x[i, j] by tile(48, tree) then seq\n"
             "fn g(x: f64[n, m]) -> f64 = sum j < m: sum i < n: x[i, j]\n");
  const auto sizes = check::choose_sizes(both.pair.session.module(), both.item);
  const auto has = [&](std::int64_t n, std::int64_t m) {
    return std::ranges::any_of(sizes, [&](const auto& each) {
      return each.begin()->second == n && std::next(each.begin())->second == m;
    });
  };
  CHECK((has(48, 48) && has(3, 48) && has(96, 3) && has(3, 96)));
  CHECK(std::ranges::is_sorted(sizes, {}, [](const auto& each) {
    return each.begin()->second * std::next(each.begin())->second;
  }));
}
