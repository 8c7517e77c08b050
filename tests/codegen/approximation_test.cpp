// `approx.` operations: the instruction that is named, on GPUs only, and let through by the audit only where written.
// The mnemonics are those of the PTX ISA, "Floating Point Instructions".
#include "diagnostics/codes/not_compilable.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "tests/codegen/program.h"

namespace reckon::codegen::testing {
namespace {

struct Expected {
  Op op;
  const char* instruction;
};
constexpr Expected in_f32[] = {
    {Op::approx_exp2, "ex2.approx.f32"}, {Op::approx_log2, "lg2.approx.f32"},   {Op::approx_sin, "sin.approx.f32"},
    {Op::approx_cos, "cos.approx.f32"},  {Op::approx_tanh, "tanh.approx.f32"},  {Op::approx_sqrt, "sqrt.approx.f32"},
    {Op::approx_rcp, "rcp.approx.f32"},  {Op::approx_rsqrt, "rsqrt.approx.f32"}, {Op::approx_div, "div.approx.f32"}};

/// The circuit op(x[i], ...) over a vector, with the operation's place.
void build(Circuit& c, Op op, Scalar scalar, SourceSpan place = {}) {
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", scalar, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    const NodeId element = c.module.element(x, {c.at(i[0])});
    const NodeId made = c.module.apply(op, std::vector<NodeId>(static_cast<std::size_t>(ir::traits(op).arity), element));
    c.module.places().put(made, place);
    return made;
  }));
}

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("an approximate operation is its instruction and nothing else") {
  for (const auto& [op, instruction] : in_f32) {
    INFO(instruction);
    Circuit c;
    build(c, op, Scalar::f32);
    const std::string text = must_compile(c, ptx()).assembly;
    // Of four neighbouring elements, and of one where fewer are left.
    CHECK(occurrences(text, std::string("\t") + instruction + " ") == 5);
    CHECK(occurrences(text, ".approx") == 5);
    CHECK(occurrences(text, ".ftz") == 0);
  }
  for (const auto& [op, instruction] : {Expected{Op::approx_exp2, "ex2.approx.f16"}, Expected{Op::approx_tanh, "tanh.approx.f16"}}) {
    Circuit c;
    build(c, op, Scalar::f16);
    const std::string text = must_compile(c, ptx("sm_80")).assembly;
    CHECK(occurrences(text, std::string("\t") + instruction + " ") == 9);
    CHECK(occurrences(text, ".approx") == 9);
  }
}

TEST_CASE("exp2 with 0 for its subnormal results is the instruction that flushes, and other choices are not") {
  enum class Form { flushes, other_bound, other_zero, reversed, other_number };
  for (const Form form : {Form::flushes, Form::other_bound, Form::other_zero, Form::reversed, Form::other_number}) {
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
      const NodeId element = c.module.element(x, {c.at(i[0])});
      const auto number = [&](double value) { return c.module.literal({.value = mpq_class(value)}, Scalar::f32); };
      const NodeId bound = number(form == Form::other_bound ? -125 : -126);
      NodeId zero = number(form == Form::other_zero ? 1 : 0);
      NodeId power = c.module.apply(Op::approx_exp2, {element});
      NodeId compared = element;
      if (form == Form::other_number) compared = c.module.apply(Op::abs, {element});
      const NodeId is_small = c.module.apply(Op::less, {compared, bound});
      if (form == Form::reversed) std::swap(zero, power);
      return c.module.apply(Op::select, {is_small, zero, power});
    }));
    const std::string text = must_compile(c, ptx()).assembly;
    const bool flushes = form == Form::flushes;
    INFO(static_cast<int>(form));
    CHECK(occurrences(text, "\tex2.approx.ftz.f32 ") == (flushes ? 5 : 0));
    CHECK(occurrences(text, "\tex2.approx.f32 ") == (flushes ? 0 : 5));
    CHECK((occurrences(text, "setp.lt.f32") == 0) == (flushes || form == Form::other_number));
  }
}

TEST_CASE("where there is no such instruction, the operation is refused at its place") {
  const SourceSpan place{0, 17, 23};
  struct Case {
    Op op;
    Scalar scalar;
    CompileOptions options;
    std::string message;
  };
  for (const Case& each : {Case{Op::approx_exp2, Scalar::f32, host(), "only a GPU has `approx.exp2`, under `float`"},
                           Case{Op::approx_div, Scalar::f32, ptx("sm_90", &fpsan_code(numerics::fpsan::now)),
                                "only a GPU has `approx.div`, under `float`"},
                           Case{Op::approx_exp2, Scalar::f64, ptx(),
                                "GPUs have no `approx.exp2` of f64, only of f32 and f16"},
                           Case{Op::approx_sin, Scalar::f16, ptx(), "GPUs have no `approx.sin` of f16, only of f32"},
                           Case{Op::approx_rcp, Scalar::bf16, ptx(), "GPUs have no `approx.rcp` of bf16, only of f32"},
                           Case{Op::approx_tanh, Scalar::f32, ptx("sm_75"),
                                "`approx.tanh` of f32 needs `sm_80` or later"}}) {
    Circuit c;
    build(c, each.op, each.scalar, place);
    auto compiled = compile(c.module, c.function, each.options);
    REQUIRE(!compiled);
    CHECK(compiled.error().code == code::not_compilable);
    CHECK(compiled.error().primary.span == place);
    CHECK(compiled.error().message == each.message);
    CHECK(compiled.error().helps.size() == 1);
  }
}

TEST_CASE("the interpreter has no approximate operations under any semantics, but counts them") {
  for (const auto& each : in_f32) {
    Circuit c;
    build(c, each.op, Scalar::f32);
    const std::vector<interp::Argument> arguments{ordinary(Scalar::f32, {3}, 1)};
    for (const char* name : {"float", "exact", "interval", "bound", "fpsan"}) {
      auto meaning = semantics(name);
      auto values = c.run(*meaning, arguments);
      REQUIRE(!values);
      CHECK(values.error().code == code::unsupported_operation);
    }
    auto count = semantics("count");
    REQUIRE(c.run(*count, arguments));
    CHECK(count->summary().front().second == "3");
  }
}

TEST_CASE("the audit lets through the instruction that was written, and no other") {
  const auto findings = [](const std::string& line, AuditOptions options) {
    return audit_ptx(".version 7.8\n{\n\t" + line + "\n}\n", options).size();
  };
  const AuditOptions exp2{.approximations = {"ex2.approx.f32"}};
  CHECK(findings("ex2.approx.f32 %r1, %r2;", exp2) == 0);
  CHECK(findings("ex2.approx.f32 %r1, %r2;", {}) == 1);
  CHECK(findings("ex2.approx.ftz.f32 %r1, %r2;", exp2) == 1);
  CHECK(findings("ex2.approx.f16 %r1, %r2;", exp2) == 1);
  CHECK(findings("lg2.approx.f32 %r1, %r2;", exp2) == 1);
  CHECK(findings("div.full.f32 %r1, %r2, %r3;", exp2) == 1);
}

}  // namespace reckon::codegen::testing
