// The inputs of a check that its circuits use as indices: their elements are drawn below the extents that they index.
#pragma once

#include "frontend/elaborate.h"
#include "ir/bind.h"

namespace reckon::check {

class IndexLimits {
 public:
  /// Finds the parameters of u32 whose elements are subscripts in one of the circuits.
  IndexLimits(const ir::Module& module, const frontend::ElaboratedItem& item);

  /// `n`, `min(m, n)`: the same for all sizes, for people; empty if the elements index none.
  std::string text(std::size_t parameter) const;
  /// Takes the elements of the parameter's tensor modulo the least extent, and returns true; other tensors stay.
  bool keep(std::size_t parameter, const ir::Dimensions& sizes, ir::HostTensor& tensor) const;

 private:
  /// The least extent that elements of the parameter index at these sizes; nothing if they index none.
  std::optional<std::int64_t> of(std::size_t parameter, const ir::Dimensions& sizes) const;

  const ir::Module& module_;
  std::vector<std::vector<ir::IndexId>> extents_;  ///< by parameter
};

}  // namespace reckon::check
