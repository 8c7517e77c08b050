// Timing a circuit, and what the machine allows.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "api/gpu_timing.h"
#include "api/implementation.h"
#include "codegen/sizes.h"
#include "ir/op.h"
#include "ir/operation_count.h"
#include "kernel/gpu.h"
#include "runtime/host/run.h"

namespace reckon {

namespace cuda = runtime::cuda;

namespace {

/// Copies shorter than this would measure a cache.
constexpr std::int64_t min_copied_bytes = std::int64_t{1} << 26, max_copied_bytes = std::int64_t{1} << 30;

std::int64_t bytes_of(const codegen::Buffer& buffer, const std::vector<std::int64_t>& shape) {
  std::int64_t count = codegen::element_bytes(buffer);
  for (std::int64_t extent : shape) count *= extent;
  return count;
}

/// The operations that a multiprocessor does per cycle, an fma counted as two; 0: not known.
double operations_per_cycle(const cuda::DeviceInfo& device, ir::Scalar scalar) {
  const kernel::FmaRates rates = kernel::fma_rates(device.capability_major, device.capability_minor);
  return 2 * (scalar == ir::Scalar::f64 ? rates.f64 : scalar == ir::Scalar::f32 ? rates.f32 : 0);
}

/// Makes random numbers that repeat after some millions: to make more of them would take longer than the measurement.
ir::HostTensor random_tensor(ir::Scalar scalar, std::vector<std::int64_t> shape, std::int64_t seed) {
  std::int64_t bytes = ir::byte_width(scalar);
  for (std::int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) throw std::bad_alloc();
  }
  constexpr std::int64_t period = 4'194'301;  // a prime, so that no row equals the row before it
  ir::HostTensor tensor(scalar, std::move(shape));
  const ir::HostTensor numbers =
      interp::generate(ir::Source::Kind::uniform, scalar, {std::min(tensor.size(), period)}, seed);
  for (std::size_t at = 0; at < tensor.bytes.size(); at += numbers.bytes.size()) {  // no numbers: an empty tensor
    std::memcpy(tensor.bytes.data() + at, numbers.bytes.data(),
                std::min(numbers.bytes.size(), tensor.bytes.size() - at));
  }
  return tensor;
}

/// The rate of a copy on the host that reads half of the bytes and writes the other half, in bytes per second.
double host_copy_rate(std::int64_t bytes) {
  const auto half = static_cast<std::size_t>(std::clamp(bytes, min_copied_bytes, max_copied_bytes) / 2);
  const std::vector<std::uint8_t> from(half, 1);
  std::vector<std::uint8_t> to(half);
  runtime::Timing timing{.wanted_seconds = 0.1};
  timing.measure([&] {
    std::memcpy(to.data(), from.data(), half);
    asm volatile("" : : "g"(to.data()) : "memory");
  });
  return 2 * static_cast<double>(half) / median(timing.seconds);
}

cuda::Failure measure_on_gpu(const runtime::GpuOptions& options, ir::Module& module, const ir::Function& function, const codegen::Compiled& code,
                             const std::vector<ir::HostTensor>& arguments, double wanted_seconds, Benchmark& out) {
  auto context = runtime::open_gpu(options);
  if (!context) return context.error();
  const cuda::DeviceInfo& device = (*context)->device();
  {
    auto program = runtime::GpuProgram::prepare(*context, module, function, code, {}, interp::generate);
    if (!program) return program.error();
    if (auto failure = program->upload(module, arguments)) return failure;
    auto times = seconds_on_gpu([&](auto timing) { return runtime::time_on_gpu(*program, timing); }, wanted_seconds);
    if (!times) return times.error();
    out.seconds = std::move(*times);
    // A fault of a kernel is reported when the results are read.
    if (auto results = program->results(); !results) return results.error();
  }
  const std::int64_t copied = std::clamp(out.bytes, min_copied_bytes, max_copied_bytes);
  const auto half = static_cast<std::uint64_t>(copied / 2 / runtime::copy_step * runtime::copy_step);
  auto copies = seconds_on_gpu([&](auto timing) { return runtime::time_copy(*context, half, timing); }, 0.1);
  if (!copies) return copies.error();
  out.copy_rate = 2 * static_cast<double>(half) / median(*copies);
  out.machine = device.name;
  // The memory makes two transfers per clock cycle, and a byte has eight bits.
  out.memory_rate = 2e3 * device.memory_clock_kilohertz * device.memory_bus_bits / 8;
  out.arithmetic_rate = 1e3 * device.clock_kilohertz * device.multiprocessors *
                        operations_per_cycle(device, module.type(function.body).scalar);
  return std::nullopt;
}

}  // namespace

Expected<std::vector<std::int64_t>> Session::Implementation::shape_of(const Chosen& chosen,
                                                                      const ir::Parameter& parameter) {
  const ir::Module& module = session.module();
  const auto shape = codegen::extent_values(module, module.types()[parameter.type].extents, chosen.dimensions);
  if (shape) return *shape;
  const std::string name(module.name(parameter.name));
  std::string missing;
  for (ir::SymbolId dimension : chosen.function.dimensions) {
    if (!chosen.dimensions.contains(dimension)) missing = module.name(dimension);
  }
  return bad_argument(fmt::format("the size of `{}` is not known", name))
      .help(missing.empty() ? fmt::format("give the parameter: `--arg {}=...`", name)
                            : fmt::format("give its dimensions: `-D {}=1024`", missing));
}

