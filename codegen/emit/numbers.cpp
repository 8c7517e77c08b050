// Operations on numbers: the compiled semantics decides what they become (codegen/scalars/scalar_code.h).
#include "codegen/emit/emitter.h"
#include "codegen/scalars/approximation.h"
#include "diagnostics/codes/not_compilable.h"
#include "ir/op.h"

namespace reckon::codegen {

using kernel::Op;

bool Emitter::emit_number(const kernel::Operation& operation) {
  const auto operand = [&](std::size_t k) { return value(operation.operands[k]); };
  switch (operation.op) {
    case Op::apply: apply(operation); return true;
    case Op::apply_rounded: apply_rounded(operation); return true;
    case Op::from_index:
      define(operation, code_.from_index(b_, program_.types[operation.first_result].scalar, operand(0)));
      return true;
    case Op::from_flag: define(operation, code_.from_condition(b_, operand(0))); return true;
    case Op::to_flag: define(operation, operand(0)); return true;
    case Op::bits: define(operation, b_.CreateBitCast(operand(0), b_.getInt64Ty())); return true;
    case Op::from_bits: define(operation, b_.CreateBitCast(operand(0), b_.getDoubleTy())); return true;
    case Op::prepare_divisor: {
      const ir::Scalar scalar = program_.type(operation.operands[0]).scalar;
      divisors_[operation.first_result] = code_.prepare_divisor(b_, scalar, operand(0));
      return true;
    }
    case Op::divide_quick: divide_quick(operation); return true;
    case Op::divide_unusual: define(operation, code_.divide_unusual(b_, operand(0), operand(1))); return true;
    case Op::may_be_wrong:
      define(operation, code_.may_be_wrong(b_, divisors_.at(operation.operands[0].id),
                                                       sizes_.at(operation.operands[1].id)));
      return true;
    case Op::fault: record_fault(operation); return true;
    case Op::bounded_index:
    case Op::clamped_index: bounded_index(operation); return true;
    default: return false;
  }
}

void Emitter::apply(const kernel::Operation& operation) {
  const ir::Scalar to = program_.types[operation.first_result].scalar;
  Places operands = operands_of(operation);
  spread(operands);
  llvm::Value* made = code_.apply(b_, operation.number_op, operation.from, to, operands);
  if (made == nullptr) refuse(operation);
  define(operation, made);
}

void Emitter::apply_rounded(const kernel::Operation& operation) {
  const ir::Scalar to = program_.types[operation.first_result].scalar;
  const auto made = code_.apply_rounded(b_, operation.number_op, to, operands_of(operation));
  if (made.empty()) refuse(operation);
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    values_[operation.result(k).id] = made.empty() ? nullptr : made[k];
  }
}

void Emitter::divide_quick(const kernel::Operation& operation) {
  const auto before = sizes_.find(operation.operands[3].id);
  ScalarCode::Sizes sizes = before == sizes_.end() ? ScalarCode::Sizes{} : before->second;
  const auto& prepared = divisors_.at(operation.operands[2].id);
  define(operation, code_.divide(b_, value(operation.operands[0]), value(operation.operands[1]), prepared, sizes));
  sizes_[operation.result(1).id] = sizes;
}

void Emitter::record_fault(const kernel::Operation& operation) {
  llvm::Value* where = nullptr;
  if (ir::divides_integers(operation.number_op)) {
    llvm::Value* divisor = value(operation.operands[1]);
    where = b_.CreateICmpEQ(divisor, llvm::ConstantInt::get(divisor->getType(), 0));
    record_fault(static_cast<std::uint64_t>(operation.number), where);
    return;
  }
  if (!code_.undefined(b_, operation.number_op, operands_of(operation), where)) return;
  record_fault(static_cast<std::uint64_t>(operation.number), where);
}

void Emitter::bounded_index(const kernel::Operation& operation) {
  // A negative index is beyond every limit without its sign.
  const ir::Scalar type = program_.type(operation.operands[0]).scalar;
  llvm::Value* index =
      b_.CreateIntCast(value(operation.operands[0]), b_.getInt64Ty(), ir::integer_traits(type).is_signed);
  llvm::Value* limit = value(operation.operands[1]);
  llvm::Value* is_beyond = b_.CreateICmpUGE(index, limit);
  if (operation.op == Op::clamped_index) {
    define(operation, b_.CreateSelect(is_beyond, limit, index));
    return;
  }
  record_fault(static_cast<std::uint64_t>(operation.number), is_beyond);
  define(operation, b_.CreateSelect(is_beyond, b_.getInt64(0), index));
}

/// Records the faults that occur in stack slots. LLVM turns the slots into registers, so that loops with faults
/// vectorise like others.
void Emitter::record_fault(std::uint64_t number, llvm::Value* where) {
  llvm::Value*& slot = faults_[number / 64];
  if (!slot) {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    Builder at_entry(&entry, entry.begin());
    slot = at_entry.CreateAlloca(at_entry.getInt64Ty());
    at_entry.CreateStore(at_entry.getInt64(0), slot);
  }
  llvm::Value* bit = b_.CreateSelect(where, b_.getInt64(std::uint64_t{1} << (number % 64)), b_.getInt64(0));
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(b_.getInt64Ty(), slot), bit), slot);
}

/// Why an approximation is not available: the host, `fpsan`, a format without the instruction, or an older chip.
Diagnostic Emitter::no_approximation(const kernel::Operation& operation) const {
  const ir::Op op = operation.number_op;
  const std::string name = "`" + std::string(ir::traits(op).spelling) + "`";
  const auto found = approximation(op, ir::format_of(operation.from));
  std::string why = "only a GPU has " + name + ", under `float`";
  if (code_.chip() > 0 && !found) {
    why = "GPUs have no " + name + " of " + std::string(ir::scalar_name(operation.from)) + ", only of f32";
    if (approximation(op, numerics::Format::f16)) why += " and f16";
  } else if (code_.chip() > 0) {
    why = name + " of " + std::string(ir::scalar_name(operation.from)) + " needs `sm_" +
          std::to_string(found->first_chip) + "` or later";
  }
  return Diagnostic(code::not_compilable, circuit_.span(operation.site), why, "cannot be compiled")
      .help("write `" + ir::exact_spelling(op) + "`, which has the same bits everywhere");
}

void Emitter::refuse(const kernel::Operation& operation) {
  if (error_) return;
  if (ir::is_approximate(operation.number_op) && ir::is_float(operation.from)) {
    error_ = no_approximation(operation);
    return;
  }
  const std::string what = operation.number == 1 ? "this reduction"
                                                 : "`" + std::string(ir::traits(operation.number_op).spelling) +
                                                       "` of " + std::string(ir::scalar_name(operation.from));
  const std::string target = target_ == Target::host ? "host" : "ptx";
  Diagnostic diagnostic(code::not_compilable, circuit_.span(operation.site),
                        what + " is not available on `" + target + "` yet; the interpreter has it",
                        "cannot be compiled");
  if (!code_.help().empty()) diagnostic.helps.push_back(code_.help());
  error_ = std::move(diagnostic);
}

}  // namespace reckon::codegen
