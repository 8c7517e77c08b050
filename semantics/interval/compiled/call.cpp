#include "semantics/interval/compiled/call.h"

#include <cmath>

#include "interp/algebra/interval_rules.h"
#include "ir/function_of.h"

namespace reckon::codegen {

CalledEndpoints interval_function(std::int32_t op, double low, double high, double second_low, double second_high) {
  for (double end : {low, second_low}) {
    if (std::isnan(end)) return {end, end};  // the interval is empty
  }
  constexpr numerics::intervals::Functions<interp::F64Endpoints> rules{};
  const interp::IntervalOf<double> x{low, high}, y{second_low, second_high};
  const auto ends = [](const interp::IntervalOf<double>& out) { return CalledEndpoints{out.low, out.high}; };
  switch (static_cast<ir::Op>(op)) {
    case ir::Op::pow: return ends(rules.pow(x, y));
    case ir::Op::rootn: return ends(rules.rootn(x, y));
    case ir::Op::atan2: return ends(rules.atan2(x, y));
    default: break;
  }
  const numerics::Function function = *ir::function_of(static_cast<ir::Op>(op));
  if (rules.is_undefined(function, x)) return {0, 0};
  return ends(rules.of(function, x));
}

}  // namespace reckon::codegen
