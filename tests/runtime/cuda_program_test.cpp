// Programs that stay on a device: what is queued when, on which stream, at which addresses.
#include <array>

#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/device_failure.h"
#include "tests/runtime/example_plan.h"

using namespace reckon;
using namespace reckon::runtime;
using namespace reckon::runtime::cuda;
using Role = GpuProgram::Role;

namespace {

using Lines = std::vector<std::string>;

template <class T>
std::string problem(const Expected<T>& outcome) {
  return outcome ? "" : outcome.error().message;
}
std::string problem(const Failure& failure) { return failure ? failure->message : ""; }

std::vector<std::uint8_t> bytes_at(DeviceAddress address, std::size_t count) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(address);  // the stand-in's memory is the host's
  return {begin, begin + count};
}

/// The example's arguments with other numbers.
std::vector<ir::HostTensor> other_arguments(const Example& example) {
  auto arguments = example.arguments;
  for (std::uint8_t& byte : arguments[0].bytes) byte ^= 1;
  return arguments;
}

}  // namespace

TEST_CASE("staging: a copy is done when its stream was waited for, and not before", "[runtime][cuda]") {
  FakeCuda fake;
  {
    const auto context = open_context(fake);
    auto stream = create_stream(context);
    auto memory = allocate(context, 16);
    auto up = Staging::make(context, 4), down = Staging::make(context, 4);
    REQUIRE((stream && memory && up && down));
    std::vector<std::uint8_t> bytes{1, 2, 3, 4};
    const std::vector<std::uint8_t> sent = bytes, nothing(4, 0);
    REQUIRE(!up->upload(memory->get(), bytes, stream->get()));
    bytes.assign(4, 9);  // it was taken
    REQUIRE(!down->download(memory->get(), stream->get()));
    CHECK(bytes_at(memory->get(), 4) == nothing);
    CHECK(std::vector<std::uint8_t>(down->contents().begin(), down->contents().end()) == nothing);
    REQUIRE(!synchronize(*context, stream->get()));
    CHECK(bytes_at(memory->get(), 4) == sent);
    CHECK(std::vector<std::uint8_t>(down->contents().begin(), down->contents().end()) == sent);

    // A second upload waits for the first, and for nothing after it.
    REQUIRE(!up->upload(memory->get(), bytes, stream->get()));
    REQUIRE(!down->download(memory->get(), stream->get()));
    REQUIRE(!up->upload(memory->get(), sent, stream->get()));
    CHECK(bytes_at(memory->get(), 4) == bytes);
    CHECK(down->contents()[0] == 1);
    REQUIRE(!synchronize(*context, stream->get()));
    CHECK(down->contents()[0] == 9);
    CHECK(bytes_at(memory->get(), 4) == sent);
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("staging: nothing to copy needs no memory, and memory that is not there is E0902", "[runtime][cuda]") {
  FakeCuda fake;
  const auto context = open_context(fake);
  auto none = Staging::make(context, 0);
  REQUIRE(none);
  CHECK(!none->upload(0, {}, nullptr));
  CHECK(!none->download(0, nullptr));
  CHECK(none->contents().empty());
  CHECK(fake.count("cuMem") == 0);
  fake.fail("cuMemHostAlloc:1=2");
  CHECK(problem(Staging::make(context, 77)) ==
        "the GPU could not get 77 bytes of page-locked memory of the host: CUDA_ERROR_OUT_OF_MEMORY (described)");
}

TEST_CASE("program: runs again with other arguments, its kernels as one graph", "[runtime][cuda]") {
  FakeCuda fake;
  {
    Example example;
    auto program = example.prepare(open_context(fake));
    REQUIRE(program);
    for (int run = 0; run < 4; ++run) {
      const auto arguments = run % 2 == 0 ? example.arguments : other_arguments(example);
      REQUIRE(!program->upload(example.module, arguments));
      const auto failure = program->launch();
      REQUIRE(!failure);
      const auto results = program->results();
      REQUIRE(results);
      CHECK((*results)[0].bytes == arguments[0].bytes);
    }
    // Once by themselves, once for the graph, which has a stream of its own.
    CHECK(lines_of(fake.log(), {"cuLaunch", "cuGraphLaunch", "cuStreamBegin", "cuGraphInst"}) ==
          Lines{"cuLaunchKernel copy_0_3 1x32 0 @1", "cuLaunchKernel copy_3_5 1x32 0 @1",
                "cuLaunchKernel store_7_4 1x32 0 @1", "cuStreamBeginCapture_v2", "cuLaunchKernel copy_0_3 1x32 0 @2",
                "cuLaunchKernel copy_3_5 1x32 0 @2", "cuLaunchKernel store_7_4 1x32 0 @2",
                "cuGraphInstantiateWithFlags", "cuGraphLaunch @1", "cuGraphLaunch @1", "cuGraphLaunch @1"});
    CHECK(fake.count("cuMemHostAlloc") == 5);  // the constant, two arguments, two results
    CHECK(fake.count("cuMemAlloc") == 6);
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("program: one kernel needs no graph", "[runtime][cuda]") {
  FakeCuda fake;
  Example example;
  example.compiled.plan.kernels = {Example::kernel("copy_0_5", 5, {example.extent})};
  example.compiled.assembly = ".entry copy_0_5";
  auto program = example.prepare(open_context(fake));
  REQUIRE(program);
  REQUIRE(!program->upload(example.module, example.arguments));
  for (int run = 0; run < 3; ++run) REQUIRE(!program->launch());
  CHECK(fake.count("cuLaunchKernel") == 3);
  CHECK(fake.count("cuStreamBeginCapture") == 0);
  CHECK(program->results());
}

TEST_CASE("program: steps are queued, and nothing happens before the wait", "[runtime][cuda]") {
  FakeCuda fake;
  Example example;
  auto program = example.prepare(open_context(fake));
  REQUIRE(program);
  const int waits = fake.count("cuStreamSynchronize");
  REQUIRE(!program->upload(example.module, example.arguments));
  REQUIRE(!program->launch());
  REQUIRE(!program->download());
  CHECK(fake.count("cuStreamSynchronize") == waits);
  CHECK(fake.count("cuEventSynchronize") == 0);
  const auto address = program->address(Role::result, 0);
  REQUIRE(address);
  CHECK(bytes_at(*address, 6) == std::vector<std::uint8_t>(6, 0));
  // The next argument is queued behind the kernels that read this one.
  REQUIRE(!program->upload(example.module, 0, other_arguments(example)[0]));
  CHECK(fake.count("cuEventSynchronize") == 1);
  const auto first = program->wait();
  REQUIRE(first);
  REQUIRE(first->size() == 2);
  CHECK((*first)[0].bytes == example.arguments[0].bytes);
  CHECK(fake.count("cuStreamSynchronize") == waits + 1);
  // Results are given once; an argument that is not replaced stays.
  CHECK(program->wait()->empty());
  REQUIRE(!program->launch());
  const auto second = program->results();
  REQUIRE(second);
  CHECK((*second)[0].bytes == other_arguments(example)[0].bytes);
}

TEST_CASE("program: two have streams of their own, and one can wait for the other", "[runtime][cuda]") {
  FakeCuda fake;
  {
    Example example;
    const auto context = open_context(fake);
    auto first = example.prepare(context), second = example.prepare(context);
    REQUIRE((first && second));
    CHECK(first->stream() != second->stream());
    REQUIRE(!first->upload(example.module, example.arguments));
    REQUIRE(!first->launch());
    REQUIRE(!second->upload(example.module, other_arguments(example)));
    REQUIRE(!second->launch());
    const auto from_second = second->results();
    REQUIRE(from_second);
    CHECK((*from_second)[0].bytes == other_arguments(example)[0].bytes);
    const auto intermediate = first->address(Role::result, 0);
    REQUIRE(intermediate);
    CHECK(bytes_at(*intermediate, 6) == std::vector<std::uint8_t>(6, 0));  // nobody waited for it

    // The second reads what the first writes: no copy, and the host waits for the second alone.
    REQUIRE(!second->bind(Role::parameter, 0, *intermediate));
    REQUIRE(!second->wait_for(*first));
    REQUIRE(!second->launch());
    const auto chained = second->results();
    REQUIRE(chained);
    CHECK((*chained)[0].bytes == example.arguments[0].bytes);
    CHECK(lines_of(fake.log(), {"cuStreamWaitEvent"}) == Lines{"cuStreamWaitEvent for @1 @2"});
    CHECK(fake.count("cuStreamSynchronize @1") == 1);  // for its constant
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("program: another's stream is used and left", "[runtime][cuda]") {
  FakeCuda fake;
  Example example;
  const auto context = open_context(fake);
  auto stream = create_stream(context);
  REQUIRE(stream);
  const bool is_default = GENERATE(false, true);
  StreamObject* const given = is_default ? nullptr : stream->get();
  {
    auto program = example.prepare(context, {.cubin = {}, .stream = given});
    REQUIRE(program);
    CHECK(program->stream() == given);
    REQUIRE(!program->upload(example.module, example.arguments));
    REQUIRE(!program->launch());
    REQUIRE(!program->launch());
    const auto results = program->results();
    REQUIRE(results);
    CHECK((*results)[0].bytes == example.arguments[0].bytes);
    CHECK(fake.count(is_default ? "cuGraphLaunch\n" : "cuGraphLaunch @1\n") == 1);
  }
  CHECK(fake.count("cuStreamCreate") == 2);   // the test's, and that of the capture,
  CHECK(fake.count("cuStreamDestroy") == 1);  // which is gone
}

TEST_CASE("program: memory of others is read and written in place", "[runtime][cuda]") {
  FakeCuda fake;
  {
    Example example;
    const auto context = open_context(fake);
    auto input = allocate(context, 16), output = allocate(context, 16), elsewhere = allocate(context, 16);
    REQUIRE((input && output && elsewhere));
    auto program = example.prepare(context);
    REQUIRE(program);
    const int before = fake.count("cuMemAlloc");
    REQUIRE(!program->bind(Role::parameter, 0, input->get()));
    REQUIRE(!program->bind(Role::result, 0, output->get()));
    REQUIRE(!program->upload(example.module, 1, example.arguments[1]));
    std::memcpy(reinterpret_cast<void*>(input->get()), example.arguments[0].bytes.data(), 6);
    REQUIRE(!program->launch());
    REQUIRE(!program->launch());
    REQUIRE(program->wait());
    CHECK(bytes_at(output->get(), 6) == example.arguments[0].bytes);
    CHECK(fake.count("cuMemAlloc") == before + 2);  // none for what is bound
    CHECK(*program->address(Role::result, 0) == output->get());

    // Other memory: the graph is made anew when it is used twice. The last results can still be had.
    REQUIRE(!program->bind(Role::parameter, 0, elsewhere->get()));
    const auto old = program->results();
    REQUIRE(old);
    CHECK((*old)[0].bytes == example.arguments[0].bytes);
    for (int run = 0; run < 3; ++run) REQUIRE(!program->launch());
    CHECK((*program->results())[0].bytes == std::vector<std::uint8_t>(6, 0));
    CHECK(fake.count("cuGraphInstantiate") == 2);
    CHECK(fake.count("cuGraphExecDestroy") == 1);

    // Back to memory of its own, which was never filled.
    REQUIRE(!program->bind(Role::parameter, 0, 0));
    CHECK(problem(program->launch()) == "argument 1 of `f` was not given");
    REQUIRE(!program->bind(Role::result, 0, 0));
    CHECK(problem(program->download()) == "result 1 of `f` is not there before a launch");
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("program: a run at other addresses of memory that is known asks the driver nothing", "[runtime][cuda]") {
  FakeCuda fake;
  {
    Example example;
    const auto context = open_context(fake);
    auto pool = allocate(context, 128), small = allocate(context, 16);
    REQUIRE((pool && small));
    auto program = example.prepare(context);
    REQUIRE(program);
    alignas(16) std::array<char, 16> on_host{};
    const auto run = [&](std::array<DeviceAddress, 4> at) {
      const std::array<const void*, 2> arguments{reinterpret_cast<const void*>(at[0]), reinterpret_cast<const void*>(at[1])};
      const std::array<void*, 2> results{reinterpret_cast<void*>(at[2]), reinterpret_cast<void*>(at[3])};
      return program->run(arguments.data(), results.data(), program->stream());
    };
    const DeviceAddress at = pool->get();
    std::memcpy(reinterpret_cast<void*>(at), example.arguments[0].bytes.data(), 6);
    std::memcpy(reinterpret_cast<void*>(at + 64), example.arguments[0].bytes.data(), 6);
    REQUIRE(!run({at, at + 16, at + 32, at + 48}));
    const int asked = fake.count("cuPointerGetAttribute");
    CHECK(asked == 4);  // both ends of the first address' bytes, and where the memory that has them begins and ends
    REQUIRE(!run({at + 64, at + 80, at + 96, at + 112}));
    CHECK(fake.count("cuPointerGetAttribute") == asked);
    REQUIRE(program->wait());
    CHECK(bytes_at(at + 96, 6) == example.arguments[0].bytes);
    // What is elsewhere, or goes on beyond its end, is looked at.
    REQUIRE(!run({at, small->get(), at + 32, at + 48}));
    CHECK(fake.count("cuPointerGetAttribute") == asked + 4);
    CHECK_THAT(problem(run({reinterpret_cast<DeviceAddress>(on_host.data()), at + 16, at + 32, at + 48})),
               Catch::Contains("is no memory of GPU 0"));
    Example large(20);  // 40 bytes
    auto large_program = large.prepare(context);
    REQUIRE(large_program);
    const std::array<void*, 2> results{reinterpret_cast<void*>(at), reinterpret_cast<void*>(at + 48)};
    for (const DeviceAddress place : {at + 64, at + 96}) {  // the second has 32 bytes left
      const std::array<const void*, 2> arguments{reinterpret_cast<const void*>(place), reinterpret_cast<const void*>(small->get())};
      const Failure failure = large_program->run(arguments.data(), results.data(), large_program->stream());
      CHECK(failure.has_value() == (place != at + 64));
    }
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("program: addresses that cannot be right are E0603", "[runtime][cuda]") {
  FakeCuda fake;
  Example example;
  const auto context = open_context(fake);
  auto memory = allocate(context, 32);
  REQUIRE(memory);
  auto program = example.prepare(context);
  REQUIRE(program);
  const auto refused = [&](const Failure& failure, const std::string& part) {
    REQUIRE(failure);
    CHECK(failure->code == code::bad_argument);
    CHECK(failure->primary.span == example.function.span);
    CHECK_THAT(failure->message, Catch::Contains(part));
  };
  refused(program->bind(Role::parameter, 0, memory->get() + 8), "no multiple of 16 bytes");
  refused(program->bind(Role::parameter, 2, memory->get()), "`f` has no argument 3");
  refused(program->bind(Role::result, 2, memory->get()), "`f` has no result 3");
  CHECK(problem(program->address(Role::result, 2)) == "`f` has no result 3");
  alignas(16) std::array<char, 16> on_host{};
  refused(program->bind(Role::parameter, 0, reinterpret_cast<DeviceAddress>(on_host.data())), "is no memory of GPU 0");
  Example large(20);  // 40 bytes, of which 32 are there
  auto large_program = large.prepare(context);
  REQUIRE(large_program);
  refused(large_program->bind(Role::parameter, 0, memory->get()), "is no memory of GPU 0");
  // In place.
  REQUIRE(!program->bind(Role::parameter, 0, memory->get()));
  REQUIRE(!program->bind(Role::result, 0, memory->get()));
  REQUIRE(!program->upload(example.module, 1, example.arguments[1]));
  refused(program->launch(), "result 1 of `f` and argument 1 of `f` share memory");
  REQUIRE(!program->bind(Role::result, 0, memory->get() + 16));
  CHECK(!program->launch());
  // Intervals and the ring look at arguments first.
  example.compiled.semantics = &codegen::interval_code();
  auto interval =
      GpuProgram::prepare(context, example.module, example.function, example.compiled, example.dimensions,
                          [](auto, auto scalar, auto shape, auto) { return ir::HostTensor(scalar, shape); });
  REQUIRE(interval);
  refused(interval->bind(Role::parameter, 0, memory->get()), "cannot be memory of the device under this semantics");
  CHECK(!interval->bind(Role::result, 0, memory->get()));
}

TEST_CASE("program: arguments that do not fit are E0603, and leave what was there", "[runtime][cuda]") {
  FakeCuda fake;
  Example example;
  auto program = example.prepare(open_context(fake));
  REQUIRE(program);
  CHECK(problem(program->launch()) == "argument 1 of `f` was not given");
  CHECK(problem(program->results()) == "result 2 of `f` is not there before a launch");
  REQUIRE(!program->upload(example.module, example.arguments));
  auto wrong = example.arguments[0];
  wrong.shape = {1, 3};
  CHECK(problem(program->upload(example.module, 0, wrong)) ==
        "argument 1 of `f` must be bf16 of shape (3), and is bf16 of shape (1, 3)");
  wrong = example.arguments[0];
  wrong.bytes.pop_back();
  CHECK(program->upload(example.module, 0, wrong)->code == code::bad_argument);
  CHECK(problem(program->upload(example.module, 2, wrong)) == "`f` has no argument 3");
  CHECK(problem(program->upload(example.module, {wrong})) == "`f` takes 2 arguments and was given 1");
  REQUIRE(!program->launch());
  CHECK((*program->results())[0].bytes == example.arguments[0].bytes);
}

TEST_CASE("program: a fault of a kernel is told by the wait after it, once", "[runtime][cuda]") {
  FakeCuda fake;
  Example example;
  codegen::Plan& plan = example.compiled.plan;
  example.add_faults();
  // The second argument's first word becomes the faults' (the dimensions are parameters 7 and 8 now).
  plan.kernels = {Example::kernel("copy_0_5", 5, {example.extent}), Example::kernel("copy_1_6", 6, {})};
  example.compiled.assembly = ".entry copy_0_5 .entry copy_1_6";
  auto program = example.prepare(open_context(fake));
  REQUIRE(program);
  example.arguments[1].bytes = {2, 0, 0, 0, 0, 0, 0, 0};
  REQUIRE(!program->upload(example.module, example.arguments));
  REQUIRE(!program->launch());
  CHECK(problem(program->wait()) == "second");  // nothing was downloaded, and yet it is seen
  CHECK(program->wait()->empty());
  REQUIRE(!program->launch());
  CHECK(problem(program->results()) == "second");
  CHECK(program->wait()->empty());
  example.arguments[1].bytes[0] = 0;
  REQUIRE(!program->upload(example.module, example.arguments));
  REQUIRE(!program->launch());
  CHECK(program->results());
}

TEST_CASE("program: a kernel that breaks down is told when somebody waits", "[runtime][cuda]") {
  FakeCuda fake;
  {
    Example example;
    example.compiled.plan.kernels[1] = Example::kernel("trap_0_0", 5, {});
    example.compiled.assembly += " .entry trap_0_0";
    auto program = example.prepare(open_context(fake));
    REQUIRE(program);
    REQUIRE(!program->upload(example.module, example.arguments));
    REQUIRE(!program->launch());
    REQUIRE(!program->download());
    const auto results = program->wait();
    REQUIRE(!results);
    CHECK(results.error().code == code::device_failure);
    CHECK(results.error().primary.span == example.function.span);
    CHECK_THAT(results.error().message, Catch::Contains("illegal memory access"));
    CHECK(program->launch());
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("program: it waits for its work before its memory goes", "[runtime][cuda]") {
  FakeCuda fake;
  {
    Example example;
    const auto context = open_context(fake);
    auto kept = [&] {
      auto program = example.prepare(context);
      REQUIRE(program);
      REQUIRE(!program->upload(example.module, example.arguments));
      for (int run = 0; run < 2; ++run) REQUIRE(!program->launch());
      REQUIRE(!program->download());
      return std::move(*program);  // what is left of it waits for nothing
    }();
    CHECK((*kept.wait())[0].bytes == example.arguments[0].bytes);
    REQUIRE(!kept.launch());
    CHECK(fake.count("cuStreamSynchronize") == 2);  // the constant; the wait
  }
  CHECK(fake.live() == 0);
  CHECK(fake.count("cuStreamSynchronize") == 3);
}

TEST_CASE("program: whatever fails gives one diagnostic and leaves nothing behind", "[runtime][cuda]") {
  FakeCuda fake;
  const std::string order =
      GENERATE("cuMemsetD8Async:1=1", "cuMemHostAlloc:3=2", "cuMemcpyHtoDAsync_v2:4=1", "cuEventSynchronize:1=1",
               "cuEventSynchronize:1=700", "cuStreamBeginCapture_v2:1=1", "cuStreamEndCapture:1=1",
               "cuGraphInstantiateWithFlags:1=1", "cuGraphLaunch:1=1", "cuLaunchKernel:4=1", "cuStreamCreate:2=2",
               "cuEventCreate:4=2", "cuEventRecord:5=1", "cuStreamWaitEvent:1=1", "cuPointerGetAttribute:1=700",
               "cuPointerGetAttribute:2=700", "cuCtxGetCurrent:1=1", "cuMemcpyDtoHAsync_v2:3=1");
  CAPTURE(order);
  fake.fail(order);
  {
    Example example;
    Buffer faults;
    faults.role = Buffer::Role::faults;
    faults.scalar = ir::Scalar::f64;
    faults.extents = {example.module.indices().constant(1)};
    example.compiled.plan.buffers.push_back(faults);
    example.compiled.plan.kernels.pop_back();  // the dimensions are not where it looks for them
    const auto context = open_context(fake);
    const auto all = [&]() -> Failure {
      auto memory = allocate(context, 16);
      auto program = example.prepare(context);
      if (!program) return program.error();
      for (int run = 0; run < 2; ++run) {
        if (auto failure = program->upload(example.module, example.arguments)) return failure;
        if (auto failure = program->launch()) return failure;
      }
      if (auto failure = program->wait_for(*program)) return failure;
      if (auto failure = program->bind(Role::parameter, 0, memory->get())) return failure;
      const auto results = program->results();
      return results ? Failure{} : Failure{results.error()};
    };
    const auto failure = all();
    REQUIRE(failure);
    CHECK(failure->code == code::device_failure);
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("context: what was current in a thread is so again", "[runtime][cuda]") {
  FakeCuda fake;
  const auto context = open_context(fake);
  REQUIRE(!context->make_current());
  {
    const CurrentContext here(context);
    CHECK(!here.failure());
  }
  CHECK(fake.has_context());
  fake.reset();
  {
    const CurrentContext here(context);
    CHECK(fake.has_context());
  }
  CHECK(!fake.has_context());
}