Expected<driver::Shapes> benchmark_shapes(Session::Implementation& session,
                                          const Session::Implementation::Chosen& chosen, const BenchOptions& bench) {
  driver::Shapes out;
  for (const ir::Parameter& parameter : chosen.function.parameters) {
    const auto given = bench.arguments.find(std::string(session.session.module().name(parameter.name)));
    auto shape = given == bench.arguments.end() ? session.shape_of(chosen, parameter)
                                                : Expected<std::vector<std::int64_t>>(given->second.shape);
    if (!shape) return shape.error();
    out.push_back(std::move(*shape));
  }
  return out;
}

Expected<std::vector<ir::HostTensor>> Session::Implementation::benchmark_arguments(const Chosen& chosen,
                                                                                   const BenchOptions& bench) {
  ir::Module& module = session.module();
  std::vector<ir::HostTensor> arguments;
  for (std::size_t k = 0; k < chosen.function.parameters.size(); ++k) {
    const ir::Parameter& parameter = chosen.function.parameters[k];
    const ir::Type type = module.types()[parameter.type];
    const std::string name(module.name(parameter.name));
    if (const auto given = bench.arguments.find(name); given != bench.arguments.end()) {
      auto tensor = host_tensor(given->second);
      if (!tensor) return tensor.error();
      arguments.push_back(std::move(*tensor));
      continue;
    }
    const auto shape = shape_of(chosen, parameter);
    if (!shape) return shape.error();
    arguments.push_back(random_tensor(type.scalar, *shape, static_cast<std::int64_t>(bench.seed + k)));
  }
  return arguments;
}

Result<Benchmark> Session::bench(const std::string& circuit, const BenchOptions& options) {
  SourceSpan place;
  auto work = [&]() -> Expected<Benchmark> {
    Implementation& self = *implementation_;
    ir::Module& module = self.session.module();
    auto chosen = self.choose(circuit, options.call.values, options.call.formats);
    if (!chosen) return chosen.error();
    place = chosen->function.span;
    if (options.call.on == On::mpi || options.call.on == On::gpus)
      return bad_argument("a circuit is timed on one machine: on the host or a GPU");
    auto semantics = self.semantics(options.call.semantics, {});
    if (!semantics) return semantics.error();
    auto arguments = self.benchmark_arguments(*chosen, options);
    if (!arguments) return arguments.error();
    driver::Shapes shapes;
    for (const ir::HostTensor& argument : *arguments) shapes.push_back(argument.shape);
    const auto sized = driver::at_shapes(module, chosen->function, shapes, chosen->dimensions);
    if (!sized) return sized.error();

    Benchmark out;
    if (const auto counts = ir::operation_counts(module, *sized)) {
      for (const auto& [op, count] : *counts) out.operations.emplace_back(ir::traits(op).spelling, count);
      out.arithmetic = ir::arithmetic_operations(*counts);
    }
    if (options.call.on == On::interpreter) {
      for (const ir::HostTensor& argument : *arguments) out.bytes += static_cast<std::int64_t>(argument.bytes.size());
      const std::vector<interp::Argument> inputs(arguments->begin(), arguments->end());
      std::optional<Diagnostic> problem;
      runtime::Timing timing{.wanted_seconds = options.seconds};
      timing.measure([&] {
        if (problem) return;
        auto values = self.evaluated(chosen->function, **semantics, inputs, chosen->dimensions);
        if (!values) problem = values.error();
      });
      if (problem) return *problem;
      out.machine = "interpreter";
      out.seconds = std::move(timing.seconds);
      std::sort(out.seconds.begin(), out.seconds.end());
      return out;
    }
    auto made = self.compiled(chosen->function, shapes, chosen->dimensions, **semantics, options.call);
    if (!made) return made.error();
    for (const codegen::Buffer& buffer : made->code.plan.buffers) {
      using Role = codegen::Buffer::Role;
      if (buffer.role != Role::parameter && buffer.role != Role::result) continue;
      if (const auto shape = codegen::extent_values(module, buffer.extents, {})) out.bytes += bytes_of(buffer, *shape);
    }
    if (options.call.on == On::gpu) {
      auto failure = measure_on_gpu(self.gpu(), module, made->function, made->code, *arguments, options.seconds, out);
      if (failure) return *failure;
    } else {
      runtime::Timing timing{.wanted_seconds = options.seconds};
      auto results = runtime::run_host(module, made->function, made->code, *arguments, {}, interp::generate, &timing);
      if (!results) return results.error();
      out.machine = timing.threads == 1 ? "host, one thread" : fmt::format("host, {} threads", timing.threads);
      out.seconds = std::move(timing.seconds);
      out.copy_rate = host_copy_rate(out.bytes);
    }
    std::sort(out.seconds.begin(), out.seconds.end());
    return out;
  };
  Result<Benchmark> out = Benchmark{};
  implementation_->interrupted = false;
  with_large_stack([&] {
    auto measured = within_memory(place, work);
    out = measured ? Result<Benchmark>(std::move(*measured)) : implementation_->messages(measured.error());
  });
  return out;
}

}  // namespace reckon
