// Faults: operations without a value for some operands (E0502). Each such operation has a number; the least that was met
// is kept in a stack slot, which becomes a register, so that loops with faults vectorise like others, and goes to the
// buffer of faults when the function ends. After a fault the kernel goes on with anything.
#include "codegen/lower/lowering.h"

namespace reckon::codegen {

using llvm::Value;

namespace {

constexpr std::uint64_t none = ~std::uint64_t{0};

}  // namespace

void Lowering::note_fault(ir::NodeId id, ir::Op op, llvm::ArrayRef<Value*> operands) {
  Value* where = nullptr;
  const Undefined* why = code_.undefined(b_, op, operands, where);
  if (!why) return;
  const auto [found, is_new] = fault_numbers_.try_emplace(id, faults_.size());
  if (is_new) {
    Diagnostic fault(why->code, module_.span(id), why->message);
    if (*why->help != '\0') fault.helps.emplace_back(why->help);
    faults_.push_back(std::move(fault));
  }
  if (!function_.fault) {
    llvm::BasicBlock& entry = function_.function->getEntryBlock();
    Builder at_entry(&entry, entry.begin());
    function_.fault = at_entry.CreateAlloca(at_entry.getInt64Ty());
    at_entry.CreateStore(at_entry.getInt64(none), function_.fault);
  }
  Value* number = b_.CreateSelect(where, b_.getInt64(found->second), b_.getInt64(none));
  Value* least = b_.CreateLoad(b_.getInt64Ty(), function_.fault);
  b_.CreateStore(b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, least, number), function_.fault);
}

void Lowering::report_fault() {
  if (!function_.fault) return;
  settle();
  Value* least = b_.CreateLoad(b_.getInt64Ty(), function_.fault);
  when(b_.CreateICmpNE(least, b_.getInt64(none)), [&] {
    // Other threads may report as well.
    b_.CreateAtomicRMW(llvm::AtomicRMWInst::UMin, function_.buffers.back(), least, llvm::MaybeAlign(8),
                       llvm::AtomicOrdering::Monotonic);
  });
  settle();
}

bool Lowering::drops_joins(const FoldSite& site) const { return !(code_.has_undefined() && site.reduction.user); }

}  // namespace reckon::codegen
