#include <llvm/IR/Instructions.h>

#include <bit>

#include "codegen/lower/lowering.h"

namespace reckon::codegen {

using llvm::BasicBlock;
using llvm::Value;

namespace {

/// Pushes a scope for as long as it lives.
class Entered {
 public:
  Entered(Scope*& current, Scope& scope) : current_(current), outer_(current) {
    scope.parent = outer_;
    current_ = &scope;
  }
  ~Entered() { current_ = outer_; }

 private:
  Scope*& current_;
  Scope* outer_;
};

/// The terminator of a block under construction.
llvm::Instruction* placeholder(BasicBlock* block) { return new llvm::UnreachableInst(block->getContext(), block); }

}  // namespace

/// Cuts the block at the cursor; what came before has no terminator then. The caller adds one and moves the cursor.
BasicBlock* Lowering::split_at_cursor(const char* name) {
  llvm::Instruction* at = scope_->cursor->at;
  BasicBlock* head = at->getParent();
  BasicBlock* tail = head->splitBasicBlock(at->getIterator(), name);
  head->getTerminator()->eraseFromParent();
  return tail;
}

Values Lowering::loop(Value* first, Value* limit, Value* step, const Values& initial, Body body, bool unroll) {
  Cursor& outside = *scope_->cursor;
  llvm::Instruction* resume = outside.at;
  BasicBlock* head = resume->getParent();
  BasicBlock* tail = split_at_cursor("after");
  BasicBlock* block = BasicBlock::Create(context_, "loop", function_.function, tail);
  outside.at = llvm::BranchInst::Create(block, head);

  b_.SetInsertPoint(block);
  auto* counter = b_.CreatePHI(b_.getInt64Ty(), 2);
  counter->addIncoming(first, head);
  llvm::SmallVector<llvm::PHINode*, 4> phis;
  Values carried;
  for (Value* value : initial) {
    phis.push_back(b_.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, head);
    carried.push_back(phis.back());
  }
  Cursor inside{placeholder(block)};
  Scope scope;
  scope.cursor = &inside;
  Values next;
  {
    Entered entered(scope_, scope);
    settle();
    next = body(counter, carried);
    settle();
    Value* advanced = b_.CreateAdd(counter, step, "", true, true);
    Value* more = b_.CreateICmpSLT(advanced, limit);
    BasicBlock* latch = inside.at->getParent();
    llvm::BranchInst* back = b_.CreateCondBr(more, block, tail);
    if (!unroll) back->setMetadata(llvm::LLVMContext::MD_loop, loop_without_unrolling());
    inside.at->eraseFromParent();
    counter->addIncoming(advanced, latch);
    for (std::size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(next[k], latch);
  }
  outside.at = resume;
  settle();
  return next;
}

/// Loop metadata that keeps LLVM from unrolling what is unrolled enough.
llvm::MDNode* Lowering::loop_without_unrolling() {
  llvm::MDNode* disable = llvm::MDNode::get(context_, llvm::MDString::get(context_, "llvm.loop.unroll.disable"));
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context_, {nullptr, disable});
  loop->replaceOperandWith(0, loop);
  return loop;
}

void Lowering::for_range(Value* first, Value* limit, llvm::function_ref<void(Value*)> body, bool unroll) {
  when(b_.CreateICmpSLT(first, limit), [&] {
    loop(
        first, limit, i64(1), {},
        [&](Value* index, const Values&) {
          body(index);
          return Values{};
        },
        unroll);
  });
}

Values Lowering::while_loop(const Values& initial, llvm::function_ref<Value*(const Values&)> condition,
                            llvm::function_ref<Values(const Values&)> body) {
  Cursor& outside = *scope_->cursor;
  llvm::Instruction* resume = outside.at;
  BasicBlock* head = resume->getParent();
  BasicBlock* tail = split_at_cursor("done");
  BasicBlock* header = BasicBlock::Create(context_, "while", function_.function, tail);
  outside.at = llvm::BranchInst::Create(header, head);

  b_.SetInsertPoint(header);
  llvm::SmallVector<llvm::PHINode*, 4> phis;
  Values carried;
  for (Value* value : initial) {
    phis.push_back(b_.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, head);
    carried.push_back(phis.back());
  }
  Cursor inside{placeholder(header)};
  Scope scope;
  scope.cursor = &inside;
  {
    Entered entered(scope_, scope);
    settle();
    Value* more = condition(carried);
    settle();
    BasicBlock* block = BasicBlock::Create(context_, "body", function_.function, tail);
    b_.CreateCondBr(more, block, tail);
    inside.at->eraseFromParent();
    inside.at = placeholder(block);
    settle();
    const Values next = body(carried);
    settle();
    BasicBlock* latch = inside.at->getParent();
    b_.CreateBr(header);
    inside.at->eraseFromParent();
    for (std::size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(next[k], latch);
  }
  outside.at = resume;
  settle();
  return carried;
}

Values Lowering::branch(Value* condition, Arm then, Arm otherwise) {
  if (auto decided = known(condition)) return *decided ? then() : otherwise();
  Cursor& outside = *scope_->cursor;
  llvm::Instruction* resume = outside.at;
  BasicBlock* head = resume->getParent();
  BasicBlock* tail = split_at_cursor("joined");
  BasicBlock* blocks[2];
  for (BasicBlock*& block : blocks) block = BasicBlock::Create(context_, "arm", function_.function, tail);
  outside.at = llvm::BranchInst::Create(blocks[0], blocks[1], condition, head);

  Values results[2];
  BasicBlock* ends[2];
  for (int arm = 0; arm < 2; ++arm) {
    Cursor inside{placeholder(blocks[arm])};
    Scope scope;
    scope.cursor = &inside;
    scope.guard = true;
    Entered entered(scope_, scope);
    settle();
    results[arm] = arm == 0 ? then() : otherwise();
    settle();
    ends[arm] = inside.at->getParent();
    b_.CreateBr(tail);
    inside.at->eraseFromParent();
  }
  outside.at = resume;
  Values merged;
  b_.SetInsertPoint(tail, tail->begin());
  for (std::size_t k = 0; k < results[0].size(); ++k) {
    auto* phi = b_.CreatePHI(results[0][k]->getType(), 2);
    phi->addIncoming(results[0][k], ends[0]);
    phi->addIncoming(results[1][k], ends[1]);
    merged.push_back(phi);
  }
  settle();
  return merged;
}

void Lowering::when(Value* condition, llvm::function_ref<void()> then) {
  branch(
      condition,
      [&] {
        then();
        return Values{};
      },
      [] { return Values{}; });
}

Values Lowering::in_scope(Scope& scope, Arm body) {
  scope.cursor = scope_->cursor;
  Entered entered(scope_, scope);
  return body();
}

/// Storage that lives as long as the function's activation.
Value* Lowering::stack_array(llvm::Type* type, std::int64_t count) {
  BasicBlock& entry = function_.function->getEntryBlock();
  Builder at_entry(&entry, entry.begin());
  function_.stack_bytes += count * bytes_of(type);
  return at_entry.CreateAlloca(type, at_entry.getInt64(static_cast<std::uint64_t>(count)));
}

std::int64_t Lowering::bytes_of(llvm::Type* type) const {
  return static_cast<std::int64_t>(output_.getDataLayout().getTypeAllocSize(type).getFixedValue());
}

Value* Lowering::at(llvm::Type* type, Value* pointer, Value* index) {
  return b_.CreateInBoundsGEP(type, pointer, index);
}

void Lowering::begin_function(llvm::Function* function, Scope& root, Cursor& cursor) {
  BasicBlock* entry = BasicBlock::Create(context_, "entry", function);
  b_.SetInsertPoint(entry);
  // The placeholder is the `ret` to be; kernels give nothing, and fold functions replace it.
  cursor.at = placeholder(entry);
  root.cursor = &cursor;
  root.guard = true;
  root.parent = nullptr;
  scope_ = &root;
  settle();
}

std::optional<std::int64_t> Lowering::known(Value* value) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return constant->getSExtValue();
  return std::nullopt;
}

std::optional<std::int64_t> Lowering::divides(Value* part, Value* whole) {
  const auto size = known(part), length = known(whole);
  if (!size || !length || *size < 1 || *length % *size != 0) return std::nullopt;
  return *length / *size;
}

Value* Lowering::add(Value* x, Value* y) {
  if (known(x) == 0) return y;
  if (known(y) == 0) return x;
  return b_.CreateAdd(x, y, "", false, true);
}

Value* Lowering::multiply(Value* x, Value* y) {
  if (known(x) == 1) return y;
  if (known(y) == 1) return x;
  return b_.CreateMul(x, y, "", false, true);
}

Value* Lowering::divide_up(Value* x, Value* y) {
  if (known(y) == 1) return x;
  return b_.CreateUDiv(b_.CreateAdd(x, b_.CreateSub(y, i64(1))), y);
}

Value* Lowering::smaller(Value* x, Value* y) {
  const auto known_x = known(x), known_y = known(y);
  if (known_x && known_y) return *known_x < *known_y ? x : y;
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
}

Value* Lowering::trailing_zeros(Value* x) {
  return b_.CreateIntrinsic(llvm::Intrinsic::cttz, {x->getType()}, {x, b_.getFalse()});
}

Value* Lowering::log2_up(Value* x) {
  if (const auto fixed = known(x)) return i64(std::bit_width(static_cast<std::uint64_t>(*fixed - 1)));
  Value* leading =
      b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {b_.getInt64Ty()}, {b_.CreateSub(x, i64(1)), b_.getFalse()});
  return b_.CreateSub(i64(64), leading);
}

}  // namespace reckon::codegen
