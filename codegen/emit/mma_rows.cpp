// Rows of one product on the tensor cores of sm_90a, and the product of what is made of them (kernel/mma_rows.h). One
// thread of the last warp group, the producer, has the copy engine fill x and the slots in shared memory, in the order
// in which the consumers need them: x, then tile after tile of y, and in the last pass of z after each. The consumers
// multiply a tile of y as soon as it is there; its fragment stays in their registers, and what is made of it is the
// factor of the second product, which an instruction takes from registers. A warp group computes the elements of a tile
// while tensor cores multiply what other warp groups need, and has its next tile multiplied together with what was made
// of this one (Shah and others, "FlashAttention-3", 2024, section 3.2).
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions", "Register Fragments for
// wgmma.mma_async.m64nNk16" (A and D), "mbarrier".
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <span>

#include "codegen/emit/emitter.h"
#include "codegen/emit/mma_texts.h"
#include "kernel/gpu.h"

namespace reckon::codegen {
namespace {

using kernel::MmaFactor;
using kernel::MmaRows;
using kernel::MmaTiles;

/// The assembly of the roles.
class MmaRowTexts : MmaTexts {
 public:
  explicit MmaRowTexts(const MmaRows& rows) : MmaTexts(rows.unit), rows_(rows) {}

  /// Fills so many parts of a factor, when their room is empty. Operands: the room, its barriers of full and of empty,
  /// the phase, the map, and where the factor begins.
  std::string fill(const MmaFactor& factor, std::int64_t side, std::int64_t parts) const {
    const std::int64_t bytes = side * MmaTiles::row_bytes;
    std::string out = fmt::format(
        "{{\n\t.reg .pred p;\n\t.reg .b32 full, to, box, leaf, at_leaf, side;\n"
        "\tmov.b32 to, $0;\n\tmov.b32 full, $1;\n"
        "{}\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [full], {};\n",
        wait("$2", "$3"), parts * bytes);
    for (std::int64_t part = 0; part < parts; ++part) {
      out += fmt::format("\tmov.b32 leaf, {};\n", part * MmaRows::depth) + copies(factor, side, "$4", 5, part * bytes);
    }
    return out + "}";
  }

  /// Gives a fragment of the first product, and waits for it. Operands: the barriers of the full slot and of the empty
  /// one, the phase, where the rows of this warp group begin in x, and the slot.
  std::string first() const {
    const Operands operand{first_sums()};
    return fmt::format("{{\n{}{}{}{}{}}}", registers, truth, wait(operand(0), operand(2)),
                       first_products(0, operand(3), operand(4)), wait_for(0) + arrive(operand(1)));
  }

  /// Gives the sums of the second product, and the next fragment of the first one if there is a next tile. Both are
  /// complete: registers of the factor that was made may not change as long as the second product is under way.
  /// Operands: the sums before, the factor that was made, whether there is a next tile, the barriers of its full slot
  /// and of its empty one, the phase, where the rows of this warp group begin in x, and the slot; the barriers of the
  /// second product's slot, its phase, and the slot.
  std::string both() const {
    const Operands operand{2 * results() + first_sums() + made()};
    std::string out = fmt::format("{{\n{}{}{}", registers, truth, is_next(operand(0)));
    out += fmt::format("\t@!next bra second;\n{}{}second:\n", wait(operand(1), operand(3)),
                       first_products(results(), operand(4), operand(5)));
    out +=
        wait(operand(6), operand(8), "waiting_for_second") + second_products(2 * results() + first_sums(), operand(9));
    return out + wait_for(0) + arrive(operand(2), "next") + arrive(operand(7)) + "}";
  }

  /// The last operand is for how long a thread may sleep, in nanoseconds: one that asks again and again takes issue
  /// slots from the consumers.
  static std::string wait(std::string_view barrier, std::string_view phase, std::string_view label = "waiting") {
    return fmt::format("{0}:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [{1}], {2}, {3};\n\t@!p bra {0};\n", label,
                       barrier, phase, 10'000'000);
  }
  /// Says that the warp is done with what the barrier guards, if this predicate is set.
  static std::string arrive(std::string_view barrier, std::string_view if_set = "") {
    const std::string also = if_set.empty() ? "" : fmt::format("\tand.pred q, q, {};\n", if_set);
    return fmt::format(
        "\t{{\n\t.reg .pred q;\n\t.reg .b32 lane;\n\tmov.u32 lane, %laneid;\n\tsetp.eq.u32 q, lane, 0;\n"
        "{}\t@q mbarrier.arrive.shared::cta.b64 _, [{}];\n\t}}\n",
        also, barrier);
  }

