// FPSan's published tables of false alarms and missed bugs, measured again through the language, and the same rows in
// `padic`. RECKON_TRIALS=10000 prints the table of docs/algebra.md.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "tests/algebra/embedding.h"
#include "tests/algebra/program.h"
#include "tests/algebra/rows.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::algebra;

namespace {

/// How often padic's order of x and y is not that of x + z and y + z: the places of sums have nothing to do with those
/// of what is added.
constexpr double order_flips = 0.5;

/// Patterns of finite numbers whose payloads differ by j 2^24, as x and y.
void forget_digits(ir::HostTensor& v, Random& random) {
  const std::int64_t columns = v.shape[1];
  const auto finite = [](std::uint64_t bits) {
    return std::isfinite(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  };
  for (std::int64_t i = 0; i < v.shape[0]; ++i) {
    std::uint64_t x = 0, y = 0;
    do {
      x = random.word() >> 32;
      y = embedding_f32.unembed((embedding_f32.embed(x) + ((1 + random.below(255)) << 24)) & 0xffffffff);
    } while (!finite(x) || !finite(y));
    for (std::int64_t k = 0; k < columns; ++k) v.set_bits(i * columns + k, 0x3f800000);
    v.set_bits(i * columns + columns - 3, x);
    v.set_bits(i * columns + columns - 2, y);
  }
}

struct Measured {
  Comparison fpsan, padic;
};

Measured measure(const Row& row, std::int64_t trials, std::uint64_t seed) {
  Program program(row.program());
  if (row.width > 100) trials /= 8;
  const auto scalar = program.module().types()[program.circuit("left").parameters[0].type].scalar;
  const std::vector<std::int64_t> shape{trials, row.width + 3}, positive{trials, 2};
  Random random(seed);
  ir::HostTensor patterns = random_patterns(random, scalar, shape);
  if (row.forgotten_digits) forget_digits(patterns, random);
  const auto both = [&](interp::Semantics& ring, const std::vector<interp::Argument>& arguments) {
    return compare(ring, program.evaluate("left", ring, arguments), program.evaluate("right", ring, arguments));
  };
  const auto fpsan = make_ring(row.semantics), padic = make_ring("padic");
  Measured out;
  out.fpsan = both(*fpsan, {patterns, random_patterns(random, scalar, positive)});
  const interp::Argument elements = random_elements(scalar, shape, seed);
  out.padic = both(*padic, {row.forgotten_digits ? interp::Argument(patterns) : elements,
                            random_elements(scalar, positive, seed + 1, interp::Draw::Sign::positive)});
  return out;
}

/// Whether so many of `trials` are what a probability gives: within five standard deviations, and one. The numbers are
/// the same in every run.
bool is_explained(std::int64_t count, std::int64_t trials, double probability) {
  const double expected = probability * static_cast<double>(trials);
  return std::abs(static_cast<double>(count) - expected) <=
         5 * std::sqrt(expected * (1 - probability)) + (probability > 0 && probability < 1);
}

std::string share(std::int64_t count, std::int64_t total) {
  if (count == 0) return "0";
  if (count == total) return "100 %";
  const double percent = 100 * static_cast<double>(count) / static_cast<double>(total);
  if (percent < 0.01) return fmt::format("{:.4f} %", percent);
  if (percent < 10) return fmt::format("{:.2f} %", percent);
  return percent >= 99.95 ? "> 99.9 %" : fmt::format("{:.1f} %", percent);
}

void print(const Row& row, const Measured& found, std::int64_t shown_fpsan, const std::string& padic) {
  fmt::print("| {} | {} | {} | {} |\n", row.name, row.published.empty() ? "" : row.published,
             share(shown_fpsan, found.fpsan.total()), padic);
}

}  // namespace

TEST_CASE("false alarms: FPSan differs on true identities as published, and padic does not") {
  const auto trials = test::trials<std::int64_t>(4000);
  if (test::long_run())
    fmt::print("\n| true over the reals | published | FPSan differs | padic differs |\n|---|---|---|---|\n");
  std::uint64_t seed = test::stream(100);
  for (const Row& row : identities()) {
    INFO(row.name);
    const Measured found = measure(row, trials, seed += 10);
    CAPTURE(found.fpsan.different, found.fpsan.total(), row.fpsan);
    CHECK(is_explained(found.fpsan.different, found.fpsan.total(), row.fpsan));
    const auto defined = found.padic.total() - found.padic.undefined;
    CAPTURE(found.padic.different, found.padic.undefined);
    CHECK(static_cast<double>(defined) >= 0.995 * row.defined * static_cast<double>(found.padic.total()));
    if (row.padic == Padic::equal) CHECK(found.padic.different == 0);
    else CHECK(is_explained(found.padic.different, defined, order_flips));
    if (!test::long_run()) continue;
    std::string padic = share(found.padic.different, found.padic.total());
    if (found.padic.undefined * 100 > found.padic.total())
      padic += ", " + share(found.padic.undefined, found.padic.total()) + " undefined";
    print(row, found, found.fpsan.different, padic);
  }
}

TEST_CASE("missed bugs: FPSan agrees on different circuits as published, and padic does not") {
  const auto trials = test::trials<std::int64_t>(4000);
  if (test::long_run())
    fmt::print("\n| different over the reals | published | FPSan agrees | padic agrees |\n|---|---|---|---|\n");
  std::uint64_t seed = test::stream(900);
  for (const Row& row : bugs()) {
    INFO(row.name);
    const Measured found = measure(row, trials, seed += 10);
    CAPTURE(found.fpsan.different, found.fpsan.total(), row.fpsan);
    CHECK(is_explained(found.fpsan.different, found.fpsan.total(), row.fpsan));
    CAPTURE(found.padic.equal, found.padic.undefined);
    if (row.padic == Padic::undefined) {
      CHECK(found.padic.undefined == found.padic.total());
    } else {
      CHECK(found.padic.equal == 0);
      CHECK(static_cast<double>(found.padic.undefined) <= 0.005 * static_cast<double>(found.padic.total()));
    }
    if (!test::long_run()) continue;
    print(row, found, found.fpsan.equal,
          row.padic == Padic::undefined ? "undefined" : share(found.padic.equal, found.padic.total()));
  }
}

TEST_CASE("sums of two powers of two: FPSan confuses as many as published, and padic none") {
  // 2^a + 2^b against 2^c + 2^d with a + b = c + d and exponents from -6 to 8, the parts unordered.
  struct Quadruple {
    int a, b, c, d;
  };
  std::vector<Quadruple> all;
  for (int a = -6; a <= 8; ++a) {
    for (int b = a; b <= 8; ++b) {
      for (int c = a + 1; c <= (a + b) / 2.0; ++c) all.push_back({a, b, c, a + b - c});
    }
  }
  REQUIRE(all.size() == 252);
  const auto sums = [&](const std::string& format, const std::string& ring_name) {
    Program program(fmt::format("fn sum_of(x: {0}[n, 2]) -> {0}[n] = for i: x[i, 0] + x[i, 1]\n", format));
    const auto scalar = program.module().types()[program.circuit("sum_of").parameters[0].type].scalar;
    const auto pairs = [&](auto first, auto second) {
      ir::HostTensor out(scalar, {252, 2});
      for (std::int64_t i = 0; i < 252; ++i) {
        const Quadruple& q = all[static_cast<std::size_t>(i)];
        out.set_bits(2 * i, numerics::round_f64(std::ldexp(1.0, first(q)), ir::format_of(scalar)));
        out.set_bits(2 * i + 1, numerics::round_f64(std::ldexp(1.0, second(q)), ir::format_of(scalar)));
      }
      return std::vector<interp::Argument>{out};
    };
    const auto ring = make_ring(ring_name);
    return compare(*ring,
                   program.evaluate("sum_of", *ring, pairs([](auto& q) { return q.a; }, [](auto& q) { return q.b; })),
                   program.evaluate("sum_of", *ring, pairs([](auto& q) { return q.c; }, [](auto& q) { return q.d; })))
        .equal;
  };
  CHECK(sums("f32", "fpsan") == 87);
  CHECK(sums("f16", "fpsan") == 91);
  CHECK(sums("bf16", "fpsan") == 106);
  CHECK(sums("f64", "fpsan") == 146);
  for (const char* format : {"f32", "f16", "bf16", "f64"}) CHECK(sums(format, "padic") == 0);
}
