// `interval` compiled, with f64 or f32 ends: in registers and in the buffers that kernels write a value is its two ends,
// {lower, upper}, in registers always as f64s; parameters and generated tensors hold patterns of their formats. Both ends are the tightest, as in the
// interpreter, whose rules these are (interp/semantics/interval_rules.h) with selections in place of branches, so that
// loops vectorise. A bool is a pair of bits, {yes, no}; neither is "unknown".
//
// A lower end is never +inf, an upper end never -inf. The sign of a zero end means nothing.
#include <limits>

#include "codegen/semantics/directed.h"
#include "codegen/semantics/patterns.h"
#include "codegen/semantics/remainder.h"

namespace reckon::codegen {
namespace {

using ir::Op;
using ir::Scalar;
using llvm::Value;

constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();

constexpr Undefined by_zero{Code::undefined_result, "division by an interval that holds only 0 has no value",
                            "keep the divisor from being 0"};
constexpr Undefined outside_domain{Code::undefined_result, "no value of this interval lies in the operation's domain", ""};

struct Pair {
  Value *low, *high;  ///< of a bool: yes, no
};

Pair unpacked(Builder& b, Value* value) { return {b.CreateExtractValue(value, 0), b.CreateExtractValue(value, 1)}; }

Value* packed(Builder& b, llvm::StructType* type, Pair pair) {
  auto *low = llvm::dyn_cast<llvm::Constant>(pair.low), *high = llvm::dyn_cast<llvm::Constant>(pair.high);
  if (low && high) return llvm::ConstantStruct::get(type, {low, high});
  return b.CreateInsertValue(b.CreateInsertValue(llvm::PoisonValue::get(type), pair.low, 0), pair.high, 1);
}

/// The operations on ends.
class Rules {
 public:
  Rules(Builder& b, Target target, Ends ends) : b_(b), directed_(b, target, ends), target_(target), ends_(ends) {}

  Pair add(Pair x, Pair y) {
    return {directed_.add(Side::below, x.low, y.low), directed_.add(Side::above, x.high, y.high)};
  }
  Pair neg(Pair x) { return {b_.CreateFNeg(x.high), b_.CreateFNeg(x.low)}; }

  /// For each end of x, its sign says which end of y gives the lesser product, and which the greater.
  Pair mul(Pair x, Pair y) {
    Pair out{};
    for (Value* end : {x.low, x.high}) {
      const Pair at = corner(end, y);
      join(out, {directed_.mul(Side::below, end, at.low), directed_.mul(Side::above, end, at.high)});
    }
    return out;
  }
  Pair fma(Pair x, Pair y, Pair z) {
    Pair out{};
    for (Value* end : {x.low, x.high}) {
      const Pair at = corner(end, y);
      join(out, {directed_.fma(Side::below, end, at.low, z.low), directed_.fma(Side::above, end, at.high, z.high)});
    }
    return out;
  }

  /// With the signs of both changed if y <= 0, the divisor is positive, or has 0 as its lower end or inside. A quotient
  /// by the end 0 is the infinity that the signs allow.
  Pair div(Pair x, Pair y) {
    Value* negative = at_most(y.high, 0);
    const Pair n = choose(negative, neg(x), x), opposite = choose(negative, neg(y), y);
    const Pair d{b_.CreateSelect(equals(opposite.low, 0), number(0), opposite.low), opposite.high};  // never -0
    const Pair quotient{directed_.div(Side::below, n.low, b_.CreateSelect(at_least(n.low, 0), d.high, d.low)),
                        directed_.div(Side::above, n.high, b_.CreateSelect(above(n.high, 0), d.low, d.high))};
    return choose(b_.CreateAnd(below(y.low, 0), above(y.high, 0)), {number(-infinity), number(infinity)}, quotient);
  }

  Pair sqrt(Pair x) {
    Value* inside = b_.CreateSelect(above(x.low, 0), x.low, number(0));
    return {directed_.sqrt(Side::below, inside), directed_.sqrt(Side::above, b_.CreateSelect(above(x.high, 0), x.high, number(0)))};
  }

  Pair exp(Pair x) {
    return {directed_.exp(Side::below, x.low), directed_.exp(Side::above, x.high)};
  }

