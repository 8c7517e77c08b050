// On::mpi in a program that no launcher started: one rank. tests/mpi/ starts jobs.
#include <catch2/catch.hpp>

#include "api/reckon/ranks.h"
#include "api/reckon/reckon.h"

using namespace reckon;

namespace {

constexpr const char* program = "fn total(x: f32[n]) -> f32 = sum i: x[i] by tree";
const std::vector<float> numbers{1e8F, 1, -1e8F, 3};

}  // namespace

TEST_CASE("one rank gives what the interpreter gives") {
  const auto ranks = open_ranks();
  if (!ranks) {
    WARN("skipped: " << ranks.messages().front().message);
    return;
  }
  CHECK(ranks->rank == 0);
  CHECK(ranks->size == 1);
  CHECK(agree_on({}).empty());
  Session session;
  REQUIRE(session.load(program));
  CallOptions on_ranks;
  on_ranks.on = On::mpi;
  const auto dealt = session.call("total", {Tensor::of<float>(numbers)}, on_ranks);
  const auto whole = session.call("total", {Tensor::of<float>(numbers)});
  REQUIRE(dealt);
  REQUIRE(whole);
  CHECK(dealt->at(0).tensor->bytes == whole->at(0).tensor->bytes);
  on_ranks.values["n"] = 3;
  CHECK_FALSE(session.call("total", {Tensor::of<float>(numbers)}, on_ranks));
}

TEST_CASE("circuits are timed on one machine") {
  Session session;
  REQUIRE(session.load(program));
  BenchOptions options;
  options.call.on = On::mpi;
  options.call.values["n"] = 4;
  const auto timed = session.bench("total", options);
  REQUIRE_FALSE(timed);
  CHECK_THAT(timed.messages().front().message, Catch::Contains("on one machine"));
}
