// What placement and lowering ask of a compiled semantics. No type of LLVM appears here: the emitter decides what an
// operation becomes (codegen/emit/).
#pragma once

#include <string>

#include "diagnostics/diagnostic.h"
#include "ir/module.h"
#include "kernel/type.h"

namespace llvm {
class DataLayout;
}

namespace reckon::codegen {

class ScalarCode;
struct Undefined;

class Numbers {
 public:
  Numbers(const ScalarCode& code, const llvm::DataLayout& memory);

  /// Bytes of each scalar as parameters, in buffers, and in registers.
  const kernel::Widths& widths() const { return widths_; }
  /// Whether a register holds one machine word of 4 or 8 bytes, several of which one access to memory can load.
  bool is_word(ir::Scalar scalar) const { return words_[static_cast<std::size_t>(scalar)]; }
  /// Addition is exact, so that accumulators are plain sums (ir::Law::sums_exactly).
  bool sums_exactly() const;
  /// A maximum or minimum has the same bits in every order (ir::Law::min_max_any_order).
  bool picks_in_any_order() const;
  /// `add` is the addition of integers modulo a power of 2: sums may be taken in any order.
  bool adds_words(ir::Scalar scalar) const;
  /// Whether tensor cores of f64 join products to sums as `fma` does (kernel/mma_f64.h).
  bool fuses_on_tensor_cores() const;
  /// Whether the operation on numbers of this type is a few instructions for a vector of them.
  bool applies_to_vectors(ir::Op op, ir::Scalar scalar) const;
  /// There is a value that changes no bit as the left operand of `add`.
  bool has_neutral_summand(ir::Scalar scalar) const;
  /// Whether many divisions by one number are faster if the divisor is prepared once.
  bool divides_quickly(ir::Scalar scalar) const;
  /// Whether a function of an f32, rounded once more to `to`, is faster as one operation (`apply_rounded`).
  bool applies_rounded_quickly(ir::Op op, ir::Scalar to) const;
  /// Some operations have no value for some operands (E0502).
  bool has_undefined() const;
  /// Why the operation may have no value; null if it always has one.
  const Undefined* may_be_undefined(ir::Op op) const;
  bool has_literal(const ir::Literal& literal, ir::Scalar scalar) const;
  Diagnostic no_literal(const ir::Literal& literal, ir::Scalar scalar, SourceSpan place) const;
  /// The advice which operations to use instead of a missing one; may be empty.
  std::string help() const;

 private:
  const ScalarCode& code_;
  kernel::Widths widths_;
  bool words_[kernel::Widths::scalars] = {};
};

}  // namespace reckon::codegen
