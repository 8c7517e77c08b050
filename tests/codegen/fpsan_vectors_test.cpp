// The 4,000 vectors of FPSan through compiled code: on the host here, and on a GPU by `reckon_tests "[.gpu]"`.
#include "tests/interp/fpsan_vectors.h"
#include "runtime/cuda/launch.h"
#include "tests/codegen/program.h"
#include "tests/support/in_turn.h"

namespace reckon::codegen::testing {
namespace {

/// Vectors of one operation, formats and generation: one circuit, `for i: op(x[i], ...)`.
struct Group {
  std::vector<FpsanVector> vectors;
  Circuit circuit;
  CompileOptions options;
  std::vector<HostTensor> arguments;

  explicit Group(std::vector<FpsanVector> of) : vectors(std::move(of)) {
    const FpsanVector& first = vectors.front();
    namespace fpsan = numerics::fpsan;
    options.semantics = &fpsan_code(first.semantics == "fpsan(now, homomorphic)" ? fpsan::now_homomorphic
                                    : first.semantics == "fpsan(v38)"            ? fpsan::v38
                                    : first.semantics == "fpsan(article)"        ? fpsan::article
                                                                                 : fpsan::now);
    const IndexId n = circuit.dimension("n");
    std::vector<NodeId> parameters;
    for (std::size_t k = 0; k < first.operands.size(); ++k) {
      parameters.push_back(circuit.parameter(k == 0 ? "x" : k == 1 ? "y" : "z", first.from, {n}));
      arguments.emplace_back(first.from, std::vector<std::int64_t>{static_cast<std::int64_t>(vectors.size())});
      for (std::size_t i = 0; i < vectors.size(); ++i) {
        arguments[k].set_bits(static_cast<std::int64_t>(i), vectors[i].operands[k]);
      }
    }
    circuit.result(circuit.map({n}, [&](const std::vector<VariableId>& i) {
      std::vector<NodeId> operands;
      for (NodeId x : parameters) operands.push_back(circuit.module.element(x, {circuit.at(i[0])}));
      return first.op == Op::convert ? circuit.module.convert(operands[0], first.to)
                                     : circuit.module.apply(first.op, operands);
    }));
  }
  void check(const HostTensor& result) const {
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      INFO(vectors[i].line);
      REQUIRE(result.bits(static_cast<std::int64_t>(i)) == vectors[i].carrier);
    }
  }
};

std::vector<std::vector<FpsanVector>> groups() {
  std::map<std::tuple<std::string, Op, Scalar, Scalar>, std::vector<FpsanVector>> sorted;
  for (FpsanVector& vector : fpsan_vectors()) {
    sorted[{vector.semantics, vector.op, vector.from, vector.to}].push_back(std::move(vector));
  }
  std::vector<std::vector<FpsanVector>> out;
  for (auto& [key, group] : sorted) out.push_back(std::move(group));
  return out;
}

}  // namespace

TEST_CASE("FPSan's vectors on the host, in all four generations", "[targets]") {
  std::size_t checked = 0;
  test::InTurn<bool> optimised({true, false});
  for (std::vector<FpsanVector>& vectors : groups()) {
    Group group(std::move(vectors));
    for (const bool optimise : optimised.next()) {
      group.options.optimise = optimise;
      const Compiled compiled = must_compile(group.circuit, group.options);
      group.check(run(group.circuit, compiled, group.arguments)[0]);
    }
    checked += group.vectors.size();
  }
  CHECK(checked == 4000);
}

TEST_CASE("FPSan's vectors on a GPU", "[.gpu]") {
  std::size_t checked = 0;
  for (std::vector<FpsanVector>& vectors : groups()) {
    Group group(std::move(vectors));
    group.options.target = Target::ptx;
    const Compiled compiled = must_compile(group.circuit, group.options);
    const ir::Dimensions sizes{{group.circuit.module.symbol("n"), group.arguments[0].shape[0]}};
    auto results = runtime::run_on_gpu(group.circuit.module, group.circuit.function, compiled, group.arguments, sizes,
                                       interp::generate);
    if (!results) FAIL(results.error().message);
    group.check((*results)[0]);
    checked += group.vectors.size();
  }
  CHECK(checked == 4000);
}

}  // namespace reckon::codegen::testing
