// With f32 endpoints, on every target, a function is one evaluation of numerics/functions/sided.h, rounded to f32. With
// f64 endpoints it is one of functions_of_f64.h.
#include "semantics/interval/compiled/endpoints.h"

#include <limits>

#include "codegen/scalars/remainder.h"
#include "codegen/scalars/shared_function.h"
#include "ir/function_of.h"
#include "numerics/functions/sided.h"
#include "semantics/interval/compiled/functions_of_f64.h"
#include "semantics/interval/compiled/trig_of_f64.h"

namespace reckon::codegen {

using llvm::Value;
using numerics::BinaryFunction;

/// For f32 the NaN test follows the choice, which prefers a number: on an H200, matrix products take a fifth less time
/// than if each product is corrected. For f64 they take 8 % more time, since a selection is two instructions.
Value* IntervalEndpoints::outermost(Side side, Value* x, Value* y, Value* other) const {
  const bool below = side == Side::below, at_once = x->getType()->isFloatTy();
  if (!at_once) x = unless_nan(x, other), y = unless_nan(y, other);
  Value* chosen = below ? min_of(x, y) : max_of(x, y);
  if (!at_once || target_ == Target::host) return chosen;
  Value* inside = below ? b_.CreateFCmpUGT(chosen, other) : b_.CreateFCmpULT(chosen, other);
  return pick(b_.CreateAnd(b_.CreateFCmpUNO(x, y), inside), other, chosen);
}

Value* IntervalEndpoints::is_finite(Value* x) const {
  return less(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x), constant(std::numeric_limits<double>::infinity()));
}

Value* IntervalEndpoints::is_odd(Value* x) const {
  Value* half = b_.CreateFMul(x, constant(0.5));
  return b_.CreateFCmpONE(floor(half), half);
}

Value* IntervalEndpoints::remainder(Value* x, Value* y) const { return emit_remainder(b_, x, y); }

Value* IntervalEndpoints::pi_above() const {
  return number(Side::above, constant(0x1.921fb54442d19p+1));  // the next f64; there is no f32 between
}

Value* IntervalEndpoints::function(Function f, Side side, Value* x) const {
  if (endpoints_ != Endpoints::f32) return emit_function_of_f64(b_, ir::operation_of(f), side, x, target_);
  NumberBuilder numbers{b_};
  return number(side, numerics::sided(numbers, f, x));
}

Value* IntervalEndpoints::function(BinaryFunction f, Side side, Value* x, Value* y) const {
  if (endpoints_ != Endpoints::f32) {
    assert(f == BinaryFunction::hypot);
    return emit_hypot_of_f64(b_, side, x, y);
  }
  NumberBuilder numbers{b_};
  if (f != BinaryFunction::pow) return number(side, numerics::sided(numbers, f, x, y));
  llvm::Function* pow = shared_function(b_, "reckon_pow_sided", 2, [](Builder& inner, llvm::Function& function) {
    function.addFnAttr(llvm::Attribute::NoInline);
    NumberBuilder of_function{inner};
    inner.CreateRet(numerics::sided<BinaryFunction::pow>(of_function, function.getArg(0), function.getArg(1)));
  });
  return number(side, b_.CreateCall(pow, {x, y}));
}

Value* IntervalEndpoints::half_turns(Value* x) const { return emit_half_turns_of_f64(b_, x); }

Value* IntervalEndpoints::quarter_turns(Value* x) const {
  if (endpoints_ != Endpoints::f32) return emit_quarter_turns_of_f64(b_, x, target_);
  NumberBuilder numbers{b_};
  return numerics::quarter_turns(numbers, numerics::quadrant_of(numbers, x), x);
}

}  // namespace reckon::codegen
