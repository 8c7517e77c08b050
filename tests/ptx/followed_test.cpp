// What fpsan follows besides plain arithmetic: tiles of wmma, tensor cores of f64, pairs of f32, vectors of atomics, calls by
// address and of a function by itself, and the shared memory of other blocks. The expected elements are those of the
// definitions, by numerics/fpsan_native.h.
#include "tests/ptx/cuda.h"
#include "tests/ptx/ring.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;
using numerics::Format;

/// A launch whose floats are the ring's.
struct InRing {
  RingValues values{fpsan::now};
  LaunchOptions of(LaunchOptions options) {
    options.values = &values;
    return options;
  }
  template <class T>
  std::uint64_t put(Launcher& gpu, const std::vector<T>& numbers, Format format) {
    const std::uint64_t at = gpu.put(numbers);
    gpu.mark(at, format, values);
    return at;
  }
};

std::vector<std::uint16_t> halves(std::size_t count, unsigned seed) {
  std::vector<std::uint16_t> out;
  for (const float x : numbers(count, seed)) out.push_back(static_cast<std::uint16_t>(numerics::round_f64(x, Format::f16)));
  return out;
}
std::uint64_t widened(std::uint16_t half) { return cast(half, Format::f16, Format::f32); }

}  // namespace

TEST_CASE("wmma and warp groups multiply in the ring under fpsan") {
  InRing ring;
  {
    Launcher gpu(cuda_text("matrices", arch()));
    const std::size_t n = 32;
    const auto a = halves(n * n, 71), b = halves(n * n, 72);
    const std::uint64_t in_a = ring.put(gpu, a, Format::f16), in_b = ring.put(gpu, b, Format::f16), out = gpu.room(n * n * 4);
    gpu.clean("product_by_wmma", ring.of(plane(2, 2, 32, 1)), in_a, in_b, out, 32);
    const auto made = gpu.get<std::uint32_t>(out, n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        std::uint64_t sum = 0;
        for (std::size_t k = 0; k < n; ++k)
          sum = in_ring(Ring::fma, Format::f32, widened(a[i * n + k]), widened(b[j * n + k]), sum);
        CHECK(made[i * n + j] == in_ring(Ring::add, Format::f32, sum, sum));  // twice, as nvcc has it
      }
  }
  {
    Launcher gpu(cuda_text("hopper", "sm_90a"));
    const auto a = halves(64 * 32, 73), b = halves(8 * 32, 74);
    const std::uint64_t in_a = ring.put(gpu, a, Format::f16), in_b = ring.put(gpu, b, Format::f16), out = gpu.room(64 * 8 * 4);
    gpu.clean("product_of_warp_group", ring.of(shape(1, 128)), in_a, in_b, out, 32);
    const auto made = gpu.get<std::uint32_t>(out, 64 * 8);
    for (std::size_t i = 0; i < 64; ++i)
      for (std::size_t j = 0; j < 8; ++j) {
        std::uint64_t sum = 0;
        for (std::size_t k = 0; k < 32; ++k)
          sum = in_ring(Ring::fma, Format::f32, widened(a[i * 32 + k]), widened(b[j * 32 + k]), sum);
        CHECK(made[i * 8 + j] == sum);
      }
  }
}

