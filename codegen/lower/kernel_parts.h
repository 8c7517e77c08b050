// The tools that strategies use to write their kernels (codegen/placed_kernel.h).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>

#include "codegen/lower/block/block_reducer.h"
#include "codegen/lower/folds.h"
#include "codegen/lower/items.h"
#include "codegen/lower/kept_values.h"
#include "codegen/place/tails.h"

namespace reckon::codegen {

class KernelParts {
 public:
  KernelParts(Folds& folds, Items& items, KeptValues& kept);
  KernelParts(const KernelParts&) = delete;

  Folds& folds() const { return folds_; }
  Items& items() const { return items_; }
  KeptValues& kept() const { return kept_; }

  /// The elements that the kernel reads in one leaf each, and nowhere else.
  std::set<ir::NodeId> read_once(const KernelBody& body);

  /// What the tails make of a fold's values, which would be in the buffers from `results` on: the values themselves, if
  /// there are no tails. The variables of the tails have their values. What is kept already stays known to the tails;
  /// if there are any, nothing is kept afterwards.
  Values made_of(std::uint32_t results, const Values& values, const std::vector<Tail>& tails);
  /// Writes what the kernel makes of a fold's values, at these coordinates, as this element.
  void store(const FoldKernel& placed, const Kernel& kernel, Value element, const Values& coordinates,
             const Values& values);

  /// A kernel in which the threads of a block compute an item together: `write` emits the code of a block. Registers
  /// are provided for `resident` threads of a multiprocessor, unless the body states the blocks.
  void write_blocks(const KernelBody& body, Kernel& kernel, FunctionRef<void(BlockReducer& reducer)> write,
                    std::uint32_t resident = 1024);

 private:
  Folds& folds_;
  Items& items_;
  KeptValues& kept_;
  std::optional<std::map<ir::NodeId, int>> parameter_reads_;  ///< of all kernels; empty until they are asked for
};

}  // namespace reckon::codegen
