// The vector kernels of intervals, on operands for which they do not fall back on the rules (magnitudes from 2^-450 to
// 2^450, and zeros): against exact rationals rounded outward, and MPFR. RECKON_TRIALS is the number of elements of
// each operation.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "diagnostics/codes/undefined_result.h"
#include "numerics/elementary.h"
#include "semantics/standard.h"
#include "tests/interp/kernels.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using numerics::Format;
using numerics::Rounding;

namespace {

template <class End>
struct Endpoints {
  End low, high;
};

double number(Random& random) {
  if (random.below(20) == 0) return random.below(2) ? 0.0 : -0.0;
  std::uint64_t mantissa = random.word() >> 12;
  if (random.below(3) == 0) mantissa &= ~std::uint64_t{0} << (20 + random.below(33));  // few bits: exact, or ties
  const std::uint64_t spread = random.below(3) == 0 ? 449 : random.below(2) ? 60 : 2;
  const std::uint64_t exponent = 1023 - spread + random.below(2 * spread + 1);
  return std::bit_cast<double>((random.word() & (std::uint64_t{1} << 63)) | exponent << 52 | mantissa);
}

Endpoints<double> operand(Random& random) {
  const double a = number(random), b = number(random);
  if (random.below(3) == 0) return {a, a};
  if (random.below(3) == 0 && a != 0) return {a, std::nextafter(a, std::numeric_limits<double>::infinity())};
  return {std::min(a, b), std::max(a, b)};
}

mpq_class rational(double x) { return *numerics::exact_value(std::bit_cast<std::uint64_t>(x), Format::f64); }

/// The nearest f64 on the side, of a quotient of integers.
double outward(const mpq_class& value, bool down) {
  return std::bit_cast<double>(numerics::round_rational(value, Format::f64, down ? Rounding::downward : Rounding::upward));
}

double expected(Op op, const Endpoints<double>& a, const Endpoints<double>& b, bool down) {
  if (op == Op::exp) return numerics::mpfr_unary_directed(numerics::Function::exp, down ? a.low : a.high, !down);
  if (op == Op::sqrt) return numerics::mpfr_unary_directed(numerics::Function::sqrt, (down ? a.low : a.high) + 0.0, !down);
  std::optional<mpq_class> best;
  for (double x : {a.low, a.high}) {
    for (double y : {b.low, b.high}) {
      const mpq_class p = rational(x), q = rational(y);
      const mpq_class value = op == Op::add ? mpq_class(p + q) : op == Op::sub ? mpq_class(p - q) : op == Op::mul ? mpq_class(p * q) : mpq_class(p / q);
      if ((op == Op::add && (x == a.low) != (y == b.low)) && a.low != a.high && b.low != b.high) continue;
      if (!best || (down ? value < *best : value > *best)) best = value;
    }
  }
  return outward(*best, down);
}

template <class End>
std::vector<Endpoints<End>> run(const char* name, Op op, const std::vector<Endpoints<End>>& a,
                                const std::vector<Endpoints<End>>& b) {
  auto made = make_semantics("interval", {{name}}, {});
  REQUIRE(made);
  return apply_all<Endpoints<End>, Endpoints<End>>(**made, op, Scalar::f64, Scalar::f64, {a, b});
}

constexpr Op operations_with_kernels[] = {Op::add, Op::sub, Op::mul, Op::div, Op::sqrt, Op::exp};

/// Operands that the kernel of the operation takes.
std::pair<Endpoints<double>, Endpoints<double>> operands(Random& random, Op op) {
  Endpoints<double> a = operand(random), b = operand(random);
  if (op == Op::div) {
    while (b.low <= 0 && b.high >= 0) b = operand(random);
  }
  if (op == Op::sqrt) {
    const double p = std::fabs(a.low), q = std::fabs(a.high);
    a = {std::min(p, q), std::max(p, q)};
  }
  if (op == Op::exp) {
    const auto scaled = [&](double x) { return std::fabs(x) <= 700 ? x : std::ldexp(x, -std::ilogb(x) + static_cast<int>(random.below(9))); };
    const double p = scaled(a.low), q = scaled(a.high);
    a = {std::min(p, q), std::max(p, q)};
  }
  return {a, b};
}

}  // namespace

