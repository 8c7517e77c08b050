#include "codegen/scalars/quick_exponential.h"

#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "codegen/ptx/assembly.h"
#include "numerics/functions/guessed_exponential.h"
#include "numerics/functions/quick_exponential.h"

namespace reckon::codegen {
namespace {

using llvm::BasicBlock;
using llvm::Value;

struct SingleNumberBuilder {
  using F32 = Value*;
  using I32 = Value*;

  Builder& b;

  F32 f32_const(float value) { return llvm::ConstantFP::get(b.getFloatTy(), static_cast<double>(value)); }
  F32 add(F32 x, F32 y) { return b.CreateFAdd(x, y); }
  F32 sub(F32 x, F32 y) { return b.CreateFSub(x, y); }
  F32 mul(F32 x, F32 y) { return b.CreateFMul(x, y); }
  F32 fma(F32 x, F32 y, F32 z) { return b.CreateIntrinsic(llvm::Intrinsic::fma, {b.getFloatTy()}, {x, y, z}); }
  F32 lesser(F32 x, F32 y) { return b.CreateMinNum(x, y); }
  F32 greater(F32 x, F32 y) { return b.CreateMaxNum(x, y); }
  I32 bits(F32 x) { return b.CreateBitCast(x, b.getInt32Ty()); }
  F32 from_bits(I32 x) { return b.CreateBitCast(x, b.getFloatTy()); }
  I32 iadd(I32 x, I32 y) { return b.CreateAdd(x, y); }
  I32 shl(I32 x, int distance) { return b.CreateShl(x, static_cast<std::uint64_t>(distance)); }
};
static_assert(numerics::SingleBuilder<SingleNumberBuilder>);

struct GuessedNumberBuilder : SingleNumberBuilder {
  F32 lesser_or_nan(F32 x, F32 y) { return b.CreateMinimum(x, y); }
  F32 greater_or_nan(F32 x, F32 y) { return b.CreateMaximum(x, y); }
  F32 exp2_guess(F32 x) { return b.CreateIntrinsic(b.getFloatTy(), llvm::Intrinsic::nvvm_ex2_approx_ftz, {x}); }
};
static_assert(numerics::GuessBuilder<GuessedNumberBuilder>);

/// What the code of both ways has in common.
class QuickExponentials {
 public:
  QuickExponentials(Builder& b, const Patterns& patterns, numerics::Function function, numerics::Format format)
      : b_(b),
        patterns_(patterns),
        format_(format),
        bounded_(numerics::quick_exponential(function == numerics::Function::exp)),
        guessed_(numerics::guessed_exponential(function == numerics::Function::exp)) {}

  /// Patterns of the results, two in a word, the first one in its lower half; of an odd number the last word has the
  /// last one twice. They stay together until after the join: who needs patterns need not put them together again.
  struct Words {
    llvm::SmallVector<Value*, 4> words;
    Value* undecided = nullptr;  ///< an i1: one of the results may be
  };
  Words quick(llvm::ArrayRef<Value*> x) {
    if (is_guessed()) return by_guesses(x);
    const Bounds bounds = bounds_of(x);
    Value* any = any_of(bounds.differences);
    return {bounds.low, b_.CreateICmpNE(any, b_.getInt32(0))};
  }

  /// By words, not 0 where a result is undecided. They are computed anew, so that nothing but x is kept for them.
  /// `Words::undecided` may be set and none of these: it does not look for arguments whose result is certainly 0.
  llvm::SmallVector<Value*, 4> undecided(llvm::ArrayRef<Value*> x) {
    llvm::SmallVector<Value*, 8> same;
    for (Value* each : x) same.push_back(emit_assembly(b_, each->getType(), "mov.b32 $0, $1;", "=f,f", {each}, false));
    if (!is_guessed()) return bounds_of(same).differences;
    llvm::SmallVector<Value*, 4> out;
    GuessedNumberBuilder numbers{{b_}};
    const auto is_undecided = [&](Value* argument) {
      Value* pattern = numbers.bits(numerics::guess(numbers, guessed_, argument));
      Value* half = b_.CreateAnd(b_.CreateAdd(pattern, b_.getInt32(numerics::GuessTest::offset)), 0xffff);
      Value* near = b_.CreateICmpULE(half, b_.getInt32(numerics::GuessTest::undecided_to));
      Value* not_zero = b_.CreateFCmpUGT(argument, numbers.f32_const(guessed_.zero));
      return b_.CreateOr(near, b_.CreateAnd(b_.CreateICmpEQ(pattern, b_.getInt32(0)), not_zero));
    };
    for (std::size_t k = 0; k < same.size(); k += 2) {
      Value* either = is_undecided(same[k]);
      if (k + 1 < same.size()) either = b_.CreateOr(either, is_undecided(same[k + 1]));
      out.push_back(b_.CreateZExt(either, b_.getInt32Ty()));
    }
    return out;
  }

