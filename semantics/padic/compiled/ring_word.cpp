#include "semantics/padic/compiled/ring_word.h"

#include <llvm/IR/Module.h>

#include <array>
#include <bit>

#include "numerics/padic/tables.h"

namespace reckon::codegen {

namespace {

constexpr const char* prefix = "padic_";

template <class Visit>
void visit_table(llvm::StringRef name, Visit&& visit) {
  const numerics::padic::Tables& t = numerics::padic::tables();
  if (name == "index") visit(t.index);
  if (name == "rank") visit(t.rank);
  if (name == "inverse") visit(t.inverse);
  if (name == "inverse_q") visit(t.inverse_q);
  if (name == "root_q") visit(t.root_q);
  if (name == "inverse_r") visit(t.inverse_r);
  if (name == "low") visit(t.low);
  if (name == "high") visit(t.high);
  if (name == "circle") visit(std::bit_cast<std::array<std::uint64_t, 2 * numerics::padic::r>>(t.circle));
}

/// The table is declared when the module first needs it. The host has it (ring_table); a GPU's module holds a copy.
llvm::GlobalVariable* table(Builder& b, llvm::StringRef name) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  const std::string symbol = prefix + name.str();
  if (llvm::GlobalVariable* made = module.getNamedGlobal(symbol)) return made;
  const bool gpu = module.getTargetTriple().isNVPTX();
  llvm::GlobalVariable* made = nullptr;
  visit_table(name, [&](const auto& entries) {
    llvm::Constant* contents = llvm::ConstantDataArray::get(module.getContext(), entries);
    const auto linkage = gpu ? llvm::GlobalValue::InternalLinkage : llvm::GlobalValue::ExternalLinkage;
    made =
        new llvm::GlobalVariable(module, contents->getType(), true, linkage, gpu ? contents : nullptr, symbol, nullptr,
                                 llvm::GlobalValue::NotThreadLocal, gpu ? std::optional<unsigned>(1) : std::nullopt);
  });
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

const void* ring_table(llvm::StringRef symbol) {
  const void* found = nullptr;
  if (!symbol.consume_front(prefix)) return found;
  if (symbol == "circle") return numerics::padic::tables().circle.data();
  visit_table(symbol, [&](const auto& entries) { found = entries.data(); });
  return found;
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
    // The result depends only on the arguments: LLVM may move calls out of loops, and drop them.
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
