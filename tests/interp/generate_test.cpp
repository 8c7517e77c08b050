#include <mpfr.h>

#include <cmath>

#include "tests/interp/circuits.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

TEST_CASE("uniform is SplitMix64 of seed + i") {
  // splitmix64.c with state 0 gives e220a8397b1dcdaf first: the element of seed 0 at 0.
  const auto x = generate(ir::Source::Kind::uniform, Scalar::f64, {3}, 0);
  const std::uint64_t k = 0xe220a8397b1dcdafull >> 11;
  CHECK(std::bit_cast<double>(x.bits(0)) == (static_cast<double>(k) - 0x1p52) * 0x1p-52);
  const auto shifted = generate(ir::Source::Kind::uniform, Scalar::f64, {2}, 1);
  CHECK(shifted.bits(0) == x.bits(1));
  CHECK(shifted.bits(1) == x.bits(2));
  const auto half = generate(ir::Source::Kind::uniform, Scalar::f16, {3}, 0);
  CHECK(half.bits(0) == numerics::round_f64(std::bit_cast<double>(x.bits(0)), ir::Format::f16));
}

TEST_CASE("a random bool is the top bit of SplitMix64") {
  // The first words of splitmix64.c from state 0 are e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f,
  // f88bb8a8724c81ec; it adds its constant between them, where `seed + i` adds 1.
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15ull;
  constexpr bool expected[] = {true, false, false, true};
  for (std::uint64_t k = 0; k < 4; ++k) {
    const auto x = generate(ir::Source::Kind::uniform, Scalar::boolean, {1}, static_cast<std::int64_t>(k * step));
    CHECK(x.bits(0) == (expected[k] ? 1 : 0));
  }
}

TEST_CASE("lcg steps before each value") {
  const auto x = generate(ir::Source::Kind::lcg, Scalar::f64, {2}, 1);
  const std::uint64_t s = 6364136223846793005ull + 1442695040888963407ull;
  CHECK(std::bit_cast<double>(x.bits(0)) == (static_cast<double>(s >> 11) - 0x1p52) * 0x1p-52);
}

TEST_CASE("normal inverts the normal distribution function") {
  const std::int64_t n = 20'000;
  const auto uniform = generate(ir::Source::Kind::uniform, Scalar::f64, {n}, 11);
  const auto normal = generate(ir::Source::Kind::normal, Scalar::f64, {n}, 11);
  double sum = 0, squares = 0, worst = 0;
  mpfr_t value;
  mpfr_init2(value, 120);
  for (std::int64_t i = 0; i < n; ++i) {
    const double z = std::bit_cast<double>(normal.bits(i));
    sum += z;
    squares += z * z;
    // Phi(-|z|) = erfc(|z| / sqrt(2)) / 2 against the tail (1 - |u| ...) of the same k, at its own precision.
    const double u = std::bit_cast<double>(uniform.bits(i));
    const double tail = (1 - std::fabs(u + 0x1p-53)) / 2;
    mpfr_set_d(value, -std::fabs(z) * M_SQRT1_2, MPFR_RNDN);
    mpfr_neg(value, value, MPFR_RNDN);
    mpfr_erfc(value, value, MPFR_RNDN);
    const double relative = std::fabs(mpfr_get_d(value, MPFR_RNDN) / 2 - tail) / tail;
    worst = std::max(worst, relative);
  }
  mpfr_clear(value);
  CHECK(worst < 1e-13);
  CHECK(std::fabs(sum / static_cast<double>(n)) < 0.03);
  CHECK(std::fabs(squares / static_cast<double>(n) - 1) < 0.05);
}

TEST_CASE("sources are tensors of circuits") {
  Circuit c;
  ir::Source source;
  source.kind = ir::Source::Kind::normal;
  source.seed = c.constant(3);
  const NodeId x = c.module.source(source, c.module.types().tensor(Scalar::f32, {c.constant(10)}));
  c.result(c.module.tuple({x, c.module.element(x, {c.constant(4)})}));
  auto floating = semantics("float");
  auto values = c.run(*floating);
  REQUIRE(values);
  CHECK((*values)[0].host(*floating).bytes == generate(ir::Source::Kind::normal, Scalar::f32, {10}, 3).bytes);
  CHECK((*values)[1].host(*floating).bits(0) == (*values)[0].host(*floating).bits(4));
}
