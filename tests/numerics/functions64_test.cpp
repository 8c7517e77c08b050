// The elementary functions of f64 (numerics/functions64) against MPFR: special, random and published hard arguments.
// RECKON_TRIALS=1000000 for the long run: random arguments of each function.
#include "numerics/functions64/quick.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "numerics/functions_of_f64.h"
#include "numerics/native_builder.h"
#include "numerics/wide_functions.h"
#include "reference.h"
#include "tests/support/files.h"
#include "tests/support/long_run.h"

namespace reckon::numerics {

/// Keeps the sums that are rounded.
struct Recording : NativeBuilder {
  double high = 0, middle = 0, low = 0;

  double keep(double first, double second, double third) {
    high = first, middle = second, low = third;
    return first + second;
  }
};
// These are more special than the functions of triple.h and quick.h.
inline double rounded(Quick<Recording>& b, const Triple<Quick<Recording>>& x) { return b.keep(x.high, x.middle, 0); }
inline double rounded(Quick<Recording>& b, const Triple<Quick<Recording>>& x, std::uint64_t) { return rounded(b, x); }
inline double rounded(Recording& b, const Triple<Recording>& x) { return b.keep(x.high, x.middle, x.low); }
inline double rounded(Recording& b, const Triple<Recording>& x, std::uint64_t) { return rounded(b, x); }

}  // namespace reckon::numerics

using namespace reckon::numerics;
using namespace reckon::numerics::testing;
using reckon::test::data_folder;

