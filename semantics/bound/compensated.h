// Nodes of `neumaier` and `kahan` under `bound`: the floats that the algorithms compute, and the error of a node as a
// whole. A bound for each operation would be useless: a compensation consists of the errors that it compensates, and
// intervals that do not represent this widen at every node.
//
// A node is (sum, rest). The error that it stores in `sum.error` is
//   neumaier   real - (sum + rest): the roundings of the compensations, and nothing of the sum's
//   kahan      real - sum, since the compensation is dropped at the end
// and the rest by itself is a float without an error. Both follow from the operations' roundings, which are known.
#pragma once

#include "semantics/bound/algebra.h"

namespace reckon::interp {

template <class Float>
struct CompensatedBound {
  using Algebra = BoundAlgebra<Float>;
  using Value = typename Algebra::Value;
  using Native = typename Float::Value;
  struct Node {
    Value sum, rest;
  };

  static Node neumaier(const Node& a, const Node& b) {
    const Native sum = Float::add(a.sum.result, b.sum.result);
    const Native b_part = Float::sub(sum, a.sum.result), a_part = Float::sub(sum, b_part);
    const Native lost = Float::add(Float::sub(a.sum.result, a_part), Float::sub(b.sum.result, b_part));
    const Native rests = Float::add(a.rest.result, b.rest.result), rest = Float::add(rests, lost);
    if (auto doubt = doubt_of(a, b, {sum, lost, rests, rest})) return doubtful(sum, rest, *doubt);
    // real - (sum + rest) = errors + (a + b - sum) - lost + (rests' rounding) + (rest's rounding)
    const double minus_lost = -wide(lost);
    const ErrorInterval error = a.sum.error + b.sum.error +
                                (rounding(a.sum.result, b.sum.result, sum) + ErrorInterval{minus_lost, minus_lost}) +
                                rounding(a.rest.result, b.rest.result, rests) + rounding(rests, lost, rest);
    return {Algebra::make(sum, error), Algebra::exactly(rest)};
  }

  /// b must be a leaf.
  static Node kahan(const Node& a, const Node& b) {
    const Native next = Float::sub(b.sum.result, a.rest.result), sum = Float::add(a.sum.result, next);
    const Native rest = Float::sub(Float::sub(sum, a.sum.result), next);
    if (auto doubt = doubt_of(a, b, {next, sum, rest})) return doubtful(sum, rest, *doubt);
    // real - sum = errors + (b - rest - next) + rest + (a + next - sum)
    const double before = wide(a.rest.result);
    const ErrorInterval error =
        a.sum.error + b.sum.error +
        (rounding(b.sum.result, Float::neg(a.rest.result), next) + ErrorInterval{before, before}) +
        rounding(a.sum.result, next, sum);
    return {Algebra::make(sum, error), Algebra::exactly(rest)};
  }

 private:
  static double wide(Native x) { return Float::widened(x); }
  static ErrorInterval rounding(Native a, Native b, Native sum) {
    return sum_rounding(wide(a), wide(b), wide(sum), Algebra::format);
  }
  static std::optional<Doubt> doubt_of(const Node& a, const Node& b, std::initializer_list<Native> computed) {
    for (const Value* x : {&a.sum, &a.rest, &b.sum, &b.rest}) {
      if (x->doubt != Doubt::none) return x->doubt;
    }
    for (const Value* x : {&a.sum, &a.rest, &b.sum, &b.rest}) {
      if (!std::isfinite(wide(x->result))) return Doubt::infinite;
    }
    for (Native x : computed) {
      if (!std::isfinite(wide(x))) return Doubt::overflow;
    }
    return std::nullopt;
  }
  static Node doubtful(Native sum, Native rest, Doubt doubt) {
    return {Algebra::doubtful(sum, doubt), Algebra::doubtful(rest, doubt)};
  }
};

}  // namespace reckon::interp
