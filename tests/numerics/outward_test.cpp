// numerics/outward.h against MPFR with the exponent range of f64 (mpfr_subnormalize): + * / sqrt fma and integers, on
// operands from the least to the largest, that cancel, that underflow, and infinite. RECKON_TRIALS is how many operands
// each operation gets.
#include "numerics/outward.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>

#include "numerics/native_builder.h"
#include "tests/numerics/reference.h"
#include "tests/support/long_run.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
constexpr double tiniest = std::numeric_limits<double>::denorm_min();

std::uint64_t trials() { return reckon::test::trials<std::uint64_t>(300'000); }

/// MPFR rounds as f64 does while one of these lives.
class F64Range {
 public:
  F64Range() : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    for (mpfr_ptr each : {x, y, z, out}) mpfr_init2(each, 53);
  }
  ~F64Range() {
    for (mpfr_ptr each : {x, y, z, out}) mpfr_clear(each);
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
  }
  /// `operation` gives MPFR's ternary value of `out`.
  template <class Operation>
  double rounded(bool down, Operation&& operation) {
    const mpfr_rnd_t way = down ? MPFR_RNDD : MPFR_RNDU;
    mpfr_subnormalize(out, operation(way), way);
    return mpfr_get_d(out, way);
  }
  mpfr_t x, y, z, out;

 private:
  mpfr_exp_t emin_, emax_;
};

class Operands {
 public:
  double any() {
    static constexpr double edges[] = {0,       -0.0,           tiniest,          -tiniest,        3 * tiniest, 0x1p-1022,       0x1p-1022 - tiniest,
                                       largest, -largest,       0x1p+1023,      1,             -1,        1 + 0x1p-52,     1 - 0x1p-53,
                                       3,       0x1p-537,       -0x1p-538,      0x1.8p-538,    0x1p-1021, -0x1.fffffp1022, 0x1p-969,
                                       1. / 3,  0x1.000001p-60, 0x1.fffffcp+60, 0x1.8p-1074};
    const auto kind = stream_() % 8;
    if (kind == 0) return edges[stream_() % std::size(edges)];
    std::uint64_t mantissa = stream_() >> 12;
    if (kind < 4) mantissa &= ~std::uint64_t{0} << (20 + stream_() % 33);
    const std::uint64_t exponent = kind % 2 == 0 ? stream_() % 2047 : 1023 - 60 + stream_() % 121;
    return std::bit_cast<double>((stream_() & (std::uint64_t{1} << 63)) | exponent << 52 | mantissa);
  }
  /// Some steps from x, either side, or its negative.
  double near(double x) {
    const std::uint64_t steps = stream_() % 5 - 2;  // wraps around
    const double moved = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) + steps);
    const double out = std::isfinite(moved) ? moved : largest;
    return stream_() % 2 ? out : -out;
  }
  std::uint64_t word() { return stream_(); }

 private:
  std::mt19937_64 stream_ = random_stream(20261121);
};

NativeBuilder native;
Outward<NativeBuilder> outward{native};

/// One zero; counts what differs and shows the first.
class Differences {
 public:
  void compare(const char* what, double got, double wanted, std::initializer_list<double> operands) {
    if (got == wanted) return;
    if (count++ > 0) return;
    std::string text;
    for (double each : operands) text += std::to_string(std::bit_cast<std::uint64_t>(each)) + " ";
    char line[200];
    std::snprintf(line, sizeof line, "%s: %a instead of %a;", what, got, wanted);
    UNSCOPED_INFO(line << " operands (bits) " << text);
  }
  std::uint64_t count = 0;
};

}  // namespace

TEST_CASE("sums, products, quotients and roots rounded outward are MPFR's") {
  F64Range mpfr;
  Operands operands;
  Differences differences;
  for (std::uint64_t trial = 0; trial < trials(); ++trial) {
    const double x = operands.any(), y = trial % 3 == 0 ? operands.near(x) : operands.any();
    mpfr_set_d(mpfr.x, x, MPFR_RNDN);
    mpfr_set_d(mpfr.y, y, MPFR_RNDN);
    for (const bool down : {true, false}) {
      const auto two = [&](auto function) {
        return mpfr.rounded(down, [&](mpfr_rnd_t way) { return function(mpfr.out, mpfr.x, mpfr.y, way); });
      };
      differences.compare("add", down ? outward.add_below(x, y) : outward.add_above(x, y), two(mpfr_add), {x, y});
      differences.compare("mul", down ? outward.mul_below(x, y) : outward.mul_above(x, y), two(mpfr_mul), {x, y});
      if (y > 0) {
        differences.compare("div", down ? outward.div_below(x, y) : outward.div_above(x, y), two(mpfr_div), {x, y});
      }
      const double root = std::fabs(x);
      mpfr_set_d(mpfr.z, root, MPFR_RNDN);
      differences.compare("sqrt", down ? outward.sqrt_below(root) : outward.sqrt_above(root),
                          mpfr.rounded(down, [&](mpfr_rnd_t way) { return mpfr_sqrt(mpfr.out, mpfr.z, way); }), {root});
    }
  }
  CHECK(differences.count == 0);
}

