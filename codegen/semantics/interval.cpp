// `interval` compiled, with f64 or f32 ends. In registers and in the buffers that kernels write a value is its two
// ends, {lower, upper}; parameters and generated tensors hold patterns of their formats. Both ends are the tightest, as
// in the interpreter (interval_rules.h). What has instructions for f32 is done in f32, if that is what ends are, and
// the rest in f64. A bool is a pair of bits, {yes, no}; neither is "unknown".
//
// An operation that has no value gives an empty interval, and so does every operation of an empty one, as in the
// interpreter (interval_empty.h). Circuits without partial operations have none, and no code for them.
#include <limits>

#include "codegen/semantics/interval_functions.h"
#include "codegen/semantics/patterns.h"
#include "diagnostics/codes/undefined_result.h"

namespace reckon::codegen {
namespace {

using ir::Op;
using ir::Scalar;
using llvm::Value;

constexpr double infinity = std::numeric_limits<double>::infinity(), largest_f64 = std::numeric_limits<double>::max();

constexpr Undefined by_zero{code::undefined_result, "division by an interval that holds only 0 has no value",
                            "keep the divisor from being 0"};
constexpr Undefined outside_domain{code::undefined_result, "no value of this interval lies in the operation's domain",
                                   ""};

class IntervalCode final : public ScalarCode {
 public:
  IntervalCode(llvm::LLVMContext& context, const Abilities& abilities, Target target, Endpoints endpoints,
               bool may_be_empty)
      : ScalarCode(context),
        patterns_(context, abilities),
        target_(target),
        endpoints_(endpoints),
        may_be_empty_(may_be_empty) {
    llvm::Type* bit = llvm::Type::getInt1Ty(context);
    end_ = endpoints == Endpoints::f32 ? llvm::Type::getFloatTy(context) : llvm::Type::getDoubleTy(context);
    interval_ = llvm::StructType::get(context, {end_, end_});
    truth_ = llvm::StructType::get(context, {bit, bit});
  }

  llvm::Type* register_type(Scalar scalar) const override { return type_of(scalar); }
  llvm::Type* memory_type(Scalar scalar) const override {
    return scalar == Scalar::boolean ? llvm::Type::getInt8Ty(context_) : static_cast<llvm::Type*>(interval_);
  }
  Value* from_memory(Builder& b, Scalar scalar, Value* stored) const override {
    if (scalar != Scalar::boolean) return stored;
    return packed(b, truth_, {b.CreateICmpEQ(stored, b.getInt8(1)), b.CreateICmpEQ(stored, b.getInt8(0))});
  }
  Value* to_memory(Builder& b, Scalar scalar, Value* value) const override {
    if (scalar != Scalar::boolean) return value;
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
    const bool rounds = format == Format::f64 && endpoints_ == Endpoints::f32;
    if (format != Format::f64) value = b.CreateFPExt(value, end_);
    Rules rules(b, target_, endpoints_, value->getType());
    // Beyond the largest f64 rounds to what is beyond the largest f32.
    const double largest = end_->isFloatTy() && !rounds ? std::numeric_limits<float>::max() : largest_f64;
    const Pair endpoints{b.CreateSelect(rules.equals(value, infinity), rules.number(largest), value),
                         b.CreateSelect(rules.equals(value, -infinity), rules.number(-largest), value)};
    return packed(b, interval_, rounds ? rules.narrow(endpoints) : endpoints);
  }

  llvm::Constant* constant(Scalar, std::uint64_t) const override { return nullptr; }
  llvm::Constant* literal(const ir::Literal& literal, Scalar scalar) const override {
    llvm::Type* bit = llvm::Type::getInt1Ty(context_);
    if (literal.kind == ir::Literal::Kind::boolean) {
      const bool yes = literal.bits != 0;
      return llvm::ConstantStruct::get(truth_, {llvm::ConstantInt::get(bit, yes), llvm::ConstantInt::get(bit, !yes)});
    }
    const auto endpoints = literal_endpoints(literal, scalar, endpoints_ == Endpoints::f32 ? Format::f32 : Format::f64);
    if (!endpoints) return nullptr;
    return llvm::ConstantStruct::get(interval_, {llvm::ConstantFP::get(end_, endpoints->low),
                                                 llvm::ConstantFP::get(end_, endpoints->high)});
  }
  Value* from_condition(Builder& b, Value* condition) const override {
    return packed(b, truth_, {condition, b.CreateNot(condition)});
  }
  Value* from_index(Builder& b, Scalar, Value* index) const override {
    return packed(b, interval_, narrowed(b, Rules(b, target_, endpoints_).index(index)));
  }
  bool sums_exactly() const override { return true; }

  Value* apply(Builder& b, Op op, Scalar, Scalar to, llvm::ArrayRef<Value*> operands) const override {
    llvm::SmallVector<Pair, 3> x;
    for (Value* operand : operands) x.push_back(unpacked(b, operand));
    auto result = apply(b, op, to, x);
    if (!result) return nullptr;
    const bool passes_on = may_be_empty_ && ir::traits(op).result == ir::ResultRule::same;
    if (Value* where = passes_on ? is_empty(b, op, operands) : nullptr) {
      Rules rules(b, target_, endpoints_, end_);
      result = rules.choose(where, rules.empty(), *result);
    }
    return packed(b, type_of(to), *result);
  }

