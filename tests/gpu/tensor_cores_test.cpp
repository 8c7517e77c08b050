// Tensor cores without a GPU: `mma(hopper)` as the emulator carries out the kernels' wgmma, tensor maps and mbarriers,
// against the interpreter's bits. That the models are an H200's is for tests/gpu/tensor_cores.py.
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "numerics/native.h"
#include "tests/gpu/inputs.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

namespace {

using namespace reckon::test;

/// A file of f16 or bf16 of a normal distribution.
std::string halves(const std::vector<std::size_t>& shape, bool bf16, std::mt19937& random) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  std::normal_distribution<float> normal;
  std::string words;
  for (std::size_t k = 0; k < count; ++k) {
    const float x = normal(random);
    const std::uint16_t word = bf16 ? reckon::numerics::f32_to_bf16(x) : reckon::numerics::f32_to_f16(x);
    words.append(reinterpret_cast<const char*>(&word), 2);
  }
  return npy_file(shape, bf16 ? "<V2" : "<f2", words);
}

struct Argument {
  std::string name;
  std::vector<std::size_t> shape;
};

/// The results' bytes on the interpreter and on the emulated GPU, of this compute capability, are the same.
void agree(const std::string& program, const std::string& function, const std::string& format,
           const std::vector<Argument>& arguments, const std::string& capability = "9.0") {
  INFO(program << " " << function << " of " << format);
  if (!std::filesystem::exists(emulated_driver_folder() / "libcuda.so.1")) return;  // the preset `static` has none
  const TemporaryFolder folder;
  std::mt19937 random(9);
  std::vector<std::string> common{"call", program, "--fn", function};
  if (program.ends_with("rows.rk")) common.insert(common.end(), {"-D", "T=" + format});
  for (const Argument& argument : arguments) {
    write_file(folder / (argument.name + ".npy"), halves(argument.shape, format == "bf16", random));
    common.insert(common.end(), {"--arg", argument.name + "=@" + (folder / (argument.name + ".npy")).string()});
  }
  std::string results[2];
  for (const bool gpu : {false, true}) {
    const std::string file = (folder / "result.npy").string();
    std::vector<std::string> command = common;
    command.insert(command.end(), {gpu ? "--on=gpu" : "--on=interp", "-o", file});
    RunOptions options{.timeout = std::chrono::minutes(5)};
    options.environment = {{"LD_LIBRARY_PATH", emulated_driver_folder().string()},
                           {"RECKON_KERNELS", "off"},
                           {"RECKON_PTX_CAPABILITY", capability},
                           {"RECKON_PTX_SUMMARY", "1"},
                           {"RECKON_PTX_APPROX", "nearest"}};
    const RunResult run = run_program(command, options);
    INFO(run.err);
    REQUIRE(run.status == 0);
    // Few instructions of threads: the products were on tensor cores.
    if (gpu) CHECK_THAT(run.err, Catch::Contains(" instructions of threads"));
    results[gpu ? 1 : 0] = read_file(file);
  }
  CHECK(results[0] == results[1]);
}

}  // namespace

TEST_CASE("the emulated driver refuses what is no compute capability") {
  if (!std::filesystem::exists(emulated_driver_folder() / "libcuda.so.1")) return;  // the preset `static` has none
  for (const char* capability : {"8", "8.0a", "hopper", ""}) {
    RunOptions options;
    options.input = "fn f(x: f32) -> f32 = x + 1\n";
    options.environment = {{"LD_LIBRARY_PATH", emulated_driver_folder().string()},
                           {"RECKON_PTX_CAPABILITY", capability}};
    const RunResult run = run_program({"call", "-", "--fn", "f", "--on=gpu", "--arg", "x=1"}, options);
    INFO(capability);
    CHECK(run.status == 69);
    CHECK_THAT(run.err, Catch::Contains("RECKON_PTX_CAPABILITY is no compute capability, such as 9.0"));
  }
}

TEST_CASE("products on emulated tensor cores have the interpreter's bits") {
  const TemporaryFolder folder;
  for (const std::string format : {"f16", "bf16"}) {
    const std::string program = (folder / (format + ".rk")).string();
    write_file(program, "fn plain(a: " + format + "[m, k], b: " + format +
                            "[k, n]) -> f32[m, n] =\n  for i, j: sum l: f32(a[i, l]) * f32(b[l, j]) by mma(hopper)\n"
                            "fn turned(a: " +
                            format + "[k, m], b: " + format + "[n, k]) -> " + format + "[m, n] =\n  for i, j: " +
                            format + "(max(sum l: f32(a[l, i]) * f32(b[j, l]) by mma(hopper), 0))\n");
    agree(program, "plain", format, {{"a", {200, 136}}, {"b", {136, 264}}});
    agree(program, "turned", format, {{"a", {72, 130}}, {"b", {66, 72}}});
  }
}

