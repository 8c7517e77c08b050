#include "codegen/semantics/patterns.h"

#include "codegen/semantics/builders.h"
#include "numerics/round_bits.h"

namespace reckon::codegen {

using llvm::Value;

llvm::Type* Patterns::float_type(Format format) const {
  return format == Format::f64 ? llvm::Type::getDoubleTy(context_) : llvm::Type::getFloatTy(context_);
}

llvm::Type* Patterns::word_type(Format format) const {
  return llvm::Type::getIntNTy(context_, static_cast<unsigned>(numerics::traits(format).width));
}

Value* Patterns::widen(Builder& b, Format format, Value* pattern) const {
  if (format == Format::f64 || format == Format::f32) return b.CreateBitCast(pattern, float_type(format));
  if (format == Format::bf16) {
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(pattern, b.getInt32Ty()), 16), b.getFloatTy());
  }
  if (abilities_.half_conversions) {
    return b.CreateFPExt(b.CreateBitCast(pattern, b.getHalfTy()), b.getFloatTy());
  }
  // numerics/native.h, f16_to_f32: the exponent rebiased; a subnormal gets a hidden bit that is subtracted again.
  Value* word = b.CreateZExt(pattern, b.getInt32Ty());
  Value* sign = b.CreateShl(b.CreateAnd(word, 0x8000), 16);
  Value* aligned = b.CreateShl(b.CreateAnd(word, 0x7fff), 13);
  Value* special = b.CreateICmpUGE(aligned, b.getInt32(0x7c00u << 13));
  Value* rebias = b.CreateSelect(special, b.getInt32((255u - 31u) << 23), b.getInt32((127u - 15u) << 23));
  Value* least_normal = b.getInt32((127u - 14u) << 23);
  Value* hidden = b.CreateBitCast(b.CreateAdd(aligned, least_normal), b.getFloatTy());
  Value* subnormal = b.CreateFSub(hidden, b.CreateBitCast(least_normal, b.getFloatTy()));
  Value* magnitude = b.CreateSelect(b.CreateICmpULT(aligned, b.getInt32(0x0400u << 13)),
                                    b.CreateBitCast(subnormal, b.getInt32Ty()), b.CreateAdd(aligned, rebias));
  return b.CreateBitCast(b.CreateOr(magnitude, sign), b.getFloatTy());
}

Value* Patterns::pattern(Builder& b, Format format, Value* value) const {
  if (format == Format::f64 || format == Format::f32) return b.CreateBitCast(value, word_type(format));
  if (format == Format::bf16) {
    return b.CreateTrunc(b.CreateLShr(b.CreateBitCast(value, b.getInt32Ty()), 16), b.getInt16Ty());
  }
  if (abilities_.half_conversions) {
    return b.CreateBitCast(b.CreateFPTrunc(value, b.getHalfTy()), b.getInt16Ty());
  }
  NumberBuilder numbers{b};
  return b.CreateTrunc(numerics::round_f64_bits_to(numbers, b.CreateFPExt(value, b.getDoubleTy()), format),
                       b.getInt16Ty());
}

Value* Patterns::round_f32(Builder& b, Format format, Value* value) const {
  if (format == Format::f32) return value;
  if (format == Format::bf16) {
    // Not as an fptrunc: x86's bf16 instruction flushes subnormals. A NaN becomes the canonical one.
    Value* word = b.CreateBitCast(value, b.getInt32Ty());
    Value* odd = b.CreateAnd(b.CreateLShr(word, 16), 1);
    Value* rounded = b.CreateAnd(b.CreateAdd(b.CreateAdd(word, b.getInt32(0x7fff)), odd), 0xffff0000u);
    Value* kept = b.CreateSelect(b.CreateFCmpUNO(value, value), b.getInt32(0x7fc00000), rounded);
    return b.CreateBitCast(kept, b.getFloatTy());
  }
  return widen(b, format, pattern(b, format, value));
}

Value* Patterns::round_f64(Builder& b, Format format, Value* value) const {
  if (format == Format::f64) return value;
  if (format == Format::f32) return b.CreateFPTrunc(value, b.getFloatTy());
  NumberBuilder numbers{b};
  Value* word = numerics::round_f64_bits_to(numbers, value, format);
  return widen(b, format, b.CreateTrunc(word, b.getInt16Ty()));
}

Value* Patterns::from_index(Builder& b, Format format, Value* index) const {
  if (format == Format::f64 || format == Format::f32) return b.CreateSIToFP(index, float_type(format));
  // Eleven bits are folded into one sticky bit (rounding to odd), which makes the f64 exact; the rounding into the
  // format is then the only one. Small indices, which the fold would disturb, are exact as they are.
  Value* sticky =
      b.CreateShl(b.CreateZExt(b.CreateICmpNE(b.CreateAnd(index, 0x7ff), b.getInt64(0)), b.getInt64Ty()), 11);
  Value* folded = b.CreateOr(b.CreateAnd(index, ~std::uint64_t{0x7ff}), sticky);
  Value* bound = b.getInt64(std::uint64_t{1} << 52);
  Value* small = b.CreateICmpULT(b.CreateAdd(index, bound), b.getInt64(std::uint64_t{1} << 53));
  return round_f64(b, format, b.CreateSIToFP(b.CreateSelect(small, index, folded), b.getDoubleTy()));
}

}  // namespace reckon::codegen
