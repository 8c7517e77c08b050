// The passes keep the meaning to the bit under the laws of float, and do what they are for.
#include <catch2/catch.hpp>

#include "diagnostics/codes/ir_invalid.h"
#include "ir/parser.h"
#include "ir/passes/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/ir/random_circuit.h"
#include "tests/ir/reference_evaluator.h"

using namespace reckon;
using namespace reckon::ir;
using namespace reckon::ir::testing;

namespace {

/// What IEEE floats with their default rounding have.
constexpr Laws float_laws{Law::add_commutes,   Law::mul_commutes,   Law::sub_zero,
                          Law::mul_one,        Law::div_one,        Law::double_negation,
                          Law::select_same,    Law::literals_round, Law::min_max_idempotent,
                          Law::min_max_commute};

std::string after(Function (*pass)(Module&, const Function&, Laws), const std::string& text, Laws laws = {}) {
  Module m;
  auto parsed = parse_ir(m, text);
  if (!parsed) FAIL(parsed.error().message);
  const Function result = pass(m, parsed->front(), laws);
  const auto problems = verify(m, result);
  if (!problems.empty()) FAIL(problems[0].message);
  return print(m, result);
}

}  // namespace

TEST_CASE("passes keep the bits of random circuits under float's laws") {
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Module m;
    const Function function = RandomCircuit(m, seed, {.runnable = true}).make();
    PassOptions options;
    options.verify = true;
    const auto result = run_passes(m, function, float_laws, options);
    if (!result) FAIL(result.error().message << " " << result.error().notes.back());
    changed += result->body != function.body;
    CAPTURE(print(m, function), print(m, *result));
    const std::map<SymbolId, std::int64_t> sizes{{m.symbol("n"), 3}, {m.symbol("k"), 2}};
    for (std::uint64_t draw = 0; draw < 2; ++draw) {
      const auto arguments = sample_arguments(seed * 2 + draw);
      REQUIRE(same_bits(ReferenceEvaluator(m, sizes, arguments).run(function.body),
                        ReferenceEvaluator(m, sizes, arguments).run(result->body)));
    }
  }
  CHECK(changed > 200);
}

TEST_CASE("passes accept every circuit, and a second run changes nothing more") {
  const Laws all{Law::add_commutes,     Law::mul_commutes,      Law::add_zero,        Law::sub_zero,
                 Law::mul_one,          Law::div_one,           Law::double_negation, Law::sub_self,
                 Law::mul_zero,         Law::select_same,       Law::literals_exact,  Law::min_max_idempotent,
                 Law::literals_ordered, Law::conversions_exact, Law::min_max_commute};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Module m;
    const Function function = RandomCircuit(m, seed).make();
    PassOptions options;
    options.verify = true;
    const auto once = run_passes(m, function, all, options);
    if (!once) FAIL(once.error().message << " " << once.error().notes.back());
    CHECK(fold_constants(m, *once, all).body == once->body);
  }
}

