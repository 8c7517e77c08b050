#include "semantics/accept/suite.h"

#include <algorithm>

#include "semantics/accept/primitives.h"
#include "semantics/accept/real_range.h"

namespace reckon::interp::accept::suite {

using Flush = Setting::Flush;
using ir::Op;

namespace {

/// One or two numbers of the format, and 0 if one of them may be flushed.
Inputs with_flushed(const NumberKind& kind, Flush flush, double low, double high) {
  Inputs out;
  bool subnormal = false, zero = false;
  for (const double x : {low, high}) {
    if (out.count != 0 && x == low) continue;
    zero |= x == 0;
    const bool flushes = flush != Flush::never && x != 0 && kind.is_subnormal(x);
    subnormal |= flushes;
    if (!flushes || flush == Flush::may) out.values[out.count++] = x;
  }
  if (subnormal && !zero) out.values[out.count++] = 0;
  return out;
}

/// The possible results for a real between two neighbours, or for one number of the format.
Inputs choices(const Setting& setting, const Interval& n) {
  return with_flushed(setting.kind, setting.flush_outputs, n.low, n.high);
}

/// The interval, unless it reaches beyond the largest number; then the answer is "anything".
Answers finite(const Setting& setting, const Interval& interval) {
  return setting.kind.is_finite(interval) ? Answers::of(interval)
                                          : Answers::anything(Cause::overflow, setting.operation);
}

}  // namespace

Inputs inputs(const NumberKind& kind, Flush flush, double x) {
  return with_flushed(kind, flush, kind.round_down(x) + 0.0, kind.round_up(x) + 0.0);
}

Answers correctly_rounded(const Setting& setting, const Interval& n) {
  const Inputs v = choices(setting, setting.kind.outward(n));
  const auto [low, high] = std::minmax_element(v.values, v.values + v.count);
  return finite(setting, {*low, *high});
}

Answers absolute(const Setting& setting, const Interval& n, double error) {
  if (!(error <= setting.kind.largest)) return Answers::anything(Cause::amount, setting.operation);
  const Interval neighbours = setting.kind.outward(n);
  if (!setting.kind.is_finite(neighbours)) return Answers::anything(Cause::overflow, setting.operation);
  const Inputs v = choices(setting, neighbours);
  Interval out{infinity, -infinity};
  for (int k = 0; k < v.count; ++k) out = hull(out, {v.values[k] - error + 0.0, v.values[k] + error + 0.0});
  return finite(setting, out);
}

Answers ulps(const Setting& setting, const Interval& n, double count) {
  const NumberKind& kind = setting.kind;
  if (!(count <= kind.largest)) return Answers::anything(Cause::amount, setting.operation);
  const Interval neighbours = kind.outward(n);
  if (!kind.is_finite(neighbours)) return Answers::anything(Cause::overflow, setting.operation);
  const Inputs v = choices(setting, neighbours);
  Interval out{infinity, -infinity};
  for (int k = 0; k < v.count; ++k) {
    const double width = count * kind.ulp(v.values[k], setting.flushes());
    Interval one{v.values[k] - width + 0.0, v.values[k] + width + 0.0};
    if (setting.flush_outputs != Flush::never) {
      if (kind.is_subnormal(one.low)) one.low = std::min(one.low, 0.0);
      if (kind.is_subnormal(one.high)) one.high = std::max(one.high, 0.0);
    }
    out = hull(out, one);
  }
  return finite(setting, out);
}

Answers at(const Setting& setting, const Piece& piece, Op op, const double* point) {
  using Kind = Piece::Kind;
  if (piece.kind == Kind::anything) return Answers::anything(Cause::stated, setting.operation);
  if (piece.kind == Kind::primitive) return piece.primitive->at(setting, point);
  const NumberKind& kind = setting.kind;
  Interval n;
  const bool choice = op == Op::min || op == Op::max || op == Op::minnum || op == Op::maxnum;
  if (choice && setting.flushes() && kind.is_subnormal(point[0]) && kind.is_subnormal(point[1])) {
    n = {std::min(point[0], point[1]), std::max(point[0], point[1])};
  } else {
    const Range value = suite_value(kind, op, point);
    if (value.pole || value.undefined || !value.some) {
      return Answers::anything(op == Op::div || op == Op::rem ? Cause::zero : Cause::undefined, setting.operation);
    }
    n = value.values;
  }
  const double amount = piece.kind == Kind::absolute || piece.kind == Kind::ulps ? piece.amount.at(point) : 0;
  return around(setting, piece, n, {kind.nearest(n.low), kind.nearest(n.high)}, amount);
}

Answers around(const Setting& setting, const Piece& piece, const Interval& n, const Interval& nearest, double amount) {
  switch (piece.kind) {
    case Piece::Kind::exact: return correctly_rounded(setting, nearest);
    case Piece::Kind::absolute: return absolute(setting, n, amount);
    case Piece::Kind::ulps: return ulps(setting, n, amount);
    default: return correctly_rounded(setting, n);
  }
}

const Piece* piece_at(const Choice& choice, const double* point, int& argument) {
  for (const Piece& piece : choice.pieces) {
    const auto inside = [&](const Domain& domain) {
      const double x = point[domain.argument];
      const bool in = std::any_of(domain.ranges.begin(), domain.ranges.end(),
                                  [&](const Interval& range) { return range.contains(x); });
      if (!in) argument = static_cast<int>(domain.argument);
      return in;
    };
    if (std::all_of(piece.domains.begin(), piece.domains.end(), inside)) return &piece;
  }
  return nullptr;
}

void extrema(Op op, Interval* arguments) {
  if (op == Op::div && arguments[1].contains(0)) arguments[1] = {0, 0};
  if (op == Op::atan2 && arguments[0].contains(0)) {
    arguments[0] = {0, 0};
    if (arguments[1].contains(0)) arguments[1] = {0, 0};
  }
}

}  // namespace reckon::interp::accept::suite
