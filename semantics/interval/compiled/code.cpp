// `interval` compiled, with f64 or f32 endpoints. In registers and in the buffers that kernels write, a value is its
// two endpoints, {lower, upper}; parameters and generated tensors hold patterns of their formats. The rules are the
// interpreter's (numerics/intervals/), with LLVM values for endpoints. With f32 endpoints, operations that have f32
// instructions use f32; everything else is done in f64.
//
// An operation that has no value gives an empty interval, and so does every operation of an empty one, as in the
// interpreter (semantics/interval/empty.h). Circuits without partial operations have none, and no code for them.
#include <cstring>
#include <limits>

#include "codegen/scalars/kleene.h"
#include "codegen/scalars/patterns.h"
#include "diagnostics/codes/undefined_result.h"
#include "ir/call_by_name.h"
#include "ir/integer.h"
#include "ir/words.h"
#include "numerics/intervals/undefined.h"
#include "numerics/nan_words.h"
#include "semantics/interval/compiled.h"
#include "semantics/interval/compiled/call.h"
#include "semantics/interval/compiled/functions.h"
#include "semantics/interval/nan.h"
#include "semantics/registry.h"

namespace reckon::codegen {
namespace {

using ir::Op;
using ir::Scalar;
using llvm::Value;

constexpr double largest_f64 = std::numeric_limits<double>::max();

constexpr Undefined as_undefined(const numerics::intervals::Reason& reason) {
  return {code::undefined_result, reason.message, reason.help};
}
constexpr Undefined by_zero = as_undefined(numerics::intervals::by_zero);
constexpr Undefined no_integer = as_undefined(numerics::intervals::no_integer);
constexpr Undefined outside_domain = as_undefined(numerics::intervals::outside_domain);

class IntervalCode final : public KleeneCode {
 public:
  IntervalCode(llvm::LLVMContext& context, const interp::Semantics& values, const Abilities& abilities, Target target,
               Endpoints endpoints, bool may_be_empty)
      : KleeneCode(context, values),
        patterns_(context, abilities),
        target_(target),
        endpoints_(endpoints),
        may_be_empty_(may_be_empty) {
    end_ = endpoints == Endpoints::f32 ? llvm::Type::getFloatTy(context) : llvm::Type::getDoubleTy(context);
    interval_ = llvm::StructType::get(context, {end_, end_});
  }

  llvm::Type* register_type(Scalar scalar) const override { return type_of(scalar); }
  llvm::Type* memory_type(Scalar scalar) const override {
    return scalar == Scalar::boolean ? llvm::Type::getInt8Ty(context_) : static_cast<llvm::Type*>(interval_);
  }
  Value* from_memory(Builder& b, Scalar scalar, Value* stored) const override {
    return scalar == Scalar::boolean ? truth_from_memory(b, stored) : stored;
  }
  Value* to_memory(Builder& b, Scalar scalar, Value* value) const override {
    return scalar == Scalar::boolean ? truth_to_memory(b, value) : value;
  }
  llvm::Type* input_type(Scalar scalar) const override {
    if (scalar == Scalar::boolean) return llvm::Type::getInt8Ty(context_);
    if (ir::is_integer(scalar))
      return llvm::Type::getIntNTy(context_, static_cast<unsigned>(ir::integer_traits(scalar).width));
    const Format format = ir::format_of(scalar);
    return format == Format::f64 || format == Format::f32 ? patterns_.float_type(format) : patterns_.word_type(format);
  }
  /// An infinity stands for some real beyond the largest f64. NaNs have been refused.
  Value* from_input(Builder& b, Scalar scalar, Value* stored) const override {
    if (scalar == Scalar::boolean) return from_condition(b, b.CreateICmpNE(stored, b.getInt8(0)));
    const Format format = ir::format_of(scalar);
    Value* value = format == Format::f64 || format == Format::f32 ? stored : patterns_.widen(b, format, stored);
    const bool rounds = format == Format::f64 && endpoints_ == Endpoints::f32;
    if (format != Format::f64) value = b.CreateFPExt(value, end_);
    const IntervalEndpoints of(b, target_, endpoints_, value->getType());
    // A number beyond the largest f64 rounds to one beyond the largest f32.
    const double largest = end_->isFloatTy() && !rounds ? std::numeric_limits<float>::max() : largest_f64;
    const Pair endpoints{of.pick(of.equal(value, of.constant(infinity)), of.constant(largest), value),
                         of.pick(of.equal(value, of.constant(-infinity)), of.constant(-largest), value)};
    if (!rounds) return packed(b, interval_, endpoints);
    return packed(b, interval_, {of.narrow(Side::below, endpoints.low), of.narrow(Side::above, endpoints.high)});
  }

  Value* from_index(Builder& b, Scalar, Value* index) const override {
    const Directed of(b, target_, endpoints_);
    return packed(b, interval_, narrowed(b, {of.integer(Side::below, index), of.integer(Side::above, index)}));
  }
  bool sums_exactly() const override { return true; }

