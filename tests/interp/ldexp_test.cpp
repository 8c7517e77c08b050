// ldexp(x, k) = x * 2^k rounded once, against MPFR: every x of f16 by every k of a range, random operands of every format
// in every direction. RECKON_TRIALS is the number of pairs for each format and direction.
#include "semantics/standard.h"
#include "tests/interp/kernels.h"
#include "tests/numerics/reference.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using numerics::Format;
using numerics::Rounding;
using numerics::testing::all_formats;

namespace {

struct Direction {
  Rounding rounding;
  std::vector<SemanticsArgument> arguments;
};
const Direction directions[] = {{Rounding::nearest_even, {}},
                                {Rounding::toward_zero, {{"toward_zero"}}},
                                {Rounding::upward, {{"up"}}},
                                {Rounding::downward, {{"down"}}}};

/// x * 2^k for an integer k; what an integer is, and the limits at infinite k, are docs/semantics.md's.
std::uint64_t expected(double x, double k, Format format, Rounding rounding) {
  if (std::isnan(x) || std::isnan(k) || std::floor(k) != k) return numerics::testing::pattern_of(NAN, format);
  if (std::isinf(k) && (k < 0 || x == 0) && !std::isinf(x)) return numerics::testing::pattern_of(std::copysign(0.0, x), format);
  if (std::isinf(k)) return numerics::testing::pattern_of(std::copysign(INFINITY, x), format);
  return numerics::testing::rounded_by_mpfr(format, rounding, [&](mpfr_ptr out, mpfr_rnd_t where) {
    // Exact at first, in a range of exponents of its own.
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(-100'000);
    mpfr_set_emax(100'000);
    mpfr_t exact;
    mpfr_init2(exact, 53);
    mpfr_set_d(exact, x, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, static_cast<long>(std::clamp(k, -50'000.0, 50'000.0)), MPFR_RNDN);
    const int ternary = mpfr_set(out, exact, where);
    mpfr_clear(exact);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    return ternary;
  });
}

template <class V>
void check_pairs(Scalar scalar, const Direction& direction, const std::vector<V>& x, const std::vector<V>& k) {
  const Format format = ir::format_of(scalar);
  auto meaning = make_semantics("float", direction.arguments, {});
  REQUIRE(meaning);
  const auto result = apply_all<V, V>(**meaning, Op::ldexp, scalar, scalar, {x, k});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t wanted =
        expected(numerics::widen(x[i], format), numerics::widen(k[i], format), format, direction.rounding);
    const std::uint64_t actual = *(*meaning)->bits(scalar, reinterpret_cast<const std::byte*>(&result[i]));
    if (actual == wanted) continue;
    FAIL((*meaning)->name() << ": ldexp(" << numerics::bit_digits(x[i], format) << ", " << numerics::bit_digits(k[i], format)
                            << ") of " << ir::scalar_name(scalar) << " is " << numerics::bit_digits(actual, format)
                            << " instead of " << numerics::bit_digits(wanted, format));
  }
}

template <class V>
void check_random(Scalar scalar, const Direction& direction, long count) {
  const Format format = ir::format_of(scalar);
  Random random(test::stream(17));
  std::vector<V> x, k;
  const int range = numerics::traits(format).emax - numerics::traits(format).emin + 60;
  for (long i = 0; i < count; ++i) {
    std::uint64_t bits = random.word();
    if (random.below(4) == 0) bits %= 4 * numerics::min_normal(format);  // around the subnormals
    x.push_back(static_cast<V>(bits & numerics::storage_mask(format)));
    const auto near = static_cast<double>(random.below(static_cast<std::uint64_t>(2 * range))) - range;
    std::uint64_t exponent = numerics::testing::pattern_of(near, format);
    if (random.below(16) == 0) exponent = random.word();  // fractions, NaN, infinities, what is far beyond
    if (random.below(64) == 0) exponent = numerics::round_f64(random.below(2) ? INFINITY : -INFINITY, format);
    if (random.below(64) == 0) exponent = numerics::round_f64(near + 0.5, format);
    k.push_back(static_cast<V>(exponent & numerics::storage_mask(format)));
  }
  // Those of which few bits are left, and the ties among them.
  check_pairs<V>(scalar, direction, x, k);
}

}  // namespace

TEST_CASE("ldexp of every f16 by every k from -60 to 60 is MPFR's, in every direction") {
  for (const Direction& direction : directions) {
    for (int power = -60; power <= 60; ++power) {
      if (!test::long_run() && !direction.arguments.empty() && power % 7 != 0) continue;
      // One in 17 unless the run may be long, others for each k.
      const int step = test::long_run() ? 1 : 17;
      std::vector<std::uint16_t> x;
      for (int bits = (power + 60) % step; bits < 65536; bits += step) x.push_back(static_cast<std::uint16_t>(bits));
      const std::vector<std::uint16_t> k(x.size(), static_cast<std::uint16_t>(numerics::testing::pattern_of(power, Format::f16)));
      check_pairs<std::uint16_t>(Scalar::f16, direction, x, k);
    }
  }
}

TEST_CASE("ldexp of random operands of every format is MPFR's, in every direction") {
  for (const Format format : all_formats) {
    const Scalar scalar = ir::scalar_of(format);
    for (const Direction& direction : directions) {
      const long count = test::trials(20'000l);
      switch (ir::byte_width(scalar)) {
        case 1: check_random<std::uint8_t>(scalar, direction, count); break;
        case 2: check_random<std::uint16_t>(scalar, direction, count); break;
        case 4: check_random<std::uint32_t>(scalar, direction, count); break;
        default: check_random<std::uint64_t>(scalar, direction, count); break;
      }
    }
  }
}

TEST_CASE("ldexp of f64 rounds once where a product of two roundings would not") {
  // 1 + 2^-52 + 2^-51 down to the last bits of the subnormal numbers: every distance, both sides of every tie.
  std::vector<double> x, k;
  for (int power = -1100; power <= -1000; ++power) {
    for (int low = 0; low < 64; ++low) {
      x.push_back(1 + low * 0x1p-52);
      k.push_back(power);
      x.push_back((1 + low * 0x1p-52) * 0x1p600);
      k.push_back(power - 600);
    }
  }
  std::vector<std::uint64_t> a, b;
  for (double each : x) a.push_back(std::bit_cast<std::uint64_t>(each));
  for (double each : k) b.push_back(std::bit_cast<std::uint64_t>(each));
  for (const Direction& direction : directions) check_pairs<std::uint64_t>(Scalar::f64, direction, a, b);
}

TEST_CASE("ldexp of rationals: exact has the product, enclosures hold it, padic by a known exponent") {
  Random random(test::stream(6));
  for (int i = 0; i < 400; ++i) {
    const mpq_class x(static_cast<long>(random.below(4001)) - 2000, 1 << random.below(12));
    const long power = static_cast<long>(random.below(4400)) - 2200;
    mpq_class product = x;
    if (power < 0) mpq_div_2exp(product.get_mpq_t(), product.get_mpq_t(), static_cast<mp_bitcnt_t>(-power));
    else mpq_mul_2exp(product.get_mpq_t(), product.get_mpq_t(), static_cast<mp_bitcnt_t>(power));
    Circuit c;
    c.result(c.module.apply(Op::ldexp, {c.module.rational(x, Scalar::f64), c.module.rational(power, Scalar::f64)}));
    for (const auto& [name, arguments] : std::vector<std::pair<const char*, std::vector<SemanticsArgument>>>{
             {"exact", {}}, {"interval", {{"200"}}}, {"interval", {{"f32"}}}, {"interval", {{"mean_value"}}}}) {
      auto meaning = make_semantics(name, arguments, {});
      REQUIRE(meaning);
      auto values = c.run(**meaning);
      REQUIRE(values);
      const auto ends = (*meaning)->enclosure(Scalar::f64, (*values)[0].data());
      INFO((*meaning)->name() << ": " << x << " * 2^" << power);
      const bool points = (*meaning)->name() == "exact" || (*meaning)->name() == "interval(200)";
      REQUIRE((ends || (!points && power > 90)));  // else one of the ends is infinite
      if (!ends) continue;
      REQUIRE(ends->low <= product);
      REQUIRE(product <= ends->high);
      if (points) REQUIRE(ends->low == ends->high);
    }
  }
  auto ring = make_semantics("padic", {}, {});
  REQUIRE(ring);
  Circuit c;
  c.result(c.module.apply(Op::ldexp, {c.module.rational(mpq_class(5, 3), Scalar::f64), c.module.rational(-4, Scalar::f64)}));
  auto values = c.run(**ring);
  REQUIRE(values);
  CHECK((*ring)->render(Scalar::f64, (*values)[0].data()).text == "5/48");
}

TEST_CASE("ldexp of intervals has the ends that MPFR rounds outward") {
  struct Endpoints {
    double low, high;
  };
  auto meaning = make_semantics("interval", {}, {});
  REQUIRE(meaning);
  Random random(test::stream(5));
  std::vector<Endpoints> x, k;
  for (int i = 0; i < 20'000; ++i) {
    double a = troublesome(random), b = random.below(2) ? a : troublesome(random);
    if (b < a) std::swap(a, b);
    const double from = static_cast<double>(random.below(4400)) - 2200 + (random.below(4) == 0 ? 0.25 : 0);
    x.push_back({a, b});
    k.push_back({from, from + (random.below(2) ? 0 : static_cast<double>(1 + random.below(5)))});
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Rows operands[] = {{reinterpret_cast<const std::byte*>(&x[i]), 1}, {reinterpret_cast<const std::byte*>(&k[i]), 1}};
    Endpoints out{};
    const auto fault = (*meaning)->apply(Op::ldexp, Scalar::f64, Scalar::f64, operands, reinterpret_cast<std::byte*>(&out), 1, 1, 1);
    const double least = std::ceil(k[i].low), most = std::floor(k[i].high);
    REQUIRE(fault.has_value() == (most < least));
    if (fault) continue;
    double low = INFINITY, high = -INFINITY;
    for (double power = least; power <= most; ++power) {
      const auto end = [&](double value, Rounding way) {
        return std::bit_cast<double>(expected(value, power, Format::f64, way));
      };
      low = std::min(low, end(x[i].low, Rounding::downward));
      high = std::max(high, end(x[i].high, Rounding::upward));
    }
    INFO("[" << x[i].low << ", " << x[i].high << "] by [" << k[i].low << ", " << k[i].high << "]");
    REQUIRE(out.low == low);
    REQUIRE(out.high == high);
  }
}
