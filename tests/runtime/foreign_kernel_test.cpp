// Kernels that are not ours, on the stand-in driver.
#include "runtime/cuda/foreign_kernel.h"

#include "diagnostics/codes/device_failure.h"
#include "tests/runtime/example_plan.h"

using namespace reckon;
using namespace reckon::runtime;
using namespace reckon::runtime::cuda;

namespace {

using Bytes = std::vector<std::uint8_t>;

Expected<ForeignKernel> prepare(const FakeCuda& fake) {
  auto launch = KernelLaunch::parse("grid=2 block=64 shared=8 args=in,out,n,scratch:12,in2");
  REQUIRE(launch);
  return ForeignKernel::prepare(open_context(fake), ".entry copy_0_1", "copy_0_1", *launch, 4, 4);
}

}  // namespace

TEST_CASE("foreign kernel: each run has its inputs, and clean memory besides", "[runtime][cuda]") {
  FakeCuda fake;
  {
    auto kernel = prepare(fake);
    REQUIRE(kernel);
    for (const Bytes& in : {Bytes{1, 2, 3, 4}, Bytes{5, 6, 7, 8}}) {
      const auto out = kernel->run(in, {9, 9, 9, 9}, 4);
      REQUIRE(out);
      CHECK(*out == in);
    }
    CHECK(lines_of(fake.log(), {"cuMemcpy", "cuMemset", "cuLaunch", "cuStreamSynchronize"}) == [] {
      const std::vector<std::string> once{"cuMemcpyHtoDAsync_v2 4 @1",
                                          "cuMemsetD8Async 4 @1",
                                          "cuMemsetD8Async 12 @1",
                                          "cuMemcpyHtoDAsync_v2 4 @1",
                                          "cuLaunchKernel copy_0_1 2x64 8 @1",
                                          "cuMemcpyDtoHAsync_v2 4 @1",
                                          "cuStreamSynchronize @1"};
      std::vector<std::string> twice = once;
      twice.insert(twice.end(), once.begin(), once.end());
      return twice;
    }());
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("foreign kernel: whatever fails gives one diagnostic and leaves nothing behind", "[runtime][cuda]") {
  FakeCuda fake;
  const std::string order =
      GENERATE("cuStreamCreate:1=2", "cuModuleGetFunction:1=500", "cuMemAlloc_v2:3=2", "cuMemHostAlloc:2=2",
               "cuEventCreate:2=2", "cuMemcpyHtoDAsync_v2:2=1", "cuMemsetD8Async:2=1", "cuLaunchKernel:1=1",
               "cuMemcpyDtoHAsync_v2:1=1", "cuStreamSynchronize:1=700");
  CAPTURE(order);
  fake.fail(order);
  {
    auto kernel = prepare(fake);
    const auto out = kernel ? kernel->run({1, 2, 3, 4}, {1, 2, 3, 4}, 4) : Expected<Bytes>(kernel.error());
    REQUIRE(!out);
    CHECK(out.error().code == code::device_failure);
  }
  CHECK(fake.live() == 0);
}
