// Tiles of matrix products on the tensor cores of sm_90a. One thread of the last warp group, the producer, has the copy
// engine fill the stages in shared memory, and the other warp groups, the consumers, multiply what they find there. A
// stage has two barriers: it is full when all bytes of its boxes have come, and empty when every warp of the consumers
// is done with it. The producer goes on with the next tile while the consumers write the last one.
// Source: PTX ISA, "mbarrier", "setmaxnreg".
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <span>

#include "codegen/emit/emitter.h"
#include "codegen/emit/mma_texts.h"
#include "codegen/ptx/assembly.h"
#include "kernel/gpu.h"

namespace reckon::codegen {
namespace {

using kernel::MmaTiles;

/// The assembly of the roles.
class MmaTileTexts : MmaTexts {
 public:
  explicit MmaTileTexts(const MmaTiles& tiles) : MmaTexts(tiles.unit), tiles_(tiles) {}

  /// Gives stage and phase. Operands: stage, phase, how many stages the leaves fill, where shared memory begins, the
  /// maps of x and y, and where the tile begins in x and in y.
  std::string producer() const {
    std::string out = fmt::format(
        "{{\n"
        "\t.reg .pred p;\n"
        "\t.reg .b32 left, full, to, box, leaf, at_leaf, side;\n"
        "\tmov.b32 $0, $2;\n\tmov.b32 $1, $3;\n"
        "\tmov.b32 left, $4;\n"
        "\tmov.b32 leaf, 0;\n"
        "\tsetp.eq.u32 p, left, 0;\n\t@p bra done;\n"
        "next:\n"
        "\tmad.lo.u32 full, $0, 8, $5;\n\tadd.u32 full, full, {barriers};\n"
        "waiting:\n"
        "\tmbarrier.try_wait.parity.shared::cta.b64 p, [full + {empty}], $1;\n\t@!p bra waiting;\n"
        "\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [full], {bytes};\n"
        "\tmad.lo.u32 to, $0, {bytes}, $5;\n",
        fmt::arg("barriers", tiles_.stages * tiles_.stage_bytes()), fmt::arg("empty", tiles_.stages * 8),
        fmt::arg("bytes", tiles_.stage_bytes()));
    std::size_t begin = 8;
    out += copies(tiles_.x, tiles_.rows, "$6", begin, 0);
    begin += tiles_.x.rank;
    out += copies(tiles_.y, tiles_.columns, "$7", begin, tiles_.rows * MmaTiles::row_bytes);
    out += fmt::format("\tadd.u32 leaf, leaf, {};\n", tiles_.depth()) + advance() +
           "\tsub.u32 left, left, 1;\n\tsetp.ne.u32 p, left, 0;\n\t@p bra next;\n"
           "done:\n}";
    return out;
  }

