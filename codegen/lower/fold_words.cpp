// Sums of a ring whose addition is that of machine words (fpsan), on PTX: no order has to be followed there, so threads
// work on one sum together. A row that lies in memory as it is summed up is a warp's, a sum that stands alone a block's;
// each thread adds every 32nd term (every 1024th), and `redux.sync.add` adds up the lanes. Other sums stay with one
// thread each, since neighbouring threads then read neighbouring elements (the columns of a matrix product).
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/lower/lowering.h"

namespace reckon::codegen {

using ir::NodeId;
using ir::Op;
using llvm::Value;

namespace {

constexpr std::int64_t warp = 32;
constexpr std::uint32_t block_threads = 1024;
constexpr int terms_at_once = 8;

/// Are the elements that follow each other in the sum neighbours in memory, wherever it reads any?
bool reads_in_order(ir::Module& module, NodeId root, ir::VariableId variable) {
  std::vector<NodeId> pending{root};
  while (!pending.empty()) {
    const ir::Node node = module[pending.back()];
    pending.pop_back();
    if (node.op == Op::reduce || node.op == Op::scan) return false;
    if (node.op == Op::element) {
      for (std::size_t k = 0; k < node.indices.size(); ++k) {
        if (!module.indices().mentions(node.indices[k], variable)) continue;
        if (k + 1 < node.indices.size()) return false;
        const auto affine = module.indices().affine_in(node.indices[k], variable);
        const auto stride = affine ? module.indices().as_constant(affine->stride) : std::nullopt;
        if (stride != 1 && stride != -1) return false;
      }
      if (module[node.operands[0]].op == Op::parameter || module.free_variables(node.operands[0]).empty()) continue;
    }
    pending.insert(pending.end(), node.operands.begin(), node.operands.end());
  }
  return true;
}

}  // namespace

/// The sum of a thread: terms first, first + step, ... Several at a time, so that as many loads are under way.
Value* Lowering::every_so_many(const FoldSite& site, Value* first, Value* step, Value* length) {
  const Values several = while_loop(
      {first, zeros(site)[0]},
      [&](const Values& now) {
        return b_.CreateICmpSLT(b_.CreateAdd(now[0], b_.CreateMul(step, i64(terms_at_once - 1))), length);
      },
      [&](const Values& now) {
        Values sum{now[1]};
        Value* position = now[0];
        for (int k = 0; k < terms_at_once; ++k) {
          sum = join(site, sum, leaf(site, position));
          position = b_.CreateAdd(position, step);
        }
        return Values{position, sum[0]};
      });
  return while_loop(
      several, [&](const Values& now) { return b_.CreateICmpSLT(now[0], length); },
      [&](const Values& now) {
        const Values sum = join(site, {now[1]}, leaf(site, now[0]));
        return Values{b_.CreateAdd(now[0], step), sum[0]};
      })[1];
}

/// The sum of the values of a warp's lanes, in each of them; all lanes are there.
Value* Lowering::across_lanes(Value* value) {
  llvm::Type* type = value->getType();
  Value* all = b_.getInt32(~0u);
  if (type->getIntegerBitWidth() <= 32) {
    Value* wide = b_.CreateZExt(value, b_.getInt32Ty());
    return b_.CreateTrunc(
        b_.CreateIntrinsic(b_.getInt32Ty(), llvm::Intrinsic::nvvm_redux_sync_add, {wide, all}), type);
  }
  for (std::uint32_t distance = warp / 2; distance > 0; distance /= 2) {
    auto moved = [&](Value* half) {
      return b_.CreateIntrinsic(b_.getInt32Ty(), llvm::Intrinsic::nvvm_shfl_sync_bfly_i32,
                                {all, half, b_.getInt32(distance), b_.getInt32(warp - 1)});
    };
    Value* low = moved(b_.CreateTrunc(value, b_.getInt32Ty()));
    Value* high = moved(b_.CreateTrunc(b_.CreateLShr(value, 32), b_.getInt32Ty()));
    value = b_.CreateAdd(value, b_.CreateOr(b_.CreateZExt(low, type), b_.CreateShl(b_.CreateZExt(high, type), 32)));
  }
  return value;
}

bool Lowering::lower_sum_of_words(const KernelBody& body, Kernel& kernel) {
  if (body.kind == KernelBody::Kind::scan || body.kind == KernelBody::Kind::array) return false;
  const ir::Node node = module_[body.node];
  if (node.op != Op::reduce || module_.reduction_of(node).user || module_.reduction_of(node).operation != Op::add ||
      !code_.adds_words(module_.type(body.node).scalar)) {
    return false;
  }
  const auto operations = module_.schedules().operations(module_.reduction_of(node).schedule);
  for (ir::ScheduleOp unordered : {ir::ScheduleOp::any, ir::ScheduleOp::any_tree, ir::ScheduleOp::any_seq}) {
    if (operations.contains(unordered)) return false;  // refused elsewhere
  }
  const auto extent = module_.indices().as_constant(node.indices[0]);
  if (extent && *extent < warp) return false;
  const bool alone = kernel.items.empty();
  if (!alone && !reads_in_order(module_, node.operands[0], node.variables[0])) return false;

  const FoldSite site = site_of(body.node);
  Value* thread = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
  Value* lane = b_.CreateAnd(thread, i64(warp - 1));
  // The same branch for all threads of an item.
  auto store_sum = [&](Value* item, Value* which, llvm::function_ref<Value*(Value* length)> sum) {
    Value* length = index(site.node.indices[0]);
    auto otherwise = [&] {
      return site.reduction.has_otherwise ? Values{emit(site.node.operands.back())[0]} : zeros(site);
    };
    const Values total = branch(b_.CreateICmpSGT(length, i64(0)), [&] { return Values{sum(length)}; }, otherwise);
    when(b_.CreateICmpEQ(which, i64(0)), [&] { store(kernel.output, item, total[0]); });
  };
  if (!alone) {
    kernel.item_threads = warp;
    ptx_items(body, kernel, [&](Value* item, Value*) {
      store_sum(item, lane,
                [&](Value* length) { return across_lanes(every_so_many(site, lane, i64(warp), length)); });
    });
    return true;
  }

  kernel.one_block = true;
  kernel.threads = block_threads;
  llvm::Type* type = site.state[0];
  kernel.shared_bytes = static_cast<std::uint32_t>(block_threads / warp * bytes_of(type));
  auto* array = llvm::ArrayType::get(type, block_threads / warp);
  auto* shared = new llvm::GlobalVariable(output_, array, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::PoisonValue::get(array), "reckon_shared", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, 3);
  Value* threads = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
  Value* block = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  when(b_.CreateICmpEQ(block, i64(0)), [&] {
    store_sum(i64(0), thread, [&](Value* length) {
      Value* of_warp = across_lanes(every_so_many(site, thread, threads, length));
      when(b_.CreateICmpEQ(lane, i64(0)),
           [&] { store_at(site, {shared}, b_.CreateLShr(thread, 5), {of_warp}); });
      b_.CreateIntrinsic(b_.getVoidTy(), llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b_.getInt32(0)});
      // Every warp adds up the warps' sums: no lane is alone at the instruction.
      const Values found = branch(
          b_.CreateICmpSLT(lane, b_.CreateLShr(threads, 5)), [&] { return load_at(site, {shared}, lane); },
          [&] { return zeros(site); });
      return across_lanes(found[0]);
    });
  });
  return true;
}

}  // namespace reckon::codegen
