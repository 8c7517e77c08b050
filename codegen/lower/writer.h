// Writes functions of a kernel program: loops and branches with the scopes that go with them (scope.h), integers, index
// expressions, and the function under construction. It knows nothing of circuits' numbers, nor of schedules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/lower/list.h"
#include "codegen/lower/numbers.h"
#include "codegen/lower/scope.h"
#include "codegen/plan.h"

namespace reckon::codegen {

class Writer {
 public:
  using Body = FunctionRef<Values(Value index, const Values& carried)>;
  using Arm = FunctionRef<Values()>;

  /// What stays the same within one function.
  struct Context {
    std::size_t function = 0;  ///< its number in the program
    Values buffers;
    std::map<ir::SymbolId, Value> dimensions;
    std::int64_t stack_bytes = 0;  ///< bytes of stack arrays, approximately
  };

  /// `chip`: for PTX, the number of the chip.
  Writer(ir::Module& module, const Planned& planned, const Numbers& numbers, Target target, int chip);
  Writer(const Writer&) = delete;

  ir::Module& module() const { return module_; }
  const Planned& planned() const { return planned_; }
  const Numbers& numbers() const { return numbers_; }
  kernel::Builder& builder() { return b_; }
  /// Hands the program over: nothing may be written afterwards.
  kernel::Program take_program() { return std::move(program_); }

  Target target() const { return target_; }
  std::string_view target_name() const { return target_ == Target::host ? "host" : "ptx"; }
  /// Whether loads may tell the second-level cache how to treat what they load.
  bool has_policies() const;
  /// Whether a kernel may start while the kernel before it still runs.
  bool overlaps_kernels() const;

  // writer.cpp
  /// Makes a function with a parameter for each buffer and dimension; the context gets these parameters.
  std::size_t make_kernel(const std::string& name);
  /// Starts filling a function. New code goes to the end of `root`.
  void begin_function(std::size_t function, Scope& root);
  /// Fills another function, with a context and a root scope of its own, and goes on with this one.
  void fill_apart(const Context& context, Scope& root, FunctionRef<void()> body);
  kernel::Function& function() { return program_.functions[context_.function]; }
  const Context& context() const { return context_; }
  Values& buffers() { return context_.buffers; }
  /// Storage that lives as long as the function's activation.
  Value stack_array(Type type, std::int64_t count);
  std::int64_t bytes_of(Type type) const { return b_.bytes_of(type); }
  /// Loads one element of each of several arrays, one array for each part of a node.
  Values load_at(const Values& arrays, Value index);
  void store_at(const Values& arrays, Value index, const Values& values);
  /// Records a problem; only the first one is kept.
  void fail(Diagnostic diagnostic);
  void fail(ir::NodeId id, const std::string& what);
  bool failed() const { return error_.has_value(); }
  const std::optional<Diagnostic>& error() const { return error_; }

  // flow.cpp
  Scope* scope() const { return scope_; }
  /// New code goes to the end of the current scope.
  void resume() { b_.set_region(scope_->region); }
  /// for (index = first; index < limit; index += step); needs first < limit. Gives what the last round gave.
  Values loop(Value first, Value limit, Value step, const Values& initial, Body body, bool unroll = true);
  /// The same for any first and limit; without carried values.
  void for_range(Value first, Value limit, FunctionRef<void(Value)> body, bool unroll = true);
  Values while_loop(const Values& initial, FunctionRef<Value(const Values&)> condition,
                    FunctionRef<Values(const Values&)> body);
  /// Both arms give the same number of values.
  Values branch(Value condition, Arm then, Arm otherwise);
  void if_then(Value condition, FunctionRef<void()> then);
  /// The one or the other, both of which have been computed.
  Values select(Value condition, const Values& yes, const Values& no);
  /// Chains over some leaves, side by side: `join` gives the next sums, from the sums before and what rows and columns
  /// have of a leaf.
  void chains(const kernel::Chains& chains, const Values& operands,
              FunctionRef<Values(Value leaf, const Values& values)> join);
  /// Tiles of a product on tensor cores: `begin` gives where a tile begins in both factors, and `then` writes what
  /// follows from this thread's fragment of its sums.
  void mma_tiles(const kernel::MmaTiles& tiles, const kernel::MmaOperands& operands, ir::NodeId site,
                 FunctionRef<Values(Value tile)> begin, FunctionRef<void(Value tile, const Values& sums)> then);
  /// What follows from the rows of a product on tensor cores, in the parts of `mma_rows` (kernel/program.h).
  struct RowParts {
    std::function<Values(Value item)> where;
    std::function<Values(std::int64_t pass, Value item, const Values& carried)> begin;
    std::function<Values(std::int64_t pass, Value item, Value first, const Values& sums, const Values& carried)> tile;
    std::function<void(Value item, const Values& sums, const Values& carried)> end;
  };
  void mma_rows(const kernel::MmaRows& rows, const kernel::MmaRowsOperands& operands, ir::NodeId site,
                const RowParts& parts);
  /// Runs `body` in a new scope at the same place.
  Values in_scope(Scope& scope, Arm body);
  /// Runs `body` in the current scope or one around it.
  void within(Scope& scope, FunctionRef<void()> body);
  /// The scope in which a node with these free variables is emitted.
  Scope* owner(const std::vector<ir::VariableId>& free) const;
  /// The innermost scope that binds the variable; null: none does.
  const Scope* binder(ir::VariableId variable) const;

  Value i64(std::int64_t value) const { return b_.index(value); }
  std::optional<std::int64_t> known(Value value) const { return b_.known(value); }
  // Integer arithmetic that leaves out neutral operands (x + 0, x * 1).
  Value add(Value x, Value y);
  Value multiply(Value x, Value y);
  Value divide_up(Value x, Value y);  ///< x and y are positive
  Value smaller(Value x, Value y);
  Value log2_up(Value x);  ///< the least b with 2^b >= x; x is positive
  /// whole / part, if both are known and it is a whole number.
  std::optional<std::int64_t> divides(Value part, Value whole) const;

  // index.cpp
  Value index(ir::IndexId id);
  /// A parameter of a schedule: an expression over dimensions and lengths, evaluated in an environment of its own.
  Value parameter(ir::IndexId id, const Lengths& lengths);

 private:
  Value index_new(const ir::IndexNode& node, FunctionRef<Value(ir::IndexId)> part);
  std::vector<Type> types_of(const Values& values) const;
  static std::string buffer_name(const Buffer& buffer, std::size_t number);

  ir::Module& module_;
  const Planned& planned_;
  const Numbers& numbers_;
  Target target_;
  int chip_;  ///< PTX: its number
  kernel::Program program_;
  kernel::Builder b_;
  Scope* scope_ = nullptr;
  Context context_;
  std::optional<Diagnostic> error_;
};

}  // namespace reckon::codegen
