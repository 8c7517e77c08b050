#include <catch2/catch.hpp>

#include "diagnostics/codes/device_failure.h"
#include "diagnostics/codes/device_missing.h"
#include "tests/runtime/fake_cuda/fake_cuda.h"

using namespace reckon;
using namespace reckon::runtime;
using namespace reckon::runtime::cuda;

namespace {

std::shared_ptr<const Context> open_context(const FakeCuda& fake) {
  auto driver = Driver::open(fake.options());
  REQUIRE(driver);
  auto context = Context::open(*driver);
  REQUIRE(context);
  return *context;
}

bool mentions(const std::vector<std::string>& texts, const std::string& part) {
  for (const std::string& text : texts)
    if (text.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("cuda: a driver that is not there is E0900 with the library and the loader's reason", "[runtime][cuda]") {
  const auto driver = Driver::open({"libreckon-no-such-driver.so.1"});
  REQUIRE_FALSE(driver);
  CHECK(driver.error().code == code::device_missing);
  CHECK(driver.error().message.find("`libreckon-no-such-driver.so.1`") != std::string::npos);
  CHECK(mentions(driver.error().notes, "No such file"));
  CHECK(mentions(driver.error().helps, "--on=interp"));
}

TEST_CASE("cuda: a library that is no driver is E0900 with the missing entry point", "[runtime][cuda]") {
  const auto driver = Driver::open({"libm.so.6"});
  REQUIRE_FALSE(driver);
  CHECK(driver.error().code == code::device_missing);
  CHECK(driver.error().message == "no GPU can be used: `libm.so.6` has no `cuGetErrorName`");
}

TEST_CASE("cuda: a driver without devices is E0900", "[runtime][cuda]") {
  FakeCuda fake;
  SECTION("it fails to initialise") {
    fake.fail("cuInit:1=100");
    const auto driver = Driver::open(fake.options());
    REQUIRE_FALSE(driver);
    CHECK(driver.error().code == code::device_missing);
    CHECK(driver.error().message == "no GPU can be used: the CUDA driver reports CUDA_ERROR_NO_DEVICE (described)");
  }
  SECTION("it counts none") {
    fake.devices(0);
    const auto driver = Driver::open(fake.options());
    REQUIRE_FALSE(driver);
    CHECK(driver.error().code == code::device_missing);
  }
  SECTION("it is a stub") {
    fake.fail("cuInit:1=34");
    const auto driver = Driver::open(fake.options());
    REQUIRE_FALSE(driver);
    CHECK(mentions(driver.error().notes, "stub"));
    CHECK(driver.error().message.find("error 34") != std::string::npos);  // a number without a name
  }
}

TEST_CASE("cuda: the device is described, and one that does not exist is refused", "[runtime][cuda]") {
  FakeCuda fake;
  const auto driver = Driver::open(fake.options());
  REQUIRE(driver);
  CHECK((*driver)->version() == 12040);
  const auto device = (*driver)->device(0);
  REQUIRE(device);
  CHECK(device->name == "Fake GPU");
  CHECK(device->arch() == "sm_90");
  CHECK(device->multiprocessors == 4);
  CHECK(device->memory_bytes == std::uint64_t{1} << 30);
  for (const int ordinal : {-1, 1}) {
    const auto none = (*driver)->device(ordinal);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == code::device_missing);
  }
}

TEST_CASE("cuda: everything held is released, once", "[runtime][cuda]") {
  FakeCuda fake;
  {
    const auto context = open_context(fake);
    auto memory = allocate(context, 16);
    REQUIRE(memory);
    Memory moved = std::move(*memory);
    Memory other;
    other = std::move(moved);
    auto stream = create_stream(context);
    auto event = create_event(context);
    auto module = load_module(context, "kernel");
    REQUIRE((stream && event && module));
    CHECK(fake.live() == 5);
  }
  CHECK(fake.live() == 0);
  CHECK(fake.count("cuMemFree_v2") == 1);
  CHECK(fake.count("cuModuleUnload") == 1);
  CHECK(fake.log().ends_with("cuDevicePrimaryCtxRelease_v2\n"));
}

TEST_CASE("cuda: a context outlives its owner while something in it is held", "[runtime][cuda]") {
  FakeCuda fake;
  auto context = open_context(fake);
  auto memory = allocate(context, 16);
  context.reset();
  CHECK(fake.count("cuDevicePrimaryCtxRelease_v2") == 0);
  memory = Memory();
  CHECK(fake.live() == 0);
}

TEST_CASE("cuda: a context that fails to open keeps nothing", "[runtime][cuda]") {
  FakeCuda fake;
  const std::string order = GENERATE("cuDeviceGet:1=1", "cuDeviceGetName:1=1", "cuDeviceGetAttribute:3=1",
                                     "cuDevicePrimaryCtxRetain:1=2", "cuCtxSetCurrent:1=1");
  const auto driver = Driver::open(fake.options());
  REQUIRE(driver);
  fake.fail(order);
  const auto context = Context::open(*driver);
  REQUIRE_FALSE(context);
  CHECK(context.error().code == code::device_failure);
  CHECK(fake.live() == 0);
}

TEST_CASE("cuda: what the driver says about bad PTX becomes notes of E0902", "[runtime][cuda]") {
  FakeCuda fake;
  const auto context = open_context(fake);
  const auto module = load_module(context, ".version 8.0\nsyntax error\n");
  REQUIRE_FALSE(module);
  CHECK(module.error().code == code::device_failure);
  CHECK(module.error().message == "the GPU could not compile the PTX: CUDA_ERROR_INVALID_PTX (described)");
  CHECK(module.error().notes ==
        std::vector<std::string>{"ptxas application ptx input, line 3; error : fake", "ptxas fatal : fake too"});
}

TEST_CASE("cuda: a module's log, and a kernel that it lacks", "[runtime][cuda]") {
  FakeCuda fake;
  const auto context = open_context(fake);
  std::string log;
  const auto module = load_module(context, ".entry fill_0_1", &log);
  REQUIRE(module);
  CHECK(log == "fake: 12 registers");
  CHECK(find_kernel(*module, "fill_0_1"));
  const auto missing = find_kernel(*module, "other");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message == "the GPU could not find the kernel `other`: CUDA_ERROR_NOT_FOUND (described)");
}

TEST_CASE("cuda: a driver too old for the PTX says which version it supports", "[runtime][cuda]") {
  FakeCuda fake;
  const auto context = open_context(fake);
  fake.fail("cuModuleLoadDataEx:1=222");
  const auto module = load_module(context, "kernel");
  REQUIRE_FALSE(module);
  CHECK(mentions(module.error().helps, "CUDA 12.4"));
}

TEST_CASE("cuda: no memory, and an error that stays", "[runtime][cuda]") {
  FakeCuda fake;
  const auto context = open_context(fake);
  fake.fail("cuMemAlloc_v2:1=2");
  const auto memory = allocate(context, 12345);
  REQUIRE_FALSE(memory);
  CHECK(memory.error().message == "the GPU could not give 12345 bytes of memory: CUDA_ERROR_OUT_OF_MEMORY (described)");
  CHECK(mentions(memory.error().notes, "1073741824"));
  CHECK_FALSE(is_sticky(2));

  fake.fail("cuCtxSynchronize:1=700");
  const auto failure = context->synchronize();
  REQUIRE(failure);
  CHECK(mentions(failure->notes, "refuses all further work"));
  CHECK(allocate(context, 1).error().code == code::device_failure);
}

TEST_CASE("cuda: the stack grows and never shrinks", "[runtime][cuda]") {
  FakeCuda fake;
  const auto context = open_context(fake);
  CHECK_FALSE(context->reserve_stack(4096));
  CHECK_FALSE(context->reserve_stack(100));
  CHECK(fake.count("cuCtxSetLimit") == 1);
  CHECK(fake.count("cuCtxSetLimit 4096") == 1);
}
