// Parts of a dealt circuit (driver/deal.h) on the GPUs of this machine, all at the same time.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "api/implementation.h"
#include "runtime/cuda/resources.h"

namespace reckon {

/// What one GPU computes: a circuit without dimensions, and its arguments as patterns.
struct PartOnGpu {
  ir::Function function;
  std::vector<ir::HostTensor> arguments;
};

/// All GPUs that the CUDA driver shows, in its order (`CUDA_VISIBLE_DEVICES`); E0900 if there is none.
Expected<std::vector<std::shared_ptr<const runtime::cuda::Context>>> open_gpus(const Session::Implementation& self);

/// The results of part k on GPU k. Nothing is computed where a GPU has no part.
Expected<std::vector<std::vector<interp::Values>>> parts_on_gpus(
    Session::Implementation& self, interp::Semantics& semantics,
    const std::vector<std::shared_ptr<const runtime::cuda::Context>>& gpus,
    const std::vector<std::optional<PartOnGpu>>& parts);

}  // namespace reckon
