#include "codegen/emit/emitter.h"

namespace reckon::codegen {

using kernel::Op;

/// A kernel of the host has an entry point that unpacks its arrays, so that the body can say that buffers do not
/// overlap.
void Emitter::declare(std::size_t number) {
  const kernel::Function& made = program_.functions[number];
  const bool host = target_ == Target::host;
  std::vector<llvm::Type*> types, results;
  for (const kernel::Parameter& parameter : made.parameters) types.push_back(type(program_.type(parameter.value)));
  if (made.is_kernel) types.insert(types.end(), plan_.tensor_maps.size(), b_.getPtrTy());
  for (const kernel::Value yielded : made.body.yields) results.push_back(type(program_.type(yielded)));
  llvm::Type* result = results.empty()       ? b_.getVoidTy()
                       : results.size() == 1 ? results[0]
                                             : llvm::StructType::get(context_, results);
  const bool external = made.is_kernel && !host;
  auto* function = llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                                          external ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage,
                                          made.is_kernel && host ? made.name + "_body" : made.name, output_);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  functions_.push_back(function);
  if (!made.is_kernel) return;
  if (!host) function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  for (unsigned k = 0; k < made.parameters.size(); ++k) {
    if (program_.type(made.parameters[k].value).kind != kernel::Kind::memory) continue;
    if (!made.parameters[k].changes) function->addParamAttr(k, llvm::Attribute::NoAlias);
    if (!host) function->addParamAttr(k, llvm::Attribute::getWithAlignment(context_, llvm::Align(16)));
  }
  // A tensor map is a parameter by value whose address kernels take.
  for (std::size_t k = 0; k < plan_.tensor_maps.size(); ++k) {
    const auto number = static_cast<unsigned>(made.parameters.size() + k);
    auto* bytes = llvm::ArrayType::get(b_.getInt8Ty(), TensorMap::bytes);
    function->addParamAttr(number, llvm::Attribute::getWithByValType(context_, bytes));
    function->addParamAttr(number, llvm::Attribute::getWithAlignment(context_, llvm::Align(TensorMap::alignment)));
    function->addParamAttr(number, llvm::Attribute::get(context_, "nvvm.grid_constant"));
  }
  if (made.threads > 0) function->addFnAttr("nvvm.maxntid", std::to_string(made.threads));
  if (made.blocks > 0) function->addFnAttr("nvvm.minctasm", std::to_string(made.blocks));
}

void Emitter::fill(std::size_t number) {
  const kernel::Function& made = program_.functions[number];
  function_ = functions_[number];
  faults_.clear();
  make_shared(made);
  for (unsigned k = 0; k < made.parameters.size(); ++k) values_[made.parameters[k].value.id] = function_->getArg(k);
  tensor_maps_.clear();
  for (std::size_t k = made.parameters.size(); k < function_->arg_size(); ++k) {
    tensor_maps_.push_back(function_->getArg(static_cast<unsigned>(k)));
  }
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
  if (lines_) b_.SetCurrentDebugLocation(lines_->begin(*function_));
  emit(made.body);
  if (error_) return;
  report_faults();
  if (made.body.yields.empty()) {
    b_.CreateRetVoid();
  } else if (made.body.yields.size() == 1) {
    b_.CreateRet(value(made.body.yields[0]));
  } else {
    llvm::Value* all = llvm::PoisonValue::get(function_->getReturnType());
    for (unsigned k = 0; k < made.body.yields.size(); ++k) {
      all = b_.CreateInsertValue(all, value(made.body.yields[k]), k);
    }
    b_.CreateRet(all);
  }
  if (made.is_kernel && target_ == Target::host) add_host_entry(number);
}

void Emitter::add_host_entry(std::size_t number) {
  llvm::Type* pointer = b_.getPtrTy();
  llvm::Type* word = b_.getInt64Ty();
  auto* entry = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, word, word}, false),
                                       llvm::Function::ExternalLinkage, program_.functions[number].name, output_);
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", entry));
  if (lines_) b_.SetCurrentDebugLocation(lines_->begin(*entry));
  Places arguments;
  const auto unpack = [&](unsigned array, llvm::Type* element, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      arguments.push_back(b_.CreateLoad(element, b_.CreateInBoundsGEP(element, entry->getArg(array), b_.getInt64(k))));
    }
  };
  unpack(0, pointer, plan_.buffers.size());
  unpack(1, word, plan_.sizes().size());
  arguments.push_back(entry->getArg(2));
  arguments.push_back(entry->getArg(3));
  b_.CreateCall(functions_[number], arguments);
  b_.CreateRetVoid();
}

/// Where the arrays of a region end in shared memory, in bytes.
std::int64_t Emitter::shared_bytes(const kernel::Region& region) const {
  std::int64_t out = 0;
  for (const std::uint32_t number : region.operations) {
    const kernel::Operation& operation = program_.operations[number];
    if (operation.op == Op::shared) out = std::max(out, (operation.offset + operation.number + 15) / 16 * 16);
    for (const kernel::Region& inner : operation.regions) out = std::max(out, shared_bytes(inner));
  }
  return out;
}

/// All shared arrays of a kernel are parts of one array.
void Emitter::make_shared(const kernel::Function& function) {
  shared_ = nullptr;
  const auto bytes = static_cast<std::uint64_t>(shared_bytes(function.body));
  if (bytes == 0) return;
  if (bytes > kernel::max_static_shared_bytes) {
    // The launch states the size. All kernels that are given their shared memory by the launch have one name for it.
    constexpr const char* name = "reckon_shared_of_launch";
    shared_ = output_.getNamedGlobal(name);
    if (shared_ != nullptr) return;
    shared_ = new llvm::GlobalVariable(output_, llvm::ArrayType::get(b_.getInt8Ty(), 0), false,
                                       llvm::GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                                       llvm::GlobalValue::NotThreadLocal, address_space(kernel::Space::shared));
    shared_->setAlignment(llvm::Align(plan_.tensor_maps.empty() ? 16 : kernel::MmaTiles::alignment));
    return;
  }
  auto* type = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  shared_ = new llvm::GlobalVariable(output_, type, false, llvm::GlobalValue::InternalLinkage,
                                     llvm::PoisonValue::get(type), "reckon_shared", nullptr,
                                     llvm::GlobalValue::NotThreadLocal, address_space(kernel::Space::shared));
  shared_->setAlignment(llvm::Align(16));
}

/// At the end of a function, ORs the faults that were recorded into the buffer of faults, the last buffer.
void Emitter::report_faults() {
  for (const auto& [word, slot] : faults_) {
    llvm::Value* met = b_.CreateLoad(b_.getInt64Ty(), slot);
    llvm::BasicBlock* tail = block_before("reported", b_.GetInsertBlock()->getNextNode());
    llvm::BasicBlock* report = block_before("report", tail);
    b_.CreateCondBr(b_.CreateICmpNE(met, b_.getInt64(0)), report, tail);
    b_.SetInsertPoint(report);
    // The OR is atomic because other threads may report faults as well.
    llvm::Value* buffer = function_->getArg(static_cast<unsigned>(plan_.buffers.size()) - 1);
    llvm::Value* to = b_.CreateInBoundsGEP(b_.getInt64Ty(), buffer, b_.getInt64(word));
    b_.CreateAtomicRMW(llvm::AtomicRMWInst::Or, to, met, llvm::MaybeAlign(8), llvm::AtomicOrdering::Monotonic);
    b_.CreateBr(tail);
    b_.SetInsertPoint(tail);
  }
}

}  // namespace reckon::codegen