TEST_CASE("tensor cores whose sums are halves multiply in the ring under fpsan") {
  InRing ring;
  // A fragment is read where its lane has it (PTX ISA, "Matrix fragments for mma.m16n8k16"): rows of 16 halves, of 8
  // for sums.
  Launcher gpu(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)
{
.reg .b32 r<20>; .reg .b64 d<8>;
ld.param.u64 d1, [a]; ld.param.u64 d2, [b]; ld.param.u64 d3, [c];
mov.u32 r1, %tid.x; shr.u32 r2, r1, 2; and.b32 r3, r1, 3; shl.b32 r3, r3, 2;
mad.lo.u32 r4, r2, 32, r3; cvt.u64.u32 d4, r4; add.u64 d1, d1, d4; add.u64 d2, d2, d4;
mad.lo.u32 r5, r2, 16, r3; cvt.u64.u32 d5, r5; add.u64 d3, d3, d5;
ld.global.b32 r10, [d1]; ld.global.b32 r11, [d1+256]; ld.global.b32 r12, [d1+16]; ld.global.b32 r13, [d1+272];
ld.global.b32 r14, [d2]; ld.global.b32 r15, [d2+16]; ld.global.b32 r16, [d3]; ld.global.b32 r17, [d3+128];
mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {r18, r19}, {r10, r11, r12, r13}, {r14, r15}, {r16, r17};
st.global.b32 [d3], r18; st.global.b32 [d3+128], r19;
ret;
}
)");
  const auto a = halves(16 * 16, 76), b = halves(8 * 16, 77), c = halves(16 * 8, 78);
  const std::uint64_t in_a = ring.put(gpu, a, Format::f16), in_b = ring.put(gpu, b, Format::f16),
                      sums = ring.put(gpu, c, Format::f16);
  gpu.clean("k", ring.of(shape(1, 32)), in_a, in_b, sums);
  const auto made = gpu.get<std::uint16_t>(sums, 16 * 8);
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 8; ++j) {
      std::uint64_t sum = c[i * 8 + j];
      for (std::size_t k = 0; k < 16; ++k) sum = in_ring(Ring::fma, Format::f16, a[i * 16 + k], b[j * 16 + k], sum);
      CHECK(made[i * 8 + j] == sum);
    }
}

TEST_CASE("clusters exchange and add numbers under fpsan") {
  InRing ring;
  Launcher gpu(cuda_text("hopper", "sm_90a"));
  const auto x = numbers(8 * 32, 75);
  const auto sum_of = [&](std::size_t begin, std::size_t count, std::size_t step, std::uint64_t sum) {
    for (std::size_t k = 0; k < count; ++k) sum = in_ring(Ring::add, Format::f32, sum, bits(x[begin + k * step]));
    return sum;
  };
  const std::uint64_t in = ring.put(gpu, x, Format::f32), sums = gpu.room(8);
  gpu.clean("sum_of_cluster", ring.of(shape(8, 32)), in, sums);
  for (std::size_t k = 0; k < 2; ++k) CHECK(gpu.get<std::uint32_t>(sums, 2)[k] == sum_of(k * 128, 128, 1, 0));
  const std::uint64_t all = gpu.room(4 * 256);
  gpu.clean("row_for_all", ring.of(shape(4, 64)), in, all);
  for (std::size_t k = 0; k < 256; ++k)
    CHECK(gpu.get<std::uint32_t>(all, 256)[k] ==
          in_ring(Ring::mul, Format::f32, bits(x[k % 64]), bits(static_cast<float>(k / 64 + 1))));
  const std::uint64_t row = ring.put(gpu, std::vector<float>(64, 1.0f), Format::f32);
  gpu.clean("added_in_bulk", ring.of(shape(4, 64)), in, row);
  for (std::size_t k = 0; k < 64; ++k) CHECK(gpu.get<std::uint32_t>(row, 64)[k] == sum_of(k, 4, 64, bits(1)));
  const std::uint64_t few = gpu.put(std::vector<float>(4, 0.0f));
  gpu.clean("sums_of_fours", ring.of(shape(2, 32)), in, few, 64);
  for (std::size_t k = 0; k < 4; ++k) CHECK(gpu.get<std::uint32_t>(few, 4)[k] == sum_of(k, 64, 4, 0));
}