namespace {

std::uint64_t pattern(double x) { return std::isnan(x) ? canonical_nan(Format::f64) : std::bit_cast<std::uint64_t>(x); }

/// What compiled code computes, and what the interpreter does.
template <class Chosen, class... Operands>
void check_against(std::uint64_t expected, Chosen function, Operands... x) {
  NativeBuilder b;
  double in_three = 0, in_two = 0, interpreted_value = 0;
  with_function(function, [&]<Chosen f>() {
    in_three = elementary_f64<f>(b, x...);
    const auto quick = quick_f64<f>(b, x...);
    in_two = quick.decided ? quick.value : in_three;
  });
  const std::uint64_t compiled = pattern(in_three), quick = pattern(in_two);
  nearest_f64(function, &x..., &interpreted_value, 1);
  const auto interpreted = std::bit_cast<std::uint64_t>(interpreted_value);
  if (compiled == expected && quick == expected && interpreted == expected) return;
  INFO(static_cast<int>(function)
       << " of" << ((" " + std::to_string(x) + " " + std::to_string(std::bit_cast<std::uint64_t>(x))) + ...));
  CHECK(compiled == expected);
  CHECK(quick == expected);
  CHECK(interpreted == expected);
}
void check(Function function, double x) {
  check_against(mpfr_unary(function, std::bit_cast<std::uint64_t>(x), Format::f64), function, x);
}
void check(BinaryFunction function, double x, double y) {
  check_against(mpfr_binary(function, std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(y), Format::f64),
                function, x, y);
}

/// Zeros, subnormal and extreme numbers, integers, halves, infinities and NaN, with both signs.
std::vector<double> special_numbers() {
  using Limits = std::numeric_limits<double>;
  std::vector<double> out;
  for (const double x : {0.0, Limits::denorm_min(), 3 * Limits::denorm_min(), Limits::min(), Limits::min() - Limits::denorm_min(), 0x1p-54,
                         0x1p-27, 0.25, 0.5, 0x1.fffffffffffffp-1, 1.0, 0x1.0000000000001p+0, 1.5, 2.0, 3.0, 8.0, 10.0, 27.0, 100.0, 709.5,
                         745.5, 1e22, 0x1p53, 0x1p53 + 2, Limits::max(), Limits::infinity(), Limits::quiet_NaN()}) {
    out.insert(out.end(), {x, -x});
  }
  return out;
}

/// Half of the patterns uniformly; the rest where results are ordinary, subnormal, near 1 or near the endpoints of a domain.
double random_number(std::mt19937_64& random) {
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  switch (random() % 8) {
    case 0: return 1420 * unit - 710;
    case 1: return 20 * unit - 10;
    case 2: return 2.2 * unit - 1.1;
    case 3: return 1 + (unit - 0.5) * std::ldexp(1.0, -static_cast<int>(random() % 50));
    default: return std::bit_cast<double>(random());
  }
}

template <class Chosen>
std::optional<Chosen> named(const std::string& name) {
  int k = 0;
  if constexpr (std::is_same_v<Chosen, Function>) {
#define RECKON_FUNCTION(each) \
  if (name == #each) return static_cast<Chosen>(k); \
  ++k;
#include "numerics/functions.def"
  } else {
#define RECKON_FUNCTION_OF_TWO(each) \
  if (name == #each) return static_cast<Chosen>(k); \
  ++k;
#include "numerics/functions.def"
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("functions of f64 are correctly rounded for special and random arguments") {
  const std::vector<double> special = special_numbers();
  std::mt19937_64 random = random_stream(reckon::test::stream(64));
  const int trials = reckon::test::trials(6000);
  for (int f = 0; f < function_count; ++f) {
    const auto function = static_cast<Function>(f);
    for (const double x : special) check(function, x);
    for (int trial = 0; trial < trials; ++trial) check(function, random_number(random));
  }
  for (int f = 0; f < binary_function_count; ++f) {
    const auto function = static_cast<BinaryFunction>(f);
    for (const double x : special) {
      for (const double y : special) check(function, x, y);
    }
    for (int trial = 0; trial < trials; ++trial) {
      const double x = random_number(random);
      check(function, x, trial % 4 == 0 ? x * (1 + 0x1p-20 * static_cast<double>(random() % 5)) : random_number(random));
    }
  }
}

namespace {

/// The relative difference of the sum of two doubles and that of three; 0 where the former is not to be used.
template <auto function, class... Operands>
double error_in_two(Operands... x) {
  Quick<Recording> two{Recording{}};
  Recording three;
  elementary_f64<function>(two, x...);
  const bool has_value = !std::isnan(elementary_f64<function>(three, x...));
  const double size = std::abs(three.high);
  // What is undecided here, where no rounding is looked at, is an argument that is left to the sum of three; tiny ones,
  // whose products underflow, are results themselves.
  if (!has_value || two.undecided != 0 || !(size > 0x1p-850) || !(size < 0x1p850)) return 0;
  return std::abs((two.high - three.high) + (two.middle - three.middle) - three.low) / size;
}

}  // namespace

TEST_CASE("functions of f64 in two doubles have errors far below those that are allowed for") {
  std::mt19937_64 random = random_stream(reckon::test::stream(65));
  const int trials = reckon::test::trials(6000);
  for (int f = 0; f < function_count; ++f) {
    with_function(static_cast<Function>(f), [&]<Function which>() {
      if constexpr (which != Function::sqrt) {
        double largest = 0;
        for (int trial = 0; trial < trials; ++trial)
          largest = std::max(largest, error_in_two<which>(random_number(random)));
        INFO(f);
        CHECK(largest < 0x1p-75);
        CHECK(largest > 0);
      }
    });
  }
  for (int f = 0; f < binary_function_count; ++f) {
    with_function(static_cast<BinaryFunction>(f), [&]<BinaryFunction which>() {
      double largest = 0;
      for (int trial = 0; trial < trials; ++trial) {
        const double x = random_number(random), y = random_number(random);
        const bool is_root = which == BinaryFunction::rootn;  // whose degree is an integer
        largest = std::max(largest,
                           error_in_two<which>(x, is_root ? std::copysign(static_cast<double>(1 + trial % 40), y) : y));
      }
      INFO(f);
      CHECK(largest < 0x1p-74);
      CHECK(largest > 0);
    });
  }
}

TEST_CASE("functions of f64 are correctly rounded for published hard arguments") {
  std::ifstream file(data_folder() / "f64_hard_cases.txt");
  std::string line, name, x, y;
  int cases = 0;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    if (!(words >> name >> x) || name == "#") continue;
    if (const auto function = named<Function>(name)) {
      check(*function, std::stod(x));
      check(*function, -std::stod(x));
    } else {
      words >> y;
      const auto of_two = named<BinaryFunction>(name);
      REQUIRE(of_two);
      check(*of_two, std::stod(x), std::stod(y));
    }
    ++cases;
  }
  CHECK(cases == 388);
}

TEST_CASE("functions of f64 are correctly rounded next to multiples of a quarter turn") {
  std::ifstream file(data_folder() / "f64_near_quarter_turns.txt");
  std::string line, word, x;
  int cases = 0;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    if (!(words >> word >> x) || word == "#") continue;
    for (const Function function : {Function::sin, Function::cos, Function::tan}) check(function, std::stod(x));
    ++cases;
  }
  CHECK(cases == 3068);
}

TEST_CASE(
    "sinpi, cospi and tanpi of f64 are correctly rounded at and beside multiples of an eighth, and for tiny "
    "arguments") {
  std::mt19937_64 random = random_stream(66);
  for (int trial = 0; trial < 3000; ++trial) {
    const double eighths = static_cast<double>(random() >> (8 + random() % 54)) / 8;
    const double tiny =
        std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, -static_cast<int>(random() % 1074));
    for (const double x : {eighths, std::nextafter(eighths, 0), std::nextafter(eighths, HUGE_VAL), tiny}) {
      for (const Function function : {Function::sinpi, Function::cospi, Function::tanpi}) {
        check(function, x);
        check(function, -x);
      }
    }
  }
}

namespace {

/// log |Gamma|, not rounded once, for the search of its zeros.
double log_gamma(double x) {
  int sign = 0;
  mpfr_t value;
  mpfr_init2(value, 120);
  mpfr_set_d(value, x, MPFR_RNDN);
  mpfr_lgamma(value, &sign, value, MPFR_RNDN);
  const double out = mpfr_get_d(value, MPFR_RNDN);
  mpfr_clear(value);
  return out;
}

/// The zeros of lgamma below -2: where it changes its sign between its least value and each of the poles beside it.
std::vector<double> zeros_of_log_gamma() {
  std::vector<double> out;
  for (int n = 2; n < 24; ++n) {
    double low = -n - 1, high = -n;
    for (int step = 0; step < 100; ++step) {  // the least value, by its bracket
      const double first = low + (high - low) * 0.4, second = low + (high - low) * 0.6;
      (log_gamma(first) < log_gamma(second) ? high : low) = log_gamma(first) < log_gamma(second) ? second : first;
    }
    const double least = low;
    if (!(log_gamma(least) < 0)) continue;
    for (double outside : {static_cast<double>(-n - 1), static_cast<double>(-n)}) {
      double inside = least;
      for (int step = 0; step < 100; ++step) {
        const double middle = inside + (outside - inside) / 2;
        (log_gamma(middle) < 0 ? inside : outside) = middle;
      }
      out.push_back(inside);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("gamma and lgamma of f64 are correctly rounded beside poles, zeros, factorials and where they overflow") {
  std::mt19937_64 random = random_stream(reckon::test::stream(67));
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; };
  const auto both = [&](double x) {
    for (const Function function : {Function::gamma, Function::lgamma}) check(function, x);
  };
  for (int k = -190; k <= 175; ++k) {
    for (const double x : {k + 0.0, k + 0.5, std::nextafter(k, HUGE_VAL), std::nextafter(k, -HUGE_VAL)}) both(x);
    both(k + unit() * std::ldexp(1.0, -static_cast<int>(random() % 45)));
  }
  const std::vector<double> zeros = zeros_of_log_gamma();
  CHECK(zeros.size() == 44);  // two between each two poles from -2 to -24
  std::vector<double> at{1, 2};
  at.insert(at.end(), zeros.begin(), zeros.end());
  for (const double zero : at) {
    double x = zero;
    for (int k = 0; k < 4; ++k) x = std::nextafter(x, -HUGE_VAL);
    for (int k = 0; k < 9; ++k, x = std::nextafter(x, HUGE_VAL)) check(Function::lgamma, x);
    for (int k = 0; k < 30; ++k)
      check(Function::lgamma, zero + unit() * std::ldexp(1.0, -static_cast<int>(random() % 48)));
  }
  for (const double x :
       {171.624376956302, 171.62437695630272, 171.7, 2.55e305, 2.556348e305, 2.5563481638716e305, 2.6e305, 0x1p600,
        0x1.8p600, 0x1p52 - 0.5, 0x1p51 + 0.5, 0x1p-1022, 0x1p-1024, 0x1p-1074, 0x1p-200, 0x1p-300, 0x1p-301}) {
    both(x);
    both(-x);
  }
  for (int k = 0; k < 300; ++k) {
    both(-170 - 20 * (unit() + 0.5));  // subnormal and 0
    both(std::ldexp(unit(), -static_cast<int>(random() % 1060)));
  }
}

TEST_CASE(
    "erfc of f64 is correctly rounded beside the ends of its intervals, where it is subnormal, and beside 1 and 2") {
  std::mt19937_64 random = random_stream(reckon::test::stream(68));
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (const auto& interval : constants64::scaled_erfc_intervals) {
    for (const double x :
         {interval.from, interval.middle, std::nextafter(interval.from, 0), std::nextafter(interval.middle, 0)})
      check(Function::erfc, x);
  }
  for (int k = 0; k < 1000; ++k) {
    check(Function::erfc, 26 + 1.3 * unit());
    check(Function::erfc, -7 * unit());
    check(Function::erfc, std::ldexp(unit() - 0.5, -static_cast<int>(random() % 70)));
  }
}

TEST_CASE("functions of f64 round midpoints to even") {
  // 54-bit integers and their roots: x^2 and x^3 of integers whose powers have one bit too many.
  for (const double x : {0x1.5555557p+26, 134217727.0, 134217729.0, 94906267.0, 262143.0, 208065.0, 262145.0}) {
    for (const double y : {2.0, 3.0, -1.0, 0.5, 1.5, -2.0}) check(BinaryFunction::pow, x, y);
  }
  for (int k = -324; k <= 308; ++k) check(Function::exp10, k);
  for (int k = -1074; k <= 1023; ++k) {
    check(Function::exp2, k);
    check(Function::log2, std::ldexp(1.0, k));
  }
}

TEST_CASE("functions of f64 of arrays of any length, in place, too, are those of their elements") {
  std::mt19937_64 random = random_stream(65);
  for (std::size_t count : {0, 1, 2, 3, 4, 5, 7, 1000}) {
    std::vector<double> x(count), y(count);
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = random_number(random);
      y[i] = random_number(random);
    }
    const auto agrees = [&](auto function, const std::vector<double>& found, auto... operands) {
      for (std::size_t i = 0; i < count; ++i) {
        double alone = 0;
        nearest_f64(function, &(*operands)[i]..., &alone, 1);
        REQUIRE(std::bit_cast<std::uint64_t>(found[i]) == std::bit_cast<std::uint64_t>(alone));
      }
    };
    for (const Function function : {Function::exp, Function::log, Function::tan}) {
      std::vector<double> result = x;
      nearest_f64(function, result.data(), result.data(), count);
      agrees(function, result, &x);
    }
    std::vector<double> result = y;
    nearest_f64(BinaryFunction::pow, x.data(), result.data(), result.data(), count);
    agrees(BinaryFunction::pow, result, &x, &y);
  }
}
