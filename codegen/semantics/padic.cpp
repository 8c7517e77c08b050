// `padic` compiled. In memory and in registers a number is the interpreter's Value as two words
// (numerics/padic/words.h); parameters come that way, too, whatever their format: embedding a float once is cheaper
// than at every use. The arithmetic is numerics/padic/*_rules.h, instantiated with LLVM values. A bool is a pair of
// bits, {yes, no}; neither is "unknown". Nothing has a fault: undefined is a value.
#include "codegen/semantics/ring_word.h"
#include "ir/op.h"
#include "numerics/padic/step_rules.h"

namespace reckon::codegen {
namespace {

using ir::Op;
using ir::Scalar;
using llvm::Value;
namespace padic = numerics::padic;
namespace rules = numerics::padic::rules;

class PadicCode final : public ScalarCode {
 public:
  PadicCode(llvm::LLVMContext& context, Target target) : ScalarCode(context) {
    llvm::Type *word = llvm::Type::getInt64Ty(context), *bit = llvm::Type::getInt1Ty(context);
    number_ = llvm::StructType::get(context, {word, word});
    truth_ = llvm::StructType::get(context, {bit, bit});
    // A vector is read and written at once, which only a GPU likes.
    kept_ = target == Target::ptx ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(word, 2)) : number_;
  }

  llvm::Type* register_type(Scalar scalar) const override { return scalar == Scalar::boolean ? truth_ : number_; }
  llvm::Type* memory_type(Scalar scalar) const override {
    return scalar == Scalar::boolean ? llvm::Type::getInt8Ty(context_) : kept_;
  }
  Value* from_memory(Builder& b, Scalar scalar, Value* stored) const override {
    if (scalar == Scalar::boolean)
      return truth(b, b.CreateICmpEQ(stored, b.getInt8(1)), b.CreateICmpEQ(stored, b.getInt8(0)));
    if (kept_ == number_) return stored;
    return pair(b, number_, b.CreateExtractElement(stored, std::uint64_t{0}),
                b.CreateExtractElement(stored, std::uint64_t{1}));
  }
  Value* to_memory(Builder& b, Scalar scalar, Value* value) const override {
    Value *first = b.CreateExtractValue(value, 0), *second = b.CreateExtractValue(value, 1);
    if (scalar == Scalar::boolean)
      return b.CreateSelect(first, b.getInt8(1), b.CreateSelect(second, b.getInt8(0), b.getInt8(2)));
    if (kept_ == number_) return value;
    return b.CreateInsertElement(b.CreateInsertElement(llvm::PoisonValue::get(kept_), first, std::uint64_t{0}), second,
                                 std::uint64_t{1});
  }
  Value* from_input(Builder& b, Scalar scalar, Value* stored) const override {
    return scalar == Scalar::boolean ? from_condition(b, b.CreateICmpNE(stored, b.getInt8(0)))
                                     : from_memory(b, scalar, stored);
  }

  llvm::Constant* constant(Scalar, std::uint64_t) const override { return nullptr; }
  llvm::Constant* literal(const ir::Literal& literal, Scalar scalar) const override {
    if (literal.kind == ir::Literal::Kind::boolean) {
      llvm::Type* bit = llvm::Type::getInt1Ty(context_);
      const bool yes = literal.bits != 0;
      return llvm::ConstantStruct::get(truth_, {llvm::ConstantInt::get(bit, yes), llvm::ConstantInt::get(bit, !yes)});
    }
    if (!ir::is_float(scalar)) return nullptr;
    const auto value = literal_in_ring(literal, scalar);
    if (!value) return nullptr;
    const auto words = padic::opened<std::uint64_t>(*value);
    llvm::Type* word = llvm::Type::getInt64Ty(context_);
    return llvm::ConstantStruct::get(number_,
                                     {llvm::ConstantInt::get(word, words.a), llvm::ConstantInt::get(word, words.rest)});
  }
  Diagnostic no_literal(const ir::Literal& literal, Scalar scalar, SourceSpan place) const override {
    return no_element(literal, scalar, place);
  }
  Value* from_condition(Builder& b, Value* condition) const override {
    return truth(b, condition, b.CreateNot(condition));
  }
  Value* from_index(Builder& b, Scalar, Value* index) const override {
    return packed(b, rules::from_integer(RingWord(b, index)));
  }
  bool sums_exactly() const override { return true; }

