// Session::prepare on the stand-in driver, whose kernels do what their names say: `copy_0_1` copies the plan's buffer 0
// to its buffer 1, whatever the circuit says.
#include "api/reckon/prepared.h"

#include <array>
#include <catch2/catch.hpp>

#include "tests/runtime/fake_cuda/fake_cuda.h"

using namespace reckon;
using runtime::cuda::FakeCuda;

namespace {

constexpr const char* program_text = R"(
fn copy_0_1(x: f32[n]) -> f32[n] = for i: x[i] + f32(1)
fn copy_1_2(x: f32[n], y: f32[n]) -> f32[n] = for i: x[i] + y[i]
fn copy_0_2(x: f32[n]) -> f32[n] {
  let s = sum i: x[i] by tree;
  for i: x[i] / s
}
fn trap_0_1(x: f32[n]) -> f32[n] = for i: x[i] + f32(1)
)";

Session session_on(const FakeCuda& fake, const std::string& driver = RECKON_FAKE_CUDA) {
  static_cast<void>(fake);
  SessionOptions options;
  options.cuda_driver = driver;
  Session session(options);
  const auto loaded = session.load(program_text);
  if (!loaded) FAIL(loaded.messages().front().text);
  return session;
}

Result<Prepared> four(Session& session, const std::string& circuit, std::optional<void*> stream = {}) {
  PrepareOptions options;
  options.values = {{"n", 4}};
  options.stream = stream;
  return session.prepare(circuit, options);
}

Tensor numbers(float first) { return Tensor::of<float>(std::array<float, 4>{first, 2, 3, 4}); }

std::vector<float> floats(const Result<std::vector<Tensor>>& results) {
  if (!results) FAIL(results.messages().front().text);
  REQUIRE(results->size() == 1);
  return results->front().as<float>();
}

void refused(const std::vector<Message>& messages, const std::string& code, const std::string& part) {
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].code == code);
  CHECK_THAT(messages[0].message, Catch::Contains(part));
  CHECK(messages[0].status == (code == "E0900" || code == "E0902" ? 69 : 3));
  CHECK_THAT(messages[0].text, Catch::Contains("error[" + code + "]"));
}

}  // namespace

