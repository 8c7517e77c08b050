#include "trace/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace reckon::trace {
namespace {

/// A text as the numbers in it and what stands around them: pieces[0] numbers[0] pieces[1] ... Digits of names, of
/// numbers with a point, and of exponents are no numbers of their own.
struct Pieces {
  std::vector<std::string> texts;
  std::vector<std::int64_t> numbers;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

Pieces pieces_of(const std::string& text) {
  Pieces out;
  std::string piece;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      piece += text[at++];
      continue;
    }
    // A word, or a number with its point and exponent.
    std::size_t end = at;
    const bool digit = std::isdigit(static_cast<unsigned char>(text[at])) != 0;
    while (end < text.size() &&
           (is_word(text[end]) || (digit && text[end] == '.' && end + 1 < text.size() && text[end + 1] != '.') ||
            (digit && (text[end] == '-' || text[end] == '+') && text[end - 1] == 'e')))
      ++end;
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, number);
    if (digit && error == std::errc{} && stop == text.data() + end) {
      out.texts.push_back(std::move(piece));
      piece.clear();
      out.numbers.push_back(number);
    } else {
      piece += text.substr(at, end - at);
    }
    at = end;
  }
  out.texts.push_back(std::move(piece));
  return out;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// The values of a number in all instances, as an expression of the sizes.
class Fit {
 public:
  Fit(const std::vector<Instance>& instances, std::vector<std::int64_t> values)
      : instances_(instances), values_(std::move(values)) {}

  std::optional<std::string> text() const {
    const std::size_t names = instances_[0].sizes.size();
    for (std::size_t s = 0; s < names; ++s) {
      if (auto made = affine(size(s), name(s))) return made;
    }
    for (std::size_t s = 0; s < names; ++s) {
      for (std::size_t t = s; t < names; ++t) {
        std::vector<std::int64_t> product = size(s);
        for (std::size_t k = 0; k < product.size(); ++k) product[k] *= size(t)[k];
        if (auto made = affine(product, fmt::format("{} * {}", name(s), name(t)))) return made;
      }
    }
    for (std::size_t s = 0; s < names; ++s) {
      if (auto made = quotient(s)) return made;
    }
    return std::nullopt;
  }

 private:
  const std::string& name(std::size_t s) const { return instances_[0].sizes[s].first; }
  std::vector<std::int64_t> size(std::size_t s) const {
    std::vector<std::int64_t> out;
    for (const Instance& each : instances_) out.push_back(each.sizes[s].second);
    return out;
  }

  /// factor * x + constant, by the first two instances whose x differ, and compared with all.
  std::optional<std::string> affine(const std::vector<std::int64_t>& x, const std::string& text) const {
    const std::int64_t run = x[1] - x[0], rise = values_[1] - values_[0];
    if (run == 0 || rise % run != 0 || rise == 0) return std::nullopt;
    const std::int64_t factor = rise / run, constant = values_[0] - factor * x[0];
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (factor * x[k] + constant != values_[k]) return std::nullopt;
    }
    const std::string scaled = factor == 1 ? text : fmt::format("{} * {}", factor, text);
    if (factor < 0) return fmt::format("({} - {} * {})", constant, -factor, text);
    if (constant == 0) return scaled == name_alone(text) ? scaled : "(" + scaled + ")";
    return fmt::format("({} {} {})", scaled, constant < 0 ? "-" : "+", std::abs(constant));
  }
  static std::string name_alone(const std::string& text) { return text.find(' ') == std::string::npos ? text : ""; }

  /// (x + c - 1) // c + constant, or x // c + constant: how often a loop goes round.
  std::optional<std::string> quotient(std::size_t s) const {
    const std::vector<std::int64_t> x = size(s);
    for (std::int64_t divisor = 2; divisor <= 4096; ++divisor) {
      for (const std::int64_t more : {divisor - 1, std::int64_t{0}}) {
        const std::int64_t constant = values_[0] - floor_divide(x[0] + more, divisor);
        if (constant != 0) continue;
        bool fits = true;
        for (std::size_t k = 0; fits && k < x.size(); ++k) fits = floor_divide(x[k] + more, divisor) == values_[k];
        if (!fits) continue;
        return more == 0 ? fmt::format("({} // {})", name(s), divisor)
                         : fmt::format("(({} + {}) // {})", name(s), more, divisor);
      }
    }
    return std::nullopt;
  }

  const std::vector<Instance>& instances_;
  std::vector<std::int64_t> values_;
};

/// The first piece in which the texts differ.
std::size_t first_difference(const Pieces& a, const Pieces& b) {
  std::size_t at = 0;
  while (at < a.texts.size() && at < b.texts.size() && a.texts[at] == b.texts[at]) ++at;
  return at;
}

/// The text from a piece on, to the end of its line, cut where it is long.
std::string rest_of_line(const Pieces& pieces, std::size_t at) {
  std::string out;
  for (; at < pieces.texts.size() && out.size() < 60 && out.find('\n') == std::string::npos; ++at) {
    out += pieces.texts[at];
    if (at < pieces.numbers.size()) out += std::to_string(pieces.numbers[at]);
  }
  out = out.substr(0, out.find('\n'));
  const std::size_t begin = std::min(out.find_first_not_of(" )"), out.size());
  return out.size() > 60 ? out.substr(begin, 60) + "..." : out.substr(begin);
}

std::string at_text(const Instance& instance) {
  std::string out;
  for (const auto& [name, value] : instance.sizes)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, value);
  return out;
}

}  // namespace

std::optional<std::string> generalised(const std::vector<Instance>& instances, std::string& problem) {
  std::vector<Pieces> pieces;
  for (const Instance& each : instances) pieces.push_back(pieces_of(each.text));
  for (std::size_t k = 1; k < pieces.size(); ++k) {
    if (pieces[k].texts == pieces[0].texts) continue;
    const std::size_t at = first_difference(pieces[0], pieces[k]);
    problem = fmt::format("at {} it has `{}`, and at {} `{}`", at_text(instances[0]), rest_of_line(pieces[0], at),
                          at_text(instances[k]), rest_of_line(pieces[k], at));
    return std::nullopt;
  }
  std::string out;
  for (std::size_t n = 0; n < pieces[0].numbers.size(); ++n) {
    out += pieces[0].texts[n];
    std::vector<std::int64_t> values;
    for (const Pieces& each : pieces) values.push_back(each.numbers[n]);
    if (std::all_of(values.begin(), values.end(), [&](std::int64_t value) { return value == values[0]; })) {
      out += std::to_string(values[0]);
      continue;
    }
    const auto made = Fit(instances, values).text();
    if (!made) {
      problem = fmt::format("a number of the circuit is {} at {} and {} at {}, and is no simple function of the sizes",
                            values[0], at_text(instances[0]), values[1], at_text(instances[1]));
      return std::nullopt;
    }
    out += *made;
  }
  return out + pieces[0].texts.back();
}

}  // namespace reckon::trace
