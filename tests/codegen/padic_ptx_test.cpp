// `padic` in PTX: what is emitted, the audit and ptxas. Whether it runs so is tests/gpu/agree.sh's to say.
#include "tests/codegen/program.h"
#include "tests/support/golden.h"

namespace reckon::codegen::testing {
namespace {

/// Tables have thousands of entries.
std::string without_tables(const std::string& assembly) {
  std::string out;
  std::size_t begin = 0;
  while (begin < assembly.size()) {
    const std::size_t end = std::min(assembly.find('\n', begin), assembly.size());
    const std::string line = assembly.substr(begin, end - begin);
    const std::size_t brace = line.find(" = {");
    out +=
        (line.starts_with(".global") && brace != std::string::npos ? line.substr(0, brace) + " = {...};" : line) + "\n";
    begin = end + 1;
  }
  return out;
}

Compiled compiled_operation(Op op, const char* arch) {
  Circuit c;
  const IndexId n = c.dimension("n");
  std::vector<NodeId> x;
  for (int k = 0; k < ir::traits(op).arity; ++k)
    x.push_back(c.parameter(k == 0 ? "x" : k == 1 ? "y" : "z", Scalar::f32, {n}));
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    std::vector<NodeId> operands;
    for (NodeId node : x) operands.push_back(c.module.element(node, {c.at(i[0])}));
    return c.module.apply(op, operands);
  }));
  return must_compile(c, ptx(arch, CompiledSemantics::padic));
}

}  // namespace

TEST_CASE("padic in PTX: a multiply-add, as it has always been") {
  const std::string assembly = compiled_operation(Op::fma, "sm_90").assembly;
  CHECK(assembly.find("mul.hi.u64") != std::string::npos);
  CHECK(assembly.find(".f32") == std::string::npos);
  CHECK(assembly.find(".f64") == std::string::npos);
  test::check_golden("codegen/padic_fma.ptx", without_tables(assembly));
}

TEST_CASE("padic in PTX: functions assemble, with the tables that they use alone") {
  for (Op op : {Op::div, Op::exp, Op::log, Op::sqrt, Op::sin, Op::pow, Op::max, Op::erf, Op::rem, Op::equal}) {
    INFO(ir::traits(op).spelling);
    const Compiled compiled = compiled_operation(op, "sm_80");
    const PtxasResult result = check_with_ptxas(compiled.assembly, "sm_80");
    INFO(result.message);
    CHECK(result.status != PtxasResult::Status::rejected);
    CHECK((compiled.assembly.find("padic_circle[") != std::string::npos) == (op == Op::sin));
  }
}

}  // namespace reckon::codegen::testing