TEST_CASE("prepare: once, and run for many inputs") {
  FakeCuda fake;
  {
    Session session = session_on(fake);
    auto program = four(session, "copy_0_2");
    REQUIRE(program);
    REQUIRE(program->parameters().size() == 1);
    CHECK(program->parameters()[0].name == "x");
    CHECK(program->parameters()[0].type == "f32");
    CHECK(program->parameters()[0].shape == std::vector<std::int64_t>{4});
    CHECK(program->parameters()[0].bytes == 16);
    REQUIRE(program->results().size() == 1);
    CHECK(program->results()[0].shape == std::vector<std::int64_t>{4});
    for (float first : {1.f, 7.f, 9.f}) CHECK(floats(program->run({numbers(first)})) == numbers(first).as<float>());
    CHECK(fake.count("cuModuleLoadDataEx") == 1);
    CHECK(fake.count("cuGraphLaunch") == 2);
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("prepare: a call for all, too, goes to the session's driver") {
  FakeCuda fake;
  Session session = session_on(fake);
  CallOptions options;
  options.on = On::gpu;
  const auto result = session.call("copy_0_1", {numbers(5)}, options);
  REQUIRE(result);
  CHECK(result->front().tensor->as<float>() == numbers(5).as<float>());
  CHECK(fake.live() == 0);
}

TEST_CASE("prepare: step by step, two at a time") {
  FakeCuda fake;
  {
    Session session = session_on(fake);
    auto first = four(session, "copy_0_1"), second = four(session, "copy_0_1");
    REQUIRE((first && second));
    CHECK(first->stream() != second->stream());
    REQUIRE(first->upload(0, numbers(1)).empty());
    REQUIRE(first->launch().empty());
    REQUIRE(second->upload({numbers(2)}).empty());
    REQUIRE(second->launch().empty());
    REQUIRE(first->download().empty());
    REQUIRE(second->download().empty());
    const int waits = fake.count("cuStreamSynchronize");
    CHECK(floats(second->wait())[0] == 2);
    CHECK(fake.count("cuStreamSynchronize") == waits + 1);
    CHECK(floats(first->wait())[0] == 1);
    CHECK(first->wait()->empty());
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("prepare: data stays on the device from one program to the next") {
  FakeCuda fake;
  {
    Session session = session_on(fake);
    auto first = four(session, "copy_0_1");
    REQUIRE(first);
    const bool shares = GENERATE(true, false);
    auto second = four(session, "copy_1_2", shares ? std::optional<void*>(first->stream()) : std::nullopt);
    REQUIRE(second);
    const auto between = first->result_address(0);
    REQUIRE(between);
    REQUIRE(second->bind_parameter(1, *between).empty());
    REQUIRE(second->parameter_address(1));
    CHECK(*second->parameter_address(1) == *between);
    REQUIRE(second->upload(0, numbers(0)).empty());
    REQUIRE(first->upload(0, numbers(6)).empty());
    REQUIRE(first->launch().empty());
    if (!shares) REQUIRE(second->wait_for(*first).empty());
    REQUIRE(second->launch().empty());
    REQUIRE(second->download().empty());
    CHECK(fake.count("cuMemcpyDtoHAsync") == 1);
    CHECK(floats(second->wait())[0] == 6);
    CHECK(fake.count("cuMemcpyHtoDAsync") == 2);
    // The end of what it reads is the end of the second's, too: they are not used together any more.
    CHECK(second->bind_parameter(1, nullptr).empty());
    refused(second->launch(), "E0603", "argument 2 of `copy_1_2` was not given");
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("prepare: a program moves, and outlives its session") {
  FakeCuda fake;
  {
    auto session = std::make_unique<Session>(session_on(fake));
    auto made = four(*session, "copy_0_1"), other = four(*session, "copy_0_1");
    REQUIRE((made && other));
    session.reset();
    Prepared program = std::move(*made);
    CHECK(floats(program.run({numbers(3)}))[0] == 3);
    REQUIRE(other->upload(0, numbers(1)).empty());
    REQUIRE(other->launch().empty());
    *other = std::move(program);  // what it had under way is waited for
    CHECK(floats(other->run({numbers(4)}))[0] == 4);
    refused(other->upload(0, Tensor::scalar(1.f)), "E0603", "must be f32 of shape (4), and is f32 of shape ()");

    // What was moved away says so.
    CHECK(program.parameters().empty());
    CHECK(program.results().empty());
    CHECK(program.stream() == nullptr);
    for (const auto& messages :
         {program.upload(0, numbers(1)), program.upload({numbers(1)}), program.launch(), program.download(),
          program.wait_for(*other), other->wait_for(program), program.bind_parameter(0, nullptr),
          program.bind_result(0, nullptr), program.wait().messages(), program.run({numbers(1)}).messages(),
          program.result_address(0).messages(), program.parameter_address(0).messages()})
      refused(messages, "E0603", "moved");
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("prepare: the thread's context is left as it was") {
  FakeCuda fake;
  Session session = session_on(fake);
  {
    auto program = four(session, "copy_0_1");
    REQUIRE(program);
    fake.forget_context();
    REQUIRE(program->run({numbers(3)}));
    CHECK(!fake.has_context());
  }
  CHECK(!fake.has_context());
}

TEST_CASE("prepare: intervals have both ends of every element") {
  FakeCuda fake;
  Session session = session_on(fake);
  PrepareOptions options;
  options.values = {{"n", 4}};
  options.semantics = "interval";
  auto program = session.prepare("copy_0_1", options);
  REQUIRE(program);
  CHECK(program->results()[0].type == "f64");
  CHECK(program->results()[0].shape == std::vector<std::int64_t>{4, 2});
  refused(program->bind_parameter(0, nullptr), "E0603", "cannot be memory of the device under this semantics");
  refused(program->upload(0, Tensor::of<float>(std::array<float, 4>{0, 1, __builtin_nanf(""), 0})), "E0502", "nan");
  const auto results = program->run({numbers(1)});
  REQUIRE(results);
  CHECK((*results)[0].shape == std::vector<std::int64_t>{4, 2});
}

TEST_CASE("prepare: mistakes are messages") {
  FakeCuda fake;
  Session session = session_on(fake);
  const PrepareOptions sizes{.values = {{"n", 4}}};
  refused(session.prepare("copy_0_1", {}).messages(), "E0603", "the size of `x` is not known");
  refused(session.prepare("copy_0_1", {.values = {{"n", -1}}}).messages(), "E0603", "is negative");
  refused(session.prepare("copy_0_1", {.values = {{"m", 1}}}).messages(), "E0603",
          "has no dimension or static parameter `m`");
  CHECK(session.prepare("nothing", sizes).messages().front().status == 3);
  CHECK(session.prepare("copy_0_1", {.semantics = "exact", .values = {{"n", 4}}}).messages().front().message ==
        "`exact` cannot be compiled");
  refused(session.prepare("copy_0_1", {.values = {{"n", 4}}, .device = 3}).messages(), "E0900", "there is no GPU 3");

  auto program = four(session, "copy_0_1");
  REQUIRE(program);
  refused(program->launch(), "E0603", "argument 1 of `copy_0_1` was not given");
  refused(program->download(), "E0603", "is not there before a launch");
  refused(program->run({}).messages(), "E0603", "takes 1 arguments and was given 0");
  refused(program->run({Tensor::of<double>(std::array<double, 4>{})}).messages(), "E0603",
          "must be f32 of shape (4), and is f64 of shape (4)");
  Tensor broken = numbers(1);
  broken.bytes.pop_back();
  refused(program->upload(0, broken), "E0603", "needs 16 bytes and has 15");
  broken.type = "f33";
  refused(program->upload(0, broken), "E0603", "`f33` is not an element type");
  refused(program->upload(1, numbers(1)), "E0603", "has no argument 2");
  alignas(16) std::array<float, 4> on_host{};
  refused(program->bind_parameter(0, on_host.data()), "E0603", "is no memory of GPU 0");
  refused(program->bind_result(0, on_host.data() + 1), "E0603", "no multiple of 16 bytes");
  refused(program->result_address(1).messages(), "E0603", "has no result 2");
  CHECK(floats(program->run({numbers(8)}))[0] == 8);  // nothing of it did any harm
}

TEST_CASE("prepare: no driver is a message with status 69") {
  FakeCuda fake;
  Session session = session_on(fake, "libreckon-no-such-driver.so.1");
  refused(four(session, "copy_0_1").messages(), "E0900", "`libreckon-no-such-driver.so.1` could not be opened");
}

TEST_CASE("prepare: what the device reports is a message with status 69, and nothing is left") {
  FakeCuda fake;
  {
    Session session = session_on(fake);
    const std::string order =
        GENERATE("cuStreamCreate:1=2", "cuModuleLoadDataEx:1=209", "cuMemAlloc_v2:1=2", "cuMemHostAlloc:2=2",
                 "cuCtxGetCurrent:2=1", "cuLaunchKernel:1=1", "cuStreamSynchronize:1=1", "cuStreamSynchronize:1=700");
    CAPTURE(order);
    fake.fail(order);
    auto program = four(session, "copy_0_1");
    refused(program ? program->run({numbers(1)}).messages() : program.messages(), "E0902", "the GPU could not");
  }
  CHECK(fake.live() == 0);
}

TEST_CASE("prepare: a kernel that breaks down is told at the wait, with its place") {
  FakeCuda fake;
  {
    Session session = session_on(fake);
    auto program = four(session, "trap_0_1");
    REQUIRE(program);
    REQUIRE(program->upload(0, numbers(1)).empty());
    REQUIRE(program->launch().empty());
    REQUIRE(program->download().empty());
    const auto results = program->wait();
    refused(results.messages(), "E0902", "illegal memory access");
    CHECK(results.messages()[0].line == 8);
  }
  CHECK(fake.live() == 0);
}
