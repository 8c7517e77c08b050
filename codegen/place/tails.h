// Elements that are made of the results of a kernel, each of the one at its own place: the kernel can compute them with
// its results, which are never in memory then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "codegen/placed_kernel.h"
#include "codegen/plan.h"

namespace reckon::codegen {

/// Elements that a kernel computes besides, each made of the result at its own place.
struct Tail {
  ir::NodeId node;
  std::vector<Binder> space;
  std::uint32_t output = 0;  ///< the buffer that they would have
};

/// A kernel of a fold that may have tails. Then its body is that of the last one, whose elements alone are written.
class FoldKernel : public PlacedKernel {
 public:
  const KernelBody* first() const override { return tails_.empty() ? nullptr : &fold_; }
  std::uint32_t results() const { return results_; }
  const std::vector<Tail>& tails() const { return tails_; }
  /// The same, of this fold and with a further tail.
  std::shared_ptr<FoldKernel> with(const KernelBody& fold, std::uint32_t results, Tail tail) const;

 protected:
  /// The fold of a kernel with this body.
  const KernelBody& fold_of(const KernelBody& body) const { return tails_.empty() ? body : fold_; }

 private:
  virtual std::shared_ptr<FoldKernel> copy() const = 0;

  KernelBody fold_;
  std::uint32_t results_ = 0;  ///< the buffer that the fold's values would have
  std::vector<Tail> tails_;    ///< each may be made of the ones before
};

/// The only kernel that reads the results of kernel k, if it is of such elements.
std::optional<std::size_t> elements_of_results(ir::Module& module, const Planned& planned, std::size_t k);

/// Removes kernel k, whose results are in no memory from now on.
void remove_kernel(ir::Module& module, Planned& planned, std::size_t k);

/// Gives the kernels that join nodes, an item a thread, the elements that are made of their results.
void add_tails_to_joins(ir::Module& module, Planned& planned);

/// Gives each FoldKernel the elements that are made of its results.
void add_tails_to_folds(ir::Module& module, Planned& planned);

}  // namespace reckon::codegen
