// Arithmetic rounded down or up, in LLVM IR: PTX has instructions for it (.rm, .rp); on the host it is
// numerics/outward.h, which rounds to nearest and vectorises. Operands and results are as there.
#pragma once

#include "codegen/scalars/builders.h"
#include "numerics/wide_float.h"

namespace reckon::codegen {

using Side = numerics::Toward;

/// The format of the endpoints.
enum class Endpoints : std::uint8_t { f64, f32 };

class Directed {
 public:
  /// Of f32 operands results are f32s. Of f64 operands they are f64s, and with f32 ends such
  /// as are f32s: rounded on to f32 in the same direction, which is rounding once, because every f32 is an f64.
  Directed(Builder& b, Target target, Endpoints endpoints) : b_(b), target_(target), endpoints_(endpoints) {}

  llvm::Value* add(Side side, llvm::Value* x, llvm::Value* y) const;
  /// 0 * inf is 0 on the host, and in PTX a NaN. So is fma where x * y is that, or an infinity that z has with the
  /// other sign: z on the host.
  llvm::Value* mul(Side side, llvm::Value* x, llvm::Value* y) const;
  llvm::Value* div(Side side, llvm::Value* x, llvm::Value* y) const;
  llvm::Value* sqrt(Side side, llvm::Value* x) const;
  llvm::Value* fma(Side side, llvm::Value* x, llvm::Value* y, llvm::Value* z) const;
  llvm::Value* integer(Side side, llvm::Value* x) const;  ///< of an i64, as an f64
  llvm::Value* number(Side side, llvm::Value* x) const;  ///< an f64 as an end, which is an f64 here
  llvm::Value* narrow(Side side, llvm::Value* x) const;  ///< an f64 as an f32

 protected:
  Builder& b_;
  Target target_;
  Endpoints endpoints_;

 private:
  enum class Operation : std::uint8_t { add, mul, div, sqrt, fma };
  /// Of operands of one type, f32 or f64.
  llvm::Value* apply(Operation operation, Side side, llvm::ArrayRef<llvm::Value*> operands) const;
  llvm::Value* on_host(Operation operation, Side side, llvm::ArrayRef<llvm::Value*> operands) const;
  llvm::Value* integer_f64(Side side, llvm::Value* x) const;
  llvm::Value* host_fma(Side side, llvm::Value* x, llvm::Value* y, llvm::Value* z) const;
};

}  // namespace reckon::codegen
