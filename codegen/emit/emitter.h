// The state of an emission: what each value of the kernel IR is in LLVM IR.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <map>
#include <optional>
#include <vector>

#include "codegen/emit/emit.h"

namespace reckon::codegen {

class Emitter {
 public:
  Emitter(const kernel::Program& program, const ir::Module& circuit, const Plan& plan, const ScalarCode& code,
          Target target, llvm::Module& output, Lines* lines);
  std::optional<Diagnostic> run();

 private:
  using Regions = std::vector<kernel::Region>;
  using Places = llvm::SmallVector<llvm::Value*, 4>;

  // function.cpp
  void declare(std::size_t number);
  void fill(std::size_t number);
  void add_host_entry(std::size_t number);
  void make_shared(const kernel::Function& function);
  std::int64_t shared_bytes(const kernel::Region& region) const;
  void report_faults();

  // emit.cpp
  llvm::Type* type(kernel::Type type) const;
  unsigned address_space(kernel::Space space) const;
  llvm::Value* value(kernel::Value value);
  llvm::Constant* constant(const kernel::Constant& constant);
  Places operands_of(const kernel::Operation& operation);
  void define(const kernel::Operation& operation, llvm::Value* value) { values_[operation.first_result] = value; }
  void emit(const kernel::Region& region);
  void emit(const kernel::Operation& operation);
  llvm::Value* integer(const kernel::Operation& operation);

  // numbers.cpp
  bool emit_number(const kernel::Operation& operation);
  void apply(const kernel::Operation& operation);
  void apply_rounded(const kernel::Operation& operation);
  void divide_quick(const kernel::Operation& operation);
  void record_fault(const kernel::Operation& operation);
  void record_fault(std::uint64_t number, llvm::Value* where);
  void bounded_index(const kernel::Operation& operation);
  void refuse(const kernel::Operation& operation);
  Diagnostic no_approximation(const kernel::Operation& operation) const;

  // memory.cpp
  bool emit_memory(const kernel::Operation& operation);
  llvm::Type* element_type(kernel::Type memory) const;
  llvm::Value* address(const kernel::Operation& operation);
  llvm::Value* from_memory(kernel::Type memory, llvm::Value* stored);
  llvm::Value* to_memory(kernel::Type memory, llvm::Value* value);
  void load_vector(const kernel::Operation& operation);
  void store_vector(const kernel::Operation& operation);

  // together.cpp
  bool emit_together(const kernel::Operation& operation);
  llvm::Value* special_register(llvm::Intrinsic::ID id);
  llvm::Value* partner_lane_value(llvm::Value* value, std::int64_t bits);
  void publish(const kernel::Operation& operation);
  void look_up(const kernel::Operation& operation);
  void await_previous(const kernel::Operation& operation);
  void peers(const kernel::Operation& operation);
  void mma_f64(const kernel::Operation& operation);

  // mma_tiles.cpp
  struct MmaParts;
  struct MmaPipeline {
    llvm::Value *stage, *phase;  ///< of the next stage: its number, and the parity of its barriers' phase
  };
  void emit_mma_tiles(const kernel::Operation& operation);
  llvm::Value* together(llvm::Type* result, const std::string& text, const std::string& constraints,
                        llvm::ArrayRef<llvm::Value*> values);
  void make_mma_barriers(llvm::Value* thread, llvm::Value* barriers, std::int64_t stages, std::int64_t consumers,
                         llvm::BasicBlock* tail);
  void limit_registers(std::int64_t consumers, bool consumes);
  void each_mma_tile(const MmaParts& parts, std::uint32_t first_phase,
                     llvm::function_ref<MmaPipeline(llvm::Value* tile, MmaPipeline)> body);
  MmaPipeline produce_mma_tile(const MmaParts& parts, llvm::Value* tile, MmaPipeline at);
  MmaPipeline consume_mma_tile(const MmaParts& parts, llvm::Value* tile, MmaPipeline at);

  // mma_warps.cpp
  class MmaWarpEmitter;
  void emit_mma_warps(const kernel::Operation& operation, const kernel::MmaTiles& tiles);

  // mma_rows.cpp
  class MmaRowEmitter;
  void emit_mma_rows(const kernel::Operation& operation);

  // control.cpp
  bool emit_control(const kernel::Operation& operation);
  void emit_loop(const kernel::Operation& operation);
  void emit_while(const kernel::Operation& operation);
  void emit_branch(const kernel::Operation& operation);
  void emit_call(const kernel::Operation& operation);

  // chains.cpp
  void emit_chains(const kernel::Operation& operation);
  void spread(Places& operands);
  llvm::SmallVector<llvm::PHINode*, 4> carried(const kernel::Region& region, std::size_t first,
                                               llvm::ArrayRef<llvm::Value*> initial, llvm::BasicBlock* from);
  llvm::BasicBlock* block_before(const char* name, llvm::BasicBlock* next);
  llvm::MDNode* without_unrolling();

  const kernel::Program& program_;
  const ir::Module& circuit_;
  const Plan& plan_;
  const ScalarCode& code_;
  Target target_;
  llvm::Module& output_;
  Lines* lines_;  ///< null: code has no line tables
  llvm::LLVMContext& context_;
  Builder b_;
  llvm::Function* function_ = nullptr;
  std::vector<llvm::Function*> functions_;
  std::vector<llvm::Value*> values_;  ///< by the number of the kernel IR's value; null: not emitted yet
  std::map<std::uint32_t, llvm::SmallVector<llvm::Value*, 2>> divisors_;
  std::map<std::uint32_t, ScalarCode::Sizes> sizes_;
  llvm::GlobalVariable* shared_ = nullptr;
  std::vector<llvm::Value*> tensor_maps_;       ///< the places of the kernel's tensor maps
  std::map<std::size_t, llvm::Value*> faults_;  ///< the stack slots that collect the bits of faults, 64 in each
  std::optional<Diagnostic> error_;
};

}  // namespace reckon::codegen
