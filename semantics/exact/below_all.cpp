#include "semantics/exact/below_all.h"

#include <fmt/format.h>

#include "diagnostics/codes/undefined_result.h"
#include "ir/function_of.h"

namespace reckon::interp {

namespace {

using ir::Op;
using numerics::Real;

bool low(const Real& x) { return x.is_below_all(); }

/// The product of x and -inf.
std::optional<Real> product(const Real& x, numerics::Limit limit) {
  if (!low(x) && numerics::sign(x, limit) == 1) return Real::below_all();
  return std::nullopt;
}

}  // namespace

std::optional<Real> with_below_all(Op op, const Real* x, numerics::Limit limit) {
  switch (op) {
    case Op::add: return Real::below_all();
    case Op::sub: return low(x[1]) ? std::nullopt : std::optional(x[0]);
    case Op::mul: return product(low(x[0]) ? x[1] : x[0], limit);
    case Op::div: return low(x[1]) ? std::nullopt : product(x[1], limit);
    case Op::fma:
      if (!low(x[0]) && !low(x[1])) return x[2];
      return product(low(x[0]) ? x[1] : x[0], limit);
    case Op::min:
    case Op::minnum: return Real::below_all();
    case Op::max:
    case Op::maxnum: return low(x[0]) ? x[1] : x[0];
    case Op::clamp: {  // min(max(x, low), high)
      if (low(x[2])) return x[2];
      if (low(x[0])) return low(x[1]) ? x[1] : numerics::min(x[1], x[2]);
      return numerics::min(x[0], x[2]);
    }
    case Op::sign: return Real(-1);
    default: break;
  }
  const auto function = ir::function_of(op);
  if (!function || !numerics::is_exponential(*function)) return std::nullopt;
  return Real(static_cast<long>(numerics::traits(*function).range.low));
}

bool compares_below_all(Op op, const Real& a, const Real& b) {
  switch (op) {
    case Op::less: return !low(b);
    case Op::less_equal: return low(a);
    case Op::equal: return low(a) && low(b);
    default: return low(a) != low(b);
  }
}

Fault no_value_of_below_all(Op op) {
  return {code::undefined_result, fmt::format("`{}` of -inf has no value under `exact`", ir::traits(op).spelling),
          "-inf is there for masks: exp(-inf) = 0, max(-inf, x) = x, -inf + x = -inf"};
}

}  // namespace reckon::interp
