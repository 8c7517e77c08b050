// Tiles of matrix products on tensor cores by mma.sync, the instruction of a warp, from sm_80 on. All threads of a
// block have parts of the factors copied into a stage of shared memory (cp.async) while warps multiply what an earlier
// stage holds. Each warp has 16 rows of the tile and all columns: it reads fragments of both factors (ldmatrix).
//
// A stage has 128 bytes of the leaves of each row of x, and then of each column of y, in units of 16 bytes. Where the
// leaves are a factor's innermost dimension, each line of 128 bytes is a row, or a column. Otherwise a line has one
// leaf of 64 rows, or columns: first come the lines of all leaves of the stage for the first 64 rows, and then those
// for the next ones. Unit u of line l lies at unit u xor (l mod 8), so that the eight units that ldmatrix reads of
// neighbouring lines lie in different banks. Source: PTX ISA, "cp.async", "ldmatrix", "Matrix Fragments for
// mma.m16n8k16 with floating point type" (A, B, C and D).
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <span>

#include "codegen/emit/emitter.h"
#include "codegen/emit/mma_texts.h"
#include "codegen/ptx/assembly.h"

namespace reckon::codegen {

using kernel::MmaFactor;
using kernel::MmaTiles;

class Emitter::MmaWarpEmitter : MmaTexts {
 public:
  MmaWarpEmitter(Emitter& emitter, const kernel::Operation& operation, const MmaTiles& tiles)
      : MmaTexts(tiles.unit),
        e_(emitter),
        b_(emitter.b_),
        operation_(operation),
        tiles_(tiles),
        operands_(operation, tiles),
        word_(b_.getInt32Ty()) {}

