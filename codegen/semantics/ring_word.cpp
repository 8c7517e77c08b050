#include "codegen/semantics/ring_word.h"

#include <llvm/IR/Module.h>

#include "numerics/padic/tables.h"

namespace reckon::codegen {

namespace {

/// Made of a table the first time that the module needs it.
llvm::GlobalVariable* table(Builder& b, llvm::StringRef name) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  const std::string symbol = "padic_" + name.str();
  if (llvm::GlobalVariable* made = module.getNamedGlobal(symbol)) return made;
  const numerics::padic::Tables& t = numerics::padic::tables();
  llvm::LLVMContext& context = module.getContext();
  llvm::Constant* contents = nullptr;
  const auto holds = [&](llvm::StringRef wanted, const auto& entries) {
    if (name == wanted) contents = llvm::ConstantDataArray::get(context, entries);
  };
  holds("index", t.index);
  holds("inverse", t.inverse);
  holds("inverse_q", t.inverse_q);
  holds("root_q", t.root_q);
  holds("inverse_r", t.inverse_r);
  holds("low", t.low);
  holds("high", t.high);
  if (name == "circle") {
    std::vector<std::uint64_t> parts;
    for (const numerics::padic::Point& point : t.circle) parts.push_back(point.cos), parts.push_back(point.sin);
    contents = llvm::ConstantDataArray::get(context, parts);
  }
  auto* made = new llvm::GlobalVariable(module, contents->getType(), true, llvm::GlobalValue::InternalLinkage, contents, symbol,
                                        nullptr, llvm::GlobalValue::NotThreadLocal,
                                        module.getTargetTriple().isNVPTX() ? std::optional<unsigned>(1) : std::nullopt);
  made->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return made;
}

}  // namespace

RingWord RingWord::joined(const RingWord& x, const RingWord& y, llvm::Instruction::BinaryOps op) {
  using Instruction = llvm::Instruction;
  if (Builder* b = either(x, y)) return {*b, b->CreateBinOp(op, x.in(*b), y.in(*b))};
  const std::uint64_t s = x.constant_, t = y.constant_;
  switch (op) {
    case Instruction::Add: return s + t;
    case Instruction::Sub: return s - t;
    case Instruction::Mul: return s * t;
    case Instruction::And: return s & t;
    case Instruction::Or: return s | t;
    case Instruction::Xor: return s ^ t;
    case Instruction::UDiv: return s / t;
    case Instruction::URem: return s % t;
    case Instruction::Shl: return s << t;
    default: return s >> t;
  }
}

RingFlag RingWord::compared(const RingWord& x, const RingWord& y, llvm::CmpInst::Predicate predicate) {
  if (Builder* b = either(x, y)) return {*b, b->CreateICmp(predicate, x.in(*b), y.in(*b))};
  return predicate == llvm::CmpInst::ICMP_EQ ? x.constant_ == y.constant_ : x.constant_ < y.constant_;
}

RingWord select(const RingFlag& condition, const RingWord& x, const RingWord& y) {
  if (!condition.builder()) return condition.constant() != 0 ? x : y;
  Builder& b = *condition.builder();
  return {b, b.CreateSelect(condition.given(), x.in(b), y.in(b))};
}

RingWord high_product(const RingWord& x, const RingWord& y) {
  Builder* b = x.builder() ? x.builder() : y.builder();
  if (!b) return numerics::padic::high_product(x.constant(), y.constant());
  llvm::Type* wide = b->getIntNTy(128);
  llvm::Value* product = b->CreateMul(b->CreateZExt(x.in(*b), wide), b->CreateZExt(y.in(*b), wide), "", true, false);
  return {*b, b->CreateTrunc(b->CreateLShr(product, 64), b->getInt64Ty())};
}

RingFlag is_negative(const RingWord& x) {
  if (!x.builder()) return numerics::padic::is_negative(x.constant());
  Builder& b = *x.builder();
  return {b, b.CreateICmpSLT(x.in(b), b.getInt64(0))};
}

RingWord small_remainder(const RingWord& x, std::uint32_t modulus) {
  if (!x.builder()) return numerics::padic::small_remainder(x.constant(), modulus);
  Builder& b = *x.builder();
  llvm::Value* rest = b.CreateURem(b.CreateTrunc(x.in(b), b.getInt32Ty()), b.getInt32(modulus));
  return {b, b.CreateZExt(rest, b.getInt64Ty())};
}

RingWord RingTable::operator[](const RingWord& index) const {
  llvm::GlobalVariable* entries = table(b_, name_);
  llvm::Type* array = entries->getValueType();
  llvm::Value* place = b_.CreateInBoundsGEP(array, entries, {b_.getInt64(0), index.in(b_)});
  llvm::LoadInst* entry = b_.CreateLoad(array->getArrayElementType(), place);
  entry->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
  return {b_, b_.CreateZExt(entry, b_.getInt64Ty())};
}

llvm::CallInst* call_ring_function(Builder& b, const std::string& name, bool small, bool rare, bool gives_number,
                                   llvm::ArrayRef<llvm::Value*> arguments,
                                   llvm::function_ref<void(Builder&, llvm::Function*)> body) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  const std::string symbol = "padic_" + name;
  llvm::Function* function = module.getFunction(symbol);
  if (!function) {
    llvm::Type* word = b.getInt64Ty();
    llvm::Type* result = gives_number ? llvm::StructType::get(module.getContext(), {word, word}) : word;
    auto* type = llvm::FunctionType::get(result, llvm::SmallVector<llvm::Type*, 6>(arguments.size(), word), false);
    function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, symbol, module);
    // A function of its arguments: LLVM may move it out of loops, and drop it.
    function->setDoesNotThrow();
    function->setWillReturn();
    function->setDoesNotAccessMemory();
    function->addFnAttr(llvm::Attribute::NoFree);
    function->addFnAttr(llvm::Attribute::NoSync);
    if (small) function->addFnAttr(llvm::Attribute::AlwaysInline);
    if (rare) {
      function->addFnAttr(llvm::Attribute::NoInline);
      function->addFnAttr(llvm::Attribute::Cold);
    }
    Builder inner(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    body(inner, function);
  }
  llvm::CallInst* out = b.CreateCall(function, arguments);
  return out;
}

}  // namespace reckon::codegen
