// Timing for the benchmark programs: medians of several runs after one that is not counted.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace reckon::bench {

/// Makes the compiler believe that someone reads what `pointer` points to.
inline void keep(const void* pointer) { asm volatile("" : : "g"(pointer) : "memory"); }

template <class Work>
double median_seconds(int runs, Work&& work) {
  work();
  std::vector<double> times;
  for (int k = 0; k < runs; ++k) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace reckon::bench
