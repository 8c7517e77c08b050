// Affine forms over the symbols of a box (M. V. A. Andrade, J. L. D. Comba and J. Stolfi, "Affine arithmetic", INTERVAL
// 1994; L. H. de Figueiredo and J. Stolfi, "Affine arithmetic: concepts and applications", Numer. Algorithms 37, 2004):
// the j-th input is c_j + r_j e_j with e_j in [-1, 1], and a form says of a real that it is
//
//   centre + sum of coefficient_j e_j, give or take rest
//
// for every choice of the e_j. Forms of the same inputs keep what they have in common, so that the enclosure of a
// smooth function is off by the square of the box's width. All coefficients are rounded to nearest, and the rest covers
// that.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace reckon::worst {

/// A view of a form in memory: the centre, the coefficients, the rest. Where the rest is infinite, nothing is known,
/// and the others are 0.
class Forms {
 public:
  explicit Forms(std::size_t symbols) : symbols_(symbols) {}
  std::size_t stride() const { return symbols_ + 2; }

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double unit = 0x1p-53;
  /// More than the rounding errors of any sum of at most 2^8 terms of one sign.
  static constexpr double slack = 1 + 0x1p-43;
  /// More than what products lose below the least normal number.
  static constexpr double tiny = 0x1p-1000;

  double& rest(double* a) const { return a[symbols_ + 1]; }
  double rest(const double* a) const { return a[symbols_ + 1]; }
  bool known(const double* a) const { return rest(a) < infinity; }

  void set_unknown(double* out) const {
    std::fill_n(out, symbols_ + 1, 0.0);
    rest(out) = infinity;
  }
  /// A number in [low, high].
  void set(double* out, double low, double high) const {
    const double centre = low == high ? low : low / 2 + high / 2;
    std::fill_n(out, symbols_ + 1, 0.0);
    out[0] = centre;
    rest(out) = low == high ? 0 : std::max(high - centre, centre - low) * slack + tiny;
    settle(out);
  }

  /// The sum of the coefficients' magnitudes, rounded upward.
  double spread(const double* a) const {
    double sum = 0;
    for (std::size_t j = 1; j <= symbols_; ++j) sum += std::fabs(a[j]);
    return sum * slack;
  }
  double radius(const double* a) const { return (spread(a) + rest(a)) * slack; }
  double upper(const double* a) const {
    if (!known(a)) return infinity;
    const double sum = a[0] + radius(a);
    return sum + std::fabs(sum) * 2 * unit + tiny;
  }
  double lower(const double* a) const {
    if (!known(a)) return -infinity;
    const double sum = a[0] - radius(a);
    return sum - std::fabs(sum) * 2 * unit - tiny;
  }

  void copy(double* out, const double* a) const { std::copy_n(a, stride(), out); }
  void negate(double* out, const double* a) const {
    for (std::size_t j = 0; j <= symbols_; ++j) out[j] = -a[j];
    rest(out) = rest(a);
  }
  void add(double* out, const double* a, const double* b) const { combine(out, a, 1, b, 1); }
  void sub(double* out, const double* a, const double* b) const { combine(out, a, 1, b, -1); }

  /// out = s a + t b, for s and t that are exact.
  void combine(double* out, const double* a, double s, const double* b, double t) const {
    double magnitude = 0;
    for (std::size_t j = 0; j <= symbols_; ++j) {
      const double x = s * a[j], y = t * b[j], sum = x + y;
      magnitude += std::fabs(x) + std::fabs(y) + std::fabs(sum);
      out[j] = sum;
    }
    const bool exact = magnitude == 0 && rest(a) == 0 && rest(b) == 0;
    rest(out) = exact ? 0 : (std::fabs(s) * rest(a) + std::fabs(t) * rest(b) + unit * magnitude) * slack + tiny;
    settle(out);
  }
  /// out += s a.
  void accumulate(double* out, const double* a, double s) const { combine(out, out, 1, a, s); }
  /// out += a number in [-error, error], and an exact one.
  void shift(double* out, double by, double error) const {
    const double sum = out[0] + by;
    rest(out) = (rest(out) + error + unit * std::fabs(sum)) * slack + tiny;
    out[0] = sum;
    settle(out);
  }

