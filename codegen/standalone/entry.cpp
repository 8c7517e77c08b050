#include "codegen/standalone/entry.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <map>

#include "codegen/sizes.h"
#include "codegen/standalone/interface.h"
#include "codegen/steps.h"

namespace reckon::codegen {
namespace {

using llvm::BasicBlock;
using Role = Buffer::Role;

constexpr std::int64_t alignment = 64;  ///< of the parts of the memory that is allocated

class Entry {
 public:
  Entry(const ir::Module& circuit, const Plan& plan, const EntryOptions& options, llvm::Module& output)
      : circuit_(circuit), plan_(plan), options_(options), output_(output), b_(output.getContext()) {}

  void write(const std::vector<std::vector<std::uint8_t>>& constants, Lines* lines) {
    declare();
    if (lines != nullptr) b_.SetCurrentDebugLocation(lines->begin(*function_));
    check_sizes();
    find_places(constants);
    run_kernels();
    leave();
  }

 private:
  llvm::Value* word(std::int64_t value) { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  llvm::LLVMContext& context() { return output_.getContext(); }

  /// The buffers of a role, by position.
  std::vector<std::size_t> numbered(Role role) const {
    std::map<std::uint32_t, std::size_t> found;
    for (std::size_t k = 0; k < plan_.buffers.size(); ++k) {
      if (plan_.buffers[k].role == role) found.emplace(plan_.buffers[k].position, k);
    }
    std::vector<std::size_t> out;
    for (const auto& [position, buffer] : found) out.push_back(buffer);
    return out;
  }

  llvm::Type* scalar_type(ir::Scalar scalar) {
    if (scalar == ir::Scalar::f64) return b_.getDoubleTy();
    if (scalar == ir::Scalar::f32 || scalar == ir::Scalar::tf32) return b_.getFloatTy();
    return b_.getIntNTy(static_cast<unsigned>(8 * ir::byte_width(scalar)));
  }
  bool by_value(const Buffer& buffer) const { return buffer.role == Role::parameter && buffer.extents.empty(); }

  void declare() {
    arguments_ = numbered(Role::parameter);
    for (const std::size_t result : numbered(Role::result)) arguments_.push_back(result);
    llvm::SmallVector<llvm::Type*> types(plan_.dimensions.size(), b_.getInt64Ty());
    for (const std::size_t buffer : arguments_) {
      const Buffer& one = plan_.buffers[buffer];
      types.push_back(by_value(one) ? scalar_type(one.scalar) : b_.getPtrTy());
    }
    function_ = llvm::Function::Create(llvm::FunctionType::get(b_.getInt32Ty(), types, false),
                                       llvm::GlobalValue::ExternalLinkage, options_.symbol, output_);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    b_.SetInsertPoint(BasicBlock::Create(context(), "entry", function_));
    for (unsigned k = 0; k < plan_.dimensions.size(); ++k) sizes_[plan_.dimensions[k]] = function_->getArg(k);
  }

  /// Goes on in a new block, unless the condition is set: then the function ends with this status.
  void leave_if(llvm::Value* condition, EntryStatus status) {
    BasicBlock* out = BasicBlock::Create(context(), "refused", function_);
    BasicBlock* next = BasicBlock::Create(context(), "next", function_);
    b_.CreateCondBr(condition, out, next);
    b_.SetInsertPoint(out);
    b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(status)));
    b_.SetInsertPoint(next);
  }

