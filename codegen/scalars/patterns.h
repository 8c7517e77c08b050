// Formats in LLVM IR: between bit patterns and the floats that stand for them in registers. f64 and f32 are doubles
// and floats; values of the narrower formats are kept as f32, in which they are exact, and rounded after each operation.
#pragma once

#include "codegen/scalars/scalar_code.h"
#include "numerics/format.h"

namespace reckon::codegen {

using numerics::Format;

class Patterns {
 public:
  Patterns(llvm::LLVMContext& context, const Abilities& abilities) : context_(context), abilities_(abilities) {}

  llvm::Type* float_type(Format format) const;  ///< double or float
  llvm::Type* word_type(Format format) const;

  /// Exact; a NaN stays a NaN, and bits that the format does not have are ignored.
  llvm::Value* widen(Builder& b, Format format, llvm::Value* pattern) const;
  /// The pattern of a value that `format` holds exactly.
  llvm::Value* pattern(Builder& b, Format format, llvm::Value* value) const;
  /// One rounding of an f32 into a format no wider, kept as f32.
  llvm::Value* round_f32(Builder& b, Format format, llvm::Value* value) const;
  /// One rounding of an f64 into any format, kept as `float_type`.
  llvm::Value* round_f64(Builder& b, Format format, llvm::Value* value) const;
  /// A signed 64-bit integer, rounded once.
  llvm::Value* from_index(Builder& b, Format format, llvm::Value* index) const {
    return from_integer(b, format, index, true);
  }
  /// An unsigned 64-bit integer, rounded once.
  llvm::Value* from_natural(Builder& b, Format format, llvm::Value* natural) const {
    return from_integer(b, format, natural, false);
  }

 private:
  llvm::Value* from_integer(Builder& b, Format format, llvm::Value* integer, bool is_signed) const;
  // Of formats of at most 8 bits without infinities.
  llvm::Value* widen_small(Builder& b, Format format, llvm::Value* pattern) const;
  llvm::Value* small_pattern(Builder& b, Format format, llvm::Value* value) const;
  llvm::Value* saturated(Builder& b, Format format, llvm::Value* value) const;
  llvm::LLVMContext& context_;
  Abilities abilities_;
};

}  // namespace reckon::codegen
