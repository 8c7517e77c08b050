// How long kernels and copies are measured on a GPU.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/cuda/timing.h"

namespace reckon {

/// Of no values: 0.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Puts so many runs into one graph that a replay takes some milliseconds, and asks for replays until the time is used.
inline runtime::TimingOptions gpu_timing(double microseconds_a_run, double wanted_seconds) {
  runtime::TimingOptions options;
  options.runs = static_cast<int>(std::clamp(5000 / std::max(microseconds_a_run, 0.1), 1.0, 1000.0));
  const double replay = std::max(microseconds_a_run, 0.1) * options.runs / 1e6;
  options.replays = static_cast<int>(std::clamp(wanted_seconds / replay, 5.0, 200.0));
  return options;
}

/// Times kernels or copies, in seconds: it first measures roughly how long they take, and then measures for the wanted
/// time. `measure` takes TimingOptions and gives microseconds.
template <class Measure>
Expected<std::vector<double>> seconds_on_gpu(Measure&& measure, double wanted_seconds) {
  auto first = measure(runtime::TimingOptions{.runs = 1, .replays = 2});
  if (!first) return first.error();
  auto times = measure(gpu_timing(median(*first), wanted_seconds));
  if (!times) return times.error();
  for (double& time : *times) time *= 1e-6;
  return times;
}

}  // namespace reckon