  Value* apply(Builder& b, Op op, Scalar, Scalar to, llvm::ArrayRef<Value*> x) const override {
    const auto yes = [&](std::size_t k) { return b.CreateExtractValue(x[k], 0); };
    const auto no = [&](std::size_t k) { return b.CreateExtractValue(x[k], 1); };
    switch (op) {
      case Op::logical_and: return truth(b, b.CreateAnd(yes(0), yes(1)), b.CreateOr(no(0), no(1)));
      case Op::logical_or: return truth(b, b.CreateOr(yes(0), yes(1)), b.CreateAnd(no(0), no(1)));
      case Op::logical_not: return truth(b, no(0), yes(0));
      case Op::select: return to == Scalar::boolean ? select_truth(b, x) : select_number(b, x);
      case Op::convert: return x[0];  // between formats nothing changes
      case Op::less: return compared(b, x, {1}, {2, 3});
      case Op::less_equal: return compared(b, x, {1, 2}, {3});
      case Op::equal: return compared(b, x, {2}, {1, 3});
      case Op::not_equal: return compared(b, x, {1, 3}, {2});
      case Op::add: return by<rules::Add>(b, x[0], x[1]);
      case Op::sub: return by<rules::Sub>(b, x[0], x[1]);
      case Op::mul: return by<rules::Mul>(b, x[0], x[1]);
      case Op::div: return by<rules::Div>(b, x[0], x[1]);
      case Op::rem: return by<rules::Rem>(b, x[0], x[1]);
      case Op::fma: return by<rules::Fma>(b, x[0], x[1], x[2]);
      case Op::neg: return by<rules::Neg>(b, x[0]);
      case Op::abs: return by<rules::Abs>(b, x[0]);
      case Op::sign: return by<rules::SignValue>(b, x[0]);
      case Op::copysign: return by<rules::Copysign>(b, x[0], x[1]);
      case Op::min:
      case Op::minnum: return by<rules::Min>(b, x[0], x[1]);
      case Op::max:
      case Op::maxnum: return by<rules::Max>(b, x[0], x[1]);
      case Op::clamp: return by<rules::Clamp>(b, x[0], x[1], x[2]);
      case Op::exp: return by<rules::Exp>(b, x[0]);
      case Op::exp2: return by<rules::Exp2>(b, x[0]);
      case Op::expm1: return by<rules::Expm1>(b, x[0]);
      case Op::log: return by<rules::Log>(b, x[0]);
      case Op::log2: return by<rules::Log2>(b, x[0]);
      case Op::log1p: return by<rules::Log1p>(b, x[0]);
      case Op::sqrt: return by<rules::Sqrt>(b, x[0]);
      case Op::rsqrt: return by<rules::Rsqrt>(b, x[0]);
      case Op::cbrt: return by<rules::Cbrt>(b, x[0]);
      case Op::pow: return by<rules::Pow>(b, x[0], x[1]);
      case Op::hypot: return by<rules::Hypot>(b, x[0], x[1]);
      case Op::sin: return by<rules::Sin>(b, x[0]);
      case Op::cos: return by<rules::Cos>(b, x[0]);
      case Op::tan: return by<rules::Tan>(b, x[0]);
      case Op::sinh: return by<rules::Sinh>(b, x[0]);
      case Op::cosh: return by<rules::Cosh>(b, x[0]);
      case Op::tanh: return by<rules::Tanh>(b, x[0]);
      case Op::asinh: return by<rules::Asinh>(b, x[0]);
      case Op::acosh: return by<rules::Acosh>(b, x[0]);
      case Op::atanh: return by<rules::Atanh>(b, x[0]);
      case Op::asin: return by<rules::Asin>(b, x[0]);
      case Op::acos: return by<rules::Acos>(b, x[0]);
      case Op::atan: return by<rules::Atan>(b, x[0]);
      case Op::atan2: return by<rules::Atan2>(b, x[0], x[1]);
      case Op::erf: return by<rules::Erf>(b, x[0]);
      case Op::floor: return by<rules::Floor>(b, x[0]);
      case Op::ceil: return by<rules::Ceil>(b, x[0]);
      case Op::trunc: return by<rules::Trunc>(b, x[0]);
      case Op::round: return by<rules::Round>(b, x[0]);
      default: return nullptr;
    }
  }

