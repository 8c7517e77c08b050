// parse_ir(print(f)) is f, and prints as f does.
#include <catch2/catch.hpp>

#include "ir/op.h"
#include "ir/parser.h"
#include "ir/passes/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/ir/random_circuit.h"

using namespace reckon;
using namespace reckon::ir;
using reckon::ir::testing::RandomCircuit;

namespace {

void check_round_trip(Module& module, const Function& function) {
  const std::string text = print(module, function);
  CAPTURE(text);
  const auto problems = verify(module, function);
  if (!problems.empty()) FAIL(problems[0].message);

  const auto again = parse_ir(module, text);
  if (!again) FAIL(again.error().message);
  REQUIRE(again->size() == 1);
  const Function& same = again->front();
  REQUIRE(same.body == function.body);  // the same nodes: they are hash-consed
  REQUIRE(same.result == function.result);
  REQUIRE(same.name == function.name);
  REQUIRE(same.dimensions == function.dimensions);
  REQUIRE(same.requirements.size() == function.requirements.size());
  REQUIRE(print(module, same) == text);

  Module other;
  const auto moved = parse_ir(other, text);
  if (!moved) FAIL(moved.error().message);
  REQUIRE(print(other, moved->front()) == text);
  REQUIRE(verify(other, moved->front()).empty());
}

}  // namespace

TEST_CASE("an operation with a dot in its name prints and parses") {
  Module m;
  const TypeId type = m.types().scalar(Scalar::f32);
  const NodeId x = m.parameter(0, type);
  Function f;
  f.name = m.symbol("f");
  f.parameters = {{m.symbol("x"), type, {}}};
  f.body = m.apply(Op::approx_div, {m.apply(Op::approx_exp2, {x}), x});
  f.result = type;
  check_round_trip(m, f);
}

TEST_CASE("a circuit that approximates an operation prints and parses, and becomes its body or the operation") {
  Module m;
  const TypeId type = m.types().scalar(Scalar::f32);
  const NodeId x = m.parameter(0, type);
  Function near;
  near.name = m.symbol("near");
  near.builtin = "near";
  near.approximated = Op::exp;
  near.parameters = {{m.symbol("x"), type, {}}};
  near.body = m.apply(Op::add, {x, x});
  near.result = type;
  Function f = near;
  f.name = m.symbol("f");
  f.builtin = "";
  f.approximated = std::nullopt;
  f.body = m.apply(Op::neg, {m.call(near, {x}, type)});
  check_round_trip(m, f);
  CHECK(print(m, f).find("callee near approximates exp ") != std::string::npos);
  CHECK(inline_calls(m, f).body == m.apply(Op::neg, {near.body}));
  CHECK(inline_calls(m, f, Approximations::operations).body == m.apply(Op::neg, {m.apply(Op::exp, {x})}));
  CHECK(inline_calls(m, near, Approximations::operations).body == m.apply(Op::exp, {x}));
}

TEST_CASE("storage of parameters and results prints and parses") {
  Module m;
  IndexStore& ix = m.indices();
  const SymbolId name = m.symbol("compose");  // a word of the text, and quoted in it
  const IndexId n = ix.dimension(name), two = ix.constant(2), one = ix.constant(1);
  const TypeId matrix = m.types().tensor(Scalar::f32, {n, two}), scalar = m.types().scalar(Scalar::f32);
  const auto leaf = [](IndexId id) { return IndexTuple{id, {}}; };
  const Storage columns{{{{}, {leaf(n), leaf(two)}}, {{}, {leaf(one), leaf(n)}}}};
  Storage nested{{{{}, {{{}, {leaf(two), leaf(ix.floor_div(n, two))}}, leaf(two)}},
                  {{}, {{{}, {leaf(ix.constant(-1)), leaf(two)}}, leaf(n)}}}};
  using Tuple = std::vector<layout::IntTuple>;
  nested.stages = {{*layout::Swizzle::make(2, 1, -3), 5}, {*layout::Layout::make(Tuple{6, 2}, Tuple{1, 7}), -4}};
  Function f;
  f.name = m.symbol("f");
  f.dimensions = {name};
  f.parameters = {{m.symbol("x"), matrix, {}, nested}, {m.symbol("a"), scalar, {}}};
  const NodeId x = m.parameter(0, matrix), a = m.parameter(1, scalar);
  f.body = m.tuple({a, m.tuple({x}), x});
  f.result = m[f.body].type;
  f.result_storage = {std::nullopt, columns, std::nullopt};
  check_round_trip(m, f);
  const std::string text = print(m, f);
  CHECK(text.find("x: f32[\"compose\", 2] @ compose(swizzle(2, 1, -3), 5, compose((6,2):(1,7), -4, "
                  "[[2, \"compose\" // 2], 2]:[[-1, 2], \"compose\"]))") != std::string::npos);
  CHECK(text.find("-> (f32, (f32[\"compose\", 2] @ [\"compose\", 2]:[1, \"compose\"],), f32[\"compose\", 2]) {") !=
        std::string::npos);
  const auto again = parse_ir(m, text);
  REQUIRE(again);
  CHECK(again->front().parameters[0].storage->layout == nested.layout);
  CHECK(again->front().parameters[0].storage->stages == nested.stages);
  REQUIRE(again->front().result_storage.size() == 3);
  CHECK(again->front().result_storage[1]->layout == columns.layout);
  CHECK(!again->front().result_storage[2]);
  for (const char* wrong : {"fn f(x: f32[2] @ compose(swizzle(2, 1, 1), 0, 2:1)) -> f32 { yield f32(1) }",
                            "fn f(x: f32[2] @ compose(swizzle(2, 1, 3), 2:1)) -> f32 { yield f32(1) }",
                            "fn f() -> f32[2] @ [2:1 { yield f32(1) }"}) {
    CHECK(!parse_ir(m, wrong));
  }
}

