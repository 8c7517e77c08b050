#include "codegen/scalars/patterns.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <bit>

#include "codegen/scalars/builders.h"
#include "numerics/round_bits.h"

namespace reckon::codegen {
namespace {

/// The bits of the f32 2^exponent.
std::uint32_t power(int exponent) { return static_cast<std::uint32_t>(exponent + 127) << 23; }

/// Formats of at most 8 bits without infinities: what converts them follows from their traits.
bool is_small(Format format) { return numerics::traits(format).width <= 8 && !numerics::has_infinity(format); }

}  // namespace

llvm::Type* Patterns::float_type(Format format) const {
  return format == Format::f64 ? llvm::Type::getDoubleTy(context_) : llvm::Type::getFloatTy(context_);
}

llvm::Type* Patterns::word_type(Format format) const {
  return llvm::Type::getIntNTy(context_, static_cast<unsigned>(numerics::word_width(format)));
}

llvm::Value* Patterns::widen(Builder& b, Format format, llvm::Value* pattern) const {
  if (format == Format::f64 || format == Format::f32) return b.CreateBitCast(pattern, float_type(format));
  if (format == Format::bf16) {
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(pattern, b.getInt32Ty()), 16), b.getFloatTy());
  }
  if (format == Format::tf32) {
    return b.CreateBitCast(b.CreateAnd(pattern, numerics::storage_mask(format)), b.getFloatTy());
  }
  if (format == Format::f8e5m2) {  // the upper half of f16
    return widen(b, Format::f16, b.CreateShl(b.CreateZExt(pattern, b.getInt16Ty()), 8));
  }
  if (is_small(format)) return widen_small(b, format, pattern);
  if (abilities_.half_conversions) {
    return b.CreateFPExt(b.CreateBitCast(pattern, b.getHalfTy()), b.getFloatTy());
  }
  // numerics/native.h, f16_to_f32: the exponent rebiased; a subnormal gets a hidden bit that is subtracted again.
  llvm::Value* word = b.CreateZExt(pattern, b.getInt32Ty());
  llvm::Value* sign = b.CreateShl(b.CreateAnd(word, 0x8000), 16);
  llvm::Value* aligned = b.CreateShl(b.CreateAnd(word, 0x7fff), 13);
  llvm::Value* special = b.CreateICmpUGE(aligned, b.getInt32(0x7c00u << 13));
  llvm::Value* rebias = b.CreateSelect(special, b.getInt32((255u - 31u) << 23), b.getInt32((127u - 15u) << 23));
  llvm::Value* min_normal = b.getInt32((127u - 14u) << 23);
  llvm::Value* hidden = b.CreateBitCast(b.CreateAdd(aligned, min_normal), b.getFloatTy());
  llvm::Value* subnormal = b.CreateFSub(hidden, b.CreateBitCast(min_normal, b.getFloatTy()));
  llvm::Value* magnitude = b.CreateSelect(b.CreateICmpULT(aligned, b.getInt32(0x0400u << 13)),
                                    b.CreateBitCast(subnormal, b.getInt32Ty()), b.CreateAdd(aligned, rebias));
  return b.CreateBitCast(b.CreateOr(magnitude, sign), b.getFloatTy());
}

/// numerics/native.h, small_to_f32.
llvm::Value* Patterns::widen_small(Builder& b, Format format, llvm::Value* pattern) const {
  const auto sign_bit = numerics::sign_bit(format);
  const auto to_fraction = static_cast<std::uint64_t>(23 - numerics::mantissa_bits(format));
  llvm::Value* word = b.CreateZExt(pattern, b.getInt32Ty());
  llvm::Value* sign =
      b.CreateShl(b.CreateAnd(word, sign_bit), static_cast<std::uint64_t>(32 - numerics::traits(format).width));
  llvm::Value* aligned = b.CreateShl(b.CreateAnd(word, sign_bit - 1), to_fraction);
  llvm::Value* first_normal = b.getInt32(power(numerics::traits(format).emin));
  llvm::Value* hidden = b.CreateBitCast(b.CreateAdd(aligned, first_normal), b.getFloatTy());
  llvm::Value* subnormal = b.CreateFSub(hidden, b.CreateBitCast(first_normal, b.getFloatTy()));
  llvm::Value* rebias = b.getInt32(static_cast<std::uint32_t>(127 - numerics::bias(format)) << 23);
  llvm::Value* normal = b.CreateAdd(aligned, rebias);
  if (numerics::has_nan(format)) {
    llvm::Value* nan = b.getInt32(static_cast<std::uint32_t>(numerics::finite_end(format) << to_fraction));
    normal = b.CreateSelect(b.CreateICmpEQ(aligned, nan), b.getInt32(0x7fc00000), normal);
  }
  llvm::Value* magnitude = b.CreateSelect(b.CreateICmpULT(aligned, b.getInt32(1u << 23)),
                                          b.CreateBitCast(subnormal, b.getInt32Ty()), normal);
  return b.CreateBitCast(b.CreateOr(magnitude, sign), b.getFloatTy());
}

