// On a machine with a GPU: what `fpsan` and `padic` cost there. Kernels' time beside that of the same circuit in float:
// the sum of 2^26 numbers, softmax over the rows of a 4096 x 4096 matrix, a product of 1024 x 1024 matrices. Medians of
// 20 runs.
#include "bench/gpu.h"
#include "bench/program.h"
#include "semantics/fpsan/compiled.h"
#include "semantics/padic/compiled.h"

namespace {

using namespace reckon;

const char* more_text = R"(
fn total(x: f32[n]) -> f32 = sum i: x[i] by lanes(1024, seq) then tree
fn softmax(x: f32[m, n]) -> f32[m, n] {
  let top = for i: max j: x[i, j];
  let e = for i, j: exp(x[i, j] - top[i]);
  let s = for i: sum j: e[i, j] by tree;
  for i, j: e[i, j] / s[i]
}
)";

struct Case {
  const char* name;
  bench::Sizes sizes;
  std::vector<std::vector<std::int64_t>> shapes;
};

}  // namespace

int main() {
  const auto driver = runtime::cuda::Driver::open();
  const auto context = driver ? runtime::cuda::Context::open(*driver)
                              : Expected<std::shared_ptr<const runtime::cuda::Context>>(driver.error());
  if (!context) {
    std::printf("no GPU here: %s\n", context.error().message.c_str());
    return 0;
  }
  bench::Program program((std::string(bench::matmul_text) + more_text).c_str());
  ir::Module& module = program.module();
  struct Meaning {
    const char* name;
    const codegen::CompiledSemantics* semantics;
  };
  const Meaning meanings[] = {{"float", &codegen::float_code()},
                              {"fpsan", &codegen::fpsan_code(numerics::fpsan::now)},
                              {"padic", &codegen::padic_code()}};
  const Case cases[] = {{"total", {{"n", 1 << 26}}, {{1 << 26}}},
                        {"softmax", {{"m", 4096}, {"n", 4096}}, {{4096, 4096}}},
                        {"matmul", {{"m", 1024}, {"l", 1024}, {"n", 1024}}, {{1024, 1024}, {1024, 1024}}}};
  std::printf("%s, medians of 20 runs\n  %-10s", (*context)->device().name.c_str(), "us");
  for (const Meaning& meaning : meanings) std::printf("%12s", meaning.name);
  std::printf("%14s%14s\n", "fpsan/float", "padic/float");
  for (const Case& one : cases) {
    std::printf("  %-10s", one.name);
    double times[3] = {};
    for (int k = 0; k < 3; ++k) {
      const ir::Function function = program.function(one.name, one.sizes, meanings[k].name);
      codegen::CompileOptions options;
      options.semantics = meanings[k].semantics;
      options.target = codegen::Target::ptx;
      options.arch = (*context)->device().arch();
      const codegen::Compiled compiled = bench::must(codegen::compile(module, function, options));
      auto gpu_program = bench::must(runtime::GpuProgram::prepare(*context, module, function, compiled, {}, interp::generate));
      std::vector<ir::HostTensor> arguments;
      for (std::size_t i = 0; i < one.shapes.size(); ++i) {
        arguments.push_back(bench::random_tensor(ir::Scalar::f32, one.shapes[i], static_cast<std::int64_t>(i)));
      }
      bench::check(gpu_program.upload(module, arguments));
      times[k] = bench::microseconds(gpu_program, 20);
      std::printf("%12.1f", times[k]);
      std::fflush(stdout);
    }
    std::printf("%14.2f%14.2f\n", times[1] / times[0], times[2] / times[0]);
  }
}