TEST_CASE("pairs of f32, signs and choices by sign are followed under fpsan") {
  const std::vector<float> inputs{1.5f, -2.75f, 0.1f};
  const std::uint64_t a = bits(inputs[0]), b = bits(inputs[1]), sum = in_ring(Ring::add, Format::f32, a, b);
  const RingOutcome pairs = run_body(
      "ld.f32 f1, [from]; ld.f32 f2, [from+4]; mov.b64 d1, {f1, f2}; mov.b64 d2, {f2, f2}; add.f32x2 d1, d1, d2; "
      "fma.rn.f32x2 d1, d1, d2, d1; st.b64 [to], d1;",
      inputs, Format::f32);
  CHECK(pairs.text.empty());
  CHECK(pairs.words[0] == in_ring(Ring::fma, Format::f32, sum, b, sum));
  const std::uint64_t twice = in_ring(Ring::add, Format::f32, b, b);
  CHECK(pairs.words[1] == in_ring(Ring::fma, Format::f32, twice, b, twice));
  // Of two numbers, the sign of the first and the magnitude of the second.
  const RingOutcome sign = run_body(
      "ld.f32 f1, [from]; ld.f32 f2, [from+4]; add.f32 f3, f1, f2; copysign.f32 f3, f2, f3; st.f32 [to], f3;", inputs,
      Format::f32);
  CHECK(sign.text.empty());
  FloatAct act;
  act.act = Act::copysign;
  act.format = Format::f32;
  const Number magnitude_then_sign[] = {{sum, 0}, {b, 0}};
  CHECK(sign.words[0] == RingValues(fpsan::now).apply(act, magnitude_then_sign).bits);
  const RingOutcome chosen = run_body(
      "ld.f32 f1, [from]; ld.f32 f2, [from+4]; add.f32 f3, f1, f2; mov.b32 r1, -1; slct.f32.s32 f3, f1, f3, r1; "
      "st.f32 [to], f3; add.f32 f3, f1, f2; slct.f32.f32 f3, f3, f1, f1; st.f32 [to+4], f3;",
      inputs, Format::f32);
  CHECK(chosen.text.empty());
  CHECK(chosen.words[0] == sum);
  CHECK(chosen.words[1] == sum);
  CHECK_THAT(run_body("ld.f32 f1, [from]; add.f32 f3, f1, f1; slct.f32.f32 f3, f3, f1, f3;", inputs, Format::f32).text,
             Catch::StartsWith("line 8: this compares a number that was computed"));
}

TEST_CASE("numbers go through functions that are called by their address or by themselves under fpsan") {
  const std::string text = R"(.version 8.6
.target sm_90
.address_size 64
.func (.param .f32 y) doubled(.param .f32 x) { .reg .f32 f; ld.param.f32 f, [x]; add.f32 f, f, f; st.param.f32 [y], f; ret; }
.func (.param .f32 y) squared(.param .f32 x) { .reg .f32 f; ld.param.f32 f, [x]; mul.f32 f, f, f; st.param.f32 [y], f; ret; }
.func (.param .f32 y) power(.param .f32 x, .param .b32 n)
{
.reg .f32 f, g; .reg .b32 k; .reg .pred p;
ld.param.f32 f, [x]; ld.param.b32 k, [n]; mov.f32 g, f; setp.eq.s32 p, k, 1; @p bra done; sub.s32 k, k, 1;
{ .param .f32 a; .param .b32 b; .param .f32 c; st.param.f32 [a], f; st.param.b32 [b], k; call.uni (c), power, (a, b); ld.param.f32 g, [c]; }
mul.f32 g, g, f;
done: st.param.f32 [y], g; ret;
}
.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .b64 from, to, at, d, s; .reg .b32 t; .reg .f32 f, g; .reg .pred p;
ld.param.u64 from, [in]; ld.param.u64 to, [out]; mov.u32 t, %tid.x; mul.wide.u32 at, t, 4;
add.s64 from, from, at; add.s64 to, to, at; ld.global.f32 f, [from];
mov.u64 d, doubled; mov.u64 s, squared; and.b32 t, t, 1; setp.eq.s32 p, t, 0; selp.b64 d, d, s, p;
{ .param .f32 a; .param .f32 c; st.param.f32 [a], f; proto: .callprototype (.param .f32 _) _ (.param .f32 _); call (c), d, (a), proto; ld.param.f32 g, [c]; }
st.global.f32 [to], g;
{ .param .f32 a; .param .b32 b; .param .f32 c; st.param.f32 [a], f; st.param.b32 [b], 3; call.uni (c), power, (a, b); ld.param.f32 g, [c]; }
st.global.f32 [to+128], g;
ret;
}
)";
  InRing ring;
  Launcher gpu(text);
  const auto x = numbers(32, 76);
  const std::uint64_t in = ring.put(gpu, x, Format::f32), out = gpu.room(256);
  gpu.clean("k", ring.of(shape(1, 32)), in, out);
  const auto made = gpu.get<std::uint32_t>(out, 64);
  for (std::size_t k = 0; k < 32; ++k) {
    const std::uint64_t own = bits(x[k]), square = in_ring(Ring::mul, Format::f32, own, own);
    CHECK(made[k] == (k % 2 == 0 ? in_ring(Ring::add, Format::f32, own, own) : square));
    CHECK(made[32 + k] == in_ring(Ring::mul, Format::f32, square, own));
  }
}

