// Entry points: how the work items of a kernel are walked on each target, and what one of them computes.
//
// Host: the items begin..end-1 in order, the last dimension innermost, so that what depends on outer indices alone is
// computed once per row and LLVM sees a plain counted loop. PTX: item t of a thread (or of a warp), then t + all
// threads, and so on.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <set>

#include "codegen/lower/lowering.h"
#include "codegen/ptx/assembly.h"

namespace reckon::codegen {

using llvm::Value;

Lowering::Lowering(ir::Module& module, const Planned& planned, const ScalarCode& code, llvm::Module& output,
                   Target target, int chip)
    : module_(module),
      planned_(planned),
      code_(code),
      output_(output),
      context_(output.getContext()),
      target_(target),
      chip_(chip),
      b_(output.getContext()) {}

std::optional<Diagnostic> Lowering::run(Plan& plan) {
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.scalar != ir::Scalar::number) continue;
    return Diagnostic(Code::not_compilable, buffer.source.valid() ? module_.span(buffer.source) : SourceSpan{},
                      "a value of type `number` is not available on `" + std::string(target_name()) +
                          "`; give it a format")
        .help("convert it: `f32(...)`");
  }
  for (std::size_t k = 0; k < plan.kernels.size() && !error_; ++k) lower_kernel(k, plan.kernels[k]);
  plan.faults = std::move(faults_);
  if (code_.has_undefined()) {
    const auto words = static_cast<std::int64_t>((plan.faults.size() + 63) / 64);
    plan.buffers.back().extents = {module_.indices().constant(words)};
  }
  return error_;
}

/// A function over all buffers, all dimensions, and some more integers.
llvm::Function* Lowering::make_function(const std::string& name, bool external, unsigned extra_i64) {
  std::vector<llvm::Type*> types(planned_.plan.buffers.size(), b_.getPtrTy(target_ == Target::ptx ? 1 : 0));
  types.insert(types.end(), planned_.plan.dimensions.size() + extra_i64, b_.getInt64Ty());
  auto* function = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), types, false),
                                          external ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage,
                                          name, output_);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  for (unsigned k = 0; k < planned_.plan.buffers.size(); ++k) {
    function->addParamAttr(k, llvm::Attribute::NoAlias);
    if (target_ == Target::ptx) {
      function->addParamAttr(k, llvm::Attribute::getWithAlignment(context_, llvm::Align(16)));
    }
  }
  return function;
}

void Lowering::enter(llvm::Function* function, unsigned argument) {
  function_ = {};
  function_.function = function;
  for (std::size_t k = 0; k < planned_.plan.buffers.size(); ++k)
    function_.buffers.push_back(function->getArg(argument++));
  for (ir::SymbolId dimension : planned_.plan.dimensions)
    function_.dimensions[dimension] = function->getArg(argument++);
}

Value* Lowering::special_register(llvm::Intrinsic::ID id) {
  return b_.CreateZExt(b_.CreateIntrinsic(b_.getInt32Ty(), id, {}), b_.getInt64Ty());
}

/// A kernel may start while the one before it still runs, and lets the next one start; before it reads anything it
/// waits until the one before is done, and so all before that. (PTX ISA, griddepcontrol; CUDA's programmatic dependent
/// launch.) What was written there is read through pointers that come out of the assembly: nothing is known of them by
/// which a load could move up, or become one of constant memory.
void Lowering::overlap(std::size_t k, Kernel& kernel) {
  constexpr int first_chip = 90;
  const std::size_t count = planned_.plan.kernels.size();
  if (chip_ < first_chip || count == 1) return;
  if (k + 1 < count) emit_assembly(b_, b_.getVoidTy(), "griddepcontrol.launch_dependents;", "~{memory}", {}, true);
  if (k == 0) return;
  kernel.overlaps = true;
  emit_assembly(b_, b_.getVoidTy(), "griddepcontrol.wait;", "~{memory}", {}, true);
  std::set<std::uint32_t> written;
  for (std::size_t before = 0; before < k; ++before) {
    const KernelBody& body = planned_.bodies[before];
    const Kernel& other = planned_.plan.kernels[before];
    for (std::uint32_t part = 0; part < other.outputs; ++part) written.insert(other.output + part);
    for (const KernelBody& step : body.steps) {
      for (std::uint32_t part = 0; part < step.outputs; ++part) written.insert(step.output + part);
    }
  }
  for (std::uint32_t buffer : written) {
    Value* pointer = function_.buffers[buffer];
    Value* after = emit_assembly(b_, pointer->getType(), "mov.b64 $0, $1;", "=l,l,~{memory}", {pointer}, true);
    b_.CreateAlignmentAssumption(output_.getDataLayout(), after, 16);
    function_.buffers[buffer] = after;
  }
}

