// The leaves and joins of a reduction, in whatever order a schedule joins them.
#pragma once

#include "codegen/lower/circuits.h"
#include "codegen/lower/list.h"

namespace reckon::codegen {

/// Whether computing the node may meet an index out of range, or an integer that is divided by 0.
bool may_fail(const ir::Module& module, ir::NodeId node);
/// Whether computing the node may have a fault: one of these, or an operation that has no value in the semantics.
bool may_fault(const ir::Module& module, ir::NodeId node, const Numbers& numbers);
/// Whether a leaf and a join of the reduction are few operations (FoldSite::cheap).
bool is_cheap(ir::Module& module, ir::NodeId fold);
/// Whether joining nodes of the reduction may have a fault: then no join may be computed whose result is dropped.
bool joins_may_fault(const ir::Module& module, const ir::Node& fold, const Numbers& numbers);

class Joins {
 public:
  explicit Joins(Circuits& circuits);
  Joins(const Joins&) = delete;

  Circuits& circuits() const { return circuits_; }
  Writer& writer() const { return w_; }

  FoldSite site_of(ir::NodeId id) const;
  FoldSite site_of(const KernelBody& body) const;
  /// Whether a value takes few enough operations for each value of the variable that a loop computes several side by
  /// side.
  bool is_light(ir::NodeId value, ir::VariableId variable) const;

  Values leaf(const FoldSite& site, Value position);
  Values leaf_here(const FoldSite& site, Value position);  ///< of the leaf index that the scope binds
  Values join(const FoldSite& site, const Values& left, const Values& right);
  /// Whether a join may be computed on operands that are no nodes, with its result dropped; not if it may have a fault.
  bool drops_joins(const FoldSite& site) const;
  /// The value of the whole reduction: the parts of the result, without the other parts that nodes have.
  Values whole(const FoldSite& site, Values values);
  Values zeros(const FoldSite& site);
  /// What an empty reduction gives. Without `else` such a reduction was refused before; the guard around this code then
  /// keeps values that are computed before their use, but never used, from reading leaves that do not exist.
  Values empty_fold(const FoldSite& site);
  /// A node outside of any `fused`: if it is a product that no node absorbed, the product is rounded.
  Values rounded_product(const FoldSite& site, const Values& node);
  Value operation(const FoldSite& site, ir::Op op, const Values& operands);

 private:
  Values joined(const FoldSite& site, const Values& left, const Values& right);
  Values joined_products(const FoldSite& site, const Values& left, const Values& right);
  Values joined_compensated(const FoldSite& site, const Values& left, const Values& right);

  Circuits& circuits_;
  Writer& w_;
  kernel::Builder& b_;
  ir::Module& module_;
  const Numbers& numbers_;
};

}  // namespace reckon::codegen
