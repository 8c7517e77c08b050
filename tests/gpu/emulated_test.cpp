// GPU kernels without a GPU: `--on=gpu` with the CUDA driver of the emulator (ptx/driver/), against the host's compiled
// code, bit by bit. The emulator gives an error for races, for accesses outside of buffers, and for values that nobody
// wrote.
#include <catch2/catch.hpp>

#include <cstring>
#include <filesystem>
#include <map>

#include "tests/gpu/inputs.h"
#include "tests/support/files.h"
#include "tests/support/long_run.h"
#include "tests/support/process.h"

namespace {

using namespace reckon::test;

/// Parameters with the letters of their dimensions: `x mn, y n`.
struct Form {
  const char* file;
  const char* parameters;
};
constexpr Form rows{"place.rk", "x:mn"}, tiles{"tiles.rk", "a:mk b:kn"}, stated{"kernels.rk", "a:mk b:kn"},
    stated_rows{"kernels.rk", "x:mn"}, loops{"loops.rk", "x:mn"}, scans{"scans.rk", "x:mn"},
    staged{"staged.rk", "q:hd k:htd"}, quotients{"quotients.rk", "x:mn"}, by_key{"by_key.rk", "x:mn"},
    neighbours{"neighbours.rk", "x:mn y:mn"}, ring{"ring.rk", "a:mk b:kn"};

class Emulated {
 public:
  /// The circuit gives the same bits on the host and in the emulator.
  void agree(const Form& form, const std::string& function, const std::map<char, std::size_t>& sizes,
             const std::string& semantics = "float", const std::string& kind = "random", std::string parameters = {}) {
    const auto common = command(form, function, sizes, semantics, kind, std::move(parameters));
    ++count_;
    if (!std::filesystem::exists(emulated_driver_folder() / "libcuda.so.1")) return;  // the preset `static` has none
    CHECK(results(common, semantics, "host") == results(common, semantics, "gpu"));
  }
  /// The kernels that are made of the circuit for `float`, run in the emulator's fpsan, give what the interpreter's
  /// fpsan gives of the circuit.
  void agree_in_ring(const Form& form, const std::string& function, const std::map<char, std::size_t>& sizes,
                     std::string parameters = {}) {
    const auto common = command(form, function, sizes, "float", "random", std::move(parameters));
    ++count_;
    if (!std::filesystem::exists(emulated_driver_folder() / "libcuda.so.1")) return;
    std::vector<std::string> in_fpsan = common;
    in_fpsan[5] = "fpsan";
    const std::string interpreted = results(in_fpsan, "fpsan", "");
    const std::string emulated = results(common, "float", "gpu", "fpsan");
    INFO(form.file << " " << function << ": " << (emulated.starts_with("gpu: ") ? emulated : ""));
    CHECK(with_one_nan(interpreted) == with_one_nan(emulated));
  }
  int count() const { return count_; }

 private:
  /// The command that calls the circuit on random arguments, which are written to files.
  std::vector<std::string> command(const Form& form, const std::string& function,
                                   const std::map<char, std::size_t>& sizes, const std::string& semantics,
                                   const std::string& kind, std::string parameters) {
    std::string shown = std::string(form.file) + " " + function + " in " + semantics + ", " + kind;
    for (const auto& [name, size] : sizes) shown += std::string(", ") + name + " = " + std::to_string(size);
    INFO(shown);
    if (parameters.empty()) parameters = form.parameters;
    std::vector<std::string> common{
        "call", (source_folder() / "tests/gpu" / form.file).string(), "--fn", function, "--in", semantics};
    std::mt19937 random(static_cast<unsigned>(stream(7)));
    for (std::size_t at = 0; at < parameters.size();) {
      const std::size_t colon = parameters.find(':', at), end = std::min(parameters.find(' ', at), parameters.size());
      const std::string name = parameters.substr(at, colon - at);
      std::vector<std::size_t> shape;
      std::size_t count = 1;
      for (std::size_t k = colon + 1; k < end; ++k) shape.push_back(sizes.at(parameters[k])), count *= shape.back();
      write_file(folder_ / (name + ".npy"), npy_file(shape, inputs(kind, count, shape.back(), random)));
      common.insert(common.end(), {"--arg", name + "=@" + (folder_ / (name + ".npy")).string()});
      at = end + 1;
    }
    return common;
  }
  /// Patterns of NaNs are not kept where the results of `float` are read.
  static std::string with_one_nan(std::string file) {
    const std::size_t bytes = file.find("<f8") < 128 ? 8 : file.find("<f2") < 128 ? 2 : 4;
    const std::uint64_t infinity = bytes == 8 ? 0x7ff0000000000000u : bytes == 2 ? 0x7c00u : 0x7f800000u;
    const std::uint64_t magnitude = (std::uint64_t{1} << (8 * bytes - 1)) - 1;
    for (std::size_t at = 128; at + bytes <= file.size(); at += bytes) {
      std::uint64_t word = 0;
      std::memcpy(&word, file.data() + at, bytes);
      if ((word & magnitude) > infinity) std::memcpy(file.data() + at, &magnitude, bytes);
    }
    return file;
  }
  /// The result's bytes, or the text where values are intervals; what went wrong, if something did.
  std::string results(std::vector<std::string> command, const std::string& semantics, const std::string& on,
                      const std::string& emulated = "float") const {
    const bool as_text = semantics.starts_with("interval");
    const std::string file = (folder_ / (on + ".npy")).string();
    if (!on.empty()) command.push_back("--on=" + on);
    if (as_text) command.push_back("--format=json");
    else command.insert(command.end(), {"-o", file});
    RunOptions options{.timeout = std::chrono::minutes(5)};
    options.environment = {{"LD_LIBRARY_PATH", emulated_driver_folder().string()},
                           {"RECKON_KERNELS", "off"},
                           {"RECKON_PTX_APPROX", "nearest"},
                           {"RECKON_PTX_SEMANTICS", emulated}};
    const RunResult run = run_program(command, options);
    if (run.status != 0) return on + ": " + run.err;
    return as_text ? run.out : read_file(file);
  }

