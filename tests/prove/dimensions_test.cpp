// Circuits whose parameters have computed extents: the dimensions of one in terms of the other's.
#include "tests/prove/pair.h"

using namespace reckon;
using normal::Pair;

namespace {

bool proved(const std::string& f, const std::string& g) {
  INFO("fn f" << f << "\nfn g" << g);
  return Pair("fn f" + f + "\nfn g" + g + "\n").prove().has_value();
}

}  // namespace

TEST_CASE("dimensions that computed extents give are matched") {
  CHECK(proved("(x: f32[8 * m]) -> f32 = sum i: x[i]", "(x: f32[8 * m]) -> f32 = sum p < 8: sum i < m: x[p * m + i]"));
  CHECK(proved("(x: f32[8 * m]) -> f32 = sum i: x[i]", "(x: f32[8 * k]) -> f32 = sum p < 4: sum i < 2 * k: x[2 * p * k + i]"));
  CHECK(proved("(x: f32[8 * m]) -> f32 = sum i: x[i]", "(x: f32[2 * k]) -> f32 = sum p < 2: sum i < k: x[p * k + i]"));
  CHECK(proved("(x: f32[8 * m]) -> f32 = sum i: x[i]", "(x: f32[n]) -> f32 = sum i: x[i]"));
  CHECK(proved("(x: f32[m + 3]) -> f32 = f32(m)", "(x: f32[k + 2]) -> f32 = f32(k) - 1"));
  CHECK(proved("(x: f32[2 * m - 3]) -> f32 = f32(m)", "(x: f32[2 * k - 1]) -> f32 = f32(k) + 1"));
  CHECK(proved("(x: f32[m + n], y: f32[n]) -> f32 = f32(m)", "(x: f32[a], y: f32[b]) -> f32 = f32(a) - f32(b)"));
  CHECK(proved("(x: f32[a], y: f32[b]) -> f32 = f32(a) - f32(b)", "(x: f32[m + n], y: f32[n]) -> f32 = f32(m)"));
  // One follows from the other, which follows from an extent that stands alone.
  CHECK(proved("(x: f32[r], y: f32[q], z: f32[p]) -> f32 = f32(p)",
               "(x: f32[a + b + c], y: f32[b + c], z: f32[c]) -> f32 = f32(c) + f32(a) * 0"));
}

TEST_CASE("other dimensions are not taken for the same") {
  CHECK_FALSE(proved("(x: f32[m + 3]) -> f32 = f32(m)", "(x: f32[k + 2]) -> f32 = f32(k)"));
  CHECK_FALSE(proved("(x: f32[2 * m]) -> f32 = f32(m)", "(x: f32[k]) -> f32 = f32(k)"));
  CHECK_FALSE(proved("(x: f32[8 * m]) -> f32 = sum i: x[i]", "(x: f32[8 * m]) -> f32 = sum p < 7: sum i < m: x[p * m + i]"));
  // No k gives the extent m for every m.
  CHECK_FALSE(proved("(x: f32[m]) -> f32 = f32(m // 2)", "(x: f32[2 * k]) -> f32 = f32(k)"));
  CHECK_FALSE(proved("(x: f32[2 * m + 1]) -> f32 = f32(m)", "(x: f32[2 * k]) -> f32 = f32(k)"));
  // The two parameters disagree about k.
  CHECK_FALSE(proved("(x: f32[2 * m], y: f32[3 * n]) -> f32 = f32(m)", "(x: f32[2 * k], y: f32[3 * k]) -> f32 = f32(k)"));
}
