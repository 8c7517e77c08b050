// The ring `padic`: nanoseconds an operation on arrays, and the table of docs/algebra.md: identities and bugs, under
// FPSan (f32, generation `now`) and in this ring.
//   bench_padic [TRIALS]      random inputs of each row (default 200)
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/program.h"
#include "numerics/fpsan_native.h"
#include "numerics/padic/padic.h"

namespace {

namespace padic = reckon::numerics::padic;
namespace fpsan = reckon::numerics::fpsan;
using reckon::numerics::Format;

/// One number of either ring, with the operators that the rows are written in.
struct Padic {
  padic::Value value;
  static Padic random(std::uint64_t seed, bool positive) {
    return {padic::random_value(seed, positive ? padic::Sign::positive : padic::Sign::any)};
  }
  static Padic of(double number) { return {padic::from_rational(mpq_class(number))}; }
  friend Padic operator+(Padic x, Padic y) { return {add(x.value, y.value)}; }
  friend Padic operator-(Padic x, Padic y) { return {sub(x.value, y.value)}; }
  friend Padic operator*(Padic x, Padic y) { return {mul(x.value, y.value)}; }
  friend Padic operator/(Padic x, Padic y) { return {div(x.value, y.value)}; }
  bool defined() const { return !is_undefined(value); }
  friend bool same(Padic x, Padic y) { return padic::equal(x.value, y.value); }
};
#define FUNCTION(name) \
  Padic name(Padic x) { return {padic::name(x.value)}; }
FUNCTION(exp) FUNCTION(exp2) FUNCTION(log) FUNCTION(sqrt) FUNCTION(rsqrt) FUNCTION(sin) FUNCTION(cos) FUNCTION(tanh)
#undef FUNCTION
Padic max(Padic x, Padic y) { return {padic::max(x.value, y.value)}; }
Padic log2e(Padic) { return {padic::constant_log2e()}; }

struct Fpsan {
  std::uint64_t payload;
  static Fpsan random(std::uint64_t seed, bool) { return {fpsan::fpsan_embed(padic::mix(seed) >> 32, Format::f32)}; }
  static Fpsan of(double number) { return {fpsan::fpsan_embed(std::bit_cast<std::uint32_t>(static_cast<float>(number)), Format::f32)}; }
  static Fpsan apply(fpsan::Operation op, Fpsan x, Fpsan y = {0}) { return {fpsan::fpsan_apply(op, Format::f32, x.payload, y.payload)}; }
  friend Fpsan operator+(Fpsan x, Fpsan y) { return apply(fpsan::Operation::add, x, y); }
  friend Fpsan operator-(Fpsan x, Fpsan y) { return apply(fpsan::Operation::sub, x, y); }
  friend Fpsan operator*(Fpsan x, Fpsan y) { return apply(fpsan::Operation::mul, x, y); }
  friend Fpsan operator/(Fpsan x, Fpsan y) { return apply(fpsan::Operation::div, x, y); }
  bool defined() const { return true; }
  friend bool same(Fpsan x, Fpsan y) { return x.payload == y.payload; }
};
#define FUNCTION(name) \
  Fpsan name(Fpsan x) { return Fpsan::apply(fpsan::Operation::name, x); }
FUNCTION(exp) FUNCTION(exp2) FUNCTION(log) FUNCTION(sqrt) FUNCTION(rsqrt) FUNCTION(sin) FUNCTION(cos)
#undef FUNCTION
Fpsan max(Fpsan x, Fpsan y) { return Fpsan::apply(fpsan::Operation::max, x, y); }
Fpsan log2e(Fpsan) { return Fpsan::of(1.4426950408889634); }
/// A library function to FPSan: the xor of the payload with a number of its own (fpsan.md, 2.5).
Fpsan tanh(Fpsan x) { return {x.payload ^ 0x1b1943d1}; }

int trials = 200;

std::string outcome(int differ, int undefined) {
  std::string out = differ == 0 ? "equal" : differ == trials - undefined ? "differs" : std::to_string(differ * 100 / trials) + " % differ";
  if (undefined > 0) out += ", " + std::to_string(undefined * 100 / trials) + " % undefined";
  return out;
}

/// One row: both sides of many random x, y, z and v (a vector of four).
template <class Number, class Sides>
std::string measured(bool positive, Sides sides) {
  int differ = 0, undefined = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<Number> v;
    for (std::uint64_t k = 0; k < 8; ++k) v.push_back(Number::random(static_cast<std::uint64_t>(trial) * 64 + k, positive));
    const auto [left, right] = sides(v, [](double number) { return Number::of(number); });
    if (!left.defined() || !right.defined()) ++undefined;
    else differ += !same(left, right);
  }
  return outcome(differ, undefined);
}
template <class Sides>
void row(const char* name, Sides sides, bool positive = false) {
  std::printf("| %-58s | %-13s | %-32s |\n", name, measured<Fpsan>(positive, sides).c_str(), measured<Padic>(positive, sides).c_str());
}

