// Kernels that Triton compiled for an H200 give there what the emulator gives, and in fpsan what their definitions do.
#include "tests/ptx/triton.h"

#include <algorithm>

#include "numerics/chips/chip.h"
#include "ptx/emulate/joined.h"
#include "ptx/emulate/kernel.h"
#include "ptx/shadow/ring.h"
#include "tests/support/files.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;
using numerics::Format;

nlohmann::json launch_named(const std::string& name) {
  for (const auto& kernel : triton_launches())
    if (kernel["name"] == name) return kernel;
  FAIL("there is no " << name);
  return {};
}

/// Numbers of a result or an input as the ring's elements.
template <class T>
std::vector<Number> numbers_in(const std::vector<std::uint8_t>& bytes) {
  std::vector<Number> out(bytes.size() / sizeof(T));
  for (std::size_t k = 0; k < out.size(); ++k) {
    T bits = 0;
    std::memcpy(&bits, bytes.data() + k * sizeof(T), sizeof(T));
    out[k].bits = bits;
  }
  return out;
}

class Circuit {
 public:
  explicit Circuit(Values& values) : values_(values) {}
  Number operator()(Act act, Format format, std::initializer_list<Number> operands) {
    FloatAct one;
    one.act = act;
    one.format = format;
    return values_.apply(one, {operands.begin(), operands.size()});
  }
  Number convert(Number x, Format from, Format to) {
    FloatAct one;
    one.act = Act::convert;
    one.from = from;
    one.format = to;
    return values_.apply(one, {&x, 1});
  }

 private:
  Values& values_;
};

/// The sum of eps and a quotient by div.full, which is a product with a reciprocal, as one fused operation: so the
/// H200's bits are, and the emulator says that an assembler may do so.
std::string joined_as_by_ptxas(std::string text) {
  const std::string quotient = "div.full.f32 \t%r69, %r68, %r7;", sum = "add.f32 \t%r70, %r11, %r69;";
  const std::size_t at = text.find(sum);
  REQUIRE(at != std::string::npos);
  const auto line =
      static_cast<std::uint32_t>(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  const ReadResult made = read(text);
  const auto lines = lines_that_may_be_joined(*made.module.entry("layer_norm"));
  CHECK(std::find(lines.begin(), lines.end(), line) != lines.end());
  text.replace(at, sum.size(), "fma.rn.f32 %r70, %r68, %r69, %r11;");
  const std::size_t before = text.find(quotient);
  REQUIRE(before != std::string::npos);
  return text.replace(before, quotient.size(), "rcp.approx.f32 %r69, %r7;");
}

}  // namespace

TEST_CASE("Triton's kernels have an H200's bits") {
  const auto chip = numerics::Chip::named("h200");
  REQUIRE(chip);
  int exact = 0;
  for (const auto& kernel : triton_launches()) {
    const std::string name = kernel["name"];
    INFO(name);
    const std::string text = name == "layer_norm_f32" ? joined_as_by_ptxas(triton_text(kernel)) : triton_text(kernel);
    TritonLaunch launch(kernel, text, chip.get());
    const LaunchReport report = launch.run();
    const std::string found = Launcher::text(report);
    INFO(found);
    // All warps read a count while they hold a lock, and one sets it, with no barrier between.
    if (name == "layer_norm_back") CHECK(found.find("triton_kernels.py:148") != std::string::npos);
    else CHECK(report.clean());
    const bool approximates = launch.launcher().kernel(kernel["entry"], launch.options()).approximate > 0;
    for (const auto& [result, how] : kernel["results"].items()) {
      INFO(result);
      const auto made = launch.result(result), expected = launch.expected(result);
      REQUIRE(made.size() == expected.size());
      INFO("furthest apart: " << distance(made, expected, how["type"]));
      // Of some approximate instructions there is no table.

      if (approximates) CHECK(distance(made, expected, how["type"]) < 1e-6);
      else CHECK((made == expected));
      exact += approximates ? 0 : 1;
    }
  }
  CHECK(exact == 64);
}

TEST_CASE("Triton's products, sums and softmax in fpsan are those of their definitions") {
  const auto ring = ring_named("fpsan");
  Circuit circuit(*ring);
  {
    TritonLaunch launch(launch_named("matmul_f16_ragged"));
    CHECK(launch.run(*ring).clean());
    const std::size_t m = 77, n = 99, k = 45;
    const auto a = numbers_in<std::uint16_t>(launch.input("a")), b = numbers_in<std::uint16_t>(launch.input("b"));
    const auto c = numbers_in<std::uint32_t>(launch.result("c"));
    std::size_t differ = 0;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        Number sum;
        for (std::size_t l = 0; l < k; ++l)
          sum = circuit(Act::fma, Format::f32, {circuit.convert(a[i * k + l], Format::f16, Format::f32),
                                                circuit.convert(b[l * n + j], Format::f16, Format::f32), sum});
        differ += c[i * n + j].bits != sum.bits ? 1 : 0;
      }
    CHECK(differ == 0);
  }
  {
    // log(sum of exp(v - m)) + m - v[target], with the places beyond the row at -inf, which the ring does not leave
    // out.
    TritonLaunch launch(launch_named("cross_entropy"));
    CHECK(launch.run(*ring).clean());
    const auto x = numbers_in<std::uint32_t>(launch.input("x")), out = numbers_in<std::uint32_t>(launch.result("out"));
    const auto target = numbers_in<std::uint32_t>(launch.input("target"));
    for (std::size_t i = 0; i < 4; ++i) {
      std::vector<Number> row(1024, Number{0xff800000, 0});
      std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(i * 1000), 1000, row.begin());
      Number most = row[0], sum;
      for (const Number& v : row) most = circuit(Act::maxnum, Format::f32, {most, v});
      for (const Number& v : row) {
        const Number power =
            circuit(Act::mul, Format::f32, {circuit(Act::sub, Format::f32, {v, most}), {0x3fb8aa3b, 0}});
        sum = circuit(Act::add, Format::f32, {sum, circuit(Act::exp2, Format::f32, {power})});
      }
      const Number loss = circuit(Act::add, Format::f32, {circuit(Act::log, Format::f32, {sum}), most});
      CHECK(out[i].bits == circuit(Act::sub, Format::f32, {loss, row[target[i].bits]}).bits);
    }
  }
  for (const char* name : {"attention_f16", "attention_f16_causal", "attention_bf16_ragged", "attention_by_descriptors",
                           "layer_norm_f16", "softmax_8"}) {
    INFO(name);
    TritonLaunch launch(launch_named(name));
    CHECK(launch.run(*ring).clean());
  }
  {
    TritonLaunch launch(launch_named("row_sums_1000"));
    CHECK(launch.run(*ring).clean());
    const auto x = numbers_in<std::uint32_t>(launch.input("x")), out = numbers_in<std::uint32_t>(launch.result("out"));
    for (std::size_t i = 0; i < 3; ++i) {
      Number sum;
      for (std::size_t j = 0; j < 1000; ++j) sum = circuit(Act::add, Format::f32, {sum, x[i * 1000 + j]});
      CHECK(out[i].bits == sum.bits);
    }
  }
}
