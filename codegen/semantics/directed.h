// f64 arithmetic rounded down or up, in LLVM IR: PTX has instructions for it (.rm, .rp); on the host it is
// numerics/outward.h, which rounds to nearest and vectorises. Operands and results are as there.
#pragma once

#include "codegen/semantics/builders.h"

namespace reckon::codegen {

enum class Side : std::uint8_t { below, above };

class Directed {
 public:
  Directed(Builder& b, Target target) : b_(b), target_(target) {}

  llvm::Value* add(Side side, llvm::Value* x, llvm::Value* y);
  llvm::Value* mul(Side side, llvm::Value* x, llvm::Value* y);
  llvm::Value* div(Side side, llvm::Value* x, llvm::Value* y);
  llvm::Value* sqrt(Side side, llvm::Value* x);
  llvm::Value* fma(Side side, llvm::Value* x, llvm::Value* y, llvm::Value* z);
  llvm::Value* integer(Side side, llvm::Value* x);  ///< of an i64

 private:
  llvm::Value* machine(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* host_fma(Side side, llvm::Value* x, llvm::Value* y, llvm::Value* z);

  Builder& b_;
  Target target_;
};

}  // namespace reckon::codegen
