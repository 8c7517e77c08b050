#include "ir/schedule/bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "numerics/exact_sum.h"
#include "numerics/format.h"

namespace reckon::ir {

using numerics::Rounding;

namespace {

mpq_class power_of_two(int exponent) {
  mpq_class out(1);
  if (exponent >= 0) mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  else mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  return out;
}

/// x >= 0 with at most some 128 significant bits, rounded up.
mpq_class shortened(const mpq_class& x) {
  const long bits = static_cast<long>(mpz_sizeinbase(x.get_num_mpz_t(), 2)) -
                    static_cast<long>(mpz_sizeinbase(x.get_den_mpz_t(), 2));
  const int shift = static_cast<int>(128 - bits);
  const mpq_class scaled = x * power_of_two(shift);
  mpz_class whole;
  mpz_cdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  return mpq_class(whole) * power_of_two(-shift);
}

mpq_class unit(const Accumulation& how) {
  return power_of_two((how.truncating ? 1 : 0) - numerics::traits(how.format).precision);
}

double add_up(double a, double b) {
  const double sum = a + b, part = sum - b;
  const double error = (a - part) + (b - (sum - part));
  return error > 0 || !std::isfinite(error) ? std::nextafter(sum, HUGE_VAL) : sum;
}

double value_of(std::uint64_t bits, Format format) { return numerics::widen(bits, format); }

/// Rounded sums of floats of a format, and how much one may err.
class Adder {
 public:
  explicit Adder(const Accumulation& how) : how_(how), traits_(numerics::traits(how.format)) {}

  double sum(double a, double b) const {
    if (how_.truncating) return rounded(exact(a) + exact(b));
    return how_.format == Format::f64 ? a + b : value_of(numerics::round_f64(a + b, how_.format), how_.format);
  }
  double rounded(const mpq_class& value) const {
    return value_of(numerics::round_rational(value, how_.format, how_.truncating ? Rounding::toward_zero : Rounding::nearest_even),
                    how_.format);
  }
  /// The largest error of rounding a real no larger than |a + b|.
  double rounding(double a, double b) const {
    const double sum = a + b, part = sum - b;
    const bool is_exact = (a - part) + (b - (sum - part)) == 0;
    return half_ulp(std::fabs(sum), is_exact) * (how_.truncating ? 2 : 1);
  }
  double rounding(const mpq_class& magnitude) const {
    const double near = value_of(numerics::round_rational(magnitude, Format::f64, Rounding::upward), Format::f64);
    return half_ulp(near, exact(near) == magnitude) * (how_.truncating ? 2 : 1);
  }
  double flushed() const {
    const double least = std::ldexp(1.0, traits_.emin);
    return (how_.flush_outputs ? least : 0) + (how_.flush_inputs ? 2 * least : 0);
  }
  static mpq_class exact(double x) { return *numerics::exact_value(std::bit_cast<std::uint64_t>(x), Format::f64); }

