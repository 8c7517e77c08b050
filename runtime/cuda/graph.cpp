#include "runtime/cuda/graph.h"

namespace reckon::runtime::cuda {

Expected<ExecutableGraph> capture(const std::shared_ptr<const Context>& context, const Work& work, int runs) {
  const Driver& driver = context->driver();
  // The capture needs a stream of its own: the default one cannot be captured, and others may be captured already.
  auto stream = create_stream(context);
  if (!stream) return stream.error();
  if (auto failure =
          driver.check(driver.call().stream_begin_capture(stream->get(), capture_thread_local), "record kernels"))
    return *failure;
  Failure queued;
  for (int run = 0; run < runs && !queued; ++run) queued = work(stream->get());
  // The capture is ended even if something failed, or the stream would stay unusable.
  GraphObject* object = nullptr;
  const Failure ended = driver.check(driver.call().stream_end_capture(stream->get(), &object), "record kernels");
  const Graph graph = object != nullptr ? Graph(context, object) : Graph();
  if (queued) return *queued;
  if (ended) return *ended;
  ExecutableGraphObject* executable = nullptr;
  if (auto failure =
          driver.check(driver.call().graph_instantiate(&executable, graph.get(), 0), "prepare recorded kernels"))
    return *failure;
  return ExecutableGraph(context, executable);
}

Failure launch(const ExecutableGraph& graph, StreamObject* stream) {
  const Context& context = *graph.context();
  return context.driver().check(context.call().graph_launch(graph.get(), stream), "start recorded kernels");
}

}  // namespace reckon::runtime::cuda
