// The operations of intervals in LLVM IR: the interpreter's rules (interp/semantics/interval_rules.h) with selections
// in place of branches, so that loops vectorise.
//
// A lower end is never +inf, an upper end never -inf. The sign of a zero end means nothing. Of an empty interval both ends
// are NaN; but for hulls, comparisons and choices, the rules do not look at them (interval.cpp does).
#pragma once

#include <limits>

#include "codegen/semantics/directed.h"
#include "codegen/semantics/remainder.h"

namespace reckon::codegen {

struct Pair {
  llvm::Value *low, *high;  ///< of a bool: yes, no
};

inline Pair unpacked(Builder& b, llvm::Value* value) {
  return {b.CreateExtractValue(value, 0), b.CreateExtractValue(value, 1)};
}

inline llvm::Value* packed(Builder& b, llvm::StructType* type, Pair pair) {
  auto *low = llvm::dyn_cast<llvm::Constant>(pair.low), *high = llvm::dyn_cast<llvm::Constant>(pair.high);
  if (low && high) return llvm::ConstantStruct::get(type, {low, high});
  return b.CreateInsertValue(b.CreateInsertValue(llvm::PoisonValue::get(type), pair.low, 0), pair.high, 1);
}

/// The operations on ends, which are f64s, with f32 ends such as are f32s; or f32s.
class Rules {
  using Value = llvm::Value;

 public:
  Rules(Builder& b, Target target, Endpoints endpoints) : Rules(b, target, endpoints, b.getDoubleTy()) {}
  Rules(Builder& b, Target target, Endpoints endpoints, llvm::Type* end)
      : b_(b), directed_(b, target, endpoints), target_(target), endpoints_(endpoints), end_(end) {}

  Pair add(Pair x, Pair y) {
    return {directed_.add(Side::below, x.low, y.low), directed_.add(Side::above, x.high, y.high)};
  }
  Pair neg(Pair x) { return {b_.CreateFNeg(x.high), b_.CreateFNeg(x.low)}; }

  /// For each end of x, its sign says which end of y gives the lesser product, and which the greater.
  Pair mul(Pair x, Pair y) {
    const Pair first = corner(x.low, y), second = corner(x.high, y);
    const auto outer = [&](Side side, Value* of_low, Value* of_high) {
      Value* left = directed_.mul(side, x.low, of_low);
      return outermost(side, left, directed_.mul(side, x.high, of_high), number(0));
    };
    return {outer(Side::below, first.low, second.low), outer(Side::above, first.high, second.high)};
  }
  Pair fma(Pair x, Pair y, Pair z) {
    const Pair first = corner(x.low, y), second = corner(x.high, y);
    const auto outer = [&](Side side, Value* of_low, Value* of_high, Value* end) {
      Value* left = directed_.fma(side, x.low, of_low, end);
      return outermost(side, left, directed_.fma(side, x.high, of_high, end), end);
    };
    return {outer(Side::below, first.low, second.low, z.low), outer(Side::above, first.high, second.high, z.high)};
  }

  /// With the signs of both changed if y <= 0, the divisor is positive, or has 0 as its lower end or inside. A quotient
  /// by the end 0 is the infinity that the signs allow.
  Pair div(Pair x, Pair y) {
    Value* negative = at_most(y.high, 0);
    const Pair n = choose(negative, neg(x), x), opposite = choose(negative, neg(y), y);
    const Pair d{b_.CreateSelect(equals(opposite.low, 0), number(0), opposite.low), opposite.high};  // never -0
    const Pair quotient{directed_.div(Side::below, n.low, b_.CreateSelect(at_least(n.low, 0), d.high, d.low)),
                        directed_.div(Side::above, n.high, b_.CreateSelect(above(n.high, 0), d.low, d.high))};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Value* is_open = b_.CreateAnd(b_.CreateAnd(below(y.low, 0), above(y.high, 0)),
                                  b_.CreateOr(below(x.low, 0), above(x.high, 0)));  // 0 / y is 0
    return choose(is_open, {number(-infinity), number(infinity)}, quotient);
  }

  Pair sqrt(Pair x) {
    Value* inside = b_.CreateSelect(above(x.low, 0), x.low, number(0));
    return {directed_.sqrt(Side::below, inside),
            directed_.sqrt(Side::above, b_.CreateSelect(above(x.high, 0), x.high, number(0)))};
  }

