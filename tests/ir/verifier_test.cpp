// The verifier finds planted faults. (That it accepts well-made circuits is tested wherever circuits are made.)
#include <catch2/catch.hpp>

#include "diagnostics/codes/ir_invalid.h"
#include "ir/op.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/put_in.h"
#include "ir/verifier.h"

using namespace reckon;
using namespace reckon::ir;

namespace {

struct Fixture {
  Module m;
  IndexStore& ix = m.indices();
  SymbolId n_symbol = m.symbol("n");
  IndexId n = ix.dimension(n_symbol);
  TypeId scalar = m.types().scalar(Scalar::f32), vector = m.types().tensor(Scalar::f32, {n});
  NodeId x = m.parameter(0, vector), a = m.parameter(1, scalar);

  Function function(NodeId body) {
    Function out;
    out.name = m.symbol("f");
    out.dimensions = {n_symbol};
    out.parameters = {{m.symbol("x"), vector, {}}, {m.symbol("a"), scalar, {}}};
    out.body = body;
    out.result = m[body].type;
    return out;
  }
  std::string fault(const Function& function) {
    const auto problems = verify(m, function);
    if (problems.empty()) return "none";
    CHECK(problems[0].code == code::ir_invalid);
    return problems[0].message;
  }
  std::string fault(NodeId body) { return fault(function(body)); }

  Module::Fold sum(ScheduleId schedule) {
    Module::Fold out{.variable = m.fresh_variable(), .extent = n};
    out.body = m.element(x, {ix.variable(out.variable)});
    out.schedule = schedule;
    return out;
  }
  ScheduleId seq() { return m.schedules().simple(ScheduleOp::seq); }
  /// The scalar sum of all elements, changed after it was made.
  template <class Change>
  std::string changed_fold(Change change) {
    Module::Fold fold = sum(seq());
    change(fold);
    return fault(m.reduce(fold));
  }
  Literal literal(Literal::Kind kind, std::uint64_t bits = 0) {
    Literal out;
    out.kind = kind;
    out.bits = bits;
    return out;
  }
};

}  // namespace

TEST_CASE("a well-made circuit has no fault") {
  Fixture f;
  CHECK(f.fault(f.m.reduce(f.sum(f.seq()))) == "none");
}

TEST_CASE("faults of functions") {
  Fixture f;
  Function wrong = f.function(f.a);
  wrong.result = f.vector;
  CHECK(f.fault(wrong) == "the body has type `f32`, and the function says `f32[n]`");
  wrong = f.function(f.a);
  wrong.body = {};
  CHECK(f.fault(wrong) == "the function has no body");
  wrong = f.function(f.a);
  wrong.dimensions.clear();
  CHECK(f.fault(wrong) == "`a parameter's type` mentions `n`, which is no dimension of `f`");
  wrong = f.function(f.a);
  wrong.requirements.push_back({f.ix.dimension(f.m.symbol("q")), f.n, {}});
  CHECK(f.fault(wrong) == "`a requirement` mentions `q`, which is no dimension of `f`");
  CHECK(f.fault(f.m.parameter(2, f.scalar)) == "a parameter is not the one that the function has in its place");
  CHECK(f.fault(f.m.parameter(0, f.scalar)) == "a parameter is not the one that the function has in its place");
  CHECK(f.fault(f.m.index_value(f.ix.dimension(f.m.symbol("q")), Scalar::f32)) ==
        "`index_value` mentions `q`, which is no dimension of `f`");
}

