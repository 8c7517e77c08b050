// What cannot be compiled is an error at the operation's place.
#include "diagnostics/codes/no_order.h"
#include "diagnostics/codes/not_compilable.h"
#include "tests/codegen/intervals.h"
#include "tests/codegen/program.h"

namespace reckon::codegen::testing {
namespace {

Diagnostic must_fail(Circuit& c, const CompileOptions& options) {
  auto compiled = compile(c.module, c.function, options);
  REQUIRE(!compiled);
  return compiled.error();
}

Diagnostic failing_operation(Op op, Scalar scalar, const CompileOptions& options, SourceSpan place) {
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", scalar, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    const NodeId element = c.module.element(x, {c.at(i[0])});
    const NodeId made = c.module.apply(op, {element, element});
    c.module.places().put(made, place);
    return c.module.apply(Op::neg, {made});
  }));
  return must_fail(c, options);
}

}  // namespace

TEST_CASE("an operation that the target lacks is named, with its place") {
  const SourceSpan place{0, 17, 23};
  const CompileOptions options = ptx("sm_90", &interval_code());
  for (Op op : {Op::atan2, Op::pow}) {
    const Diagnostic problem = failing_operation(op, Scalar::f64, options, place);
    CHECK(problem.code == code::not_compilable);
    CHECK(problem.primary.span == place);
    CHECK(problem.message ==
          "`" + std::string(ir::traits(op).spelling) + "` of f64 is not available on `ptx` yet; the interpreter has it");
  }
}

TEST_CASE("values of type `number` are refused") {
  Circuit c;
  c.result(c.module.apply(Op::add, {c.module.rational(1, Scalar::number), c.module.rational(2, Scalar::number)}));
  CHECK(must_fail(c, host()).code == code::not_compilable);
  CHECK(must_fail(c, ptx()).code == code::not_compilable);
}

TEST_CASE("a schedule without a single order is refused") {
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n});
  c.result(c.reduce(Op::add, n, c.schedules().simple(ir::ScheduleOp::any),
                    [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
  CHECK(must_fail(c, host()).code == code::no_order);
}

TEST_CASE("an unknown chip is refused") {
  for (const char* arch : {"sm_12", "sm_banana", "gfx90a", "", "native", "sm_90 -lfoo"}) {
    Circuit c;
    c.result(c.module.apply(Op::neg, {c.parameter("x", Scalar::f32)}));
    INFO(arch);
    CHECK(must_fail(c, ptx(arch)).code == code::not_compilable);
  }
}

}  // namespace reckon::codegen::testing