  /// Gives stage, phase and the fragment. Operands: stage, phase, how many stages the leaves fill, where shared memory
  /// begins, and where the rows of this warp group begin in the first stage.
  std::string consumer() const {
    const auto count = static_cast<std::size_t>(tiles_.fragment());
    const auto operand = [&](std::size_t k) { return fmt::format("${}", 2 + count + k); };
    std::string sums, zeros;
    for (std::size_t k = 0; k < count; ++k) {
      sums += fmt::format("{}${}", k == 0 ? "" : ", ", 2 + k);
      zeros += fmt::format("\tmov.b32 ${}, 0;\n", 2 + k);
    }
    std::string products;
    for (std::int64_t k = 0; k < MmaTiles::row_bytes / step_bytes; ++k) {
      products += fmt::format("\tadd.s64 x, of_x, {};\n\tadd.s64 y, of_y, {};\n\t{} {{{}}}, x, y, adds, 1, 1{};\n",
                              step(tiles_.x) * k, step(tiles_.y) * k, instruction(tiles_.columns), sums,
                              transposed(tiles_.x) + transposed(tiles_.y));
    }
    return fmt::format(
        "{{\n"
        "\t.reg .pred p, q, adds;\n"
        "\t.reg .b32 left, full, at, before, lane;\n"
        "\t.reg .b64 x, y, of_x, of_y;\n"
        "\tmov.b32 $0, {stage};\n\tmov.b32 $1, {phase};\n"
        "{zeros}"
        "\tmov.b32 left, {left};\n"
        "\tmov.u32 lane, %laneid;\n"
        "\tmov.b32 before, 0;\n\tsetp.eq.u32 adds, before, 0;\n"
        "\tsetp.eq.u32 p, left, 0;\n\t@p bra done;\n"
        "next:\n"
        "\tmad.lo.u32 full, $0, 8, {shared};\n\tadd.u32 full, full, {barriers};\n"
        "waiting:\n"
        "\tmbarrier.try_wait.parity.shared::cta.b64 p, [full], $1;\n\t@!p bra waiting;\n"
        "\tmad.lo.u32 at, $0, {bytes}, {rows};\n\tshr.u32 at, at, 4;\n"
        "\tcvt.u64.u32 of_x, at;\n\tor.b64 of_x, of_x, {x_bits};\n"
        "\tmad.lo.u32 at, $0, {bytes}, {shared};\n\tadd.u32 at, at, {y_offset};\n\tshr.u32 at, at, 4;\n"
        "\tcvt.u64.u32 of_y, at;\n\tor.b64 of_y, of_y, {y_bits};\n"
        "\twgmma.fence.sync.aligned;\n"
        "{products}"
        "\twgmma.commit_group.sync.aligned;\n"
        // The products of the stage before are done when no others than these are under way.
        "\twgmma.wait_group.sync.aligned 1;\n"
        "\tsetp.ne.u32 p, before, 0;\n\tsetp.eq.and.u32 q, lane, 0, p;\n"
        "\t@q mbarrier.arrive.shared::cta.b64 _, [before];\n"
        "\tadd.u32 before, full, {empty};\n"
        "{advance}"
        "\tsub.u32 left, left, 1;\n\tsetp.ne.u32 p, left, 0;\n\t@p bra next;\n"
        "\twgmma.wait_group.sync.aligned 0;\n"
        "\tsetp.eq.u32 q, lane, 0;\n\t@q mbarrier.arrive.shared::cta.b64 _, [before];\n"
        "done:\n}}",
        fmt::arg("stage", operand(0)), fmt::arg("phase", operand(1)), fmt::arg("left", operand(2)),
        fmt::arg("shared", operand(3)), fmt::arg("rows", operand(4)), fmt::arg("zeros", zeros),
        fmt::arg("barriers", tiles_.stages * tiles_.stage_bytes()), fmt::arg("empty", tiles_.stages * 8),
        fmt::arg("bytes", tiles_.stage_bytes()), fmt::arg("y_offset", tiles_.rows * MmaTiles::row_bytes),
        fmt::arg("x_bits", descriptor(tiles_.x)), fmt::arg("y_bits", descriptor(tiles_.y)),
        fmt::arg("products", products), fmt::arg("advance", advance()));
  }

 private:
  /// To the next stage; the phase changes where the first one follows.
  std::string advance() const {
    return fmt::format("\tadd.u32 $0, $0, 1;\n\tsetp.eq.u32 p, $0, {};\n\t@p xor.b32 $1, $1, 1;\n\t@p mov.b32 $0, 0;\n",
                       tiles_.stages);
  }