  // Arithmetic of sizes: `unfit_` is set where a value does not fit.
  llvm::Value* checked(llvm::Intrinsic::ID operation, llvm::Value* x, llvm::Value* y) {
    llvm::Value* both = b_.CreateBinaryIntrinsic(operation, x, y);
    unfit_ = b_.CreateOr(unfit_, b_.CreateExtractValue(both, 1));
    return b_.CreateExtractValue(both, 0);
  }
  llvm::Value* plus(llvm::Value* x, llvm::Value* y) { return checked(llvm::Intrinsic::sadd_with_overflow, x, y); }
  llvm::Value* times(llvm::Value* x, llvm::Value* y) { return checked(llvm::Intrinsic::smul_with_overflow, x, y); }
  llvm::Value* maximum(llvm::Value* x, llvm::Value* y) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y); }
  llvm::Value* truth(llvm::Value* condition) { return b_.CreateZExt(condition, b_.getInt64Ty()); }
  llvm::Value* is_set(llvm::Value* value) { return b_.CreateICmpNE(value, word(0)); }

  llvm::Value* quotient(llvm::Value* dividend, llvm::Value* divisor, bool remainder) {
    // Division by -1 may overflow, so it is refused like that by 0; no program has a reason to divide by it.
    llvm::Value* wrong = b_.CreateOr(b_.CreateICmpEQ(divisor, word(0)), b_.CreateICmpEQ(divisor, word(-1)));
    unfit_ = b_.CreateOr(unfit_, wrong);
    divisor = b_.CreateSelect(wrong, word(1), divisor);
    llvm::Value* rest = b_.CreateSRem(dividend, divisor);
    llvm::Value* adjust = b_.CreateAnd(is_set(rest), b_.CreateICmpSLT(b_.CreateXor(rest, divisor), word(0)));
    if (remainder) return b_.CreateAdd(rest, b_.CreateSelect(adjust, divisor, word(0)));
    return b_.CreateSub(b_.CreateSDiv(dividend, divisor), truth(adjust));
  }

  llvm::Value* size(ir::IndexId id) {
    const ir::IndexNode& node = circuit_.indices()[id];
    using ir::IndexOp;
    const auto part = [&](std::size_t k) { return size(node.operands[k]); };
    switch (node.op) {
      case IndexOp::constant: return word(node.value);
      case IndexOp::dimension: return sizes_.at(node.symbol);
      case IndexOp::variable: return word(0);  // sizes have none
      case IndexOp::sum: {
        llvm::Value* total = word(node.value);
        for (std::size_t k = 0; k < node.operands.size(); ++k) {
          total = plus(total, times(part(k), word(node.coefficients[k])));
        }
        return total;
      }
      case IndexOp::product: {
        llvm::Value* total = part(0);
        for (std::size_t k = 1; k < node.operands.size(); ++k) total = times(total, part(k));
        return total;
      }
      case IndexOp::floor_div: return quotient(part(0), part(1), false);
      case IndexOp::floor_mod: return quotient(part(0), part(1), true);
      case IndexOp::minimum: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, part(0), part(1));
      case IndexOp::maximum: return maximum(part(0), part(1));
      case IndexOp::less: return truth(b_.CreateICmpSLT(part(0), part(1)));
      case IndexOp::less_equal: return truth(b_.CreateICmpSLE(part(0), part(1)));
      case IndexOp::equal: return truth(b_.CreateICmpEQ(part(0), part(1)));
      case IndexOp::logical_and: return truth(b_.CreateAnd(is_set(part(0)), is_set(part(1))));
      case IndexOp::logical_or: return truth(b_.CreateOr(is_set(part(0)), is_set(part(1))));
      case IndexOp::logical_not: return truth(b_.CreateNot(is_set(part(0))));
    }
    return word(0);
  }

  llvm::Value* product(const std::vector<ir::IndexId>& extents) {
    llvm::Value* total = word(1);
    for (const ir::IndexId extent : extents) total = times(total, size(extent));
    return total;
  }
  /// Bytes of a buffer, with an extent of 0 counted as 1 (runtime::allocation_count), in whole alignments.
  llvm::Value* allocation(const Buffer& buffer) {
    llvm::Value* total = word(element_bytes(buffer));
    for (const ir::IndexId extent : buffer.extents) total = times(total, maximum(size(extent), word(1)));
    return b_.CreateAnd(plus(total, word(alignment - 1)), word(-alignment));
  }

  void check_sizes() {
    unfit_ = b_.getFalse();
    llvm::Value* met = b_.getTrue();
    for (const ir::IndexId condition : options_.conditions) met = b_.CreateAnd(met, is_set(size(condition)));
    for (const Kernel& kernel : plan_.kernels) items_.push_back(product(kernel.items));
    for (const Loop& loop : plan_.loops) rounds_.push_back(size(loop.rounds));
    // One piece of memory has what kernels give each other, and stands in for arrays without elements: a reduction of
    // nothing may read, but does not use, an element.
    memory_bytes_ = word(0);
    for (std::size_t k = 0; k < plan_.buffers.size(); ++k) {
      const Buffer& buffer = plan_.buffers[k];
      if (buffer.role == Role::constant || by_value(buffer)) continue;
      llvm::Value* bytes = allocation(buffer);
      if (buffer.role == Role::parameter || buffer.role == Role::result) {
        if (buffer.extents.empty()) continue;
        empty_[k] = b_.CreateICmpEQ(product(buffer.extents), word(0));
        bytes = b_.CreateSelect(empty_[k], bytes, word(0));
      }
      offsets_[k] = memory_bytes_;
      memory_bytes_ = plus(memory_bytes_, bytes);
    }
    leave_if(b_.CreateOr(unfit_, b_.CreateNot(met)), EntryStatus::sizes_refused);
    if (offsets_.empty()) return;
    const auto allocate =
        output_.getOrInsertFunction("malloc", llvm::FunctionType::get(b_.getPtrTy(), {b_.getInt64Ty()}, false));
    // A size of 0 may give a null pointer.
    memory_ = b_.CreateCall(allocate, {maximum(memory_bytes_, word(alignment))});
    leave_if(b_.CreateICmpEQ(memory_, llvm::ConstantPointerNull::get(b_.getPtrTy())), EntryStatus::no_memory);
  }

  llvm::Value* in_memory(std::size_t buffer) { return b_.CreateInBoundsGEP(b_.getInt8Ty(), memory_, offsets_.at(buffer)); }

  llvm::Value* constant_place(const std::vector<std::uint8_t>& bytes) {
    std::vector<std::uint8_t> padded = bytes;
    padded.resize((std::max<std::size_t>(bytes.size(), 1) + 15) / 16 * 16);
    llvm::Constant* contents = llvm::ConstantDataArray::get(context(), padded);
    auto* place = new llvm::GlobalVariable(output_, contents->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                           contents, "reckon_constant");
    place->setAlignment(llvm::Align(16));
    return place;
  }

  void find_places(const std::vector<std::vector<std::uint8_t>>& constants) {
    std::map<std::size_t, llvm::Argument*> given;
    for (unsigned k = 0; k < arguments_.size(); ++k) {
      given[arguments_[k]] = function_->getArg(static_cast<unsigned>(plan_.dimensions.size()) + k);
    }
    std::vector<llvm::Value*> places;
    std::size_t constant = 0;
    for (std::size_t k = 0; k < plan_.buffers.size(); ++k) {
      const Buffer& buffer = plan_.buffers[k];
      if (buffer.role == Role::constant) {
        places.push_back(constant_place(constants[constant++]));
      } else if (by_value(buffer)) {
        llvm::AllocaInst* slot = at_entry(llvm::ArrayType::get(b_.getInt8Ty(), 16));
        slot->setAlignment(llvm::Align(16));
        llvm::Value* value = given[k];
        if (buffer.scalar == ir::Scalar::boolean) value = b_.CreateZExt(b_.CreateIsNotNull(value), b_.getInt8Ty());
        b_.CreateStore(value, slot);
        places.push_back(slot);
      } else if (given.contains(k)) {
        places.push_back(empty_.contains(k) ? b_.CreateSelect(empty_[k], in_memory(k), given[k]) : given[k]);
      } else {
        places.push_back(in_memory(k));
        if (buffer.role != Role::counters) continue;
        b_.CreateMemSet(places.back(), b_.getInt8(0), allocation(buffer), llvm::MaybeAlign(16));
      }
    }
    buffers_ = array(b_.getPtrTy(), places);
    std::vector<llvm::Value*> sizes;
    for (const ir::SymbolId dimension : plan_.dimensions) sizes.push_back(sizes_.at(dimension));
    sizes.resize(sizes.size() + plan_.loops.size(), word(0));
    dimensions_ = array(b_.getInt64Ty(), sizes);
  }

  llvm::AllocaInst* at_entry(llvm::Type* type) {
    BasicBlock& entry = function_->getEntryBlock();
    return llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
  }
  llvm::Value* array(llvm::Type* type, const std::vector<llvm::Value*>& values) {
    llvm::AllocaInst* out = at_entry(llvm::ArrayType::get(type, std::max<std::size_t>(values.size(), 1)));
    for (std::size_t k = 0; k < values.size(); ++k) {
      b_.CreateStore(values[k], b_.CreateConstInBoundsGEP1_64(type, out, k));
    }
    return out;
  }

  void run_kernels() {
    struct Open {
      BasicBlock *round, *after;
    };
    std::vector<Open> open;
    for (const Step& step : steps_of(plan_)) {
      switch (step.kind) {
        case Step::Kind::launch: run_kernel(step.number); break;
        case Step::Kind::enter: {
          BasicBlock* round = BasicBlock::Create(context(), "round", function_);
          BasicBlock* after = BasicBlock::Create(context(), "after", function_);
          b_.CreateStore(word(0), round_of(step.number));
          b_.CreateCondBr(b_.CreateICmpSGT(rounds_[step.number], word(0)), round, after);
          b_.SetInsertPoint(round);
          open.push_back({round, after});
          break;
        }
        case Step::Kind::leave: {
          for (const auto& [one, other] : plan_.loops[step.number].exchanged) exchange(one, other);
          llvm::Value* place = round_of(step.number);
          llvm::Value* done = b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), place), word(1));
          b_.CreateStore(done, place);
          b_.CreateCondBr(b_.CreateICmpSLT(done, rounds_[step.number]), open.back().round, open.back().after);
          b_.SetInsertPoint(open.back().after);
          open.pop_back();
          break;
        }
      }
    }
  }

  void run_kernel(std::size_t k) {
    BasicBlock* body = BasicBlock::Create(context(), "run", function_);
    BasicBlock* next = BasicBlock::Create(context(), "next", function_);
    b_.CreateCondBr(b_.CreateICmpSGT(items_[k], word(0)), body, next);
    b_.SetInsertPoint(body);
    b_.CreateCall(output_.getFunction(plan_.kernels[k].name), {buffers_, dimensions_, word(0), items_[k]});
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
  }

  /// Where the number of a loop's round stands among the sizes.
  llvm::Value* round_of(std::size_t loop) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), dimensions_, plan_.dimensions.size() + loop);
  }

  void exchange(std::uint32_t one, std::uint32_t other) {
    llvm::Value* place = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), buffers_, one);
    llvm::Value* other_place = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), buffers_, other);
    llvm::Value* held = b_.CreateLoad(b_.getPtrTy(), place);
    b_.CreateStore(b_.CreateLoad(b_.getPtrTy(), other_place), place);
    b_.CreateStore(held, other_place);
  }

  void leave() {
    if (memory_ != nullptr) {
      const auto release =
          output_.getOrInsertFunction("free", llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy()}, false));
      b_.CreateCall(release, {memory_});
    }
    b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(EntryStatus::done)));
  }

  const ir::Module& circuit_;
  const Plan& plan_;
  const EntryOptions& options_;
  llvm::Module& output_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_ = nullptr;
  std::vector<std::size_t> arguments_;  ///< buffers, in the order of the function's parameters after the dimensions
  std::map<ir::SymbolId, llvm::Value*> sizes_;
  llvm::Value* unfit_ = nullptr;
  std::vector<llvm::Value*> items_;            ///< of each kernel
  std::vector<llvm::Value*> rounds_;           ///< of each loop
  std::map<std::size_t, llvm::Value*> empty_;  ///< whether an array has no elements
  std::map<std::size_t, llvm::Value*> offsets_;
  llvm::Value* memory_bytes_ = nullptr;
  llvm::Value* memory_ = nullptr;
  llvm::Value* buffers_ = nullptr;
  llvm::Value* dimensions_ = nullptr;
};

}  // namespace

void add_entry(const ir::Module& circuit, const Plan& plan, const EntryOptions& options,
               const std::vector<std::vector<std::uint8_t>>& constants, llvm::Module& output, Lines* lines) {
  for (llvm::Function& function : output) {
    if (!function.isDeclaration()) function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (llvm::GlobalVariable& variable : output.globals()) {
    if (!variable.isDeclaration()) variable.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  Entry(circuit, plan, options, output).write(constants, lines);
}

}  // namespace reckon::codegen
