// `float` compiled: one IEEE operation, rounded once to nearest even, for each operation of the circuit. No fast-math
// flag is ever set, and nothing is contracted. The narrower formats compute in f32 and round once more: harmless for
// + - * / sqrt, since 24 >= 2p + 2, except for products of tf32 (interp/algebra/float_algebra.h); fma of those formats
// has a path of its own.
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include <limits>
#include <optional>
#include <type_traits>

#include "codegen/ptx/assembly.h"
#include "codegen/scalars/approximation.h"
#include "codegen/scalars/builders.h"
#include "codegen/scalars/patterns.h"
#include "codegen/scalars/quick_exponential.h"
#include "codegen/scalars/remainder.h"
#include "codegen/scalars/two_valued.h"
#include "ir/function_of.h"
#include "numerics/functions/functions.h"
#include "numerics/functions/quotient.h"
#include "semantics/float/compiled.h"
#include "semantics/float/compiled/functions_of_f64.h"
#include "semantics/registry.h"

namespace reckon::codegen {
namespace {

using ir::Op;
using ir::Scalar;
using llvm::Value;

class FloatCode final : public TwoValuedCode {
 public:
  FloatCode(llvm::LLVMContext& context, const interp::Semantics& values, const Abilities& abilities)
      : TwoValuedCode(context, values),
        patterns_(context, abilities),
        chip_(abilities.chip),
        f64_lanes_(abilities.f64_lanes) {}

  int chip() const override { return chip_; }
  bool picks_in_any_order() const override { return true; }
  bool fuses_on_tensor_cores() const override { return true; }
  bool applies_to_vectors(Op op, Scalar scalar) const override {
    if (scalar != Scalar::f32 && scalar != Scalar::f64) return false;
    switch (op) {
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::neg:
      case Op::abs:
      case Op::fma:
      case Op::min:
      case Op::max: return true;
      default: return false;
    }
  }
  /// -0: the sum of -0 and x is x, even if x is -0, and so fma(x, y, -0) is the rounded product. There is none where
  /// sums may saturate.
  llvm::Constant* neutral_summand(Scalar scalar) const override {
    if (ir::is_float(scalar) && numerics::saturates(ir::format_of(scalar))) return nullptr;
    llvm::Type* type = register_type(scalar);
    return type->isFloatingPointTy() ? llvm::ConstantFP::getNegativeZero(type) : llvm::Constant::getNullValue(type);
  }

  llvm::SmallVector<Value*, 4> apply_rounded(Builder& b, Op op, Scalar to, llvm::ArrayRef<Value*> x) const override {
    if (!applies_rounded_quickly(op, to)) return ScalarCode::apply_rounded(b, op, to, x);
    return emit_quick_exponentials(b, patterns_, *ir::function_of(op), ir::format_of(to), x,
                                   [&](Value* value) { return ScalarCode::apply_rounded(b, op, to, value).front(); });
  }
  bool applies_rounded_quickly(Op op, Scalar to) const override {
    if (chip_ < first_chip_with_quick_exponentials || !ir::is_float(to)) return false;
    const auto function = ir::function_of(op);
    return function && has_quick_exponential(*function, ir::format_of(to));
  }