TEST_CASE("random circuits survive printing and parsing") {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Module module;
    const Function function = RandomCircuit(module, seed).make();
    check_round_trip(module, function);
  }
}

TEST_CASE("the text does not depend on the order in which nodes were made") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Module plain, littered;
    // Another circuit first: every id is another one, and so is the order of ids.
    RandomCircuit(littered, seed + 1000).make();
    const Function a = RandomCircuit(plain, seed).make(), b = RandomCircuit(littered, seed).make();
    REQUIRE(print(plain, a) == print(littered, b));
  }
  Module module;
  const IndexId n = module.indices().dimension(module.symbol("n")), a = module.indices().dimension(module.symbol("a"));
  CHECK(index_text(module, module.indices().add(n, a)) == "a + n");
  CHECK(index_text(module, module.indices().minimum(n, a)) == "min(a, n)");
  CHECK(index_text(module, module.indices().multiply(n, a)) == "a*n");
}

TEST_CASE("a module prints all its functions, and their schedules once") {
  Module module;
  module.functions().push_back(RandomCircuit(module, 3).make());
  module.functions().push_back(RandomCircuit(module, 4).make());
  const std::string text = print(module);
  Module other;
  auto functions = parse_ir(other, text);
  REQUIRE(functions);
  other.functions() = *functions;
  CHECK(print(other) == text);
}

TEST_CASE("the text of small circuits") {
  Module m;
  IndexStore& ix = m.indices();
  Function f;
  f.name = m.symbol("dot");
  const SymbolId n_symbol = m.symbol("n");
  f.dimensions = {n_symbol};
  const IndexId n = ix.dimension(n_symbol);
  const TypeId vector = m.types().tensor(Scalar::f32, {n});
  f.parameters = {{m.symbol("x"), vector, {}}, {m.symbol("y"), vector, {}}};
  const VariableId i = m.fresh_variable();
  auto at = [&](std::uint32_t p) { return m.element(m.parameter(p, vector), {ix.variable(i)}); };
  Module::Fold fold{.variable = i, .extent = n, .body = m.apply(Op::mul, {at(0), at(1)})};
  fold.schedule = m.schedules().default_order();
  f.body = m.reduce(fold);
  f.result = m[f.body].type;
  CHECK(print(m, f) ==
        "fn dot[n](x: f32[n], y: f32[n]) -> f32 {\n"
        "  %v0: f32 = reduce add %0 < n by lanes(128, tree) then tree {\n"
        "    %v1: f32 = mul x[%0], y[%0]\n"
        "    yield %v1\n"
        "  }\n"
        "  yield %v0\n"
        "}\n");

  // Parameters of one name are told apart by position.
  f.parameters[1].name = f.parameters[0].name;
  CHECK_THAT(print(m, f), Catch::Contains("mul @0[%0], @1[%0]"));
  check_round_trip(m, f);
}

