// Functions of CUDA's library as nvcc writes them out, which are one operation on values. The expected elements are
// those of numerics/fpsan_native.h, which tests/numerics/ compares with Triton's own values.
#include <map>

#include "tests/ptx/cuda.h"
#include "tests/ptx/ring.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;
using numerics::Format;

using Rules = fpsan::Rules<fpsan::NativeWords, 32>;
using Word = std::uint32_t;

std::uint64_t element(Word carrier) { return fpsan::fpsan_embed(carrier, Format::f32); }
Word carrier(std::uint64_t element) { return static_cast<Word>(fpsan::fpsan_unembed(element, Format::f32)); }

/// A function of the ring, on carriers.
Word in_rules(Word (Rules::*function)(Word), Word x) {
  Rules rules{fpsan::now, {}};
  return carrier((rules.*function)(static_cast<Word>(element(x))));
}

struct Launch {
  RingValues values{fpsan::now};
  Launcher gpu{cuda_text("functions", arch())};

  std::uint64_t put(const std::vector<float>& x) {
    gpu.approximates_nearest = true;
    const std::uint64_t at = gpu.put(x);
    gpu.mark(at, Format::f32, values);
    return at;
  }
  LaunchOptions options(std::uint32_t blocks, std::uint32_t threads) {
    LaunchOptions out = shape(blocks, threads);
    out.values = &values;
    return out;
  }
};

Word made_by(Ring operation, Word a, Word b, Word c = 0) {
  return static_cast<Word>(in_ring(operation, Format::f32, a, b, c));
}

}  // namespace

TEST_CASE("CUDA's functions are the ring's under fpsan, as nvcc writes them out") {
  static const std::map<std::string, Word (Rules::*)(Word)> functions = {
      {"sinf", &Rules::sin},     {"cosf", &Rules::cos},   {"tanf", &Rules::tan},   {"exp10f", &Rules::exp10},
      {"expm1f", &Rules::expm1}, {"logf", &Rules::log},   {"log2f", &Rules::log2}, {"log10f", &Rules::log10},
      {"log1pf", &Rules::log1p}, {"tanhf", &Rules::tanh}, {"sinhf", &Rules::sinh}, {"coshf", &Rules::cosh},
      {"atanf", &Rules::atan},   {"asinf", &Rules::asin}, {"acosf", &Rules::acos}, {"erff", &Rules::erf},
      {"erfcf", &Rules::erfc}};
  // Carriers are patterns of any size and sign.
  const auto x = numbers(100, 78);
  for (const auto& [name, function] : functions) {
    INFO(name);
    Launch launch;
    const std::uint64_t in = launch.put(x), out = launch.gpu.room(400);
    launch.gpu.clean("of_" + name, launch.options(1, 128), in, out, 100);
    const auto made = launch.gpu.get<Word>(out, 100);
    for (std::size_t k = 0; k < 100; ++k) {
      const Word v = bits(x[k]), argument = made_by(Ring::mul, v, bits(3));
      CHECK(made[k] == made_by(Ring::add, in_rules(function, argument), v));
    }
  }
}

TEST_CASE("functions that share their first steps, and those of two arguments, are the ring's under fpsan") {
  const auto x = numbers(64, 79), z = numbers(64, 80);
  for (const char* kernel : {"turned", "sum_of_both"}) {
    INFO(kernel);
    Launch launch;
    const std::uint64_t in = launch.put(x), out = launch.gpu.room(256);
    launch.gpu.clean(kernel, launch.options(1, 64), in, out, 64);
    const auto made = launch.gpu.get<Word>(out, 64);
    for (std::size_t k = 0; k < 64; ++k) {
      const Word v = bits(x[k]);
      CHECK(made[k] == made_by(Ring::fma, in_rules(&Rules::sin, v), bits(2), in_rules(&Rules::cos, v)));
    }
  }
  Launch launch;
  const std::uint64_t in = launch.put(x), of_z = launch.put(z), out = launch.gpu.room(256);
  launch.gpu.clean("powers", launch.options(1, 64), in, of_z, out, 64);
  const auto made = launch.gpu.get<Word>(out, 64);
  Rules rules{fpsan::now, {}};
  for (std::size_t k = 0; k < 64; ++k) {
    const Word v = bits(x[k]), base = made_by(Ring::mul, v, v), exponent = made_by(Ring::add, bits(z[k]), bits(1));
    const Word power = carrier(rules.pow(static_cast<Word>(element(base)), static_cast<Word>(element(exponent))));
    CHECK(made[k] == made_by(Ring::mul, power, v));
  }
}

TEST_CASE("a kernel's own comparison beside a function that asks the same of its argument is found under fpsan") {
  Launch launch;
  const std::uint64_t in = launch.put(numbers(64, 81)), out = launch.gpu.room(256);
  const LaunchReport report = launch.gpu.run("asks_itself", launch.options(1, 64), in, out, 64);
  CHECK_THAT(Launcher::text(report), Catch::Contains("this compares numbers that were computed"));
}
