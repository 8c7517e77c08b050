// `fpsan` of f32 on the host beside the same formulas written plainly in C++ (carriers in, carriers out; compiled -O3
// -march=native, so vectorised by the compiler), and a matrix product of 128^3.
#include <bit>
#include <cstdio>

#include "bench/program.h"
#include "semantics/fpsan/compiled.h"

namespace {

using namespace reckon;

// Triton's embedding of f32, its inverse, the ring operations and exp2, as one would write them down.
std::uint32_t embed(std::uint32_t u) {
  const std::uint32_t sign = u >> 31;
  std::uint32_t w = (u * 0xe3f789) & 0x7fffffff;
  w ^= w >> 23;
  w = (w * (sign ? 0x74153f39u : 0xbeac0c7u)) & 0x7fffffff;
  return sign << 31 | w;
}
std::uint32_t unembed(std::uint32_t v) {
  const std::uint32_t sign = v >> 31;
  std::uint32_t w = (v * (sign ? 0x47fff09u : 0x7b8000f7u)) & 0x7fffffff;
  w ^= w >> 23;
  w = (w * 0x6d2baeb9) & 0x7fffffff;
  return sign << 31 | w;
}
/// 257^p: the binomial series, whose terms from the fourth on are multiples of 2^32.
std::uint32_t exp(std::uint32_t p) {
  p *= 0x26a29a75;
  const std::uint32_t two = p * (p - 1), three = two * (p - 2);
  return 1 + (p << 8) + ((two >> 1) << 16) + (((three >> 1) * 0xaaaaaaabu) << 24);
}

constexpr std::size_t count = 1 << 20;

void row(const char* name, double plain, double compiled) {
  std::printf("  %-12s %10.3f %12.3f %10.2f\n", name, plain * 1e9 / count, compiled * 1e9 / count, plain / compiled);
}

}  // namespace

int main() {
  bench::Program program((std::string(bench::matmul_text) + R"(
fn add(x: f32[n], y: f32[n]) -> f32[n] = for i: x[i] + y[i]
fn mul(x: f32[n], y: f32[n]) -> f32[n] = for i: x[i] * y[i]
fn exps(x: f32[n], y: f32[n]) -> f32[n] = for i: exp(x[i])
)")
                             .c_str());
  std::vector<std::uint32_t> x(count), y(count), expected(count), out(count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = static_cast<std::uint32_t>(i) * 2654435761u;
    y[i] = x[i] * 0x9e3779b1u + 12345;
  }
  const auto plain = [&](auto&& operation) {
    return bench::median_seconds(51, [&] {
      const std::uint32_t *a = x.data(), *b = y.data();
      std::uint32_t* result = expected.data();
      for (std::size_t i = 0; i < count; ++i) result[i] = unembed(operation(embed(a[i]), embed(b[i])));
      bench::keep(result);
    });
  };
  const auto compiled = [&](const char* name) {
    codegen::CompileOptions options;
    options.semantics = &codegen::fpsan_code(numerics::fpsan::now);
    const ir::Function function = program.function(name, {{"n", count}}, "fpsan");
    const codegen::Compiled made = bench::must(codegen::compile(program.module(), function, options));
    const codegen::HostKernel kernel = codegen::host_kernel(made, made.plan.kernels[0].name);
    std::vector<void*> buffers;
    for (const codegen::Buffer& buffer : made.plan.buffers) {
      const bool in = buffer.role == codegen::Buffer::Role::parameter;
      buffers.push_back(in ? (buffer.position == 0 ? x.data() : y.data()) : out.data());
    }
    const double seconds = bench::median_seconds(51, [&] {
      kernel(buffers.data(), nullptr, 0, count);
      bench::keep(out.data());
    });
    if (out != expected) std::printf("  %s: other bits!\n", name);
    return seconds;
  };
  std::printf("fpsan of 2^20 f32, ns an element, one core\n  %-12s %10s %12s %10s\n", "", "plain C++", "host code",
              "ratio");
  double time = plain([](std::uint32_t p, std::uint32_t q) { return p + q; });
  row("add", time, compiled("add"));
  time = plain([](std::uint32_t p, std::uint32_t q) { return p * q; });
  row("mul", time, compiled("mul"));
  time = plain([](std::uint32_t p, std::uint32_t) { return exp(p); });
  row("exp", time, compiled("exps"));

  const ir::Function matmul = program.function("matmul", {{"m", 128}, {"l", 128}, {"n", 128}}, "fpsan");
  const std::vector<ir::HostTensor> arguments{bench::random_tensor(ir::Scalar::f32, {128, 128}, 1),
                                              bench::random_tensor(ir::Scalar::f32, {128, 128}, 2)};
  std::printf("matmul 128^3 under fpsan: interpreted %.1f ms, host code %.2f ms\n",
              1e3 * program.interpreted_seconds(matmul, "fpsan", arguments),
              1e3 * program.compiled_seconds(matmul, &codegen::fpsan_code(numerics::fpsan::now), arguments, 21));
}
