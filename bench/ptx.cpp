// The emulator of PTX on one core: thread instructions a second under float and fpsan, and the time and memory of a
// trace, each beside its goal. The kernels are those of tests/data/ptx/.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "api/reckon/trace.h"

namespace {

using namespace reckon;

std::string text_of(const std::string& file) {
  std::ifstream in(std::string(RECKON_BENCH_KERNELS) + "/" + file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Multiples of 1/8 from -1 to 1, which all formats have.
PtxArgument numbers(const std::string& type, std::vector<std::int64_t> shape, bool written = true) {
  PtxArgument out;
  Tensor& made = out.memory.emplace();
  made.type = type;
  made.shape = std::move(shape);
  std::int64_t count = 1;
  for (const std::int64_t extent : made.shape) count *= extent;
  static constexpr std::uint16_t halves[] = {0xb800, 0xb400, 0xb000, 0x0000, 0x3000, 0x3400, 0x3600, 0x3800, 0x3c00};
  std::mt19937 random(1);
  for (std::int64_t k = 0; k < count; ++k) {
    if (type == "f16") {
      const std::uint16_t bits = halves[random() % std::size(halves)];
      made.bytes.push_back(static_cast<std::uint8_t>(bits));
      made.bytes.push_back(static_cast<std::uint8_t>(bits >> 8));
      continue;
    }
    const float x = 0.125f * static_cast<float>(static_cast<int>(random() % 17) - 8);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&x);
    made.bytes.insert(made.bytes.end(), bytes, bytes + 4);
  }
  out.unwritten = !written;
  return out;
}
PtxArgument number(const std::string& text) { return {text, std::nullopt, false}; }

/// The median of the time that runs take of one core, whatever else the machine does.
template <class Work>
double core_seconds(int runs, Work&& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  std::vector<double> times;
  for (int k = 0; k < runs; ++k) {
    const double start = now();
    work();
    times.push_back(now() - start);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// What the process has had of memory at most, so far.
double peak_gigabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / (1 << 20);
}

/// A launch under a semantics. `goal`: thread instructions a second; `limit`: seconds, or 0.
void run(const std::string& title, const std::string& text, PtxLaunch launch, const std::string& semantics, double goal,
         double limit) {
  launch.semantics = semantics;
  std::uint64_t instructions = 0;
  const double seconds = core_seconds(3, [&] {
    const PtxRun made = run_ptx(text, title, launch);
    if (!made.messages.empty()) {
      std::printf("%s: %s\n", title.c_str(), made.messages.front().message.c_str());
      std::exit(1);
    }
    for (const auto& [name, count] : made.counts) {
      if (name == "thread instructions") instructions = count;
    }
  });
  const double rate = static_cast<double>(instructions) / seconds;
  std::printf("%-38s %-6s %8.3f s  %9.2e thread instructions a second", title.c_str(), semantics.c_str(), seconds, rate);
  if (goal > 0) std::printf(" (goal %.1e)", goal);
  if (limit > 0) std::printf(", under %g s", limit);
  std::printf("%s\n", rate < goal || (limit > 0 && seconds > limit) ? "  MISSED" : "");
}

}  // namespace

int main() {
  const std::string kernels = text_of("kernels_sm_80.ptx");
  PtxLaunch product;
  product.kernel = "product_by_tiles";
  product.grid = {16, 16, 1};
  product.block = {16, 16, 1};
  product.arguments = {numbers("f32", {256, 256}), numbers("f32", {256, 256}), numbers("f32", {256, 256}, false),
                       number("256")};
  PtxLaunch sum;
  sum.kernel = "sum_by_shuffles";
  sum.grid = {8, 1, 1};
  sum.block = {256, 1, 1};
  sum.arguments = {numbers("f32", {1 << 21}), numbers("f32", {8}, false), number(std::to_string(1 << 21))};
  PtxLaunch attention;  // of tokens x heads: 128 x 64, two heads, two rows
  attention.kernel = "attention";
  attention.grid = {2, 2, 1};
  attention.block = {128, 1, 1};
  attention.shared_bytes = 40960;
  attention.nearest = true;
  attention.arguments = {numbers("f16", {256, 64}),
                         numbers("f16", {256, 64}),
                         numbers("f16", {256, 64}),
                         numbers("f16", {256, 64}, false),
                         numbers("f32", {256}, false),
                         number("0.125"),
                         number("128"),
                         number("2")};
  const std::string triton = text_of("triton/attention_f16.ptx");
  // Triton's own parameters come last, which the kernel does not use.
  attention.arguments.resize(ptx_kernels(triton, "")->front().parameters.size(), number("0"));
  for (const char* semantics : {"float", "fpsan"}) {
    const double goal = semantics == std::string("float") ? 5e7 : 2.5e7;
    run("product of 256 x 256, by tiles", kernels, product, semantics, goal, 5);
    run("sum of 2^21 numbers, by shuffles", kernels, sum, semantics, goal, 0);
    run("Triton's attention, 128 x 64, 2 heads", triton, attention, semantics, 0, 10);
  }

  const double before = peak_gigabytes();
  PtxLaunch million = sum;
  million.grid = {1, 1, 1};
  million.arguments = {numbers("f32", {1000000}), numbers("f32", {1}, false), number("1000000")};
  TraceOptions how;
  how.verify = 1;
  std::string order;
  const double seconds = core_seconds(1, [&] {
    const PtxTrace made = trace_ptx(kernels, "kernels.ptx", million, how);
    for (const TracedOutput& output : made.outputs) {
      for (const TracedGroup& group : output.groups) {
        for (const TracedFold& fold : group.folds) order = fold.schedule;
      }
    }
  });
  std::printf("trace of a sum of 10^6 terms: %.1f s, %.2f GB at most (%.2f GB before); order: %s\n", seconds,
              peak_gigabytes(), before, order.c_str());
}