llvm::Value* Patterns::pattern(Builder& b, Format format, llvm::Value* value) const {
  if (format == Format::f64 || format == Format::f32) return b.CreateBitCast(value, word_type(format));
  if (format == Format::bf16) {
    return b.CreateTrunc(b.CreateLShr(b.CreateBitCast(value, b.getInt32Ty()), 16), b.getInt16Ty());
  }
  if (format == Format::tf32) return b.CreateBitCast(value, b.getInt32Ty());
  if (format == Format::f8e5m2) return b.CreateTrunc(b.CreateLShr(pattern(b, Format::f16, value), 8), b.getInt8Ty());
  if (is_small(format)) return small_pattern(b, format, value);
  if (abilities_.half_conversions) {
    return b.CreateBitCast(b.CreateFPTrunc(value, b.getHalfTy()), b.getInt16Ty());
  }
  NumberBuilder numbers{b};
  return b.CreateTrunc(numerics::round_f64_bits_to(numbers, b.CreateFPExt(value, b.getDoubleTy()), format),
                       b.getInt16Ty());
}

llvm::Value* Patterns::small_pattern(Builder& b, Format format, llvm::Value* value) const {
  const numerics::FormatTraits traits = numerics::traits(format);
  const int mantissa = numerics::mantissa_bits(format);
  llvm::Value* word = b.CreateBitCast(value, b.getInt32Ty());
  llvm::Value* magnitude = b.CreateAnd(word, 0x7fffffff);
  llvm::Value* rebias = b.getInt32(static_cast<std::uint32_t>(127 - numerics::bias(format)) << mantissa);
  llvm::Value* normal = b.CreateSub(b.CreateLShr(magnitude, static_cast<std::uint64_t>(23 - mantissa)), rebias);
  llvm::Value* shifter = b.getInt32(power(traits.emin - mantissa + 23));  // 2^23 times the least spacing
  llvm::Value* shifted = b.CreateFAdd(b.CreateBitCast(magnitude, b.getFloatTy()), b.CreateBitCast(shifter, b.getFloatTy()));
  llvm::Value* subnormal = b.CreateSub(b.CreateBitCast(shifted, b.getInt32Ty()), shifter);
  llvm::Value* kept = b.CreateSelect(b.CreateICmpULT(magnitude, b.getInt32(power(traits.emin))), subnormal, normal);
  if (numerics::has_nan(format)) {
    llvm::Value* nan = b.getInt32(static_cast<std::uint32_t>(numerics::canonical_nan(format)));
    kept = b.CreateSelect(b.CreateFCmpUNO(value, value), nan, kept);
  }
  llvm::Value* sign =
      b.CreateAnd(b.CreateLShr(word, static_cast<std::uint64_t>(32 - traits.width)), numerics::sign_bit(format));
  return b.CreateTrunc(b.CreateOr(kept, sign), word_type(format));
}

llvm::Value* Patterns::round_f32(Builder& b, Format format, llvm::Value* value) const {
  if (format == Format::f32) return value;
  if (numerics::saturates(format)) return saturated(b, format, value);
  constexpr int first_chip_with_bf16 = 80;
  // A GPU's instruction keeps subnormals, and gives its own NaN, as its additions do: one pattern of those is made where
  // bits are visible.
  if (format == Format::bf16 && abilities_.chip >= first_chip_with_bf16) {
    // The instruction for two numbers gives the f32 in its upper half. After the one for a single number a shift follows,
    // and ptxas makes an F2F of it in some kernels, not an F2FP.
    llvm::Value* zero = llvm::ConstantFP::get(b.getFloatTy(), 0);
    return b.CreateBitCast(b.CreateIntrinsic(llvm::Intrinsic::nvvm_ff2bf16x2_rn, {}, {value, zero}), b.getFloatTy());
  }
  if (format == Format::bf16 || format == Format::tf32) {
    // Not as an fptrunc: x86's bf16 instruction flushes subnormals. A NaN becomes the canonical one.
    const int dropped = 24 - numerics::traits(format).precision;
    llvm::Value* word = b.CreateBitCast(value, b.getInt32Ty());
    llvm::Value* odd = b.CreateAnd(b.CreateLShr(word, static_cast<std::uint64_t>(dropped)), 1);
    llvm::Value* raised = b.CreateAdd(b.CreateAdd(word, b.getInt32((1u << (dropped - 1)) - 1)), odd);
    llvm::Value* rounded = b.CreateAnd(raised, ~((1u << dropped) - 1));
    llvm::Value* kept = b.CreateSelect(b.CreateFCmpUNO(value, value), b.getInt32(0x7fc00000), rounded);
    return b.CreateBitCast(kept, b.getFloatTy());
  }
  return widen(b, format, pattern(b, format, value));
}

