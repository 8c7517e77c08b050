// Faults: operations without a value for some operands (E0502). Each such operation has a bit. Those that were met are
// kept in stack slots, which become registers, so that loops with faults vectorise like others, and go to the buffer of
// faults when the function ends. After a fault the kernel goes on with an empty value.
#include "codegen/lower/lowering.h"

namespace reckon::codegen {

using llvm::Value;

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
  Value*& slot = function_.faults[found->second / 64];
  if (!slot) {
    llvm::BasicBlock& entry = function_.function->getEntryBlock();
    Builder at_entry(&entry, entry.begin());
    slot = at_entry.CreateAlloca(at_entry.getInt64Ty());
    at_entry.CreateStore(at_entry.getInt64(0), slot);
  }
  Value* bit = b_.CreateSelect(where, b_.getInt64(std::uint64_t{1} << (found->second % 64)), b_.getInt64(0));
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(b_.getInt64Ty(), slot), bit), slot);
}

void Lowering::report_faults() {
  for (const auto& [word, slot] : function_.faults) {
    settle();
    Value* met = b_.CreateLoad(b_.getInt64Ty(), slot);
    when(b_.CreateICmpNE(met, i64(0)), [&, word = word] {
      // Other threads may report as well.
      Value* to = at(b_.getInt64Ty(), function_.buffers.back(), i64(static_cast<std::int64_t>(word)));
      b_.CreateAtomicRMW(llvm::AtomicRMWInst::Or, to, met, llvm::MaybeAlign(8), llvm::AtomicOrdering::Monotonic);
    });
  }
  settle();
}

bool Lowering::drops_joins(const FoldSite& site) const { return !(code_.has_undefined() && site.reduction.user); }

}  // namespace reckon::codegen
