// How long a person waits: a cold process that evaluates 1+1, softmax from its text to PTX, and, on a machine with a
// GPU, from its text to a kernel that is loaded (bench/gpu/latency.py: NVRTC and Triton beside it). The program to run
// is the first argument.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "api/reckon/reckon.h"
#include "bench/measure.h"
#include "runtime/cuda/resources.h"

namespace {

constexpr const char* softmax = R"(
fn softmax(x: f32[m, n]) -> f32[m, n] {
  let top = for i: max j: x[i, j];
  let e = for i, j: exp(x[i, j] - top[i]);
  let s = for i: sum j: e[i, j];
  for i, j: e[i, j] / s[i]
}
)";

std::string compiled(bool known_sizes) {
  reckon::Session session;
  if (!session.load(softmax)) std::exit(1);
  reckon::CompileOptions options;
  if (known_sizes) options.values = {{"m", 8192}, {"n", 8192}};
  auto ptx = session.compile("softmax", options);
  if (!ptx) {
    std::fprintf(stderr, "%s", ptx.messages().front().text.c_str());
    std::exit(1);
  }
  return *ptx;
}

void row(const char* name, double seconds) { std::printf("  %-46s %7.1f ms\n", name, seconds * 1e3); }

}  // namespace

int main(int argc, char** argv) {
  setenv("CUDA_CACHE_DISABLE", "1", 1);  // the driver's
  std::printf("latency, medians\n");
  if (argc > 1) {
    const std::string eval = std::string(argv[1]) + " eval '1+1' > /dev/null";
    row("reckon eval '1+1', cold process", reckon::bench::median_seconds(15, [&] {
          if (std::system(eval.c_str()) != 0) std::exit(1);
        }));
    row("/bin/true, cold process", reckon::bench::median_seconds(15, [] {
          if (std::system("/bin/true") != 0) std::exit(1);
        }));
    row("python3 -c 1+1, cold process", reckon::bench::median_seconds(5, [] {
          if (std::system("python3 -c 1+1") != 0) std::printf("  (no python3)\n");
        }));
  }
  const auto start = std::chrono::steady_clock::now();
  compiled(true);
  row("softmax of 8192^2, text to PTX, the first",
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  row("softmax of 8192^2, text to PTX, later ones", reckon::bench::median_seconds(9, [] { compiled(true); }));
  row("softmax of any size, text to PTX, later ones", reckon::bench::median_seconds(9, [] { compiled(false); }));
  auto driver = reckon::runtime::cuda::Driver::open();
  if (!driver) return 0;
  auto context = reckon::runtime::cuda::Context::open(*driver);
  if (!context) return 0;
  for (const bool known : {true, false}) {
    const std::string what = known ? "softmax of 8192^2" : "softmax of any size";
    const auto load = [&](const std::string& ptx) {
      if (!reckon::runtime::cuda::load_module(*context, ptx)) std::exit(1);
    };
    const std::string ptx = compiled(known);
    row((what + ", PTX to a loaded kernel").c_str(), reckon::bench::median_seconds(9, [&] { load(ptx); }));
    row((what + ", text to a loaded kernel").c_str(), reckon::bench::median_seconds(9, [&] { load(compiled(known)); }));
  }
  return 0;
}