/// As numerics::round_f64_bits_to, but in f32 and without the change of patterns: the values of the saturating formats are
/// all normal numbers of f32.
llvm::Value* Patterns::saturated(Builder& b, Format format, llvm::Value* value) const {
  const numerics::FormatTraits traits = numerics::traits(format);
  const int dropped = 24 - traits.precision;
  llvm::Value* word = b.CreateBitCast(value, b.getInt32Ty());
  llvm::Value* magnitude = b.CreateAnd(word, 0x7fffffff);
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(magnitude, static_cast<std::uint64_t>(dropped)), 1);
  llvm::Value* raised = b.CreateAdd(b.CreateAdd(magnitude, b.getInt32((1u << (dropped - 1)) - 1)), odd);
  llvm::Value* normal = b.CreateAnd(raised, ~((1u << dropped) - 1));
  // Adding 2^23 least spacings makes the f32 addition round to that spacing.
  llvm::Value* shifter = b.CreateBitCast(b.getInt32(power(traits.emin - traits.precision + 1 + 23)), b.getFloatTy());
  llvm::Value* shifted = b.CreateFSub(b.CreateFAdd(b.CreateBitCast(magnitude, b.getFloatTy()), shifter), shifter);
  llvm::Value* subnormal = b.CreateBitCast(shifted, b.getInt32Ty());
  llvm::Value* rounded = b.CreateSelect(b.CreateICmpULT(magnitude, b.getInt32(power(traits.emin))), subnormal, normal);
  const auto wide = [&](std::uint64_t bits) {
    return b.getInt32(std::bit_cast<std::uint32_t>(static_cast<float>(numerics::widen(bits, format))));
  };
  llvm::Value* limit = wide(numerics::largest_finite(format));
  llvm::Value* limited = b.CreateSelect(b.CreateICmpULT(rounded, limit), rounded, limit);
  llvm::Value* finite = b.CreateOr(limited, b.CreateAnd(word, 0x80000000u));
  llvm::Value* of_nan = wide(numerics::canonical_nan(format));
  llvm::Value* kept = b.CreateSelect(b.CreateFCmpUNO(value, value), of_nan, finite);
  return b.CreateBitCast(kept, b.getFloatTy());
}

llvm::Value* Patterns::round_f64(Builder& b, Format format, llvm::Value* value) const {
  if (format == Format::f64) return value;
  if (format == Format::f32) return b.CreateFPTrunc(value, b.getFloatTy());
  NumberBuilder numbers{b};
  llvm::Value* word = numerics::round_f64_bits_to(numbers, value, format);
  return widen(b, format, b.CreateTrunc(word, word_type(format)));
}

llvm::Value* Patterns::from_integer(Builder& b, Format format, llvm::Value* index, bool is_signed) const {
  const auto number = [&](llvm::Value* of, llvm::Type* type) {
    return is_signed ? b.CreateSIToFP(of, type) : b.CreateUIToFP(of, type);
  };
  if (format == Format::f64 || format == Format::f32) return number(index, float_type(format));
  // Eleven bits are folded into one sticky bit (rounding to odd), which makes the f64 exact; the rounding into the
  // format is then the only one. Small indices, which the fold would disturb, are exact as they are.
  llvm::Value* sticky =
      b.CreateShl(b.CreateZExt(b.CreateICmpNE(b.CreateAnd(index, 0x7ff), b.getInt64(0)), b.getInt64Ty()), 11);
  llvm::Value* folded = b.CreateOr(b.CreateAnd(index, ~std::uint64_t{0x7ff}), sticky);
  llvm::Value* bound = b.getInt64(std::uint64_t{1} << 52);
  llvm::Value* small = is_signed ? b.CreateICmpULT(b.CreateAdd(index, bound), b.getInt64(std::uint64_t{1} << 53))
                                 : b.CreateICmpULT(index, bound);
  return round_f64(b, format, number(b.CreateSelect(small, index, folded), b.getDoubleTy()));
}

}  // namespace reckon::codegen
