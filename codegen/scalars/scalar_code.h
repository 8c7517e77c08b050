// What a compiled semantics is to the lowering: how one scalar is kept in memory and in registers, and the LLVM IR of
// each scalar operation. Each semantics derives a class from this one (semantics/NAME/compiled/code.cpp).
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "codegen/compiled_semantics.h"
#include "codegen/lower/undefined.h"
#include "ir/function_of.h"

namespace reckon::codegen {

using Builder = llvm::IRBuilder<>;

/// What the target's instructions can do exactly as we need them.
struct Abilities {
  bool half_conversions = true;  ///< f32 <-> f16 as instructions (x86: F16C; PTX: always)
  bool minimum = true;           ///< llvm.minimum and llvm.maximum are reliable
  unsigned f64_lanes = 1;        ///< in a vector register
  unsigned vector_bytes = 16;    ///< host: of the largest vector registers, which long computations use,
  unsigned vectors = 16;         ///< and how many there are
  int chip = 0;                  ///< PTX: the number of the chip, 90 for sm_90; 0 on the host
};

/// Whether the operation has no value for some reals.
constexpr bool is_partial(ir::Op op) {
  if (const auto function = ir::function_of(op)) return !numerics::is_everywhere(*function);
  return op == ir::Op::div || op == ir::Op::rem || op == ir::Op::atan2 || op == ir::Op::pow || op == ir::Op::rootn;
}

class ScalarCode {
 public:
  ScalarCode(llvm::LLVMContext& context, const interp::Semantics& values) : context_(context), values_(values) {}
  virtual ~ScalarCode() = default;

  /// Elements in buffers that kernels write; a bool is one byte.
  virtual llvm::Type* memory_type(ir::Scalar scalar) const = 0;
  virtual llvm::Type* register_type(ir::Scalar scalar) const = 0;
  virtual llvm::Value* from_memory(Builder& b, ir::Scalar scalar, llvm::Value* stored) const = 0;
  virtual llvm::Value* to_memory(Builder& b, ir::Scalar scalar, llvm::Value* value) const = 0;
  /// Elements of parameters and generated tensors: bit patterns of the format.
  virtual llvm::Type* input_type(ir::Scalar scalar) const { return memory_type(scalar); }
  virtual llvm::Value* from_input(Builder& b, ir::Scalar scalar, llvm::Value* stored) const {
    return from_memory(b, scalar, stored);
  }

  /// The register constant of a pattern; null where registers hold no patterns.
  virtual llvm::Constant* constant(ir::Scalar, std::uint64_t /*bits*/) const { return nullptr; }
  /// The register constant of a literal, whose value the evaluator computes; null for type `number`, and for a literal
  /// that has no value.
  llvm::Constant* literal(const ir::Literal& literal, ir::Scalar scalar) const;
  /// Why a literal of a float type has no value, in the evaluator's words.
  Diagnostic no_literal(const ir::Literal& literal, ir::Scalar scalar, SourceSpan place) const;
  /// A bool from an i1.
  virtual llvm::Value* from_condition(Builder&, llvm::Value* condition) const { return condition; }
  virtual llvm::Value* from_index(Builder& b, ir::Scalar scalar, llvm::Value* index) const = 0;
  /// Addition is exact, so that accumulators are plain sums (ir::Law::sums_exactly).
  virtual bool sums_exactly() const { return false; }
  /// A maximum or minimum has the same bits in every order (ir::Law::min_max_any_order).
  virtual bool picks_in_any_order() const { return false; }
  /// `add` is the addition of integers modulo a power of 2: sums may be taken in any order.
  virtual bool adds_words(ir::Scalar) const { return false; }
  /// The value that changes no bit as the left operand of `add`; null if none is known.
  virtual llvm::Constant* neutral_summand(ir::Scalar) const { return nullptr; }
  /// Whether tensor cores of f64 join products to sums as `fma` does.
  virtual bool fuses_on_tensor_cores() const { return false; }
  /// Whether `apply` of this operation, on numbers of one type, also takes vectors of them, and is a few instructions.
  virtual bool applies_to_vectors(ir::Op, ir::Scalar) const { return false; }
  /// The chip whose approximate instructions are available (Abilities::chip); 0: none are.
  virtual int chip() const { return 0; }
  /// Null if the operation is not available. `from` is the operands' number type, `to` the result's.
  virtual llvm::Value* apply(Builder& b, ir::Op op, ir::Scalar from, ir::Scalar to,
                             llvm::ArrayRef<llvm::Value*> operands) const = 0;

  /// `op` (exp or exp2) of each f32, rounded to f32 and then to `to`; nothing if it is not available. Blocks may be
  /// made: the builder inserts in another one then.
  virtual llvm::SmallVector<llvm::Value*, 4> apply_rounded(Builder& b, ir::Op op, ir::Scalar to,
                                                           llvm::ArrayRef<llvm::Value*> x) const;
  /// Whether that is faster than the two operations one after the other.
  virtual bool applies_rounded_quickly(ir::Op, ir::Scalar /*to*/) const { return false; }

  /// Whether there is a quick way for many divisions by one divisor.
  virtual bool divides_quickly(ir::Scalar) const { return false; }
  /// Fast division of many dividends by one divisor, with the bits of `apply`. `prepare_divisor` is emitted once, and
  /// `divide` takes its result for each dividend; if `may_be_wrong` says so, `divide_unusual` divides them again.
  virtual llvm::SmallVector<llvm::Value*, 2> prepare_divisor(Builder&, ir::Scalar, llvm::Value* /*divisor*/) const {
    return {};
  }
  /// The least and the greatest size among the dividends of one divisor so far; null: there was none yet.
  struct Sizes {
    llvm::Value* least = nullptr;
    llvm::Value* most = nullptr;
  };
  virtual llvm::Value* divide(Builder&, llvm::Value* /*x*/, llvm::Value* /*divisor*/,
                              llvm::ArrayRef<llvm::Value*> /*prepared*/, Sizes&) const {
    return nullptr;
  }
  /// A flag (i1): one of the quotients may be wrong.
  virtual llvm::Value* may_be_wrong(Builder&, llvm::ArrayRef<llvm::Value*> /*prepared*/,
                                                const Sizes&) const {
    return nullptr;
  }
  /// The quotient for any x.
  virtual llvm::Value* divide_unusual(Builder&, llvm::Value* /*x*/, llvm::Value* /*divisor*/) const { return nullptr; }

  /// Some operations have no value for some operands (E0502); `apply` gives an empty one then.
  virtual bool has_undefined() const { return false; }
  /// Why `op` may have no value; null if it always has one.
  virtual const Undefined* may_be_undefined(ir::Op) const { return nullptr; }
  /// Why `op` may have no value, and in `where` (i1) whether it has none for these operands; null if it always has one.
  virtual const Undefined* undefined(Builder&, ir::Op, llvm::ArrayRef<llvm::Value*>, llvm::Value*& /*where*/) const {
    return nullptr;
  }
  /// The advice which operations to use instead of a missing one; may be empty.
  virtual std::string help() const { return {}; }

 protected:
  /// The register constant for a value of the evaluator.
  virtual llvm::Constant* constant_of(ir::Scalar scalar, const std::byte* value) const = 0;

  llvm::LLVMContext& context_;
  const interp::Semantics& values_;
};

}  // namespace reckon::codegen