  void emit() {
    tail_ = e_.block_before("tiled", b_.GetInsertBlock()->getNextNode());
    thread_ = b_.CreateIntrinsic(word_, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
    lane_ = b_.CreateAnd(thread_, 31);
    shared_ = e_.value(operands_.room);
    llvm::Value* depth = b_.getInt64(static_cast<std::uint64_t>(tiles_.depth()));
    llvm::Value* rounded = b_.CreateAdd(e_.value(operands_.leaves), b_.CreateSub(depth, b_.getInt64(1)));
    steps_ = b_.CreateTrunc(b_.CreateUDiv(rounded, depth), word_);

    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* head = e_.block_before("tile", tail_);
    llvm::BasicBlock* inside = e_.block_before("within", tail_);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    auto* tile = b_.CreatePHI(b_.getInt64Ty(), 2);
    tile->addIncoming(e_.value(operands_.first), before);
    b_.CreateCondBr(b_.CreateICmpSLT(tile, e_.value(operands_.limit)), inside, tail_);
    b_.SetInsertPoint(inside);
    emit_tile(tile);
    tile->addIncoming(b_.CreateAdd(tile, e_.value(operands_.step)), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(tail_);
  }

 private:
  static constexpr std::int64_t unit_bytes = 16, units = MmaTiles::row_bytes / unit_bytes, rows_of_warp = 16;
  static constexpr std::int64_t instructions = MmaTiles::row_bytes / step_bytes;  ///< for the leaves of a stage

  /// Where a tile begins in a dimension of a factor, and where the dimension ends.
  struct Dimension {
    llvm::Value *first, *limit;
  };
  /// A factor's part in a tile.
  struct Part {
    const MmaFactor& shape;
    std::int64_t side;            ///< rows, or columns, of the tile
    std::int64_t place;           ///< bytes from where a stage begins
    llvm::Value* memory;          ///< where the tile's first element would be if its side and leaf were 0
    Dimension sides, leaves;
    llvm::Value* stride;  ///< elements, of the dimension of these two that is not the innermost one
  };

  llvm::Value* word(std::int64_t value) { return b_.getInt32(static_cast<std::uint32_t>(value)); }
  llvm::Value* wide(std::int64_t value) { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  llvm::Value* plus(llvm::Value* a, std::int64_t b) { return b == 0 ? a : b_.CreateAdd(a, word(b)); }
  llvm::Value* bit(llvm::Value* of, unsigned which) { return b_.CreateAnd(b_.CreateLShr(of, which), 1); }
  llvm::Value* times(llvm::Value* a, std::int64_t b) { return b_.CreateMul(a, word(b)); }

  void emit_tile(llvm::Value* tile) {
    const kernel::Region& where = operation_.regions[0];
    e_.values_[where.parameters[0].id] = tile;
    e_.emit(where);
    const auto begins = std::span(where.yields);
    const Part x = part(tiles_.x, operands_.x, begins.first(tiles_.x.rank), tiles_.rows, 0);
    const Part y = part(tiles_.y, operands_.y, begins.subspan(tiles_.x.rank, tiles_.y.rank), tiles_.columns,
                        tiles_.rows * MmaTiles::row_bytes);
    const std::int64_t ahead = tiles_.stages - 1;
    for (std::int64_t step = 0; step < ahead; ++step) copy_stage(x, y, word(step), word(step * tiles_.stage_bytes()));
    const Places sums = products(x, y);
    await(0);
    const kernel::Region& then = operation_.regions[1];
    e_.values_[then.parameters[0].id] = tile;
    for (std::size_t k = 0; k < sums.size(); ++k) e_.values_[then.parameters[k + 1].id] = sums[k];
    e_.emit(then);
  }

  Part part(const MmaFactor& shape, const kernel::MmaOperands::Factor& factor, std::span<const kernel::Value> begin,
            std::int64_t side, std::int64_t place) {
    llvm::Value* memory = e_.value(factor.memory);
    if (factor.copy) {
      llvm::Value* is_copied = b_.CreateICmpNE(e_.value(factor.copied), wide(0));
      memory = b_.CreateSelect(is_copied, e_.value(factor.copy), memory);
    }
    llvm::Value* offset = wide(0);
    for (std::uint32_t d = 0; d < shape.rank; ++d) {
      if (d == shape.of_leaf || d == shape.of_side) continue;
      offset = b_.CreateAdd(offset, b_.CreateMul(e_.value(begin[d]), e_.value(factor.strides[d - 1])));
    }
    const std::uint32_t outer = std::max(shape.of_leaf, shape.of_side);
    return {shape,
            side,
            place,
            further(memory, offset),
            {e_.value(begin[shape.of_side]), e_.value(factor.extents[shape.of_side])},
            {e_.value(begin[shape.of_leaf]), e_.value(factor.extents[shape.of_leaf])},
            e_.value(factor.strides[outer - 1])};
  }

  /// So many elements further in global memory.
  llvm::Value* further(llvm::Value* memory, llvm::Value* elements) {
    return b_.CreateGEP(b_.getInt8Ty(), memory, b_.CreateMul(elements, wide(operand_bytes())));
  }
  llvm::Value* in_shared(llvm::Value* bytes) { return b_.CreateGEP(b_.getInt8Ty(), shared_, bytes); }
  /// The first row, or column, of those that share lines with this one, where a line has one leaf of them; and its
  /// number among them.
  llvm::Value* block_of(llvm::Value* side) { return b_.CreateAnd(side, word(-block_side())); }
  llvm::Value* within_block(llvm::Value* side) { return b_.CreateAnd(side, word(block_side() - 1)); }
  /// Where unit `unit` of line `line` lies in a part.
  llvm::Value* place_of(llvm::Value* line, llvm::Value* unit) {
    llvm::Value* moved = b_.CreateXor(unit, b_.CreateAnd(line, units - 1));
    return b_.CreateAdd(times(line, MmaTiles::row_bytes), times(moved, unit_bytes));
  }

  /// Begins to copy the parts of both factors from the leaves of stage `step` on; what is not in the tensors is 0.
  void copy_stage(const Part& x, const Part& y, llvm::Value* step, llvm::Value* stage) {
    copy(x, step, stage);
    copy(y, step, stage);
    e_.together(b_.getVoidTy(), "cp.async.commit_group;", "~{memory}", {});
  }

  void copy(const Part& part, llvm::Value* step, llvm::Value* stage) {
    const std::int64_t threads = tiles_.threads(), together = unit_bytes / operand_bytes();
    llvm::Value* unit = b_.CreateAnd(thread_, units - 1);
    llvm::Value* before = b_.CreateMul(b_.CreateZExt(step, b_.getInt64Ty()), wide(tiles_.depth()));
    const Dimension leaves{b_.CreateAdd(part.leaves.first, before), part.leaves.limit};
    const bool by_leaf = is_leaf_first(part.shape);
    const Dimension &inner = by_leaf ? leaves : part.sides, &outer = by_leaf ? part.sides : leaves;
    for (std::int64_t k = 0; k < part.side * units / threads; ++k) {
      llvm::Value* line = plus(b_.CreateLShr(thread_, 3), k * threads / units);
      llvm::Value *in_line = times(unit, together), *of_line = line;
      if (!by_leaf) {
        in_line = b_.CreateAdd(in_line, block_of(line));
        of_line = within_block(line);
      }
      llvm::Value* at = b_.CreateAdd(b_.CreateZExt(in_line, b_.getInt64Ty()), inner.first);
      llvm::Value* other = b_.CreateAdd(b_.CreateZExt(of_line, b_.getInt64Ty()), outer.first);
      llvm::Value* is_there = b_.CreateICmpSLT(other, outer.limit);
      llvm::Value* left = b_.CreateSub(inner.limit, at);
      left = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, wide(together));
      left = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, left, wide(0));
      left = b_.CreateSelect(is_there, left, wide(0));
      // Nothing is read where nothing is left, but an address has to be one of the tensor.
      llvm::Value* offset = b_.CreateAdd(b_.CreateMul(other, part.stride), at);
      offset = b_.CreateSelect(b_.CreateICmpEQ(left, wide(0)), wide(0), offset);
      llvm::Value* to = in_shared(plus(b_.CreateAdd(stage, place_of(line, unit)), part.place));
      llvm::Value* bytes = b_.CreateTrunc(b_.CreateMul(left, wide(operand_bytes())), word_);
      e_.together(b_.getVoidTy(), "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}",
                  {b_.CreatePtrToInt(to, word_), b_.CreatePtrToInt(further(part.memory, offset), b_.getInt64Ty()),
                   bytes});
    }
  }

  /// Waits until no more than so many of the last stages are still on their way, for all threads.
  void await(std::int64_t pending) {
    e_.together(b_.getVoidTy(), fmt::format("cp.async.wait_group {};", pending), "~{memory}", {});
    b_.CreateIntrinsic(b_.getVoidTy(), llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b_.getInt32(0)});
  }

