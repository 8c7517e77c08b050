#include "codegen/ptx/streams.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>

#include "codegen/ptx/assembly.h"

namespace reckon::codegen {
namespace {

// This metadata survives when loads are joined, and means nothing else to this target.
constexpr unsigned mark = llvm::LLVMContext::MD_nontemporal;

/// The words that a load of 4, 8 or 16 bytes consists of: how many, and of how many bits.
struct LoadedWords {
  unsigned count = 0, bits = 0;
};

LoadedWords words_of(const llvm::LoadInst& load) {
  const unsigned bits = load.getModule()->getDataLayout().getTypeStoreSizeInBits(load.getType()).getFixedValue();
  if (load.getAlign().value() * 8 < bits) return {};
  if (const auto* pair = llvm::dyn_cast<llvm::StructType>(load.getType())) {  // the ends of an interval
    const unsigned count = pair->getNumElements(), size = pair->getElementType(0)->getPrimitiveSizeInBits();
    const bool are_alike =
        llvm::all_of(pair->elements(), [&](llvm::Type* each) { return each == pair->getElementType(0); });
    return are_alike && count <= 4 && (size == 32 || size == 64) && count * size == bits ? LoadedWords{count, size}
                                                                                         : LoadedWords{};
  }
  if (load.getType()->isAggregateType()) return {};
  if (load.getType()->getScalarSizeInBits() == 64 && (bits == 64 || bits == 128)) return {bits / 64, 64};
  if (bits == 32 || bits == 64 || bits == 128) return {bits / 32, 32};
  return {};
}

void replace(llvm::LoadInst& load, const LoadedWords& words, llvm::Value* policy) {
  llvm::IRBuilder<> b(&load);
  const std::string count = words.count == 1 ? "" : ".v" + std::to_string(words.count);
  std::string places, constraints;
  for (unsigned k = 0; k < words.count; ++k) {
    places += (k == 0 ? "$" : ", $") + std::to_string(k);
    constraints += words.bits == 64 ? "=l," : "=r,";
  }
  if (words.count > 1) places = "{" + places + "}";
  const std::string text = "ld.global.L2::cache_hint" + count + ".b" + std::to_string(words.bits) + " " + places +
                           ", [$" + std::to_string(words.count) + "], $" + std::to_string(words.count + 1) + ";";
  llvm::Type* word = b.getIntNTy(words.bits);
  const llvm::SmallVector<llvm::Type*, 4> all(words.count, word);
  llvm::Type* type = words.count == 1 ? word : llvm::StructType::get(b.getContext(), all);
  llvm::Value* read = emit_assembly(b, type, text, constraints + "l,l", {load.getPointerOperand(), policy}, false);
  llvm::SmallVector<llvm::Value*, 4> parts;
  for (unsigned k = 0; k < words.count; ++k) parts.push_back(words.count == 1 ? read : b.CreateExtractValue(read, k));
  llvm::Value* value = parts[0];
  if (auto* pair = llvm::dyn_cast<llvm::StructType>(load.getType())) {
    value = llvm::PoisonValue::get(pair);
    for (unsigned k = 0; k < words.count; ++k)
      value = b.CreateInsertValue(value, b.CreateBitCast(parts[k], pair->getElementType(k)), k);
  } else {
    if (words.count > 1) {
      value = llvm::PoisonValue::get(llvm::FixedVectorType::get(word, words.count));
      for (unsigned k = 0; k < words.count; ++k) value = b.CreateInsertElement(value, parts[k], b.getInt32(k));
    }
    value = b.CreateBitCast(value, load.getType());
  }
  load.replaceAllUsesWith(value);
  load.eraseFromParent();
}

}  // namespace

void mark_as_stream(llvm::LoadInst& load, Stream stream) {
  if (stream == Stream::none) return;
  llvm::LLVMContext& context = load.getContext();
  llvm::Constant* kind = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), static_cast<std::uint64_t>(stream));
  load.setMetadata(mark, llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(kind)));
}

llvm::PreservedAnalyses Streams::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  std::map<Stream, llvm::Value*> policies;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || !load->hasMetadata(mark)) continue;
    const auto stream = static_cast<Stream>(
        llvm::mdconst::extract<llvm::ConstantInt>(load->getMetadata(mark)->getOperand(0))->getZExtValue());
    load->setMetadata(mark, nullptr);
    const LoadedWords words = words_of(*load);
    // Where a thread reads single words, memory is not the limit, and the policy would take two registers (sums of 9999
    // columns of 1000 f64s on an H200: 25.8 us with it, 23.0 without).
    if (words.count == 0 || (stream == Stream::once && words.count == 1)) continue;
    llvm::Value*& policy = policies[stream];
    if (policy == nullptr) {
      llvm::BasicBlock& entry = function.getEntryBlock();
      llvm::IRBuilder<> b(&entry, entry.getFirstInsertionPt());
      const std::string which = stream == Stream::once ? "evict_first" : "evict_last";
      policy = emit_assembly(b, b.getInt64Ty(), "createpolicy.fractional.L2::" + which + ".b64 $0;", "=l", {}, false);
    }
    replace(*load, words, policy);
  }
  return policies.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace reckon::codegen
