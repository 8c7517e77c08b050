// Hash-consing up to renaming, substitution without capture, rewriting.
#include <catch2/catch.hpp>

#include "ir/bind.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/rewrite.h"
#include "ir/verifier.h"
#include "tests/ir/random_circuit.h"
#include "tests/ir/reference_evaluator.h"

using namespace reckon;
using namespace reckon::ir;
using namespace reckon::ir::testing;

namespace {

struct Fixture {
  Module m;
  IndexId n = m.indices().dimension(m.symbol("n"));
  TypeId vector = m.types().tensor(Scalar::f32, {n}), matrix = m.types().tensor(Scalar::f32, {n, n});
  NodeId x = m.parameter(0, vector), a = m.parameter(1, matrix);

  IndexId at(VariableId variable) { return m.indices().variable(variable); }
  NodeId element(NodeId tensor, std::vector<IndexId> subscripts) { return m.element(tensor, std::move(subscripts)); }
  NodeId sum(VariableId variable, NodeId body) {
    Module::Fold fold{.variable = variable, .extent = n, .body = body};
    fold.schedule = m.schedules().simple(ScheduleOp::seq);
    return m.reduce(fold);
  }
  Function function(NodeId body) {
    Function out;
    out.name = m.symbol("f");
    out.dimensions = {m.symbol("n")};
    out.parameters = {{m.symbol("x"), vector, {}}, {m.symbol("a"), matrix, {}}};
    out.body = body;
    out.result = m[body].type;
    return out;
  }
};

}  // namespace

TEST_CASE("binders that differ in names are one node") {
  Fixture f;
  auto sum_of_products = [&](VariableId i, VariableId j) {
    return f.m.map({i}, {f.n},
                   f.sum(j, f.m.apply(Op::mul, {f.element(f.a, {f.at(i), f.at(j)}), f.element(f.x, {f.at(j)})})));
  };
  const NodeId first = sum_of_products(f.m.fresh_variable(), f.m.fresh_variable());
  const VariableId p = f.m.fresh_variable(), q = f.m.fresh_variable();
  CHECK(sum_of_products(q, p) == first);
  CHECK(f.m[first].variables == std::vector{VariableId{1}});

  auto fold = [&](VariableId i, VariableId l, VariableId r) {
    Module::Fold out{.variable = i, .extent = f.n, .body = f.element(f.x, {f.at(i)})};
    const TypeId type = f.m[out.body].type;
    out.left = l;
    out.right = r;
    out.user_operation = f.m.apply(Op::sub, {f.m.operand(r, type), f.m.operand(l, type)});
    out.schedule = f.m.schedules().simple(ScheduleOp::tree);
    return out;
  };
  const NodeId reduced = f.m.reduce(fold(f.m.fresh_variable(), f.m.fresh_variable(), f.m.fresh_variable()));
  auto again = fold(f.m.fresh_variable(), f.m.fresh_variable(), f.m.fresh_variable());
  again.operation = Op::max;  // means nothing where there is an operation of its own
  CHECK(f.m.reduce(again) == reduced);
  std::swap(again.left, again.right);
  CHECK(f.m.reduce(again) != reduced);
}

TEST_CASE("an element of an open map is its body, of a closed one an element") {
  Fixture f;
  const VariableId i = f.m.fresh_variable(), j = f.m.fresh_variable();
  const NodeId closed = f.m.map({i}, {f.n}, f.m.apply(Op::neg, {f.element(f.x, {f.at(i)})}));
  const NodeId of_closed = f.element(closed, {f.at(j)});
  CHECK(f.m[of_closed].op == Op::element);
  const NodeId open = f.m.map({i}, {f.n}, f.m.apply(Op::neg, {f.element(f.a, {f.at(i), f.at(j)})}));
  const NodeId of_open = f.element(open, {f.m.indices().constant(3)});
  CHECK(of_open == f.m.apply(Op::neg, {f.element(f.a, {f.m.indices().constant(3), f.at(j)})}));
}

TEST_CASE("what is put into a binder is not captured by it") {
  Fixture f;
  // sum k: x[k], with x := for j: (sum p: a[j, p]) * a[i, j], an open map with a binder of its own.
  const VariableId k = f.m.fresh_variable();
  const NodeId callee = f.sum(k, f.element(f.x, {f.at(k)}));
  const VariableId i = f.m.fresh_variable(), j = f.m.fresh_variable(), p = f.m.fresh_variable();
  const NodeId inner = f.sum(p, f.element(f.a, {f.at(j), f.at(p)}));
  const NodeId argument = f.m.map({j}, {f.n}, f.m.apply(Op::mul, {inner, f.element(f.a, {f.at(i), f.at(j)})}));
  Module::Substitution call;
  call.parameters = {argument, f.a};
  const NodeId inlined = f.m.map({i}, {f.n}, f.m.substitute(callee, call));
  const NodeId direct_body =
      f.m.apply(Op::mul, {f.sum(p, f.element(f.a, {f.at(k), f.at(p)})), f.element(f.a, {f.at(i), f.at(k)})});
  CHECK(inlined == f.m.map({i}, {f.n}, f.sum(k, direct_body)));
  CHECK(verify(f.m, f.function(inlined)).empty());
}