TEST_CASE("a value stands at the outermost place where its variables are bound") {
  Module m;
  const char* text =
      "fn f[n](x: f32[n]) -> f32[n, n] {\n"
      "  %v0: f32 = reduce max %0 < n by seq { yield x[%0] }\n"
      "  %v1: f32[n, n] = map %0 < n, %1 < n {\n"
      "    %v2: f32 = sub x[%0], %v0\n"
      "    %v3: f32 = exp %v2\n"
      "    %v4: f32 = mul %v3, x[%1]\n"
      "    yield %v4\n"
      "  }\n"
      "  yield %v1\n"
      "}\n";
  const char* inside =
      "fn f[n](x: f32[n]) -> f32[n, n] {\n"
      "  %v1: f32[n, n] = map %5 < n, %6 < n {\n"
      "    %v0: f32 = reduce max %9 < n by seq { yield x[%9] }  ; closed\n"
      "    %v2: f32 = sub x[%5], %v0\n"
      "    %v3: f32 = exp %v2\n"
      "    %v4: f32 = mul %v3, x[%6]\n"
      "    yield %v4\n"
      "  }\n"
      "  yield %v1\n"
      "}\n";
  auto function = parse_ir(m, inside);
  REQUIRE(function);
  std::string expected = text;
  // The map's variables are numbered above the reduction's, whose body it holds.
  for (auto [from, to] : {std::pair{"%1 < n {", "%2 < n {"},
                          {"map %0", "map %1"},
                          {"sub x[%0]", "sub x[%1]"},
                          {"x[%1]\n    yield %v4", "x[%2]\n    yield %v4"}}) {
    const std::size_t place = expected.find(from);
    REQUIRE(place != std::string::npos);
    expected.replace(place, std::string(from).size(), to);
  }
  CHECK(print(m, function->front()) == expected);
}

TEST_CASE("literals are written exactly") {
  Module m;
  const char* text =
      "fn f() -> (f32, f32, f64, f16, bf16, f32, f32, bool, number) {\n"
      "  %v0: (f32, f32, f64, f16, bf16, f32, f32, bool, number) = tuple f32(1/3), f32(pi*-1/2), f64#3ff0000000000001, "
      "f16#7e00, bf16(-7), f32(-inf), f32(nan), true, number(123456789012345678901234567890)\n"
      "  yield %v0\n"
      "}\n";
  auto function = parse_ir(m, text);
  REQUIRE(function);
  CHECK(print(m, function->front()) == text);
}

namespace {

/// normalize(x) = x / (a callee of its own), called on a parameter with another dimension.
Function with_calls(Module& m) {
  IndexStore& ix = m.indices();
  const SymbolId n = m.symbol("n"), k = m.symbol("k");
  const TypeId scalar = m.types().scalar(Scalar::f32);
  const auto vector = [&](SymbolId extent) { return m.types().tensor(Scalar::f32, {ix.dimension(extent)}); };
  Function length;
  length.name = m.symbol("length[f32]");
  length.builtin = "length";
  length.dimensions = {n};
  length.parameters = {{m.symbol("x"), vector(n), {}}};
  const VariableId i = m.fresh_variable();
  const NodeId x = m.parameter(0, vector(n));
  Module::Fold fold;
  fold.variable = i;
  fold.extent = ix.dimension(n);
  fold.body = m.element(x, {ix.variable(i)});
  fold.schedule = m.schedules().simple(ScheduleOp::seq);
  length.body = m.reduce(fold);
  length.result = scalar;
  Function normalize;
  normalize.name = m.symbol("normalize[f32]");
  normalize.builtin = "normalize";
  normalize.dimensions = {n};
  normalize.parameters = length.parameters;
  const NodeId of = m.call(length, {x}, scalar);
  const VariableId j = m.fresh_variable();
  normalize.body = m.map({j}, {ix.dimension(n)}, m.apply(Op::div, {m.element(x, {ix.variable(j)}), of}));
  normalize.result = m[normalize.body].type;
  Function f;
  f.name = m.symbol("f");
  f.dimensions = {k};
  f.parameters = {{m.symbol("y"), vector(k), {}}};
  const NodeId y = m.parameter(0, vector(k));
  f.body = m.tuple({m.call(normalize, {y}, vector(k)), m.call(length, {y}, scalar)});
  f.result = m[f.body].type;
  return f;
}

}  // namespace

TEST_CASE("calls and what they call survive printing and parsing") {
  Module module;
  const Function f = with_calls(module);
  const std::string text = print(module, f);
  CAPTURE(text);
  CHECK(text.find("callee \"length\" fn \"length[f32]\"[n]") != std::string::npos);
  CHECK(text.find("callee \"length\"") < text.find("callee normalize"));  // before its first use
  check_round_trip(module, f);
  Module other;
  const auto moved = parse_ir(other, text);
  REQUIRE(moved);
  std::vector<std::string> builtins;
  for (const NodeId part : other[moved->front().body].operands) builtins.push_back(other.callee_of(other[part]).builtin);
  CHECK(builtins == std::vector<std::string>{"normalize", "length"});
}
