#include <catch2/catch.hpp>

#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/bad_layout.h"
#include "diagnostics/codes/device_failure.h"
#include "diagnostics/codes/device_missing.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/internal.h"
#include "runtime/cuda/timing.h"
#include "tests/runtime/example_plan.h"

using namespace reckon;
using namespace reckon::runtime;
using namespace reckon::runtime::cuda;

TEST_CASE("launch: buffers and dimensions reach the kernels in the order of the ABI", "[runtime][cuda]") {
  FakeCuda fake;
  Example example;
  const auto results = example.run(fake);
  REQUIRE(results);
  REQUIRE(results->size() == 2);
  CHECK((*results)[0].scalar == ir::Scalar::bf16);
  CHECK((*results)[0].shape == std::vector<std::int64_t>{3});
  CHECK((*results)[0].bytes == example.arguments[0].bytes);
  CHECK((*results)[1].scalar == ir::Scalar::f64);
  CHECK((*results)[1].shape == std::vector<std::int64_t>{2});
  CHECK((*results)[1].bytes == std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(lines_of(fake.log(), {"cuModuleLoad", "cuMem", "cuLaunch", "cuStreamSynchronize"}) ==
        std::vector<std::string>{
            // What kernels need besides: the constant and the intermediate. The constant is there before prepare ends.
            "cuModuleLoadDataEx", "cuMemAlloc_v2 16", "cuMemAlloc_v2 16", "cuMemHostAlloc 6",
            "cuMemcpyHtoDAsync_v2 6 @1", "cuStreamSynchronize @1", "cuMemFreeHost",
            // The arguments.
            "cuMemAlloc_v2 16", "cuMemHostAlloc 6", "cuMemcpyHtoDAsync_v2 6 @1", "cuMemAlloc_v2 16", "cuMemHostAlloc 8",
            "cuMemcpyHtoDAsync_v2 8 @1",
            // The results' memory, the kernels, the results.
            "cuMemAlloc_v2 16", "cuMemAlloc_v2 16", "cuLaunchKernel copy_0_3 1x32 0 @1",
            "cuLaunchKernel copy_3_5 1x32 0 @1", "cuLaunchKernel store_7_4 1x32 0 @1", "cuMemHostAlloc 16",
            "cuMemcpyDtoHAsync_v2 16 @1", "cuMemHostAlloc 6", "cuMemcpyDtoHAsync_v2 6 @1", "cuStreamSynchronize @1",
            // The program's end.
            "cuStreamSynchronize @1", "cuMemFreeHost", "cuMemFree_v2", "cuMemFreeHost", "cuMemFree_v2", "cuMemFree_v2",
            "cuMemFree_v2", "cuMemFreeHost", "cuMemFree_v2", "cuMemFreeHost", "cuMemFree_v2"});
  CHECK(fake.live() == 0);
}

TEST_CASE("launch: a kernel that waits by itself may start while the one before it runs", "[runtime][cuda]") {
  FakeCuda fake;
  Example example;
  example.compiled.plan.kernels[1].overlaps = true;
  REQUIRE(example.run(fake));
  // 6 is CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION.
  CHECK(lines_of(fake.log(), {"cuLaunch"}) ==
        std::vector<std::string>{"cuLaunchKernel copy_0_3 1x32 0 @1", "cuLaunchKernelEx copy_3_5 6=1",
                                 "cuLaunchKernel copy_3_5 1x32 0 @1", "cuLaunchKernel store_7_4 1x32 0 @1"});
}

TEST_CASE("launch: intervals are two f64s an element, and an element without a value is no error of a tensor", "[runtime][cuda]") {
  FakeCuda fake;
  Example example;
  codegen::Plan& plan = example.compiled.plan;
  example.compiled.semantics = &codegen::interval_code();
  for (std::size_t k : {3, 4, 5}) plan.buffers[k].words = codegen::interval_code().words();
  example.add_faults();
  // Its kernels copy and store bytes; parameter 7 is the dimension n.
  plan.kernels.resize(1);
  plan.kernels[0] = Example::kernel("copy_3_5", 5, {example.extent});
  example.compiled.assembly = ".entry copy_3_5 .entry store_7_6";
  example.arguments[0].bytes = {0x80, 0x3f, 0x80, 0x3f, 0x80, 0x3f};
  example.arguments[1].bytes = std::vector<std::uint8_t>(8, 1);
  const auto ones = [](ir::Source::Kind, ir::Scalar scalar, std::vector<std::int64_t> shape, std::int64_t) {
    return tensor(scalar, std::move(shape), {0x80, 0x3f, 0x80, 0x3f, 0x80, 0x3f});
  };
  const auto run = [&] {
    return run_on_gpu(example.module, example.function, example.compiled, example.arguments, example.dimensions, ones,
                      {fake.options(), 0});
  };
  const auto results = run();
  REQUIRE(results);
  CHECK((*results)[0].scalar == ir::Scalar::f64);
  CHECK((*results)[0].shape == std::vector<std::int64_t>{3, 2});
  CHECK((*results)[1].shape == std::vector<std::int64_t>{2, 2});
  CHECK(lines_of(fake.log(), {"cuMemAlloc"}) ==
        std::vector<std::string>{"cuMemAlloc_v2 16", "cuMemAlloc_v2 48", "cuMemAlloc_v2 16",  // what is between,
                                 "cuMemAlloc_v2 16", "cuMemAlloc_v2 16",                      // the parameters,
                                 "cuMemAlloc_v2 32", "cuMemAlloc_v2 48"});                    // the results
  plan.kernels.push_back(Example::kernel("store_7_6", 6, {}));
  // n = 3 sets the bits of both faults, n = 2 that of the second.
  CHECK(run());
  const auto first_of = [&](std::uint64_t bits) {
    ir::HostTensor words(ir::Scalar::f64, {1});
    words.set_bits(0, bits);
    return runtime::error_of(plan.faults, words, codegen::float_code(), {})->message;
  };
  CHECK(first_of(3) == "first");
  CHECK(first_of(2) == "second");
  const Code before = std::exchange(plan.faults[1].code, code::index_out_of_range);
  CHECK(first_of(3) == "second");
  plan.faults[1].code = before;
  Example two(2);
  example.arguments = two.arguments;
  example.arguments[0].bytes = {0x80, 0x3f, 0x80, 0x3f};
  example.dimensions[example.n] = 2;
  const auto pair = [](ir::Source::Kind, ir::Scalar scalar, std::vector<std::int64_t> shape, std::int64_t) {
    return tensor(scalar, std::move(shape), {0x80, 0x3f, 0x80, 0x3f});
  };
  auto failed = run_on_gpu(example.module, example.function, example.compiled, example.arguments, example.dimensions, pair,
                           {fake.options(), 0});
  CHECK(failed);
  // A NaN is refused before anything runs.
  example.arguments[0].bytes = {0xc0, 0x7f, 0x80, 0x3f};
  example.function.parameters = {{example.module.symbol("x"), {}, {0, 6, 7}}, {example.module.symbol("y"), {}, {}}};
  const int launches = fake.count("cuLaunchKernel");
  failed = run_on_gpu(example.module, example.function, example.compiled, example.arguments, example.dimensions, pair,
                      {fake.options(), 0});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "argument `x`: `nan` is no real number, so it has no value under `interval`");
  CHECK(failed.error().primary.span == SourceSpan{0, 6, 7});
  CHECK(fake.count("cuLaunchKernel") == launches);
}