  Pair abs(Pair x) {
    Value* opposite = b_.CreateFNeg(x.high);
    return {greater(greater(x.low, opposite), number(0)), greater(b_.CreateFNeg(x.low), x.high)};
  }
  Pair min(Pair x, Pair y) { return {lesser(x.low, y.low), lesser(x.high, y.high)}; }
  Pair max(Pair x, Pair y) { return {greater(x.low, y.low), greater(x.high, y.high)}; }
  Pair hull(Pair x, Pair y) { return {lesser(x.low, y.low), greater(x.high, y.high)}; }
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
  /// Of an f64.
  Pair around(Pair x) { return {directed_.number(Side::below, x.low), directed_.number(Side::above, x.high)}; }
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
  Value* number(double value) { return llvm::ConstantFP::get(b_.getDoubleTy(), value); }
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
  void join(Pair& out, Pair other) { out = out.low ? hull(out, other) : other; }

  // No NaN comes here. The host's own minimum is a selection; PTX has an instruction.
  Value* lesser(Value* x, Value* y) {
    if (target_ == Target::ptx) return b_.CreateMinNum(x, y);
    return b_.CreateSelect(b_.CreateFCmpOLT(x, y), x, y);
  }
  Value* greater(Value* x, Value* y) {
    if (target_ == Target::ptx) return b_.CreateMaxNum(x, y);
    return b_.CreateSelect(b_.CreateFCmpOGT(x, y), x, y);
  }

  /// x.low >= 0, modulus >= 0 and not only 0.
  Pair remainder(Pair x, Pair modulus) {
    const Pair all{number(0), lesser(x.high, modulus.high)};
    // Where the whole box has one quotient n, the remainder is x - n y. Below 2^52 (of f32: 2^23) rounding a quotient
    // down cannot change its floor.
    Value* least = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, directed_.div(Side::below, x.low, modulus.high));
    Value* most = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, directed_.div(Side::below, x.high, modulus.low));
    Value* one_quotient = b_.CreateAnd(b_.CreateFCmpOEQ(least, most), below(most, ends_ == Ends::f32 ? 0x1p+23 : 0x1p+52));
    Value* multiple = b_.CreateFNeg(least);
    const Pair within{greater(directed_.fma(Side::below, multiple, modulus.high, x.low), number(0)),
                      lesser(directed_.fma(Side::above, multiple, modulus.low, x.high), all.high)};
    const Pair boxes = choose(b_.CreateAnd(one_quotient, above(modulus.low, 0)), within, all);
    Value* thin = b_.CreateAnd(b_.CreateFCmpOEQ(x.low, x.high), b_.CreateFCmpOEQ(modulus.low, modulus.high));
    Value* exact = emit_remainder(b_, x.low, modulus.low);
    return choose(b_.CreateFCmpOLT(x.high, modulus.low), x, choose(thin, {exact, exact}, boxes));
  }

  Builder& b_;
  Directed directed_;
  Target target_;
  Ends ends_;
};

class IntervalCode final : public ScalarCode {
 public:
  IntervalCode(llvm::LLVMContext& context, const Abilities& abilities, Target target, Ends ends)
      : ScalarCode(context), patterns_(context, abilities), target_(target), ends_(ends) {
    llvm::Type *end = llvm::Type::getDoubleTy(context), *bit = llvm::Type::getInt1Ty(context);
    interval_ = llvm::StructType::get(context, {end, end});
    truth_ = llvm::StructType::get(context, {bit, bit});
    llvm::Type* kept = ends == Ends::f32 ? llvm::Type::getFloatTy(context) : end;
    kept_ = llvm::StructType::get(context, {kept, kept});
  }