  bool has_undefined() const override { return true; }
  const Undefined* may_be_undefined(Op op) const override {
    return op == Op::div || op == Op::rem ? &by_zero : is_partial(op) ? &outside_domain : nullptr;
  }
  const Undefined* undefined(Builder& b, Op op, llvm::ArrayRef<Value*> operands, Value*& where) const override {
    const Undefined* why = without_value(b, op, operands, where);
    // An empty operand has been told of.
    if (Value* empty = why ? any_empty(b, operands) : nullptr) where = b.CreateAnd(where, b.CreateNot(empty));
    return why;
  }
  std::string help() const override {
    const std::string ordinary = "`+ - * / %`, `fma`, `sqrt`, all functions";
    const bool lacks = endpoints_ == Endpoints::f64 && target_ == Target::ptx;
    return "compiled under `interval`: " + ordinary +
           (lacks ? " but `atan2` and `pow`, which `interval(f32)` has" : "") +
           ", comparisons, `select`, `min`, `max`, `clamp`, `abs`, `sign`, `copysign` and rounding to integers";
  }

 private:
  /// Whether `op` has no value for operands that are not empty.
  const Undefined* without_value(Builder& b, Op op, llvm::ArrayRef<Value*> operands, Value*& where) const {
    if (op == Op::div || op == Op::rem) {
      Rules rules(b, target_, endpoints_, end_);
      const Pair divisor = unpacked(b, operands[1]);
      where = b.CreateAnd(rules.equals(divisor.low, 0), rules.equals(divisor.high, 0));
      return &by_zero;
    }
    if (op != Op::sqrt && op != Op::rsqrt && !ir::is_elementary(op)) return nullptr;
    llvm::SmallVector<Pair, 2> x;
    for (Value* operand : operands) x.push_back(widened(b, unpacked(b, operand)));
    where = emit_outside_domain(b, target_, endpoints_, op, x);
    return where ? &outside_domain : nullptr;
  }
  /// Whether one of the operands is empty; null: none can be.
  Value* any_empty(Builder& b, llvm::ArrayRef<Value*> operands) const {
    Value* any = nullptr;
    Rules rules(b, target_, endpoints_, end_);
    for (Value* operand : operands) {
      if (llvm::isa<llvm::Constant>(operand) || operand->getType() != interval_) continue;
      Value* empty = rules.is_empty(unpacked(b, operand));
      any = any ? b.CreateOr(any, empty) : empty;
    }
    return any;
  }
  /// Whether the result is; null: it cannot be.
  Value* is_empty(Builder& b, Op op, llvm::ArrayRef<Value*> operands) const {
    Value* where = nullptr;
    if (!without_value(b, op, operands, where)) where = nullptr;
    Value* passed_on = any_empty(b, operands);
    return where && passed_on ? b.CreateOr(where, passed_on) : where ? where : passed_on;
  }

  llvm::StructType* type_of(Scalar scalar) const { return scalar == Scalar::boolean ? truth_ : interval_; }

  Pair widened(Builder& b, Pair x) const {
    return {b.CreateFPExt(x.low, b.getDoubleTy()), b.CreateFPExt(x.high, b.getDoubleTy())};
  }
  /// Of f64s that are ends.
  Pair narrowed(Builder& b, Pair x) const { return {b.CreateFPTrunc(x.low, end_), b.CreateFPTrunc(x.high, end_)}; }

  /// In f64.
  std::optional<Pair> function(Builder& b, Op op, llvm::ArrayRef<Pair> operands) const {
    if (op != Op::rem && op != Op::rsqrt && !ir::is_elementary(op)) return std::nullopt;
    llvm::SmallVector<Pair, 2> x;
    Rules rules(b, target_, endpoints_, end_);
    for (Pair operand : operands) {
      // Some functions find their way by integers, which no NaN has.
      if (may_be_empty_) operand = rules.choose(rules.is_empty(operand), {rules.number(1), rules.number(1)}, operand);
      x.push_back(widened(b, operand));
    }
    const auto result = op == Op::rem ? Rules(b, target_, endpoints_).rem(x[0], x[1])
                                      : emit_interval_function(b, target_, endpoints_, op, x);
    return result ? std::optional(narrowed(b, *result)) : std::nullopt;
  }

  std::optional<Pair> apply(Builder& b, Op op, Scalar to, llvm::ArrayRef<Pair> x) const {
    Rules rules(b, target_, endpoints_, end_);
    switch (op) {
      case Op::add: return rules.add(x[0], x[1]);
      case Op::sub: return rules.add(x[0], rules.neg(x[1]));
      case Op::mul: return rules.mul(x[0], x[1]);
      case Op::div: return rules.div(x[0], x[1]);
      case Op::neg: return rules.neg(x[0]);
      case Op::abs: return rules.abs(x[0]);
      case Op::fma: return rules.fma(x[0], x[1], x[2]);
      case Op::sqrt: return rules.sqrt(x[0]);
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
        Pair either = rules.hull(x[1], x[2]);
        if (may_be_empty_) {
          either = rules.choose(rules.is_empty(x[1]), x[2], rules.choose(rules.is_empty(x[2]), x[1], either));
        }
        return rules.choose(x[0].low, x[1], rules.choose(x[0].high, x[2], either));
      }
      default: return function(b, op, x);
    }
  }

  // Kleene's logic.
  static Pair negation(Pair x) { return {x.high, x.low}; }
  static Pair conjunction(Builder& b, Pair x, Pair y) {
    return {b.CreateAnd(x.low, y.low), b.CreateOr(x.high, y.high)};
  }
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
  Endpoints endpoints_;
  bool may_be_empty_;
  llvm::Type* end_;
  llvm::StructType* interval_;
  llvm::StructType* truth_;
};

}  // namespace

std::unique_ptr<ScalarCode> make_interval_code(llvm::LLVMContext& context, const Abilities& abilities, Target target,
                                               Endpoints endpoints, bool may_be_empty) {
  return std::make_unique<IntervalCode>(context, abilities, target, endpoints, may_be_empty);
}

}  // namespace reckon::codegen
