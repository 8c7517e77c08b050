// The endpoints of compiled intervals: the builder of numerics/intervals/rules.h and functions.h whose values are
// LLVM values. Conditions select between results that are both computed, so that loops vectorise.
#pragma once

#include "ir/op.h"
#include "numerics/intervals/functions.h"
#include "semantics/interval/compiled/directed.h"

namespace reckon::codegen {

class IntervalEndpoints : public Directed {
 public:
  using End = llvm::Value*;
  using Flag = llvm::Value*;
  using Words = NumberBuilder;
  using Interval = numerics::intervals::Interval<End>;
  using Function = numerics::Function;

  /// Endpoints of type `end`: f32s; or f64s, which with f32 ends are values of f32. Functions and remainders use f64.
  IntervalEndpoints(Builder& b, Target target, Endpoints endpoints, llvm::Type* end)
      : Directed(b, target, endpoints), end_(end) {}

  Words words() const { return {b_}; }
  End constant(double value) const { return llvm::ConstantFP::get(end_, value); }
  End neg(End x) const { return b_.CreateFNeg(x); }
  // A constant operand is put on the right.
  Flag less(End x, End y) const { return is_constant(x) ? b_.CreateFCmpOGT(y, x) : b_.CreateFCmpOLT(x, y); }
  Flag less_equal(End x, End y) const { return is_constant(x) ? b_.CreateFCmpOGE(y, x) : b_.CreateFCmpOLE(x, y); }
  Flag equal(End x, End y) const { return b_.CreateFCmpOEQ(x, y); }
  Flag is_nan(End x) const { return b_.CreateFCmpUNO(x, x); }
  Flag both(Flag f, Flag g) const { return b_.CreateAnd(f, g); }
  Flag either(Flag f, Flag g) const { return b_.CreateOr(f, g); }
  Flag negated(Flag f) const { return b_.CreateNot(f); }

  // The host's own minimum is a selection; PTX has an instruction for it.
  End min_of(End x, End y) const {
    return target_ == Target::ptx ? b_.CreateMinNum(x, y) : pick(b_.CreateFCmpOLT(x, y), x, y);
  }
  End max_of(End x, End y) const {
    return target_ == Target::ptx ? b_.CreateMaxNum(x, y) : pick(b_.CreateFCmpOGT(x, y), x, y);
  }
  End outermost(Side side, End x, End y, End other) const;
  End unless_nan(End x, End other) const { return target_ == Target::ptx ? pick(is_nan(x), other, x) : x; }
  End plain(End x) const { return pick(equal(x, constant(0)), constant(0), x); }
  End floor(End x) const { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x); }
  End ceil(End x) const { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, x); }
  End trunc(End x) const { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x); }
  End round(End x) const { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, x); }
  Flag is_finite(End x) const;
  Flag is_odd(End x) const;
  End all_integers_below() const { return constant(endpoints_ == Endpoints::f32 ? 0x1p+23 : 0x1p+52); }
  End remainder(End x, End y) const;
  End pi_above() const;

  End function(Function f, Side side, End x) const;
  End function(numerics::BinaryFunction f, Side side, End x, End y) const;
  llvm::Value* quarter_turns(End x) const;
  llvm::Value* half_turns(End x) const;
  /// There is no code for it: emit_interval_function() does not come here.
  Interval gamma_range(Function, const Interval& x) const { return x; }
  Flag has_many_turns(const Interval&, End width) const { return less_equal(constant(7), width); }

  End pick(Flag flag, End x, End y) const { return b_.CreateSelect(flag, x, y); }
  Interval pick(Flag flag, const Interval& x, const Interval& y) const {
    return {pick(flag, x.low, y.low), pick(flag, x.high, y.high)};
  }
  template <class F, class G>
  auto choose(Flag flag, F&& then, G&& otherwise) const {
    const auto x = then();
    const auto y = otherwise();
    return pick(flag, x, y);
  }
  template <class F, class G>
  auto shortcut(Flag, F&&, G&& always) const {
    return always();
  }
  template <class F, class G>
  Interval branch(Flag flag, F&& then, G&& otherwise) const {
    llvm::Function* function = b_.GetInsertBlock()->getParent();
    const auto block = [&](const char* name) { return llvm::BasicBlock::Create(b_.getContext(), name, function); };
    llvm::BasicBlock *yes = block("yes"), *no = block("no"), *after = block("after");
    b_.CreateCondBr(flag, yes, no);
    const auto side = [&](llvm::BasicBlock*& in, auto&& emit) {
      b_.SetInsertPoint(in);
      const Interval out = emit();
      in = b_.GetInsertBlock();
      b_.CreateBr(after);
      return out;
    };
    const Interval x = side(yes, then), y = side(no, otherwise);
    b_.SetInsertPoint(after);
    const auto merged = [&](End of_yes, End of_no) {
      llvm::PHINode* phi = b_.CreatePHI(end_, 2);
      phi->addIncoming(of_yes, yes);
      phi->addIncoming(of_no, no);
      return phi;
    };
    return {merged(x.low, y.low), merged(x.high, y.high)};
  }

 private:
  static bool is_constant(End x) { return llvm::isa<llvm::Constant>(x); }

  llvm::Type* end_;
};

/// Intervals as LLVM values.
using Pair = IntervalEndpoints::Interval;
using Intervals = numerics::intervals::Functions<IntervalEndpoints>;

}  // namespace reckon::codegen
