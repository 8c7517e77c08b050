#include "reveal/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reckon::reveal {

using numerics::traits;
using Kind = Scaling::Kind;

namespace {

bool power_of_two(double value) {
  int exponent = 0;
  return std::isfinite(value) && std::fabs(std::frexp(value, &exponent)) == 0.5;
}

std::string decimal(double value, Format format) {
  return numerics::shortest_decimal(numerics::round_f64(value, format), format);
}

/// The next value of the format above (`up`) or below a positive value.
double neighbour(double value, Format format, bool up) {
  const std::uint64_t bits = numerics::round_f64(value, format);
  return numerics::widen(up ? bits + 1 : bits - 1, format);
}

void add_distinct(std::vector<double>& values, double value) {
  if (!std::isfinite(value) || value == 0) return;
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

/// The formats, and wider ones, each once.
std::vector<Format> with_wider(std::vector<Format> formats) {
  int precision = 0;
  for (const Format format : formats) precision = std::max(precision, traits(format).precision);
  for (const Format wider : {Format::f32, Format::f64}) {
    if (traits(wider).precision > precision) formats.push_back(wider);
  }
  std::vector<Format> out;
  for (const Format format : formats) {
    if (std::find(out.begin(), out.end(), format) == out.end()) out.push_back(format);
  }
  return out;
}

/// The number of few decimal digits that may have been written for the value, or 0.
double short_decimal(double value, Format result, Format format) {
  const std::string text = decimal(std::fabs(value), result);
  const auto count = std::count_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  const auto exact = numerics::parse_number(text);
  if (!exact || count > traits(result).precision * 3 / 10) return 0;
  return std::copysign(numerics::widen(numerics::round_rational(*exact, format), format), value);
}

std::vector<double> multipliers(std::int64_t n, double one, Format result, Format format) {
  std::vector<double> out;
  const auto size = static_cast<double>(n);
  add_distinct(out, round_to(1 / size, format));
  add_distinct(out, round_to(1 / std::sqrt(size), format));
  add_distinct(out, round_to(1 / round_to(std::sqrt(size), format), format));
  add_distinct(out, short_decimal(one, result, format));
  add_distinct(out, round_to(one, format));
  return out;
}

std::vector<double> divisors(std::int64_t n, double one, Format result, Format format) {
  std::vector<double> out;
  const auto size = static_cast<double>(n);
  add_distinct(out, round_to(size, format));
  add_distinct(out, round_to(std::sqrt(size), format));
  const double inverse = 1 / one;
  if (std::fabs(inverse) < 0x1p50) add_distinct(out, round_to(std::nearbyint(inverse), format));
  add_distinct(out, short_decimal(round_to(inverse, result), result, format));
  for (const double thousands : {1e1, 1e2, 1e3}) {
    add_distinct(out, round_to(std::nearbyint(inverse * thousands) / thousands, format));
  }
  // In a wider format too many divisors give this one answer to tell them apart.
  if (traits(format).precision > traits(result).precision) return out;
  const double near = std::fabs(round_to(inverse, format));
  double above = near, below = near;
  add_distinct(out, std::copysign(near, inverse));
  for (int steps = 0; steps < 3 && std::isfinite(near) && near > 0; ++steps) {
    above = neighbour(above, format, true);
    below = neighbour(below, format, false);
    add_distinct(out, std::copysign(above, inverse));
    add_distinct(out, std::copysign(below, inverse));
  }
  return out;
}

/// How many digits a program that has this factor states; 0 where it follows from n.
std::size_t digits(const Model& model, std::int64_t n) {
  const Scaling& scaling = model.scaling;
  if (scaling.kind == Kind::exact || !scaling.factor_name(n).empty()) return 0;
  return decimal(std::fabs(scaling.factor), scaling.format).size();
}

}  // namespace

double round_to(double value, Format format) {
  if (format == Format::f64) return value;
  if (format == Format::f32) return static_cast<double>(static_cast<float>(value));
  return numerics::widen(numerics::round_f64(value, format), format);
}

double Scaling::element(double value, std::size_t i) const {
  if (!weights.empty()) value *= weights[i];
  if (kind == Kind::elements_divided) return round_to(value / factor, format);
  if (kind == Kind::elements_multiplied) return round_to(value * factor, format);
  return value;
}

double Scaling::sum(double value, const Formats& formats) const {
  if (rounded_first) value = round_to(value, formats.result);
  if (kind == Kind::exact) return value * factor;
  if (kind == Kind::sum_divided) return round_to(round_to(value, format) / factor, format);
  if (kind == Kind::sum_multiplied) return round_to(round_to(value, format) * factor, format);
  return value;
}

std::string Scaling::factor_name(std::int64_t n) const {
  if (kind == Kind::none) return {};
  const auto size = static_cast<double>(n);
  const auto is = [&](double value) { return factor == round_to(value, format); };
  if (kind == Kind::exact)
    return factor == 1 ? "" : factor * size == 1 ? "1/n" : factor * std::sqrt(size) == 1 ? "1/sqrt(n)" : "";
  if (kind == Kind::sum_divided || kind == Kind::elements_divided) {
    return is(size) ? "n" : is(std::sqrt(size)) ? "sqrt(n)" : "";
  }
  if (is(1 / size)) return "1/n";
  return is(1 / std::sqrt(size)) || is(1 / round_to(std::sqrt(size), format)) ? "1/sqrt(n)" : "";
}

std::string Scaling::operation() const {
  switch (kind) {
    case Kind::none:
    case Kind::exact: return {};
    case Kind::sum_divided:
    case Kind::elements_divided: return "divide";
    case Kind::sum_multiplied:
    case Kind::elements_multiplied: return "multiply";
  }
  return {};
}

std::string Scaling::text(std::int64_t n, Format accumulator) const {
  const std::string own = weights.empty() ? "" : "each element times a power of two of its own, exactly";
  if (kind == Kind::none || (kind == Kind::exact && factor == 1)) return own;
  const std::string name = factor_name(n);
  if (kind == Kind::exact) {
    const int exponent = std::ilogb(factor);
    return (own.empty() ? "" : own + "; then ") +
           fmt::format("times {}2^{}{}, exactly: it does not matter how or where", factor < 0 ? "-" : "", exponent,
                       name.empty() ? "" : fmt::format(" ({})", name));
  }
  const bool divided = operation() == "divide";
  std::string out = own.empty() ? "" : own + "; then ";
  out += of_sum() ? "the sum, " : "each element before it is added, ";
  out += fmt::format("{} {}", divided ? "divided by" : "multiplied by", decimal(factor, format));
  if (name == "n") out += " (n)";
  else if (name == "sqrt(n)" && factor * factor == static_cast<double>(n)) out += " (sqrt(n))";
  else if (!name.empty()) out += fmt::format(" ({}, rounded)", name);
  if (format != accumulator) out += fmt::format(", in {}", traits(format).name);
  if (rounded_first) out += ", after it was rounded to the result's format";
  return out;
}

std::vector<Model> models_of(const Formats& formats, std::int64_t n, double one) {
  std::vector<Model> all_models;
  for (const Format accumulator : with_wider({formats.accumulator, formats.input})) {
    const auto& from = traits(formats.input);
    const auto& to = traits(accumulator);
    if (to.precision < from.precision || to.emax < from.emax) continue;
    std::vector<Model> out;
    const std::uint64_t wanted = numerics::round_f64(one, formats.result);
    const auto offer = [&](const Model& model) {
      if (answer_to_two(model, formats, 1, 0) == wanted) out.push_back(model);
    };
    if (power_of_two(one)) {
      for (const bool first : {false, true}) {
        if (!first || formats.result != accumulator) offer({accumulator, {Kind::exact, one, accumulator, first, {}}});
      }
    }
    for (const Format format : with_wider({accumulator, formats.result})) {
      for (const bool first : {false, true}) {
        // Where the operation is in the result's format, the sum is rounded to that in any case.
        const bool twice = traits(formats.result).precision < traits(format).precision;
        if (first && (!twice || formats.result == accumulator)) continue;
        for (const double by : divisors(n, one, formats.result, format)) {
          offer({accumulator, {Kind::sum_divided, by, format, first, {}}});
        }
        for (const double by : multipliers(n, one, formats.result, format)) {
          offer({accumulator, {Kind::sum_multiplied, by, format, first, {}}});
        }
      }
    }
    for (const Format format : with_wider({formats.input})) {
      if (traits(format).precision > to.precision) continue;
      for (const double by : divisors(n, one, formats.result, format)) {
        offer({accumulator, {Kind::elements_divided, by, format, false, {}}});
      }
      for (const double by : multipliers(n, one, formats.result, format)) {
        offer({accumulator, {Kind::elements_multiplied, by, format, false, {}}});
      }
    }
    std::stable_sort(out.begin(), out.end(),
                     [&](const Model& a, const Model& b) { return digits(a, n) < digits(b, n); });
    all_models.insert(all_models.end(), out.begin(), out.end());
  }
  return all_models;
}

std::uint64_t answer_to_two(const Model& model, const Formats& formats, double a, double b) {
  const Scaling& scaling = model.scaling;
  Formats all = formats;
  all.accumulator = model.accumulator;
  const double sum = round_to(scaling.element(a, 0) + scaling.element(b, 1), model.accumulator);
  return numerics::round_f64(scaling.sum(sum, all), formats.result);
}

}  // namespace reckon::reveal