 private:
  /// Of the binade that ends at x if x is a power of two and nothing lies beyond it, else of the one that holds x.
  double half_ulp(double x, bool is_exact) const {
    if (x == 0) return 0;
    int exponent = std::ilogb(x);
    if (is_exact && x == std::ldexp(1.0, exponent)) --exponent;
    return std::ldexp(1.0, std::max(std::max(exponent, traits_.emin) - traits_.precision, -1074));
  }
  Accumulation how_;
  numerics::FormatTraits traits_;
};

struct Partial {
  double low = 0, high = 0, error = 0;
};

}  // namespace

mpq_class growth_factor(std::int64_t rounds, const Accumulation& how) {
  // (1 + a)(1 + b) - 1 = a + b + ab, by squaring, each step rounded up.
  mpq_class result = 0, square = unit(how);
  for (std::int64_t left = rounds; left > 0; left /= 2) {
    if (left % 2 != 0) result = shortened(result + square + result * square);
    square = shortened(2 * square + square * square);
  }
  return result;
}

mpq_class any_order_factor(std::int64_t n, const Accumulation& how) {
  const std::int64_t rounds = n - 1 + (how.products ? 1 : 0);
  return how.truncating ? growth_factor(rounds, how) : mpq_class(mpq_class(static_cast<long>(rounds)) * unit(how));
}

mpq_class tree_factor(std::int64_t height, const Accumulation& how) {
  return growth_factor(height + (how.products ? 1 : 0), how);
}

namespace {

/// The compensated loop y = x_i - c, t = s + y, c = (t - s) - y, s = t, with rounding errors th of y, e of t, and h of c:
/// c = e + h. So s_i - c_i = (s_{i-1} - c_{i-1}) + x_i + th_i - h_i, and the result s_n is S + sum of th - h before it +
/// th_n + e_n. Sums over the loop, in units of M: Y of |y|, C of |c|, E of |e|, D of |th| + |h|.
///   |th| <= u |y|,  |h| <= (2u + u^2) |e| + (u + u^2) |y| (none of the second where |s| >= |y|, but who knows),
///   Y <= (1 + u)(1 + C),  C <= (1 + u)^2 E + (u + u^2) Y,  |e| <= u |s_i| <= u (1 + D) / (1 - u),  E <= n times that.
/// These are linear; E eliminates the others.
std::optional<mpq_class> kahan_factor(std::int64_t n, const mpq_class& u) {
  const mpq_class a = 2 * u + u * u, b = u + u * u, squared = (1 + u) * (1 + u);
  const mpq_class ratio = 1 / (1 - (1 + u) * b);               // Y <= y0 + y1 E
  const mpq_class y0 = (1 + u) * ratio, y1 = y0 * squared;
  const mpq_class d0 = a * y0, d1 = a * y1 + a;                // D <= (u + b) Y + a E = a Y + a E
  const mpq_class step = mpq_class(static_cast<long>(n)) * u / (1 - u);
  const mpq_class room = 1 - step * d1;
  if (room <= 0) return std::nullopt;
  const mpq_class all_e = step * (1 + d0) / room;
  const mpq_class d = d0 + d1 * all_e;
  return shortened(d + u * (1 + d) / (1 - u));
}

}  // namespace

std::optional<mpq_class> accumulator_factor(const ScheduleNode& accumulator, std::int64_t n, std::int64_t height,
                                            std::int64_t folds, const Accumulation& how) {
  const mpq_class u = unit(how);
  mpq_class sums;
  switch (accumulator.op) {
    case ScheduleOp::fused: return tree_factor(height, how);
    case ScheduleOp::rounded_once: sums = u; break;
    case ScheduleOp::binned: {
      const std::int64_t width = numerics::bin_width(how.format);
      const auto lost = static_cast<int>(std::min<std::int64_t>(width * (folds - 1) + 1, 100'000));
      const mpq_class all = mpq_class(static_cast<long>(n)) * power_of_two(-lost);
      sums = u + all + u * all;
      break;
    }
    case ScheduleOp::neumaier: {
      const mpq_class compensation = growth_factor(2 * height, how) * growth_factor(height, how);
      sums = u + compensation + u * compensation;
      break;
    }
    case ScheduleOp::kahan: {
      const auto factor = kahan_factor(n, u);
      if (!factor) return std::nullopt;
      sums = *factor;
      break;
    }
    default: return std::nullopt;
  }
  return shortened(how.products ? mpq_class(sums + u + sums * u) : sums);
}

mpq_class absolute_term(std::int64_t n, const Accumulation& how) {
  const auto traits = numerics::traits(how.format);
  const mpq_class least_normal = power_of_two(traits.emin);
  mpq_class once = 0;
  if (how.products) once += mpq_class(static_cast<long>(n)) * power_of_two(traits.emin - traits.precision + (how.truncating ? 1 : 0));
  if (how.flush_outputs) once += mpq_class(static_cast<long>(n - 1 + (how.products ? n : 0))) * least_normal;
  if (how.flush_inputs) once += mpq_class(static_cast<long>(2 * (n - 1))) * least_normal;
  return once * (1 + growth_factor(n, how));  // later additions may magnify it
}

std::optional<mpq_class> range_bound_by_factor(const mpq_class& factor, std::int64_t n, const LeafRange& leaves,
                                               const Accumulation& how) {
  mpq_class largest = std::max(mpq_class(abs(leaves.low)), mpq_class(abs(leaves.high)));
  if (how.products) largest *= std::max(mpq_class(abs(leaves.other_low)), mpq_class(abs(leaves.other_high)));
  const mpq_class all = mpq_class(static_cast<long>(n)) * largest;
  const mpq_class bound = factor * all + absolute_term(n, how);
  const auto traits = numerics::traits(how.format);
  // Twice, since a compensation or a difference in the loop may be as large as what it belongs to.
  if (2 * (all + bound) >= power_of_two(traits.emax + 1) * (1 - unit(how))) return std::nullopt;
  return shortened(bound);
}

std::optional<mpq_class> range_bound(const TreeStore& trees, TreeId shape, const LeafRange& leaves,
                                     const Accumulation& how) {
  const Adder adder(how);
  Partial leaf;
  if (how.products) {
    const mpq_class corners[] = {leaves.low * leaves.other_low, leaves.low * leaves.other_high,
                                 leaves.high * leaves.other_low, leaves.high * leaves.other_high};
    const auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
    leaf = {adder.rounded(*low), adder.rounded(*high), adder.rounding(std::max(mpq_class(abs(*low)), mpq_class(abs(*high))))};
    if (how.flush_outputs) leaf.error = add_up(leaf.error, std::ldexp(1.0, numerics::traits(how.format).emin));
  } else {
    leaf = {value_of(numerics::round_rational(leaves.low, how.format, Rounding::upward), how.format),
            value_of(numerics::round_rational(leaves.high, how.format, Rounding::downward), how.format), 0};
    if (leaf.low > leaf.high) return std::nullopt;
  }
  if (!std::isfinite(leaf.low) || !std::isfinite(leaf.high)) return std::nullopt;

  // Parts before the pairs that they make: ids ascend.
  std::vector<TreeId> order{shape};
  std::unordered_map<std::uint32_t, Partial> partials{{shape.index, {}}};
  for (std::size_t at = 0; at < order.size(); ++at) {
    const TreeNode node = trees[order[at]];
    if (node.leaf >= 0) continue;
    for (TreeId child : {node.left, node.right}) {
      if (partials.try_emplace(child.index).second) order.push_back(child);
    }
  }
  std::sort(order.begin(), order.end());
  for (TreeId id : order) {
    const TreeNode node = trees[id];
    Partial& out = partials[id.index];
    if (node.leaf >= 0) {
      out = leaf;
      continue;
    }
    const Partial &a = partials[node.left.index], &b = partials[node.right.index];
    out.low = adder.sum(a.low, b.low);
    out.high = adder.sum(a.high, b.high);
    if (!std::isfinite(out.low) || !std::isfinite(out.high)) return std::nullopt;
    const double own = std::max(adder.rounding(a.low, b.low), adder.rounding(a.high, b.high));
    out.error = add_up(add_up(a.error, b.error), add_up(own, adder.flushed()));
  }
  const double bound = partials[shape.index].error;
  if (!std::isfinite(bound)) return std::nullopt;
  return Adder::exact(bound);
}

}  // namespace reckon::ir