  void mul(double* out, const double* a, const double* b) const {
    if (!known(a) || !known(b)) return set_unknown(out);
    const double a0 = a[0], b0 = b[0];
    double a_spread = 0, b_spread = 0, both = 0, diagonal = 0;
    for (std::size_t j = 1; j <= symbols_; ++j) {
      const double x = a[j], y = b[j];
      a_spread += std::fabs(x);
      b_spread += std::fabs(y);
      // e_j^2 lies in [0, 1]: half of the product belongs to the centre.
      both += x * y;
      diagonal += std::fabs(x * y);
    }
    const double a_radius = a_spread + rest(a), b_radius = b_spread + rest(b);
    const double product = a0 * b0, centre = product + both / 2;
    const double second = std::max(a_radius * b_radius - diagonal / 2, 0.0);
    const double first = std::fabs(a0) * b_radius + std::fabs(b0) * a_radius;
    const double of_rests = std::fabs(a0) * rest(b) + std::fabs(b0) * rest(a);
    const double size = std::fabs(product) + std::fabs(centre) + first + a_radius * b_radius;
    // The terms of `size` are rounded a few times each; those of the second order up to once for each symbol.
    const double rounding = 4 * unit * size + 0x1p-44 * a_radius * b_radius;
    for (std::size_t j = 1; j <= symbols_; ++j) out[j] = a0 * b[j] + b0 * a[j];
    out[0] = centre;
    const bool exact_zero = (a0 == 0 && a_radius == 0) || (b0 == 0 && b_radius == 0);
    rest(out) = exact_zero ? 0 : (of_rests + second + rounding) * slack + tiny;
    settle(out);
  }
  void square(double* out, const double* a) const {
    if (!known(a)) return set_unknown(out);
    const double a0 = a[0], reach = radius(a), half = reach * reach / 2, product = a0 * a0, centre = product + half;
    const double of_rest = 2 * std::fabs(a0) * rest(a);
    const double size = product + centre + 2 * std::fabs(a0) * reach + half;
    for (std::size_t j = 1; j <= symbols_; ++j) out[j] = 2 * a0 * a[j];
    out[0] = centre;
    rest(out) = size == 0 ? 0 : (of_rest + half + 4 * unit * size) * slack + tiny;
    settle(out);
  }
  /// out = value + slope (a - at) + [low, high], all numbers exact but the error of `value`.
  void linear(double* out, const double* a, double at, double value, double value_error, double slope, double low,
              double high) const {
    if (!known(a) || !std::isfinite(low) || !std::isfinite(high) || !std::isfinite(slope)) return set_unknown(out);
    const double middle = low / 2 + high / 2, half = std::max(high - middle, middle - low);
    const double step = a[0] - at, moved = slope * step, centre = value + moved + middle;
    double size = std::fabs(value) + 3 * std::fabs(moved) + std::fabs(slope) * (std::fabs(a[0]) + std::fabs(at)) +
                  2 * std::fabs(middle) + std::fabs(centre);
    for (std::size_t j = 1; j <= symbols_; ++j) {
      out[j] = slope * a[j];
      size += std::fabs(out[j]);
    }
    out[0] = centre;
    rest(out) = (std::fabs(slope) * rest(a) + half + value_error + 4 * unit * size) * slack + tiny;
    settle(out);
  }

 private:
  void settle(double* out) const {
    if (!(std::fabs(out[0]) < infinity) || !(rest(out) < infinity)) return set_unknown(out);
    for (std::size_t j = 1; j <= symbols_; ++j) {
      if (!(std::fabs(out[j]) < infinity)) return set_unknown(out);
    }
  }

  std::size_t symbols_;
};

}  // namespace reckon::worst
