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
  return must_compile(c, ptx(arch, &padic_code()));
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

/// x * x * ..., so many products.
Compiled power(int products) {
  Circuit c;
  const NodeId x = c.parameter("x", Scalar::f32);
  NodeId out = x;
  for (int k = 0; k < products; ++k) out = c.module.apply(Op::mul, {out, x});
  c.result(out);
  return must_compile(c, ptx("sm_90", &padic_code()));
}

TEST_CASE("padic in PTX: what is inlined has a budget") {
  const auto lines = [](const Compiled& compiled) {
    return std::count(compiled.assembly.begin(), compiled.assembly.end(), '\n');
  };
  const auto calls = [](const Compiled& compiled) {
    return compiled.assembly.find(" padic_mul,") != std::string::npos;
  };
  const Compiled small = power(8), large = power(800);
  CHECK_FALSE(calls(small));
  CHECK(calls(large));
  CHECK(lines(large) < 40 * 800);  // a product is 100 and more
}

}  // namespace reckon::codegen::testing