TEST_CASE("launch: stored parameters and results are tensors to the caller", "[runtime][cuda]") {
  FakeCuda fake;
  ir::Module module;
  ir::IndexStore& indices = module.indices();
  const ir::IndexId two = indices.constant(2), three = indices.constant(3), one = indices.constant(1);
  const auto leaf = [](ir::IndexId id) { return ir::IndexTuple{id, {}}; };
  ir::Function function;
  function.name = module.symbol("f");
  codegen::Compiled compiled;
  compiled.semantics = &codegen::float_code();
  Buffer parameter{Buffer::Role::parameter, ir::Scalar::u32, {two, three}, 0, {}};
  Buffer result{Buffer::Role::result, ir::Scalar::u32, {two, three}, 0, {}};
  parameter.storage = ir::Storage{{{{}, {leaf(two), leaf(three)}}, {{}, {leaf(one), leaf(two)}}}};
  result.storage = ir::Storage{{{{}, {leaf(two), leaf(three)}}, {{}, {leaf(three), leaf(one)}}}};
  result.storage->stages = {{*layout::Swizzle::make(1, 0, 2), 0}};
  compiled.plan.buffers = {parameter, result};
  compiled.plan.kernels = {Example::kernel("copy_0_1", 1, {two, three})};
  compiled.assembly = ".entry copy_0_1";
  std::vector<std::uint8_t> bytes(24, 0);
  for (std::size_t k = 0; k < 6; ++k) bytes[4 * k] = static_cast<std::uint8_t>(10 + k);
  const auto run = [&] {
    return run_on_gpu(module, function, compiled, {tensor(ir::Scalar::u32, {2, 3}, bytes)}, {}, {},
                      {fake.options(), 0});
  };
  const auto tensors = run();
  if (!tensors) FAIL(tensors.error().message);
  // Column by column the elements are 10 13 11 14 12 15; of the result's places 0..3, 5, 4 its elements are 0 to 5.
  std::vector<std::uint64_t> values;
  for (std::int64_t k = 0; k < 6; ++k) values.push_back((*tensors)[0].bits(k));
  CHECK(values == std::vector<std::uint64_t>{10, 13, 11, 14, 15, 12});

  compiled.plan.buffers[1].storage->layout.stride = {{}, {leaf(indices.constant(0)), leaf(one)}};
  const auto refused = run();
  REQUIRE(!refused);
  CHECK(refused.error().code == code::bad_layout);
  CHECK(refused.error().message.ends_with("puts elements (0, 0) and (1, 0) in one place, 0"));
}

