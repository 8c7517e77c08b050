#include "codegen/launch_cost.h"

#include <algorithm>

#include "codegen/place/place.h"
#include "codegen/sizes.h"

namespace reckon::codegen {

std::optional<kernel::LaunchShape> LaunchCosts::shape_of(const Kernel& kernel) const {
  const auto items = known_product(module_, kernel.items);
  if (!items) return std::nullopt;
  return launch_shape(kernel, *items, gpu().multiprocessors, static_cast<int>(kernel::max_block_threads));
}

std::optional<kernel::Cost> LaunchCosts::cost_of(const Kernel& kernel, kernel::LaunchShape shape) const {
  const auto is_it = [&](const kernel::Function& function) { return function.name == kernel.name; };
  const auto found = std::ranges::find_if(program_.functions, is_it);
  if (found == program_.functions.end()) return std::nullopt;
  std::vector<kernel::CostArgument> arguments;
  for (const Buffer& buffer : planned_.plan.buffers) {
    const auto count = known_product(module_, buffer.extents);
    if (!count) return std::nullopt;
    arguments.push_back({0, *count * element_bytes(buffer)});
  }
  // Dimensions that are not bound would be parameters, too.
  if (arguments.size() != found->parameters.size()) return std::nullopt;
  return kernel::cost_of(program_, static_cast<std::size_t>(found - program_.functions.begin()), shape, arguments,
                         gpu());
}

double LaunchCosts::operations(const PlacedKernel::TensorWork& work) const {
  double operations = 2;
  for (const ir::IndexId factor : work.products) {
    operations *= static_cast<double>(module_.indices().as_constant(factor).value_or(0));
  }
  return operations;
}

double LaunchCosts::seconds(const PlacedKernel::TensorWork& work) const {
  const double rate = gpu().tensor_operations_per_second * 2 / static_cast<double>(work.operand_bytes);
  return rate > 0 ? operations(work) / rate : 0;
}

std::optional<double> LaunchCosts::seconds_of(std::size_t k) const {
  const Kernel& kernel = planned_.plan.kernels[k];
  const KernelBody& body = planned_.bodies[k];
  const auto shape = shape_of(kernel);
  if (!shape) return std::nullopt;
  if (shape->blocks == 0) return 0;
  double rounds = 1;
  for (auto loop = kernel.loop; loop; loop = planned_.plan.loops[*loop].around) {
    const auto known = module_.indices().as_constant(planned_.plan.loops[*loop].rounds);
    if (!known) return std::nullopt;
    rounds *= static_cast<double>(*known);
  }
  if (const auto work = body.placed ? body.placed->tensor_work(module_) : std::nullopt) return rounds * seconds(*work);
  const auto cost = cost_of(kernel, *shape);
  if (!cost) return std::nullopt;
  const kernel::Bounds bounds = kernel::bounds_of(*cost, gpu());
  return rounds * bounds.of(bounds.binding);
}

std::optional<double> LaunchCosts::seconds() const {
  if (!gpu().has_latencies()) return std::nullopt;
  double sum = 0;
  for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
    const auto one = seconds_of(k);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum;
}

}  // namespace reckon::codegen