 private:
  /// Instructions for the leaves of a part.
  static constexpr std::int64_t instructions = MmaTiles::row_bytes / step_bytes;
  static constexpr std::string_view registers =
      "\t.reg .pred p, next, none, adds;\n\t.reg .b32 at;\n\t.reg .b64 x, y, of_x, of_y;\n";
  static constexpr std::string_view truth =
      "\tmov.b32 at, 0;\n\tsetp.eq.u32 adds, at, 0;\n\tsetp.ne.u32 none, at, 0;\n";

  /// The operands after the results and other lists.
  struct Operands {
    std::size_t before;
    std::string operator()(std::size_t k) const { return fmt::format("${}", before + k); }
  };
  std::size_t first_sums() const { return static_cast<std::size_t>(rows_.fragment()); }
  std::size_t results() const { return static_cast<std::size_t>(rows_.results()); }
  std::size_t made() const { return first_sums() / 2; }

  static std::string is_next(std::string_view operand) { return fmt::format("\tsetp.ne.u32 next, {}, 0;\n", operand); }
  static std::string wait_for(int groups) { return fmt::format("\twgmma.wait_group.sync.aligned {};\n", groups); }

  /// The instructions for a fragment of the first product, in the operands from this one on, as one group.
  std::string first_products(std::size_t sums, std::string_view rows, std::string_view slot) const {
    std::string out = address("of_x", rows, rows_.x) + address("of_y", slot, rows_.y) + "\twgmma.fence.sync.aligned;\n";
    for (std::int64_t k = 0; k < rows_.parts() * instructions; ++k) {
      const std::int64_t part = k / instructions, within = k % instructions;
      const auto at = [&](const MmaFactor& factor, std::int64_t side) {
        return part * side * MmaTiles::row_bytes / 16 + within * step(factor);
      };
      out += fmt::format("\tadd.s64 x, of_x, {};\n\tadd.s64 y, of_y, {};\n\t{} {{{}}}, x, y, {}, 1, 1{};\n",
                         at(rows_.x, rows_.rows), at(rows_.y, rows_.columns), instruction(rows_.columns),
                         list(sums, first_sums()), k == 0 ? "none" : "adds", transposed(rows_.x) + transposed(rows_.y));
    }
    return out + "\twgmma.commit_group.sync.aligned;\n";
  }
  /// The same for the second product, whose sums are the first operands, and whose factor begins with this operand.
  std::string second_products(std::size_t factor, std::string_view slot) const {
    std::string out = address("of_y", slot, rows_.z) + "\twgmma.fence.sync.aligned;\n";
    for (std::int64_t k = 0; k < rows_.columns / MmaRows::depth * instructions; ++k) {
      const std::int64_t part = k / instructions, within = k % instructions;
      out +=
          fmt::format("\tadd.s64 y, of_y, {};\n\t{} {{{}}}, {{{}}}, y, adds, 1, 1{};\n",
                      part * rows_.width * MmaTiles::row_bytes / 16 + within * step(rows_.z), instruction(rows_.width),
                      list(0, results()), list(factor + 4 * static_cast<std::size_t>(k), 4), transposed(rows_.z));
    }
    return out + "\twgmma.commit_group.sync.aligned;\n";
  }

  static std::string list(std::size_t first, std::size_t count) {
    std::string out;
    for (std::size_t k = 0; k < count; ++k) out += fmt::format("{}${}", k == 0 ? "" : ", ", first + k);
    return out;
  }
  std::string address(std::string_view name, std::string_view at, const MmaFactor& factor) const {
    return fmt::format("\tshr.u32 at, {1}, 4;\n\tcvt.u64.u32 {0}, at;\n\tor.b64 {0}, {0}, {2};\n", name, at,
                       descriptor(factor));
  }

