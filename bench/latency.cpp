// How long a person waits: a cold process that evaluates 1+1, and softmax from its text to PTX. The program to run is the
// first argument.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "api/reckon/reckon.h"
#include "bench/measure.h"

namespace {

constexpr const char* softmax = R"(
fn softmax(x: f32[n]) -> f32[n] {
  let m = max i: x[i];
  let e = for i: exp(x[i] - m);
  let s = sum i: e[i];
  for i: e[i] / s
}
)";

void row(const char* name, double seconds) { std::printf("  %-46s %7.1f ms\n", name, seconds * 1e3); }

}  // namespace

int main(int argc, char** argv) {
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
  auto compile = [] {
    reckon::Session session;
    if (!session.load(softmax)) std::exit(1);
    auto ptx = session.compile("softmax", "ptx");
    if (!ptx) {
      std::fprintf(stderr, "%s", ptx.messages().front().text.c_str());
      std::exit(1);
    }
  };
  const auto start = std::chrono::steady_clock::now();
  compile();
  row("softmax, text to PTX, first in the process",
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  row("softmax, text to PTX, later ones", reckon::bench::median_seconds(9, compile));
  return 0;
}