TEST_CASE("products by warps' instructions on emulated tensor cores have the interpreter's bits") {
  const TemporaryFolder folder;
  struct Chip {
    std::string model, capability;
  };
  for (const Chip& chip :
       {Chip{"ampere", "8.0"}, Chip{"ampere", "8.6"}, Chip{"ada", "8.9"}, Chip{"blackwell", "10.0"}}) {
    for (const std::string format : {"f16", "bf16"}) {
      const std::string program = (folder / (chip.model + format + ".rk")).string();
      const std::string by = " by mma(" + chip.model + ")";
      std::string text =
          "fn plain(a: F[m, k], b: F[k, n]) -> f32[m, n] =\n  for i, j: sum l: f32(a[i, l]) * f32(b[l, j])" + by +
          "\n" +
          "fn turned(a: F[k, m], b: F[n, k]) -> F[m, n] =\n  for i, j: F(max(sum l: f32(a[l, i]) * "
          "f32(b[j, l])" +
          by + ", 0))\n" +
          "fn many(a: F[q, m, k], b: F[k, q, n]) -> f32[q, m, n] =\n  for p, i, j: sum l: f32(a[p, i, l]) "
          "* f32(b[l, p, j])" +
          by + "\n" +
          "fn part(a: F[m, k], b: F[n, k]) -> f32[m, n] =\n  for i, j: sum l < 21: f32(a[i, l + 8]) * f32(b[j, l + "
          "16])" +
          by + "\n" +
          "fn runs(a: F[m, k], b: F[n, k]) -> f32[m, n] =\n  for i, j: sum l: f32(a[i, l]) * f32(b[j, l]) "
          "by tile(64, mma(" +
          chip.model + ")) then seq\n";
      if (chip.model != "ada")  // whose rows have no tf32
        text +=
            "fn of_words(a: F[m, k], b: F[n, k]) -> f32[m, n] =\n  for i, j: sum l: f32(tf32(f32(a[i, l]) / "
            "3)) * f32(tf32(f32(b[j, l]) / 3))" +
            by + "\n";
      for (std::size_t at = 0; (at = text.find("F[", at)) != std::string::npos;) text.replace(at, 1, format);
      for (std::size_t at = 0; (at = text.find("F(", at)) != std::string::npos;) text.replace(at, 1, format);
      write_file(program, text);
      std::string arch = "sm_" + chip.capability;
      arch.erase(arch.find('.'), 1);
      const RunResult ptx = run_program({"compile", program, "--fn", "plain", "--arch", arch}, "");
      CHECK_THAT(ptx.out, Catch::Contains("mma.sync.aligned.m16n8k16.row.col.f32." + format));
      agree(program, "plain", format, {{"a", {150, 136}}, {"b", {136, 200}}}, chip.capability);
      agree(program, "turned", format, {{"a", {72, 130}}, {"b", {66, 72}}}, chip.capability);
      if (format == "bf16") continue;
      agree(program, "plain", format, {{"a", {9, 333}}, {"b", {333, 71}}}, chip.capability);
      agree(program, "many", format, {{"a", {3, 65, 40}}, {"b", {40, 3, 24}}}, chip.capability);
      agree(program, "part", format, {{"a", {20, 48}}, {"b", {66, 48}}}, chip.capability);
      agree(program, "runs", format, {{"a", {5, 200}}, {"b", {70, 200}}}, chip.capability);
      if (chip.model == "ada") continue;
      agree(program, "of_words", format, {{"a", {20, 50}}, {"b", {66, 50}}}, chip.capability);
    }
  }
  // Formats of one byte.
  const std::string program = (folder / "narrow.rk").string();
  write_file(program,
             "fn narrow(a: f16[m, k], b: f16[k, n]) -> f32[m, n] =\n  for i, j: sum l: f32(f8e4m3(a[i, l])) * "
             "f32(f8e4m3(b[l, j])) by mma(ada)\n");
  agree(program, "narrow", "f16", {{"a", {33, 150}}, {"b", {150, 67}}}, "8.9");
}

TEST_CASE("attention on emulated tensor cores has the interpreter's bits") {
  const std::string program = (source_folder() / "tests/gpu/tensor_core_rows.rk").string();
  agree(program, "attention", "bf16", {{"q", {1, 128, 64}}, {"k", {1, 200, 64}}, {"v", {1, 200, 64}}});
  agree(program, "attention", "f16", {{"q", {2, 70, 64}}, {"k", {2, 128, 64}}, {"v", {2, 128, 64}}});
  agree(program, "causal", "bf16", {{"q", {1, 200, 64}}, {"k", {1, 200, 64}}, {"v", {1, 200, 64}}});
  agree(program, "quick_causal", "bf16", {{"q", {1, 200, 64}}, {"k", {1, 200, 64}}, {"v", {1, 200, 64}}});
  agree(program, "normalised", "bf16", {{"q", {1, 130, 64}}, {"k", {1, 128, 64}}, {"v", {1, 64, 128}}});
}
