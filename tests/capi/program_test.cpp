// The C interface: circuits compiled for fixed sizes.
#include <dlfcn.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "tests/capi/handles.h"
#include "tests/runtime/fake_cuda/fake_cuda.h"

using namespace reckon::test;

namespace {

constexpr const char* program_text = R"(
fn copy_0_1(x: f32[n]) -> f32[n] = for i: x[i] + f32(1)
fn scaled(x: f32[n], s: f32) -> (f32[n], f32) = (for i: x[i] * s, sum i: x[i] by seq)
fn root(x: f64[n]) -> f64[n] = for i: sqrt(x[i])
fn stored(x: f32[4, 4] @ (4, 4):(1, 4)) -> f32[4, 4] @ (4, 4):(1, 4) = for i, j: x[i, j] + x[j, i]
)";

Handle_of<reckon_program> prepared(reckon_session* session, const char* circuit, std::vector<const char*> definitions,
                                   const char* semantics = nullptr, reckon_place on = RECKON_ON_HOST) {
  definitions.push_back(nullptr);
  reckon_prepare_options options{};
  options.size = sizeof options;
  options.on = on;
  options.semantics = semantics;
  options.definitions = definitions.data();
  reckon_program* out = nullptr;
  if (reckon_prepare(session, circuit, &options, &out) != RECKON_OK) FAIL(reckon_message_text(session));
  return Handle_of<reckon_program>(out);
}

}  // namespace

TEST_CASE("C: a program of the host says what it takes, and is run again and again") {
  const auto s = session(program_text);
  REQUIRE(s);
  const auto program = prepared(s.get(), "scaled", {"n=3"});
  REQUIRE(reckon_program_parameters(program.get()) == 2);
  REQUIRE(reckon_program_results(program.get()) == 2);
  reckon_tensor_info info{};
  REQUIRE(reckon_program_parameter(program.get(), 0, &info) == RECKON_OK);
  CHECK(std::string(info.name) == "x");
  CHECK(std::string(info.type) == "f32");
  CHECK(info.rank == 1);
  CHECK(info.shape[0] == 3);
  CHECK(info.bytes == 12);
  CHECK(reckon_program_parameter(program.get(), 2, &info) == RECKON_BAD_USE);
  REQUIRE(reckon_program_result(program.get(), 1, &info) == RECKON_OK);
  CHECK(info.rank == 0);
  for (const float factor : {2.0f, -3.0f, std::nanf("")}) {
    const std::array<float, 3> x{1, 2, factor};
    std::array<float, 3> y{};
    float sum = 0;
    const std::array<const void*, 2> from{x.data(), &factor};
    const std::array<void*, 2> to{y.data(), &sum};
    REQUIRE(reckon_program_run(program.get(), from.data(), to.data(), nullptr) == RECKON_OK);
    CHECK(reckon_program_wait(program.get()) == RECKON_OK);
    if (std::isnan(factor)) {
      CHECK(std::isnan(y[0]));
      continue;
    }
    CHECK(y == std::array<float, 3>{factor, 2 * factor, factor * factor});
    CHECK(sum == (1 + 2.0f) + factor);
  }
}

TEST_CASE("C: a program of the host stores arguments and results as the circuit does, and takes none that are empty") {
  const auto s = session(program_text);
  REQUIRE(s);
  std::array<float, 16> x{}, y{};
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k);
  const void* from = x.data();
  void* to = y.data();
  const auto program = prepared(s.get(), "stored", {});
  REQUIRE(reckon_program_run(program.get(), &from, &to, nullptr) == RECKON_OK);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) CHECK(y[4 * i + j] == x[4 * i + j] + x[4 * j + i]);
  }
  const auto empty = prepared(s.get(), "copy_0_1", {"n=0"});
  CHECK(reckon_program_run(empty.get(), &from, &to, nullptr) == RECKON_OK);
  CHECK(y[0] == 0);
}

TEST_CASE("C: a program of the host under another semantics") {
  const auto s = session(program_text);
  REQUIRE(s);
  const auto program = prepared(s.get(), "root", {"n=2"}, "interval");
  reckon_tensor_info info{};
  REQUIRE(reckon_program_result(program.get(), 0, &info) == RECKON_OK);
  REQUIRE(info.rank == 2);
  CHECK(info.shape[1] == 2);
  REQUIRE(info.bytes == 32);
  std::array<double, 2> x{2, 9};
  std::array<double, 4> ends{};
  const void* from = x.data();
  void* to = ends.data();
  REQUIRE(reckon_program_run(program.get(), &from, &to, nullptr) == RECKON_OK);
  CHECK(ends[0] < ends[1]);
  CHECK(std::fma(ends[0], ends[0], -2) < 0);
  CHECK(std::fma(ends[1], ends[1], -2) > 0);
  CHECK(ends[2] == 3);
  CHECK(ends[3] == 3);
  // A NaN is no real number; what came before does not matter to the next run.
  x[1] = std::nan("");
  CHECK(reckon_program_run(program.get(), &from, &to, nullptr) == RECKON_SOURCE_ERROR);
  CHECK_THAT(reckon_program_message_text(program.get()), Catch::Contains("error[E0502]"));
  x[1] = 16;
  REQUIRE(reckon_program_run(program.get(), &from, &to, nullptr) == RECKON_OK);
  CHECK(ends[2] == 4);
}

