#include "reveal/units.h"

#include <algorithm>
#include <cmath>

namespace reckon::reveal {

using numerics::round_f64;
using numerics::traits;

Units::Units(const Question& question, const Scale& scale)
    : input_(question.formats.input), result_(question.formats.result), exponent_(scale.unit) {
  mask_ = round_f64(std::ldexp(1.0, scale.mask), input_);
  unit_ = round_f64(std::ldexp(1.0, scale.unit), input_);
}

std::uint64_t Units::at(std::size_t i, std::uint64_t bits) const {
  if (weights_.empty()) return bits;
  return round_f64(numerics::widen(bits, input_) / weights_[i], input_);
}

Count Units::count(std::uint64_t answer, std::int64_t most) const {
  const Count odd{-1, numerics::shortest_decimal(answer, result_)};
  if (tabled_) {
    // A sum of no units may be -0.
    const std::uint64_t bits = numerics::magnitude_bits(answer, result_) == 0 ? 0 : answer;
    const auto found = counts_.find(bits);
    return found == counts_.end() || found->second > most ? odd : Count{found->second, {}};
  }
  const auto value = numerics::exact_value(answer, result_);
  if (!value) return odd;
  mpq_class units = *value;
  if (exponent_ < 0) units <<= static_cast<unsigned>(-exponent_);
  return units.get_den() == 1 && units >= 0 && units <= most ? Count{units.get_num().get_si(), {}} : odd;
}

bool Units::serves(const Question& question, const Model& model, double mask, double unit) {
  const Scaling plain{model.scaling.kind, model.scaling.factor, model.scaling.format, model.scaling.rounded_first, {}};
  Formats formats = question.formats;
  formats.accumulator = model.accumulator;
  const double high = std::fabs(plain.element(mask, 0)), low = std::fabs(plain.element(unit, 0));
  const auto largest = static_cast<double>(question.n);
  const auto exact = [&](double value) { return round_to(value, model.accumulator) == value; };
  if (!std::isfinite(high) || low == 0 || !exact(high) || !exact(largest * low)) return false;
  // See Scale: a partial sum of units is less than a quarter of the spacing of numbers at the mask.
  const int precision = traits(model.accumulator).precision;
  if (largest * low >= std::ldexp(1.0, std::ilogb(high) - precision - 1)) return false;
  counts_.clear();
  const double added = plain.element(unit, 0);
  for (std::int64_t k = 0; k <= question.n; ++k) {
    const double sum = static_cast<double>(k) * added;
    if (!exact(sum)) return false;
    std::uint64_t bits = round_f64(plain.sum(sum, formats), result_);
    if (k == 0) bits = 0;
    if (!numerics::is_finite(bits, result_) || !counts_.emplace(bits, k).second) return false;
  }
  return true;
}

std::optional<Units> Units::of(const Question& question, const Model& model) {
  Units out;
  out.input_ = question.formats.input;
  out.result_ = question.formats.result;
  out.weights_ = model.scaling.weights;
  out.tabled_ = true;
  const auto& from = traits(out.input_);
  const Scaling& scaling = model.scaling;
  // Weights and factors must not carry a mask beyond the formats' largest numbers.
  int top = from.emax, low = 0, high = 0;
  for (const double weight : out.weights_) {
    low = std::max(low, -std::ilogb(weight));
    high = std::max(high, std::ilogb(weight));
  }
  top -= low;
  if (scaling.of_elements()) {
    const double one = scaling.kind == Scaling::Kind::elements_divided ? 1 / scaling.factor : scaling.factor;
    top = std::min(top, std::min(from.emax, traits(scaling.format).emax) - 1 - std::max(0, std::ilogb(one) + 1));
  }
  const double mask = std::ldexp(1.0, top);
  out.mask_ = round_f64(mask, out.input_);
  std::vector<int> exponents;
  if (out.input_ == Format::f16) {
    for (int e = -24 + high; e < 15; ++e) exponents.push_back(e);
  } else {
    exponents.push_back(0);
    for (int e = 8; e <= from.emax / 2; e += 8) exponents.insert(exponents.end(), {e, -e});
  }
  const auto try_unit = [&](double unit) {
    out.unit_ = round_f64(unit, out.input_);
    return numerics::widen(out.unit_, out.input_) == unit && unit != 0 && out.serves(question, model, mask, unit);
  };
  for (const int exponent : exponents) {
    if (!scaling.of_elements()) {
      if (try_unit(std::ldexp(1.0, exponent))) return out;
      continue;
    }
    for (int digits = 1; digits < 64; digits += 2) {
      const double added = std::ldexp(digits, exponent);
      const double near =
          scaling.kind == Scaling::Kind::elements_divided ? added * scaling.factor : added / scaling.factor;
      const std::uint64_t bits = round_f64(std::fabs(near), out.input_);
      for (const std::uint64_t each : {bits, bits + 1, bits - 1}) {
        if (!numerics::is_finite(each, out.input_)) continue;
        const double unit = numerics::widen(each, out.input_);
        const Scaling plain{scaling.kind, scaling.factor, scaling.format, false, {}};
        if (std::fabs(plain.element(unit, 0)) == added && try_unit(unit)) return out;
      }
    }
  }
  return std::nullopt;
}

}  // namespace reckon::reveal
