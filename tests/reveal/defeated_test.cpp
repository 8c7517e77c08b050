// Boxes whose order cannot be seen are said to be such.
#include <catch2/catch.hpp>
#include <map>

#include "diagnostics/codes/box_failed.h"
#include "tests/reveal/sums.h"

using namespace reckon;
using namespace reckon::reveal;
using namespace reckon::reveal::test;
using Catch::Contains;

namespace {

float kahan(const std::vector<float>& x) {
  float s = 0, c = 0;
  for (const float v : x) {
    const volatile float y = v - c;
    const volatile float t = s + y;
    c = (t - s) - y;
    s = t;
  }
  return s;
}

float neumaier(const std::vector<float>& x) {
  float s = x[0], c = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    const volatile float t = s + x[i];
    c += std::fabs(s) >= std::fabs(x[i]) ? (s - t) + x[i] : (x[i] - t) + s;
    s = t;
  }
  return s + c;
}

float exact(const std::vector<float>& x) {
  mpq_class sum = 0;
  for (const float v : x) sum += mpq_class(v);
  return std::bit_cast<float>(static_cast<std::uint32_t>(numerics::round_rational(sum, Format::f32)));
}

/// Two folds of bins of 13 bits: every value is cut at places that are multiples of 13, and the two highest places in
/// use are added without error.
float binned(const std::vector<float>& x) {
  int top = -1000;
  for (const float v : x) {
    if (v != 0) top = std::max(top, static_cast<int>(std::floor(std::ilogb(v) / 13.0)));
  }
  if (top == -1000) return 0;
  double high = 0, low = 0;
  for (const float v : x) {
    const double first = std::trunc(std::ldexp(v, -13 * top)), rest = v - std::ldexp(first, 13 * top);
    high += first;
    low += std::trunc(std::ldexp(rest, -13 * (top - 1)));
  }
  return static_cast<float>(std::ldexp(high, 13 * top) + std::ldexp(low, 13 * (top - 1)));
}

float sequential(const std::vector<float>& x) {
  float s = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) s += x[i];
  return s;
}

}  // namespace

TEST_CASE("compensated sums: the probes alone would be wrong") {
  for (const std::int64_t n : {8, 40, 300}) {
    const auto outcome = revealed(float_box(kahan), n);
    CHECK_THAT(outcome.undecided, Contains("the probes see an order"));
    REQUIRE(outcome.notes.size() == 1);
    CHECK_THAT(outcome.notes[0], Contains("Kahan"));
    REQUIRE(outcome.tree);  // what the probes see: the loop
  }
  const auto outcome = revealed(float_box(neumaier), 40);
  CHECK(outcome.undecided == "the box adds as if exactly: no order can be seen");
  CHECK_THAT(outcome.notes.at(0), Contains("Neumaier"));
  CHECK_FALSE(outcome.tree);
}

TEST_CASE("exact sums") {
  for (const std::int64_t n : {3, 8, 100}) {
    const auto outcome = revealed(float_box(exact), n);
    CHECK(outcome.undecided == "the box adds as if exactly: no order can be seen");
    CHECK_THAT(outcome.notes.at(0), Contains("the exact sum, rounded once"));
  }
}

TEST_CASE("reproducible sums in bins") {
  for (const std::int64_t n : {3, 16, 200}) {
    const auto outcome = revealed(float_box(binned), n);
    INFO(n);
    CHECK_THAT(outcome.undecided, Contains("does not depend on the order") && Contains("in bins"));
    CHECK(outcome.arithmetic.empty());
    CHECK(outcome.calls.checks <= 10 + 64 + 100 + 300);
  }
  // One fused node is none of these: its limit moves with the terms.
  Tree flat;
  for (std::size_t k = 0; k < 16; ++k) flat.children.push_back({k, {}});
  const auto outcome = revealed(float_box([&](const std::vector<float>& x) { return sum_along(flat, x, 25); }), 16);
  CHECK(outcome.undecided.empty());
  CHECK(outcome.tree->text() == "(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)");
}

TEST_CASE("an order that changes from call to call") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto outcome = revealed(float_box([&](std::vector<float> x) {
                                    for (std::size_t i = x.size(); i > 1; --i) std::swap(x[i - 1], x[random.below(i)]);
                                    return sequential(x);
                                  }),
                                  30);
    INFO(seed << outcome.undecided);
    CHECK_THAT(outcome.undecided, Contains("its order changes from call to call"));
  }
  // Only now and then.
  Random random(7);
  std::int64_t wrong = 0;
  for (int k = 0; k < 20; ++k) {
    const auto outcome = revealed(float_box([&](std::vector<float> x) {
                                    if (random.below(8) == 0) std::swap(x[0], x[20]);
                                    return sequential(x);
                                  }),
                                  30);
    wrong += outcome.undecided.empty();
  }
  CHECK(wrong == 0);
}

TEST_CASE("boxes that sort") {
  const auto sorting = [](bool magnitudes, bool descending) {
    return float_box([=](std::vector<float> x) {
      std::stable_sort(x.begin(), x.end(), [&](float a, float b) {
        if (magnitudes) a = std::fabs(a), b = std::fabs(b);
        return descending ? b < a : a < b;
      });
      return sequential(x);
    });
  };
  for (const bool magnitudes : {false, true}) {
    for (const bool descending : {false, true}) {
      const auto outcome = revealed(sorting(magnitudes, descending), 25);
      INFO(outcome.undecided << magnitudes << descending);
      CHECK_FALSE(outcome.undecided.empty());
      REQUIRE(outcome.notes.size() == 1);
      CHECK_THAT(outcome.notes[0], Contains("sorted by " + std::string(magnitudes ? "magnitude" : "value")));
    }
  }
}

TEST_CASE("boxes that are no plain sums, or do not round to nearest") {
  CHECK_THAT(revealed(float_box([](const std::vector<float>& x) { return x[0]; }), 8).undecided,
             Contains("not a plain sum"));
  CHECK_THAT(revealed(float_box([](const std::vector<float>&) { return NAN; }), 8).undecided, Contains("came to nan"));
  // A leaf that is left out of some sums.
  CHECK_FALSE(revealed(float_box([](std::vector<float> x) {
                         if (x[3] < 0) x[5] = 0;
                         return sequential(x);
                       }),
                       8)
                  .undecided.empty());
  // Toward zero.
  const auto truncating = float_box([](const std::vector<float>& x) {
    float s = x[0];
    for (std::size_t i = 1; i < x.size(); ++i) {
      const double wide = static_cast<double>(s) + x[i];  // exact enough: its sign against the rounded one decides
      const auto near = static_cast<float>(wide);
      s = std::fabs(static_cast<double>(near)) > std::fabs(wide) ? std::nextafterf(near, 0) : near;
    }
    return s;
  });
  const auto outcome = revealed(truncating, 20);
  CHECK_FALSE(outcome.undecided.empty());
}

TEST_CASE("a box that fails ends the investigation with its own diagnostic") {
  int calls = 0;
  const Box failing = [&](const Input&) -> Expected<std::uint64_t> {
    if (++calls > 5) return Diagnostic(code::box_failed, {}, "no more");
    return numerics::round_f64(8, Format::f32);
  };
  Question question;
  question.n = 8;
  auto outcome = reveal::reveal(failing, question);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().message == "no more");
}
