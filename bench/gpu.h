// Circuits on a GPU.
#pragma once

#include <string>

#include "bench/kernel.h"
#include "driver/prepare.h"
#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "runtime/cuda/timing.h"

namespace reckon::bench {

inline std::shared_ptr<const runtime::cuda::Context> gpu() {
  static const auto context = must(runtime::cuda::Context::open(must(runtime::cuda::Driver::open())));
  return context;
}

/// A function, compiled and loaded for certain sizes.
inline runtime::GpuProgram on_gpu(ir::Module& module, const ir::Function& function, const ir::Dimensions& dimensions) {
  codegen::CompileOptions options;
  options.target = codegen::Target::ptx;
  options.semantics = &codegen::float_code();
  options.arch = gpu()->device().arch();
  const codegen::Compiled compiled = must(codegen::compile(module, function, options));
  return must(runtime::GpuProgram::prepare(gpu(), module, function, compiled, dimensions, interp::generate));
}

inline void check(const runtime::cuda::Failure& failure) {
  if (!failure) return;
  std::fprintf(stderr, "%s\n", failure->message.c_str());
  std::exit(1);
}

/// Median microseconds of a run; the buffers hold whatever was uploaded.
inline double microseconds(runtime::GpuProgram& program, int runs = 5) {
  runtime::TimingOptions options;
  options.runs = runs;
  options.replays = 15;
  std::vector<double> times = must(runtime::time_on_gpu(program, options));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace reckon::bench
