#include "semantics/interval/compiled/call.h"

#include <cmath>

#include "interp/algebra/interval_rules.h"
#include "ir/op.h"

namespace reckon::codegen {

CalledEndpoints interval_function(std::int32_t op, double low, double high, double second_low, double second_high) {
  for (double end : {low, second_low}) {
    if (std::isnan(end)) return {end, end};  // the interval is empty
  }
  constexpr numerics::intervals::Functions<interp::F64Endpoints> rules{};
  const interp::IntervalOf<double> x{low, high}, y{second_low, second_high};
  const auto out = static_cast<ir::Op>(op) == ir::Op::pow ? rules.pow(x, y) : rules.atan2(x, y);
  return {out.low, out.high};
}

}  // namespace reckon::codegen
