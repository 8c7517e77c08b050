// Inputs of `bool`: which patterns are drawn, and how they are shown.
#include <catch2/catch.hpp>

#include "check/families.h"
#include "check/inputs.h"

using namespace reckon;

namespace {

std::vector<bool> drawn(std::uint64_t turn, std::uint64_t seed, std::int64_t count) {
  ir::HostTensor tensor(ir::Scalar::boolean, {count});
  check::draw_truths(tensor, seed, turn);
  std::vector<bool> out;
  for (std::int64_t i = 0; i < count; ++i) {
    REQUIRE(tensor.bits(i) <= 1);
    out.push_back(tensor.bits(i) != 0);
  }
  return out;
}

}  // namespace

TEST_CASE("the turns of truth values are those that their declaration states") {
  constexpr std::int64_t many = 4000;
  const auto trues = [](const std::vector<bool>& of) { return std::ranges::count(of, true); };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const std::int64_t n : {1, 2, 7, 100}) {
      CHECK(trues(drawn(1, seed, n)) == n);
      CHECK(trues(drawn(2, seed, n)) == 1);
      CHECK(trues(drawn(3, seed, n)) == 0);
      CHECK(trues(drawn(6, seed, n)) == n - 1);
      const auto alternating = drawn(5, seed, n);
      for (std::size_t i = 1; i < alternating.size(); ++i) CHECK(alternating[i] != alternating[i - 1]);
    }
    // Within six standard deviations of the binomial distribution, 32 and 21 of 4000.
    CHECK(std::abs(trues(drawn(0, seed, many)) - many / 2) < 6 * 32);
    CHECK(std::abs(trues(drawn(4, seed, many)) - many / 8) < 6 * 21);
    CHECK(std::abs(trues(drawn(7, seed, many)) - many * 7 / 8) < 6 * 21);
  }
  CHECK(drawn(1, 0, 0).empty());
}

TEST_CASE("truth values are shown as the language writes them") {
  ir::HostTensor tensor(ir::Scalar::boolean, {2, 2});
  tensor.set_bits(2, 1);
  check::WitnessInput input;
  check::describe(tensor, input);
  CHECK(input.expression == "[[false, false], [true, false]]");
  ir::HostTensor wide(ir::Scalar::boolean, {5, 5});
  wide.set_bits(7, 1);
  check::describe(wide, input);
  CHECK(input.expression == "false, but [1, 2] = true");
  CHECK(check::element_text(wide, 7) == "true");
}
