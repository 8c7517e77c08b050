#include "numerics/mma.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reckon::numerics {

namespace {

constexpr MmaUnit all_units[] = {
#define RECKON_MMA(model, operand, accumulator, length, kept, least, result) \
  {MmaModel::model, Format::operand, Format::accumulator, length, kept, least, result},
#include "numerics/mma_units.def"
};

/// The exponent of a number that is neither 0 nor infinite: of a subnormal one, that of the least normal number.
int exponent_of(double x, Format format) { return std::max(std::ilogb(x), traits(format).emin); }

/// Cut toward zero to a multiple of 2^exponent.
double cut(double x, int exponent) { return std::ldexp(std::trunc(std::ldexp(x, -exponent)), exponent); }

/// The rounding of a node's exact sum, which is finite.
double rounded(double sum, const MmaUnit& unit) {
  if (unit.result == 0) {
    const double out = widen(round_f64(sum, unit.accumulator), unit.accumulator);
    return out == 0 ? 0.0 : out;
  }
  if (sum == 0) return 0;
  const double out = cut(sum, exponent_of(sum, unit.accumulator) - unit.result);
  if (std::fabs(out) >= std::ldexp(1.0, traits(unit.accumulator).emax + 1)) {
    return std::copysign(std::numeric_limits<double>::infinity(), out);
  }
  return out == 0 ? 0.0 : out;
}

}  // namespace

std::span<const MmaUnit> mma_units() { return all_units; }

const MmaUnit* mma_unit(MmaModel model, Format operand, Format accumulator) {
  const auto found = std::find_if(std::begin(all_units), std::end(all_units), [&](const MmaUnit& unit) {
    return unit.model == model && unit.operand == operand && unit.accumulator == accumulator;
  });
  return found == std::end(all_units) ? nullptr : found;
}

double mma_node(const MmaUnit& unit, double c, std::span<const double> x, std::span<const double> y) {
  double specials = std::isfinite(c) ? 0 : c;
  int largest = unit.least;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double product = x[i] * y[i];  // exact: all operand formats have at most 11 bits
    if (!std::isfinite(product)) specials += product;
    else if (product != 0)
      largest = std::max(largest, exponent_of(x[i], unit.operand) + exponent_of(y[i], unit.operand));
  }
  if (std::isfinite(c) && c != 0) largest = std::max(largest, exponent_of(c, unit.accumulator));
  if (specials != 0) return specials;
  const int last = largest - unit.kept;
  // Terms are less than 2^(kept + 2) of their last place, and there are at most 33: the sum of them is exact.
  double sum = cut(c, last);
  for (std::size_t i = 0; i < x.size(); ++i) sum += cut(x[i] * y[i], last);
  return rounded(sum, unit);
}

void MmaSum::add_product(double x, double y) {
  x_.push_back(x);
  y_.push_back(y);
  if (x_.size() < static_cast<std::size_t>(unit_->length)) return;
  sum_ = mma_node(*unit_, sum_, x_, y_);
  x_.clear();
  y_.clear();
}

double MmaSum::result() const { return x_.empty() ? sum_ : mma_node(*unit_, sum_, x_, y_); }

}  // namespace reckon::numerics