TEST_CASE("faults of storage") {
  Fixture f;
  const auto leaf = [](IndexId id) { return IndexTuple{id, {}}; };
  const IndexTuple one = leaf(f.n), two{{}, {leaf(f.n), leaf(f.n)}};
  const auto with = [&](std::size_t parameter, Storage storage) {
    Function function = f.function(f.a);
    function.parameters[parameter].storage = std::move(storage);
    return f.fault(function);
  };
  CHECK(with(0, {{one, one}}) == "none");
  CHECK(with(1, {{one, one}}) == "only a tensor is stored by a layout");
  CHECK(with(0, {{two, two}}) == "a tensor of 1 dimensions is stored by a layout of 2 modes");
  CHECK(with(0, {{two, one}}) == "a layout's shape and stride are not nested alike");
  CHECK(with(0, {{one, leaf(f.ix.dimension(f.m.symbol("q")))}}) ==
        "`a layout` mentions `q`, which is no dimension of `f`");
  Function pair = f.function(f.m.tuple({f.x, f.a}));
  pair.result_storage = {Storage{{one, one}}, std::nullopt};
  CHECK(f.fault(pair) == "none");
  pair.result_storage = {std::nullopt, Storage{{one, one}}};
  CHECK(f.fault(pair) == "only a tensor is stored by a layout");
  pair.result_storage = {std::nullopt};
  CHECK(f.fault(pair) == "the function has 2 results and says how 1 are stored");
}

TEST_CASE("faults of operands") {
  Fixture f;
  const NodeId truth = f.m.index_condition(f.ix.less(f.n, f.ix.constant(3)));
  const NodeId wide = f.m.rational(1, Scalar::f64);
  CHECK(f.fault(f.m.apply(Op::add, {f.a, wide})) == "operands of `add` have types `f32` and `f64`");
  CHECK(f.fault(f.m.apply(Op::add, {f.x, f.x})) == "operand 1 of `add` is no scalar");
  CHECK(f.fault(f.m.apply(Op::mul, {truth, truth})) == "operand 1 of `mul` must be a number, and is a `bool`");
  CHECK(f.fault(f.m.apply(Op::logical_not, {f.a})) == "operand 1 of `not` must be a `bool`, and is a `f32`");
  CHECK(f.fault(f.m.apply(Op::select, {f.a, f.a, f.a})) == "operand 1 of `select` must be a `bool`, and is a `f32`");
  CHECK(f.fault(f.m.apply(Op::select, {truth, f.a, wide})) == "operands of `select` have types `f32` and `f64`");
  CHECK(f.fault(f.m.apply(Op::select, {truth, truth, truth})) == "none");
  const NodeId word = f.m.rational(5, Scalar::u32);
  CHECK(f.fault(f.m.apply(Op::shift_left, {f.a, f.a})) == "`shift_left` has no operands of type `f32`");
  CHECK(f.fault(f.m.apply(Op::exp, {word})) == "`exp` has no operands of type `u32`");
  CHECK(f.fault(f.m.apply(Op::div, {word, word})) == "`div` has no operands of type `u32`");
  CHECK(f.fault(f.m.cast(Op::from_bits, f.a, Scalar::f16)) ==
        "`from_bits` must make a float of a `u32`, or an `f64` of a `u64`");
  CHECK(f.fault(f.m.cast(Op::bits, f.m.apply(Op::less, {word, word}), Scalar::u32)) ==
        "operand 1 of `bits` must be a number, and is a `bool`");
  CHECK(f.fault(f.m.apply(Op::bit_xor, {word, f.m.cast(Op::bits, f.a, Scalar::u32)})) == "none");
  CHECK(f.fault(f.m.convert(f.a, Scalar::boolean)) == "`convert` must give a number");
  CHECK(f.fault(f.m.convert(truth, Scalar::f32)) == "operand 1 of `convert` must be a number, and is a `bool`");
}

