// Forms of numbers as f64.
#include <bit>
#include <limits>

#include "api/reckon/render.h"
#include "numerics/format.h"

namespace reckon {
namespace {

/// `-1.5`, `0x1p-3`, `-91/100`.
std::optional<mpq_class> signed_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto slash = text.find('/');
  auto value = numerics::parse_number(text.substr(0, slash));
  if (value && slash != std::string_view::npos) {
    const auto below = numerics::parse_number(text.substr(slash + 1));
    if (!below || *below == 0) return std::nullopt;
    *value /= *below;
  }
  if (value && negative) *value = -*value;
  return value;
}

}  // namespace

double form_value(const Number& number, std::string_view form) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  for (const auto& [name, text] : number.forms) {
    if (name != form) continue;
    if (text == "true" || text == "false") return text == "true" ? 1 : 0;
    if (text == "inf" || text == "+inf") return infinite;
    if (text == "-inf") return -infinite;
    if (text == "-0" || text == "-0.0") return -0.0;
    const auto value = signed_number(text);
    return value ? std::bit_cast<double>(numerics::round_rational(*value, numerics::Format::f64)) : none;
  }
  return none;
}

}  // namespace reckon
