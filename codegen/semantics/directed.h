// f64 arithmetic rounded down or up, in LLVM IR: PTX has instructions for it (.rm, .rp); on the host it is
// numerics/outward.h, which rounds to nearest and vectorises. Operands and results are as there.
#pragma once

#include "codegen/semantics/builders.h"

namespace reckon::codegen {

enum class Side : std::uint8_t { below, above };

class Directed {
 public:
  /// With f32 ends every result is rounded on to f32, in the same direction, which is rounding once: every f32 is an f64.
  Directed(Builder& b, Target target, Ends ends) : b_(b), target_(target), ends_(ends) {}

  llvm::Value* add(Side side, llvm::Value* x, llvm::Value* y);
  llvm::Value* mul(Side side, llvm::Value* x, llvm::Value* y);
  llvm::Value* div(Side side, llvm::Value* x, llvm::Value* y);
  llvm::Value* sqrt(Side side, llvm::Value* x);
  llvm::Value* fma(Side side, llvm::Value* x, llvm::Value* y, llvm::Value* z);
  llvm::Value* integer(Side side, llvm::Value* x);  ///< of an i64
  llvm::Value* exp(Side side, llvm::Value* x);
  llvm::Value* exp2(Side side, llvm::Value* x);
  llvm::Value* log(Side side, bool base_two, llvm::Value* x);
  llvm::Value* number(Side side, llvm::Value* x);  ///< an f64 as an end

 private:
  llvm::Value* add_f64(Side side, llvm::Value* x, llvm::Value* y);
  llvm::Value* mul_f64(Side side, llvm::Value* x, llvm::Value* y);
  llvm::Value* div_f64(Side side, llvm::Value* x, llvm::Value* y);
  llvm::Value* sqrt_f64(Side side, llvm::Value* x);
  llvm::Value* fma_f64(Side side, llvm::Value* x, llvm::Value* y, llvm::Value* z);
  llvm::Value* integer_f64(Side side, llvm::Value* x);
  llvm::Value* machine(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* host_fma(Side side, llvm::Value* x, llvm::Value* y, llvm::Value* z);

  Builder& b_;
  Target target_;
  Ends ends_;
};

}  // namespace reckon::codegen
