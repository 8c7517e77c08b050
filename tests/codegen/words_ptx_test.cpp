// Sums under fpsan on PTX, where no order counts: which instructions they are made of. Their bits: tests/gpu/agree.sh.
#include "tests/codegen/program.h"

namespace reckon::codegen::testing {
namespace {

bool holds(const Compiled& compiled, const char* text) { return compiled.assembly.find(text) != std::string::npos; }

Compiled fpsan_ptx(Circuit& c, const char* arch = "sm_90") {
  Compiled compiled = must_compile(c, ptx(arch, CompiledSemantics::fpsan));
  const PtxasResult result = check_with_ptxas(compiled.assembly, arch);
  INFO(result.message);
  CHECK(result.status != PtxasResult::Status::rejected);
  return compiled;
}

/// For each of `m` rows the sum over `n` products a[i, j] * b[j] (or a[j, i] * b[j]).
void rows(Circuit& c, bool transposed, std::optional<std::int64_t> length = std::nullopt) {
  auto& m = c.module;
  const IndexId rows = c.dimension("m"), n = length ? c.constant(*length) : c.dimension("n");
  const NodeId a = c.parameter("a", Scalar::f32, transposed ? std::vector{n, rows} : std::vector{rows, n});
  const NodeId b = c.parameter("b", Scalar::f32, {n});
  c.result(c.map({rows}, [&](const std::vector<VariableId>& i) {
    return c.reduce(Op::add, n, c.seq(), [&](VariableId j) {
      const NodeId x = transposed ? m.element(a, {c.at(j), c.at(i[0])}) : m.element(a, {c.at(i[0]), c.at(j)});
      return m.apply(Op::mul, {x, m.element(b, {c.at(j)})});
    });
  }));
}

}  // namespace

TEST_CASE("a sum under fpsan is a block's, by redux.sync") {
  for (Scalar scalar : {Scalar::f32, Scalar::f16, Scalar::bf16, Scalar::f8e4m3, Scalar::f64}) {
    INFO(ir::scalar_name(scalar));
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", scalar, {n});
    c.result(c.reduce(Op::add, n, c.tree(), [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
    const Compiled compiled = fpsan_ptx(c);
    CHECK(compiled.plan.kernels[0].one_block);
    CHECK(holds(compiled, "redux.sync.add.s32") == (scalar != Scalar::f64));
    CHECK(holds(compiled, "shfl.sync.bfly") == (scalar == Scalar::f64));
    CHECK(!holds(fpsan_ptx(c, "sm_75"), "redux"));
    CHECK(!holds(must_compile(c, ptx()), "redux"));
  }
}

TEST_CASE("a row's sum under fpsan is a warp's, of integer multiply-adds") {
  Circuit c;
  rows(c, false);
  const Compiled compiled = fpsan_ptx(c);
  CHECK(compiled.plan.kernels[0].item_threads == 32);
  CHECK(holds(compiled, "redux.sync.add.s32"));
  CHECK(holds(compiled, "mad.lo.s32"));
}

TEST_CASE("a column's sum under fpsan, and a short row's, is a thread's") {
  for (bool transposed : {true, false}) {
    Circuit c;
    rows(c, transposed, transposed ? std::nullopt : std::optional<std::int64_t>(8));
    const Compiled compiled = fpsan_ptx(c);
    CHECK(compiled.plan.kernels[0].item_threads == 1);
    CHECK(!holds(compiled, "redux"));
    CHECK(holds(compiled, "mad.lo.s32"));
  }
}

}  // namespace reckon::codegen::testing
