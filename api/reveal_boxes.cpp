#include "api/reveal_boxes.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/compile.h"
#include "diagnostics/codes/box_unusable.h"
#include "driver/prepare.h"
#include "runtime/cuda/launch.h"
#include "runtime/host/run.h"
#include "semantics/standard.h"

namespace reckon {

using reveal::Format;

Diagnostic unusable(std::string message) { return Diagnostic(code::box_unusable, {}, std::move(message)); }

Expected<reveal::Formats> named_formats(const RevealOptions& options) {
  const auto read = [](const std::string& name, Format otherwise) -> Expected<Format> {
    if (name.empty()) return otherwise;
    if (auto format = numerics::format_named(name); format && *format <= Format::bf16) return *format;
    return unusable(fmt::format("`{}` is not a format", name)).help("f64, f32, f16 and bf16 are");
  };
  auto input = read(options.format, Format::f32);
  if (!input) return input.error();
  auto result = read(options.result, *input);
  if (!result) return result.error();
  auto accumulator = read(options.accumulator, *result);
  if (!accumulator) return accumulator.error();
  return reveal::Formats{*input, *accumulator, *result};
}

std::chrono::milliseconds duration(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e6) * 1000));
}

Expected<Runner> circuit_runner(ir::Module& module, const ir::Function& function, const driver::Shapes& shapes,
                                const ir::Dimensions& given, const CallOptions& options,
                                const interp::EvaluateOptions& evaluate_options, const runtime::GpuOptions& gpu) {
  const std::shared_ptr<interp::Semantics> semantics = interp::floats();
  if (options.on == On::interpreter) {
    return Runner([&module, function, given, semantics, evaluate_options](
                      const std::vector<ir::HostTensor>& arguments) -> Expected<std::vector<ir::HostTensor>> {
      const std::vector<interp::Argument> inputs(arguments.begin(), arguments.end());
      auto values = interp::evaluate(module, function, *semantics, inputs, given, evaluate_options);
      if (!values) return values.error();
      return std::vector<ir::HostTensor>{values->front().host(*semantics)};
    });
  }
  const auto sizes = ir::bind_dimensions(module, function, shapes, given);
  if (!sizes) return sizes.error();
  auto passed = driver::for_code(module, function, *sizes, semantics->traits());
  if (!passed) return passed.error();
  const auto concrete = std::make_shared<ir::Function>(std::move(*passed));
  codegen::CompileOptions compile_options;
  compile_options.semantics = semantics->traits().compiled;
  compile_options.target = options.on == On::host ? codegen::Target::host : codegen::Target::ptx;
  if (!options.arch.empty()) compile_options.arch = options.arch;
  auto made = codegen::compile(module, *concrete, compile_options);
  if (!made) return made.error();
  auto compiled = std::make_shared<codegen::Compiled>(std::move(*made));
  if (options.on == On::host) {
    return Runner([&module, concrete, compiled](const std::vector<ir::HostTensor>& arguments) {
      return runtime::run_host(module, *concrete, *compiled, arguments, {}, interp::generate);
    });
  }
  auto context = runtime::open_gpu(gpu);
  if (!context) return context.error();
  auto prepared = runtime::GpuProgram::prepare(*context, module, *concrete, *compiled, {}, interp::generate);
  if (!prepared) return prepared.error();
  auto program = std::make_shared<runtime::GpuProgram>(std::move(*prepared));
  return Runner(
      [&module, program](const std::vector<ir::HostTensor>& arguments) -> Expected<std::vector<ir::HostTensor>> {
        if (auto failure = program->upload(module, arguments)) return *failure;
        if (auto failure = program->launch()) return *failure;
        return program->results();
      });
}

RevealedScaling public_scaling(const reveal::Outcome& found, std::int64_t n) {
  const reveal::Scaling& scaling = found.scaling;
  if (!found.computed) return {};
  RevealedScaling out;
  out.text = scaling.text(n, found.computed->accumulator);
  if (out.text.empty()) return out;
  out.operation = scaling.operation().empty() ? "either" : scaling.operation();
  out.where = scaling.of_sum() ? "sum" : scaling.of_elements() ? "elements" : "either";
  out.by = scaling.factor;
  out.name = scaling.factor_name(n);
  out.format = numerics::traits(scaling.format).name;
  out.rounded_first = scaling.rounded_first;
  out.weights = scaling.weights;
  return out;
}

}  // namespace reckon
