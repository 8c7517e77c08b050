// What the code generator, and those who run compiled code, must know of a semantics. driver::Traits::compiled points
// to an object of this class; each class is in its semantics' own folder (semantics/NAME/compiled/).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "codegen/audit.h"
#include "interp/semantics.h"
#include "ir/laws.h"

namespace llvm {
class LLVMContext;
}

namespace reckon::codegen {

class ScalarCode;
struct Abilities;
enum class Target : std::uint8_t { host, ptx };

/// How an element is stored in a buffer that holds the evaluator's values instead of bit patterns of a format: two
/// endpoints, or an element of a ring. A bool is a Truth, one byte.
struct Words {
  ir::Scalar scalar{};  ///< of each word
  std::uint32_t count = 2;
  friend bool operator==(const Words&, const Words&) = default;
};

/// What LLVM vectorises on the host: nothing (where no machine has vectors of the type that the code uses), loops, or
/// neighbouring statements, too.
enum class Vectors : std::uint8_t { none, of_loops, of_loops_and_statements };

class CompiledSemantics {
 public:
  /// Code has the bits of these values; it takes literals from them and, with `given_in_words`, elements of arguments.
  explicit CompiledSemantics(std::unique_ptr<interp::Semantics> values) : values_(std::move(values)) {}
  virtual ~CompiledSemantics() = default;
  CompiledSemantics(const CompiledSemantics&) = delete;
  CompiledSemantics& operator=(const CompiledSemantics&) = delete;

  const interp::Semantics& values() const { return *values_; }
  /// The semantics as a program writes it, with all arguments: no two semantics have the same name.
  std::string_view name() const { return values_->name(); }

  /// What each operation becomes in LLVM IR. `may_lack_value`: some operation of the circuit may have no value (its
  /// division, remainder, root or function).
  virtual std::unique_ptr<ScalarCode> scalar_code(llvm::LLVMContext& context, const Abilities& abilities, Target target,
                                                  bool may_lack_value) const = 0;

  // The circuit.
  struct Refusal {
    std::string message, help;
  };
  /// Why the semantics has no code for a type of numbers; nothing if it has.
  virtual std::optional<Refusal> refuses(ir::Scalar) const { return std::nullopt; }
  /// What semantics that have no code for integers return from `refuses`.
  std::optional<Refusal> refuses_words(ir::Scalar scalar) const;
  /// What LLVM may vectorise on the host.
  virtual Vectors vectors() const { return Vectors::of_loops; }

  // Buffers.
  /// How results and intermediate values are stored; nothing: as bit patterns of their formats.
  virtual std::optional<Words> words() const { return std::nullopt; }
  /// Arguments and generated tensors are in words, too: making a value of a pattern takes longer than reading it.
  virtual bool given_in_words() const { return false; }
  /// If an operation has no value, its element is empty and the kernel goes on; the buffer of faults tells why. The
  /// words of an empty element are NaNs.
  virtual bool leaves_empty() const { return false; }
  /// Whether all NaNs of a result are the same one. Code for the host stores f32 and f64 so; the others are made so
  /// after a run (runtime/buffers.h).
  virtual bool has_one_nan() const { return false; }
  /// Why the semantics cannot take these patterns of an argument or a generated tensor.
  virtual std::optional<interp::Fault> refused_input(const ir::HostTensor&) const { return std::nullopt; }
  /// Whether elements of arguments are examined, or made into words, before they are uploaded to a GPU.
  virtual bool looks_at_inputs() const { return given_in_words(); }

  // The code.
  /// Whether the code of the operation has instructions that round a product and a sum together.
  virtual bool has_fma(ir::Op op) const;
  /// What the audit of PTX must know of the semantics; the caller adds what depends on the circuit.
  virtual AuditOptions audit() const { return {}; }
  /// The address of a variable or function of this program that host code refers to by name; null if there is none.
  virtual const void* symbol(std::string_view) const { return nullptr; }
  /// The advice on how to get code that refers to no function of this program; may be empty.
  virtual std::string_view without_symbols() const { return {}; }

 private:
  std::unique_ptr<interp::Semantics> values_;
};

/// A fault of an evaluator as a message for this place.
Diagnostic at_place(const interp::Fault& fault, SourceSpan place);

}  // namespace reckon::codegen
