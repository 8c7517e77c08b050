#include "ir/schedule/bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "ir/op.h"
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

/// x >= 0 rounded up to about 128 significant bits.
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

/// A sum of some leaves: the range of the computed sum, and its largest error.
struct Partial {
  double low = 0, high = 0, error = 0;
  double magnitude() const { return std::max(std::fabs(low), std::fabs(high)); }
};

/// Rounded sums of floats of a format, and the largest errors of an addition.
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
  /// The largest error of adding floats of these ranges.
  double rounding(const Partial& a, const Partial& b) const {
    const double half = end_rounding(a, b);
    if (how_.truncating) return half;
    // Subnormal sums of floats, and sums close to that, are exact; and each operand is a float, which bounds the error.
    const double largest = std::max(std::fabs(a.low + b.low), std::fabs(a.high + b.high));
    if (largest <= std::ldexp(2.0, traits_.emin)) return 0;
    return std::min({half, a.magnitude(), b.magnitude()});
  }
  /// The same for adding a product that is not rounded to a float; rounding it first would add the product's error.
  double fused_rounding(const Partial& a, const Partial& product) const {
    const double half = end_rounding(a, product);
    if (how_.truncating) return half;
    return std::min({half, product.magnitude(), add_up(rounding(a, product), product.error)});
  }
  double flushed() const {
    const double least = std::ldexp(1.0, traits_.emin);
    return (how_.flush_outputs ? least : 0) + (how_.flush_inputs ? 2 * least : 0);
  }
  static mpq_class exact(double x) { return *numerics::exact_value(std::bit_cast<std::uint64_t>(x), Format::f64); }

 private:
  double end_rounding(const Partial& a, const Partial& b) const {
    return std::max(rounding(a.low, b.low), rounding(a.high, b.high));
  }
  /// Half an ulp of the binade that ends at x if x is a power of two and the exact sum; else of the one that holds x.
  double half_ulp(double x, bool is_exact) const {
    if (x == 0) return 0;
    int exponent = std::ilogb(x);
    if (is_exact && x == std::ldexp(1.0, exponent)) --exponent;
    return std::ldexp(1.0, std::max(std::max(exponent, traits_.emin) - traits_.precision, -1074));
  }
  Accumulation how_;
  numerics::FormatTraits traits_;
};

}  // namespace

namespace {

/// (1 + each)^rounds - 1.
mpq_class growth(std::int64_t rounds, const mpq_class& each) {
  // (1 + a)(1 + b) - 1 = a + b + ab, by squaring, each step rounded up.
  mpq_class result = 0, square = each;
  for (std::int64_t left = rounds; left > 0; left /= 2) {
    if (left % 2 != 0) result = shortened(result + square + result * square);
    square = shortened(2 * square + square * square);
  }
  return result;
}

}  // namespace

mpq_class growth_factor(std::int64_t rounds, const Accumulation& how) { return growth(rounds, unit(how)); }

// An addition takes c and products p whose magnitudes sum to P. With E the largest exponent, each of at most K + 1
// terms loses less than 2^(E - F), and 2^E is at most |c| + P; then the sum loses u of itself. So it errs by at most d
// (|c| + P), d = (1 + u)(1 + (K + 1) 2^-F) - 1. By induction |c_b| <= (1 + d)^b M_b, M_b the sum of the magnitudes of
// all products so far, and the errors add up to ((1 + d)^b - 1) M_b.
mpq_class tensor_core_factor(const numerics::MmaUnit& unit, std::int64_t n) {
  const mpq_class u = power_of_two(unit.result > 0 ? -unit.result : -numerics::traits(unit.accumulator).precision);
  const mpq_class cut = (unit.length + 1) * power_of_two(-unit.kept);
  return growth((n + unit.length - 1) / unit.length, u + cut + u * cut);
}

namespace {

/// (n - 1) u, for a sum of n floats.
mpq_class any_order(std::int64_t n, const Accumulation& how) {
  return how.truncating ? growth_factor(n - 1, how) : mpq_class(mpq_class(static_cast<long>(n - 1)) * unit(how));
}

}  // namespace

