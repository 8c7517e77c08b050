#include "runtime/cuda/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/sizes.h"
#include "diagnostics/codes/dimension_value.h"
#include "runtime/cuda/graph.h"

namespace reckon::runtime {
namespace {

/// The product of the extents; nothing if it does not fit in 63 bits.
std::optional<std::int64_t> product(const std::vector<std::int64_t>& extents) {
  std::int64_t result = 1;
  for (const std::int64_t extent : extents)
    if (__builtin_mul_overflow(result, extent, &result)) return std::nullopt;
  return result;
}

/// The bytes to allocate, by runtime::allocation_count; nothing if they do not fit in 63 bits.
std::optional<std::int64_t> allocation_bytes(const std::vector<std::int64_t>& shape, std::int64_t width) {
  std::int64_t bytes = width;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes)) return std::nullopt;
  return runtime::allocation_count(shape) * width;
}

}  // namespace

std::size_t stack_bytes(const cuda::DeviceInfo& device) {
  constexpr std::uint64_t least = 4 * 1024, most = 128 * 1024;
  const auto threads = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1)) *
                       static_cast<std::uint64_t>(std::max(device.threads_per_multiprocessor, 1));
  return std::clamp(device.memory_bytes / 8 / threads / 1024 * 1024, least, most);
}

Expected<std::shared_ptr<const cuda::Context>> open_gpu(const GpuOptions& options) {
  auto driver = cuda::Driver::open(options.driver);
  if (!driver) return driver.error();
  return cuda::Context::open(*driver, options.device);
}

Expected<GpuProgram> GpuProgram::prepare(std::shared_ptr<const cuda::Context> context, ir::Module& module,
                                         const ir::Function& function, const codegen::Compiled& compiled,
                                         const ir::Dimensions& dimensions, const runtime::Generate& generate,
                                         const ProgramOptions& options) {
  GpuProgram program;
  program.context_ = std::move(context);
  program.function_name_ = module.name(function.name);
  program.function_span_ = function.span;
  program.function_ = function;
  if (auto failure = program.context_->make_current()) return program.at_function(*failure);
  if (auto failure = program.add_stream(options)) return program.at_function(*failure);
  for (const ir::SymbolId symbol : compiled.plan.dimensions) {
    const auto found = dimensions.find(symbol);
    if (found == dimensions.end())
      return Diagnostic(code::dimension_value, function.span,
                        fmt::format("the dimension `{}` of `{}` has no value", module.name(symbol),
                                    program.function_name_));
    program.sizes_.push_back(found->second);
  }
  for (const codegen::Loop& loop : compiled.plan.loops) {
    const auto rounds = codegen::extent_values(module, {loop.rounds}, dimensions);
    if (!rounds)
      return Diagnostic(code::dimension_value, function.span,
                        fmt::format("a number of rounds of `{}` has no usable value", program.function_name_));
    program.rounds_.push_back(rounds->front());
    program.sizes_.push_back(0);
  }
  program.loops_ = compiled.plan.loops;
  program.steps_ = codegen::steps_of(compiled.plan);
  program.dimensions_ = dimensions;
  program.semantics_ = compiled.semantics;
  program.faults_ = compiled.plan.faults;
  auto loaded = cuda::load_module(program.context_, options.cubin.empty() ? compiled.assembly : options.cubin,
                                  &program.build_log_, compiled.plan.assembler_level());
  if (!loaded) return program.at_function(loaded.error());
  program.module_ = std::move(*loaded);
  if (auto failure = program.add_buffers(module, compiled.plan, dimensions)) return program.at_function(*failure);
  if (auto failure = program.add_kernels(module, compiled.plan, dimensions)) return program.at_function(*failure);
  if (auto failure = program.fill(module, generate)) return program.at_function(*failure);
  // The ABI: a pointer to every buffer, then every dimension, then the round of every loop, then the tensor maps.
  program.addresses_.resize(program.buffers_.size());
  for (cuda::DeviceAddress& address : program.addresses_) program.launch_parameters_.push_back(&address);
  for (std::int64_t& size : program.sizes_) program.launch_parameters_.push_back(&size);
  auto maps = cuda::TensorMaps::prepare(*program.context_, module, compiled.plan, dimensions);
  if (!maps) return program.at_function(maps.error());
  program.tensor_maps_ = std::move(*maps);
  program.tensor_maps_.add_to(program.launch_parameters_);
  return program;
}