TEST_CASE("launch: NaNs become canonical unless their bits mean something", "[runtime][cuda]") {
  FakeCuda fake;
  Example example;
  // The constant: all ones, a NaN with a payload.
  example.compiled.plan.kernels = {Example::kernel("copy_2_5", 5, {example.extent})};
  const auto results = example.run(fake);
  REQUIRE(results);
  CHECK((*results)[0].bytes == std::vector<std::uint8_t>{0xc0, 0x7f, 0xc0, 0x7f, 0xc0, 0x7f});
  example.compiled.semantics = &codegen::fpsan_code(numerics::fpsan::now);
  const auto raw = example.run(fake);
  REQUIRE(raw);
  CHECK((*raw)[0].bytes == std::vector<std::uint8_t>(6, 0xff));
}

TEST_CASE("launch: kernels without elements are not launched", "[runtime][cuda]") {
  FakeCuda fake;
  Example example(0);
  const auto results = example.run(fake);
  REQUIRE(results);
  CHECK((*results)[0].shape == std::vector<std::int64_t>{0});
  CHECK((*results)[0].bytes.empty());
  CHECK(fake.count("cuLaunchKernel") == 1);
  // runtime::allocation_count: an element may be read, though never used; and with it all of its 16 bytes.
  CHECK(fake.count("cuMemAlloc_v2 16") == 6);
}

TEST_CASE("launch: any call that fails gives one diagnostic and leaves nothing behind", "[runtime][cuda]") {
  FakeCuda fake;
  const std::string order =
      GENERATE("cuInit:1=100", "cuDriverGetVersion:1=1", "cuDeviceGetCount:1=1", "cuDeviceTotalMem_v2:1=1",
               "cuDevicePrimaryCtxRetain:1=2", "cuCtxSetCurrent:2=1", "cuStreamCreate:1=2", "cuModuleLoadDataEx:1=209",
               "cuMemAlloc_v2:1=2", "cuMemAlloc_v2:6=2", "cuModuleGetFunction:3=500", "cuFuncGetAttribute:2=1",
               "cuMemHostAlloc:1=2", "cuMemHostAlloc:2=2", "cuMemHostAlloc:5=2", "cuEventCreate:1=2",
               "cuEventRecord:2=1", "cuMemcpyHtoDAsync_v2:1=1", "cuMemcpyHtoDAsync_v2:3=1", "cuLaunchKernel:1=701",
               "cuLaunchKernel:3=1", "cuStreamSynchronize:1=1", "cuStreamSynchronize:2=700",
               "cuMemcpyDtoHAsync_v2:1=700", "cuMemcpyDtoHAsync_v2:2=1");
  CAPTURE(order);
  fake.fail(order);
  Example example;
  const auto results = example.run(fake);
  REQUIRE_FALSE(results);
  const bool missing = order.starts_with("cuInit");
  CHECK(results.error().code == (missing ? code::device_missing : code::device_failure));
  CHECK(fake.live() == 0);
}