TEST_CASE("C: a program outlives its session, and sizes must be given") {
  auto s = session(program_text);
  REQUIRE(s);
  reckon_prepare_options options{};
  options.size = sizeof options;
  options.on = RECKON_ON_HOST;
  reckon_program* none = nullptr;
  CHECK(reckon_prepare(s.get(), "copy_0_1", &options, &none) == RECKON_SOURCE_ERROR);
  options.on = RECKON_ON_INTERPRETER;
  CHECK(reckon_prepare(s.get(), "copy_0_1", &options, &none) == RECKON_BAD_USE);
  CHECK(none == nullptr);
  const auto program = prepared(s.get(), "copy_0_1", {"n=1"});
  s.reset();
  const float x = 1;
  float y = 0;
  const void* from = &x;
  void* to = &y;
  REQUIRE(reckon_program_run(program.get(), &from, &to, nullptr) == RECKON_OK);
  CHECK(y == 2);
}

TEST_CASE("C: sizes follow from the arguments' shapes") {
  const auto s = session(program_text);
  REQUIRE(s);
  constexpr std::array<std::int64_t, 1> three{3};
  std::array<reckon_tensor, 2> arguments{{{"f32", 1, three.data(), nullptr}, {"f32", 0, nullptr, nullptr}}};
  reckon_prepare_options options{};
  options.size = sizeof options;
  options.on = RECKON_ON_HOST;
  options.arguments = arguments.data();
  options.argument_count = arguments.size();
  reckon_program* made = nullptr;
  REQUIRE(reckon_prepare(s.get(), "scaled", &options, &made) == RECKON_OK);
  const Handle_of<reckon_program> program(made);
  reckon_tensor_info info{};
  REQUIRE(reckon_program_parameter(made, 0, &info) == RECKON_OK);
  CHECK(info.shape[0] == 3);
  CHECK(info.row_major == 1);
  made = nullptr;
  arguments[1].type = "f64";
  CHECK(reckon_prepare(s.get(), "scaled", &options, &made) == RECKON_SOURCE_ERROR);
  CHECK_THAT(reckon_message_text(s.get()), Catch::Contains("argument `s` of `scaled` has elements of type `f32` and was given `f64`"));
  arguments[1].type = "f32";
  arguments[1].rank = 1;
  CHECK(reckon_prepare(s.get(), "scaled", &options, &made) == RECKON_BAD_USE);  // a shape is missing
  arguments[1].shape = three.data();
  CHECK(reckon_prepare(s.get(), "scaled", &options, &made) == RECKON_SOURCE_ERROR);
  options.argument_count = 1;
  CHECK(reckon_prepare(s.get(), "scaled", &options, &made) == RECKON_SOURCE_ERROR);
  CHECK(made == nullptr);
}

TEST_CASE("C: a program of the GPU queues its kernels on the caller's stream, on the caller's memory") {
  reckon::runtime::cuda::FakeCuda fake;
  reckon_session_options options{};
  options.size = sizeof options;
  options.cuda_driver = RECKON_FAKE_CUDA;
  auto s = session(program_text, &options);
  REQUIRE(s);
  {
    const auto other = prepared(s.get(), "copy_0_1", {"n=4"}, nullptr, RECKON_ON_GPU);
    const auto program = prepared(s.get(), "copy_0_1", {"n=4"}, nullptr, RECKON_ON_GPU);
    const void* from = nullptr;
    void* to = nullptr;
    // No memory of the device is at null, or where the host's is.
    CHECK(reckon_program_run(program.get(), &from, &to, nullptr) == RECKON_SOURCE_ERROR);
    float host = 0;
    from = to = &host;
    CHECK(reckon_program_run(program.get(), &from, &to, nullptr) == RECKON_SOURCE_ERROR);
    CHECK_THAT(reckon_program_message_text(program.get()), Catch::Contains("error[E0603]"));
    // Memory of the device, which is memory of the host here.
    void* library = dlopen(RECKON_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    const auto allocate = reinterpret_cast<int (*)(std::uint64_t*, std::size_t)>(dlsym(library, "cuMemAlloc_v2"));
    const auto release = reinterpret_cast<int (*)(std::uint64_t)>(dlsym(library, "cuMemFree_v2"));
    std::array<std::uint64_t, 2> memory{};
    for (std::uint64_t& each : memory) REQUIRE(allocate(&each, 16) == 0);
    auto* x = reinterpret_cast<float*>(memory[0]);
    auto* y = reinterpret_cast<float*>(memory[1]);
    from = x;
    to = y;
    const int allocations = fake.count("cuMemAlloc_v2");
    for (const float value : {3.0f, 5.0f}) {
      x[3] = value;
      y[3] = 0;
      REQUIRE(reckon_program_run(program.get(), &from, &to, nullptr) == RECKON_OK);
      CHECK(y[3] == 0);  // it is queued, and not done
      REQUIRE(reckon_program_wait(program.get()) == RECKON_OK);
      CHECK(y[3] == value);
    }
    CHECK(fake.count("cuMemAlloc_v2") == allocations);
    CHECK(fake.count("cuGraphLaunch") == 0);
    for (const std::uint64_t each : memory) release(each);
    dlclose(library);
  }
  s.reset();
  CHECK(fake.live() == 0);
}

TEST_CASE("C: without a GPU, a program for it is refused with the status of what is missing") {
  reckon_session_options options{};
  options.size = sizeof options;
  options.cuda_driver = "/nowhere/libcuda.so.1";
  const auto s = session(program_text, &options);
  REQUIRE(s);
  reckon_prepare_options prepare{};
  prepare.size = sizeof prepare;
  prepare.on = RECKON_ON_GPU;
  const char* definitions[] = {"n=4", nullptr};
  prepare.definitions = definitions;
  reckon_program* none = nullptr;
  CHECK(reckon_prepare(s.get(), "copy_0_1", &prepare, &none) == RECKON_MISSING);
}
