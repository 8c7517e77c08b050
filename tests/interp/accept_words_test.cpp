// u32 under accept: integers that are known are C++'s, patterns are those that a machine may give, and what is not known is
// anything.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "interp/semantics.h"
#include "numerics/format.h"
#include "semantics/accept/answers.h"
#include "semantics/standard.h"
#include "tests/interp/profiles.h"
#include "tests/interp/wgsl_profile.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using accept::Answers;

namespace {

std::unique_ptr<Semantics> accepting(const std::shared_ptr<const ir::Profile>& profile) {
  auto made = make_semantics("accept", {{profile->name, profile}}, {});
  REQUIRE(made);
  return std::move(*made);
}

/// Subnormals stay, infinities and NaNs are values.
std::shared_ptr<const ir::Profile> plain() {
  ProfileBuilder builder;
  builder.profile->name = "plain";
  builder.profile->formats = {Scalar::f32, Scalar::f16};
  return builder.done();
}

Answers applied(Semantics& semantics, Op op, Scalar from, Scalar to, const std::vector<Answers>& operands) {
  Rows rows[3];
  for (std::size_t k = 0; k < operands.size(); ++k) rows[k] = {reinterpret_cast<const std::byte*>(&operands[k]), 0};
  Answers out;
  const auto fault = semantics.apply(op, from, to, rows, reinterpret_cast<std::byte*>(&out), 0, 1, 1);
  if (fault) FAIL(fault->message);
  return out;
}

Answers known(double x) { return Answers::of({x, x}); }
Answers either(double x, double y) {
  Answers out = known(x);
  accept::unite(out, known(y), true);
  return out;
}

}  // namespace

TEST_CASE("operations of known integers are those of C++") {
  const auto semantics = accepting(plain());
  std::mt19937_64 random(test::stream(41));
  const auto check = [&](Op op, std::uint32_t a, std::uint32_t b, std::uint32_t wanted) {
    const Answers found = applied(*semantics, op, Scalar::u32, Scalar::u32, {known(a), known(b)});
    INFO(ir::traits(op).spelling << " of " << a << ", " << b);
    REQUIRE(found.is_point());
    REQUIRE(found.parts[0].low == wanted);
  };
  for (int trial = 0; trial < 2000; ++trial) {
    const auto a = static_cast<std::uint32_t>(random()), b = static_cast<std::uint32_t>(random() >> (random() % 64));
    check(Op::add, a, b, a + b);
    check(Op::sub, a, b, a - b);
    check(Op::mul, a, b, a * b);
    check(Op::min, a, b, a < b ? a : b);
    check(Op::max, a, b, a < b ? b : a);
    check(Op::bit_and, a, b, a & b);
    check(Op::bit_or, a, b, a | b);
    check(Op::bit_xor, a, b, a ^ b);
    check(Op::shift_left, a, b, a << (b % 32));
    check(Op::shift_right, a, b, a >> (b % 32));
  }
}

