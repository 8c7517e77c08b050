#include "semantics/accept/sound.h"

#include <algorithm>

#include "interp/algebra/directed.h"
#include "semantics/accept/primitives.h"
#include "semantics/accept/real_range.h"

namespace reckon::interp::accept::sound {

using Flush = Setting::Flush;
using ir::Op;

namespace {

/// Adds 0 to an interval if its subnormal numbers may become 0, or replaces them by 0 if they always do.
Interval flushed(const NumberKind& kind, Flush flush, Interval x) {
  if (flush == Flush::never || !kind.meets_subnormals(x)) return x;
  if (flush == Flush::may) return {std::min(x.low, 0.0), std::max(x.high, 0.0)};
  if (kind.is_subnormal(x.low)) x.low = 0;
  if (kind.is_subnormal(x.high)) x.high = 0;
  return {std::min(x.low, x.high), std::max(x.low, x.high)};
}

/// The least y - n ulp(y) for y in the range. By the suite's ulp it is taken at the end's neighbours; by the text's
/// ulp, the spacing around a real, just above powers of two, where the spacing jumps up. Between jumps, y - n ulp(y)
/// grows with y, and its values at the jumps lie on a line. `slack`: the relative error that the range's ends may have.
double below_ulps(const Setting& setting, const Interval& range, double n, double slack) {
  using directed::add_down, directed::mul_up;
  const NumberKind& kind = setting.kind;
  const bool flushes = setting.flushes();
  const auto less = [&](double y, double ulp) { return add_down(y, -(kind.mask == 0 ? mul_up(n, ulp) : n * ulp)); };
  const double first = kind.round_down(range.low), second = kind.round_up(range.low);
  if (std::isinf(first)) return first;
  double out = less(first, kind.ulp(first, flushes));
  if (second != first && std::isfinite(second)) out = std::min(out, less(second, kind.ulp(second, flushes)));
  if (flushes && kind.meets_subnormals({first, kind.round_up(range.high)})) {
    double least = std::max(first, -kind.greatest_subnormal());
    if (setting.flush_outputs != Flush::never) least = std::min(least, 0.0);
    out = std::min(out, less(least, kind.min_normal));
  }
  if (range.high <= kind.min_normal) return out;
  const double start = std::max(range.low, kind.min_normal);
  if (start > kind.largest) return out;
  const double binade = kind.binade(start);
  if (range.high > binade && kind.round_down(start) == binade)
    out = std::min(out, less(start - start * slack, kind.spacing(binade)));
  if (range.high > 2 * binade) {
    out = std::min(out, less(2 * binade, kind.spacing(2 * binade)));
    if (n * kind.unit >= 1) {
      const double last = kind.binade(std::min(range.high, kind.largest));
      out = std::min(out, less(last, kind.spacing(last)));
    }
  }
  return out;
}

Interval opposite(const Interval& x) { return {-x.high + 0.0, -x.low + 0.0}; }

/// The results of the format in an interval, with overflow and flushing. `before` is the interval before it was rounded
/// to the format.
Answers results(const Setting& setting, Interval out, const Interval& before) {
  const NumberKind& kind = setting.kind;
  if (!kind.is_finite(out)) {
    if (setting.constant) {
      // Beyond the largest number there may be an error; from the next power of two on, there is one.
      const bool far = before.low >= kind.overflow || before.high <= -kind.overflow;
      if (far) return Answers::anything(Cause::overflow, setting.operation).with(Verdict::invalid, setting.operation);
      out = {std::clamp(out.low, -kind.largest, kind.largest), std::clamp(out.high, -kind.largest, kind.largest)};
      return Answers::of(flushed(kind, setting.flush_outputs, out)).with(Verdict::either, setting.operation);
    }
    if (setting.indeterminate) return Answers::anything(Cause::overflow, setting.operation);
    if (out.low < -kind.largest) out.low = -infinity;
    if (out.high > kind.largest) out.high = infinity;
  }
  return Answers::of(flushed(kind, setting.flush_outputs, out));
}

/// Rounds to nearest even. `reals` may have been rounded outward to doubles before. An end between two numbers of the
/// format is one double away from a tie only if the real is on the tie's other side.
Interval nearest(const NumberKind& kind, const Interval& reals, bool point) {
  const auto to = [&](double end, bool is_low) {
    const double near = kind.nearest(end);
    if (reals.is_point() || !point) return near;
    const double low = kind.round_down(end), high = kind.round_up(end);
    const bool tie = std::isfinite(low) && std::isfinite(high) && end - low == high - end;
    return tie ? (is_low ? high : low) : near;
  };
  const double low = to(reals.low, true), high = to(reals.high, false);
  return {std::min(low, high), std::max(low, high)};
}

/// The result of IEEE 754 for a divisor that may be 0: both infinities, since the zero may have either sign.
Answers quotients_around_zero(const Setting& setting, const Piece& piece, const Interval* box) {
  const Interval x = box[0], y = box[1];
  if (x.low < 0 && x.high > 0) return Answers::of({-infinity, infinity});
  if (x.low == 0 && x.high == 0) {
    return y.is_point() ? Answers{} : over(setting, piece, Op::mul, box);  // 0, like the product
  }
  Answers out;
  const Interval positive{setting.kind.least, y.high}, negative{y.low, -setting.kind.least};
  for (const Interval& part : {positive, negative}) {
    if (part.low > part.high) continue;
    const Interval some[2] = {x, part};
    unite(out, over(setting, piece, Op::div, some), true);
  }
  unite(out, Answers::of({-infinity, -infinity}), true);
  unite(out, Answers::of({infinity, infinity}), true);
  // Each part reaches from the infinity to the least quotient of the same sign.
  for (std::size_t k = 0; k < out.count; ++k) {
    if (out.parts[k].low > 0) out.parts[k].high = infinity;
    if (out.parts[k].high < 0) out.parts[k].low = -infinity;
  }
  Answers merged;
  unite(merged, out, true);
  return merged;
}

/// In f64, directed arithmetic stops at the largest double. If all results are 2^1024 or more, or -2^1024 or less, an
/// end becomes infinite. That is exact for + - * / fma (by rationals), and exp, exp2 and exp10; for others it is left open.
Interval beyond_doubles(Op op, const Interval* box, Interval reals) {
  using numerics::Rounding;
  const mpq_class limit = mpq_class(mpz_class(1) << 1024);
  const auto far = [&](const Interval& one) {
    switch (op) {
      case Op::exp:
      case Op::exp2:
      case Op::exp10: {
        static const NumberKind f64 = NumberKind::of(numerics::Format::f64);
        const double half = one.low / 2;
        return real_value(f64, op, &half).values.low >= 0x1p512;
      }
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::div:
      case Op::fma: break;
      default: return false;
    }
    const int arity = ir::traits(op).arity;
    for (int corner = 0; corner < 1 << arity; ++corner) {
      mpq_class x[3];
      for (int k = 0; k < arity; ++k) x[k] = mpq_class((corner >> k) % 2 ? box[k].high : box[k].low);
      if (op == Op::div && sgn(x[1]) == 0) return false;
      const mpq_class value = op == Op::add   ? mpq_class(x[0] + x[1])
                              : op == Op::sub ? mpq_class(x[0] - x[1])
                              : op == Op::div ? mpq_class(x[0] / x[1])
                                              : mpq_class(x[0] * x[1] + x[2]);
      if (one.high > 0 ? value < limit : value > -limit) return false;
    }
    return true;
  };
  if (reals.low >= directed::largest && far({box[0].low, infinity})) return {infinity, infinity};
  if (reals.high <= -directed::largest && far({box[0].low, -infinity})) return {-infinity, -infinity};
  return reals;
}

}  // namespace

Interval input(const Setting& setting, const Interval& x) {
  return flushed(setting.kind, setting.flush_inputs, setting.kind.outward(x));
}

Interval seen(const Setting& setting, const Interval& x) {
  return x.low == x.high ? input(setting, x) : flushed(setting.kind, setting.flush_inputs, x);
}

Answers rounded(const Setting& setting, const Interval& reals, bool flushes) {
  Setting how = setting;
  if (!flushes) how.flush_outputs = Flush::never;
  return results(how, setting.kind.outward(reals), reals);
}

Verdict outside(const Setting& setting, Op op, const Interval* box) {
  const bool divides = op == Op::div || op == Op::rem;
  if (divides && box[1].low == 0 && box[1].high == 0) return Verdict::invalid;
  const Range range = real_range(setting.kind, op, box);
  return range.some && !(range.pole && range.values.is_point()) ? Verdict::either : Verdict::invalid;
}

Answers over(const Setting& setting, const Piece& piece, Op op, const Interval* box) {
  using Kind = Piece::Kind;
  if (piece.kind == Kind::anything) return Answers::anything(Cause::stated, setting.operation);
  if (piece.kind == Kind::primitive) return piece.primitive->over(setting, box);
  const NumberKind& kind = setting.kind;
  const int arity = setting.arity;
  bool point = true;
  for (int k = 0; k < arity; ++k) point &= box[k].is_point();
  Range range;
  double nearest_double = 0;
  if (point) {
    const double at[3] = {box[0].low, arity > 1 ? box[1].low : 0, arity > 2 ? box[2].low : 0};
    range = real_value(kind, op, at);
    if (kind.mask == 0 && piece.kind == Kind::exact) nearest_double = nearest_value(op, at);
  } else {
    range = real_range(kind, op, box);
  }
  Answers extra;
  if (range.pole || range.undefined) {
    if (setting.indeterminate) {
      const bool divides = op == Op::div || op == Op::rem;
      const Cause cause = divides && box[1].contains(0) ? Cause::zero : Cause::undefined;
      Answers anything = Answers::anything(cause, setting.operation);
      if (setting.constant) anything = std::move(anything).with(outside(setting, op, box), setting.operation);
      return anything;
    }
    extra.nan = range.undefined;
    if (op == Op::div && range.pole) {
      unite(extra, quotients_around_zero(setting, piece, box), true);
      return extra;
    }
    if (!range.some) return extra;
  }
  if (!range.some) return Answers::anything(Cause::undefined, setting.operation);
  Interval reals = range.values;
  const bool beyond = reals.low >= kind.largest || reals.high <= -kind.largest;
  if (setting.constant && kind.mask == 0 && beyond) reals = beyond_doubles(op, box, reals);
  const bool chooses = op == Op::min || op == Op::max || op == Op::minnum || op == Op::maxnum;
  if (chooses && setting.flushes() && kind.meets_subnormals(box[0]) && kind.meets_subnormals(box[1])) {
    // Both operands may be 0, or equal, so either one may be the result.
    const Interval subnormal{-kind.greatest_subnormal(), kind.greatest_subnormal()};
    for (const Interval& x : {box[0], box[1]})
      reals = hull(reals, {std::max(x.low, subnormal.low), std::min(x.high, subnormal.high)});
  }
  const bool exact = piece.kind == Kind::exact;
  if (exact && point && kind.mask == 0 && !chooses) reals = {nearest_double, nearest_double};
  const double amount = piece.kind == Kind::absolute || piece.kind == Kind::ulps ? piece.amount.upper_bound(box) : 0;
  const double slack = ir::is_elementary(op) && kind.mask != 0 ? 0x1p-50 : 0;
  Answers out = around(setting, piece, reals, exact ? nearest(kind, reals, point) : Interval{}, amount, slack);
  if (extra.nan) out.nan = !out.unbounded;
  return out;
}

Answers around(const Setting& setting, const Piece& piece, const Interval& reals, const Interval& nearest,
               double amount, double slack) {
  const NumberKind& kind = setting.kind;
  if (!(amount <= kind.largest)) return Answers::anything(Cause::amount, setting.operation);
  switch (piece.kind) {
    case Piece::Kind::exact: return results(setting, nearest, reals);
    case Piece::Kind::absolute: {
      const Interval near = flushed(kind, setting.flush_outputs, kind.outward(reals));
      const Interval wide{directed::add_down(near.low, -amount), directed::add_up(near.high, amount)};
      return results(setting, wide, wide);
    }
    case Piece::Kind::ulps: {
      const Interval wide{below_ulps(setting, reals, amount, slack),
                          -below_ulps(setting, opposite(reals), amount, slack)};
      Interval judged = wide;
      const double above_largest = 2 * amount * kind.largest_ulp;  // the error at that place
      if (reals.low >= kind.overflow) judged.low = directed::add_down(reals.low, -above_largest);
      if (reals.high <= -kind.overflow) judged.high = directed::add_up(reals.high, above_largest);
      return results(setting, wide, judged);
    }
    default: return results(setting, kind.outward(reals), reals);
  }
}

}  // namespace reckon::interp::accept::sound