  Value* any_of(llvm::ArrayRef<Value*> words) {
    Value* any = words.front();
    for (Value* each : words.drop_front()) any = b_.CreateOr(any, each);
    return any;
  }

  llvm::SmallVector<Value*, 4> words_of(llvm::ArrayRef<Value*> values) {
    llvm::SmallVector<Value*, 4> out;
    const auto pattern = [&](std::size_t k) {
      return b_.CreateZExt(patterns_.pattern(b_, format_, values[std::min(k, values.size() - 1)]), b_.getInt32Ty());
    };
    for (std::size_t k = 0; k < values.size(); k += 2) {
      out.push_back(b_.CreateOr(b_.CreateShl(pattern(k + 1), 16), pattern(k)));
    }
    return out;
  }

  llvm::SmallVector<Value*, 4> values_of(llvm::ArrayRef<Value*> words, std::size_t count) {
    llvm::SmallVector<Value*, 4> out;
    for (std::size_t k = 0; k < count; ++k) {
      Value* word = k % 2 == 0 ? words[k / 2] : b_.CreateLShr(words[k / 2], std::uint64_t{16});
      out.push_back(patterns_.widen(b_, format_, b_.CreateTrunc(word, b_.getInt16Ty())));
    }
    return out;
  }

  /// To `rare` if the flag is set, which it seldom is.
  void branch(Value* flag, BasicBlock* rare, BasicBlock* usual) {
    constexpr std::uint32_t usual_weight = 1 << 12;
    b_.CreateCondBr(flag, rare, usual, llvm::MDBuilder(b_.getContext()).createBranchWeights(1, usual_weight));
  }

 private:
  bool is_guessed() const { return format_ == numerics::Format::bf16; }

  /// Of f16, a guess would be near a midpoint too often.
  struct Bounds {
    llvm::SmallVector<Value*, 4> low, differences;
  };
  Bounds bounds_of(llvm::ArrayRef<Value*> x) {
    SingleNumberBuilder numbers{b_};
    Bounds out;
    for (std::size_t k = 0; k < x.size(); k += 2) {
      const auto first = numerics::quick_bounds(numbers, bounded_, x[k]);
      const auto second = k + 1 < x.size() ? numerics::quick_bounds(numbers, bounded_, x[k + 1]) : first;
      out.low.push_back(rounded(first.low, second.low));
      out.differences.push_back(b_.CreateXor(out.low.back(), rounded(first.high, second.high)));
    }
    return out;
  }

  /// The least of all guesses' patterns says whether one of them is 0, and the least of their lower halves whether one
  /// is near a midpoint.
  Words by_guesses(llvm::ArrayRef<Value*> x) {
    GuessedNumberBuilder numbers{{b_}};
    Words out;
    llvm::SmallVector<Value*, 8> guesses;
    for (Value* each : x) guesses.push_back(numerics::guess(numbers, guessed_, each));
    llvm::Type* halves = llvm::FixedVectorType::get(b_.getInt16Ty(), 2);
    Value *least = nullptr, *least_halves = nullptr;
    const auto lesser = [&](llvm::Intrinsic::ID which, Value* before, Value* value) {
      return before == nullptr ? value : b_.CreateBinaryIntrinsic(which, before, value);
    };
    for (std::size_t k = 0; k < x.size(); k += 2) {
      Value *first = guesses[k], *second = guesses[std::min(k + 1, x.size() - 1)];
      out.words.push_back(rounded(first, second));
      Value *low = numbers.bits(first), *high = numbers.bits(second);
      constexpr std::uint32_t lower_halves = 0x5410, offset = numerics::GuessTest::offset;
      Value* both = b_.CreateIntrinsic(llvm::Intrinsic::nvvm_prmt, {}, {low, high, b_.getInt32(lower_halves)});
      both = b_.CreateAdd(both, b_.getInt32(offset << 16 | offset));
      least_halves = lesser(llvm::Intrinsic::umin, least_halves, b_.CreateBitCast(both, halves));
      least = lesser(llvm::Intrinsic::smin, lesser(llvm::Intrinsic::smin, least, low), high);
    }
    Value* word = b_.CreateBitCast(least_halves, b_.getInt32Ty());
    Value* half = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b_.CreateAnd(word, 0xffff),
                                           b_.CreateLShr(word, std::uint64_t{16}));
    Value* near = b_.CreateICmpULE(half, b_.getInt32(numerics::GuessTest::undecided_to));
    out.undecided = b_.CreateOr(near, b_.CreateICmpEQ(least, b_.getInt32(0)));
    return out;
  }

  Value* rounded(Value* low_half, Value* high_half) {
    const auto instruction =
        format_ == numerics::Format::bf16 ? llvm::Intrinsic::nvvm_ff2bf16x2_rn : llvm::Intrinsic::nvvm_ff2f16x2_rn;
    return b_.CreateBitCast(b_.CreateIntrinsic(instruction, {}, {high_half, low_half}), b_.getInt32Ty());
  }