TEST_CASE("faults of literals") {
  Fixture f;
  using Kind = Literal::Kind;
  CHECK(f.fault(f.m.literal(f.literal(Kind::boolean, 1), Scalar::f32)) == "no such `bool`");
  CHECK(f.fault(f.m.literal(f.literal(Kind::boolean, 2), Scalar::boolean)) == "no such `bool`");
  CHECK(f.fault(f.m.literal(f.literal(Kind::bits, 0x10000), Scalar::f16)) ==
        "a bit pattern must belong to a float format, and fit it");
  CHECK(f.fault(f.m.literal(f.literal(Kind::infinity), Scalar::number)) ==
        "infinities and NaNs belong to float formats");
  CHECK(f.fault(f.m.rational(-1, Scalar::u32)) == "a literal of a `u32` must be an integer from 0 to 4294967295");
  CHECK(f.fault(f.m.literal(f.literal(Kind::infinity), Scalar::f8e4m3)) == "this format has no infinity");
  CHECK(f.fault(f.m.literal(f.literal(Kind::infinity), Scalar::f6e3m2)) == "this format has no infinity");
  CHECK(f.fault(f.m.literal(f.literal(Kind::not_a_number), Scalar::f6e3m2)) == "this format has no NaN");
  CHECK(f.fault(f.m.literal(f.literal(Kind::bits, 0x40), Scalar::f6e3m2)) ==
        "a bit pattern must belong to a float format, and fit it");
  CHECK(f.fault(f.m.literal(f.literal(Kind::bits, 0x3f800001), Scalar::tf32)) ==
        "a bit pattern must belong to a float format, and fit it");
  Literal half = f.literal(Kind::rational);
  half.value = mpq_class(2, 4);
  CHECK(f.fault(f.m.literal(half, Scalar::f32)) == "a number literal must be a number, in lowest terms");
  CHECK(f.fault(f.m.rational(1, Scalar::boolean)) == "a number literal must be a number, in lowest terms");
}

TEST_CASE("faults of variables") {
  Fixture f;
  const VariableId i = f.m.fresh_variable();
  CHECK(f.fault(f.m.index_value(f.ix.variable(i), Scalar::f32)) ==
        "`index_value` mentions a temporary variable, which is not bound there");
  CHECK(f.fault(f.m.index_value(f.ix.variable({4}), Scalar::f32)) ==
        "`index_value` mentions %4, which is not bound there");
  CHECK(f.fault(f.m.operand(i, f.scalar)) == "an operand belongs to no operation around, or has another type there");
  const NodeId own = f.m.map({i}, {f.ix.variable(i)}, f.a);
  CHECK(f.fault(own) == "`a type` mentions a temporary variable, which is not bound there");
  CHECK(f.fault(f.m.map({i}, {f.ix.variable({0})}, f.a)) == "`a type` mentions %0, which is not bound there");
  // An operand used as an index, and of another type.
  CHECK(f.changed_fold([&](Module::Fold& fold) {
    fold.left = f.m.fresh_variable();
    fold.right = f.m.fresh_variable();
    fold.user_operation = f.m.index_value(f.ix.variable({1}), Scalar::f32);
  }) == "`index_value` mentions %1, which is bound to an operand");
  CHECK(f.changed_fold([&](Module::Fold& fold) {
    fold.left = {1};
    fold.right = {2};
    fold.user_operation = f.m.convert(f.m.operand({1}, f.m.types().scalar(Scalar::f64)), Scalar::f32);
  }) == "an operand belongs to no operation around, or has another type there");
}