TEST_CASE("values equal up to the order of operands are shared, where the laws allow") {
  const std::string text =
      "fn f[n](x: f32[n], y: f32[n]) -> (f32[n], f32[n]) {\n"
      "  %v0: f32[n] = map %0 < n {\n    %v1: f32 = add x[%0], y[%0]\n    yield %v1\n  }\n"
      "  %v2: f32[n] = map %0 < n {\n    %v3: f32 = add y[%0], x[%0]\n    yield %v3\n  }\n"
      "  %v4: (f32[n], f32[n]) = tuple %v0, %v2\n  yield %v4\n}\n";
  CHECK(after(share_subexpressions, text) == text);
  CHECK(after(share_subexpressions, text, {Law::mul_commutes}) == text);
  // Binders are shared too: equal bodies make them equal.
  CHECK(after(share_subexpressions, text, {Law::add_commutes}) ==
        "fn f[n](x: f32[n], y: f32[n]) -> (f32[n], f32[n]) {\n"
        "  %v0: f32[n] = map %0 < n {\n    %v1: f32 = add x[%0], y[%0]\n    yield %v1\n  }\n"
        "  %v2: (f32[n], f32[n]) = tuple %v0, %v0\n  yield %v2\n}\n");

  struct Row {
    const char* op;
    const char* operands;
    const char* exchanged;
    Laws needs;
    bool commutes;
  };
  const Row rows[] = {{"add", "a, b", "b, a", {Law::add_commutes}, true},
                      {"mul", "a, b", "b, a", {Law::mul_commutes}, true},
                      {"fma", "a, b, a", "b, a, a", {Law::mul_commutes}, true},
                      {"fma", "a, b, a", "a, a, b", {Law::mul_commutes, Law::add_commutes}, false},
                      {"min", "a, b", "b, a", {Law::min_max_commute}, true},
                      {"max", "a, b", "b, a", {Law::min_max_commute}, true},
                      {"sub", "a, b", "b, a", float_laws, false},
                      {"div", "a, b", "b, a", float_laws, false},
                      {"rem", "a, b", "b, a", float_laws, false},
                      {"copysign", "a, b", "b, a", float_laws, false}};
  for (const Row& row : rows) {
    CAPTURE(row.op, row.operands);
    const std::string body = std::string("fn f(a: f32, b: f32) -> (f32, f32) {\n  %v0: f32 = ") + row.op + " " +
                             row.operands + "\n  %v1: f32 = " + row.op + " " + row.exchanged +
                             "\n  %v2: (f32, f32) = tuple %v0, %v1\n  yield %v2\n}\n";
    CHECK((after(share_subexpressions, body, row.needs).find("tuple %v0, %v0") != std::string::npos) == row.commutes);
    if (!(row.needs.has_all(float_laws))) CHECK(after(share_subexpressions, body) == body);
  }
  const std::string comparisons =
      "fn f(a: f32, b: f32) -> (bool, bool, bool, bool) {\n  %v0: bool = equal a, b\n  %v1: bool = equal b, a\n"
      "  %v2: bool = less a, b\n  %v3: bool = less b, a\n  %v4: (bool, bool, bool, bool) = tuple %v0, %v1, %v2, %v3\n  "
      "yield %v4\n}\n";
  CHECK_THAT(after(share_subexpressions, comparisons), Catch::Contains("tuple %v0, %v0, %v1, %v2"));
}