template <class N>
N total(const std::vector<N>& v, std::size_t from, std::size_t to) {
  N out = v[from];
  for (std::size_t i = from + 1; i < to; ++i) out = out + v[i];
  return out;
}
template <class N>
std::vector<N> exps(const std::vector<N>& v, N shift) {
  std::vector<N> out;
  for (const N& x : v) out.push_back(exp(x - shift));
  return out;
}

#define SIDES(left, right)                                                   \
  [](const auto& v, auto of) {                                               \
    [[maybe_unused]] const auto x = v[0], y = v[1], z = v[2];                \
    (void)of;                                                                \
    return std::pair(left, right);                                           \
  }

void table() {
  std::printf("| identity, true over the reals | FPSan | padic |\n|---|---|---|\n");
  row("x + x = 2 x", SIDES(x + x, of(2) * x));
  row("x / 2 = 0.5 x", SIDES(x / of(2), x * of(0.5)));
  row("x / x = 1", SIDES(x / x, of(1)));
  row("(x y) / y = x", SIDES((x * y) / y, x));
  row("x / (y z) = (x / y) / z", SIDES(x / (y * z), (x / y) / z));
  row("softmax of 8 with another shift", [](const auto& v, auto) {
    const auto s = exps(v, v[3]), t = exps(v, v[5] + v[6]);
    return std::pair(s[0] / total(s, 0, 8), t[0] / total(t, 0, 8));
  });
  row("softmax of 7 with another shift", [](const auto& v, auto) {
    const auto s = exps(v, v[3]), t = exps(v, v[5] + v[6]);
    return std::pair(s[0] / total(s, 0, 7), t[0] / total(t, 0, 7));
  });
  row("softmax with the maximum or without", [](const auto& v, auto) {
    const auto s = exps(v, v[0] - v[0]), t = exps(v, max(max(v[0], v[1]), max(v[2], v[3])));
    return std::pair(s[0] / total(s, 0, 8), t[0] / total(t, 0, 8));
  });
  row("split-KV merge of halves that are not normalised", [](const auto& v, auto) {
    const auto all = exps(v, v[0]), half = exps(v, v[5]);
    const auto m = exp(v[5] - v[0]);
    return std::pair(total(all, 0, 8), exp(v[0] - v[0]) * total(all, 0, 4) + m * total(half, 4, 8));
  });
  row("split-KV merge of normalised halves", [](const auto& v, auto) {
    const auto e = exps(v, v[0]);
    const auto l1 = total(e, 0, 4), l2 = total(e, 4, 8);
    const auto whole = (e[0] * v[1] + e[5] * v[2]) / (l1 + l2);
    return std::pair(whole, ((e[0] * v[1]) / l1 * l1 + (e[5] * v[2]) / l2 * l2) / (l1 + l2));
  });
  row("the same through the logarithm of each sum", [](const auto& v, auto) {
    const auto e = exps(v, v[0]);
    const auto l1 = total(e, 0, 4), l2 = total(e, 4, 8);
    const auto a = log(l1), b = log(l2), lse = log(l1 + l2);
    return std::pair((e[0] * v[1] + e[5] * v[2]) / (l1 + l2), (e[0] * v[1]) / l1 * exp(a - lse) + (e[5] * v[2]) / l2 * exp(b - lse));
  });
  row("log(x y) = log x + log y, of x, y > 0", SIDES(log(x * y), log(x) + log(y)), true);
  row("exp(log x) = x, of x > 0", SIDES(exp(log(x)), x), true);
  row("sqrt(x)^2 = x, of x > 0", SIDES(sqrt(x) * sqrt(x), x), true);
  row("sqrt(x y) = sqrt x sqrt y, of x, y > 0", SIDES(sqrt(x * y), sqrt(x) * sqrt(y)), true);
  row("rsqrt(x) = 1 / sqrt(x), of x > 0", SIDES(rsqrt(x), of(1) / sqrt(x)), true);
  row("exp2(x + y) = exp2(x) exp2(y)", SIDES(exp2(x + y), exp2(x) * exp2(y)));
  row("exp(exp(x + y)) = exp(exp x exp y)", SIDES(exp(exp(x + y)), exp(exp(x) * exp(y))));
  row("exp(x) = exp2(x log2e)", SIDES(exp(x), exp2(x * log2e(x))));
  row("exp(x rsqrt(64)) = exp(x 0.125)", SIDES(exp(x * rsqrt(of(64))), exp(x * of(0.125))));
  row("exp2(x + 1) = 2 exp2(x)", SIDES(exp2(x + of(1)), of(2) * exp2(x)));
  row("sqrt(64) = 8", SIDES(sqrt(of(64)), of(8)));
  row("sin^2 + cos^2 = 1", SIDES(sin(x) * sin(x) + cos(x) * cos(x), of(1)));
  row("sin(x + y) = sin x cos y + cos x sin y", SIDES(sin(x + y), sin(x) * cos(y) + cos(x) * sin(y)));
  row("max(x, y) + z = max(x + z, y + z): not followed", SIDES(max(x, y) + z, max(x + z, y + z)));
  std::printf("\n| bug | FPSan | padic |\n|---|---|---|\n");
  row("x + 4 x against 2 x + 2 x", SIDES(x + of(4) * x, of(2) * x + of(2) * x));
  row("product of 64 consecutive values against 0", [](const auto& v, auto of) {
    auto product = v[0], next = v[0];
    for (int k = 1; k < 64; ++k) next = next + of(1), product = product * next;
    return std::pair(product, of(0));
  });
  row("tanh(tanh x) against x", SIDES(tanh(tanh(x)), x));
  row("exp x + exp y against 1 + exp(x + y)", SIDES(exp(x) + exp(y), of(1) + exp(x + y)));
  row("exp x against its cubic Taylor polynomial", SIDES(exp(x), of(1) + x + x * x / of(2) + x * x * x / of(6)));
}

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
  like.ends = codegen::Ends::ring;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    patterns.push_back(bench::random_tensor(ir::Scalar::f32, shapes[k], static_cast<std::int64_t>(k)));
    like.extents.resize(shapes[k].size());
    elements.push_back(bench::must(codegen::in_ring(program.module(), function, like, patterns.back())));
  }
  const double interpreted = program.interpreted_seconds(function, "padic", patterns, runs);
  const double compiled = program.compiled_seconds(function, codegen::CompiledSemantics::padic, elements, runs);
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

int main(int count, char** arguments) {
  if (count > 1 && std::atoi(arguments[1]) > 0) trials = std::atoi(arguments[1]);
  table();
  std::printf("\n");
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
