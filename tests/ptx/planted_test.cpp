// Mistakes planted in kernels (tests/data/ptx/planted.cu): each is found, at its line or in its outputs.
#include <cmath>
#include <functional>

#include "numerics/native.h"
#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

/// The line of the source that ends in `// here` within a kernel.
std::size_t planted_line(const std::string& entry) {
  const std::string text = test::read_file(test::data_folder() / "ptx" / "planted.cu");
  const std::size_t at = text.find("// here", text.find("void " + entry + "("));
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

struct Outcome {
  std::string text;  ///< everything that was found, with the places of the source
  std::vector<float> y;
};

/// Runs a kernel on x and on y of so many elements, which nobody has written if `fresh`.
Outcome outcome(const std::string& entry, const LaunchOptions& given, const std::vector<float>& x, std::size_t outputs,
                bool fresh = true) {
  const std::string ptx = cuda_text("planted", arch());
  Launcher gpu(ptx);
  const std::uint64_t in = gpu.put(x), out = fresh ? gpu.room(outputs * 4) : gpu.put(std::vector<float>(outputs, 0));
  LaunchOptions options = given;
  options.most_instructions = 10000000;
  const LaunchReport report = gpu.run(entry, options, in, out, static_cast<int>(x.size()));
  const Module module = read(ptx).module;
  Outcome made;
  const auto add = [&](const Finding& finding) {
    made.text += finding.message + " <" + module.place_text(finding.place) + ">\n";
  };
  if (report.fault) add(*report.fault);
  for (const Finding& finding : report.findings) add(finding);
  if (!report.fault) made.y = gpu.get<float>(out, outputs);
  return made;
}

/// A finding that begins so, at the planted line.
void check_named(const std::string& entry, const LaunchOptions& options, std::size_t inputs, std::size_t outputs,
                 const std::string& what, bool fresh = true) {
  std::vector<float> x(inputs);
  for (std::size_t k = 0; k < inputs; ++k) x[k] = static_cast<float>(k % 7);
  const std::string text = outcome(entry, options, x, outputs, fresh).text;
  INFO(entry << ":\n" << text);
  bool found = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string one = text.substr(begin, end - begin);
    const std::string place = "planted.cu:" + std::to_string(planted_line(entry));
    found = found || (one.find(what) != std::string::npos && (one.find("<" + place + ">") != std::string::npos ||
                                                              one.find("<" + place + ",") != std::string::npos));
    begin = end + 1;
  }
  CHECK(found);
}

/// Nothing is found, and these are the first output that differs from the plain result, and how many do.
void check_outputs(const std::string& entry, const std::vector<float>& x, const std::vector<float>& expected,
                   std::size_t first, std::size_t count) {
  const Outcome made = outcome(entry, shape(1, entry == "index_swapped" ? 64 : 32), x, expected.size());
  INFO(entry << ":\n" << made.text);
  CHECK(made.text.empty());
  REQUIRE(made.y.size() == expected.size());
  std::vector<std::size_t> wrong;
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (made.y[k] != expected[k]) wrong.push_back(k);
  REQUIRE(!wrong.empty());
  CHECK(wrong.front() == first);
  CHECK(wrong.size() == count);
}

}  // namespace

TEST_CASE("mistakes that no kernel should make are found at their line") {
  check_named("no_barrier_in_loop", shape(1, 256), 256, 1, "race: warp");
  check_named("no_barrier_after_load", shape(1, 256), 256, 256, "race: warp");
  check_named("tile_overwritten", shape(1, 64), 256, 64, "race: warp");
  check_named("wrong_mask", shape(1, 32), 32, 1, "the mask 0x0000ffff does not name it");
  check_named("absent_lane", shape(1, 32), 32, 32, "which does not take part");
  check_named("one_too_far", shape(2, 64), 100, 100, "that is 0 bytes after the 400 bytes of memory");
  check_named("halo_not_loaded", shape(1, 64), 64, 64, "a value is stored that comes from memory nobody wrote");
  check_named("barrier_in_branch", shape(1, 64), 64, 64, "divergent barrier");
  check_named("copy_on_its_way", shape(1, 128), 128, 128, "comes from memory nobody wrote");
  check_named("counts_without_atomics", shape(1, 64), 64, 4, "race: ", false);
  check_named("no_fence", shape(4, 32), 4, 5, "race: block");
  check_named("unaligned", shape(1, 32), 132, 32, "is no multiple of 16");
  check_named("two_in_one_place", shape(1, 32), 32, 16, "store different values to one place");
  check_named("waits_for_nobody", shape(2, 32), 2, 2, "endless loop: threads come here again");
  check_named("asserts", shape(1, 32), 32, 32, "lane 5: the assertion `x[threadIdx.x] < 5` of `");
  check_named("divides_by_zero", shape(1, 32), 32, 32, "an integer is divided by 0");
}

TEST_CASE("an approximate instruction is refused at its line") {
  const std::string ptx = cuda_text("planted", arch());
  std::uint32_t line = 0;
  CHECK_THAT(Launcher(ptx).refusal("fast_division", &line),
             Catch::Contains("only the chip knows what `div.approx.f32` gives"));
  const Module module = read(ptx).module;
  std::string place;
  for (const Instruction& one : module.entry("fast_division")->instructions)
    if (one.line == line) place = module.place_text(one.place);
  CHECK_THAT(place, Catch::StartsWith("planted.cu:" + std::to_string(planted_line("fast_division"))));
}

TEST_CASE("mistakes in what is computed are found in the outputs") {
  // All results are exact, so that any correct kernel gives them.
  std::vector<float> x(100);
  for (std::size_t k = 0; k < 100; ++k) x[k] = static_cast<float>(k + 1);
  check_outputs("tail_dropped", x, {5050}, 0, 1);

  std::vector<float> square(64), transposed(64);
  for (std::size_t k = 0; k < 64; ++k)
    square[k] = static_cast<float>(k), transposed[k] = static_cast<float>(k % 8 * 8 + k / 8);
  check_outputs("index_swapped", square, transposed, 1, 56);  // all but the diagonal

  // Sums of 4096 + 1 + 1 + ... in lane 0: halves above 2048 are even.
  std::vector<float> many(32 * 9, 1), sums(32, 9);
  many[0] = 4096;
  sums[0] = 4104;
  check_outputs("sum_in_halves", many, sums, 0, 1);

  std::vector<float> ones(16, 2), scaled(32);
  ones.resize(32, 2);
  std::fill(scaled.begin(), scaled.end(), 1.0f);
  ones.resize(128, 2);  // the root mean square of 128 twos is 2, but the kernel divides by 32
  check_outputs("wrong_scale", ones, scaled, 0, 32);

  std::vector<float> tiles(96), reversed(96);
  for (std::size_t k = 0; k < 96; ++k)
    tiles[k] = static_cast<float>(k + 1), reversed[k] = static_cast<float>(k / 32 * 32 + 31 - k % 32 + 1);
  check_outputs("stale_tile", tiles, reversed, 0, 96);

  std::vector<float> steps(32), prefixes(32);
  float sum = 0;
  for (std::size_t k = 0; k < 32; ++k) steps[k] = static_cast<float>(k + 1), prefixes[k] = sum += steps[k];
  check_outputs("exclusive_instead", steps, prefixes, 0, 32);
}
