// What a strategy of placement has decided about one kernel (codegen/strategies/strategy.h). The plan keeps it; the
// lowering has the kernel written by it, and reports and the clauses of `kernel` items ask it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "codegen/plan.h"

namespace reckon::codegen {

class KernelParts;

/// The clauses of a `kernel` item that can be about a kernel.
enum class ClauseSet : std::uint8_t {
  none,
  blocks,  ///< `threads(n)` and `blocks(n)`
  tiles,   ///< and those that only tiles have
};

class PlacedKernel {
 public:
  virtual ~PlacedKernel() = default;

  /// Writes what the kernel computes. May fill in its launch figures.
  virtual void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const = 0;

  /// Who carries it out, as a sentence of a report.
  virtual std::string who(const KernelBody& body, const Kernel& kernel) const = 0;

  virtual ClauseSet clauses() const { return ClauseSet::none; }
  /// Does what these clauses state, if the kernel is what they are about. An error (E0701) if it cannot. By default
  /// blocks that share lists get the threads that are stated, and what is stated of tiles has been done before.
  virtual std::optional<Diagnostic> obey(const ir::KernelClauses& clauses, KernelBody& body, Kernel& kernel) const;

  /// A block has each item, all of its threads the list of leaves: kernels that go over the same rows may become one.
  virtual bool has_rows() const { return false; }

  /// ptxas does better with the addresses as they were written than with fewer ones (codegen/ptx/passes.h).
  virtual bool keeps_addresses() const { return false; }
};

}  // namespace reckon::codegen
