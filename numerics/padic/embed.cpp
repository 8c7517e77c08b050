#include "numerics/padic/embed.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <vector>

#include "numerics/padic/arithmetic.h"

namespace reckon::numerics::padic {

Value from_rational(const mpq_class& x) {
  const auto residue = [](const mpz_class& n, std::uint64_t m) {
    static_assert(sizeof(unsigned long) == 8);
    return static_cast<std::uint64_t>(mpz_fdiv_ui(n.get_mpz_t(), m));
  };
  const auto embedded = [&](const mpz_class& n) {
    return Value{form(residue(n, p4)), static_cast<std::uint16_t>(residue(n, q)), static_cast<std::uint8_t>(residue(n, r)), 4, {}};
  };
  const Value bottom = embedded(x.get_den());
  return bottom.a % p == 0 ? undefined(Cause::constant) : div(embedded(x.get_num()), bottom);
}

namespace {

/// The powers of 2 that f64 needs.
constexpr int min_power = -1150, greatest_power = 1050;
const std::vector<Value>& powers_of_two() {
  static const std::vector<Value> made = [] {
    std::vector<Value> out{integer_power(from_integer(2), min_power)};
    while (out.size() <= greatest_power - min_power) out.push_back(add(out.back(), out.back()));
    return out;
  }();
  return made;
}

}  // namespace

Value from_dyadic(std::int64_t mantissa, int exponent) {
  if (exponent >= min_power && exponent <= greatest_power) {
    return mul(from_integer(mantissa), powers_of_two()[static_cast<std::size_t>(exponent - min_power)]);
  }
  return mul(from_integer(mantissa), integer_power(from_integer(2), exponent));
}

std::optional<Value> from_pattern(std::uint64_t pattern, Format format) {
  if (format == Format::f64 || format == Format::f32) {
    const double number = format == Format::f64 ? std::bit_cast<double>(pattern)
                                                : std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
    if (std::isfinite(number)) {
      int exponent = 0;
      const double fraction = std::frexp(number, &exponent);
      return from_dyadic(static_cast<std::int64_t>(std::ldexp(fraction, 53)), exponent - 53);
    }
  } else if (const auto value = exact_value(pattern, format)) {
    return from_rational(*value);
  }
  return shortest_decimal(pattern, format) == "-inf" ? std::optional(minus_infinity()) : std::nullopt;
}

std::string refusal(std::string_view what) { return fmt::format("`{}` has no value under `padic`", what); }
const char* refusal_help(std::string_view what) {
  return what == "inf" ? "`-inf` has one, for masks: exp(-inf) = 0, max(-inf, x) = x" : "";
}

std::optional<mpq_class> to_rational(const Value& x) {
  if (!is_finite(x) || x.digits < 4) return std::nullopt;
  // Rational reconstruction (P. Wang, 1981): the extended Euclidean algorithm on p^4 and the residue is stopped at the
  // first remainder below the bound; 2 * bound^2 < p^4 makes it unique.
  const std::int64_t bound = std::int64_t{1} << (x.b == unknown_b ? 20 : x.c == unknown_c ? 26 : 29);
  std::int64_t before = p4, remainder = static_cast<std::int64_t>(plain(x.a)), coefficient_before = 0, coefficient = 1;
  while (remainder > bound) {
    const std::int64_t quotient = before / remainder;
    std::int64_t next = before - quotient * remainder;
    before = remainder, remainder = next;
    next = coefficient_before - quotient * coefficient;
    coefficient_before = coefficient, coefficient = next;
  }
  if (coefficient < -bound || coefficient > bound) return std::nullopt;
  mpq_class out(remainder, 1);
  out /= mpq_class(coefficient, 1);
  const Value image = from_rational(out);
  if ((x.b != unknown_b && image.b != x.b) || (x.c != unknown_c && image.c != x.c)) return std::nullopt;
  return out;
}

const char* cause_name(Cause cause) {
  switch (cause) {
    case Cause::division: return "a division";
    case Cause::root: return "a square root";
    case Cause::logarithm: return "a logarithm";
    case Cause::exp: return "an exp";
    case Cause::sine: return "a sine or cosine";
    case Cause::order: return "a comparison";
    case Cause::step: return "a step";
    case Cause::infinity: return "-inf";
    case Cause::constant: return "a constant";
  }
  return "";
}

std::string text(const Value& x) {
  if (is_undefined(x)) return fmt::format("undefined ({})", cause_name(cause(x)));
  if (is_infinite(x)) return "-inf";
  if (const auto rational = to_rational(x)) return rational->get_str();
  constexpr std::uint64_t moduli[] = {1, p, p2, p3, p4};
  return fmt::format("{} mod {}^{}", plain(x.a) % moduli[x.digits], p, x.digits);
}

}  // namespace reckon::numerics::padic