  TemporaryFolder folder_;
  int count_ = 0;
};

}  // namespace

TEST_CASE("rows and columns on an emulated GPU give the host's bits") {
  Emulated gpu;
  for (const char* f : {"total", "row_sums", "row_tree", "row_warp", "row_halving", "column_sums", "column_tree",
                        "softmax", "rms_norm", "layer_norm"})
    gpu.agree(rows, f, {{'m', 3}, {'n', 1024}}, "float", std::string(f) == "row_halving" ? "specials" : "random");
  gpu.agree(rows, "fused_dots", {{'m', 3}, {'n', 1024}}, "float", "random", "x:mn y:n");
  gpu.agree(rows, "softmax", {{'m', 5}, {'n', 300}}, "float", "mixed");
  gpu.agree(rows, "rms_norm", {{'m', 5}, {'n', 300}}, "float", "mixed");
  gpu.agree(rows, "row_sums", {{'m', 5}, {'n', 300}}, "fpsan");
  gpu.agree(rows, "rms_norm", {{'m', 3}, {'n', 300}}, "interval");
  for (const char* f : {"column_sums", "column_tree"}) gpu.agree(rows, f, {{'m', 300}, {'n', 36}});
  for (const char* f : {"softmax", "powers", "gated", "marked"})
    gpu.agree(rows, f, {{'m', 2}, {'n', 8192}}, "float", "mixed");
  gpu.agree(rows, "runs", {{'m', 2}, {'n', 20001}});
  for (const char* f : {"row_lanes", "row_products", "row_vectors", "row_swirl"})
    gpu.agree(rows, f, {{'m', 3}, {'n', 1100}});
  for (const char* f : {"ragged_lanes", "ragged_order", "ragged_softmax"}) gpu.agree(rows, f, {{'m', 3}, {'n', 1101}});
  gpu.agree(rows, "ragged_lanes", {{'m', 3}, {'n', 1101}}, "float", "specials");
  gpu.agree(rows, "ragged_pairs", {{'m', 2}, {'n', 12345}});
  gpu.agree(rows, "ragged_shares", {{'m', 2}, {'n', 40001}});
  gpu.agree(rows, "long_softmax", {{'m', 2}, {'n', 50257}});
  gpu.agree(rows, "long_pairs", {{'m', 2}, {'n', 20000}}, "float", "random", "x:mn y:mn");
  for (const char* f : {"ragged_columns", "ragged_groups"}) gpu.agree(rows, f, {{'m', 300}, {'n', 4099}});
  gpu.agree(rows, "ragged_parts", {{'m', 2}, {'n', 1028}});
  gpu.agree(rows, "turns", {{'m', 1}, {'n', 65536}});
  for (const std::size_t n : {65, 200, 20001, 40001}) gpu.agree(rows, "lanes_then_fused", {{'m', 2}, {'n', n}});
  for (const std::size_t m : {3, 6, 300}) gpu.agree(rows, "columns_then_fused", {{'m', m}, {'n', 36}});
  for (const char* f :
       {"sums_by_warp", "sums_by_many", "total_by_few", "squares_by_128", "softmax_by_64", "softmax_by_128"})
    gpu.agree(stated_rows, f, {{'m', 3}, {'n', 1024}});
  gpu.agree(stated_rows, "halves_by_32", {{'m', 1030}, {'n', 1030}});
  if (long_run()) {
    for (const char* f : {"row_lanes", "row_products", "row_vectors", "row_swirl", "row_wide", "row_canonical"}) {
      for (const std::size_t n : {256, 300, 1024, 2048, 4097, 16384, 20000}) {
        for (const char* semantics : {"float", "fpsan", "interval"})
          gpu.agree(rows, f, {{'m', 2}, {'n', n}}, semantics);
        gpu.agree(rows, f, {{'m', 3}, {'n', n}}, "float", "specials");
      }
    }
  }
  CHECK(gpu.count() > 35);
}