TEST_CASE("launch: a kernel's failure is placed at the function, and names it", "[runtime][cuda]") {
  FakeCuda fake;
  fake.fail("cuStreamSynchronize:2=700");
  Example example;
  const auto results = example.run(fake);
  REQUIRE_FALSE(results);
  CHECK(results.error().primary.span == example.function.span);
  CHECK(results.error().primary.text == "while running `f`");
  CHECK(results.error().message.find("illegal memory access") != std::string::npos);
}

TEST_CASE("launch: sizes and arguments that do not fit are refused", "[runtime][cuda]") {
  FakeCuda fake;
  Example example;
  SECTION("a dimension without a value") {
    example.dimensions.erase(example.m);
    CHECK(example.run(fake).error().code == code::dimension_value);
  }
  SECTION("a negative size") {
    example.dimensions[example.m] = -5;
    CHECK(example.run(fake).error().code == code::dimension_value);
  }
  SECTION("a size that overflows") {
    example.dimensions[example.m] = std::int64_t{1} << 62;
    CHECK(example.run(fake).error().code == code::dimension_value);
  }
  SECTION("too few arguments") {
    example.arguments.pop_back();
    CHECK(example.run(fake).error().code == code::bad_argument);
  }
  SECTION("an argument of another shape") {
    example.arguments[0].shape = {1, 3};
    CHECK(example.run(fake).error().code == code::bad_argument);
  }
  SECTION("an argument of another format") {
    example.arguments[0].scalar = ir::Scalar::f16;
    CHECK(example.run(fake).error().code == code::bad_argument);
  }
  SECTION("a constant that cannot be made") {
    const auto results = run_on_gpu(example.module, example.function, example.compiled, example.arguments,
                                    example.dimensions, {}, {fake.options(), 0});
    CHECK(results.error().code == code::internal);
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("launch: shapes", "[runtime][cuda]") {
  codegen::Kernel kernel;
  CHECK(launch_shape(kernel, 0, 132, 1024).blocks == 0);
  for (const std::int64_t items : {1l, 31l, 32l, 33l, 4096l, 100000l, 1l << 20, (1l << 40) + 1}) {
    for (const int most : {1024, 256, 255, 64, 32}) {
      for (const std::uint32_t wanted : {256u, 128u, 100u, 32u, 1u}) {
        kernel.threads = wanted;
        const kernel::LaunchShape shape = launch_shape(kernel, items, 132, most);
        CAPTURE(items, most, wanted, shape.blocks, shape.threads);
        CHECK(shape.threads >= 32);
        CHECK(shape.threads <= static_cast<unsigned>(most));
        CHECK(shape.threads < wanted + 32);
        CHECK(shape.threads % 32 == 0);
        CHECK(shape.blocks >= 1);
        CHECK(shape.blocks <= 132 * 32);
        // No block is without an item; only at the limit does a thread have several.
        CHECK(static_cast<std::int64_t>(shape.blocks - 1) * shape.threads < items);
        if (shape.blocks < 132 * 32) CHECK(static_cast<std::int64_t>(shape.blocks) * shape.threads >= items);
      }
    }
  }
  kernel.threads = 256;
  CHECK(launch_shape(kernel, 1 << 20, 132, 1024).threads == 256);
  CHECK(launch_shape(kernel, 4096, 132, 1024).threads == 32);
}

TEST_CASE("launch: threads that work together are a block", "[runtime][cuda]") {
  codegen::Kernel kernel;
  kernel.block_items = 1;
  kernel.threads = 512;
  CHECK(launch_shape(kernel, 1, 132, 1024).blocks == 1);
  CHECK(launch_shape(kernel, 1, 132, 1024).threads == 512);
  CHECK(launch_shape(kernel, 1000, 132, 1024).blocks == 1000);
  CHECK(launch_shape(kernel, 1 << 30, 132, 1024).blocks == 132 * 4096);
  kernel.one_item = true;
  CHECK(launch_shape(kernel, 1 << 30, 132, 1024).blocks == 1 << 30);
  kernel.one_item = false;
  kernel.block_items = 32;
  CHECK(launch_shape(kernel, 1000, 132, 1024).blocks == 32);
}

TEST_CASE("launch: recursive kernels get a stack and -O1, and their failures speak of it", "[runtime][cuda]") {
  DeviceInfo device;
  device.multiprocessors = 132;
  device.threads_per_multiprocessor = 2048;
  device.memory_bytes = std::uint64_t{80} << 30;
  CHECK(stack_bytes(device) == 38 * 1024);
  device.memory_bytes = 1 << 20;
  CHECK(stack_bytes(device) == 4096);
  CHECK(stack_bytes({}) == 4096);

  FakeCuda fake;
  Example example;
  REQUIRE(example.run(fake));
  CHECK(fake.count("cuCtxSetLimit") == 0);
  CHECK(fake.count("cuModuleLoadDataEx") == 1);
  CHECK(fake.count("cuModuleLoadDataEx -O1") == 0);
  example.compiled.plan.kernels[1].recursive = true;
  fake.reset();
  fake.fail("cuStreamSynchronize:2=700");
  const auto results = example.run(fake);
  REQUIRE_FALSE(results);
  CHECK(fake.count("cuModuleLoadDataEx -O1") == 1);
  CHECK(results.error().notes.back() == "a kernel follows a recursive schedule, on a stack of 17408 bytes");
}

TEST_CASE("timing: a graph of runs is replayed, its first replay discarded, and all is released", "[runtime][cuda]") {
  FakeCuda fake;
  {
    Example example;
    auto driver = Driver::open(fake.options());
    REQUIRE(driver);
    auto context = Context::open(*driver);
    REQUIRE(context);
    auto program = example.prepare(*context);
    REQUIRE(program);
    CHECK(program->bytes() == 6 + 8 + 6 + 6 + 16 + 6);
    REQUIRE_FALSE(program->upload(example.module, example.arguments));
    SECTION("times are for one run") {
      const auto times = time_on_gpu(*program, {4, 3});
      REQUIRE(times);
      CHECK(*times == std::vector<double>{125, 125, 125});
      CHECK(fake.count("cuGraphLaunch") == 4);
      CHECK(fake.count("cuLaunchKernel") == 3 + 4 * 3);  // and a launch before
      const auto results = program->results();
      REQUIRE(results);
      CHECK((*results)[0].bytes == example.arguments[0].bytes);
    }
    SECTION("of a copy") {
      const auto times = time_copy(*context, 1 << 20, {2, 3});
      REQUIRE(times);
      CHECK(*times == std::vector<double>{250, 250, 250});
      CHECK(fake.count("cuLaunchKernel") == 2);
      fake.fail("cuLaunchKernel:3=2");
      const auto failed = time_copy(*context, 1 << 20, {2, 3});
      REQUIRE_FALSE(failed);
      CHECK(failed.error().code == code::device_failure);
    }
    SECTION("a failure in it ends the capture") {
      const std::string order =
          GENERATE("cuLaunchKernel:2=1", "cuLaunchKernel:5=1", "cuStreamBeginCapture_v2:1=1", "cuStreamEndCapture:1=1",
                   "cuGraphInstantiateWithFlags:1=1", "cuGraphLaunch:2=1", "cuEventCreate:5=1",
                   "cuEventElapsedTime:1=1", "cuEventSynchronize:1=700", "cuStreamCreate:2=1", "cuStreamCreate:3=1");
      CAPTURE(order);
      fake.fail(order);
      const auto times = time_on_gpu(*program, {4, 3});
      REQUIRE_FALSE(times);
      CHECK(times.error().code == code::device_failure);
      if (order == "cuLaunchKernel:5=1") CHECK(fake.count("cuStreamEndCapture") == 1);
    }
  }
  CHECK(fake.live() == 0);
}
