// A strategy of placement: how the threads of a GPU carry out reductions. Each has a folder here, with the decision
// whether it applies, its refusals, the launch, and what writes its kernels; and a row in strategies.def. It knows what
// all share (codegen/place/, codegen/lower/), and no other strategy.
#pragma once

#include <bit>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "codegen/place/candidate.h"
#include "codegen/placed_kernel.h"
#include "codegen/plan.h"

namespace reckon::codegen {

/// So many blocks give work to all multiprocessors, and even out the differences between them. A power of two: 512 on
/// an H100.
inline std::int64_t enough_blocks(const kernel::Gpu& gpu) {
  return static_cast<std::int64_t>(std::bit_floor(4 * static_cast<unsigned>(gpu.multiprocessors)));
}

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// As a report names it: `Not tiles: ...`.
  virtual std::string_view name() const = 0;

  /// Before any reduction is placed: kernels may be cut into several.
  virtual void before_folds(const Placing&) const {}

  /// Takes the reduction, if the strategy applies: its kernel then has its launch, and its body a PlacedKernel. If it
  /// does not, and a reader might have expected it, the reduction's decision says why. Nothing is built yet.
  virtual bool take(Candidate&) const { return false; }

  /// Whether it may be left out where it would take a reduction: the ones after it are a choice then.
  virtual bool is_optional() const { return true; }

  /// Whether it would take a reduction that stands within the elements of a tensor, once that has a kernel of its own.
  /// If not, and a reader might have expected it, the decision says why.
  virtual bool wants_kernel(const InnerCandidate&, Decision&) const { return false; }

  /// When every reduction is placed: kernels may become one.
  virtual void after_folds(const Placing&) const {}

  /// The error (E0701) if the clauses of a `kernel` item are for kernels of this strategy alone and the plan has none;
  /// it says when there would be one.
  virtual std::optional<Diagnostic> missing(const ir::Module&, const Planned&) const { return std::nullopt; }
};

/// All strategies, in the order of strategies.def.
const std::vector<std::unique_ptr<const Strategy>>& strategies();
/// The names of their folders, as choices have them (codegen/choices.h).
const std::vector<std::string_view>& strategy_keys();

}  // namespace reckon::codegen