  /// With y = RN(1/d) and q = RN(x y), RN(q + y RN(x - q d)) is x / d correctly rounded if nothing comes near underflow
  /// or overflow: 2^-30 <= |d| <= 2^30 and 2^-90 <= |x| <= 2^60. Source: Brisebarre, Muller, Raina,
  /// Accelerating correctly rounded floating-point division when the divisor is known in advance, IEEE Transactions on
  /// Computers 53(8), 2004, section 1 (after Markstein, 1990). A plain division takes a GPU some twenty instructions.
  bool divides_quickly(Scalar scalar) const override { return chip_ != 0 && scalar == Scalar::f32; }
  llvm::SmallVector<Value*, 2> prepare_divisor(Builder& b, Scalar, Value* divisor) const override {
    const auto number = [&](double value) { return llvm::ConstantFP::get(b.getFloatTy(), value); };
    Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, divisor);
    Value* usual = b.CreateAnd(b.CreateFCmpOGE(size, number(0x1p-30)), b.CreateFCmpOLE(size, number(0x1p30)));
    // For an unusual divisor the lower bound is infinity, so that no dividend lies between the two bounds.
    Value* least = b.CreateSelect(usual, number(0x1p-90), llvm::ConstantFP::getInfinity(b.getFloatTy()));
    return {b.CreateFDiv(number(1), divisor), least};
  }
  /// NaNs do not affect the sizes, because their quotients are right. If all dividends are NaN, the sizes are NaN, and
  /// comparisons with them are false.
  Value* divide(Builder& b, Value* x, Value* divisor, llvm::ArrayRef<Value*> prepared, Sizes& sizes) const override {
    const auto fma = [&](Value* p, Value* q, Value* r) {
      return b.CreateIntrinsic(llvm::Intrinsic::fma, {b.getFloatTy()}, {p, q, r});
    };
    Value* opposite = b.CreateFNeg(divisor);
    Value* quotient = b.CreateFMul(x, prepared[0]);
    quotient = fma(fma(opposite, quotient, x), prepared[0], quotient);
    Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    sizes.least = sizes.least == nullptr ? size : b.CreateMinNum(sizes.least, size);
    sizes.most = sizes.most == nullptr ? size : b.CreateMaxNum(sizes.most, size);
    return quotient;
  }
  Value* may_be_wrong(Builder& b, llvm::ArrayRef<Value*> prepared, const Sizes& sizes) const override {
    Value* usual = b.CreateAnd(b.CreateFCmpOGE(sizes.least, prepared[1]),
                               b.CreateFCmpOLE(sizes.most, llvm::ConstantFP::get(b.getFloatTy(), 0x1p60)));
    return b.CreateNot(usual);
  }
  /// It has half the instructions of f32's division, and no branch.
  Value* divide_unusual(Builder& b, Value* x, Value* divisor) const override {
    NumberBuilder numbers{b};
    Value* wide = b.CreateFPExt(divisor, b.getDoubleTy());
    Value* reciprocal = numbers.div(numbers.f64_const(1), wide);
    Value* quotient = numerics::quotient_of_f32(numbers, b.CreateFPExt(x, b.getDoubleTy()), wide, reciprocal);
    return b.CreateFPTrunc(quotient, b.getFloatTy());
  }

  llvm::Constant* constant(Scalar scalar, std::uint64_t bits) const override {
    if (!ir::is_float(scalar)) return llvm::ConstantInt::get(register_type(scalar), bits);
    const Format format = ir::format_of(scalar);
    if (narrow(format)) {
      const auto value = static_cast<float>(numerics::widen(bits, format));
      return llvm::ConstantFP::get(context_, llvm::APFloat(value));
    }
    const auto width = static_cast<unsigned>(numerics::traits(format).width);
    const llvm::APInt pattern = llvm::APInt(64, bits).trunc(width);
    const llvm::fltSemantics& semantics =
        format == Format::f64 ? llvm::APFloat::IEEEdouble() : llvm::APFloat::IEEEsingle();
    return llvm::ConstantFP::get(context_, llvm::APFloat(semantics, pattern));
  }

 private:
  // In memory, formats narrower than f32 are stored as words with their patterns; wider ones as floats.
  llvm::Type* number_in_memory(Format format) const override {
    return narrow(format) ? patterns_.word_type(format) : patterns_.float_type(format);
  }
  llvm::Type* number_in_register(Format format) const override { return patterns_.float_type(format); }
  Value* read_number(Builder& b, Format format, Value* stored) const override {
    return narrow(format) ? patterns_.widen(b, format, stored) : stored;
  }
  Value* written_number(Builder& b, Format format, Value* value) const override {
    if (narrow(format)) return patterns_.pattern(b, format, value);
    if (chip_ > 0) return value;  // a GPU's NaNs are as its instructions make them
    // By integers: LLVM takes the NaN of a negative number's root for any other.
    llvm::Type* word = b.getIntNTy(value->getType()->getScalarSizeInBits());
    const auto pattern = [&](std::uint64_t bits) { return llvm::ConstantInt::get(word, bits); };
    Value* bits = b.CreateBitCast(value, word);
    Value* magnitude = b.CreateAnd(bits, pattern(numerics::magnitude_bits(~std::uint64_t{0}, format)));
    Value* nan = b.CreateICmpUGT(magnitude, pattern(numerics::infinity_bits(format)));
    return b.CreateBitCast(b.CreateSelect(nan, pattern(numerics::canonical_nan(format)), bits), value->getType());
  }
  Value* number_of_index(Builder& b, Format format, Value* index) const override {
    return patterns_.from_index(b, format, index);
  }