TEST_CASE("interval kernels give the tightest f64 ends") {
  Random random(test::stream(71));
  const std::size_t count = test::trials<std::size_t>(15'000);
  for (const Op op : operations_with_kernels) {
    std::size_t wrong = 0;
    for (std::size_t done = 0; done < count;) {
      const std::size_t width = std::min<std::size_t>(1 + random.below(3000), count - done);
      std::vector<Endpoints<double>> a, b;
      for (std::size_t i = 0; i < width; ++i) {
        const auto [x, y] = operands(random, op);
        a.push_back(x), b.push_back(y);
      }
      const auto out = run("f64", op, a, b);
      for (std::size_t i = 0; i < width; ++i) {
        const Endpoints<double> best{expected(op, a[i], b[i], true), expected(op, a[i], b[i], false)};
        if (out[i].low == best.low && out[i].high == best.high) continue;
        ++wrong;
        FAIL_CHECK(ir::traits(op).spelling << std::hexfloat << " [" << a[i].low << ", " << a[i].high << "] [" << b[i].low << ", " << b[i].high << "]: ["
                                           << out[i].low << ", " << out[i].high << "], but [" << best.low << ", " << best.high << "]");
        if (wrong > 3) return;
      }
      done += width;
    }
    if (test::long_run()) std::printf("%s: %zu kernel results, all ends the nearest f64s\n", ir::traits(op).spelling.data(), count);
  }
}

TEST_CASE("interval kernels in place, in part by the rules, and in f32") {
  Random random(test::stream(72));
  for (const Op op : operations_with_kernels) {
    std::vector<Endpoints<double>> a, b;
    for (int i = 0; i < 1500; ++i) {
      const auto [x, y] = operands(random, op);
      a.push_back(x), b.push_back(y);
    }
    a[700] = {0, std::numeric_limits<double>::infinity()};  // this block alone goes by the rules
    a[701] = {0x1p-1074, 0x1p-1060};
    auto interval = semantics("interval");
    const auto out = run("f64", op, a, b);
    for (const std::size_t i : {0u, 699u, 702u, 1499u}) {
      CHECK(out[i].low == expected(op, a[i], b[i], true));
      CHECK(out[i].high == expected(op, a[i], b[i], false));
    }
    CHECK(out[701].low <= out[701].high);
    auto in_place = a;
    const Rows rows[3] = {{reinterpret_cast<const std::byte*>(in_place.data()), 1500}, {reinterpret_cast<const std::byte*>(b.data()), 1500}, {}};
    REQUIRE(!interval->apply(op, Scalar::f64, Scalar::f64, rows, reinterpret_cast<std::byte*>(in_place.data()), 1500, 1, 1500));
    CHECK(std::equal(out.begin(), out.end(), in_place.begin(), [](const auto& x, const auto& y) { return x.low == y.low && x.high == y.high; }));

    // f32: each element alone goes by the rules, which other tests hold to their definition.
    std::vector<Endpoints<float>> c, d;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto narrow = [](const Endpoints<double>& x) {
        return Endpoints<float>{static_cast<float>(x.low), static_cast<float>(x.high)};
      };
      c.push_back(narrow(a[i])), d.push_back(narrow(b[i]));
      if (op == Op::div && d.back().low <= 0 && d.back().high >= 0) d.back() = {2, 3};
      if (std::isinf(c.back().low) || std::isinf(d.back().low) || std::isinf(c.back().high) || std::isinf(d.back().high)) c.back() = {1, 2}, d.back() = {3, 4};
    }
    const auto together = run("f32", op, c, d);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const Endpoints<double> p{c[i].low, c[i].high}, q{d[i].low, d[i].high};
      const auto alone = run("f64", op, std::vector{p}, std::vector{q})[0];
      // Between the f64 end and the f32 end lies no other f32.
      const float low = together[i].low, high = together[i].high;
      const bool fine = low <= alone.low && high >= alone.high && std::nextafter(low, HUGE_VALF) > alone.low &&
                        std::nextafter(high, -HUGE_VALF) < alone.high;
      if (!fine) FAIL(ir::traits(op).spelling << std::hexfloat << " [" << p.low << ", " << p.high << "] [" << q.low << ", " << q.high << "]: [" << low << ", " << high << "]");
    }
  }
}

TEST_CASE("a fault inside a kernel's block is an error") {
  auto interval = semantics("interval");
  const auto fails = [&](Op op, const std::vector<Endpoints<double>>& a, const std::vector<Endpoints<double>>& b) {
    std::vector<Endpoints<double>> out(a.size());
    const Rows rows[3] = {{reinterpret_cast<const std::byte*>(a.data()), 1}, {reinterpret_cast<const std::byte*>(b.data()), 1}, {}};
    const auto fault = interval->apply(op, Scalar::f64, Scalar::f64, rows, reinterpret_cast<std::byte*>(out.data()), 1, 1, a.size());
    return fault && fault->code == code::undefined_result;
  };
  std::vector<Endpoints<double>> ones(300, {1, 2}), bad = ones;
  CHECK(!fails(Op::div, ones, ones));
  bad[257] = {0, -0.0};
  CHECK(fails(Op::div, ones, bad));
  bad[257] = {-2, -1};
  CHECK(!fails(Op::div, ones, bad));
  CHECK(fails(Op::sqrt, bad, bad));
}
