#include "codegen/semantics/interval_power.h"

#include <limits>

#include "codegen/semantics/shared_function.h"
#include "numerics/functions/sided.h"

namespace reckon::codegen {

using llvm::Value;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// y >= 0 where x is only 0.
Value* of_zero_is_outside(Rules& rules, Builder& b, Pair x, Pair y) {
  return b.CreateAnd(rules.equals(x.high, 0), rules.below(y.high, 0));
}

class Power {
 public:
  Power(Builder& b, Target target) : b_(b), directed_(b, target, Endpoints::f32), rules_(b, target, Endpoints::f32) {}

  /// Of the part of x that is not negative.
  Pair upper(Pair x, Pair y) {
    Value* nothing = b_.CreateOr(rules_.below(x.high, 0), of_zero_is_outside(rules_, b_, x, y));
    return rules_.choose(nothing, empty(), power({rules_.max_of(x.low, rules_.number(0)), x.high}, y));
  }

  /// Of the rest, which is not empty: at the integers of one parity, and at the others. Where the next integer is no
  /// number of the format, the range is wider by less than 1.
  Pair lower(Pair x, Pair y) {
    const Pair size{b_.CreateSelect(rules_.below(x.high, 0), b_.CreateFNeg(x.high), rules_.number(0)),
                    b_.CreateFNeg(x.low)};
    Value* first = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, y.low);
    Value* last = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, y.high);
    Value *first_odd = is_odd(first), *last_odd = is_odd(last);
    Pair out = empty();
    for (const bool odd : {false, true}) {
      Value* first_fits = odd ? first_odd : b_.CreateNot(first_odd);
      Value* last_fits = odd ? last_odd : b_.CreateNot(last_odd);
      const Pair integers{b_.CreateSelect(b_.CreateOr(first_fits, is_infinite(first)), first,
                                          directed_.add(Side::below, first, rules_.number(1))),
                          b_.CreateSelect(b_.CreateOr(last_fits, is_infinite(last)), last,
                                          directed_.add(Side::above, last, rules_.number(-1)))};
      const Pair part = power(size, integers);
      Value* only_other = b_.CreateAnd(b_.CreateFCmpOEQ(first, last), b_.CreateNot(first_fits));
      Value* some = b_.CreateAnd(b_.CreateFCmpOLE(first, last), b_.CreateFCmpOLE(integers.low, integers.high));
      out = rules_.hull(out, rules_.choose(b_.CreateAnd(some, b_.CreateNot(only_other)), odd ? rules_.neg(part) : part,
                                           empty()));
    }
    return out;
  }

 private:
  static constexpr double none = infinity;
  /// What a hull takes no notice of.
  Pair empty() { return {rules_.number(none), rules_.number(-none)}; }

  Value* is_infinite(Value* x) { return rules_.equals(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x), infinity); }
  /// An integer; an infinity is not odd.
  Value* is_odd(Value* x) {
    Value* half = b_.CreateFMul(x, rules_.number(0.5));
    return b_.CreateFCmpONE(b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, half), half);
  }

  /// m^y for m >= 0, which is monotone in each: the corners are extreme. Rounding is monotone as well, so that the
  /// choice comes first. Beyond any exponent that matters pow stops at 2^400: that is an infinity above, and below it
  /// never is the least.
  Pair power(Pair m, Pair y) {
    y.low = b_.CreateSelect(b_.CreateAnd(rules_.equals(m.high, 0), rules_.below(y.low, 0)), rules_.number(0), y.low);
    Pair out{};
    for (Value* base : {m.low, m.high}) {
      for (Value* exponent : {y.low, y.high}) {
        Value* value = b_.CreateCall(pow(), {rules_.plain(base), rules_.plain(exponent)});
        out = out.low ? Pair{rules_.min_of(out.low, value), rules_.max_of(out.high, value)} : Pair{value, value};
      }
    }
    return {directed_.number(Side::below, out.low), directed_.number(Side::above, out.high)};
  }

  llvm::Function* pow() {
    return shared_function(b_, "reckon_pow_sided", 2, [](Builder& inner, llvm::Function& function) {
      function.addFnAttr(llvm::Attribute::NoInline);
      NumberBuilder numbers{inner};
      inner.CreateRet(numerics::sided<numerics::BinaryFunction::pow>(numbers, function.getArg(0), function.getArg(1)));
    });
  }

  Builder& b_;
  Directed directed_;
  Rules rules_;
};

}  // namespace

Pair emit_interval_power(Builder& b, Target target, Pair x, Pair y) {
  auto* type = llvm::StructType::get(b.getContext(), {b.getDoubleTy(), b.getDoubleTy()});
  llvm::Function* function =
      shared_function(b, "reckon_interval_pow", type, 4, [&](Builder& inner, llvm::Function& made) {
        made.addFnAttr(llvm::Attribute::NoInline);
        auto* plain = llvm::BasicBlock::Create(inner.getContext(), "plain", &made);
        auto* rare = llvm::BasicBlock::Create(inner.getContext(), "rare", &made);
        const Pair base{made.getArg(0), made.getArg(1)}, exponent{made.getArg(2), made.getArg(3)};
        Power power(inner, target);
        Rules rules(inner, target, Endpoints::f32);
        const Pair upper = power.upper(base, exponent);
        inner.CreateCondBr(rules.below(base.low, 0), rare, plain);
        inner.SetInsertPoint(plain);
        inner.CreateRet(packed(inner, type, upper));
        inner.SetInsertPoint(rare);
        inner.CreateRet(packed(inner, type, rules.hull(upper, power.lower(base, exponent))));
      });
  return unpacked(b, b.CreateCall(function, {x.low, x.high, y.low, y.high}));
}

Value* emit_outside_power(Rules& rules, Builder& b, Pair x, Pair y) {
  Value* above = b.CreateOr(rules.below(x.high, 0), of_zero_is_outside(rules, b, x, y));
  Value* integer = b.CreateFCmpOLE(b.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, y.low),
                                   b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, y.high));
  return b.CreateAnd(above, b.CreateNot(b.CreateAnd(rules.below(x.low, 0), integer)));
}

}  // namespace reckon::codegen