  Value* apply(Builder& b, Op op, Scalar, Scalar to, llvm::ArrayRef<Value*> operands) const override {
    if (Value* truth = logic(b, op, to, operands)) return truth;
    if (op == Op::convert) return operands[0];  // a conversion between formats changes nothing
    if (op == Op::select) return select(b, operands);
    llvm::SmallVector<Pair, 3> x;
    for (Value* operand : operands) x.push_back(unpacked(b, operand));
    auto result = of_f64s(op) ? function(b, op, x) : rule(intervals(b), op, x);
    if (!result) return nullptr;
    if (ir::traits(op).result == ir::ResultRule::truth) return truth(b, result->low, result->high);
    if (Value* where = may_be_empty_ ? is_empty(b, op, operands) : nullptr) {
      result = intervals(b).pick(where, {empty_end(), empty_end()}, *result);
    }
    return packed(b, interval_, *result);
  }

  bool has_undefined() const override { return true; }
  const Undefined* may_be_undefined(Op op) const override {
    if (const auto function = ir::function_of(op))
      return numerics::is_everywhere(*function) ? nullptr : &outside_domain;
    switch (op) {
#define RECKON_PARTIAL(name, reason) \
  case Op::name: return &reason;
#include "numerics/intervals/partial.def"
      default: return nullptr;
    }
  }
  const Undefined* undefined(Builder& b, Op op, llvm::ArrayRef<Value*> operands, Value*& where) const override {
    const Undefined* why = without_value(b, op, operands, where);
    // If an operand is empty, that was reported before.
    if (Value* empty = why ? any_empty(b, operands) : nullptr) where = b.CreateAnd(where, b.CreateNot(empty));
    return why;
  }
  std::string help() const override {
    const std::string ordinary = "`+ - * / %`, `fma`, `sqrt`, all functions";
    const std::string lacking =
        target_ == Target::host ? ""
        : endpoints_ == Endpoints::f64
            ? " but `gamma` and `lgamma`, and `erfc`, `atan2`, `pow` and `rootn`, which `interval(f32)` has"
            : " but `gamma` and `lgamma`";
    return "compiled under `interval`: " + ordinary + lacking +
           ", comparisons, `select`, `min`, `max`, `clamp`, `abs`, `sign`, `copysign` and rounding to integers";
  }

 private:
  Intervals intervals(Builder& b) const { return Intervals(IntervalEndpoints(b, target_, endpoints_, end_)); }
  Value* empty_end() const { return llvm::ConstantFP::getNaN(end_); }

  /// Whether `op` has no value for operands that are not empty; null: it always has one.
  const Undefined* without_value(Builder& b, Op op, llvm::ArrayRef<Value*> operands, Value*& where) const {
    const Undefined* why = may_be_undefined(op);
    if (!why) return nullptr;
    const Intervals rules = intervals(b);
    if (const auto function = ir::function_of(op)) {
      where = rules.is_undefined(*function, unpacked(b, operands[0]));
      return why;
    }
    const Pair x = unpacked(b, operands[0]), y = unpacked(b, operands[1]);
    switch (op) {
#define RECKON_PARTIAL(name, reason) \
  case Op::name: where = rules.name##_is_undefined(x, y); break;
#include "numerics/intervals/partial.def"
      default: break;
    }
    return why;
  }
  /// Whether one of the operands is empty; null: none can be empty.
  Value* any_empty(Builder& b, llvm::ArrayRef<Value*> operands) const {
    Value* any = nullptr;
    for (Value* operand : operands) {
      if (llvm::isa<llvm::Constant>(operand) || operand->getType() != interval_) continue;
      Value* empty = is_empty(b, unpacked(b, operand));
      any = any ? b.CreateOr(any, empty) : empty;
    }
    return any;
  }
  /// Whether the result is empty; null: it cannot be empty.
  Value* is_empty(Builder& b, Op op, llvm::ArrayRef<Value*> operands) const {
    Value* where = nullptr;
    if (!without_value(b, op, operands, where)) where = nullptr;
    Value* passed_on = any_empty(b, operands);
    return where && passed_on ? b.CreateOr(where, passed_on) : where ? where : passed_on;
  }

  static Value* is_empty(Builder& b, const Pair& x) { return b.CreateFCmpUNO(x.low, x.low); }

  llvm::StructType* type_of(Scalar scalar) const { return scalar == Scalar::boolean ? truth_type() : interval_; }

  Pair widened(Builder& b, Pair x) const {
    return {b.CreateFPExt(x.low, b.getDoubleTy()), b.CreateFPExt(x.high, b.getDoubleTy())};
  }
  /// Converts f64s that are endpoints.
  Pair narrowed(Builder& b, Pair x) const { return {b.CreateFPTrunc(x.low, end_), b.CreateFPTrunc(x.high, end_)}; }

