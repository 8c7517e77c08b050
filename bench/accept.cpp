// Acceptance intervals a second on one core, through the kernels that the evaluator calls: WGSL's accuracies at numbers
// of f32, and over intervals; by the sound rule and by the suite's. The processor's time counts, so that other work on
// the machine does not.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "bench/measure.h"
#include "interp/semantics.h"
#include "semantics/accept/answers.h"
#include "semantics/standard.h"
#include "tests/interp/wgsl_profile.h"

namespace {

using namespace reckon;
using interp::accept::Answers;
constexpr std::size_t count = 1024;  // a batch of the evaluator

std::vector<Answers> operands(unsigned seed, bool wide) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> number(0.1f, 1.4f);
  std::vector<Answers> out;
  for (std::size_t i = 0; i < count; ++i) {
    const float x = number(random);
    out.push_back(Answers::of({x, wide ? x * 1.001f : x}));
  }
  return out;
}

/// The median of several runs after one that is not counted.
template <class Work>
double processor_seconds(int runs, Work&& work) {
  work();
  std::vector<double> times;
  for (int k = 0; k < runs; ++k) {
    const std::clock_t start = std::clock();
    work();
    times.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double a_second(interp::Semantics& semantics, ir::Op op, bool wide) {
  const std::vector<Answers> x = operands(1, wide), y = operands(2, wide), z = operands(3, wide);
  std::vector<Answers> out(count);
  const interp::Rows rows[3] = {{reinterpret_cast<const std::byte*>(x.data()), count},
                                {reinterpret_cast<const std::byte*>(y.data()), count},
                                {reinterpret_cast<const std::byte*>(z.data()), count}};
  const auto work = [&] {
    if (semantics.apply(op, ir::Scalar::f32, ir::Scalar::f32, rows, reinterpret_cast<std::byte*>(out.data()), count, 1,
                        count)) {
      std::exit(1);
    }
    bench::keep(out.data());
  };
  int repeat = 1;
  while (processor_seconds(1, [&] {
           for (int k = 0; k < repeat; ++k) work();
         }) < 0.02)
    repeat *= 2;
  return count * repeat / processor_seconds(7, [&] {
           for (int k = 0; k < repeat; ++k) work();
         });
}

}  // namespace

int main() {
  std::printf("millions of acceptance intervals a second, f32, WGSL\n%-8s %10s %10s %10s %10s\n", "", "points",
              "intervals", "suite", "suite, iv");
  using enum ir::Op;
  for (const ir::Op op : {add, mul, div, fma, sqrt, exp, log, sin, cos, tan, pow, atan, tanh}) {
    std::printf("%-8s", std::string(ir::traits(op).spelling).c_str());
    for (const bool ends : {false, true}) {
      const auto profile = interp::testing::wgsl_profile(ends);
      auto semantics = interp::make_semantics("accept", {{profile->name, profile}}, {});
      for (const bool wide : {false, true}) std::printf(" %10.2f", a_second(**semantics, op, wide) / 1e6);
    }
    std::printf("\n");
  }
}
