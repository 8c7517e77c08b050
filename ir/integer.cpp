#include "ir/integer.h"

#include <fmt/format.h>

namespace reckon::ir {
namespace {

mpz_class natural(std::uint64_t value) { return mpz_class(static_cast<unsigned long>(value)); }

}  // namespace

mpz_class least_integer(Scalar type) { return integer_of(type, numerics::least_pattern(integer_traits(type))); }
mpz_class greatest_integer(Scalar type) { return integer_of(type, numerics::greatest_pattern(integer_traits(type))); }

bool has_integer(Scalar type, const mpq_class& number) {
  return number.get_den() == 1 && number >= least_integer(type) && number <= greatest_integer(type);
}

std::uint64_t integer_pattern(Scalar type, const mpz_class& number) {
  mpz_class rest;
  mpz_fdiv_r_2exp(rest.get_mpz_t(), number.get_mpz_t(), static_cast<mp_bitcnt_t>(integer_traits(type).width));
  return rest.get_ui();
}

mpz_class integer_of(Scalar type, std::uint64_t pattern) {
  const auto& traits = integer_traits(type);
  if (!numerics::is_negative(traits, pattern)) return natural(pattern);
  return natural(pattern) - (mpz_class(1) << static_cast<mp_bitcnt_t>(traits.width));
}

std::string integer_text(Scalar type, std::uint64_t pattern) { return integer_of(type, pattern).get_str(); }

std::string integer_pattern_text(Scalar type, std::uint64_t pattern) {
  return fmt::format("{}#{:0{}x}", scalar_name(type), pattern, integer_traits(type).width / 4);
}

std::string integers_text(Scalar type) {
  return fmt::format("an integer from {} to {}", least_integer(type).get_str(), greatest_integer(type).get_str());
}

std::string with_article(Scalar type) {
  const std::string_view name = scalar_name(type);
  // The names are read letter by letter: an i, an f, a u, a b.
  const bool vowel = name.front() == 'i' || name.front() == 'f';
  return fmt::format("{} `{}`", vowel ? "an" : "a", name);
}

}  // namespace reckon::ir