TEST_CASE("one of several integers, and integers that are not known") {
  const auto semantics = accepting(plain());
  const auto add = [&](const Answers& a, const Answers& b) {
    return applied(*semantics, Op::add, Scalar::u32, Scalar::u32, {a, b});
  };
  const Answers sums = add(either(1, 0xffffffff), known(1));
  CHECK(sums.count == 2);
  CHECK((sums.contains(2) && sums.contains(0) && !sums.contains(1)));
  const Answers range = add(Answers::of({1, 3}), known(1));
  CHECK((range.contains(2) && range.contains(3) && range.contains(4) && !range.contains(1) && !range.contains(5)));
  CHECK(add(Answers::of({1, 3000}), known(1)).unbounded);
  CHECK(add(Answers::anything(accept::Cause::stated, 0), known(1)).unbounded);
  // More than there is room for: whatever is said holds all of them.
  const Answers many = add(add(either(0, 100), either(0, 10'000)), add(either(0, 1000), either(0, 5)));
  if (!many.unbounded) {
    for (const int sum : {0, 100, 10'000, 10'100, 1000, 1100, 5, 11'105}) CHECK(many.contains(sum));
  }
  const auto less = [&](const Answers& a, const Answers& b) {
    const Answers operands[2] = {a, b};
    const Rows rows[2] = {{reinterpret_cast<const std::byte*>(&operands[0]), 0},
                          {reinterpret_cast<const std::byte*>(&operands[1]), 0}};
    std::byte out{};
    REQUIRE(!semantics->apply(Op::less, Scalar::u32, Scalar::boolean, rows, &out, 0, 1, 1));
    return static_cast<Truth>(out);
  };
  CHECK(less(known(1), known(2)) == Truth::yes);
  CHECK(less(known(2), known(2)) == Truth::no);
  CHECK(less(either(1, 3), known(2)) == Truth::unknown);
  // A word near the end of u32 is told from its neighbour.
  CHECK(less(known(0xfffffffe), known(0xffffffff)) == Truth::yes);
}

TEST_CASE("all patterns of f16, there and back, with and without flushing") {
  for (const bool flushes : {false, true}) {
    const auto semantics = accepting(flushes ? wgsl_profile(false) : plain());
    for (std::uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
      INFO(pattern << (flushes ? " flushed" : ""));
      const double value = numerics::widen(pattern, numerics::Format::f16);
      // Bits above the sixteenth do not count.
      const std::uint32_t word = pattern | (pattern % 2 ? 0xabcd0000u : 0);
      const Answers number = applied(*semantics, Op::from_bits, Scalar::u32, Scalar::f16, {known(word)});
      if (!std::isfinite(value) && flushes) {
        REQUIRE(number.unbounded);
        continue;
      }
      if (std::isnan(value)) {
        REQUIRE((number.nan && number.count == 0));
        continue;
      }
      const bool subnormal = value != 0 && std::fabs(value) < 0x1p-14;
      REQUIRE(number.contains(value));
      REQUIRE(number.contains(0) == (value == 0 || (flushes && subnormal)));
      if (!(flushes && subnormal)) REQUIRE(number.is_point());

      const Answers back = applied(*semantics, Op::bits, Scalar::f16, Scalar::u32, {known(value + 0.0)});
      REQUIRE(back.contains(pattern));
      // The sign of 0 is not known, so that both are possible; nothing else is.
      const bool zero = value == 0 || (flushes && subnormal);
      REQUIRE(back.contains(0) == zero);
      REQUIRE(back.contains(0x8000) == zero);
      REQUIRE(!back.contains(pattern + 1.0 == 0x8000 ? 1.0 * 0x10000 : pattern + 1.0));
    }
  }
}

TEST_CASE("patterns of an interval hold those of every number in it") {
  const auto semantics = accepting(plain());
  std::mt19937_64 random(test::stream(42));
  for (int trial = 0; trial < 3000; ++trial) {
    const auto some = [&] { return static_cast<std::uint32_t>(random()) % 0x7c00 | (random() % 2 ? 0x8000u : 0); };
    double a = numerics::widen(some(), numerics::Format::f16), b = numerics::widen(some(), numerics::Format::f16);
    if (a > b) std::swap(a, b);
    const Answers words = applied(*semantics, Op::bits, Scalar::f16, Scalar::u32, {Answers::of({a + 0.0, b + 0.0})});
    const Answers back = applied(*semantics, Op::from_bits, Scalar::u32, Scalar::f16, {words});
    for (int sample = 0; sample < 20; ++sample) {
      const std::uint32_t pattern = some();
      const double value = numerics::widen(pattern, numerics::Format::f16);
      INFO(a << ".." << b << ", " << value);
      REQUIRE(words.contains(pattern) == (a <= value && value <= b));
      if (a <= value && value <= b) REQUIRE(back.contains(value));
    }
  }
}

TEST_CASE("conversions from and to integers") {
  const auto semantics = accepting(plain());
  const auto to_word = [&](const Answers& x) { return applied(*semantics, Op::convert, Scalar::f32, Scalar::u32, {x}); };
  const auto to_float = [&](const Answers& x) { return applied(*semantics, Op::convert, Scalar::u32, Scalar::f32, {x}); };
  CHECK(to_word(known(3.9)).contains(3));
  CHECK(to_word(known(-5)).contains(0));
  CHECK(to_word(known(5e9)).contains(4294967295.0));
  CHECK(to_word(Answers::of({1.5, 3.5})).parts[0] == accept::Interval{1, 3});
  CHECK(to_float(known(7)).is_point());
  // 2^24 + 1 lies between two numbers of f32: either, in whatever direction it is rounded.
  const Answers between = to_float(known(16777217));
  CHECK(between.contains(16777216));
  CHECK(between.contains(16777218));
}
