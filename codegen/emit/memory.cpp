#include "codegen/emit/emitter.h"
#include "codegen/ptx/streams.h"

namespace reckon::codegen {

using kernel::Form;
using kernel::Kind;
using kernel::Op;

bool Emitter::emit_memory(const kernel::Operation& operation) {
  const auto memory = [&] { return program_.type(operation.operands[0]); };
  switch (operation.op) {
    case Op::table: {
      const std::vector<std::int64_t>& elements = program_.tables[static_cast<std::size_t>(operation.number)];
      llvm::SmallVector<llvm::Constant*> words;
      for (const std::int64_t element : elements) words.push_back(b_.getInt64(static_cast<std::uint64_t>(element)));
      auto* type = llvm::ArrayType::get(b_.getInt64Ty(), words.size());
      define(operation,
             new llvm::GlobalVariable(output_, type, true, llvm::GlobalValue::InternalLinkage,
                                      llvm::ConstantArray::get(type, words), "reckon_tree", nullptr,
                                      llvm::GlobalValue::NotThreadLocal, address_space(kernel::Space::global)));
      return true;
    }
    case Op::stack: {
      // The array is allocated in the entry block: inside a loop, each round would allocate another one.
      llvm::BasicBlock& entry = function_->getEntryBlock();
      Builder at_entry(&entry, entry.begin());
      llvm::AllocaInst* array = at_entry.CreateAlloca(element_type(program_.types[operation.first_result]),
                                                      at_entry.getInt64(static_cast<std::uint64_t>(operation.number)));
      // Vectors of a large array do not go over the ends of lines of the cache.
      constexpr std::int64_t line = 64, large = 1024;
      const std::int64_t bytes = operation.number * program_.widths.of_element(program_.types[operation.first_result]);
      if (target_ == Target::host && bytes >= large) array->setAlignment(llvm::Align(line));
      define(operation, array);
      return true;
    }
    case Op::shared:
      define(operation,
             b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), shared_, static_cast<std::uint64_t>(operation.offset)));
      return true;
    case Op::advance:
      define(operation,
             b_.CreateInBoundsGEP(b_.getInt8Ty(), value(operation.operands[0]), value(operation.operands[1])));
      return true;
    case Op::clear: {
      const std::int64_t bytes = operation.number * program_.widths.of_element(memory());
      b_.CreateMemSet(value(operation.operands[0]), b_.getInt8(0), static_cast<std::uint64_t>(bytes),
                      llvm::MaybeAlign(8));
      return true;
    }
    case Op::load: {
      llvm::LoadInst* stored = b_.CreateLoad(element_type(memory()), address(operation));
      mark_as_stream(*stored, operation.stream);
      define(operation, from_memory(memory(), stored));
      return true;
    }
    case Op::store: {
      llvm::Value* stored = to_memory(memory(), value(operation.operands[2]));
      b_.CreateStore(stored, address(operation));
      return true;
    }
    case Op::atomic_add:
      // Threads of other blocks do not see shared memory; what orders the additions is the barrier after them.
      b_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, address(operation), value(operation.operands[2]), llvm::MaybeAlign(),
                         llvm::AtomicOrdering::Monotonic, output_.getContext().getOrInsertSyncScopeID("block"));
      return true;
    case Op::load_vector: load_vector(operation); return true;
    case Op::store_vector: store_vector(operation); return true;
    default: return false;
  }
}

llvm::Type* Emitter::element_type(kernel::Type memory) const {
  if (memory.element != Kind::number || memory.form == Form::registers) return type(memory.element_type());
  return memory.form == Form::kept ? code_.memory_type(memory.scalar) : code_.input_type(memory.scalar);
}

llvm::Value* Emitter::address(const kernel::Operation& operation) {
  const kernel::Type memory = program_.type(operation.operands[0]);
  llvm::Value* place = b_.CreateInBoundsGEP(element_type(memory), value(operation.operands[0]), value(operation.operands[1]));
  if (operation.offset == 0) return place;
  const std::int64_t bytes = operation.offset * program_.widths.of_element(memory);
  return b_.CreateInBoundsGEP(b_.getInt8Ty(), place, b_.getInt64(static_cast<std::uint64_t>(bytes)));
}

llvm::Value* Emitter::from_memory(kernel::Type memory, llvm::Value* stored) {
  if (memory.element != Kind::number || memory.form == Form::registers) return stored;
  return memory.form == Form::kept ? code_.from_memory(b_, memory.scalar, stored)
                                   : code_.from_input(b_, memory.scalar, stored);
}

llvm::Value* Emitter::to_memory(kernel::Type memory, llvm::Value* value) {
  if (memory.element != Kind::number || memory.form == Form::registers) return value;
  return code_.to_memory(b_, memory.scalar, value);
}

void Emitter::load_vector(const kernel::Operation& operation) {
  const kernel::Type memory = program_.type(operation.operands[0]);
  llvm::Type* vector = llvm::FixedVectorType::get(element_type(memory), operation.results);
  const llvm::Align alignment(static_cast<std::uint64_t>(operation.results * program_.widths.of_element(memory)));
  llvm::Value* values = b_.CreateAlignedLoad(vector, address(operation), alignment);
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    values_[operation.result(k).id] = from_memory(memory, b_.CreateExtractElement(values, std::uint64_t{k}));
  }
}

void Emitter::store_vector(const kernel::Operation& operation) {
  const kernel::Type memory = program_.type(operation.operands[0]);
  const std::size_t count = operation.operands.size() - 2;
  llvm::Value* pointer = address(operation);
  llvm::Type* vector = llvm::FixedVectorType::get(element_type(memory), static_cast<unsigned>(count));
  llvm::Value* values = llvm::PoisonValue::get(vector);
  for (std::size_t k = 0; k < count; ++k) {
    values = b_.CreateInsertElement(values, to_memory(memory, value(operation.operands[2 + k])), k);
  }
  const std::uint64_t bytes = count * static_cast<std::uint64_t>(program_.widths.of_element(memory));
  b_.CreateAlignedStore(values, pointer, llvm::Align(bytes));
}

}  // namespace reckon::codegen