TEST_CASE("CUDA's logarithms, hyperbolic tangent and error function are the ring's functions under fpsan") {
  InRing ring;
  Launcher gpu(cuda_text("functions", arch()));
  gpu.approximates_nearest = true;
  auto x = numbers(100, 77);
  for (float& v : x) v = std::fabs(v);
  const std::uint64_t in = ring.put(gpu, x, Format::f32), out = gpu.room(2000);
  gpu.clean("functions", ring.of(shape(1, 128)), in, out, 100);
  const auto made = gpu.get<std::uint32_t>(out, 500);
  const auto function = [](Act which, std::uint64_t v) {
    FloatAct act;
    act.act = which;
    act.format = Format::f32;
    const Number operand{v, 0};
    return RingValues(fpsan::now).apply(act, {&operand, 1}).bits;
  };
  for (std::size_t k = 0; k < 100; ++k) {
    const std::uint64_t v = bits(x[k]), one = bits(1);
    CHECK(made[k] == in_ring(Ring::log, Format::f32, v));
    CHECK(made[100 + k] == in_ring(Ring::log2, Format::f32, in_ring(Ring::add, Format::f32, v, v)));
    CHECK(made[200 + k] == function(Act::tanh, in_ring(Ring::mul, Format::f32, v, v)));
    const std::uint64_t less = in_ring(Ring::add, Format::f32, v, bits(-3));
    CHECK(made[400 + k] == in_ring(Ring::mul, Format::f32, in_ring(Ring::erf, Format::f32, less), less));
    const std::uint64_t sum = in_ring(Ring::add, Format::f32, in_ring(Ring::exp, Format::f32, v), one);
    CHECK(made[300 + k] == in_ring(Ring::log, Format::f32, sum));
  }
}

TEST_CASE("printing under fpsan changes nothing") {
  const std::string text = R"(.version 8.6
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.global .align 1 .b8 format[4] = {104, 105, 10, 0};
.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .b64 from, to, f; .reg .b32 r; .reg .f32 x;
ld.param.u64 from, [in]; ld.param.u64 to, [out]; ld.global.f32 x, [from]; mov.u64 f, format;
{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], f; st.param.b64 [b], 0; call.uni (c), vprintf, (a, b); ld.param.b32 r, [c]; }
add.f32 x, x, x; st.global.f32 [to], x;
ret;
}
)";
  InRing ring;
  Launcher gpu(text);
  const std::uint64_t in = ring.put(gpu, std::vector<float>{1.5f}, Format::f32), out = gpu.room(4);
  CHECK(gpu.clean("k", ring.of(shape(1, 1)), in, out).printed == "hi\n");
  CHECK(gpu.get<std::uint32_t>(out, 1)[0] == in_ring(Ring::add, Format::f32, bits(1.5f), bits(1.5f)));
}
