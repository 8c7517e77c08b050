// The leaves and joins of a reduction, whatever joins them in which order.
#pragma once

#include "codegen/lower/circuits.h"
#include "codegen/lower/list.h"

namespace reckon::codegen {

class Joins {
 public:
  explicit Joins(Circuits& circuits);
  Joins(const Joins&) = delete;

  Circuits& circuits() const { return circuits_; }
  Writer& writer() const { return w_; }

  FoldSite site_of(ir::NodeId id) const;
  FoldSite site_of(const KernelBody& body) const;

  Values leaf(const FoldSite& site, Value position);
  Values leaf_here(const FoldSite& site, Value position);  ///< which the scope gives
  Values join(const FoldSite& site, const Values& left, const Values& right);
  /// May a join be carried out on what is no node, if its result is dropped? Not if it might have no value then.
  bool drops_joins(const FoldSite& site) const;
  /// The value of the whole reduction: its parts, without what nodes have besides.
  Values whole(const FoldSite& site, Values values);
  Values zeros(const FoldSite& site);
  /// What an empty reduction gives. Without `else` it has been refused before: the guard around it keeps what is
  /// computed ahead of its use, but never used, from reading what is not there.
  Values empty_fold(const FoldSite& site);
  /// A node outside of any `fused`: a product that nothing absorbed is rounded.
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