  Value* apply(Builder& b, Op op, Scalar from, Scalar to, llvm::ArrayRef<Value*> x) const override {
    if (op == Op::select && to == Scalar::f32 && chip_ > 0) {
      if (Value* flushed = flushed_exp2(b, x)) return flushed;
    }
    return TwoValuedCode::apply(b, op, from, to, x);
  }

  Value* apply_to_numbers(Builder& b, Op op, Scalar from, Scalar to, llvm::ArrayRef<Value*> x) const override {
    if (ir::traits(op).result != ir::ResultRule::truth && !ir::is_float(to)) return nullptr;
    const Format format = ir::format_of(from);
    auto intrinsic = [&](llvm::Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, x[0]); };
    auto rounded = [&](Value* value) { return narrow(format) ? patterns_.round_f32(b, format, value) : value; };
    auto wide = [&](Value* value) { return b.CreateFPExt(value, b.getDoubleTy()); };
    // The largest number of f6e2m3 is 7.5, so that its ceiling is beyond the format.
    const bool has_large_fractions = numerics::traits(format).precision > numerics::traits(format).emax + 1;
    auto whole = [&](llvm::Intrinsic::ID id) { return has_large_fractions ? rounded(intrinsic(id)) : intrinsic(id); };
    if (ir::is_approximate(op)) return approximated(b, op, format, x);
    switch (op) {
      case Op::add: return rounded(b.CreateFAdd(x[0], x[1]));
      case Op::sub: return rounded(b.CreateFSub(x[0], x[1]));
      case Op::mul:
        if (format == Format::tf32) return patterns_.round_f64(b, format, b.CreateFMul(wide(x[0]), wide(x[1])));
        return rounded(b.CreateFMul(x[0], x[1]));
      case Op::div: return rounded(b.CreateFDiv(x[0], x[1]));
      case Op::rem: {  // a number of the format, or a NaN
        Value* remainder = emit_remainder(b, x[0], x[1]);
        return numerics::has_nan(format) ? remainder : rounded(remainder);
      }
      case Op::neg: return b.CreateFNeg(x[0]);
      case Op::abs: return intrinsic(llvm::Intrinsic::fabs);
      case Op::fma: return fused(b, format, x[0], x[1], x[2]);
      case Op::ldexp: return scaled(b, format, x[0], x[1]);
      case Op::sqrt: return rounded(intrinsic(llvm::Intrinsic::sqrt));
      case Op::minnum:
      case Op::maxnum: {
        const bool is_min = op == Op::minnum;
        // A GPU's instruction takes -0 for less than 0 (PTX ISA, "min", "max"), which LLVM does not promise.
        if (chip_ > 0 && ir::is_float(from)) {
          return b.CreateBinaryIntrinsic(is_min ? llvm::Intrinsic::minnum : llvm::Intrinsic::maxnum, x[0], x[1]);
        }
        Value* of_numbers = apply(b, is_min ? Op::min : Op::max, from, to, x);
        return b.CreateSelect(is_nan(b, x[0]), x[1], b.CreateSelect(is_nan(b, x[1]), x[0], of_numbers));
      }
      case Op::clamp: return apply(b, Op::min, from, to, {apply(b, Op::max, from, to, {x[0], x[1]}), x[2]});
      case Op::min: return b.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, x[0], x[1]);
      case Op::max: return b.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, x[0], x[1]);
      case Op::sign: return sign(b, x[0]);
      case Op::copysign: return copysign(b, x[0], x[1]);
      case Op::nextafter: return next_after(b, format, x[0], x[1]);
      case Op::floor: return whole(llvm::Intrinsic::floor);
      case Op::ceil: return whole(llvm::Intrinsic::ceil);
      case Op::trunc: return intrinsic(llvm::Intrinsic::trunc);
      case Op::round: return whole(llvm::Intrinsic::roundeven);
      case Op::less: return b.CreateFCmpOLT(x[0], x[1]);
      case Op::less_equal: return b.CreateFCmpOLE(x[0], x[1]);
      case Op::equal: return b.CreateFCmpOEQ(x[0], x[1]);
      case Op::not_equal: return b.CreateFCmpUNE(x[0], x[1]);
      case Op::convert: return convert(b, format, ir::format_of(to), x[0]);
      default:
        if (const auto function = ir::function_of(op)) return elementary(b, *function, format, x);
        if (const auto function = ir::binary_function_of(op)) return elementary(b, *function, format, x);
        return nullptr;
    }
  }

  static Value* is_nan(Builder& b, Value* x) { return b.CreateFCmpUNO(x, x); }

  static bool narrow(Format format) { return format != Format::f64 && format != Format::f32; }

  /// A single instruction, as assembly, which LLVM does not change. It has no side effects: equal ones may be joined.
  Value* approximated(Builder& b, Op op, Format format, llvm::ArrayRef<Value*> x) const {
    const auto found = approximation(op, format);
    if (!found || chip_ < found->first_chip) return nullptr;
    llvm::Type* word = format == Format::f32 ? b.getFloatTy() : patterns_.word_type(format);
    const std::string letter = format == Format::f32 ? "f" : "h";
    std::string text = found->instruction + " $0", constraints = "=" + letter;
    llvm::SmallVector<Value*, 2> operands;
    for (std::size_t k = 0; k < x.size(); ++k) {
      operands.push_back(format == Format::f32 ? x[k] : patterns_.pattern(b, format, x[k]));
      text += ", $" + std::to_string(k + 1);
      constraints += "," + letter;
    }
    Value* result = emit_assembly(b, word, text + ";", constraints, operands, false);
    return format == Format::f32 ? result : patterns_.widen(b, format, result);
  }

  /// `select(x < -126, 0, approx.exp2(x))` by one instruction, which flushes subnormals; of the form that keeps them
  /// the assembler makes four instructions. Null if the operands of the choice are not these.
  static Value* flushed_exp2(Builder& b, llvm::ArrayRef<Value*> x) {
    const auto* less = llvm::dyn_cast<llvm::FCmpInst>(x[0]);
    const auto* zero = llvm::dyn_cast<llvm::ConstantFP>(x[1]);
    const auto* call = llvm::dyn_cast<llvm::CallInst>(x[2]);
    if (less == nullptr || zero == nullptr || call == nullptr || !zero->getValueAPF().isPosZero()) return nullptr;
    const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
    const std::string keeping = approximation(Op::approx_exp2, Format::f32)->instruction + " ";
    if (assembly == nullptr || !llvm::StringRef(assembly->getAsmString()).starts_with(keeping)) return nullptr;
    const auto* bound = llvm::dyn_cast<llvm::ConstantFP>(less->getOperand(1));
    if (less->getPredicate() != llvm::CmpInst::FCMP_OLT || less->getOperand(0) != call->getArgOperand(0) ||
        bound == nullptr || !bound->isExactlyValue(-126.0f)) {
      return nullptr;
    }
    return b.CreateIntrinsic(b.getFloatTy(), llvm::Intrinsic::nvvm_ex2_approx_ftz, {call->getArgOperand(0)});
  }

  /// Every NaN has one pattern, as everywhere where bits are visible.
  Value* cast_word(Builder& b, Op op, Scalar from, Scalar to, Value* x) const override {
    const Format format = ir::format_of(ir::is_integer(from) ? to : from);
    if (op == Op::bits) {
      Value* pattern = b.CreateZExt(patterns_.pattern(b, format, x), word_type(context_, to));
      llvm::Constant* nan = llvm::ConstantInt::get(pattern->getType(), numerics::canonical_nan(format));
      return b.CreateSelect(is_nan(b, x), nan, pattern);
    }
    if (op == Op::from_bits) return patterns_.widen(b, format, b.CreateTrunc(x, patterns_.word_type(format)));
    if (op != Op::convert) return nullptr;
    return ir::is_integer(from) ? float_of_word(b, patterns_, from, format, x) : word_of_float(b, x, to);
  }

  /// x * 2^k. For narrower formats the product is exact in f64 (as in numerics::scaled) and is then rounded once. For
  /// f64 there are up to three factors, so that only the last product is rounded: a result below the normal numbers is
  /// made from a normal one, or is 0 in any case.
  Value* scaled(Builder& b, Format format, Value* x, Value* k) const {
    const auto number = [&](double value) { return llvm::ConstantFP::get(b.getDoubleTy(), value); };
    const auto wide = [&](Value* value) {
      return format == Format::f64 ? value : b.CreateFPExt(value, b.getDoubleTy());
    };
    Value *left = wide(x), *power = wide(k);
    Value* whole = b.CreateFCmpOEQ(b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, power), power);
    const double most = format == Format::f64 ? 2200 : 700;
    const auto min_of = [&](Value* a, Value* c) { return b.CreateSelect(b.CreateFCmpOLT(a, c), a, c); };
    const auto max_of = [&](Value* a, Value* c) { return b.CreateSelect(b.CreateFCmpOGT(a, c), a, c); };
    Value* rest = min_of(max_of(b.CreateSelect(whole, power, number(0)), number(-most)), number(most));
    const auto times = [&](Value* step) {  // multiplies by 2^step, a normal number that is made as a pattern
      Value* biased = b.CreateAdd(b.CreateFPToSI(step, b.getInt64Ty()), b.getInt64(1023));
      left = b.CreateFMul(left, b.CreateBitCast(b.CreateShl(biased, 52), b.getDoubleTy()));
    };
    if (format == Format::f64) {
      for (int round = 0; round < 2; ++round) {
        // After a step down, the rest is below -53, so that a product that had to be rounded ends at 0.
        Value* far_down = b.CreateFCmpOLT(rest, number(-1022));
        Value* far_up = b.CreateFCmpOGT(rest, number(1023));
        Value* step = b.CreateSelect(far_down, number(-969), b.CreateSelect(far_up, number(1023), number(0)));
        times(step);
        rest = b.CreateFSub(rest, step);
      }
    }
    times(rest);
    Value* infinite = b.CreateFCmpOEQ(power, number(std::numeric_limits<double>::infinity()));
    // 2^inf makes everything but 0 infinite; in a saturating format this is rounded, too.
    Value* limit = b.CreateFMul(left, b.CreateSelect(infinite, power, number(1)));
    Value* product = b.CreateSelect(b.CreateFCmpOEQ(left, number(0)), left, limit);
    Value* result = b.CreateSelect(whole, product, number(std::numeric_limits<double>::quiet_NaN()));
    return patterns_.round_f64(b, format, result);
  }

  Value* convert(Builder& b, Format from, Format to, Value* x) const {
    if (from == Format::f64) return patterns_.round_f64(b, to, x);
    if (to == Format::f64) return b.CreateFPExt(x, b.getDoubleTy());
    return patterns_.round_f32(b, to, x);
  }

  Value* fused(Builder& b, Format format, Value* x, Value* y, Value* z) const {
    if (!narrow(format)) return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
    // numerics/native.h, fma_narrow: the product is exact in f64; TwoSum gives the sum's error; the sum rounded to odd
    // can be rounded once more.
    NumberBuilder n{b};
    auto wide = [&](Value* value) { return b.CreateFPExt(value, b.getDoubleTy()); };
    Value* product = n.mul(wide(x), wide(y));
    Value* addend = wide(z);
    Value* sum = n.add(product, addend);
    Value* product_part = n.sub(sum, addend);
    Value* addend_part = n.sub(sum, product_part);
    Value* error = n.add(n.sub(product, product_part), n.sub(addend, addend_part));
    return patterns_.round_f64(b, format, numerics::rounded_to_odd(n, sum, error));
  }

  /// Makes a separate LLVM function, so that its hundreds of operations are in the module once until LLVM inlines them.
  template <class Which>
  Value* elementary(Builder& b, Which which, Format format, llvm::ArrayRef<Value*> x) const {
    if (format == Format::f64) return call_function_of_f64(b, which, x, f64_lanes_);
    llvm::Module& module = *b.GetInsertBlock()->getModule();
    const std::string name =
        fmt::format("reckon_function{}_{}_{}", x.size(), static_cast<int>(which), numerics::traits(format).name);
    llvm::Function* function = module.getFunction(name);
    if (!function) {
      const llvm::SmallVector<llvm::Type*, 2> types(x.size(), b.getFloatTy());
      function = llvm::Function::Create(llvm::FunctionType::get(b.getFloatTy(), types, false),
                                        llvm::Function::InternalLinkage, name, module);
      function->addFnAttr(llvm::Attribute::AlwaysInline);
      function->addFnAttr(llvm::Attribute::NoUnwind);
      Builder inner(llvm::BasicBlock::Create(context_, "entry", function));
      NumberBuilder numbers{inner};
      auto wide = [&](unsigned k) { return inner.CreateFPExt(function->getArg(k), inner.getDoubleTy()); };
      Value* value = nullptr;
      if constexpr (std::is_same_v<Which, numerics::Function>) {
        if (chip_ >= 80) value = bounded_in_f32(inner, which, function->getArg(0));
        if (!value) value = numerics::elementary(numbers, which, wide(0));
      } else {
        value = numerics::elementary(numbers, which, wide(0), wide(1));
      }
      inner.CreateRet(patterns_.round_f64(inner, format, value));
    }
    return b.CreateCall(function, x);
  }

  /// As numerics::elementary, but with the bounds applied in f32, where they cost a GPU a quarter as much; null for a
  /// function without bounds.
  static Value* bounded_in_f32(Builder& b, numerics::Function which, Value* x) {
    const auto number = [&](double value) { return llvm::ConstantFP::get(b.getFloatTy(), value); };
    Value* value = nullptr;
    numerics::with_bounds(which, [&](numerics::Bounds bounds, auto within) {
      Value* least = b.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, x, number(bounds.least));
      Value* clamped = b.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, least, number(bounds.most));
      NumberBuilder numbers{b};
      value = within(numbers, b.CreateFPExt(clamped, b.getDoubleTy()));
    });
    return value;
  }

  static Value* sign(Builder& b, Value* x) {
    Value* zero = llvm::ConstantFP::get(x->getType(), 0.0);
    Value* negative = b.CreateFCmpOLT(x, zero);
    Value* nonzero =
        b.CreateSelect(negative, llvm::ConstantFP::get(x->getType(), -1.0), llvm::ConstantFP::get(x->getType(), 1.0));
    return b.CreateSelect(b.CreateFCmpONE(x, zero), nonzero, x);
  }

  static Value* copysign(Builder& b, Value* magnitude, Value* source) {
    Value* positive = llvm::ConstantFP::get(source->getType(), 1.0);
    Value* decided = b.CreateSelect(b.CreateFCmpUNO(source, source), positive, source);
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, decided);
  }

  /// numerics::next_after. A pattern moves by one, away from zero or toward it.
  Value* next_after(Builder& b, Format format, Value* x, Value* y) const {
    const bool as_word = narrow(format);
    llvm::Type* word = as_word ? patterns_.word_type(format) : format == Format::f64 ? b.getInt64Ty() : b.getInt32Ty();
    const auto constant_word = [&](std::uint64_t bits) { return llvm::ConstantInt::get(word, bits); };
    const auto value_of = [&](Value* bits) {
      return as_word ? patterns_.widen(b, format, bits) : b.CreateBitCast(bits, x->getType());
    };
    Value* zero = llvm::ConstantFP::get(x->getType(), 0.0);
    Value* pattern = as_word ? patterns_.pattern(b, format, x) : b.CreateBitCast(x, word);
    const std::uint64_t step = std::uint64_t{1} << numerics::traits(format).unused;
    Value* away = b.CreateICmpEQ(b.CreateFCmpOLT(x, y), b.CreateFCmpOGT(x, zero));
    Value* moved =
        b.CreateSelect(away, b.CreateAdd(pattern, constant_word(step)), b.CreateSub(pattern, constant_word(step)));
    Value* least =
        b.CreateSelect(b.CreateFCmpOLT(y, zero), constant_word(step | numerics::sign_bit(format)), constant_word(step));
    Value* next = value_of(b.CreateSelect(b.CreateFCmpOEQ(x, zero), least, moved));
    Value* either_nan = b.CreateFCmpUNO(x, y);
    Value* number = b.CreateSelect(b.CreateFCmpOEQ(x, y), y, next);
    return b.CreateSelect(either_nan, llvm::ConstantFP::getNaN(x->getType()), number);
  }

  /// The evaluator's values are bit patterns.
  llvm::Constant* constant_of(Scalar scalar, const std::byte* value) const override {
    return constant(scalar, *values_.bits(scalar, value));
  }

  Patterns patterns_;
  int chip_;
  unsigned f64_lanes_;
};

class CompiledFloat final : public CompiledSemantics {
 public:
  CompiledFloat() : CompiledSemantics(std::move(*interp::make_float({}, {}))) {}
  std::unique_ptr<ScalarCode> scalar_code(llvm::LLVMContext& context, const Abilities& abilities, Target,
                                          bool) const override {
    return std::make_unique<FloatCode>(context, values(), abilities);
  }
  bool has_one_nan() const override { return true; }
};

}  // namespace

const CompiledSemantics& float_code() {
  static const CompiledFloat code;
  return code;
}

}  // namespace reckon::codegen
