#include "runtime/cuda/timing.h"

namespace reckon::runtime {
namespace {

/// The program's kernels, `runs` times, as a graph.
Expected<cuda::ExecutableGraph> capture(GpuProgram& program, const cuda::Stream& stream, int runs) {
  const auto& context = program.shared_context();
  const cuda::Driver& driver = context->driver();
  if (auto failure =
          driver.check(driver.call().stream_begin_capture(stream.get(), cuda::capture_thread_local), "record kernels"))
    return *failure;
  cuda::Failure launched;
  for (int run = 0; run < runs && !launched; ++run) launched = program.launch(stream.get());
  // The capture is ended even if a launch failed, or the stream would stay unusable.
  cuda::GraphObject* object = nullptr;
  const cuda::Failure ended = driver.check(driver.call().stream_end_capture(stream.get(), &object), "record kernels");
  const cuda::Graph graph = object != nullptr ? cuda::Graph(context, object) : cuda::Graph();
  if (launched) return *launched;
  if (ended) return *ended;
  cuda::ExecutableGraphObject* executable = nullptr;
  if (auto failure =
          driver.check(driver.call().graph_instantiate(&executable, graph.get(), 0), "prepare recorded kernels"))
    return *failure;
  return cuda::ExecutableGraph(context, executable);
}

}  // namespace

Expected<std::vector<double>> time_on_gpu(GpuProgram& program, const TimingOptions& options) {
  const auto& context = program.shared_context();
  const cuda::Driver& driver = context->driver();
  // Uploads ran on the default stream, for which a stream of our own does not wait.
  if (auto failure = context->synchronize()) return *failure;
  auto stream = cuda::create_stream(context);
  if (!stream) return stream.error();
  auto begin = cuda::create_event(context);
  if (!begin) return begin.error();
  auto end = cuda::create_event(context);
  if (!end) return end.error();
  auto graph = capture(program, *stream, options.runs);
  if (!graph) return graph.error();

  std::vector<double> microseconds;
  for (int replay = -1; replay < options.replays; ++replay) {
    const cuda::Functions& call = driver.call();
    float milliseconds = 0;
    const char* action = "time the kernels";
    if (auto failure = driver.check(call.event_record(begin->get(), stream->get()), action)) return *failure;
    if (auto failure = driver.check(call.graph_launch(graph->get(), stream->get()), action)) return *failure;
    if (auto failure = driver.check(call.event_record(end->get(), stream->get()), action)) return *failure;
    if (auto failure = driver.check(call.event_synchronize(end->get()), action)) return *failure;
    if (auto failure = driver.check(call.event_elapsed(&milliseconds, begin->get(), end->get()), action))
      return *failure;
    if (replay >= 0) microseconds.push_back(1000.0 * static_cast<double>(milliseconds) / options.runs);
  }
  return microseconds;
}

}  // namespace reckon::runtime