cuda::Failure GpuProgram::add_stream(const ProgramOptions& options) {
  if (!options.stream) {
    auto made = cuda::create_stream(context_);
    if (!made) return made.error();
    own_stream_ = std::move(*made);
  }
  work_ = cuda::QueuedWork(context_, options.stream.value_or(own_stream_.get()));
  return std::nullopt;
}

cuda::Failure GpuProgram::add_buffers(const ir::Module& module, const codegen::Plan& plan,
                                      const ir::Dimensions& dimensions) {
  for (const codegen::Buffer& buffer : plan.buffers) {
    const auto shape = codegen::extent_values(module, buffer.extents, dimensions);
    if (!shape)
      return Diagnostic(code::dimension_value, function_span_,
                        fmt::format("an extent of `{}` has no usable value", function_name_));
    const std::int64_t width = codegen::element_bytes(buffer);
    const auto layout = runtime::stored_layout(module, buffer, dimensions);
    if (!layout) return layout.error();
    const std::vector<std::int64_t> allocation = *layout ? std::vector{runtime::stored_count(**layout)} : *shape;
    const auto allocated = allocation_bytes(allocation, width);
    if (!allocated)
      return Diagnostic(code::dimension_value, function_span_,
                        fmt::format("a tensor of shape ({}) in `{}` is too large", fmt::join(*shape, ", "),
                                    function_name_));
    DeviceBuffer place;
    place.buffer = buffer;
    place.shape = *shape;
    place.bytes = static_cast<std::uint64_t>(product(*shape).value_or(0)) * static_cast<std::uint64_t>(width);
    place.allocation = static_cast<std::uint64_t>(*allocated);
    place.layout = *layout;
    // Kernels may form the address of an element of an empty tensor.
    const bool empty = place.bytes == 0;
    place.filled = empty;
    if (empty || (buffer.role != Role::parameter && buffer.role != Role::result)) {
      if (auto failure = allocate(place)) return failure;
    }
    buffers_.push_back(std::move(place));
  }
  return std::nullopt;
}

cuda::Failure GpuProgram::add_kernels(const ir::Module& module, const codegen::Plan& plan,
                                      const ir::Dimensions& dimensions) {
  for (const codegen::Kernel& kernel : plan.kernels) {
    const auto extents = codegen::extent_values(module, kernel.items, dimensions);
    const auto items = extents ? product(*extents) : std::nullopt;
    if (!items)
      return Diagnostic(code::dimension_value, function_span_,
                        fmt::format("an index space of `{}` has no usable size", function_name_));
    auto function = cuda::find_kernel(module_, kernel.name);
    if (!function) return function.error();
    int max_threads = 0, local_bytes = 0;
    const auto describe = [&](int* value, int attribute) {
      return context_->driver().check(context_->call().function_get_attribute(value, attribute, *function),
                                      fmt::format("describe the kernel `{}`", kernel.name));
    };
    if (auto failure = describe(&max_threads, cuda::function_attribute::threads_per_block)) return failure;
    if (kernel.recursive) {
      // The stack of the kernel itself is known; how deep functions call themselves is not.
      if (auto failure = describe(&local_bytes, cuda::function_attribute::local_bytes)) return failure;
      const std::size_t own = static_cast<std::size_t>(std::max(local_bytes, 0));
      stack_bytes_ = std::max(stack_bytes_, own + stack_bytes(context_->device()));
      if (auto failure = context_->reserve_stack(stack_bytes_)) return failure;
    }
    const std::uint32_t shared_bytes = kernel.dynamic_shared_bytes();
    if (shared_bytes > 0) {
      if (auto failure = context_->driver().check(
              context_->call().function_set_attribute(*function, cuda::function_attribute::max_dynamic_shared_bytes,
                                                      static_cast<int>(shared_bytes)),
              fmt::format("give {} bytes of shared memory to the kernel `{}`", shared_bytes, kernel.name))) {
        return failure;
      }
    }
    const kernel::LaunchShape shape =
        codegen::launch_shape(kernel, *items, context_->device().multiprocessors, max_threads);
    kernels_.push_back({kernel.name, *function, shape, shared_bytes, kernel.overlaps});
  }
  const auto count = [&](std::uint32_t kernel) {
    launches_ += kernels_[kernel].shape.blocks > 0 ? 1 : 0;
    return launches_ <= most_launches_of_graph;
  };
  codegen::carry_out(steps_, rounds_, sizes_.data() + plan.dimensions.size(), count, [](std::uint32_t) {});
  return std::nullopt;
}