void Lowering::lower_kernel(std::size_t k, Kernel& kernel) {
  const KernelBody& body = planned_.bodies[k];
  functions_.clear();
  recursive_ = false;
  Scope root;
  Cursor cursor;
  const bool host = target_ == Target::host;
  llvm::Function* function = make_function(host ? kernel.name + "_body" : kernel.name, !host, host ? 2 : 0);
  enter(function, 0);
  begin_function(function, root, cursor);
  if (host) {
    Value* begin = function->getArg(static_cast<unsigned>(function->arg_size()) - 2);
    Value* end = function->getArg(static_cast<unsigned>(function->arg_size()) - 1);
    host_items(body, kernel, begin, end);
  } else {
    function->setCallingConv(llvm::CallingConv::PTX_Kernel);
    overlap(k, kernel);
    if (body.spread == KernelBody::Spread::threads) {
      ptx_items(body, kernel, [&](Value* item, Value* last) { emit_item(body, kernel, item, last); });
    } else if (body.spread == KernelBody::Spread::tiles) {
      lower_tiles(body, kernel);
    } else {
      lower_by_blocks(body, kernel);
    }
  }
  report_faults();
  settle();
  b_.CreateRetVoid();
  cursor.at->eraseFromParent();
  kernel.recursive = recursive_;

  if (!host) return;
  // The entry point unpacks its arrays, so that the body can say that buffers do not overlap.
  llvm::Type* pointer = b_.getPtrTy();
  llvm::Type* word = b_.getInt64Ty();
  auto* entry = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, word, word}, false),
                                       llvm::Function::ExternalLinkage, kernel.name, output_);
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", entry));
  std::vector<Value*> arguments;
  for (std::size_t i = 0; i < planned_.plan.buffers.size(); ++i) {
    arguments.push_back(b_.CreateLoad(pointer, at(pointer, entry->getArg(0), i64(static_cast<std::int64_t>(i)))));
  }
  for (std::size_t i = 0; i < planned_.plan.dimensions.size(); ++i) {
    arguments.push_back(b_.CreateLoad(word, at(word, entry->getArg(1), i64(static_cast<std::int64_t>(i)))));
  }
  arguments.push_back(entry->getArg(2));
  arguments.push_back(entry->getArg(3));
  b_.CreateCall(function, arguments);
  b_.CreateRetVoid();
}

void Lowering::host_items(const KernelBody& body, const Kernel& kernel, Value* begin, Value* end) {
  const auto& items = kernel.items;
  auto bind = [&](std::size_t k, Value* coordinate) {
    if (k < body.space.size()) scope_->variables.push_back({body.space[k].variable, body.space[k].extent, coordinate});
  };
  if (items.empty()) {
    when(b_.CreateICmpSLT(begin, end), [&] { emit_item(body, kernel, i64(0), nullptr); });
    return;
  }
  if (items.size() == 1) {
    for_range(begin, end, [&](Value* item) {
      bind(0, item);
      emit_item(body, kernel, item, item);
    });
    return;
  }
  Value* columns = index(items.back());
  while_loop(
      {begin}, [&](const Values& now) { return b_.CreateICmpSLT(now[0], end); },
      [&](const Values& now) {
        Value* row = b_.CreateUDiv(now[0], columns);
        Value* row_start = multiply(row, columns);
        Value* first = b_.CreateSub(now[0], row_start);
        Value* limit = smaller(columns, b_.CreateSub(end, row_start));
        Value* rest = row;
        for (std::size_t k = items.size() - 1; k-- > 0;) {
          Value* extent = k == 0 ? nullptr : index(items[k]);
          bind(k, extent ? b_.CreateURem(rest, extent) : rest);
          if (extent) rest = b_.CreateUDiv(rest, extent);
        }
        loop(first, limit, i64(1), {}, [&](Value* column, const Values&) {
          bind(items.size() - 1, column);
          emit_item(body, kernel, add(row_start, column), column);
          return Values{};
        });
        return Values{add(row_start, limit)};
      });
}

Value* Lowering::item_count(const Kernel& kernel) {
  Value* total = i64(1);
  for (ir::IndexId extent : kernel.items) total = multiply(total, index(extent));
  return total;
}

/// Every item that this thread, or the block, is for.
void Lowering::ptx_items(const KernelBody& body, const Kernel& kernel,
                         llvm::function_ref<void(Value* item, Value* last)> emit_one) {
  const bool by_threads = kernel.block_items == 0;
  Value* threads = by_threads ? special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x) : nullptr;
  Value* first = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  Value* step = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x);
  if (by_threads) {
    Value* thread = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
    first = b_.CreateAdd(b_.CreateMul(first, threads), thread);
    step = b_.CreateMul(step, threads);
  }
  if (kernel.items.empty()) {
    when(b_.CreateICmpEQ(first, i64(0)), [&] { emit_one(i64(0), nullptr); });
    return;
  }
  Value* total = item_count(kernel);
  when(b_.CreateICmpSLT(first, total), [&] {
    loop(first, total, step, {}, [&](Value* item, const Values&) {
      emit_one(item, bind_item(body, kernel, item));
      return Values{};
    });
  });
}