TEST_CASE("fma rounded outward is MPFR's") {
  F64Range mpfr;
  Operands operands;
  Differences differences;
  std::uint64_t ordinary = 0;
  for (std::uint64_t trial = 0; trial < trials(); ++trial) {
    double x = operands.any(), y = operands.any();
    if (trial % 4 == 1 && y != 0) x = std::clamp(operands.any() / y, -largest, largest);
    if (trial % 4 == 2) {  // a product next to the least numbers
      x = std::ldexp(x, -500);
    }
    if (trial % 32 == 5) (trial % 64 == 5 ? x : y) = operands.word() % 2 ? 0.0 : -0.0;
    // The addend cancels the product, or all but its rounding error, or is anything.
    double z = operands.any();
    if (trial % 2 == 0) z = operands.near(std::clamp(x * y, -largest, largest));
    if (trial % 16 == 3) z = operands.near(std::fma(x, y, -x * y));
    if (!std::isfinite(z) || !std::isfinite(x)) continue;
    mpfr_set_d(mpfr.x, x, MPFR_RNDN);
    mpfr_set_d(mpfr.y, y, MPFR_RNDN);
    mpfr_set_d(mpfr.z, z, MPFR_RNDN);
    const bool is_ordinary = outward.is_ordinary(x, y, z);
    ordinary += is_ordinary;
    for (const bool down : {true, false}) {
      const double wanted =
          mpfr.rounded(down, [&](mpfr_rnd_t way) { return mpfr_fma(mpfr.out, mpfr.x, mpfr.y, mpfr.z, way); });
      differences.compare("fma", down ? outward.fma_below(x, y, z) : outward.fma_above(x, y, z), wanted, {x, y, z});
      if (!is_ordinary) continue;
      differences.compare("ordinary fma", down ? outward.ordinary_fma_below(x, y, z) : outward.ordinary_fma_above(x, y, z),
                          wanted, {x, y, z});
    }
  }
  CHECK(differences.count == 0);
  CHECK(ordinary > trials() / 5);
}

TEST_CASE("unbounded ends stay unbounded, and 0 times them is 0") {
  for (double x : {infinity, -infinity}) {
    for (double y : {1.0, -3.0, tiniest, -largest}) {
      CHECK(outward.mul_below(x, y) == x * y);
      CHECK(outward.mul_above(y, x) == x * y);
      CHECK((x < 0 ? outward.add_below(x, y) : outward.add_above(x, y)) == x);
      CHECK((x < 0 ? outward.fma_below(y, 2, x) : outward.fma_above(y, 2, x)) == x);
      CHECK((x < 0 ? outward.fma_below(0, x, x) : outward.fma_above(0, x, x)) == x);
      CHECK(outward.fma_below(x, y, 7) == x * y);
      CHECK(outward.fma_above(y, x, -7) == x * y);
      CHECK(outward.fma_below(x, 0, y) == y);
      CHECK(outward.fma_above(x, 0, y) == y);
    }
    for (double zero : {0.0, -0.0}) {
      CHECK(outward.mul_below(x, zero) == 0);
      CHECK(outward.mul_above(zero, x) == 0);
    }
    for (double y : {1.0, tiniest, largest, 0.0}) {
      CHECK(outward.div_below(x, y) == x);
      CHECK(outward.div_above(x, y) == x);
    }
  }
  for (double x : {1.0, -tiniest, largest, 0.0}) {
    CHECK(outward.div_below(x, infinity) == 0);
    CHECK(outward.div_above(x, infinity) == 0);
  }
  CHECK(outward.div_below(-tiniest, 0) == -infinity);
  CHECK(outward.div_above(tiniest, 0) == infinity);
  CHECK(outward.sqrt_below(infinity) == infinity);
  CHECK(outward.sqrt_above(infinity) == infinity);
  // The four corners of overflow.
  CHECK(outward.add_below(largest, largest) == largest);
  CHECK(outward.add_above(-largest, -largest) == -largest);
  CHECK(outward.mul_below(largest, 2) == largest);
  CHECK(outward.mul_above(largest, -2) == -largest);
  CHECK(outward.add_below(largest, -tiniest) == std::nextafter(largest, 0));
  CHECK(outward.add_above(-tiniest, largest) == largest);
}

TEST_CASE("integers beyond 2^53 are enclosed by their neighbours") {
  Operands operands;
  Differences differences;
  F64Range mpfr;
  for (int trial = 0; trial < 100'000; ++trial) {
    auto value = static_cast<std::int64_t>(operands.word() >> (operands.word() % 12));
    if (trial < 200) value = (trial % 2 ? std::numeric_limits<std::int64_t>::min() + trial : std::numeric_limits<std::int64_t>::max() - trial);
    const double high = static_cast<double>(value >> 32), low = static_cast<double>(value & 0xffffffff);
    for (const bool down : {true, false}) {
      differences.compare("integer", down ? outward.integer_below(high, low) : outward.integer_above(high, low),
                          mpfr.rounded(down, [&](mpfr_rnd_t way) { return mpfr_set_si(mpfr.out, value, way); }), {high, low});
    }
  }
  CHECK(differences.count == 0);
}
