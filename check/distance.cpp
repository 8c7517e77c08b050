#include "check/distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnostics/codes/no_distance.h"
#include "numerics/decimal_upward.h"
#include "numerics/format.h"

namespace reckon::check {

using frontend::ElaboratedItem;
using frontend::Tolerance;
using interp::Truth;

namespace {

mpq_class furthest(const interp::Enclosure& x, const interp::Enclosure& y) {
  return std::max(abs(x.high - y.low), abs(y.high - x.low));
}

/// Whether the endpoints are so long (as those of a tower of exponentials are) that a distance would take minutes.
bool is_long(const interp::Enclosure& enclosure) {
  constexpr std::size_t max_limbs = 1 << 12;
  for (const mpq_class* end : {&enclosure.low, &enclosure.high}) {
    if (mpz_size(end->get_num_mpz_t()) > max_limbs || mpz_size(end->get_den_mpz_t()) > max_limbs) return true;
  }
  return false;
}

/// Whether two floats surely lie within the tolerance, by double arithmetic with room for its own rounding errors. Most
/// floats do, and rationals take a hundred times as long. False means that this is not known.
bool certainly_within(const ElaboratedItem& item, const interp::Semantics& semantics, ir::Scalar scalar,
                      const std::byte* a, const std::byte* b) {
  constexpr double margin = 1 - 0x1p-50, min_normal_product = 0x1p-1000;
  if (!ir::is_float(scalar) || !semantics.traits().floats || item.tolerance == Tolerance::Kind::ulp) return false;
  const auto x = semantics.bits(scalar, a), y = semantics.bits(scalar, b);
  if (!x || !y) return false;
  const double left = numerics::widen(*x, ir::format_of(scalar)), right = numerics::widen(*y, ir::format_of(scalar));
  const double distance = std::fabs(left - right);
  double allowed = item.low.get_d();  // rounded toward 0
  if (item.tolerance == Tolerance::Kind::relative) allowed *= std::fabs(right);
  return std::isfinite(allowed) && allowed > min_normal_product && distance <= allowed * margin;
}

Expected<Truth> near(const ElaboratedItem& item, const interp::Semantics& semantics, ir::Scalar scalar,
                     const interp::Enclosure& x, const interp::Enclosure& y, const std::byte* b) {
  mpq_class least = 0;
  if (x.low > y.high) least = x.low - y.high;
  if (y.low > x.high) least = y.low - x.high;
  mpq_class allowed = item.low;
  if (item.tolerance == Tolerance::Kind::relative) {
    allowed *= std::max(abs(y.low), abs(y.high));
  } else if (item.tolerance == Tolerance::Kind::ulp) {
    const auto bits = semantics.bits(scalar, b);
    if (!bits || !ir::is_float(scalar)) {
      return Diagnostic(code::no_distance, item.tolerance_span,
                        fmt::format("`{}` values have no ulp",
                                    ir::is_integer(scalar) ? ir::scalar_name(scalar) : semantics.name()))
          .help("give a distance: `within 1e-3`, `within relative 1e-6`");
    }
    allowed *= numerics::ulp(*bits, ir::format_of(scalar));
  }
  if (furthest(x, y) <= allowed) return Truth::yes;
  return least > allowed ? Truth::no : Truth::unknown;
}

}  // namespace

Diagnostic no_distance(const ElaboratedItem& item, const interp::Semantics& semantics) {
  return Diagnostic(code::no_distance, item.tolerance_span.known() ? item.tolerance_span : item.span,
                    fmt::format("`{}` has no distance between values", semantics.name()))
      .help("compare with `==` in a ring; use `within` in `float`, `exact` or `interval`");
}

Truth in_order(const ElaboratedItem& item, interp::Semantics& semantics, ir::Scalar scalar, const std::byte* left,
               const std::byte* right) {
  const bool left_lacks = !semantics.undefined_by(scalar, left).empty();
  const bool right_lacks = !semantics.undefined_by(scalar, right).empty();
  if (left_lacks || right_lacks) return left_lacks && right_lacks ? Truth::yes : Truth::no;
  const auto is_nan = [&](const std::byte* value) {
    const auto bits = ir::is_float(scalar) ? semantics.bits(scalar, value) : std::nullopt;
    return bits && numerics::is_nan(*bits, ir::format_of(scalar));
  };
  if (is_nan(left) && is_nan(right)) return Truth::yes;
  const bool strict = item.comparison.size() == 1, rises = item.comparison.front() == '<';
  const interp::Rows operands[] = {{rises ? left : right, 0}, {rises ? right : left, 0}};
  std::byte truth{};
  const auto fault = semantics.apply(strict ? ir::Op::less : ir::Op::less_equal, scalar, ir::Scalar::boolean, operands,
                                     &truth, 1, 1, 1);
  return fault ? Truth::unknown : static_cast<Truth>(truth);  // a fault: the two cannot be told apart
}

Expected<Truth> near(const ElaboratedItem& item, const interp::Semantics& semantics, ir::Scalar scalar,
                     const std::byte* a, const std::byte* b) {
  if (certainly_within(item, semantics, scalar, a, b)) return Truth::yes;
  const auto x = semantics.enclosure(scalar, a), y = semantics.enclosure(scalar, b);
  if ((!x || !y) && semantics.equal(scalar, a, b) == Truth::yes) return Truth::yes;
  if (!semantics.traits().has_distance()) return no_distance(item, semantics);
  // An unbounded value, or none: on one side alone this is a difference, and on both sides nothing was compared.
  if (semantics.traits().set_valued() && (!x || !y)) {
    const bool on_one_side = semantics.undefined_by(scalar, a).empty() != semantics.undefined_by(scalar, b).empty();
    return on_one_side ? Truth::no : Truth::unknown;
  }
  if (!x || !y) return Truth::no;  // an infinity or NaN on one side only
  const auto first = near(item, semantics, scalar, *x, *y, b);
  if (!first || *first != Truth::unknown) return first;
  const auto finer_x = semantics.finest_enclosure(scalar, a), finer_y = semantics.finest_enclosure(scalar, b);
  return near(item, semantics, scalar, *finer_x, *finer_y, b);
}

Expected<Truth> inside(const ElaboratedItem& item, const interp::Semantics& semantics, ir::Scalar scalar,
                       const std::byte* value, bool of_ranges) {
  auto enclosure = semantics.enclosure(scalar, value);
  const auto within = [&] { return enclosure && enclosure->low >= item.low && enclosure->high <= item.high; };
  const auto beside = [&] { return !enclosure || enclosure->high < item.low || enclosure->low > item.high; };
  if (!within() && !beside()) enclosure = semantics.finest_enclosure(scalar, value);
  if (within()) return Truth::yes;
  if (!enclosure && !semantics.traits().has_distance()) return no_distance(item, semantics);
  return (semantics.traits().set_valued() || of_ranges) && !(beside() && enclosure) ? Truth::unknown : Truth::no;
}

std::string distance_text(const interp::Semantics& semantics, ir::Scalar scalar, const std::byte* a,
                          const std::byte* b) {
  if (semantics.traits().reals) {
    const auto x = semantics.finest_enclosure(scalar, a), y = semantics.finest_enclosure(scalar, b);
    if (!x || !y || is_long(*x) || is_long(*y) || (x->low == x->high && y->low == y->high)) return {};
    return numerics::decimal_upward(furthest(*x, *y), 2);
  }
  const auto ulps = ulps_between(semantics, scalar, a, b);
  if (!ulps) return {};
  return *ulps == 0 ? "the sign of zero" : fmt::format("{} ulp", *ulps);
}

std::optional<std::uint64_t> ulps_between(const interp::Semantics& semantics, ir::Scalar scalar, const std::byte* a,
                                          const std::byte* b) {
  if (!ir::is_float(scalar) || !semantics.traits().floats) return std::nullopt;
  const auto x = semantics.bits(scalar, a), y = semantics.bits(scalar, b);
  return x && y ? numerics::ulps_apart(*x, *y, ir::format_of(scalar)) : std::nullopt;
}

}  // namespace reckon::check
