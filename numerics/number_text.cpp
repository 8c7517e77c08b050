// Exact numbers as text: the language's literals, and rationals.
#include "numerics/format.h"

namespace reckon::numerics {

namespace {

constexpr long exponent_limit = 100'000;

int digit_value(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  if (character >= 'A' && character <= 'F') return character - 'A' + 10;
  return 16;
}

/// Reads a literal from left to right; every step says whether it found what it wants.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : text_(text) {}

  bool at_end() const { return position_ == text_.size(); }

  bool accept(char lower, char upper) {
    if (at_end() || (text_[position_] != lower && text_[position_] != upper)) return false;
    ++position_;
    return true;
  }

  /// One digit or more, with single underscores between them; they are appended to `digits`.
  bool digits(int base, std::string& digits) {
    const std::size_t before = digits.size();
    while (!at_end() && digit_value(text_[position_]) < base) {
      digits += text_[position_++];
      const bool joined = position_ + 1 < text_.size() && text_[position_] == '_' &&
                          digit_value(text_[position_ + 1]) < base;
      if (joined) ++position_;
    }
    return digits.size() > before;
  }

  /// A signed decimal exponent within the limit.
  bool exponent(long& value) {
    const bool negative = accept('-', '-');
    if (!negative) accept('+', '+');
    std::string text;
    if (!digits(10, text)) return false;
    value = 0;
    for (const char character : text) {
      value = value * 10 + (character - '0');
      if (value > exponent_limit) return false;
    }
    if (negative) value = -value;
    return true;
  }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

mpq_class scaled(const std::string& digits, int digit_base, unsigned long base, long exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), base, static_cast<unsigned long>(exponent < 0 ? -exponent : exponent));
  const mpz_class significand(digits, digit_base);
  mpq_class value = exponent < 0 ? mpq_class(significand, power) : mpq_class(significand * power);
  value.canonicalize();
  return value;
}

}  // namespace

std::optional<mpq_class> parse_number(std::string_view text) {
  LiteralReader reader(text);
  const bool is_hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (is_hexadecimal) {
    reader.accept('0', '0');
    reader.accept('x', 'X');
  }
  const int digit_base = is_hexadecimal ? 16 : 10;
  std::string digits;
  if (!reader.digits(digit_base, digits)) return std::nullopt;
  long fraction_digits = 0;
  bool has_point = false;
  if (reader.accept('.', '.')) {
    const std::size_t whole = digits.size();
    if (!reader.digits(digit_base, digits)) return std::nullopt;
    fraction_digits = static_cast<long>(digits.size() - whole);
    has_point = true;
  }
  long exponent = 0;
  const bool has_exponent = is_hexadecimal ? reader.accept('p', 'P') : reader.accept('e', 'E');
  if (has_exponent && !reader.exponent(exponent)) return std::nullopt;
  if (is_hexadecimal && has_point && !has_exponent) return std::nullopt;
  if (!reader.at_end()) return std::nullopt;
  return is_hexadecimal ? scaled(digits, 16, 2, exponent - 4 * fraction_digits)
                        : scaled(digits, 10, 10, exponent - fraction_digits);
}

std::string rational_text(const mpq_class& value) {
  mpq_class canonical = value;
  canonical.canonicalize();
  return canonical.get_str();
}

}  // namespace reckon::numerics