TEST_CASE("parts of a tuple reduction that nothing needs are dropped, if the others do without them") {
  const std::string independent =
      "fn f[n](x: f32[n]) -> f32 {\n"
      "  %v0: (f32, f32, f32) = reduce %0 < n by tree {\n"
      "    %v1: f32 = mul x[%0], x[%0]\n    %v2: (f32, f32, f32) = tuple x[%0], %v1, f32(1)\n    yield %v2\n"
      "  } with %1, %2 {\n"
      "    %v3: f32 = add %1.0, %2.0\n    %v4: f32 = mul %1.1, %2.1\n    %v5: f32 = sub %4_, %2.0\n"
      "    %v6: (f32, f32, f32) = tuple %v3, %v4, %v5\n    yield %v6\n  } else %else\n"
      "  yield %v0.0\n}\n";
  auto with = [&](std::string text, const std::string& third, const std::string& otherwise) {
    text.replace(text.find("%4_"), 3, third);
    text.replace(text.find(" else %else"), 11, otherwise);
    return text;
  };
  // The first part alone: a scalar reduction.
  CHECK(after(drop_dead_code, with(independent, "%1.0", "")) ==
        "fn f[n](x: f32[n]) -> f32 {\n"
        "  %v0: f32 = reduce %0 < n by tree { yield x[%0] } with %1, %2 {\n"
        "    %v1: f32 = add %1, %2\n    yield %v1\n  }\n"
        "  yield %v0\n}\n");
  // The third part is wanted, and is computed from the first: the second goes.
  std::string third = with(independent, "%1.2", "");
  third.replace(third.find("yield %v0.0"), 11, "yield %v0.2");
  CHECK(after(drop_dead_code, third) ==
        "fn f[n](x: f32[n]) -> f32 {\n"
        "  %v0: (f32, f32) = reduce %0 < n by tree {\n"
        "    %v1: (f32, f32) = tuple x[%0], f32(1)\n    yield %v1\n"
        "  } with %1, %2 {\n"
        "    %v2: f32 = add %1.0, %2.0\n    %v3: f32 = sub %1.1, %2.0\n"
        "    %v4: (f32, f32) = tuple %v2, %v3\n    yield %v4\n  }\n"
        "  yield %v0.1\n}\n");
  // Used as a whole: nothing goes.
  const std::string whole =
      "fn f[n](x: f32[n]) -> (f32, f32) {\n  %v0: (f32, f32) = reduce %0 < n by tree {\n"
      "    %v1: (f32, f32) = tuple x[%0], f32(1)\n    yield %v1\n  } with %1, %2 {\n"
      "    %v2: f32 = add %1.0, %2.0\n    %v3: f32 = mul %1.1, %2.1\n    %v4: (f32, f32) = tuple %v2, %v3\n    yield "
      "%v4\n  }\n"
      "  yield %v0\n}\n";
  CHECK(after(drop_dead_code, whole) == whole);
  // Welford's mean needs its count, and the other way round neither does without the other.
  const std::string entangled =
      "fn f[n](x: f32[n]) -> f32 {\n  %v0: (f32, f32) = reduce %0 < n by tree {\n"
      "    %v1: (f32, f32) = tuple x[%0], f32(1)\n    yield %v1\n  } with %1, %2 {\n"
      "    %v2: f32 = add %1.1, %2.0\n    %v3: f32 = mul %1.0, %2.1\n    %v4: (f32, f32) = tuple %v2, %v3\n    yield "
      "%v4\n  }\n"
      "  yield %v0.0\n}\n";
  CHECK(after(drop_dead_code, entangled) == entangled);
  // A scan, and an `else`.
  CHECK(after(drop_dead_code,
              "fn f[n](x: f32[n]) -> f32[n] {\n  %v0: (f32[n], f32[n]) = scan %0 < n by tree {\n"
              "    %v1: (f32, f32) = tuple x[%0], f32(1)\n    yield %v1\n  } with %1, %2 {\n"
              "    %v2: f32 = add %1.0, %2.0\n    %v3: f32 = mul %1.0, %2.1\n    %v4: (f32, f32) = tuple %v2, %v3\n    "
              "yield %v4\n  }\n"
              "  yield %v0.0\n}\n") ==
        "fn f[n](x: f32[n]) -> f32[n] {\n"
        "  %v0: f32[n] = scan %0 < n by tree { yield x[%0] } with %1, %2 {\n"
        "    %v1: f32 = add %1, %2\n    yield %v1\n  }\n"
        "  yield %v0\n}\n");
  std::string otherwise = with(independent, "%1.0", " else %v8");
  otherwise.replace(otherwise.find("  %v0: "), 7, "  %v8: (f32, f32, f32) = tuple f32(5), f32(6), f32(7)\n  %v0: ");
  CHECK_THAT(after(drop_dead_code, otherwise), Catch::Contains("} else f32(5)\n"));
}

TEST_CASE("requirements are kept, whatever the body becomes") {
  CHECK_THAT(after(drop_dead_code,
                   "fn f[n](x: f32[n]) -> f32 {\n  require n == 3 else E0302 \"three\"\n  yield f32(1)\n}\n"),
             Catch::Contains("require n == 3 else E0302 \"three\""));
}

TEST_CASE("passes can be named, disabled and watched") {
  Module m;
  auto parsed = parse_ir(m, "fn f(x: f32) -> f32 {\n  %v0: f32 = mul x, f32(1)\n  yield %v0\n}\n");
  REQUIRE(parsed);
  std::vector<std::string> seen;
  PassOptions options;
  options.dump = [&](std::string_view pass, const Function&) { seen.emplace_back(pass); };
  const auto result = run_passes(m, parsed->front(), float_laws, options);
  REQUIRE(result);
  CHECK(print(m, *result) == "fn f(x: f32) -> f32 {\n  yield x\n}\n");
  CHECK(seen == std::vector<std::string>{"views", "fold", "share", "dead"});
  seen.clear();
  options.disabled = {"fold", "shar"};
  CHECK(run_passes(m, parsed->front(), float_laws, options)->body == parsed->front().body);
  CHECK(seen == std::vector<std::string>{"views", "share", "dead"});
  CHECK(unknown_passes(options) == std::vector<std::string>{"shar"});
  for (const Pass& pass : pipeline()) CHECK_FALSE(pass.description.empty());

  options.verify = true;
  Function broken = parsed->front();
  broken.result = m.types().scalar(Scalar::f64);
  const auto refused = run_passes(m, broken, {}, options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == code::ir_invalid);
  CHECK(refused.error().notes.back() == "before any pass");
}
