// On a machine with a GPU: softmax over the rows of an 8192 x 8192 matrix of f32 with the correctly rounded exp, beside the
// same circuit with the hardware's approximation of 2^x.
#include "bench/gpu.h"
#include "semantics/standard.h"

namespace {

using namespace reckon;

const char* program_text = R"(
fn rounded(x: f32[m, n]) -> f32[m, n] {
  let top = for i: max j: x[i, j];
  let e = for i, j: exp(x[i, j] - top[i]);
  let s = for i: sum j: e[i, j] by tree;
  for i, j: e[i, j] / s[i]
}
fn hardware(x: f32[m, n]) -> f32[m, n] {
  let top = for i: max j: x[i, j];
  let e = for i, j: approx.exp2((x[i, j] - top[i]) * 1.4426950408889634);
  let s = for i: sum j: e[i, j] by tree;
  for i, j: e[i, j] / s[i]
}
fn exp_alone(x: f32[m, n]) -> f32[m, n] = for i, j: exp(x[i, j]);
fn approx_alone(x: f32[m, n]) -> f32[m, n] = for i, j: approx.exp2(x[i, j] * 1.4426950408889634);
)";

}  // namespace

int main() {
  constexpr std::int64_t size = 8192;
  SourceMap sources;
  frontend::Session session(sources, {});
  const auto outcome = session.add(sources.add("softmax.rk", program_text), "softmax.rk", frontend::ParseAs::program);
  for (const Diagnostic& diagnostic : outcome.diagnostics) std::fprintf(stderr, "%s\n", diagnostic.message.c_str());
  if (!outcome.diagnostics.empty()) return 1;
  ir::Module& module = session.module();
  const auto time = [&](const char* name) {
    const ir::Function function = bench::must(session.circuit(name));
    const ir::Dimensions sizes{{module.symbol("m"), size}, {module.symbol("n"), size}};
    const auto floats = bench::must(interp::make_semantics("float", {}, {}));
    const ir::Function concrete = bench::must(driver::for_code(module, function, sizes, floats->traits()));
    auto program = bench::on_gpu(module, concrete, {});
    std::vector<ir::HostTensor> arguments;
    arguments.push_back(interp::generate(ir::Source::Kind::normal, ir::Scalar::f32, {size, size}, 1));
    bench::check(program.upload(module, arguments));
    const double microseconds = bench::microseconds(program);
    std::printf("%-14s %10.1f us\n", name, microseconds);
    return microseconds;
  };
  std::printf("%s, f32[8192, 8192]\n", bench::gpu()->device().name.c_str());
  const double rounded = time("rounded"), hardware = time("hardware");
  std::printf("softmax: %.3f of the time with approx.exp2\n", rounded / hardware);
  const double exp_alone = time("exp_alone"), approx_alone = time("approx_alone");
  std::printf("exp alone: %.3f of the time of approx.exp2\n", exp_alone / approx_alone);
}