  llvm::Type* register_type(Scalar scalar) const override { return type_of(scalar); }
  llvm::Type* memory_type(Scalar scalar) const override {
    return scalar == Scalar::boolean ? llvm::Type::getInt8Ty(context_) : static_cast<llvm::Type*>(kept_);
  }
  Value* from_memory(Builder& b, Scalar scalar, Value* stored) const override {
    if (scalar != Scalar::boolean) {
      const Pair ends = unpacked(b, stored);
      return packed(b, interval_, {b.CreateFPExt(ends.low, b.getDoubleTy()), b.CreateFPExt(ends.high, b.getDoubleTy())});
    }
    return packed(b, truth_, {b.CreateICmpEQ(stored, b.getInt8(1)), b.CreateICmpEQ(stored, b.getInt8(0))});
  }
  Value* to_memory(Builder& b, Scalar scalar, Value* value) const override {
    if (scalar != Scalar::boolean) {
      const Pair ends = unpacked(b, value);
      llvm::Type* kept = kept_->getElementType(0);
      return packed(b, kept_, {b.CreateFPTrunc(ends.low, kept), b.CreateFPTrunc(ends.high, kept)});  // exact
    }
    const Pair truth = unpacked(b, value);
    return b.CreateSelect(truth.low, b.getInt8(1), b.CreateSelect(truth.high, b.getInt8(0), b.getInt8(2)));
  }
  llvm::Type* input_type(Scalar scalar) const override {
    if (scalar == Scalar::boolean) return llvm::Type::getInt8Ty(context_);
    const Format format = ir::format_of(scalar);
    return format == Format::f64 || format == Format::f32 ? patterns_.float_type(format) : patterns_.word_type(format);
  }
  /// An infinity is some real beyond the largest f64. NaN has been refused.
  Value* from_input(Builder& b, Scalar scalar, Value* stored) const override {
    if (scalar == Scalar::boolean) return from_condition(b, b.CreateICmpNE(stored, b.getInt8(0)));
    const Format format = ir::format_of(scalar);
    Value* value = format == Format::f64 || format == Format::f32 ? stored : patterns_.widen(b, format, stored);
    if (format != Format::f64) value = b.CreateFPExt(value, b.getDoubleTy());
    Rules rules(b, target_, ends_);
    const Pair wide{b.CreateSelect(rules.equals(value, infinity), rules.number(largest), value),
                    b.CreateSelect(rules.equals(value, -infinity), rules.number(-largest), value)};
    return packed(b, interval_, rules.around(wide));
  }

  llvm::Constant* constant(Scalar, std::uint64_t) const override { return nullptr; }
  llvm::Constant* literal(const ir::Literal& literal, Scalar scalar) const override {
    llvm::Type *end = llvm::Type::getDoubleTy(context_), *bit = llvm::Type::getInt1Ty(context_);
    if (literal.kind == ir::Literal::Kind::boolean) {
      const bool yes = literal.bits != 0;
      return llvm::ConstantStruct::get(truth_, {llvm::ConstantInt::get(bit, yes), llvm::ConstantInt::get(bit, !yes)});
    }
    const auto ends = literal_ends(literal, scalar, ends_ == Ends::f32 ? Format::f32 : Format::f64);
    if (!ends) return nullptr;
    return llvm::ConstantStruct::get(interval_, {llvm::ConstantFP::get(end, ends->low), llvm::ConstantFP::get(end, ends->high)});
  }
  Value* from_condition(Builder& b, Value* condition) const override {
    return packed(b, truth_, {condition, b.CreateNot(condition)});
  }
  Value* from_index(Builder& b, Scalar, Value* index) const override {
    return packed(b, interval_, Rules(b, target_, ends_).index(index));
  }
  bool sums_exactly() const override { return true; }

  Value* apply(Builder& b, Op op, Scalar, Scalar to, llvm::ArrayRef<Value*> operands) const override {
    llvm::SmallVector<Pair, 3> x;
    for (Value* operand : operands) x.push_back(unpacked(b, operand));
    const auto result = apply(b, op, to, x);
    return result ? packed(b, type_of(to), *result) : nullptr;
  }

