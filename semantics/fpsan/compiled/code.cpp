// `fpsan` compiled: registers hold payloads (integers of the format's width) from load to store, buffers hold
// carriers. The arithmetic is numerics/fpsan.h's, instantiated with LLVM values. Carriers never pass through a float
// instruction except for comparisons, which FPSan leaves to the machine.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "codegen/scalars/builders.h"
#include "codegen/scalars/patterns.h"
#include "codegen/scalars/two_valued.h"
#include "ir/call_by_name.h"
#include "numerics/fpsan.h"
#include "numerics/fpsan_native.h"
#include "semantics/fpsan/compiled.h"
#include "semantics/registry.h"

namespace reckon::codegen {
namespace {

using ir::Op;
using ir::Scalar;
using llvm::Value;
namespace fpsan = numerics::fpsan;

class FpsanCode final : public TwoValuedCode {
 public:
  FpsanCode(llvm::LLVMContext& context, const interp::Semantics& values, const Abilities& abilities,
            const fpsan::Generation& generation)
      : TwoValuedCode(context, values), patterns_(context, abilities), generation_(generation) {}

  bool sums_exactly() const override { return true; }
  bool adds_words(Scalar scalar) const override { return ir::is_float(scalar); }
  bool applies_to_vectors(Op op, Scalar scalar) const override {
    return ir::is_float(scalar) && (op == Op::add || op == Op::sub || op == Op::mul || op == Op::fma);
  }
  llvm::Constant* neutral_summand(Scalar scalar) const override {
    return llvm::Constant::getNullValue(register_type(scalar));
  }

  llvm::Constant* constant(Scalar scalar, std::uint64_t bits) const override {
    if (!ir::is_float(scalar)) return llvm::ConstantInt::get(register_type(scalar), bits);
    return llvm::ConstantInt::get(register_type(scalar), fpsan::fpsan_embed(bits, ir::format_of(scalar), generation_));
  }
 private:
  llvm::Type* number_in_memory(Format format) const override { return patterns_.word_type(format); }
  llvm::Type* number_in_register(Format format) const override { return patterns_.word_type(format); }
  Value* read_number(Builder& b, Format format, Value* stored) const override {
    WordBuilder words{b};
    return numerics::with_format<fpsan::has_payloads>(format, [&]<Format constant_format>() {
      return fpsan::embed<constant_format>(words, fpsan::embedding(generation_, constant_format), stored);
    });
  }
  Value* written_number(Builder& b, Format format, Value* value) const override { return carrier(b, format, value); }
  Value* number_of_index(Builder& b, Format format, Value* index) const override {
    return read_number(b, format, patterns_.pattern(b, format, patterns_.from_index(b, format, index)));
  }

  Value* apply_to_numbers(Builder& b, Op op, Scalar from, Scalar to, llvm::ArrayRef<Value*> x) const override {
    const Format format = ir::format_of(from);
    if (ir::traits(op).result == ir::ResultRule::truth) {
      return compare(b, op, patterns_.widen(b, format, carrier(b, format, x[0])),
                     patterns_.widen(b, format, carrier(b, format, x[1])));
    }
    if (!ir::is_float(to)) return nullptr;
    if (op == Op::convert) return cast(b, format, ir::format_of(to), x[0]);
    if (op == Op::abs) {
      // Clears the sign bit of the carrier; its embedding starts with a multiplication, so LLVM cannot make it an fabs.
      Value* cleared =
          b.CreateAnd(carrier(b, format, x[0]), ~numerics::sign_bit(format) & numerics::width_mask(format));
      return from_memory(b, from, cleared);
    }
    if (op == Op::sign) return from_memory(b, from, sign_of(b, format, carrier(b, format, x[0])));
    return numerics::with_format<fpsan::has_payloads>(format, [&]<Format constant_format>() -> Value* {
      return arithmetic<numerics::traits(constant_format).width>(b, op, x);
    });
  }

  /// Works on carriers, as FPSan leaves these operations to the machine.
  Value* cast_word(Builder& b, Op op, Scalar from, Scalar to, Value* x) const override {
    if (ir::is_integer(to)) {
      const Format format = ir::format_of(from);
      Value* pattern = carrier(b, format, x);
      if (op == Op::bits) return b.CreateZExt(pattern, word_type(context_, to));
      return word_of_float(b, patterns_.widen(b, format, pattern), to);
    }
    if (op == Op::convert) {
      const Format format = ir::format_of(to);
      return read_number(b, format, patterns_.pattern(b, format, float_of_word(b, patterns_, from, format, x)));
    }
    return from_memory(b, to, b.CreateTrunc(x, patterns_.word_type(ir::format_of(to))));
  }

