// CUDA graphs: the work of a stream, captured so that one launch starts all of it.
#pragma once

#include <functional>

#include "runtime/cuda/resources.h"

namespace reckon::runtime::cuda {

using Work = std::function<Failure(StreamObject*)>;

/// Captures what `work` queues, `runs` times, as a graph, without running it. A released graph is destroyed when its
/// last launch has finished.
Expected<ExecutableGraph> capture(const std::shared_ptr<const Context>& context, const Work& work, int runs = 1);
Failure launch(const ExecutableGraph& graph, StreamObject* stream);

}  // namespace reckon::runtime::cuda
