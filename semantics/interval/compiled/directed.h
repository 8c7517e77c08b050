// Arithmetic rounded down or up, in LLVM IR: PTX has instructions for it (.rm, .rp); on the host it is
// numerics/outward.h, which rounds to nearest and vectorises. It states which operands and results are allowed.
#pragma once

#include <limits>

#include "codegen/scalars/builders.h"
#include "numerics/wide_float.h"

namespace reckon::codegen {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

using Side = numerics::Toward;

/// Of an exponential, or of a logarithm.
enum class Base : std::uint8_t { e, two, ten };

/// The format of the endpoints.
enum class Endpoints : std::uint8_t { f64, f32 };

class Directed {
 public:
  /// For f32 operands the results are f32s. For f64 operands they are f64s; with f32 endpoints these are
  /// values of f32, since they are rounded to f32 in the same direction. That rounds only once: every f32 is an f64.
  Directed(Builder& b, Target target, Endpoints endpoints) : b_(b), target_(target), endpoints_(endpoints) {}

  llvm::Value* add(Side side, llvm::Value* x, llvm::Value* y) const;
  /// 0 * inf is 0 on the host, and a NaN in PTX. fma gives z on the host and a NaN in PTX if x * y is 0 * inf, or if
  /// x * y and z are infinities of different signs.
  llvm::Value* mul(Side side, llvm::Value* x, llvm::Value* y) const;
  llvm::Value* div(Side side, llvm::Value* x, llvm::Value* y) const;
  llvm::Value* sqrt(Side side, llvm::Value* x) const;
  llvm::Value* fma(Side side, llvm::Value* x, llvm::Value* y, llvm::Value* z) const;
  llvm::Value* integer(Side side, llvm::Value* x) const;  ///< rounds an i64 to an f64
  llvm::Value* number(Side side, llvm::Value* x) const;  ///< rounds an f64 to an endpoint, which is an f64 here
  llvm::Value* narrow(Side side, llvm::Value* x) const;  ///< rounds an f64 to an f32

 protected:
  Builder& b_;
  Target target_;
  Endpoints endpoints_;

 private:
  enum class Operation : std::uint8_t { add, mul, div, sqrt, fma };
  /// The operands have one type, f32 or f64.
  llvm::Value* apply(Operation operation, Side side, llvm::ArrayRef<llvm::Value*> operands) const;
  llvm::Value* on_host(Operation operation, Side side, llvm::ArrayRef<llvm::Value*> operands) const;
  llvm::Value* integer_f64(Side side, llvm::Value* x) const;
  llvm::Value* host_fma(Side side, llvm::Value* x, llvm::Value* y, llvm::Value* z) const;
};

}  // namespace reckon::codegen