  /// The loop over the leaves' stages; gives the fragment.
  Places products(const Part& x, const Part& y) {
    const std::int64_t ahead = tiles_.stages - 1;
    llvm::Type* sum = e_.type(e_.program_.type(operation_.regions[1].parameters[1]));
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* head = e_.block_before("stage", tail_);
    llvm::BasicBlock* inside = e_.block_before("multiply", tail_);
    llvm::BasicBlock* after = e_.block_before("multiplied", tail_);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    auto *step = b_.CreatePHI(word_, 2), *read = b_.CreatePHI(word_, 2), *written = b_.CreatePHI(word_, 2);
    step->addIncoming(word(0), before);
    read->addIncoming(word(0), before);
    written->addIncoming(word(ahead * tiles_.stage_bytes()), before);
    Places sums;
    for (std::int64_t k = 0; k < tiles_.fragment(); ++k) {
      auto* phi = b_.CreatePHI(sum, 2);
      phi->addIncoming(llvm::Constant::getNullValue(sum), before);
      sums.push_back(phi);
    }
    b_.CreateCondBr(b_.CreateICmpULT(step, steps_), inside, after);
    b_.SetInsertPoint(inside);
    await(ahead - 1);
    copy_stage(x, y, plus(step, ahead), written);
    Places next = sums;
    for (std::int64_t k = 0; k < instructions; ++k) multiply(x, y, read, k, next);
    const auto advance = [&](llvm::Value* stage) {
      llvm::Value* further = plus(stage, tiles_.stage_bytes());
      return b_.CreateSelect(b_.CreateICmpEQ(further, word(tiles_.stages * tiles_.stage_bytes())), word(0), further);
    };
    llvm::BasicBlock* last = b_.GetInsertBlock();
    step->addIncoming(plus(step, 1), last);
    read->addIncoming(advance(read), last);
    written->addIncoming(advance(written), last);
    for (std::size_t k = 0; k < sums.size(); ++k) llvm::cast<llvm::PHINode>(sums[k])->addIncoming(next[k], last);
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
    return sums;
  }