  Pair exp(Pair x) { return {directed_.exp(Side::below, x.low), directed_.exp(Side::above, x.high)}; }

  Pair exp2(Pair x) { return {directed_.exp2(Side::below, x.low), directed_.exp2(Side::above, x.high)}; }
  Pair log(bool base_two, Pair x) {
    const auto inside = [&](Value* end) { return b_.CreateSelect(above(end, 0), end, number(0)); };
    return {directed_.log(Side::below, base_two, inside(x.low)), directed_.log(Side::above, base_two, inside(x.high))};
  }

  Pair abs(Pair x) {
    Value* opposite = b_.CreateFNeg(x.high);
    return {max_of(max_of(x.low, opposite), number(0)), max_of(b_.CreateFNeg(x.low), x.high)};
  }
  Pair min(Pair x, Pair y) { return {min_of(x.low, y.low), min_of(x.high, y.high)}; }
  Pair max(Pair x, Pair y) { return {max_of(x.low, y.low), max_of(x.high, y.high)}; }
  Pair hull(Pair x, Pair y) { return {min_of(x.low, y.low), max_of(x.high, y.high)}; }
  Value* is_empty(Pair x) { return b_.CreateFCmpUNO(x.low, x.low); }
  Pair empty() { return {llvm::ConstantFP::getNaN(end_), llvm::ConstantFP::getNaN(end_)}; }
  Pair sign(Pair x) {
    const auto of = [&](Value* end) {
      return b_.CreateSelect(above(end, 0), number(1), b_.CreateSelect(below(end, 0), number(-1), number(0)));
    };
    return {of(x.low), of(x.high)};
  }
  Pair copysign(Pair x, Pair y) {
    const Pair magnitude = abs(x), opposite = neg(magnitude);
    return {b_.CreateSelect(at_least(y.low, 0), magnitude.low, opposite.low),
            b_.CreateSelect(below(y.high, 0), opposite.high, magnitude.high)};
  }
  Pair integers(llvm::Intrinsic::ID id, Pair x) {
    return {b_.CreateUnaryIntrinsic(id, x.low), b_.CreateUnaryIntrinsic(id, x.high)};
  }
  /// f64s as f32s.
  Pair narrow(Pair x) { return {directed_.narrow(Side::below, x.low), directed_.narrow(Side::above, x.high)}; }
  Pair index(Value* x) { return {directed_.integer(Side::below, x), directed_.integer(Side::above, x)}; }

  /// x - y trunc(x / y), y != 0: the sign is x's, that of y does not matter.
  Pair rem(Pair x, Pair y) {
    const Pair modulus = abs(y);
    Value *positive = at_least(x.low, 0), *negative = at_most(x.high, 0);
    const Pair flipped = neg(x);
    const Pair one_sided = choose(positive, x, choose(negative, flipped, {number(0), x.high}));
    const Pair up = remainder(one_sided, modulus);
    const Pair down = remainder({number(0), flipped.high}, modulus);  // of what is negative in a mixed x
    return choose(positive, up, choose(negative, neg(up), {b_.CreateFNeg(down.high), up.high}));
  }

  // Three-valued.
  Pair less(Pair x, Pair y) { return {b_.CreateFCmpOLT(x.high, y.low), b_.CreateFCmpOGE(x.low, y.high)}; }
  Pair less_equal(Pair x, Pair y) { return {b_.CreateFCmpOLE(x.high, y.low), b_.CreateFCmpOGT(x.low, y.high)}; }
  Pair equal(Pair x, Pair y) {
    Value* thin = b_.CreateFCmpOEQ(x.low, x.high);
    Value* same = b_.CreateAnd(b_.CreateFCmpOEQ(x.low, y.low), b_.CreateFCmpOEQ(x.high, y.high));
    Value* apart = b_.CreateOr(b_.CreateFCmpOLT(x.high, y.low), b_.CreateFCmpOLT(y.high, x.low));
    return {b_.CreateAnd(thin, same), apart};
  }