  bool has_undefined() const override { return true; }
  const Undefined* undefined(Builder& b, Op op, llvm::ArrayRef<Value*> operands, Value*& where) const override {
    Rules rules(b, target_, ends_);
    if (op == Op::div || op == Op::rem) {
      const Pair divisor = unpacked(b, operands[1]);
      where = b.CreateAnd(rules.equals(divisor.low, 0), rules.equals(divisor.high, 0));
      return &by_zero;
    }
    if (op == Op::sqrt) {
      where = rules.below(unpacked(b, operands[0]).high, 0);
      return &outside_domain;
    }
    return nullptr;
  }
  std::string help() const override {
    return "compiled under `interval`: `+ - * / %`, `fma`, `sqrt`, `exp`, comparisons, `select`, `min`, `max`, `clamp`, `abs`, "
           "`sign`, `copysign` and rounding to integers";
  }

 private:
  llvm::StructType* type_of(Scalar scalar) const { return scalar == Scalar::boolean ? truth_ : interval_; }

  std::optional<Pair> apply(Builder& b, Op op, Scalar to, llvm::ArrayRef<Pair> x) const {
    Rules rules(b, target_, ends_);
    switch (op) {
      case Op::add: return rules.add(x[0], x[1]);
      case Op::sub: return rules.add(x[0], rules.neg(x[1]));
      case Op::mul: return rules.mul(x[0], x[1]);
      case Op::div: return rules.div(x[0], x[1]);
      case Op::rem: return rules.rem(x[0], x[1]);
      case Op::neg: return rules.neg(x[0]);
      case Op::abs: return rules.abs(x[0]);
      case Op::fma: return rules.fma(x[0], x[1], x[2]);
      case Op::sqrt: return rules.sqrt(x[0]);
      case Op::exp: return rules.exp(x[0]);
      case Op::min:
      case Op::minnum: return rules.min(x[0], x[1]);
      case Op::max:
      case Op::maxnum: return rules.max(x[0], x[1]);
      case Op::clamp: return rules.min(rules.max(x[0], x[1]), x[2]);
      case Op::sign: return rules.sign(x[0]);
      case Op::copysign: return rules.copysign(x[0], x[1]);
      case Op::floor: return rules.integers(llvm::Intrinsic::floor, x[0]);
      case Op::ceil: return rules.integers(llvm::Intrinsic::ceil, x[0]);
      case Op::trunc: return rules.integers(llvm::Intrinsic::trunc, x[0]);
      case Op::round: return rules.integers(llvm::Intrinsic::roundeven, x[0]);
      case Op::convert: return x[0];  // between formats nothing changes
      case Op::less: return rules.less(x[0], x[1]);
      case Op::less_equal: return rules.less_equal(x[0], x[1]);
      case Op::equal: return rules.equal(x[0], x[1]);
      case Op::not_equal: return negation(rules.equal(x[0], x[1]));
      case Op::logical_and: return conjunction(b, x[0], x[1]);
      case Op::logical_or: return negation(conjunction(b, negation(x[0]), negation(x[1])));
      case Op::logical_not: return negation(x[0]);
      case Op::select: {
        if (to == Scalar::boolean) return select_truth(b, x[0], x[1], x[2]);
        return rules.choose(x[0].low, x[1], rules.choose(x[0].high, x[2], rules.hull(x[1], x[2])));
      }
      default: return std::nullopt;
    }
  }

  // Kleene's logic.
  static Pair negation(Pair x) { return {x.high, x.low}; }
  static Pair conjunction(Builder& b, Pair x, Pair y) { return {b.CreateAnd(x.low, y.low), b.CreateOr(x.high, y.high)}; }
  /// Known where the choice is, or where both agree.
  static Pair select_truth(Builder& b, Pair which, Pair x, Pair y) {
    const auto part = [&](Value* left, Value* right) {
      return b.CreateOr(b.CreateAnd(left, right),
                        b.CreateOr(b.CreateAnd(which.low, left), b.CreateAnd(which.high, right)));
    };
    return {part(x.low, y.low), part(x.high, y.high)};
  }

  Patterns patterns_;
  Target target_;
  Ends ends_;
  llvm::StructType* interval_;  ///< in registers
  llvm::StructType* kept_;      ///< in memory
  llvm::StructType* truth_;
};

}  // namespace

std::unique_ptr<ScalarCode> make_interval_code(llvm::LLVMContext& context, const Abilities& abilities, Target target,
                                               Ends ends) {
  return std::make_unique<IntervalCode>(context, abilities, target, ends);
}

}  // namespace reckon::codegen
