#include "ir/token_reader.h"

#include <fmt/format.h>

#include <charconv>

#include "diagnostics/codes/ir_syntax.h"
#include "ir/integer.h"
#include "ir/printer.h"
#include "numerics/format.h"

namespace reckon::ir::detail {

Token TokenReader::take() {
  const Token out = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return out;
}

bool TokenReader::at(std::string_view text) const {
  const Kind kind = token().kind;
  return (kind == Kind::name || kind == Kind::sign) && token().text == text;
}

bool TokenReader::accept(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}

bool TokenReader::expect(std::string_view text) {
  if (accept(text)) return true;
  fail(fmt::format("`{}`", text));
  return false;
}

std::nullopt_t TokenReader::mistake(const Token& place, std::string message) {
  if (!error) error = Diagnostic(code::ir_syntax, place.span, std::move(message), "here");
  return std::nullopt;
}

std::nullopt_t TokenReader::fail(const std::string& expected) {
  const std::string found = token().kind == Kind::end ? "the text ends" : fmt::format("`{}` stands", token().text);
  return mistake(token(), fmt::format("{} where {} is expected", found, expected));
}

std::optional<std::string> TokenReader::name() {
  if (token().kind == Kind::string) return unquote(take().text);
  if (token().kind == Kind::name) return std::string(take().text);
  return fail("a name");
}

std::optional<std::int64_t> TokenReader::integer(bool negative) {
  if (token().kind != Kind::integer) return fail("an integer");
  const Token digits = take();
  std::string text = (negative ? "-" : "") + std::string(digits.text);
  std::int64_t value = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc{} || end != text.data() + text.size()) {
    return mistake(digits, fmt::format("`{}` does not fit in 64 bits", text));
  }
  return value;
}

std::optional<mpq_class> TokenReader::rational() {
  const bool negative = accept("-");
  if (token().kind != Kind::integer) return fail("a number");
  mpq_class out(std::string(take().text));
  if (accept("/")) {
    const Token place = token();
    if (place.kind != Kind::integer) return fail("a denominator");
    const mpz_class denominator(std::string(take().text));
    if (denominator == 0) return mistake(place, "a denominator is 0");
    out /= denominator;
  }
  return negative ? mpq_class(-out) : out;
}

std::optional<std::pair<Literal, Scalar>> TokenReader::bit_pattern() {
  if (token().kind != Kind::bits) return fail("a bit pattern");
  const Token whole = take();
  const std::size_t sharp = whole.text.find('#');
  const std::string_view digits = whole.text.substr(sharp + 1);
  const auto scalar = scalar_named(whole.text.substr(0, sharp));
  Literal out;
  out.kind = Literal::Kind::bits;
  const auto [end, trouble] = std::from_chars(digits.data(), digits.data() + digits.size(), out.bits, 16);
  if (!scalar || !is_float(*scalar) || trouble != std::errc{} || end != digits.data() + digits.size() ||
      static_cast<int>(digits.size()) * 4 != numerics::word_width(format_of(*scalar)) ||
      (out.bits & ~numerics::storage_mask(format_of(*scalar))) != 0) {
    return mistake(whole, fmt::format("`{}` is not a bit pattern of a format", whole.text));
  }
  return std::pair(std::move(out), *scalar);
}

std::optional<Literal> TokenReader::literal_of(Scalar scalar) {
  const Token place = token();
  if (scalar == Scalar::boolean) return fail("`true` or `false`");
  Literal out;
  if (accept("nan")) {
    out.kind = Literal::Kind::not_a_number;
  } else if (at("inf") || (at("-") && next_token().text == "inf")) {
    out.kind = Literal::Kind::infinity;
    out.negative = accept("-");
    take();
  } else {
    out.kind = Literal::Kind::rational;
    if (token().kind == Kind::name) {
      const auto found = std::find(real_constant_names.begin(), real_constant_names.end(), token().text);
      if (found == real_constant_names.end()) return fail("a number or a named constant");
      take();
      out.kind = Literal::Kind::real;
      out.constant = static_cast<RealConstant>(found - real_constant_names.begin());
      if (!expect("*")) return std::nullopt;
    }
    auto value = rational();
    if (!value) return std::nullopt;
    out.value = std::move(*value);
  }
  if (is_integer(scalar) && !is_word(out, scalar)) {
    return mistake(place, fmt::format("{} is {}", with_article(scalar), integers_text(scalar)));
  }
  const bool special = out.kind == Literal::Kind::infinity || out.kind == Literal::Kind::not_a_number;
  if (special && !is_float(scalar)) return mistake(place, "only float formats have infinities and NaNs");
  if (out.kind == Literal::Kind::infinity && !numerics::has_infinity(format_of(scalar))) {
    return mistake(place, fmt::format("`{}` has no infinity", scalar_name(scalar)));
  }
  if (out.kind == Literal::Kind::not_a_number && !numerics::has_nan(format_of(scalar))) {
    return mistake(place, fmt::format("`{}` has no NaN", scalar_name(scalar)));
  }
  if (!expect(")")) return std::nullopt;
  return out;
}

}  // namespace reckon::ir::detail