  Pair choose(Value* condition, Pair x, Pair y) {
    return {b_.CreateSelect(condition, x.low, y.low), b_.CreateSelect(condition, x.high, y.high)};
  }
  /// -0 becomes 0.
  Value* plain(Value* x) { return b_.CreateSelect(equals(x, 0), number(0), x); }
  // No NaN comes here. The host's own minimum is a selection; PTX has an instruction.
  Value* min_of(Value* x, Value* y) {
    if (target_ == Target::ptx) return b_.CreateMinNum(x, y);
    return b_.CreateSelect(b_.CreateFCmpOLT(x, y), x, y);
  }
  Value* max_of(Value* x, Value* y) {
    if (target_ == Target::ptx) return b_.CreateMaxNum(x, y);
    return b_.CreateSelect(b_.CreateFCmpOGT(x, y), x, y);
  }

  Value* number(double value) { return llvm::ConstantFP::get(end_, value); }
  Value* below(Value* x, double bound) { return b_.CreateFCmpOLT(x, number(bound)); }
  Value* above(Value* x, double bound) { return b_.CreateFCmpOGT(x, number(bound)); }
  Value* at_least(Value* x, double bound) { return b_.CreateFCmpOGE(x, number(bound)); }
  Value* at_most(Value* x, double bound) { return b_.CreateFCmpOLE(x, number(bound)); }
  Value* equals(Value* x, double bound) { return b_.CreateFCmpOEQ(x, number(bound)); }

 private:
  Pair corner(Value* end, Pair y) {
    Value* keeps = at_least(end, 0);
    return {b_.CreateSelect(keeps, y.low, y.high), b_.CreateSelect(keeps, y.high, y.low)};
  }
  /// The lesser of two products that count as `end` where they are NaNs, or the greater. Of f32s NaNs are looked for at
  /// once, and after the choice, which is the number then: matrix products take a fifth less time on an H200 than with
  /// each product mended, but 8 % more of f64s, whose selections are two instructions.
  Value* outermost(Side side, Value* x, Value* y, Value* end) {
    const bool below = side == Side::below, at_once = x->getType()->isFloatTy();
    if (!at_once) x = unless_nan(x, end), y = unless_nan(y, end);
    Value* chosen = below ? min_of(x, y) : max_of(x, y);
    if (!at_once || target_ == Target::host) return chosen;
    Value* inside = below ? b_.CreateFCmpUGT(chosen, end) : b_.CreateFCmpULT(chosen, end);
    return b_.CreateSelect(b_.CreateAnd(b_.CreateFCmpUNO(x, y), inside), end, chosen);
  }
  Value* unless_nan(Value* x, Value* otherwise) {
    return target_ == Target::ptx ? b_.CreateSelect(b_.CreateFCmpUNO(x, x), otherwise, x) : x;
  }

  /// x.low >= 0, modulus >= 0 and not only 0.
  Pair remainder(Pair x, Pair modulus) {
    const Pair all{number(0), min_of(x.high, modulus.high)};
    // Where the whole box has one quotient n, the remainder is x - n y. Below 2^52 (of f32: 2^23) rounding a quotient
    // down cannot change its floor.
    Value* least = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, directed_.div(Side::below, x.low, modulus.high));
    Value* most = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, directed_.div(Side::below, x.high, modulus.low));
    Value* one_quotient =
        b_.CreateAnd(b_.CreateFCmpOEQ(least, most), below(most, endpoints_ == Endpoints::f32 ? 0x1p+23 : 0x1p+52));
    Value* multiple = b_.CreateFNeg(least);
    const auto rest = [&](Side side, Value* y, Value* end) {
      return unless_nan(directed_.fma(side, multiple, y, end), end);
    };
    const Pair within{max_of(rest(Side::below, modulus.high, x.low), number(0)),
                      min_of(rest(Side::above, modulus.low, x.high), all.high)};
    const Pair boxes = choose(b_.CreateAnd(one_quotient, above(modulus.low, 0)), within, all);
    Value* thin = b_.CreateAnd(b_.CreateFCmpOEQ(x.low, x.high), b_.CreateFCmpOEQ(modulus.low, modulus.high));
    Value* exact = emit_remainder(b_, x.low, modulus.low);
    return choose(b_.CreateFCmpOLT(x.high, modulus.low), x, choose(thin, {exact, exact}, boxes));
  }

  Builder& b_;
  Directed directed_;
  Target target_;
  Endpoints endpoints_;
  llvm::Type* end_;
};

}  // namespace reckon::codegen