  const MmaTiles& tiles_;
};

}  // namespace

struct Emitter::MmaParts {
  const kernel::Operation& operation;
  const MmaTiles& tiles;
  kernel::MmaOperands operands;
  MmaTileTexts texts{tiles};
  llvm::Value* thread = nullptr;
  llvm::Value* shared = nullptr;  ///< where shared memory begins, as 32 bits
  llvm::Value* steps = nullptr;   ///< stages that the leaves fill
  llvm::BasicBlock* tail = nullptr;
};

void Emitter::emit_mma_tiles(const kernel::Operation& operation) {
  const MmaTiles& tiles = program_.mma_tiles[static_cast<std::size_t>(operation.number)];
  if (tiles.by_warps) return emit_mma_warps(operation, tiles);
  MmaParts parts{operation, tiles, {operation, tiles}};
  llvm::Type* word = b_.getInt32Ty();
  parts.tail = block_before("tiled", b_.GetInsertBlock()->getNextNode());
  parts.thread = b_.CreateIntrinsic(word, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  parts.shared = b_.CreatePtrToInt(value(parts.operands.room), word);
  const auto depth = b_.getInt64(static_cast<std::uint64_t>(tiles.depth()));
  llvm::Value* rounded = b_.CreateAdd(value(parts.operands.leaves), b_.CreateSub(depth, b_.getInt64(1)));
  parts.steps = b_.CreateTrunc(b_.CreateUDiv(rounded, depth), word);
  llvm::Value* barriers =
      b_.CreateAdd(parts.shared, b_.getInt32(static_cast<std::uint32_t>(tiles.stages * tiles.stage_bytes())));
  make_mma_barriers(parts.thread, barriers, tiles.stages, tiles.consumers(), parts.tail);

  llvm::Value* consumers = b_.getInt32(static_cast<std::uint32_t>(tiles.consumers()));
  llvm::BasicBlock* others = block_before("producers", parts.tail);
  llvm::BasicBlock* producer = block_before("producer", parts.tail);
  llvm::BasicBlock* consumer = block_before("consumers", parts.tail);
  b_.CreateCondBr(b_.CreateICmpUGE(parts.thread, consumers), others, consumer);
  b_.SetInsertPoint(others);
  limit_registers(tiles.consumers(), false);
  b_.CreateCondBr(b_.CreateICmpEQ(parts.thread, consumers), producer, parts.tail);
  b_.SetInsertPoint(producer);
  // The producer finds every stage empty at first: it waits for the phase before the first one.
  each_mma_tile(parts, 1, [&](llvm::Value* tile, MmaPipeline at) { return produce_mma_tile(parts, tile, at); });
  b_.SetInsertPoint(consumer);
  limit_registers(tiles.consumers(), true);
  each_mma_tile(parts, 0, [&](llvm::Value* tile, MmaPipeline at) { return consume_mma_tile(parts, tile, at); });
  b_.SetInsertPoint(parts.tail);
}

/// Assembly with effects, which all threads of a warp execute together.
llvm::Value* Emitter::together(llvm::Type* result, const std::string& text, const std::string& constraints,
                               llvm::ArrayRef<llvm::Value*> values) {
  llvm::CallInst* call = emit_assembly(b_, result, text, constraints, values, true);
  call->addFnAttr(llvm::Attribute::Convergent);
  return call;
}

/// The first thread makes barriers for `stages` stages, from so many bytes of shared memory on, and the others wait for
/// it. Those of full stages come first; each warp of the consumers says that a stage is empty.
void Emitter::make_mma_barriers(llvm::Value* thread, llvm::Value* barriers, std::int64_t stages, std::int64_t consumers,
                                llvm::BasicBlock* tail) {
  llvm::BasicBlock* first = block_before("first", tail);
  llvm::BasicBlock* ready = block_before("ready", tail);
  b_.CreateCondBr(b_.CreateICmpEQ(thread, b_.getInt32(0)), first, ready);
  b_.SetInsertPoint(first);
  const auto make = [&](std::int64_t offset, std::int64_t arrivals) {
    together(b_.getVoidTy(), fmt::format("mbarrier.init.shared::cta.b64 [$0 + {}], {};", offset, arrivals),
             "r,~{memory}", {barriers});
  };
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    make(8 * stage, 1);
    make(8 * (stages + stage), consumers / kernel::threads_of_a_warp);
  }
  together(b_.getVoidTy(), "fence.mbarrier_init.release.cluster;", "~{memory}", {});
  b_.CreateBr(ready);
  b_.SetInsertPoint(ready);
  b_.CreateIntrinsic(b_.getVoidTy(), llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b_.getInt32(0)});
}

/// Where there are two groups of consumers or more, they get registers that the producer does without: all together
/// have as many as with an equal share for each thread.
void Emitter::limit_registers(std::int64_t consumers, bool consumes) {
  constexpr std::int64_t unit = 8, most = 240, of_producer = 40;
  constexpr std::int64_t of_multiprocessor = kernel::h100.registers / MmaTiles::group;
  const std::int64_t groups = consumers / MmaTiles::group;
  if (groups < 2) return;
  const std::int64_t equal = of_multiprocessor / (groups + 1) / unit * unit;
  const std::int64_t of_consumer = std::min(most, (equal * (groups + 1) - of_producer) / groups / unit * unit);
  together(b_.getVoidTy(),
           fmt::format("setmaxnreg.{}.sync.aligned.u32 {};", consumes ? "inc" : "dec",
                       consumes ? of_consumer : of_producer),
           "~{memory}", {});
}

