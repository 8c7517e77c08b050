// What a strategy of placement has decided about one kernel (codegen/strategies/strategy.h). The plan keeps it;
// lowering calls it to write the kernel, and reports and the clauses of `kernel` items ask it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

  /// The fold that a kernel of elements begins with; null: it has none, or not as a body of its own.
  virtual const KernelBody* first() const { return nullptr; }
  /// The reduction that a kernel of elements carries out on the way; its results are never in memory.
  virtual std::optional<ir::NodeId> within() const { return first() ? std::optional(first()->node) : std::nullopt; }

  /// What the kernel multiplies on tensor cores.
  struct TensorWork {
    std::vector<ir::IndexId> products;  ///< their number is the product of these
    std::int64_t operand_bytes = 0;
  };
  virtual std::optional<TensorWork> tensor_work(const ir::Module&) const { return std::nullopt; }

  /// Whether it reads the buffer, besides what its body reads.
  virtual bool reads(std::uint32_t) const { return false; }

  virtual ClauseSet clauses() const { return ClauseSet::none; }
  /// Applies what these clauses state, if they are about this kernel. An error (E0701) if they cannot be applied. By
  /// default blocks that share lists get the stated threads; what is stated of tiles has been applied before.
  virtual std::optional<Diagnostic> obey(const ir::KernelClauses& clauses, KernelBody& body, Kernel& kernel) const;

  /// Whether a block computes an item, its threads sharing the list: kernels over the same rows may then be fused.
  virtual bool has_rows() const { return false; }

  /// Whether ptxas makes better code of all addresses than of fewer ones (codegen/ptx/passes.h).
  virtual bool keeps_addresses() const { return false; }
};

}  // namespace reckon::codegen