TEST_CASE("a call's argument means what it means outside") {
  // for t: f(x := for j: g(t, j)), with f a random circuit and g one that binds variables of its own.
  const std::map<std::string, std::int64_t> sizes{{"n", 3}, {"k", 2}};
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    CAPTURE(seed);
    Module m;
    IndexStore& ix = m.indices();
    Function callee = RandomCircuit(m, seed, {.runnable = true}).make();
    std::map<SymbolId, std::int64_t> dimensions;
    for (auto [name, size] : sizes) dimensions[m.symbol(name)] = size;
    const TypeKind kind = m.types()[callee.result].kind;
    if (kind != TypeKind::scalar) continue;
    const IndexId n = ix.dimension(m.symbol("n"));
    const VariableId t = m.fresh_variable(), j = m.fresh_variable(), p = m.fresh_variable();
    const NodeId y = m.parameter(1, callee.parameters[1].type);
    // g(t, j) = sum p < k: y[j, p] - f32(t)
    Module::Fold fold{.variable = p, .extent = ix.dimension(m.symbol("k"))};
    fold.body =
        m.apply(Op::sub, {m.element(y, {ix.variable(j), ix.variable(p)}), m.index_value(ix.variable(t), Scalar::f32)});
    fold.schedule = m.schedules().simple(ScheduleOp::seq);
    const NodeId argument = m.map({j}, {n}, m.reduce(fold));
    Module::Substitution call;
    for (std::uint32_t q = 0; q < 5; ++q) call.parameters.push_back(m.parameter(q, callee.parameters[q].type));
    call.parameters[0] = argument;
    Function whole = callee;
    whole.body = m.map({t}, {n}, m.substitute(callee.body, call));
    whole.result = m[whole.body].type;
    const auto problems = verify(m, whole);
    if (!problems.empty()) FAIL(problems[0].message << "\n" << print(m, whole));

    std::vector<Value> arguments = sample_arguments(seed);
    const Value result = ReferenceEvaluator(m, dimensions, arguments).run(whole.body);
    for (int at = 0; at < 3; ++at) {
      std::vector<Value> inner = arguments;
      for (std::size_t row = 0; row < 3; ++row) {
        float sum = static_cast<float>(arguments[1].elements[2 * row]) - static_cast<float>(at);
        sum += static_cast<float>(arguments[1].elements[2 * row + 1]) - static_cast<float>(at);
        inner[0].elements[row] = sum;
      }
      const Value expected = ReferenceEvaluator(m, dimensions, inner).run(callee.body);
      CAPTURE(print(m, callee), at);
      REQUIRE(same_bits({{result.elements.at(static_cast<std::size_t>(at))}, {}}, expected));
      ++compared;
    }
  }
  CHECK(compared > 75);
}

TEST_CASE("rewriting opens binders, and a rewriting that changes nothing gives the same node") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Module m;
    const Function function = RandomCircuit(m, seed).make();
    const NodeId same = m.rewrite(function.body, [&](const Node& node, std::vector<NodeId> operands) {
      for (VariableId variable : node.variables) CHECK(variable.temporary());
      return m.rebuild(node, std::move(operands));
    });
    REQUIRE(same == function.body);
  }
}

TEST_CASE("a rewriting may put binders anywhere") {
  Fixture f;
  // Every x[e] becomes sum p: a[e, p]; the binder around is numbered anew.
  const VariableId i = f.m.fresh_variable(), p = f.m.fresh_variable();
  const NodeId before = f.m.map({i}, {f.n}, f.element(f.x, {f.at(i)}));
  const NodeId after = f.m.rewrite(before, [&](const Node& node, std::vector<NodeId> operands) {
    if (node.op != Op::element || operands[0] != f.x) return f.m.rebuild(node, std::move(operands));
    return f.sum(p, f.element(f.a, {node.indices[0], f.at(p)}));
  });
  CHECK(after == f.m.map({i}, {f.n}, f.sum(p, f.element(f.a, {f.at(i), f.at(p)}))));
  CHECK(verify(f.m, f.function(after)).empty());
}

TEST_CASE("instantiating a size keeps the meaning") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    Module m;
    const Function function = RandomCircuit(m, seed, {.runnable = true}).make();
    const Dimensions sizes{{m.symbol("n"), 3}, {m.symbol("k"), 2}};
    const Function fixed = instantiate(m, function, sizes);
    const auto problems = verify(m, fixed);
    if (!problems.empty()) FAIL(problems[0].message);
    const auto arguments = sample_arguments(seed);
    REQUIRE(same_bits(ReferenceEvaluator(m, sizes, arguments).run(function.body),
                      ReferenceEvaluator(m, {}, arguments).run(fixed.body)));
    CHECK(check_bounds(m, fixed).empty());
  }
}

TEST_CASE("a source's seed and extents may mention variables") {
  Fixture f;
  const VariableId i = f.m.fresh_variable();
  Source source;
  source.kind = Source::Kind::uniform;
  source.seed = f.at(i);
  const NodeId tensor = f.m.source(source, f.vector);
  CHECK(f.m.depends_on(tensor, i));
  const NodeId whole = f.m.map({i}, {f.n}, f.element(tensor, {f.at(i)}));
  CHECK(f.m.free_variables(whole).empty());
}