  /// Whether the operation is computed in f64, whatever the endpoints are.
  static bool of_f64s(Op op) { return op == Op::rem || op == Op::rsqrt || ir::is_elementary(op); }
  std::optional<Pair> function(Builder& b, Op op, llvm::ArrayRef<Pair> operands) const {
    llvm::SmallVector<Pair, 2> x;
    const Intervals rules = intervals(b);
    Value* one = rules.endpoints.constant(1);
    for (Pair operand : operands) {
      // Some functions use integers that they make of their operand, which a NaN does not allow.
      if (may_be_empty_) operand = rules.pick(is_empty(b, operand), {one, one}, operand);
      x.push_back(widened(b, operand));
    }
    const auto result = emit_interval_function(b, target_, endpoints_, op, x);
    return result ? std::optional(narrowed(b, *result)) : std::nullopt;
  }

  /// If the choice is not known, the result is the hull of both sides.
  Value* select(Builder& b, llvm::ArrayRef<Value*> operands) const {
    const Intervals rules = intervals(b);
    const Pair x = unpacked(b, operands[1]), y = unpacked(b, operands[2]);
    Pair either = rules.hull(x, y);
    if (may_be_empty_) either = rules.pick(is_empty(b, x), y, rules.pick(is_empty(b, y), x, either));
    const Pair known = rules.pick(no(b, operands[0]), y, either);
    return packed(b, interval_, rules.pick(yes(b, operands[0]), x, known));
  }

  llvm::Constant* constant_of(Scalar scalar, const std::byte* value) const override {
    if (scalar == Scalar::boolean) return truth_constant(value);
    const auto interval = [&]<class End>(End low, End high) {
      std::memcpy(&low, value, sizeof low);
      std::memcpy(&high, value + sizeof low, sizeof high);
      return llvm::ConstantStruct::get(interval_, {llvm::ConstantFP::get(end_, low), llvm::ConstantFP::get(end_, high)});
    };
    return endpoints_ == Endpoints::f32 ? interval(0.0f, 0.0f) : interval(0.0, 0.0);
  }

  Patterns patterns_;
  Target target_;
  Endpoints endpoints_;
  bool may_be_empty_;
  llvm::Type* end_;
  llvm::StructType* interval_;
};

class CompiledInterval final : public CompiledSemantics {
 public:
  CompiledInterval(Endpoints endpoints, const std::vector<interp::SemanticsArgument>& arguments)
      : CompiledSemantics(std::move(*interp::make_interval(arguments, {}))), endpoints_(endpoints) {}

  std::unique_ptr<ScalarCode> scalar_code(llvm::LLVMContext& context, const Abilities& abilities, Target target,
                                          bool may_lack_value) const override {
    return std::make_unique<IntervalCode>(context, values(), abilities, target, endpoints_, may_lack_value);
  }
  std::optional<Refusal> refuses(ir::Scalar scalar) const override { return refuses_words(scalar); }
  /// Both endpoints are often computed by the same operations.
  Vectors vectors() const override { return Vectors::of_loops_and_statements; }

  std::optional<Words> words() const override { return Words{is_f32() ? Scalar::f32 : Scalar::f64, 2}; }
  bool leaves_empty() const override { return true; }
  std::optional<interp::Fault> refused_input(const ir::HostTensor& tensor) const override {
    if (!ir::is_float(tensor.scalar)) return std::nullopt;
    const std::int64_t count = tensor.size();
    const bool has_nan = ir::by_words(tensor, [&](const auto& words) {
      const numerics::NanWords<decltype(words[0])> nans(ir::format_of(tensor.scalar));
      std::int64_t i = 0;
      while (i < count && !nans.contain(words[i])) ++i;
      return i < count;
    });
    return has_nan ? std::optional(interp::nan_has_no_interval()) : std::nullopt;
  }
  bool looks_at_inputs() const override { return true; }

  /// Our algorithms for the remainder and rsqrt use fma, too.
  bool has_fma(Op op) const override {
    return op == Op::rem || op == Op::rsqrt || CompiledSemantics::has_fma(op);
  }
  AuditOptions audit() const override { return {.outward = true, .f32_endpoints = is_f32()}; }
  const void* symbol(std::string_view name) const override {
    return name == interval_call_name ? reinterpret_cast<const void*>(&interval_function) : nullptr;
  }
  std::string_view without_symbols() const override { return "with --in=\"interval(f32)\" it would not"; }

 private:
  bool is_f32() const { return endpoints_ == Endpoints::f32; }

  Endpoints endpoints_;
};

}  // namespace

const CompiledSemantics& interval_code() {
  static const CompiledInterval code(Endpoints::f64, {});
  return code;
}

const CompiledSemantics& interval_f32_code() {
  static const CompiledInterval code(Endpoints::f32, {{"f32"}});
  return code;
}

}  // namespace reckon::codegen
