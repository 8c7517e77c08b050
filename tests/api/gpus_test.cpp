// On::gpus on the stand-in driver: every GPU gets its part, and a failure of one is the call's.
#include <array>
#include <catch2/catch.hpp>

#include "api/reckon/reckon.h"
#include "tests/runtime/fake_cuda/fake_cuda.h"

using namespace reckon;
using runtime::cuda::FakeCuda;

namespace {

Session session_on_gpus() {
  SessionOptions options;
  options.cuda_driver = RECKON_FAKE_CUDA;
  Session session(options);
  const auto loaded = session.load(R"(
fn fill_1_0(x: f32[n]) -> f32[n] = for i: x[i] + f32(1)
fn total(x: f32[n]) -> f32 = sum i: x[i] by tree
)");
  if (!loaded) FAIL(loaded.messages().front().text);
  return session;
}

Result<std::vector<Shown>> called(Session& session, const char* circuit, const CallOptions& options) {
  std::vector<float> x(64, 1.0f);
  return session.call(circuit, {Tensor::of<float>(x)}, options);
}

}  // namespace

TEST_CASE("gpus: each GPU gets a part, and notes say which") {
  FakeCuda fake;
  fake.devices(3);
  Session session = session_on_gpus();
  CallOptions options;
  options.on = On::gpus;
  options.explain_ranks = true;
  const auto result = called(session, "fill_1_0", options);
  if (!result) FAIL(result.messages().front().text);
  // Each wrote zeros to its part.
  CHECK(result->front().tensor->as<float>() == std::vector<float>(64, 0.0f));
  CHECK(fake.count("cuLaunchKernel") == 3);
  const auto notes = session.notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message == "a tensor of 64 elements: each rank computes a run along dimension 0, which has 64");
  REQUIRE(notes[0].notes.size() == 1);
  CHECK(notes[0].notes[0] == "shares of the 3 ranks: 21, 21, 22");
  CHECK(fake.live() == 0);
}

TEST_CASE("gpus: one GPU computes everything") {
  FakeCuda fake;
  Session session = session_on_gpus();
  CallOptions options;
  options.on = On::gpus;
  options.explain_ranks = true;
  REQUIRE(called(session, "fill_1_0", options));
  CHECK(fake.count("cuLaunchKernel") == 1);
  const auto notes = session.notes();
  REQUIRE(!notes.empty());
  CHECK(notes.back().message == "there is one GPU, which computes everything");
}

TEST_CASE("gpus: a failure of one GPU is the call's, and nothing is left") {
  FakeCuda fake;
  fake.devices(2);
  fake.fail("cuLaunchKernel:2=700");
  Session session = session_on_gpus();
  CallOptions options;
  options.on = On::gpus;
  const auto result = called(session, "fill_1_0", options);
  REQUIRE(!result);
  CHECK(result.messages().front().code == "E0902");
}

TEST_CASE("gpus: other semantics and missing drivers are refused") {
  FakeCuda fake;
  Session session = session_on_gpus();
  CallOptions options;
  options.on = On::gpus;
  options.semantics = "interval";
  const auto other = called(session, "total", options);
  REQUIRE(!other);
  CHECK(other.messages().front().code == "E0720");
  CHECK(other.messages().front().message == "several GPUs do not compute `interval` together");
  SessionOptions without;
  without.cuda_driver = "/nowhere/libcuda.so.1";
  Session none(without);
  REQUIRE(none.load("fn total(x: f32[n]) -> f32 = sum i: x[i] by tree"));
  options.semantics = "float";
  const auto missing = called(none, "total", options);
  REQUIRE(!missing);
  CHECK(missing.messages().front().code == "E0900");
}