  Value* carrier(Builder& b, Format format, Value* payload) const {
    WordBuilder words{b};
    return numerics::with_format<fpsan::has_payloads>(format, [&]<Format constant_format>() {
      return fpsan::unembed<constant_format>(words, fpsan::embedding(generation_, constant_format), payload);
    });
  }

  /// The sign of a carrier as a float. For NaNs it does what the interpreter does, with integers: the narrow formats
  /// give the canonical NaN, and wider ones keep the pattern.
  Value* sign_of(Builder& b, Format format, Value* x) const {
    const auto constant = [&](std::uint64_t bits) {
      return llvm::ConstantInt::get(patterns_.word_type(format), bits & numerics::width_mask(format));
    };
    Value* number = patterns_.widen(b, format, x);
    Value* zero = llvm::ConstantFP::get(number->getType(), 0.0);
    const std::uint64_t one = static_cast<std::uint64_t>(numerics::bias(format)) << numerics::mantissa_bits(format);
    Value* result = b.CreateSelect(b.CreateFCmpOLT(number, zero), constant(one | numerics::sign_bit(format)),
                                   b.CreateSelect(b.CreateFCmpOGT(number, zero), constant(one), x));
    Value* of_nan = numerics::traits(format).width < 32 ? constant(numerics::canonical_nan(format)) : x;
    return b.CreateSelect(b.CreateFCmpUNO(number, number), of_nan, result);
  }

  static Value* compare(Builder& b, Op op, Value* x, Value* y) {
    switch (op) {
      case Op::less: return b.CreateFCmpOLT(x, y);
      case Op::less_equal: return b.CreateFCmpOLE(x, y);
      case Op::equal: return b.CreateFCmpOEQ(x, y);
      case Op::not_equal: return b.CreateFCmpUNE(x, y);
      default: return nullptr;
    }
  }

  Value* cast(Builder& b, Format from, Format to, Value* x) const {
    WordBuilder words{b};
    return numerics::with_format<fpsan::has_payloads>(from, [&]<Format source>() {
      return numerics::with_format<fpsan::has_payloads>(to, [&]<Format target>() {
        return fpsan::cast<numerics::traits(source).width, numerics::traits(target).width>(words, generation_, x);
      });
    });
  }

  template <int width>
  Value* arithmetic(Builder& b, Op op, llvm::ArrayRef<Value*> x) const {
    fpsan::Rules<WordBuilder, width> rules{generation_, {b}};
    return ir::call_by_name(op, rules, x.data(), [](Value* result) { return result; }).value_or(nullptr);
  }

  /// The evaluator's values are payloads.
  llvm::Constant* constant_of(Scalar scalar, const std::byte* value) const override {
    std::uint64_t word = 0;
    std::memcpy(&word, value, values_.size(scalar));
    return llvm::ConstantInt::get(register_type(scalar), word);
  }

  Patterns patterns_;
  fpsan::Generation generation_;
};

class CompiledFpsan final : public CompiledSemantics {
 public:
  CompiledFpsan(const fpsan::Generation& generation, const std::vector<interp::SemanticsArgument>& arguments)
      : CompiledSemantics(std::move(*interp::make_fpsan(arguments, {}))), generation_(generation) {}
  std::unique_ptr<ScalarCode> scalar_code(llvm::LLVMContext& context, const Abilities& abilities, Target,
                                          bool) const override {
    return std::make_unique<FpsanCode>(context, values(), abilities, generation_);
  }
  std::optional<Refusal> refuses(Scalar scalar) const override {
    if (!ir::is_float(scalar) || fpsan::has_payloads(ir::format_of(scalar))) return std::nullopt;
    return {{fmt::format("`{}` has no meaning under `fpsan`: {}", ir::scalar_name(scalar), fpsan::without_payloads),
             "write the circuit in a wider format, such as f32, for this question"}};
  }
  bool has_fma(Op) const override { return false; }
  /// Values are integers, of which machines have vectors.
  Vectors vectors() const override { return Vectors::of_loops_and_statements; }

 private:
  fpsan::Generation generation_;
};

}  // namespace

const CompiledSemantics& fpsan_code(const fpsan::Generation& generation) {
  static const CompiledFpsan now(fpsan::now, {}), now_homomorphic(fpsan::now_homomorphic, {{"now"}, {"homomorphic"}}),
      v38(fpsan::v38, {{"v38"}}), article(fpsan::article, {{"article"}});
  if (generation == fpsan::now_homomorphic) return now_homomorphic;
  if (generation == fpsan::v38) return v38;
  if (generation == fpsan::article) return article;
  return now;
}

}  // namespace reckon::codegen