  /// Adds the products of instruction `which` of a stage.
  void multiply(const Part& x, const Part& y, llvm::Value* stage, std::int64_t which, Places& sums) {
    llvm::Value *low = b_.CreateAnd(lane_, 7), *third = bit(lane_, 3), *fourth = bit(lane_, 4);
    // Matrices of x: eight rows further, then eight units of leaves further.
    llvm::Value* first = times(b_.CreateLShr(thread_, 5), rows_of_warp);
    const Places of_x = fragments(x, stage, b_.CreateAdd(first, times(third, 8)), low, fourth, which);
    for (std::int64_t column = 0; column < tiles_.columns; column += 16) {
      // Matrices of y: leaves further, then eight columns further.
      const Places of_y = fragments(y, stage, plus(times(fourth, 8), column), low, third, which);
      for (std::int64_t block = 0; block < 2; ++block) {
        const auto begin = static_cast<std::size_t>((column / 8 + block) * 4);
        llvm::SmallVector<llvm::Value*, 10> operands(of_x.begin(), of_x.end());
        for (std::size_t k = 0; k < 2; ++k) operands.push_back(of_y[static_cast<std::size_t>(2 * block) + k]);
        for (std::size_t k = 0; k < 4; ++k) operands.push_back(sums[begin + k]);
        llvm::Type* sum = sums[begin]->getType();
        llvm::CallInst* made =
            emit_assembly(b_, llvm::StructType::get(sum, sum, sum, sum),
                          warp_instruction() + " {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};",
                          "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f", operands, false);
        made->addFnAttr(llvm::Attribute::Convergent);
        for (unsigned k = 0; k < 4; ++k) sums[begin + k] = b_.CreateExtractValue(made, k);
      }
    }
  }

  /// Four fragments of eight rows, or columns, and half of an instruction's leaves. This thread tells the place of one
  /// line of them: the first row or column of its matrix, its number in the matrix, and which half of the leaves.
  Places fragments(const Part& part, llvm::Value* stage, llvm::Value* side, llvm::Value* number, llvm::Value* half,
                   std::int64_t which) {
    const bool turned = !is_leaf_first(part.shape);
    llvm::Value* place = nullptr;
    if (turned) {
      const std::int64_t leaves = step_bytes / operand_bytes();
      llvm::Value* leaf = plus(b_.CreateAdd(number, times(half, leaves / 2)), which * leaves);
      place = place_of(b_.CreateAdd(block_of(side), leaf), b_.CreateLShr(within_block(side), 3));
    } else {
      place = place_of(b_.CreateAdd(side, number), plus(half, which * step_bytes / unit_bytes));
    }
    llvm::Value* at = in_shared(plus(b_.CreateAdd(stage, place), part.place));
    const auto id = turned ? llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                           : llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16;
    llvm::Value* read = b_.CreateIntrinsic(id, {at->getType()}, {at});
    Places out;
    for (unsigned k = 0; k < 4; ++k) out.push_back(b_.CreateExtractValue(read, k));
    return out;
  }

  Emitter& e_;
  Builder& b_;
  const kernel::Operation& operation_;
  const MmaTiles& tiles_;
  kernel::MmaOperands operands_;
  llvm::Type* word_;
  llvm::BasicBlock* tail_ = nullptr;
  llvm::Value *thread_ = nullptr, *lane_ = nullptr;
  llvm::Value* shared_ = nullptr;
  llvm::Value* steps_ = nullptr;  ///< stages that the leaves fill
};

void Emitter::emit_mma_warps(const kernel::Operation& operation, const MmaTiles& tiles) {
  MmaWarpEmitter(*this, operation, tiles).emit();
}

}  // namespace reckon::codegen
