// Work of a stream as a graph, which starts all of it at once.
#pragma once

#include <functional>

#include "runtime/cuda/resources.h"

namespace reckon::runtime::cuda {

using Work = std::function<Failure(StreamObject*)>;

/// What `work` queues, `runs` times, as a graph. Nothing of it runs. The graph ends when it is released, or when a
/// launch of it that is under way is done.
Expected<ExecutableGraph> capture(const std::shared_ptr<const Context>& context, const Work& work, int runs = 1);
Failure launch(const ExecutableGraph& graph, StreamObject* stream);

}  // namespace reckon::runtime::cuda
