// Loads that say how long the L2 cache keeps what they read (codegen/ptx/streams.h), of numbers that are pairs:
// intervals of f32s, which a fold reads from memory.
#include <catch2/catch.hpp>

#include "api/reckon/reckon.h"

using namespace reckon;

TEST_CASE("intervals that are read once are read by loads with a cache policy, as pairs of words") {
  Session session;
  REQUIRE(session.load(
      "fn scaled(a: f4e2m1, b: f4e2m1) -> f4e2m1 = f4e2m1(0) * b\n"
      "fn next(s: f4e2m1[l], e: f4e2m1) -> f4e2m1[l] = for j < l: scaled(f4e2m1(1), prod k: s[k] by tree)\n"
      "fn folded(x: f4e2m1[n, n]) = fold(next, for j < n: f4e2m1(1)) i < n + 2: f4e2m1(1)\n"));
  CompileOptions options;
  options.semantics = "interval(f32)";
  options.arch = "sm_90";
  const auto compiled = session.compile("folded", options);
  if (!compiled) FAIL(compiled.messages().front().text);
  CHECK_THAT(*compiled, Catch::Matchers::Contains("ld.global.L2::cache_hint.v2.b32"));
}
