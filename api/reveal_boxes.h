// What boxes of one sum and of many sums share (docs/reveal.md): formats, compiled circuits, public results.
#pragma once

#include <chrono>
#include <functional>

#include "api/implementation.h"
#include "reveal/reveal.h"

namespace reckon {

Diagnostic unusable(std::string message);

/// The formats that the options name; E0621 where they are none.
Expected<reveal::Formats> named_formats(const RevealOptions& options);

std::chrono::milliseconds duration(double seconds);

/// A circuit of some shapes, compiled once, as a function of its arguments.
using Runner = std::function<Expected<std::vector<ir::HostTensor>>(const std::vector<ir::HostTensor>&)>;

/// `shapes`: of its parameters. The module outlives the runner.
Expected<Runner> circuit_runner(ir::Module& module, const ir::Function& function, const driver::Shapes& shapes,
                                const ir::Dimensions& given, const CallOptions& options,
                                const interp::EvaluateOptions& evaluate_options, const runtime::GpuOptions& gpu);

RevealedScaling public_scaling(const reveal::Outcome& found, std::int64_t n);

}  // namespace reckon
