// The host JIT's sum of 2^26 f32 by `lanes(128, tree) then tree`, next to plain C++ loops over the same memory.
#include <cstdio>
#include <cstdlib>

#include "bench/measure.h"
#include "codegen/compile.h"
#include "interp/evaluate.h"
#include "ir/bind.h"
#include "semantics/float/compiled.h"

namespace {

using namespace reckon;

constexpr std::int64_t elements = std::int64_t{1} << 26;

void row(const char* name, double seconds) {
  std::printf("  %-34s %6.2f GB/s  %7.2f ms\n", name, elements * 4e-9 / seconds, seconds * 1e3);
}

}  // namespace

int main() {
  ir::Module module;
  const ir::IndexId n = module.indices().dimension(module.symbol("n"));
  const ir::TypeId type = module.types().tensor(ir::Scalar::f32, {n});
  const ir::VariableId i = module.fresh_variable();
  ir::Module::Fold fold;
  fold.variable = i;
  fold.extent = n;
  fold.body = module.element(module.parameter(0, type), {module.indices().variable(i)});
  fold.schedule = module.schedules().default_order();
  ir::Function function;
  function.name = module.symbol("total");
  function.dimensions = {module.symbol("n")};
  function.parameters.push_back({module.symbol("x"), type, {}});
  function.body = module.reduce(fold);
  function.result = module[function.body].type;

  codegen::CompileOptions options;
  options.semantics = &codegen::float_code();
  options.target = codegen::Target::host;
  auto compiled = codegen::compile(module, function, options);
  if (!compiled) {
    std::fprintf(stderr, "%s\n", compiled.error().message.c_str());
    return 1;
  }
  const codegen::HostKernel kernel = codegen::host_kernel(*compiled, compiled->plan.kernels[0].name);
  std::vector<float> x(elements);
  for (std::int64_t k = 0; k < elements; ++k) x[k] = static_cast<float>(k % 1000) * 0.001f;
  float result = 0;
  std::vector<void*> buffers;
  for (const codegen::Buffer& buffer : compiled->plan.buffers) {
    buffers.push_back(buffer.role == codegen::Buffer::Role::parameter ? static_cast<void*>(x.data()) : &result);
  }
  std::printf("sum of 2^26 f32 (256 MiB), one core\n");
  const std::int64_t dimensions[] = {elements};
  const double ours = bench::median_seconds(9, [&] {
    kernel(buffers.data(), dimensions, 0, 1);
    bench::keep(&result);
  });
  row("host JIT, lanes(128, tree) then tree", ours);
  // Reading at full speed: independent accumulators that the compiler turns into vectors.
  const double plain = bench::median_seconds(9, [&] {
    float lanes[64] = {};
    for (std::int64_t k = 0; k < elements; k += 64) {
      for (int l = 0; l < 64; ++l) lanes[l] += x[k + l];
    }
    bench::keep(lanes);
  });
  row("C++ loop, 64 accumulators", plain);
  const double in_order = bench::median_seconds(3, [&] {
    float total = 0;
    for (std::int64_t k = 0; k < elements; ++k) total += x[k];
    bench::keep(&total);
  });
  row("C++ loop, in order", in_order);
  std::printf("  ratio to the read bandwidth: %.2f (1 is as fast)\n", ours / plain);
  return 0;
}