  const MmaRows& rows_;
};

}  // namespace

class Emitter::MmaRowEmitter {
 public:
  MmaRowEmitter(Emitter& emitter, const kernel::Operation& operation)
      : e_(emitter),
        b_(emitter.b_),
        operation_(operation),
        rows_(emitter.program_.mma_rows[static_cast<std::size_t>(operation.number)]),
        operands_(operation, rows_),
        texts_(rows_),
        word_(b_.getInt32Ty()) {}

  void emit() {
    tail_ = e_.block_before("after_rows", b_.GetInsertBlock()->getNextNode());
    thread_ = b_.CreateIntrinsic(word_, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
    shared_ = b_.CreatePtrToInt(e_.value(operands_.room), word_);
    barriers_ = further(shared_, rows_.x_bytes() + rows_.slots * rows_.slot_bytes());
    e_.make_mma_barriers(thread_, barriers_, rows_.slots + 1, rows_.consumers(), tail_);
    llvm::Value* consumers = b_.getInt32(static_cast<std::uint32_t>(rows_.consumers()));
    llvm::BasicBlock* others = e_.block_before("producers", tail_);
    llvm::BasicBlock* producer = e_.block_before("producer", tail_);
    llvm::BasicBlock* consumer = e_.block_before("consumers", tail_);
    b_.CreateCondBr(b_.CreateICmpUGE(thread_, consumers), others, consumer);
    b_.SetInsertPoint(others);
    e_.limit_registers(rows_.consumers(), false);
    b_.CreateCondBr(b_.CreateICmpEQ(thread_, consumers), producer, tail_);
    b_.SetInsertPoint(producer);
    // The producer finds all room empty at first: it waits for the phase before the first one.
    each_item(1, [&](llvm::Value* item, State state) { return produce(item, state); });
    b_.SetInsertPoint(consumer);
    e_.limit_registers(rows_.consumers(), true);
    each_item(0, [&](llvm::Value* item, State state) { return consume(item, state); });
    b_.SetInsertPoint(tail_);
  }

 private:
  /// What loops carry: the next slot, the parity of its barriers' phase, that of x's barriers, and more.
  using State = Places;
  enum : std::size_t { slot, phase, phase_of_x, more };
  using Body = llvm::function_ref<State(llvm::Value* index, State state)>;
  struct Columns {
    llvm::Value *first = nullptr, *limit = nullptr;
  };

  llvm::Value* further(llvm::Value* address, std::int64_t bytes) {
    return b_.CreateAdd(address, b_.getInt32(static_cast<std::uint32_t>(bytes)));
  }
  llvm::Value* times(llvm::Value* number, std::int64_t factor) {
    return b_.CreateMul(number, b_.getInt32(static_cast<std::uint32_t>(factor)));
  }
  llvm::Value* room_of(llvm::Value* number) {
    return b_.CreateAdd(further(shared_, rows_.x_bytes()), times(number, rows_.slot_bytes()));
  }
  llvm::Value* full(llvm::Value* number) { return b_.CreateAdd(barriers_, times(number, 8)); }
  llvm::Value* empty(llvm::Value* number) { return further(full(number), 8 * (rows_.slots + 1)); }
  /// x has the barriers after those of the slots.
  llvm::Value* full_of_x() { return further(barriers_, 8 * rows_.slots); }
  llvm::Value* empty_of_x() { return further(full_of_x(), 8 * (rows_.slots + 1)); }

  /// Goes one slot further, or none.
  void advance(State& state, llvm::Value* slots) {
    llvm::Value* next = b_.CreateAdd(state[slot], slots);
    llvm::Value* is_last = b_.CreateICmpEQ(next, b_.getInt32(static_cast<std::uint32_t>(rows_.slots)));
    state[slot] = b_.CreateSelect(is_last, b_.getInt32(0), next);
    state[phase] = b_.CreateXor(state[phase], b_.CreateZExt(is_last, word_));
  }

  /// Emits `for (index = first; index < limit; index += step)`.
  State loop(llvm::Value* first, llvm::Value* limit, llvm::Value* step, State state, Body body) {
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* end = e_.block_before("ended", before->getNextNode());
    llvm::BasicBlock* head = e_.block_before("head", end);
    llvm::BasicBlock* inside = e_.block_before("inside", end);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    auto* index = b_.CreatePHI(first->getType(), 2);
    index->addIncoming(first, before);
    llvm::SmallVector<llvm::PHINode*> carried;
    for (llvm::Value*& each : state) {
      carried.push_back(b_.CreatePHI(each->getType(), 2));
      carried.back()->addIncoming(each, before);
      each = carried.back();
    }
    b_.CreateCondBr(b_.CreateICmpSLT(index, limit), inside, end);
    b_.SetInsertPoint(inside);
    const State next = body(index, state);
    llvm::BasicBlock* last = b_.GetInsertBlock();
    index->addIncoming(b_.CreateAdd(index, step), last);
    for (std::size_t k = 0; k < carried.size(); ++k) carried[k]->addIncoming(next[k], last);
    llvm::BranchInst* back = b_.CreateBr(head);
    back->setMetadata(llvm::LLVMContext::MD_loop, e_.without_unrolling());
    b_.SetInsertPoint(end);
    return state;
  }

  void each_item(std::uint32_t first_phase, Body body) {
    llvm::Value* parity = b_.getInt32(first_phase);
    loop(e_.value(operands_.first), e_.value(operands_.limit), e_.value(operands_.step),
         {b_.getInt32(0), parity, parity}, body);
    b_.CreateBr(tail_);
  }
  State each_tile(const Columns& columns, State state, Body body) {
    return loop(columns.first, columns.limit, b_.getInt64(static_cast<std::uint64_t>(rows_.columns)), std::move(state),
                body);
  }

  /// Emits region 0; gives where the factors begin, and the columns.
  std::pair<Places, Columns> begin_of(llvm::Value* item) {
    const kernel::Region& where = operation_.regions[0];
    e_.values_[where.parameters[0].id] = item;
    e_.emit(where);
    Places begin;
    for (const kernel::Value each : where.yields) begin.push_back(e_.value(each));
    Columns columns;
    columns.limit = begin.pop_back_val();
    columns.first = begin.pop_back_val();
    for (llvm::Value*& each : begin) each = b_.CreateTrunc(each, word_);
    return {begin, columns};
  }

  void fill(const MmaFactor& factor, std::int64_t side, std::int64_t parts, llvm::ArrayRef<llvm::Value*> rooms,
            llvm::ArrayRef<llvm::Value*> begin) {
    Places given(rooms.begin(), rooms.end());
    given.push_back(e_.tensor_maps_[factor.map]);
    given.append(begin.begin(), begin.end());
    std::string constraints = "r,r,r,r,l";
    for (std::size_t k = 0; k < begin.size(); ++k) constraints += ",r";
    e_.together(b_.getVoidTy(), texts_.fill(factor, side, parts), constraints + ",~{memory}", given);
  }

  State produce(llvm::Value* item, State state) {
    const auto [begin, columns] = begin_of(item);
    const llvm::ArrayRef<llvm::Value*> all = begin;
    fill(rows_.x, rows_.rows, rows_.parts(), {shared_, full_of_x(), empty_of_x(), state[phase_of_x]},
         all.take_front(rows_.x.rank));
    state[phase_of_x] = b_.CreateXor(state[phase_of_x], b_.getInt32(1));
    const auto fill_slot = [&](State& at, const MmaFactor& factor, std::size_t first, std::uint32_t dimension,
                               std::int64_t side, std::int64_t parts, llvm::Value* column) {
      Places place(all.slice(first, factor.rank));
      place[dimension] = b_.CreateAdd(place[dimension], b_.CreateTrunc(column, word_));
      fill(factor, side, parts, {room_of(at[slot]), full(at[slot]), empty(at[slot]), at[phase]}, place);
      advance(at, b_.getInt32(1));
    };
    for (std::int64_t pass = 0; pass < rows_.passes; ++pass) {
      state = each_tile(columns, state, [&](llvm::Value* column, State at) {
        fill_slot(at, rows_.y, rows_.x.rank, rows_.y.of_side, rows_.columns, rows_.parts(), column);
        if (pass + 1 < rows_.passes) return at;
        fill_slot(at, rows_.z, std::size_t{rows_.x.rank} + rows_.y.rank, rows_.z.of_leaf, rows_.width,
                  rows_.columns / MmaRows::depth, column);
        return at;
      });
    }
    return state;
  }

  void bind(const kernel::Region& region, std::size_t first, llvm::ArrayRef<llvm::Value*> values) {
    for (std::size_t k = 0; k < values.size(); ++k) e_.values_[region.parameters[first + k].id] = values[k];
  }
  Places yields(const kernel::Region& region) {
    Places out;
    for (const kernel::Value each : region.yields) out.push_back(e_.value(each));
    return out;
  }

  State consume(llvm::Value* item, State state) {
    const Columns columns = begin_of(item).second;
    e_.together(b_.getVoidTy(), "{\n\t.reg .pred p;\n" + texts_.wait("$0", "$1") + "}", "r,r,~{memory}",
                {full_of_x(), state[phase_of_x]});
    state[phase_of_x] = b_.CreateXor(state[phase_of_x], b_.getInt32(1));
    Places carried;
    for (std::int64_t pass = 0; pass < rows_.passes; ++pass) {
      const kernel::Region& begin = operation_.regions[MmaRows::begin_of(pass)];
      bind(begin, 0, item);
      bind(begin, 1, carried);
      e_.emit(begin);
      carried = yields(begin);
      carried = pass + 1 < rows_.passes ? consume_pass(pass, item, columns, state, carried)
                                        : consume_last_pass(item, columns, state, carried);
    }
    e_.together(b_.getVoidTy(), texts_.arrive("$0"), "r,~{memory}", {empty_of_x()});
    const kernel::Region& end = operation_.regions.back();
    const llvm::ArrayRef<llvm::Value*> all = carried;
    bind(end, 0, item);
    bind(end, 1, all.take_back(results()));
    bind(end, 1 + results(), all.drop_back(results()));
    e_.emit(end);
    return state;
  }

  /// Gives what the pass carries at its end.
  Places consume_pass(std::int64_t pass, llvm::Value* item, const Columns& columns, State& state,
                      const Places& carried) {
    const kernel::Region& region = operation_.regions[MmaRows::tile_of(pass)];
    State inside = state;
    inside.append(carried);
    inside = each_tile(columns, inside, [&](llvm::Value* first, State at) {
      bind(region, 0, {item, first});
      bind(region, 2 + fragment(), llvm::ArrayRef<llvm::Value*>(at).drop_front(more));
      bind(region, 2, first_product(at));
      e_.emit(region);
      at.truncate(more);
      at.append(yields(region));
      return at;
    });
    return split(inside, state, more);
  }

  /// The next tile of the first product is under way while a tile is added to the second product. Gives what the pass
  /// carries at its end, and the sums.
  Places consume_last_pass(llvm::Value* item, const Columns& columns, State& state, const Places& carried) {
    const kernel::Region& region = operation_.regions[MmaRows::tile_of(rows_.passes - 1)];
    State inside = state;
    const Places begun = first_product(inside);
    inside.append(begun);
    inside.append(carried);
    inside.append(results(), llvm::ConstantFP::get(b_.getFloatTy(), 0));
    inside = each_tile(columns, inside, [&](llvm::Value* first, State at) {
      const llvm::ArrayRef<llvm::Value*> all = at;
      bind(region, 0, {item, first});
      bind(region, 2, all.slice(more).drop_back(results()));
      e_.emit(region);
      const Places made = yields(region);
      const llvm::ArrayRef<llvm::Value*> all_made = made;
      llvm::Value* next = has_next(first, columns);
      Places given(all.take_back(results()));
      given.append(words_of(all_made.take_front(fragment())));
      llvm::Value *second = at[slot], *second_phase = at[phase];
      State after(all.take_front(more));
      advance(after, b_.getInt32(1));
      given.append({next, full(after[slot]), empty(after[slot]), after[phase], rows_of_group(), room_of(after[slot]),
                    full(second), empty(second), second_phase, room_of(second)});
      advance(after, next);
      std::string constraints = tied(0, results());
      for (std::size_t k = 0; k < fragment() / 2 + 10; ++k) constraints += k == 0 ? "r" : ",r";
      const Places sums = numbers(results() + fragment(), texts_.both(), constraints, given);
      const llvm::ArrayRef<llvm::Value*> all_sums = sums;
      const llvm::ArrayRef<llvm::Value*> next_fragment = all_sums.drop_front(results());
      after.append(next_fragment.begin(), next_fragment.end());
      const llvm::ArrayRef<llvm::Value*> next_carried = all_made.drop_front(fragment());
      after.append(next_carried.begin(), next_carried.end());
      after.append(all_sums.begin(), all_sums.begin() + static_cast<std::ptrdiff_t>(results()));
      return after;
    });
    return split(inside, state, more + fragment());
  }

  std::size_t fragment() const { return static_cast<std::size_t>(rows_.fragment()); }
  std::size_t results() const { return static_cast<std::size_t>(rows_.results()); }

  /// Gives what stands from `from` on, and keeps the pipeline's state.
  static Places split(const State& inside, State& state, std::size_t from) {
    state.assign(inside.begin(), inside.begin() + more);
    return Places(inside.begin() + static_cast<std::ptrdiff_t>(from), inside.end());
  }
  /// Constraints of operands that are in the registers of these results, from which on they are changed.
  static std::string tied(std::size_t first, std::size_t count) {
    std::string out;
    for (std::size_t k = 0; k < count; ++k) out += fmt::format("{},", first + k);
    return out;
  }
  /// 1 if a tile follows the one that begins with this column, or else 0.
  llvm::Value* has_next(llvm::Value* first, const Columns& columns) {
    llvm::Value* following = b_.CreateAdd(first, b_.getInt64(static_cast<std::uint64_t>(rows_.columns)));
    return b_.CreateZExt(b_.CreateICmpSLT(following, columns.limit), word_);
  }
  llvm::Value* rows_of_group() {
    llvm::Value* group = b_.CreateLShr(thread_, std::uint64_t{7});
    return b_.CreateAdd(shared_, times(group, MmaTiles::group_rows * MmaTiles::row_bytes));
  }

  /// The values of an assembly that gives numbers.
  Places numbers(std::size_t count, const std::string& text, const std::string& constraints,
                 llvm::ArrayRef<llvm::Value*> given) {
    llvm::SmallVector<llvm::Type*, 128> types(count, b_.getFloatTy());
    std::string all;
    for (std::size_t k = 0; k < count; ++k) all += "=&f,";
    llvm::Value* made =
        e_.together(llvm::StructType::get(e_.context_, types), text, all + constraints + ",~{memory}", given);
    Places out;
    for (unsigned k = 0; k < count; ++k) out.push_back(b_.CreateExtractValue(made, k));
    return out;
  }

  Places first_product(State& at) {
    Places out = numbers(fragment(), texts_.first(), "r,r,r,r,r",
                         {full(at[slot]), empty(at[slot]), at[phase], rows_of_group(), room_of(at[slot])});
    advance(at, b_.getInt32(1));
    return out;
  }

  /// The patterns of numbers of the operand's format, two in a word.
  Places words_of(llvm::ArrayRef<llvm::Value*> made) {
    // As the f32s that hold them: ptxas takes halves of 16 bits apart and puts them together again.
    const bool are_halves = *rows_.unit.operand == numerics::Format::f16;
    constexpr std::uint32_t upper_halves = 0x7632;
    Places out;
    for (std::size_t k = 0; k < made.size(); k += 2) {
      llvm::Value *low = made[k], *high = made[k + 1];
      llvm::Value* word = are_halves
                              ? b_.CreateIntrinsic(llvm::Intrinsic::nvvm_ff2f16x2_rn, {}, {high, low})
                              : b_.CreateIntrinsic(llvm::Intrinsic::nvvm_prmt, {},
                                                   {b_.CreateBitCast(low, word_), b_.CreateBitCast(high, word_),
                                                    b_.getInt32(upper_halves)});
      out.push_back(b_.CreateBitCast(word, word_));
    }
    return out;
  }

  Emitter& e_;
  Builder& b_;
  const kernel::Operation& operation_;
  const MmaRows& rows_;
  kernel::MmaRowsOperands operands_;
  MmaRowTexts texts_;
  llvm::Type* word_;
  llvm::Value *thread_ = nullptr, *shared_ = nullptr, *barriers_ = nullptr;
  llvm::BasicBlock* tail_ = nullptr;
};

void Emitter::emit_mma_rows(const kernel::Operation& operation) { MmaRowEmitter(*this, operation).emit(); }

}  // namespace reckon::codegen
