// np.sum and the schedules that say how it adds, bit for bit.
#include "tests/schedules/support.h"

using namespace reckon::test;

TEST_CASE("NumPy's sums of hostile vectors are stdlib's numpy, bit for bit") {
  const auto python = python_with("numpy");
  if (!python) return;
  const TemporaryFolder folder;
  // 150 stretches of 1 to 1,000,000 elements in each format, long ones as one sum and in NumPy's buffers.
  const std::string script = (source_folder() / "tests/schedules/numpy_sums.py").string();
  const RunResult sums =
      run_command({*python, "-W", "ignore", script, folder.path().string(), std::to_string(trials(150))},
                  {.timeout = std::chrono::minutes(10)});
  REQUIRE(sums.err == "");
  std::string program = R"(import "schedules"
fn f32_0[start, n](x: f32[N]) -> f32 = sum i < n: x[start + i] by numpy
fn f32_1[start, n](x: f32[N]) -> f32 = sum i < n: x[start + i] by numpy_buffered(8192)
fn f64_0[start, n](x: f64[N]) -> f64 = sum i < n: x[start + i] by numpy
fn f64_1[start, n](x: f64[N]) -> f64 = sum i < n: x[start + i] by numpy_buffered(8192)
fn f16_0[start, n](x: f16[N]) -> f16 = f16(sum i < n: f32(x[start + i]) by numpy)
)";
  for (const std::string format : {"f32", "f64", "f16"}) {
    for (int kind = 0; kind < 5; ++kind) program += fmt::format("let x{0}_{1} = load(\"{0}_{1}.npy\")\n", format, kind);
  }
  struct Sum {
    std::string text, bits;
  };
  std::vector<Sum> expected;
  std::string version;
  std::istringstream words(sums.out);
  words >> version >> version;
  for (std::string format, kind, buffered, start, n, bits; words >> format >> kind >> buffered >> start >> n >> bits;) {
    expected.push_back(
        {fmt::format("{0}_{1}[{2}, {3}](x{0}_{4})", format, buffered, start, n, kind), format + "#" + bits});
    program += "show " + expected.back().text + "\n";
  }
  REQUIRE(static_cast<int>(expected.size()) >= 3 * trials(150));
  write_file(folder / "sums.rk", program);
  const RunResult run = run_program({"sums.rk"}, {.timeout = std::chrono::minutes(10), .folder = folder.path()});
  REQUIRE(run.err == "");
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // Of NaN there is one, whatever its bits.
    if (lines[i].starts_with("nan") || lines[i].ends_with(expected[i].bits)) continue;
    FAIL_CHECK("NumPy " << version << ": " << expected[i].text << " is " << expected[i].bits << " there, " << lines[i]);
  }
}
