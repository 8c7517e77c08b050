#include "codegen/host/interval_call.h"

#include <cmath>

#include "interp/semantics/interval_functions.h"
#include "ir/op.h"

namespace reckon::codegen {

namespace {

using Functions = interp::IntervalFunctions<interp::F64Endpoints>;
using Interval = Functions::Value;
using Fault = const interp::FaultText*;

struct Call {
  Interval x, y;

  // Total functions, and those that may have no value: compiled code finds that by itself.
  Interval operator()(Interval (Functions::*function)(const Interval&, const Interval&) const) const {
    return (Functions{}.*function)(x, y);
  }
  Interval operator()(Fault (Functions::*function)(Interval&, const Interval&, const Interval&) const) const {
    Interval out;
    static_cast<void>((Functions{}.*function)(out, x, y));
    return out;
  }
};

}  // namespace

CalledEndpoints interval_function(std::int32_t op, double low, double high, double second_low, double second_high) {
  for (double end : {low, second_low}) {
    if (std::isnan(end)) return {end, end};  // an empty interval
  }
  const Call call{{low, high}, {second_low, second_high}};
  Interval out;
  switch (static_cast<ir::Op>(op)) {
#define RECKON_FUNCTION(name)                                    \
  case ir::Op::name:                                             \
    (void)Functions{}.of(numerics::Function::name, out, call.x); \
    break;
#define RECKON_FUNCTION_OF_TWO(name) \
  case ir::Op::name:                 \
    out = call(&Functions::name);    \
    break;
#include "numerics/functions.def"
    default: break;
  }
  return {out.low, out.high};
}

}  // namespace reckon::codegen