 private:
  static Value* pair(Builder& b, llvm::StructType* type, Value* first, Value* second) {
    return b.CreateInsertValue(b.CreateInsertValue(llvm::PoisonValue::get(type), first, 0), second, 1);
  }
  Value* truth(Builder& b, Value* yes, Value* no) const { return pair(b, truth_, yes, no); }
  Value* packed(Builder& b, const RingNumber& x) const { return pair(b, number_, x.a.in(b), x.rest.in(b)); }
  static RingNumber unpacked(Builder& b, Value* x) {
    return {RingWord(b, b.CreateExtractValue(x, 0)), RingWord(b, b.CreateExtractValue(x, 1))};
  }

  template <class Rule, class... X>
  Value* by(Builder& b, X*... x) const {
    return packed(b, padic::call<Rule>(unpacked(b, x)...));
  }

  Value* compared(Builder& b, llvm::ArrayRef<Value*> x, std::initializer_list<std::uint64_t> yes,
                  std::initializer_list<std::uint64_t> no) const {
    const RingWord order = padic::call<rules::Compare>(unpacked(b, x[0]), unpacked(b, x[1]));
    const auto any = [&](std::initializer_list<std::uint64_t> codes) {
      RingFlag out = false;
      for (std::uint64_t code : codes) out = out | (order == code);
      return out.in(b);
    };
    return truth(b, any(yes), any(no));
  }

  /// Where a condition is not known, neither is what it selects.
  Value* select_number(Builder& b, llvm::ArrayRef<Value*> x) const {
    const RingFlag yes(b, b.CreateExtractValue(x[0], 0)), no(b, b.CreateExtractValue(x[0], 1));
    const RingNumber left = unpacked(b, x[1]), right = unpacked(b, x[2]);
    const RingNumber unknown = rules::undefined<RingWord>(padic::Cause::order);
    const auto word = [&](const RingWord& s, const RingWord& t, const RingWord& u) {
      return select(yes, s, select(no, t, u));
    };
    return packed(b, {word(left.a, right.a, unknown.a), word(left.rest, right.rest, unknown.rest)});
  }
  /// Known where the choice is, or where both agree.
  Value* select_truth(Builder& b, llvm::ArrayRef<Value*> x) const {
    const auto part = [&](unsigned k) {
      Value *left = b.CreateExtractValue(x[1], k), *right = b.CreateExtractValue(x[2], k);
      Value *chosen = b.CreateAnd(b.CreateExtractValue(x[0], 0), left),
            *other = b.CreateAnd(b.CreateExtractValue(x[0], 1), right);
      return b.CreateOr(b.CreateAnd(left, right), b.CreateOr(chosen, other));
    };
    return truth(b, part(0), part(1));
  }

  llvm::StructType* number_;
  llvm::StructType* truth_;
  llvm::Type* kept_;  ///< in memory
};

}  // namespace

std::unique_ptr<ScalarCode> make_padic_code(llvm::LLVMContext& context, Target target) {
  return std::make_unique<PadicCode>(context, target);
}

}  // namespace reckon::codegen
