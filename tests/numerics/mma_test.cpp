// The additions of tensor cores: Hopper's against what an H200 computed (tests/gpu/tensor_cores.py), and all of them
// against a second statement in rationals.
#include "numerics/mma.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/support/files.h"

using namespace reckon::numerics;

namespace {

std::vector<double> numbers(const std::string& digits, Format format) {
  const auto width = static_cast<std::size_t>(word_width(format) / 4);
  std::vector<double> out;
  for (std::size_t at = 0; at < digits.size(); at += width) {
    out.push_back(widen(std::stoull(digits.substr(at, width), nullptr, 16), format));
  }
  return out;
}

mpq_class power(int exponent) {
  mpq_class out = 1;
  if (exponent >= 0) mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<unsigned>(exponent));
  else mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<unsigned>(-exponent));
  return out;
}

mpq_class cut(const mpq_class& x, int exponent) {
  const mpq_class scaled = x / power(exponent);
  const mpz_class whole = scaled.get_num() / scaled.get_den();  // toward zero
  return whole * power(exponent);
}

/// The least e >= least with |x| < 2^(e + 1).
int exponent_of(const mpq_class& x, int least) {
  int e = least;
  while (abs(x) >= power(e + 1)) ++e;
  return e;
}

/// One addition of finite numbers, by its definition; the bits of the accumulator's format.
std::uint64_t restated(const MmaUnit& unit, double c, const std::vector<double>& x, const std::vector<double>& y) {
  const FormatTraits &operand = traits(unit.operand), &accumulator = traits(unit.accumulator);
  int largest = unit.least;
  std::vector<mpq_class> terms{mpq_class(c)};
  if (c != 0) largest = std::max(largest, exponent_of(terms[0], accumulator.emin));
  for (std::size_t i = 0; i < x.size(); ++i) {
    terms.push_back(mpq_class(x[i]) * mpq_class(y[i]));
    if (terms.back() == 0) continue;
    largest = std::max(largest, exponent_of(x[i], operand.emin) + exponent_of(y[i], operand.emin));
  }
  mpq_class sum = 0;
  for (const mpq_class& term : terms) sum += cut(term, largest - unit.kept);
  std::uint64_t bits = 0;
  if (unit.result == 0) {
    bits = round_rational(sum, unit.accumulator);
  } else {
    const mpq_class kept = cut(sum, exponent_of(sum, accumulator.emin) - unit.result);
    const bool overflows = abs(kept) >= power(accumulator.emax + 1);
    bits = overflows ? infinity_bits(unit.accumulator) | (kept < 0 ? sign_bit(unit.accumulator) : 0)
                     : round_rational(kept, unit.accumulator);
  }
  return bits == sign_bit(unit.accumulator) ? 0 : bits;
}

}  // namespace

TEST_CASE("additions of tensor cores have the bits of an H200") {
  std::ifstream in(std::string(RECKON_TEST_DATA) + "/tensor_cores_h200.txt");
  REQUIRE(in);
  std::string line;
  std::size_t count = 0;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string instruction, operand, accumulator, x, y, c, d;
    words >> instruction >> operand >> accumulator >> x >> y >> c >> d;
    const MmaUnit* unit = mma_unit(MmaModel::hopper, *format_named(operand), *format_named(accumulator));
    REQUIRE(unit != nullptr);
    const auto before = numbers(c, unit->accumulator)[0];
    const auto left = numbers(x, unit->operand), right = numbers(y, unit->operand);
    REQUIRE(left.size() == static_cast<std::size_t>(unit->length));
    const double sum = mma_node(*unit, before, left, right);
    INFO(line);
    const double expected = numbers(d, unit->accumulator)[0];
    if (std::isnan(expected)) CHECK(std::isnan(sum));
    else CHECK(round_f64(sum, unit->accumulator) == std::stoull(d, nullptr, 16));
    ++count;
  }
  CHECK(count == 880);
}

TEST_CASE("additions of tensor cores follow their definition") {
  std::mt19937_64 random(7);
  for (const MmaUnit& unit : mma_units()) {
    const FormatTraits& operand = traits(unit.operand);
    for (int trial = 0; trial < 300; ++trial) {
      const int spread = trial % 3 == 0 ? 3 : trial % 3 == 1 ? 12 : 80;
      const auto number = [&](Format format) {
        const double unit_value = static_cast<double>(random() % 4096) / 2048 - 1;
        const int exponent = static_cast<int>(random() % static_cast<unsigned>(2 * spread)) - spread;
        const std::uint64_t bits = round_f64(std::ldexp(unit_value, exponent), format);
        return is_finite(bits, format) ? widen(bits, format) : 0.0;
      };
      std::vector<double> x, y;
      const auto products = 1 + random() % static_cast<unsigned>(unit.length);
      for (std::size_t k = 0; k < products; ++k) {
        x.push_back(number(unit.operand));
        y.push_back(number(unit.operand));
      }
      const double c = trial % 5 == 0 ? 0.0 : number(unit.accumulator);
      INFO(mma_model_names[static_cast<std::size_t>(unit.model)] << ' ' << operand.name << ", trial " << trial);
      const double sum = mma_node(unit, c, x, y);
      CHECK(round_f64(sum, unit.accumulator) == restated(unit, c, x, y));
    }
  }
}

TEST_CASE("a sum on tensor cores is a chain of additions") {
  std::mt19937_64 random(8);
  for (const MmaUnit& unit : mma_units()) {
    for (const int n : {1, 2, unit.length, unit.length + 1, 3 * unit.length + 2}) {
      MmaSum whole(unit);
      double c = 0;
      std::vector<double> x, y;
      for (int k = 0; k < n; ++k) {
        x.push_back(widen(round_f64(static_cast<double>(random() % 999) / 256 - 2, unit.operand), unit.operand));
        y.push_back(widen(round_f64(static_cast<double>(random() % 999) / 256 - 2, unit.operand), unit.operand));
        whole.add_product(x.back(), y.back());
        if (static_cast<int>(x.size()) < unit.length && k + 1 < n) continue;
        c = mma_node(unit, c, x, y);
        x.clear();
        y.clear();
      }
      CHECK(whole.result() == c);
    }
  }
}