/// The item that the block is for; it has no other.
void Lowering::one_of_a_block(Kernel& kernel, llvm::function_ref<void(Value* item)> emit_one) {
  kernel.block_items = 1;
  kernel.one_item = true;
  Value* item = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  when(b_.CreateICmpSLT(item, item_count(kernel)), [&] { emit_one(item); });
}

Values Lowering::item_coordinates(const std::vector<ir::IndexId>& extents, Value* item) {
  Values coordinates(extents.size(), nullptr);
  Value* rest = item;
  for (std::size_t k = extents.size(); k-- > 0;) {
    Value* extent = k == 0 ? nullptr : index(extents[k]);
    coordinates[k] = extent ? b_.CreateURem(rest, extent) : rest;
    if (extent) rest = b_.CreateUDiv(rest, extent);
  }
  return coordinates;
}

Value* Lowering::bind_item(const KernelBody& body, const Kernel& kernel, Value* item) {
  const Values coordinates = item_coordinates(kernel.items, item);
  for (std::size_t k = 0; k < body.space.size() && k < coordinates.size(); ++k) {
    scope_->variables.push_back({body.space[k].variable, body.space[k].extent, coordinates[k]});
  }
  return coordinates.empty() ? nullptr : coordinates.back();
}

/// `item` is its number, `last` its coordinate in the last dimension.
void Lowering::emit_item(const KernelBody& body, const Kernel& kernel, Value* item, Value* last) {
  if (error_) return;
  switch (body.kind) {
    case KernelBody::Kind::elements: {
      const Buffer& output = planned_.plan.buffers[kernel.output];
      Value* value = scalar(body.node);
      store_at_offset(kernel.output, output.storage ? place_in(output, body.space) : item, value);
      return;
    }
    case KernelBody::Kind::array: emit_array(body, kernel, item); return;
    case KernelBody::Kind::scan:
      if (body.running) {
        emit_scan(body, kernel, item);
        return;
      }
      break;
    case KernelBody::Kind::fold: break;
    case KernelBody::Kind::rows: return;
  }
  auto fold_of_leaves = [&] {
    const bool prefix = body.kind == KernelBody::Kind::scan;
    const FoldSite site = site_of(body.node);
    return emit_fold(site, prefix ? b_.CreateAdd(last, i64(1)) : index(site.node.indices[0]));
  };
  const Values values = body.nodes ? fold_of_runs(body, kernel, item) : fold_of_leaves();
  for (std::uint32_t k = 0; k < values.size(); ++k) store(kernel.output + k, item, values[k]);
}

/// A whole scan, for the schedules whose prefixes share their work.
void Lowering::emit_scan(const KernelBody& body, const Kernel& kernel, Value* item) {
  const FoldSite site = site_of(body.node);
  carried_out(site, site.reduction.schedule, {ir::MachineLevel::thread});
  Value* length = index(site.node.indices[0]);
  Value* start = multiply(item, length);
  auto keep = [&](Value* position, const Values& values) {
    for (std::uint32_t k = 0; k < values.size(); ++k) store(kernel.output + k, add(start, position), values[k]);
  };
  when(b_.CreateICmpSGT(length, i64(0)), [&] {
    if (module_.schedules()[site.reduction.schedule].op == ir::ScheduleOp::tree) {
      const Counter counter = make_counter(site, 64);
      loop(i64(0), length, i64(1), {}, [&](Value* position, const Values&) {
        push(site, counter, position, 0, leaf(site, position));
        keep(position, finish(site, counter, b_.CreateAdd(position, i64(1))));
        return Values{};
      });
      return;
    }
    if (!drops_joins(site)) {
      const Values first = leaf(site, i64(0));
      keep(i64(0), first);
      when(b_.CreateICmpSGT(length, i64(1)), [&] {
        loop(i64(1), length, i64(1), first, [&](Value* position, const Values& sum) {
          const Values joined = join(site, sum, leaf(site, position));
          keep(position, joined);
          return joined;
        });
      });
      return;
    }
    loop(i64(0), length, i64(1), zeros(site), [&](Value* position, const Values& sum) {
      const Values value = leaf(site, position);
      const Values joined = join(site, sum, value);
      Value* is_first = b_.CreateICmpEQ(position, i64(0));
      Values next;
      for (std::size_t k = 0; k < value.size(); ++k) next.push_back(b_.CreateSelect(is_first, value[k], joined[k]));
      keep(position, next);
      return next;
    });
  });
}

void Lowering::emit_array(const KernelBody& body, const Kernel& kernel, Value* item) {
  const std::vector<ir::NodeId> elements = module_[body.node].operands;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    when(b_.CreateICmpEQ(item, i64(static_cast<std::int64_t>(k))),
         [&] { store(kernel.output, item, scalar(elements[k])); });
  }
}

}  // namespace reckon::codegen