TEST_CASE("quotients and exponentials on an emulated GPU give the host's bits") {
  Emulated gpu;
  for (const auto& [f, kind] : std::map<std::string, std::string>{{"shares", "level"},
                                                                  {"exps", "arguments"},
                                                                  {"rounded_exps", "arguments"},
                                                                  {"rounded_powers", "arguments"},
                                                                  {"many_rounded", "arguments"},
                                                                  {"few_rounded", "arguments"}})
    gpu.agree(quotients, f, {{'m', 10}, {'n', 1024}}, "float", kind);
  for (const char* f : {"quick", "number_extremes", "rounded_to_bf16"}) {
    for (const char* kind : {"random", "mixed", "arguments"})
      gpu.agree(quotients, f, {{'m', 5}, {'n', 1000}}, "float", kind);
  }
  for (const char* f : {"over", "quotients"})
    gpu.agree(quotients, f, {{'m', 10}, {'n', 1024}}, "float", "bounds", "x:mn y:m");
  CHECK(gpu.count() == 17);
}

TEST_CASE("sums by key on an emulated GPU give the host's bits") {
  Emulated gpu;
  for (const char* f : {"counts", "of_integers", "of_one_key", "of_many_keys", "keys_in_order", "of_halves", "of_zeros",
                        "all_in_one"}) {
    gpu.agree(by_key, f, {{'m', 2}, {'n', 4099}});
    gpu.agree(by_key, f, {{'m', 2}, {'n', 17001}});
  }
  gpu.agree(by_key, "counts", {{'m', 2}, {'n', 4099}}, "fpsan");
  gpu.agree(by_key, "of_integers", {{'m', 2}, {'n', 4099}}, "fpsan");
  CHECK(gpu.count() == 18);
}

TEST_CASE("neighbouring elements on an emulated GPU give the host's bits") {
  Emulated gpu;
  for (const char* f : {"flat", "halves", "biased", "gathered", "reversed"}) {
    // So many elements that a thread has several, and a last one with fewer.
    gpu.agree(neighbours, f, {{'m', 67}, {'n', 4107}}, "float", "specials");
    gpu.agree(neighbours, f, {{'m', 65}, {'n', 4096}}, "fpsan");
  }
  CHECK(gpu.count() == 10);
}

TEST_CASE("tiles of products on an emulated GPU give the host's bits") {
  Emulated gpu;
  for (const char* f : {"plain", "absorbed", "wide", "half", "mixed", "stored", "transposed", "otherwise", "distances",
                        "largest", "weighted", "pairs", "batch", "between", "split_tree", "split_seq", "split_all"}) {
    const bool in_ring = std::string(f) == "absorbed" || std::string(f) == "half";
    gpu.agree(tiles, f, {{'m', 33}, {'k', 17}, {'n', 35}}, in_ring ? "fpsan" : "float");
  }
  gpu.agree(tiles, "absorbed", {{'m', 33}, {'k', 17}, {'n', 35}}, "interval(f32)");
  // On tensor cores: whole stages, one more leaf, runs, and numbers of every kind.
  for (const std::size_t k : {32, 33}) gpu.agree(tiles, "wide", {{'m', 66}, {'k', k}, {'n', 70}}, "float", "specials");
  for (const char* semantics : {"float", "fpsan", "interval(f32)"})
    gpu.agree(tiles, "below_diagonal", {{'m', 70}, {'k', 19}, {'n', 100}}, semantics);
  gpu.agree(tiles, "quotients_below", {{'m', 70}, {'k', 19}, {'n', 100}});
  gpu.agree(tiles, "wide_runs", {{'m', 40}, {'k', 75}, {'n', 64}});
  for (const char* f : {"square", "laid", "uneven", "narrow", "shallow", "deep", "roomy", "by_four"})
    gpu.agree(stated, f, {{'m', 33}, {'k', 17}, {'n', 35}});
  for (const char* f : {"laid", "shallow"}) gpu.agree(stated, f, {{'m', 33}, {'k', 40}, {'n', 35}}, "fpsan");
  CHECK(gpu.count() == 35);
}

