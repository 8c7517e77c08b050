// The search for the fastest choices of placement, with times that the test makes up; and on the stand-in driver, what
// is kept and taken again.
#include <array>
#include <catch2/catch.hpp>

#include "api/kept_choices.h"
#include "api/reckon/reckon.h"
#include "api/tuner.h"
#include "diagnostics/codes/bad_argument.h"
#include "frontend/elaborate.h"
#include "tests/runtime/fake_cuda/fake_cuda.h"
#include "tests/support/files.h"

using namespace reckon;
using codegen::Choice;
using codegen::StatedChoices;
using runtime::cuda::FakeCuda;

namespace {

/// A circuit with two choices, one of which is there only if a third is taken.
Expected<codegen::ModelledChoices> model(const StatedChoices& stated) {
  codegen::Choices choices(stated);
  const bool tiled = choices.take("f.tiles", {"yes", "no"}, 0) == 0;
  choices.take("f.threads", {"32", "64", "128"}, 1);
  if (tiled) choices.take("f.tile", {"a", "b"}, 0);
  else choices.take("f.lists", {"one", "two", "slow"}, 0);
  if (choices.unmet() != nullptr) return Diagnostic(code::bad_argument, {}, "unmet");
  const auto slow = stated.find("f.lists");
  const double seconds = slow != stated.end() && slow->second == "slow" ? 10 : 1;
  return codegen::ModelledChoices{choices.made(), seconds, "kernels " + codegen::text_of(stated)};
}

/// Fastest at f.tiles=no f.lists=two f.threads=32.
double time_of(const StatedChoices& stated) {
  const auto is = [&](const char* of, const char* way) {
    const auto found = stated.find(of);
    return found != stated.end() && found->second == way;
  };
  return 10 - (is("f.tiles", "no") ? 3 : 0) - (is("f.lists", "two") ? 2 : 0) - (is("f.threads", "32") ? 1 : 0) +
         (is("f.tile", "b") ? 1 : 0);
}

Session session_in(const std::string& folder) {
  SessionOptions options;
  options.cuda_driver = RECKON_FAKE_CUDA;
  options.kernel_folder = folder;
  Session session(options);
  const auto loaded = session.load("fn total(x: f32[m, n]) -> f32[m] = for i: sum j: x[i, j]");
  if (!loaded) FAIL(loaded.messages().front().text);
  return session;
}

TuneOptions tune_options() {
  TuneOptions out;
  out.bench.call.values = {{"m", 100}, {"n", 3000}};
  out.bench.seconds = 0;
  return out;
}

void call_it(Session& session, const CallOptions& options) {
  const std::vector<float> x(300'000, 1.0f);
  const auto result = session.call("total", {Tensor::of<float>(x, {100, 3000})}, options);
  if (!result) FAIL(result.messages().front().text);
}

}  // namespace

TEST_CASE("tuner: changes that gain are kept, and choices that they open are tried") {
  std::size_t calls = 0;
  Tuner tuner(
      model,
      [&](const StatedChoices& stated) -> Expected<double> {
        ++calls;
        return time_of(stated);
      },
      100);
  const auto best = tuner.run();
  REQUIRE(best);
  const Tuned::Way& found = tuner.trials()[*best];
  CHECK(codegen::text_of(found.choices) == "f.lists=two f.threads=32 f.tiles=no");
  CHECK(*found.measured == 4);
  CHECK(tuner.trials()[0].choices.empty());
  CHECK(tuner.left_out() == 0);
  for (const Tuned::Way& trial : tuner.trials()) {
    const auto lists = trial.choices.find("f.lists");
    const bool is_slow = lists != trial.choices.end() && lists->second == "slow";
    CHECK(trial.measured.has_value() == !is_slow);
    CHECK(trial.problem == (is_slow ? "slow by the model" : ""));
  }
  CHECK(calls == static_cast<std::size_t>(std::ranges::count_if(tuner.trials(), [](const Tuned::Way& trial) {
          return trial.measured.has_value();
        })));
}

TEST_CASE("tuner: no more than so many ways are measured, and a failure ends nothing") {
  std::size_t calls = 0;
  Tuner few(
      model,
      [&](const StatedChoices& stated) -> Expected<double> {
        ++calls;
        return time_of(stated);
      },
      3);
  REQUIRE(few.run());
  CHECK(calls == 3);
  CHECK(few.left_out() > 0);

  Tuner failing(
      model,
      [&](const StatedChoices& stated) -> Expected<double> {
        if (stated.contains("f.tiles")) return Diagnostic(code::bad_argument, {}, "it does not run");
        return time_of(stated);
      },
      100);
  const auto best = failing.run();
  REQUIRE(best);
  CHECK(codegen::text_of(failing.trials()[*best].choices) == "f.threads=32");

  Tuner none(
      model,
      [](const StatedChoices&) -> Expected<double> { return Diagnostic(code::bad_argument, {}, "it does not run"); },
      100);
  CHECK(!none.run());
}

TEST_CASE("tuner: without a measurement ways are listed") {
  Tuner tuner(model, {}, 100);
  CHECK(tuner.run());
  CHECK(tuner.trials().size() == 5);
}

TEST_CASE("tune: what was found is taken for sizes of the same class, by later sessions, and not where one is stated") {
  const test::TemporaryFolder folder;
  FakeCuda fake;
  fake.fast(64);
  {
    Session session = session_in(folder.path().string());
    const auto tuned = session.tune("total", tune_options());
    if (!tuned) FAIL(tuned.messages().front().text);
    CHECK(tuned->kept);
    CHECK(tuned->machine == "Fake GPU");
    REQUIRE(tuned->best < tuned->ways.size());
    CHECK(tuned->ways[tuned->best].choices == std::map<std::string, std::string>{{"reckon_total_0.threads", "64"}});
    CHECK(tuned->ways[tuned->best].measured < tuned->ways[0].measured);
    CHECK(fake.live() == 0);
  }
  Session session = session_in(folder.path().string());
  CallOptions options;
  options.on = On::gpu;
  const auto threads_of = [&](const CallOptions& given) {
    fake.reset();
    call_it(session, given);
    const std::string log = fake.log();
    const auto at = log.find("cuLaunchKernel reckon_total_0 100x");
    REQUIRE(at != std::string::npos);
    return std::atoi(log.c_str() + at + std::string("cuLaunchKernel reckon_total_0 100x").size());
  };
  CHECK(threads_of(options) == 64);
  options.choices.emplace();
  const int usual = threads_of(options);
  CHECK(usual != 64);
  options.choices = std::map<std::string, std::string>{{"reckon_total_0.threads", "512"}};
  CHECK(threads_of(options) == 512);
  options.choices = std::map<std::string, std::string>{{"reckon_total_0.threads", "48"}};
  CHECK(!session.call("total", {Tensor::of<float>(std::vector<float>(300'000), {100, 3000})}, options));

  // A kept choice that this version does not have is no harm.
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "choices")) {
    std::string text = test::read_file(entry.path());
    const auto at = text.find("threads=64");
    REQUIRE(at != std::string::npos);
    test::write_file(entry.path(), text.replace(at, 10, "threads=65"));
  }
  CHECK(threads_of({.on = On::gpu}) == usual);
}

TEST_CASE("choices are kept for a class of sizes") {
  SourceMap sources;
  frontend::Session session(sources, {}, {});
  const auto outcome =
      session.add(sources.add("f.rk", "fn f(x: f32[m, n]) -> f32[m, n] = x"), "f.rk", frontend::ParseAs::program);
  REQUIRE(outcome.diagnostics.empty());
  const auto circuit = session.circuit("f");
  REQUIRE(circuit);
  const auto key = [&](std::int64_t m, std::int64_t n) {
    ir::Module& module = session.module();
    return choices_key(module, *circuit, "float", "a GPU", {{module.symbol("m"), m}, {module.symbol("n"), n}});
  };
  CHECK(key(100, 4096) == key(124, 4096));  // 64 to 127, a multiple of 4
  CHECK(key(100, 4096) != key(102, 4096));  // a multiple of 2
  CHECK(key(100, 4096) != key(132, 4096));  // from 128 on
  CHECK(key(3, 4096) != key(5, 4096));
  CHECK(key(3, 4096) == key(3, 4096 + 64));
}
