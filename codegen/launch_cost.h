// What the kernels of a plan cost on a GPU by the model (kernel/cost.h), for sizes that are known.
#pragma once

#include <optional>

#include "codegen/placed_kernel.h"
#include "codegen/plan.h"
#include "kernel/cost.h"
#include "kernel/program.h"

namespace reckon::codegen {

class LaunchCosts {
 public:
  /// Of a plan that was placed and lowered to the program.
  LaunchCosts(ir::Module& module, const Planned& planned, const kernel::Program& program)
      : module_(module), planned_(planned), program_(program) {}

  const kernel::Gpu& gpu() const { return *planned_.gpu; }

  /// Nothing if the number of items is not known.
  std::optional<kernel::LaunchShape> shape_of(const Kernel& kernel) const;
  /// Nothing if the kernel cannot be followed.
  std::optional<kernel::Cost> cost_of(const Kernel& kernel, kernel::LaunchShape shape) const;

  /// Operations on tensor cores, a product and a sum being two, and the least time that they take; 0 if that is not
  /// known.
  double operations(const PlacedKernel::TensorWork& work) const;
  double seconds(const PlacedKernel::TensorWork& work) const;

  /// The least time that all kernels take, one after the other; nothing if that of one is not known, or if the GPU's
  /// latencies are not.
  std::optional<double> seconds() const;

 private:
  std::optional<double> seconds_of(std::size_t kernel) const;

  ir::Module& module_;
  const Planned& planned_;
  const kernel::Program& program_;
};

}  // namespace reckon::codegen
