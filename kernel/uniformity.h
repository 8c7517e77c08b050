// Which values are the same for threads that are together.
#pragma once

#include <optional>
#include <unordered_map>

#include "kernel/program.h"

namespace reckon::kernel {

/// The levels, from the same value in more threads to the same value in fewer threads.
enum class Uniform : std::uint8_t {
  block,      ///< for all threads of a block
  warp,       ///< for all threads of a warp
  warp_part,  ///< an index: all bits but the lowest 5 are, as of the thread's number
  none,
};

/// The levels of a function's values. A result has the level of its operands, except for:
///   - a thread's number, what a thread has on its stack, what it gets by a shuffle, an arrival or a call;
///   - loads from global memory that may change while the function runs. Shared memory is taken to be the same for all
///     threads: there must be a barrier before, which the interpreter checks;
///   - values that loops carry, and results of branches, which depend on how often and whether threads execute them.
/// Parameters of a kernel are the same for all threads, those of other functions may be anything.
class Uniformity {
 public:
  Uniformity(const Program& program, const Function& function);

  Uniform of(Value value) const;
  /// The level at which it is the same how often a loop runs, or which side of a branch is taken.
  Uniform of_control(const Operation& operation) const;

 private:
  void find_changing(const Region& region);
  void visit(const Region& region);
  void visit(const Operation& operation);
  Uniform result(const Operation& operation) const;
  Uniform of_operands(const Operation& operation) const;
  bool goes_by_warps(const Operation& operation) const;
  std::optional<std::uint64_t> constant(const Operation& operation, std::size_t operand) const;
  std::optional<Uniform> by_bits(const Operation& operation) const;
  Value root(Value memory) const;
  void raise(Value value, Uniform level);

  const Program& program_;
  std::unordered_map<std::uint32_t, Uniform> levels_;
  std::unordered_map<std::uint32_t, bool> changing_;  ///< memory, by its root
  bool changed_ = false;
};

}  // namespace reckon::kernel
