// The inputs of a check that its circuits use as indices or compare with indices: as indices, their elements are drawn
// below the extents that they index; as keys (`key[i] == k`), most are drawn in the range of the index; and divisors
// are not 0.
#pragma once

#include "frontend/elaborate.h"
#include "ir/bind.h"

namespace reckon::check {

class IndexLimits {
 public:
  /// Finds the parameters of integers whose elements are subscripts, are compared with an index, or divide, in one of
  /// the circuits.
  IndexLimits(const ir::Module& module, const frontend::ElaboratedItem& item);

  /// `< n`, `< min(m, n)`, `mostly < 3`, `not 0`: for all sizes, for people; empty if the elements may be any.
  std::string text(std::size_t parameter) const;
  /// Takes the elements of the parameter's tensor, or most of them, modulo the least extent, and makes a divisor of 0
  /// a 1. Returns whether the tensor may have changed.
  bool keep(std::size_t parameter, const ir::Dimensions& sizes, ir::HostTensor& tensor) const;

 private:
  bool keep_below(std::size_t parameter, const ir::Dimensions& sizes, ir::HostTensor& tensor) const;
  struct Use {
    std::vector<ir::IndexId> extents;  ///< of the dimensions that the elements index
    std::vector<ir::IndexId> keys;     ///< of the indices that they are compared with
    bool divides = false;
  };
  /// The least of the extents at these sizes; nothing if there is none.
  std::optional<std::int64_t> of(const std::vector<ir::IndexId>& extents, const ir::Dimensions& sizes) const;

  const ir::Module& module_;
  std::vector<Use> uses_;  ///< by parameter
};

}  // namespace reckon::check