/// Fills the buffers that kernels need at the first launch: constants, and words that are 0.
cuda::Failure GpuProgram::fill(ir::Module& module, const runtime::Generate& generate) {
  bool copies = false;
  for (DeviceBuffer& place : buffers_) {
    if (place.buffer.role == Role::faults || place.buffer.role == Role::counters) {
      if (auto failure = cuda::clear(place.memory, place.bytes, stream())) return failure;
    }
    if (place.buffer.role != Role::constant) continue;
    auto constant = runtime::constant_contents(module, function_, place.buffer, *semantics_, dimensions_, generate);
    if (!constant) return constant.error();
    if (auto failure = copy_in(module, place, *constant)) return failure;
    copies = true;
  }
  if (!copies) return std::nullopt;
  if (auto failure = cuda::synchronize(*context_, stream())) return failure;
  for (DeviceBuffer& place : buffers_) place.staging = {};
  return std::nullopt;
}

cuda::Result GpuProgram::start(const DeviceKernel& kernel, cuda::StreamObject* stream, void** parameters) const {
  const cuda::Functions& call = context_->call();
  if (!kernel.overlaps || call.launch_with == nullptr) {
    return call.launch(kernel.function, kernel.shape.blocks, 1, 1, kernel.shape.threads, 1, 1, kernel.shared_bytes,
                       stream, parameters, nullptr);
  }
  const cuda::LaunchAttribute overlaps{cuda::launch_attribute::programmatic_stream_serialization, 0, 1};
  cuda::LaunchConfiguration configuration;
  configuration.grid[0] = kernel.shape.blocks;
  configuration.block[0] = kernel.shape.threads;
  configuration.shared_bytes = kernel.shared_bytes;
  configuration.stream = stream;
  configuration.attributes = &overlaps;
  configuration.attribute_count = 1;
  return call.launch_with(&configuration, kernel.function, parameters, nullptr);
}

/// Gives memory to every buffer; an error if a result shares memory with another buffer.
cuda::Failure GpuProgram::allocate_and_check_buffers() {
  for (DeviceBuffer& place : buffers_) {
    if (place.buffer.role == Role::parameter && !place.filled && place.bound == 0)
      return buffer_problem(fmt::format("{} was not given", name(place)))
          .help("upload it, or bind it to memory of the device");
    if (auto failure = allocate(place)) return failure;
  }
  for (const DeviceBuffer& result : buffers_) {
    if (result.buffer.role != Role::result) continue;
    for (const DeviceBuffer& other : buffers_) {
      if (&other == &result || other.address() >= result.address() + result.stored_bytes() ||
          result.address() >= other.address() + other.stored_bytes())
        continue;
      return buffer_problem(fmt::format("{} and {} share memory", name(result), name(other)))
          .help("kernels read arguments while they write results: bind them to different memory");
    }
  }
  return std::nullopt;
}

cuda::Failure GpuProgram::launch() {
  if (launched_ && launches_ > 1 && launches_ <= most_launches_of_graph) {
    if (graph_.get() == nullptr) {
      auto graph = cuda::capture(context_, [&](cuda::StreamObject* stream) { return enqueue(stream); });
      if (!graph) return at_function(graph.error());
      graph_ = std::move(*graph);
    }
    auto failure = cuda::launch(graph_, stream());
    return failure ? at_function(*failure) : cuda::Failure{};
  }
  if (!launched_) {
    if (auto failure = allocate_and_check_buffers()) return at_function(*failure);
  }
  if (auto failure = enqueue(stream())) return failure;
  launched_ = true;
  for (DeviceBuffer& place : buffers_) place.filled = place.filled || place.buffer.role == Role::result;
  return std::nullopt;
}

