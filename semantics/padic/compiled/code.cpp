// `padic` compiled. In memory and in registers a number is the interpreter's Value as two words
// (numerics/padic/words.h). Parameters are passed in this form, too, whatever their format: embedding a float once is
// cheaper than at every use. The arithmetic is numerics/padic/*_rules.h, instantiated with LLVM values. There are no
// faults: an undefined result is a value.
#include <cstring>

#include "codegen/scalars/kleene.h"
#include "ir/op.h"
#include "numerics/padic/step_rules.h"
#include "semantics/padic/compiled.h"
#include "semantics/padic/compiled/ring_word.h"
#include "semantics/registry.h"

namespace reckon::codegen {
namespace {

using ir::Op;
using ir::Scalar;
using llvm::Value;
namespace padic = numerics::padic;
namespace rules = numerics::padic::rules;

class PadicCode final : public KleeneCode {
 public:
  PadicCode(llvm::LLVMContext& context, const interp::Semantics& values, Target target) : KleeneCode(context, values) {
    llvm::Type* word = llvm::Type::getInt64Ty(context);
    number_ = llvm::StructType::get(context, {word, word});
    // A vector is loaded and stored at once, which is faster only on a GPU.
    kept_ = target == Target::ptx ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(word, 2)) : number_;
  }

  llvm::Type* register_type(Scalar scalar) const override { return scalar == Scalar::boolean ? truth_type() : number_; }
  llvm::Type* memory_type(Scalar scalar) const override {
    return scalar == Scalar::boolean ? llvm::Type::getInt8Ty(context_) : kept_;
  }
  Value* from_memory(Builder& b, Scalar scalar, Value* stored) const override {
    if (scalar == Scalar::boolean) return truth_from_memory(b, stored);
    if (kept_ == number_) return stored;
    return pair(b, number_, b.CreateExtractElement(stored, std::uint64_t{0}),
                b.CreateExtractElement(stored, std::uint64_t{1}));
  }
  Value* to_memory(Builder& b, Scalar scalar, Value* value) const override {
    if (scalar == Scalar::boolean) return truth_to_memory(b, value);
    Value *first = b.CreateExtractValue(value, 0), *second = b.CreateExtractValue(value, 1);
    if (kept_ == number_) return value;
    return b.CreateInsertElement(b.CreateInsertElement(llvm::PoisonValue::get(kept_), first, std::uint64_t{0}), second,
                                 std::uint64_t{1});
  }
  Value* from_input(Builder& b, Scalar scalar, Value* stored) const override {
    return scalar == Scalar::boolean ? from_condition(b, b.CreateICmpNE(stored, b.getInt8(0)))
                                     : from_memory(b, scalar, stored);
  }

  Value* from_index(Builder& b, Scalar, Value* index) const override {
    return packed(b, rules::from_integer(RingWord(b, index)));
  }
  bool sums_exactly() const override { return true; }

  Value* apply(Builder& b, Op op, Scalar, Scalar to, llvm::ArrayRef<Value*> x) const override {
    if (Value* known = logic(b, op, to, x)) return known;
    switch (op) {
      case Op::select: return select_number(b, x);
      case Op::convert: return x[0];  // a conversion between formats changes nothing
      case Op::less: return compared(b, x, {1}, {2, 3});
      case Op::less_equal: return compared(b, x, {1, 2}, {3});
      case Op::equal: return compared(b, x, {2}, {1, 3});
      case Op::not_equal: return compared(b, x, {1, 3}, {2});
#define RECKON_RING(name, arity, Rule) \
  case Op::name: return by<rules::Rule>(b, x, std::make_index_sequence<arity>{});
#include "numerics/padic/operations.def"
      default: return nullptr;
    }
  }

 private:
  static Value* pair(Builder& b, llvm::StructType* type, Value* first, Value* second) {
    return b.CreateInsertValue(b.CreateInsertValue(llvm::PoisonValue::get(type), first, 0), second, 1);
  }
  Value* packed(Builder& b, const RingNumber& x) const { return pair(b, number_, x.a.in(b), x.rest.in(b)); }
  static RingNumber unpacked(Builder& b, Value* x) {
    return {RingWord(b, b.CreateExtractValue(x, 0)), RingWord(b, b.CreateExtractValue(x, 1))};
  }

  template <class Rule, std::size_t... k>
  Value* by(Builder& b, llvm::ArrayRef<Value*> x, std::index_sequence<k...>) const {
    return packed(b, padic::call<Rule>(unpacked(b, x[k])...));
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

  /// If a condition is not known, the selected number is not known either.
  Value* select_number(Builder& b, llvm::ArrayRef<Value*> x) const {
    const RingFlag is_yes(b, yes(b, x[0])), is_no(b, no(b, x[0]));
    const RingNumber left = unpacked(b, x[1]), right = unpacked(b, x[2]);
    const RingNumber unknown = rules::undefined<RingWord>(padic::Cause::order);
    const auto word = [&](const RingWord& s, const RingWord& t, const RingWord& u) {
      return select(is_yes, s, select(is_no, t, u));
    };
    return packed(b, {word(left.a, right.a, unknown.a), word(left.rest, right.rest, unknown.rest)});
  }

  llvm::Constant* constant_of(Scalar scalar, const std::byte* value) const override {
    if (scalar == Scalar::boolean) return truth_constant(value);
    padic::Value element;
    std::memcpy(&element, value, sizeof element);
    const auto words = padic::opened<std::uint64_t>(element);
    llvm::Type* word = llvm::Type::getInt64Ty(context_);
    return llvm::ConstantStruct::get(number_,
                                     {llvm::ConstantInt::get(word, words.a), llvm::ConstantInt::get(word, words.rest)});
  }

  llvm::StructType* number_;
  llvm::Type* kept_;  ///< the type in memory
};

class CompiledPadic final : public CompiledSemantics {
 public:
  CompiledPadic() : CompiledSemantics(std::move(*interp::make_padic({}, {}))) {}
  std::unique_ptr<ScalarCode> scalar_code(llvm::LLVMContext& context, const Abilities&, Target target,
                                          bool) const override {
    return std::make_unique<PadicCode>(context, values(), target);
  }
  std::optional<Refusal> refuses(ir::Scalar scalar) const override { return refuses_words(scalar); }
  /// No machine has vectors of 128-bit products, and the rare cases of the ring would be computed for every lane.
  Vectors vectors() const override { return Vectors::none; }
  /// A number is stored as two words of 64 bits, like f64s.
  std::optional<Words> words() const override { return Words{Scalar::f64, 2}; }
  bool given_in_words() const override { return true; }
  bool has_fma(Op) const override { return false; }
  const void* symbol(std::string_view name) const override { return ring_table(name); }
};

}  // namespace

const CompiledSemantics& padic_code() {
  static const CompiledPadic code;
  return code;
}

}  // namespace reckon::codegen
