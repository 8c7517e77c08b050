#include "runtime/cuda/timing.h"

#include "runtime/cuda/graph.h"

namespace reckon::runtime {
namespace {

/// Copies parameter 0 to parameter 1: a block of 256 threads four times 16 bytes a thread. Large copies by the driver
/// are slower (2.7 against 4.2 TB/s for half a gigabyte on an H200), and would be no limit to compare with.
constexpr const char* copy_kernel = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry copy_0_1(.param .u64 from, .param .u64 to)
{
  .reg .b32 %r<19>;
  .reg .b64 %rd<7>;
  mov.u32 %r17, %ctaid.x;
  mov.u32 %r18, %tid.x;
  mul.wide.u32 %rd1, %r17, 16384;
  mul.wide.u32 %rd2, %r18, 16;
  add.s64 %rd3, %rd1, %rd2;
  ld.param.u64 %rd4, [from];
  ld.param.u64 %rd5, [to];
  add.s64 %rd4, %rd4, %rd3;
  add.s64 %rd5, %rd5, %rd3;
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd4];
  ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd4+4096];
  ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%rd4+8192];
  ld.global.v4.u32 {%r13, %r14, %r15, %r16}, [%rd4+12288];
  st.global.v4.u32 [%rd5], {%r1, %r2, %r3, %r4};
  st.global.v4.u32 [%rd5+4096], {%r5, %r6, %r7, %r8};
  st.global.v4.u32 [%rd5+8192], {%r9, %r10, %r11, %r12};
  st.global.v4.u32 [%rd5+12288], {%r13, %r14, %r15, %r16};
  ret;
}
)";

Expected<std::vector<double>> time_work(const std::shared_ptr<const cuda::Context>& context, const cuda::Work& work,
                                        const TimingOptions& options) {
  const cuda::Driver& driver = context->driver();
  // What was queued before ran on other streams, for which a new one does not wait.
  if (auto failure = context->synchronize()) return *failure;
  auto stream = cuda::create_stream(context);
  if (!stream) return stream.error();
  auto begin = cuda::create_event(context);
  if (!begin) return begin.error();
  auto end = cuda::create_event(context);
  if (!end) return end.error();
  auto graph = cuda::capture(context, work, options.runs);
  if (!graph) return graph.error();

  std::vector<double> microseconds;
  for (int replay = -1; replay < options.replays; ++replay) {
    const cuda::Functions& call = driver.call();
    float milliseconds = 0;
    const char* action = "time the kernels";
    if (auto failure = driver.check(call.event_record(begin->get(), stream->get()), action)) return *failure;
    if (auto failure = cuda::launch(*graph, stream->get())) return *failure;
    if (auto failure = driver.check(call.event_record(end->get(), stream->get()), action)) return *failure;
    if (auto failure = driver.check(call.event_synchronize(end->get()), action)) return *failure;
    if (auto failure = driver.check(call.event_elapsed(&milliseconds, begin->get(), end->get()), action))
      return *failure;
    if (replay >= 0) microseconds.push_back(1000.0 * static_cast<double>(milliseconds) / options.runs);
  }
  return microseconds;
}

}  // namespace

Expected<std::vector<double>> time_on_gpu(GpuProgram& program, const TimingOptions& options) {
  // The launch allocates memory that the program lacks, which is impossible during a capture.
  if (auto failure = program.launch()) return *failure;
  return time_work(
      program.shared_context(), [&](cuda::StreamObject* stream) { return program.enqueue(stream); }, options);
}

Expected<std::vector<double>> time_copy(const std::shared_ptr<const cuda::Context>& context, std::uint64_t bytes,
                                        const TimingOptions& options) {
  auto from = cuda::allocate(context, bytes);
  if (!from) return from.error();
  auto to = cuda::allocate(context, bytes);
  if (!to) return to.error();
  auto module = cuda::load_module(context, copy_kernel);
  if (!module) return module.error();
  auto kernel = cuda::find_kernel(*module, "copy_0_1");
  if (!kernel) return kernel.error();
  const auto copy = [&](cuda::StreamObject* stream) {
    cuda::DeviceAddress addresses[] = {from->get(), to->get()};
    void* parameters[] = {&addresses[0], &addresses[1]};
    const auto blocks = static_cast<unsigned>(bytes / copy_step);
    return context->driver().check(
        context->call().launch(*kernel, blocks, 1, 1, 256, 1, 1, 0, stream, parameters, nullptr), "copy memory");
  };
  return time_work(context, copy, options);
}

}  // namespace reckon::runtime