TEST_CASE("scans, loops and staged lists on an emulated GPU give the host's bits") {
  Emulated gpu;
  const std::vector<std::pair<std::size_t, std::size_t>> shapes =
      long_run() ? std::vector<std::pair<std::size_t, std::size_t>>{{1, 1},    {1, 64},  {3, 1024},  {40, 70},
                                                                    {2, 4097}, {33, 64}, {1, 20000}, {300, 33}}
                 : std::vector<std::pair<std::size_t, std::size_t>>{{3, 1100}};
  for (const char* f : {"in_order",
                        "each_row",
                        "each_column",
                        "before",
                        "sums",
                        "tiles",
                        "tiles_of_rows",
                        "tiles_by_tree",
                        "trees_of_tiles",
                        "one_tree",
                        "tree_of_rows",
                        "largest",
                        "counted",
                        "highest",
                        "least",
                        "one_blelloch",
                        "blelloch_of_rows",
                        "by_lanes",
                        "recurrence",
                        "recurrence_by_tree",
                        "recurrence_by_blelloch",
                        "recurrence_in_tiles",
                        "differences",
                        "differences_by_tree",
                        "differences_by_blelloch",
                        "ratios"}) {
    const bool in_ring = std::string(f) == "tiles" || std::string(f) == "recurrence";
    for (const auto& [m, n] : shapes) gpu.agree(scans, f, {{'m', m}, {'n', n}}, in_ring ? "fpsan" : "float");
  }
  // Long lists, which one kernel scans in tiles of 4096 leaves, or 2048 pairs; 34 of them have runs of 32.
  gpu.agree(scans, "one_tree", {{'m', 1}, {'n', 137'000}});
  gpu.agree(scans, "one_tree", {{'m', 3}, {'n', 4'000}}, "fpsan");
  gpu.agree(scans, "largest", {{'m', 2}, {'n', 9'000}});
  gpu.agree(scans, "recurrence_by_tree", {{'m', 2}, {'n', 68'000}});
  for (const char* f : {"blur", "centre", "nested", "recurrence", "row_by_row", "two_states", "ever_longer"})
    gpu.agree(loops, f, {{'m', 5}, {'n', 70}});
  for (const char* f : {"scores", "shared_keys", "last_side", "in_runs", "halves", "two_rows", "wide", "along",
                        "differences", "places"})
    gpu.agree(staged, f, {{'h', 3}, {'t', 401}, {'d', 84}});
  CHECK(gpu.count() >= 39);
}

TEST_CASE("a function that calls itself is inlined with its arrays on the stack where a size is known") {
  const std::string file = (source_folder() / "tests/gpu/scans.rk").string();
  const auto made = run_program({"compile", file, "--fn", "least_of_sums", "--emit=ptx", "-D", "n=2"});
  INFO(made.err);
  CHECK(made.status == 0);
  CHECK(made.out.find(".local .align") != std::string::npos);
}

// Not those whose divisors are powers of two, which float's kernels multiply by, and not those whose functions compute
// with the bits of floats.
TEST_CASE("kernels for float have the elements of the ring of their circuit when the emulator runs them in fpsan") {
  Emulated gpu;
  for (const char* f : {"total", "row_lanes", "row_products", "row_vectors", "row_swirl", "row_wide", "row_canonical",
                        "row_sums", "row_tree", "row_warp", "row_halving", "column_sums", "column_tree", "runs",
                        "runs_of_runs", "in_order", "products_in_order", "lanes_then_fused", "columns_then_fused"})
    gpu.agree_in_ring(rows, f, {{'m', 3}, {'n', 1100}});
  gpu.agree_in_ring(rows, "fused_dots", {{'m', 3}, {'n', 1024}}, "x:mn y:n");
  for (const char* f : {"plain", "absorbed", "wide", "mixed", "stored", "transposed", "otherwise", "distances",
                        "largest", "pairs", "batch", "between", "split_tree", "split_seq", "split_all"})
    gpu.agree_in_ring(tiles, f, {{'m', 33}, {'k', 17}, {'n', 35}});
  for (const char* f : {"in_order", "each_row", "each_column", "before", "tiles", "tiles_of_rows", "tiles_by_tree",
                        "trees_of_tiles", "one_tree", "tree_of_rows", "largest", "one_blelloch", "blelloch_of_rows",
                        "by_lanes", "differences", "differences_by_tree", "differences_by_blelloch", "ratios"})
    gpu.agree_in_ring(scans, f, {{'m', 3}, {'n', 1100}});
  for (const char* f : {"flat", "halves", "biased", "reversed"})
    gpu.agree_in_ring(neighbours, f, {{'m', 65}, {'n', 4096}});
  for (const char* f : {"of_halves", "of_bf16"}) gpu.agree_in_ring(ring, f, {{'m', 70}, {'k', 72}, {'n', 136}});
  CHECK(gpu.count() > 50);
}
