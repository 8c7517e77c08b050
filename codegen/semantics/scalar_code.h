// What a compiled semantics is to the lowering: how one scalar is kept in memory and in registers, and the LLVM IR of
// each scalar operation. One file for each semantics stands beside this one.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <memory>

#include "codegen/compile.h"

namespace reckon::codegen {

using Builder = llvm::IRBuilder<>;

/// What the target's instructions can do exactly as we need them.
struct Abilities {
  bool half_conversions = true;  ///< f32 <-> f16 as instructions (x86: F16C; PTX: always)
  bool minimum = true;           ///< llvm.minimum and llvm.maximum are reliable
  int chip = 0;                  ///< PTX: the number of the chip, 90 for sm_90; 0 on the host
};

class ScalarCode {
 public:
  explicit ScalarCode(llvm::LLVMContext& context) : context_(context) {}
  virtual ~ScalarCode() = default;

  /// Elements in buffers; a bool is one byte.
  virtual llvm::Type* memory_type(ir::Scalar scalar) const = 0;
  virtual llvm::Type* register_type(ir::Scalar scalar) const = 0;
  virtual llvm::Value* from_memory(Builder& b, ir::Scalar scalar, llvm::Value* stored) const = 0;
  virtual llvm::Value* to_memory(Builder& b, ir::Scalar scalar, llvm::Value* value) const = 0;

  /// The register constant of a rounded literal.
  virtual llvm::Constant* constant(ir::Scalar scalar, std::uint64_t bits) const = 0;
  virtual llvm::Value* from_index(Builder& b, ir::Scalar scalar, llvm::Value* index) const = 0;
  /// Addition is exact, so that accumulators are plain sums (ir::Law::sums_exactly).
  virtual bool sums_exactly() const { return false; }
  /// The chip whose approximate instructions are there (Abilities::chip); 0: none are.
  virtual int chip() const { return 0; }
  /// Null if the operation is not available. `from` is the operands' number type, `to` the result's.
  virtual llvm::Value* apply(Builder& b, ir::Op op, ir::Scalar from, ir::Scalar to,
                             llvm::ArrayRef<llvm::Value*> operands) const = 0;

 protected:
  llvm::LLVMContext& context_;
};

std::unique_ptr<ScalarCode> make_float_code(llvm::LLVMContext& context, const Abilities& abilities);
std::unique_ptr<ScalarCode> make_fpsan_code(llvm::LLVMContext& context, const Abilities& abilities);

}  // namespace reckon::codegen
