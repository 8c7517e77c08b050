// log1p, asinh, acosh and atanh in fixed point of 224 bits, by the logarithm of log.h: of 1 + x, of x +
// sqrt(x^2 + 1) and x + sqrt(x^2 - 1), of (1 + x) and (1 - x). With x = 2^e m and e >= 0, everything is divided by 2^e
// first, so that 2^-e or 2^-2e is added, or nothing if that is below 2^-224. The operands of the logarithm
// are within 2^-222, the logarithms within 2^-210; they are at least 2^-55 for log1p, 2^-28 for the others.
#include <limits>

#include "semantics/interval/compiled/fixed_emitter.h"
#include "semantics/interval/compiled/functions_of_f64.h"
#include "semantics/interval/compiled/log.h"

namespace reckon::codegen {

using ir::Op;
using llvm::Value;
using namespace fixed_point;

namespace {

class Logarithms : public FixedEmitter {
 public:
  using FixedEmitter::FixedEmitter;

  Value* log1p() {
    Value* tiny = less(size_, 0x1p-54);
    Value* scale = clamped(exponent_of_size(), 0, 2000);
    Value* part = scaled_down(tiny);
    Value* one = shifted_right(constant_of(wide(), fraction_bits), scale);
    Value* value = b_.CreateAdd(one, b_.CreateSelect(negative_, b_.CreateNeg(part), part));
    Value* log = total(emit_fixed_log(b_, value, b_.CreateSub(i64(fraction_bits), scale), target_));
    Value* result = signed_end(log, fraction_bits);
    // The result lies just below x.
    Value* beside = b_.CreateSelect(negative_, emit_beside(b_, x_, true, side_), emit_beside(b_, x_, false, side_));
    result = b_.CreateSelect(tiny, beside, limits(result));
    return b_.CreateSelect(b_.CreateFCmpOEQ(x_, number(-1)), number(-infinity), result);
  }

  Value* asinh() {
    Value* tiny = less(size_, 0x1p-27);
    Value* size = of_root(tiny, true);
    size = b_.CreateSelect(negative_, b_.CreateNeg(size), size);
    return b_.CreateSelect(tiny, emit_beside(b_, x_, false, side_), limits(signed_end(size, fraction_bits)));
  }
  Value* acosh() {
    Value* outside = less(size_, 1);
    Value* result = limits(signed_end(of_root(outside, false), fraction_bits));
    return b_.CreateSelect(b_.CreateFCmpOEQ(x_, number(1)), number(0), result);
  }

  Value* atanh() {
    Value* one = b_.CreateFCmpOEQ(size_, number(1));
    Value* tiny = less(size_, 0x1p-27);
    Value* part = magnitude(b_, b_.CreateSelect(b_.CreateOr(one, tiny), number(0.5), size_));
    Value* places = i64(fraction_bits);
    Value* above = total(emit_fixed_log(b_, sum_of_one_and(part), places, target_));
    Value* below = total(emit_fixed_log(b_, sum_of_one_and(b_.CreateNeg(part)), places, target_));
    Value* twice_atanh = b_.CreateSub(above, below);
    Value* result = signed_end(b_.CreateSelect(negative_, b_.CreateNeg(twice_atanh), twice_atanh), fraction_bits + 1);
    result = b_.CreateSelect(one, b_.CreateSelect(negative_, number(-infinity), number(infinity)), result);
    return b_.CreateSelect(tiny, emit_beside(b_, x_, true, side_), result);
  }

 private:
  /// |x|, or m of |x| = 2^e m if e >= 0; arbitrary if `excluded`.
  Value* scaled_down(Value* excluded) {
    Value* m = b_.CreateShl(b_.CreateZExt(significand_of_size(), wide()), fraction_bits - 52);
    Value* part = shifted_right(m, b_.CreateNeg(exponent_of_size()));
    return b_.CreateSelect(excluded, constant_of(wide(), fraction_bits), part);
  }
  /// log(|x| + sqrt(x^2 + 1)), or with - 1 if not `plus`.
  Value* of_root(Value* excluded, bool plus) {
    Value* scale = b_.CreateSelect(excluded, i64(0), clamped(exponent_of_size(), 0, 2000));
    Value* part = scaled_down(excluded);
    Value* same = b_.CreateZExt(part, twice());
    Value* distance = clamped(b_.CreateShl(scale, 1), 0, 2 * width - 1);
    Value* one = b_.CreateLShr(constant_of(twice(), 2 * fraction_bits), b_.CreateZExt(distance, twice()));
    Value* square = b_.CreateMul(same, same);
    Value* leg = root(plus ? b_.CreateAdd(square, one) : b_.CreateSub(square, one));
    return total(emit_fixed_log(b_, b_.CreateAdd(part, leg), b_.CreateSub(i64(fraction_bits), scale), target_));
  }
  Value* total(const FixedLog& log) {
    return b_.CreateAdd(b_.CreateMul(b_.CreateSExt(log.exponent, wide()), constant(b_.getContext(), fixed_ln2())),
                        log.rest);
  }
  Value* signed_end(Value* value, unsigned places) {
    Value* negative = b_.CreateICmpSLT(value, llvm::ConstantInt::get(wide(), 0));
    return emit_end(b_, b_.CreateSelect(negative, b_.CreateNeg(value), value), i64(places), negative, side_);
  }
  Value* limits(Value* result) { return b_.CreateSelect(b_.CreateFCmpOEQ(size_, number(infinity)), x_, result); }
};

}  // namespace

void emit_logarithm_body(Builder& b, Op op, Side side, Value* x, Target target) {
  Logarithms logarithms(b, side, x, target);
  b.CreateRet(op == Op::log1p   ? logarithms.log1p()
              : op == Op::asinh ? logarithms.asinh()
              : op == Op::acosh ? logarithms.acosh()
                                : logarithms.atanh());
}

}  // namespace reckon::codegen
