// Timing a program on a GPU. Many runs are captured into one graph, so that the cost of starting a kernel from the host
// is not measured; clocks stay up, since replays follow each other closely.
#pragma once

#include <vector>

#include "runtime/cuda/launch.h"

namespace reckon::runtime {

struct TimingOptions {
  int runs = 20;     ///< in one graph
  int replays = 50;  ///< of the graph; one more is done first and discarded
};

/// Microseconds for one run of the plan, one value per replay, in the order measured. The program has its arguments;
/// it is launched once more before.
Expected<std::vector<double>> time_on_gpu(GpuProgram& program, const TimingOptions& options = {});

/// Bytes that a block of the copying kernel copies.
constexpr std::int64_t copy_step = 16384;

/// The same for a copy of so many bytes, a multiple of copy_step, from one place of the device's memory to another.
Expected<std::vector<double>> time_copy(const std::shared_ptr<const cuda::Context>& context, std::uint64_t bytes,
                                        const TimingOptions& options = {});

}  // namespace reckon::runtime