mpq_class any_order_factor(std::int64_t n, const Accumulation& how) {
  return any_order(n + (how.products ? 1 : 0), how);
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

namespace {

/// The loss of n leaves that each lose the bits below the last of `folds` bins, as a factor of sum |leaf|.
mpq_class binned_loss(std::int64_t n, std::int64_t folds, const Accumulation& how) {
  const std::int64_t width = numerics::bin_width(how.format);
  const auto lost = static_cast<int>(std::min<std::int64_t>(width * (folds - 1) + 1, 100'000));
  return mpq_class(static_cast<long>(n)) * power_of_two(-lost);
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
      const mpq_class all = binned_loss(n, folds, how);
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

namespace {

/// The error that products add by underflow.
mpq_class lost_products(std::int64_t n, const Accumulation& how) {
  const auto traits = numerics::traits(how.format);
  if (!how.products) return 0;
  return mpq_class(static_cast<long>(n)) * power_of_two(traits.emin - traits.precision + (how.truncating ? 1 : 0));
}

/// The error that flushing adds.
mpq_class flushed_term(std::int64_t n, const Accumulation& how) {
  const mpq_class min_normal = power_of_two(numerics::traits(how.format).emin);
  mpq_class once = 0;
  if (how.flush_outputs) once += mpq_class(static_cast<long>(n - 1 + (how.products ? n : 0))) * min_normal;
  if (how.flush_inputs) once += mpq_class(static_cast<long>(2 * (n - 1))) * min_normal;
  return once == 0 ? once : mpq_class(once * (1 + growth_factor(n, how)));  // later additions may magnify it
}

}  // namespace

mpq_class absolute_term(std::int64_t n, const Accumulation& how) {
  return lost_products(n, how) * (1 + growth_factor(n, how)) + flushed_term(n, how);
}

std::optional<mpq_class> range_bound_by_factor(const mpq_class& factor, std::int64_t n, const LeafRange& leaves,
                                               const Accumulation& how) {
  mpq_class largest = std::max(mpq_class(abs(leaves.low)), mpq_class(abs(leaves.high)));
  if (how.products) largest *= std::max(mpq_class(abs(leaves.other_low)), mpq_class(abs(leaves.other_high)));
  const mpq_class all = mpq_class(static_cast<long>(n)) * largest;
  // A product that underflows is the exact product of slightly different factors, so `factor` applies to these as well.
  const mpq_class bound = factor * all + lost_products(n, how) * (1 + factor) + flushed_term(n, how);
  const auto traits = numerics::traits(how.format);
  // Doubled, because a compensation or a difference in the loop may be as large as its sum.
  if (2 * (all + bound) >= power_of_two(traits.emax + 1) * (1 - unit(how))) return std::nullopt;
  return shortened(bound);
}

namespace {

double rounded_to(const mpq_class& value, Format format, Rounding way) {
  return value_of(numerics::round_rational(value, format, way), format);
}

/// The range of floats around every leaf, and the error of one leaf. A product's endpoints are rounded outward, to
/// enclose the exact product, too. Nothing if no float is in the range, or an endpoint overflows.
std::optional<Partial> leaf_of(const LeafRange& leaves, const Accumulation& how) {
  Partial leaf;
  if (how.products) {
    const mpq_class corners[] = {leaves.low * leaves.other_low, leaves.low * leaves.other_high,
                                 leaves.high * leaves.other_low, leaves.high * leaves.other_high};
    const auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
    leaf = {rounded_to(*low, how.format, Rounding::downward), rounded_to(*high, how.format, Rounding::upward),
            Adder(how).rounding(std::max(mpq_class(abs(*low)), mpq_class(abs(*high))))};
    if (how.flush_outputs) leaf.error = add_up(leaf.error, std::ldexp(1.0, numerics::traits(how.format).emin));
  } else {
    leaf = {rounded_to(leaves.low, how.format, Rounding::upward), rounded_to(leaves.high, how.format, Rounding::downward), 0};
    if (leaf.low > leaf.high) return std::nullopt;
  }
  if (!std::isfinite(leaf.low) || !std::isfinite(leaf.high)) return std::nullopt;
  return leaf;
}

}  // namespace

std::optional<mpq_class> range_bound(const TreeStore& trees, TreeId shape, const LeafRange& leaves,
                                     const Accumulation& how, bool fused) {
  const Adder adder(how);
  const auto leaf = leaf_of(leaves, how);
  if (!leaf) return std::nullopt;

  // Parts come before the pairs that are made of them, because ids ascend.
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
      out = *leaf;
      continue;
    }
    Partial a = partials[node.left.index], b = partials[node.right.index];
    out.low = adder.sum(a.low, b.low);
    out.high = adder.sum(a.high, b.high);
    if (!std::isfinite(out.low) || !std::isfinite(out.high)) return std::nullopt;
    // If both are products, the right one is absorbed and the left one is rounded.
    if (trees[node.right].leaf < 0) std::swap(a, b);
    const bool absorbs = fused && (trees[node.left].leaf >= 0 || trees[node.right].leaf >= 0);
    const double own = absorbs ? adder.fused_rounding(a, b) : adder.rounding(a, b);
    const double parts = absorbs ? a.error : add_up(a.error, b.error);
    out.error = add_up(parts, add_up(own, adder.flushed()));
  }
  const double bound = partials[shape.index].error;
  if (!std::isfinite(bound)) return std::nullopt;
  return Adder::exact(bound);
}

namespace {

/// What accumulators that round once at their end lose before that, as a factor of sum |leaf as added|.
std::optional<mpq_class> loss_before_rounding(const SumOrder& order, const Accumulation& how) {
  const std::int64_t n = order.leaves;
  switch (order.op) {
    case ScheduleOp::rounded_once: return mpq_class(0);
    case ScheduleOp::binned: return binned_loss(n, order.parameter, how);
    case ScheduleOp::neumaier: {
      // A factor for the errors e, and one for the sum of the e: a sum of n - 1 leaves that are not zero.
      const mpq_class of_sum = std::min(growth_factor(order.height, how), any_order(n, how));
      const mpq_class of_errors = std::min(growth_factor(2 * order.height, how), any_order(std::max<std::int64_t>(n - 1, 1), how));
      return shortened(of_sum * of_errors);
    }
    default: return std::nullopt;
  }
}

/// Each lane's sum in any order, and the lanes' sum in any order.
mpq_class lanes_factor(std::int64_t n, std::int64_t lanes, const Accumulation& how) {
  const std::int64_t used = std::min(n, lanes), longest = (n + used - 1) / used;
  const mpq_class in_lane = any_order(longest, how), across = any_order(used, how), u = unit(how);
  const mpq_class sums = in_lane + across + in_lane * across;
  return how.products ? mpq_class(sums + u + sums * u) : sums;
}

}  // namespace

// Any order of n products costs n u M, M = sum |product|, whether they are fused or not. Let v = u / (1 + u): a rounding
// errs by at most v |x|, and by at most the distance of x from any float. With A, B the real sums of a node's operands, i
// and j their leaves: if |a - A| <= i u M_a and |b - B| <= j u M_b, then the node's own error d is at most
// j u M_a + i u M_b, so that the node stays within (i + j) u (M_a + M_b). For, with i >= j:
//   M_b < v M_a (or the other way round, likewise): d <= |b| <= (1 + j u) M_b, and (1 + j u) v <= j u;
//   otherwise: d <= v (1 + i u) M_a + v (1 + j u) M_b. What exceeds j u M_a is v ((i - j) u - (j - 1)) M_a, at most
//   v ((i - j) (1 + u) M_b - (j - 1) M_a), which is what i u M_b has left, and more.
// A product p that a node absorbs has j = 1 and no error before it: d <= |p| if |p| <= u M_a; otherwise
// d <= v (M_a + i u M_a + |p|) < u M_a + (i + 1) u |p|. (Jeannerod and Rump have the case of rounded products.)
std::optional<mpq_class> tightest_factor(const SumOrder& order, const Accumulation& how) {
  Accumulation leaves = how;
  if (order.exact_products) leaves.products = false;
  const mpq_class any = any_order_factor(order.leaves, leaves), u = unit(how);
  switch (order.op) {
    case ScheduleOp::any:
    case ScheduleOp::any_tree:
    case ScheduleOp::any_seq: return any;
    case ScheduleOp::any_depth: return std::min(tree_factor(order.parameter, leaves), any);
    case ScheduleOp::any_lanes: return std::min(lanes_factor(order.leaves, order.parameter, leaves), any);
    case ScheduleOp::kahan: return accumulator_factor({.op = order.op}, order.leaves, order.height, 0, leaves);
    case ScheduleOp::rounded_once:
    case ScheduleOp::binned:
    case ScheduleOp::neumaier: {
      const mpq_class lost = *loss_before_rounding(order, how), sums = lost + u + u * lost;
      return shortened(leaves.products ? mpq_class(sums + u + sums * u) : sums);
    }
    default: return std::min(tree_factor(order.height, leaves), any);
  }
}

std::optional<mpq_class> tightest_range_bound(const TreeStore& trees, const SumOrder& order, const LeafRange& leaves,
                                              const Accumulation& how) {
  const auto factor = tightest_factor(order, how);
  if (!factor) return std::nullopt;
  const auto by_factor = range_bound_by_factor(*factor, order.leaves, leaves, how);
  if (order.shape && (order.op == ScheduleOp::fused || !is_arithmetic(order.op))) {
    const auto by_tree = range_bound(trees, *order.shape, leaves, how, order.op == ScheduleOp::fused);
    return by_tree && by_factor ? std::min(*by_tree, *by_factor) : by_tree;
  }
  const auto lost = loss_before_rounding(order, how);
  const auto leaf = leaf_of(leaves, how);
  if (!by_factor || !lost || !leaf) return by_factor;
  const mpq_class n(static_cast<long>(order.leaves));
  const mpq_class magnitudes = n * Adder::exact(leaf->magnitude()), moved = *lost * magnitudes;
  const mpq_class of_leaves = n * Adder::exact(order.exact_products ? 0 : leaf->error);
  const mpq_class last = Adder::exact(Adder(how).rounding(mpq_class(magnitudes + moved)));
  return std::min(*by_factor, shortened(of_leaves + moved + last));
}

}  // namespace reckon::ir
