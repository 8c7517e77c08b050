// A fold of the plan that is split: kernels before it fold parts of its leaves, and it joins their nodes.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/plan.h"

namespace reckon::codegen {

class FoldParts {
 public:
  /// Of kernel k, which is a fold.
  FoldParts(ir::Module& module, Planned& planned, std::size_t k);

  /// The number of the kernel that was k: those that are added stand before it.
  std::size_t number() const { return k_; }
  /// The same operation on other leaves.
  ir::Module::Fold like_whole() const;
  /// The reduction, in this order, of the leaves that `leaf` gives, with a variable below `length` in it.
  ir::NodeId part(ir::VariableId variable, ir::IndexId leaf, ir::IndexId length, ir::ScheduleId order);
  /// Adds a kernel for `reduce` at every point of `space`; its results are read where the node `kept` stands.
  KernelBody& kernel_before(std::string_view suffix, ir::NodeId kept, ir::NodeId reduce, std::vector<Binder> space);
  /// The kernel that was k computes this reduction of the nodes, whose operation is like_whole's.
  void join(ir::Module::Fold fold);

 private:
  ir::NodeId spanned(ir::NodeId reduce);

  ir::Module& module_;
  Planned& planned_;
  std::size_t k_;
  ir::Node whole_;  ///< the reduction, with its binder opened
  ir::Reduction reduction_;
};

}  // namespace reckon::codegen
