// The ring `padic` against tests/data/padic_vectors.txt, which padic_reference.py makes by other means: powers of big
// integers instead of series, digit by digit logarithms, Euler's criterion.
#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "numerics/padic/padic.h"

using namespace reckon::numerics::padic;

namespace {

constexpr std::uint64_t moduli[] = {1, p, p2, p3, p4};

/// `a,b,c,digits,exp_b,exp_c,k`. What is not known of a is filled with noise, so that a use of it shows.
Value parsed(const std::string& word, std::uint64_t noise) {
  if (word == "undefined") return undefined(Cause::constant);
  if (word == "-inf") return minus_infinity();
  std::istringstream parts(word);
  std::string part[7];
  for (std::string& one : part) std::getline(parts, one, ',');
  const auto number = [](const std::string& digits, int otherwise) { return digits == "?" ? otherwise : std::stoi(digits); };
  Value out;
  out.digits = static_cast<std::uint8_t>(std::stoi(part[3]));
  const std::uint64_t modulus = moduli[out.digits];
  out.a = form(std::stoull(part[0]) + noise % (p4 / modulus) * modulus);
  out.b = static_cast<std::uint16_t>(number(part[1], unknown_b));
  out.c = static_cast<std::uint8_t>(number(part[2], unknown_c));
  out.exponential = {static_cast<std::uint16_t>(number(part[4], 0)), static_cast<std::uint8_t>(number(part[5], 0)),
                     static_cast<std::int8_t>(std::stoi(part[6]))};
  return out;
}

std::string written(const Value& x) {
  if (is_undefined(x)) return "undefined";
  if (is_infinite(x)) return "-inf";
  std::ostringstream out;
  const auto part = [](int value, int unknown) { return value == unknown ? std::string("?") : std::to_string(value); };
  out << plain(x.a) % moduli[x.digits] << ',' << part(x.b, unknown_b) << ',' << part(x.c, unknown_c) << ','
      << int{x.digits} << ',' << part(x.exponential.b, 0) << ',' << part(x.exponential.c, 0) << ','
      << int{x.exponential.ln2_power};
  return out.str();
}

namespace padic = reckon::numerics::padic;
using Unary = Value (*)(const Value&);
using Binary = Value (*)(const Value&, const Value&);
const std::map<std::string, Unary> unary{
    {"neg", padic::neg},     {"exp", padic::exp},   {"log", padic::log},   {"sqrt", padic::sqrt},
    {"rsqrt", padic::rsqrt}, {"cbrt", padic::cbrt}, {"sin", padic::sin},   {"cos", padic::cos},
    {"exp2", padic::exp2},   {"log2", padic::log2}, {"abs", padic::abs}};
const std::map<std::string, Binary> binary{
    {"add", padic::add}, {"sub", padic::sub}, {"mul", padic::mul}, {"div", padic::div}, {"pow", padic::pow}};

}  // namespace

TEST_CASE("padic: the vectors of the reference in Python") {
  std::ifstream file(RECKON_TEST_DATA "/padic_vectors.txt");
  std::size_t seen = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, first, second, arrow, expected;
    words >> name >> first >> second;
    const bool two = second != "->";
    if (two) words >> arrow;
    words >> expected;
    const Value x = parsed(first, mix(seen)), y = two ? parsed(second, mix(~seen)) : Value{};
    INFO(line);
    ++seen;
    if (name == "compare") {
      const auto order = compare(x, y);
      CHECK(std::to_string(order ? *order : 2) == expected);
      // Negation turns the order round.
      if (order && is_finite(x) && is_finite(y)) CHECK(compare(neg(y), neg(x)) == order);
      continue;
    }
    CHECK(written(two ? binary.at(name)(x, y) : unary.at(name)(x)) == expected);
  }
  CHECK(seen == 2400);
}

TEST_CASE("padic: rationals and their residues") {
  // By definition: n/d is the x with d x = n.
  for (const char* text : {"1/3", "-7/10", "123456789012345678901234567890/97", "1/1048576", "0", "5", "-1/163", "19559/2"}) {
    INFO(text);
    const mpq_class number(text);
    const Value x = from_rational(number);
    const auto residue = [](const mpz_class& n, unsigned long m) { return mpz_class((n % m + m) % m); };
    REQUIRE(x.digits == 4);
    CHECK(residue(mpz_class(std::to_string(plain(x.a))) * number.get_den(), p4) == residue(number.get_num(), p4));
    if (x.b != unknown_b) CHECK(residue(number.get_den() * x.b, q) == residue(number.get_num(), q));
    CHECK((x.b == unknown_b) == (residue(number.get_den(), q) == 0 && number != 0));
    CHECK((x.c == unknown_c) == (residue(number.get_den(), r) == 0 && number != 0));
  }
  CHECK(cause(from_rational(mpq_class(1, p))) == Cause::constant);
  CHECK(is_undefined(from_rational(mpq_class(1, p))));
  CHECK(written(from_dyadic(-5, -3)) == written(from_rational(mpq_class(-5, 8))));
  CHECK(written(from_dyadic(3, 70)) == written(from_rational(mpq_class(mpz_class(3) << 70))));
  CHECK(written(from_dyadic(1, -1074)) == written(from_rational(mpq_class(1, mpz_class(1) << 1074))));
}

TEST_CASE("padic: what is shown") {
  CHECK(text(from_rational(mpq_class(1, 3))) == "1/3");
  CHECK(text(from_rational(mpq_class(-22, 7))) == "-22/7");
  CHECK(text(from_rational(0)) == "0");
  CHECK(text(from_rational(mpq_class(13421773, 1 << 26))) == "13421773/67108864");
  CHECK(text(undefined(Cause::root)) == "undefined (a square root)");
  CHECK(text(minus_infinity()) == "-inf");
  CHECK(text(log(from_rational(3))).ends_with(" mod 39119^3"));
  // Random elements look like no small rational.
  std::size_t rationals = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    Value x = random_value(mix(seed), Sign::any);
    rationals += to_rational(x).has_value();
    x.b = unknown_b;
    rationals += to_rational(x).has_value();
  }
  CHECK(rationals == 0);
}

TEST_CASE("padic: random elements are spread as they should be") {
  constexpr std::uint64_t count = 40000;
  std::uint64_t signs[3] = {}, low = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    for (Sign wanted : {Sign::any, Sign::positive, Sign::negative}) {
      const Value x = random_value(mix(seed * 3 + 1), wanted);
      REQUIRE(x.a < p4);
      REQUIRE(x.b < q);
      REQUIRE(x.c < r);
      const auto found = sign(x);
      if (wanted != Sign::any) REQUIRE(found == (wanted == Sign::positive ? 1 : -1));
      // The signs of both parts agree, so that the root of the square is the absolute value in both.
      const Value root = sqrt(mul(x, x)), size = abs(x);
      if (x.a % p != 0) REQUIRE((root.a == size.a && root.b == size.b));
      if (wanted == Sign::any) {
        ++signs[*found + 1];
        low += plain(x.a) % 2;
      }
    }
  }
  // Five standard deviations, 100, around the half.
  CHECK(std::abs(static_cast<long>(signs[2]) - static_cast<long>(count / 2)) < 500);
  CHECK(std::abs(static_cast<long>(low) - static_cast<long>(count / 2)) < 500);
}