/// Emits the loop over the tiles of the block.
void Emitter::each_mma_tile(const MmaParts& parts, std::uint32_t first_phase,
                            llvm::function_ref<MmaPipeline(llvm::Value* tile, MmaPipeline)> body) {
  llvm::Type* word = b_.getInt32Ty();
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = block_before("tile", parts.tail);
  llvm::BasicBlock* inside = block_before("within", parts.tail);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  auto* tile = b_.CreatePHI(b_.getInt64Ty(), 2);
  auto* stage = b_.CreatePHI(word, 2);
  auto* phase = b_.CreatePHI(word, 2);
  tile->addIncoming(value(parts.operands.first), before);
  stage->addIncoming(b_.getInt32(0), before);
  phase->addIncoming(b_.getInt32(first_phase), before);
  b_.CreateCondBr(b_.CreateICmpSLT(tile, value(parts.operands.limit)), inside, parts.tail);
  b_.SetInsertPoint(inside);
  const MmaPipeline after = body(tile, MmaPipeline{stage, phase});
  llvm::BasicBlock* last = b_.GetInsertBlock();
  tile->addIncoming(b_.CreateAdd(tile, value(parts.operands.step)), last);
  stage->addIncoming(after.stage, last);
  phase->addIncoming(after.phase, last);
  b_.CreateBr(head);
}

Emitter::MmaPipeline Emitter::produce_mma_tile(const MmaParts& parts, llvm::Value* tile, MmaPipeline at) {
  const kernel::Region& where = parts.operation.regions[0];
  llvm::Type* word = b_.getInt32Ty();
  values_[where.parameters[0].id] = tile;
  emit(where);
  llvm::SmallVector<llvm::Value*, 16> given{
      at.stage, at.phase, parts.steps, parts.shared, tensor_maps_[parts.tiles.x.map], tensor_maps_[parts.tiles.y.map]};
  std::string constraints = "=&r,=&r,r,r,r,r,l,l";
  for (const kernel::Value begin : std::span(where.yields).first(where.yields.size() - 1)) {
    given.push_back(b_.CreateTrunc(value(begin), word));
    constraints += ",r";
  }
  llvm::Value* made =
      together(llvm::StructType::get(word, word), parts.texts.producer(), constraints + ",~{memory}", given);
  return {b_.CreateExtractValue(made, 0), b_.CreateExtractValue(made, 1)};
}

Emitter::MmaPipeline Emitter::consume_mma_tile(const MmaParts& parts, llvm::Value* tile, MmaPipeline at) {
  const kernel::Region& then = parts.operation.regions[1];
  llvm::Type* word = b_.getInt32Ty();
  llvm::Value* group = b_.CreateLShr(parts.thread, std::uint64_t{7});
  constexpr auto bytes = static_cast<std::uint32_t>(MmaTiles::group_rows * MmaTiles::row_bytes);
  llvm::Value* rows = b_.CreateAdd(parts.shared, b_.CreateMul(group, b_.getInt32(bytes)));
  llvm::SmallVector<llvm::Type*, 130> types{word, word};
  std::string constraints = "=&r,=&r";
  for (std::size_t k = 1; k < then.parameters.size(); ++k) {
    types.push_back(type(program_.type(then.parameters[k])));
    constraints += ",=&f";
  }
  llvm::Value* made =
      together(llvm::StructType::get(context_, types), parts.texts.consumer(), constraints + ",r,r,r,r,r,~{memory}",
               {at.stage, at.phase, parts.steps, parts.shared, rows});
  values_[then.parameters[0].id] = tile;
  for (unsigned k = 1; k < then.parameters.size(); ++k) {
    values_[then.parameters[k].id] = b_.CreateExtractValue(made, k + 1);
  }
  const MmaPipeline after{b_.CreateExtractValue(made, 0), b_.CreateExtractValue(made, 1)};
  emit(then);
  return after;
}

}  // namespace reckon::codegen