  Builder& b_;
  const Patterns& patterns_;
  numerics::Format format_;
  numerics::QuickExponential bounded_;
  numerics::GuessedExponential guessed_;
};

/// Computes undecided results by the exact code, word by word: of a warp's some five hundred results hardly ever more
/// than one word is. The exact code, some 60 instructions, stands there once for each half of a word. Nothing is
/// called: with a call, ptxas keeps no products of tensor cores under way.
llvm::SmallVector<Value*, 4> undecided_words(Builder& b, QuickExponentials& code, const QuickExponentials::Words& quick,
                                             llvm::ArrayRef<Value*> x, BasicBlock* joined,
                                             llvm::function_ref<Value*(Value*)> exact) {
  llvm::LLVMContext& context = b.getContext();
  BasicBlock* before = b.GetInsertBlock();
  const auto block = [&](const char* name) { return BasicBlock::Create(context, name, joined->getParent(), joined); };
  BasicBlock *head = block("next_undecided"), *done = block("none_undecided");
  const std::size_t count = quick.words.size();
  const auto undecided = code.undecided(x);
  b.CreateCondBr(b.CreateICmpNE(code.any_of(undecided), b.getInt32(0)), head, done);
  b.SetInsertPoint(head);
  const auto carried = [&](llvm::ArrayRef<Value*> initial) {
    llvm::SmallVector<llvm::PHINode*, 4> out;
    for (Value* each : initial) {
      out.push_back(b.CreatePHI(b.getInt32Ty(), 2));
      out.back()->addIncoming(each, before);
    }
    return out;
  };
  const auto words = carried(quick.words), differences = carried(undecided);
  // The first undecided word, and its arguments.
  Value *number = b.getInt32(static_cast<std::uint32_t>(count - 1)), *low = x[2 * (count - 1)], *high = x.back();
  for (std::size_t w = count - 1; w-- > 0;) {
    Value* is_one = b.CreateICmpNE(differences[w], b.getInt32(0));
    number = b.CreateSelect(is_one, b.getInt32(static_cast<std::uint32_t>(w)), number);
    low = b.CreateSelect(is_one, x[2 * w], low);
    high = b.CreateSelect(is_one, x[2 * w + 1], high);
  }
  Value* low_value = exact(low);
  Value* word = code.words_of({low_value, exact(high)}).front();
  llvm::SmallVector<Value*, 4> out;
  Value* left = nullptr;
  BasicBlock* last = b.GetInsertBlock();
  for (std::size_t w = 0; w < count; ++w) {
    Value* is_one = b.CreateICmpEQ(number, b.getInt32(static_cast<std::uint32_t>(w)));
    out.push_back(b.CreateSelect(is_one, word, words[w]));
    Value* difference = b.CreateSelect(is_one, b.getInt32(0), differences[w]);
    words[w]->addIncoming(out.back(), last);
    differences[w]->addIncoming(difference, last);
    left = left == nullptr ? difference : b.CreateOr(left, difference);
  }
  code.branch(b.CreateICmpNE(left, b.getInt32(0)), head, done);
  b.SetInsertPoint(done);
  for (std::size_t w = 0; w < count; ++w) {
    llvm::PHINode* all = b.CreatePHI(b.getInt32Ty(), 2);
    all->addIncoming(quick.words[w], before);
    all->addIncoming(out[w], last);
    out[w] = all;
  }
  return out;
}

}  // namespace

llvm::SmallVector<Value*, 4> emit_quick_exponentials(Builder& b, const Patterns& patterns, numerics::Function function,
                                                     numerics::Format format, llvm::ArrayRef<Value*> x,
                                                     llvm::function_ref<Value*(Value*)> exact) {
  QuickExponentials code(b, patterns, function, format);
  const auto quick = code.quick(x);
  BasicBlock* head = b.GetInsertBlock();
  BasicBlock* joined = BasicBlock::Create(b.getContext(), "decided", head->getParent(), head->getNextNode());
  BasicBlock* undecided = BasicBlock::Create(b.getContext(), "undecided", head->getParent(), joined);
  code.branch(quick.undecided, undecided, joined);
  b.SetInsertPoint(undecided);
  const llvm::SmallVector<Value*, 4> again =
      x.size() == 1 ? code.words_of({exact(x.front())}) : undecided_words(b, code, quick, x, joined, exact);
  BasicBlock* after = b.GetInsertBlock();
  b.CreateBr(joined);
  b.SetInsertPoint(joined);
  llvm::SmallVector<Value*, 4> words;
  for (std::size_t k = 0; k < again.size(); ++k) {
    auto* word = b.CreatePHI(b.getInt32Ty(), 2);
    word->addIncoming(quick.words[k], head);
    word->addIncoming(again[k], after);
    words.push_back(word);
  }
  return code.values_of(words, x.size());
}

}  // namespace reckon::codegen