TEST_CASE("faults of reductions") {
  Fixture f;
  CHECK(f.changed_fold([&](Module::Fold& fold) { fold.schedule = {}; }) == "a reduction has no schedule");
  CHECK(f.changed_fold([&](Module::Fold& fold) {
    fold.schedule = f.m.schedules().tile(f.ix.constant(2), fold.schedule);
  }) == "`tile(2, seq)` is a stage, where a schedule is needed");
  CHECK(f.changed_fold([&](Module::Fold& fold) {
    fold.schedule = f.m.schedules().split(f.n, fold.schedule, f.m.schedules().lanes(f.ix.constant(2), fold.schedule));
  }) == "`lanes(2, seq)` is a stage, where a schedule is needed");
  CHECK(f.changed_fold([&](Module::Fold& fold) { fold.schedule = f.m.schedules().reference(f.m.symbol("nowhere")); }) ==
        "the schedule `nowhere` is not defined");
  CHECK(f.changed_fold([&](Module::Fold& fold) {
    fold.schedule = f.m.schedules().split(f.ix.dimension(f.m.symbol("q")), fold.schedule, fold.schedule);
  }) == "a schedule mentions `q`, which is no dimension of the function");
  CHECK(f.changed_fold([&](Module::Fold& fold) {
    fold.schedule = f.m.schedules().split(f.ix.variable({0}), fold.schedule, fold.schedule);
  }) == "a schedule mentions a variable that no `length` around it binds");
  CHECK(f.changed_fold([&](Module::Fold& fold) { fold.operation = Op::sub; }) ==
        "a reduction combines by `add`, `mul`, `min`, `max` or an operation of its own");
  CHECK(f.changed_fold([&](Module::Fold& fold) {
    fold.body = f.m.index_condition(f.ix.less(f.n, f.ix.variable(fold.variable)));
  }) == "only numbers can be added, multiplied or compared");
  CHECK(f.changed_fold([&](Module::Fold& fold) { fold.body = f.x; }) ==
        "a reduction's body must be a scalar or a tuple of scalars");
  CHECK(f.changed_fold([&](Module::Fold& fold) { fold.otherwise = f.m.rational(0, Scalar::f64); }) ==
        "a reduction's operation and `else` must have its body's type");
  CHECK(f.changed_fold([&](Module::Fold& fold) {
    fold.left = f.m.fresh_variable();
    fold.right = f.m.fresh_variable();
    fold.user_operation = f.m.rational(0, Scalar::f64);
  }) == "a reduction's operation and `else` must have its body's type");
}

TEST_CASE_METHOD(Fixture, "faults of loops") {
  const VariableId round = m.fresh_variable(), state = m.fresh_variable(), i = m.fresh_variable();
  const NodeId now = m.operand(state, vector);
  const NodeId next =
      m.map({i}, {n},
            m.apply(Op::add, {m.element(now, {ix.variable(i)}), m.index_value(ix.variable(round), Scalar::f32)}));
  const NodeId good = m.loop({round, n, state, next, x});
  CHECK(fault(good) == "none");
  CHECK(m[good].op == Op::loop);
  CHECK(m.free_variables(good).empty());
  CHECK(m.loop({round, ix.constant(0), state, next, x}) == x);
  // The element of a map that depends on a state stays an element, and is the body without one.
  CHECK(m[m.element(next, {ix.constant(0)})].op == Op::element);
  CHECK(m[with_maps_put_in(m, m.element(next, {ix.constant(0)}))].op == Op::add);
  const auto text = print(m, function(good));
  Module other;
  const auto read = parse_ir(other, text);
  REQUIRE(read);
  CHECK(verify(other, read->front()).empty());
  CHECK(print(other, read->front()) == text);
  CHECK(text.find("loop %1 < n with %2 = x {") != std::string::npos);
}

TEST_CASE("faults of arrays and sources") {
  Fixture f;
  CHECK(f.fault(f.m.array({f.a, f.a}, {3})) ==
        "an array's type must have as many elements as are written, of their type");
  CHECK(f.fault(f.m.array({f.a, f.m.rational(0, Scalar::f64)}, {2})) ==
        "an array's type must have as many elements as are written, of their type");
  Node array = f.m[f.m.array({f.a, f.a}, {2})];
  array.type = f.vector;
  CHECK(f.fault(f.m.rebuild(array, array.operands)) == "an array's extents must be constants, not negative");
  Source source;
  source.seed = f.ix.constant(1);
  CHECK(f.fault(f.m.source(source, f.m.types().tuple({f.scalar}))) == "a source must be a tensor or a scalar");
}

TEST_CASE("a fault is reported at its node's place, and only so many are") {
  Fixture f;
  const NodeId bad = f.m.apply(Op::add, {f.a, f.m.rational(1, Scalar::f64)});
  f.m.places().put(bad, {0, 10, 20});
  CHECK(verify(f.m, f.function(bad))[0].primary.span == SourceSpan{0, 10, 20});
  std::vector<NodeId> many;
  for (int k = 0; k < 100; ++k) many.push_back(f.m.parameter(static_cast<std::uint32_t>(k + 5), f.scalar));
  CHECK(verify(f.m, f.function(f.m.tuple(many))).size() == 16);
}
