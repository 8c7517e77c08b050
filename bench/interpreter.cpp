// The interpreter's speed on element-wise chains, next to a plain C++ loop (and to NumPy, where python3 has it).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/measure.h"
#include "interp/evaluate.h"
#include "ir/op.h"
#include "semantics/standard.h"

namespace {

using namespace reckon;

constexpr std::int64_t elements = 10'000'000;
constexpr int chain = 8;   // multiply-adds by turns

/// for i: ((x[i] * c + x[i]) * c + x[i]) ...: `chain` multiplications and as many additions.
ir::Function chain_circuit(ir::Module& module) {
  const ir::IndexId n = module.indices().constant(elements);
  const ir::TypeId type = module.types().tensor(ir::Scalar::f32, {n});
  const ir::VariableId i = module.fresh_variable();
  const ir::NodeId x = module.element(module.parameter(0, type), {module.indices().variable(i)});
  const ir::NodeId c = module.rational(mpq_class(3, 4), ir::Scalar::f32);
  ir::NodeId value = x;
  for (int k = 0; k < chain; ++k) {
    value = module.apply(ir::Op::mul, {value, c});
    value = module.apply(ir::Op::add, {value, x});
  }
  ir::Function function;
  function.name = module.symbol("chain");
  function.parameters.push_back({module.symbol("x"), type, {}});
  function.body = module.map({i}, {n}, value);
  function.result = module[function.body].type;
  return function;
}

void run(const char* semantics_name, const ir::HostTensor& x) {
  ir::Module module;
  const ir::Function function = chain_circuit(module);
  auto semantics = interp::make_semantics(semantics_name, {}, {});
  const std::vector<interp::Argument> arguments{x};
  const double seconds = bench::median_seconds(5, [&] {
    auto result = interp::evaluate(module, function, **semantics, arguments);
    if (!result) std::exit(1);
    bench::keep(result->front().data());
  });
  std::printf("  interpreter, %-8s %8.2e operations/s\n", semantics_name, 2.0 * chain * elements / seconds);
}

}  // namespace

int main() {
  std::printf("chain of %d element-wise f32 operations over %lld elements, one core\n", 2 * chain,
              static_cast<long long>(elements));
  const ir::HostTensor x = interp::generate(ir::Source::Kind::uniform, ir::Scalar::f32, {elements}, 1);
  for (const char* name : {"float", "fpsan", "interval"}) run(name, x);
  const auto* in = reinterpret_cast<const float*>(x.bytes.data());
  std::vector<float> out(elements);
  const double fused = bench::median_seconds(5, [&] {
    for (std::int64_t i = 0; i < elements; ++i) {
      float value = in[i];
      for (int k = 0; k < chain; ++k) value = value * 0.75f + in[i];
      out[i] = value;
    }
    bench::keep(out.data());
  });
  std::printf("  C++, one loop         %8.2e operations/s\n", 2.0 * chain * elements / fused);
  // What a library of whole-array operations does: one pass over memory for every operation.
  const double passes = bench::median_seconds(5, [&] {
    std::copy(in, in + elements, out.begin());
    for (int k = 0; k < chain; ++k) {
      for (std::int64_t i = 0; i < elements; ++i) out[i] = out[i] * 0.75f;
      bench::keep(out.data());
      for (std::int64_t i = 0; i < elements; ++i) out[i] = out[i] + in[i];
      bench::keep(out.data());
    }
  });
  std::printf("  C++, a loop each      %8.2e operations/s\n", 2.0 * chain * elements / passes);
  std::fflush(stdout);
  return std::system(
             "python3 -c 'import numpy as n, time\n"
             "x = n.random.rand(10**7).astype(n.float32); c = n.float32(0.75)\n"
             "def f():\n  v = x\n  for k in range(8): v = v * c; v = v + x\n"
             "t = []\nfor _ in range(5):\n  a = time.time(); f(); t.append(time.time() - a)\n"
             "print(\"  NumPy                 %8.2e operations/s\" % (16e7 / sorted(t)[2]))' 2>/dev/null") == 0
             ? 0
             : (std::printf("  NumPy: not installed\n"), 0);
}
