// The ring `padic`: nanoseconds an operation on arrays.
#include <cstdio>
#include <vector>

#include "bench/program.h"
#include "numerics/padic/padic.h"
#include "runtime/buffers.h"
#include "semantics/padic/compiled.h"

namespace {

namespace padic = reckon::numerics::padic;

template <class Work>
void speed(const char* name, Work work) {
  constexpr std::size_t n = 4096;
  std::vector<padic::Value> a(n), b(n), out(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = padic::random_value(i, padic::Sign::positive);
    b[i] = padic::random_value(i + n, padic::Sign::positive);
  }
  const double seconds = reckon::bench::median_seconds(21, [&] {
    for (std::size_t i = 0; i < n; ++i) out[i] = work(a[i], b[i]);
    reckon::bench::keep(out.data());
  });
  std::printf("%-6s %6.1f ns\n", name, seconds / n * 1e9);
}

/// Interpreted and compiled for the host, without the embedding of floats.
void compiled_row(reckon::bench::Program& program, const char* name, const reckon::bench::Sizes& sizes,
                  const std::vector<std::vector<std::int64_t>>& shapes, double operations, int runs) {
  using namespace reckon;
  const ir::Function function = program.function(name, sizes, "padic");
  std::vector<ir::HostTensor> patterns, elements;
  codegen::Buffer like;
  like.scalar = ir::Scalar::f32;
  like.words = codegen::padic_code().words();
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    patterns.push_back(bench::random_tensor(ir::Scalar::f32, shapes[k], static_cast<std::int64_t>(k)));
    like.extents.resize(shapes[k].size());
    elements.push_back(bench::must(
        runtime::in_words(program.module(), function, like, codegen::padic_code(), patterns.back())));
  }
  const double interpreted = program.interpreted_seconds(function, "padic", patterns, runs);
  const double compiled = program.compiled_seconds(function, &codegen::padic_code(), elements, runs);
  std::printf("| %-13s | %11.2f | %9.2f |\n", name, interpreted * 1e9 / operations, compiled * 1e9 / operations);
}

void compiled_rows() {
  reckon::bench::Program program((std::string(reckon::bench::matmul_text) + R"(
fn add(x: f32[n], y: f32[n]) -> f32[n] = for i: x[i] + y[i]
fn mul(x: f32[n], y: f32[n]) -> f32[n] = for i: x[i] * y[i]
fn multiply_add(x: f32[n], y: f32[n]) -> f32[n] = for i: fma(x[i], y[i], x[i])
fn exps(x: f32[n], y: f32[n]) -> f32[n] = for i: exp(x[i])
fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by seq
)").c_str());
  std::printf("\n| ns | interpreted | host code |\n|---|---|---|\n");
  constexpr std::int64_t n = 1 << 12;
  for (const char* name : {"add", "mul", "multiply_add", "exps", "dot"}) {
    compiled_row(program, name, {{"n", n}}, {{n}, {n}}, n, 21);
  }
  compiled_row(program, "matmul", {{"m", 128}, {"l", 128}, {"n", 128}}, {{128, 128}, {128, 128}}, 128. * 128 * 128, 5);
}

}  // namespace

int main() {
  speed("add", [](const auto& x, const auto& y) { return padic::add(x, y); });
  speed("mul", [](const auto& x, const auto& y) { return padic::mul(x, y); });
  speed("fma", [](const auto& x, const auto& y) { return padic::fma(x, y, x); });
  speed("div", [](const auto& x, const auto& y) { return padic::div(x, y); });
  speed("exp", [](const auto& x, const auto&) { return padic::exp(x); });
  speed("log", [](const auto& x, const auto&) { return padic::log(x); });
  speed("sqrt", [](const auto& x, const auto&) { return padic::sqrt(x); });
  speed("sin", [](const auto& x, const auto&) { return padic::sin(x); });
  speed("max", [](const auto& x, const auto& y) { return padic::max(x, y); });
  speed("erf", [](const auto& x, const auto&) { return padic::erf(x); });
  compiled_rows();
}