cuda::Failure GpuProgram::run(const void* const* arguments, void* const* results, cuda::StreamObject* stream) {
  for (const DeviceBuffer& place : buffers_) {
    const Role role = place.buffer.role;
    if (role != Role::parameter && role != Role::result) continue;
    const std::size_t position = place.buffer.position;
    const auto address = static_cast<cuda::DeviceAddress>(
        reinterpret_cast<std::uintptr_t>(role == Role::parameter ? arguments[position] : results[position]));
    // An empty tensor has no memory with its owner. What was at this address before was looked at then.
    if (place.bytes == 0 || (address != 0 && place.bound == address)) continue;
    if (auto failure = bind(role, position, address, true)) return failure;
  }
  if (!launched_) {
    if (auto failure = allocate_and_check_buffers()) return at_function(*failure);
  }
  if (auto failure = enqueue(stream)) return failure;
  launched_ = true;
  elsewhere_ = true;
  return std::nullopt;
}

/// Any of these streams may be gone by now, so this waits for the whole device.
cuda::Failure GpuProgram::wait_for_other_streams() {
  if (!std::exchange(elsewhere_, false)) return std::nullopt;
  return context_->driver().check(context_->call().context_synchronize(), "wait for the kernels");
}

GpuProgram::~GpuProgram() {
  if (context_ == nullptr || !elsewhere_ || context_->make_current()) return;
  static_cast<void>(wait_for_other_streams());
}

cuda::Failure GpuProgram::enqueue(cuda::StreamObject* stream) {
  // Each call of a prepared circuit comes through here, so it allocates nothing, and makes the text for a failure only if
  // there is one. The driver copies the parameters' values during the call.
  for (std::size_t k = 0; k < buffers_.size(); ++k) addresses_[k] = buffers_[k].address();
  cuda::Result result = cuda::result::success;
  std::uint32_t last = 0;
  const auto launch = [&](std::uint32_t kernel) {
    last = kernel;
    if (kernels_[kernel].shape.blocks == 0) return true;
    result = tensor_maps_.encode(context_->call(), addresses_);
    if (result == cuda::result::success) result = start(kernels_[kernel], stream, launch_parameters_.data());
    return result == cuda::result::success;
  };
  const auto exchange = [&](std::uint32_t loop) {
    for (const auto& [one, other] : loops_[loop].exchanged) std::swap(addresses_[one], addresses_[other]);
  };
  std::int64_t* round = sizes_.data() + (sizes_.size() - loops_.size());
  if (codegen::carry_out(steps_, rounds_, round, launch, exchange)) return std::nullopt;
  auto failure = context_->driver().check(result, fmt::format("start the kernel `{}`", kernels_[last].name));
  return failure ? at_function(*failure) : cuda::Failure{};
}

std::uint64_t GpuProgram::bytes() const {
  std::uint64_t total = 0;
  for (const DeviceBuffer& place : buffers_) total += place.bytes;
  return total;
}

/// The driver knows no places in the source, so the diagnostic gets the function's place.
Diagnostic GpuProgram::at_function(Diagnostic diagnostic) const {
  if (!diagnostic.primary.span.known())
    diagnostic.primary = {function_span_, fmt::format("while running `{}`", function_name_)};
  return diagnostic;
}

Expected<std::vector<ir::HostTensor>> run_on_gpu(ir::Module& module, const ir::Function& function,
                                                 const codegen::Compiled& compiled,
                                                 const std::vector<ir::HostTensor>& arguments,
                                                 const ir::Dimensions& dimensions, const runtime::Generate& generate,
                                                 const GpuOptions& options) {
  auto context = open_gpu(options);
  if (!context) return context.error();
  auto program = GpuProgram::prepare(*context, module, function, compiled, dimensions, generate);
  if (!program) return program.error();
  if (auto failure = program->upload(module, arguments)) return *failure;
  if (auto failure = program->launch()) return *failure;
  return program->results();
}

}  // namespace reckon::runtime
