#include "runtime/host/run.h"

#include <chrono>

#include "codegen/sizes.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/dimension_unbound.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/internal.h"
#include "runtime/stored.h"

namespace reckon::runtime {

void Timing::measure(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto since = [](Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); };
  while (seconds.size() < min_runs || since(start) < wanted_seconds) {
    const Clock::time_point before = Clock::now();
    run();
    seconds.push_back(since(before));
  }
}

namespace {

struct Task {
  codegen::HostKernel code = nullptr;
  std::int64_t count = 1;
};

Expected<std::vector<Task>> tasks_of(const ir::Module& module, const ir::Function& function,
                                     const codegen::Compiled& compiled,
                                     const std::map<ir::SymbolId, std::int64_t>& dimensions) {
  std::vector<Task> tasks;
  for (const codegen::Kernel& kernel : compiled.plan.kernels) {
    const codegen::HostKernel code = codegen::host_kernel(compiled, kernel.name);
    if (!code) return Diagnostic(code::internal, function.span, "kernel `" + kernel.name + "` is missing");
    const auto items = codegen::extent_values(module, kernel.items, dimensions);
    if (!items) return Diagnostic(code::dimension_value, function.span, "an index space has no usable size");
    Task& task = tasks.emplace_back(Task{code});
    for (std::int64_t extent : *items) task.count *= extent;
  }
  return tasks;
}

Expected<std::vector<std::int64_t>> sizes_of(const ir::Module& module, const ir::Function& function,
                                            const codegen::Plan& plan,
                                            const std::map<ir::SymbolId, std::int64_t>& dimensions) {
  std::vector<std::int64_t> sizes;
  for (ir::SymbolId dimension : plan.dimensions) {
    const auto found = dimensions.find(dimension);
    if (found == dimensions.end()) {
      return Diagnostic(code::dimension_unbound, function.span,
                        "dimension `" + std::string(module.name(dimension)) + "` has no value");
    }
    sizes.push_back(found->second);
  }
  return sizes;
}

}  // namespace

Expected<std::vector<ir::HostTensor>> run_host(ir::Module& module, const ir::Function& function,
                                               const codegen::Compiled& compiled,
                                               const std::vector<ir::HostTensor>& arguments,
                                               const std::map<ir::SymbolId, std::int64_t>& dimensions,
                                               const Generate& generate, Timing* timing) {
  const codegen::Plan& plan = compiled.plan;
  std::vector<ir::HostTensor> owned(plan.buffers.size());
  std::vector<std::optional<layout::AnyLayout>> layouts(plan.buffers.size());
  std::vector<std::vector<std::uint8_t>> places(plan.buffers.size());  // of results that a layout stores
  std::vector<std::vector<std::uint8_t>> padding;  // stands in for empty tensors, whose data may be no address
  std::vector<void*> pointers(plan.buffers.size(), nullptr);
  auto address = [&](const codegen::Buffer& buffer, const std::vector<std::int64_t>& shape, const std::uint8_t* bytes,
                     std::size_t size) {
    const auto needed = static_cast<std::size_t>(allocation_count(shape) * codegen::element_bytes(buffer));
    if (size >= needed) return const_cast<std::uint8_t*>(bytes);
    padding.emplace_back(needed);
    return padding.back().data();
  };
  std::size_t results = 0;
  for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
    const codegen::Buffer& buffer = plan.buffers[k];
    const auto shape = codegen::extent_values(module, buffer.extents, dimensions);
    if (!shape) {
      return Diagnostic(code::dimension_value, function.span, "an extent of this function has no usable value");
    }
    auto layout = stored_layout(module, buffer, dimensions);
    if (!layout) return layout.error();
    layouts[k] = std::move(*layout);
    if (buffer.role == codegen::Buffer::Role::parameter) {
      if (buffer.position >= arguments.size()) {
        return Diagnostic(code::bad_argument, function.span, "an argument is missing");
      }
      const bool embeds = needs_words(buffer, arguments[buffer.position]);
      if (embeds) {
        auto elements = in_words(module, function, buffer, *compiled.semantics, arguments[buffer.position]);
        if (!elements) return elements.error();
        owned[k] = std::move(*elements);
      }
      const ir::HostTensor& argument = embeds ? owned[k] : arguments[buffer.position];
      const ir::HostTensor like = tensor_of(buffer, {});
      std::vector<std::int64_t> wanted = *shape;
      wanted.insert(wanted.end(), like.shape.begin(), like.shape.end());
      if (argument.shape != wanted || argument.scalar != like.scalar) {
        return Diagnostic(code::bad_argument, function.parameters[buffer.position].span,
                          "an argument has another type or shape than its parameter");
      }
      if (auto problem = refused_input(module, function, buffer, *compiled.semantics, argument)) return *problem;
      if (layouts[k]) {
        owned[k].bytes = stored(argument, *layouts[k], codegen::element_bytes(buffer));
        pointers[k] = owned[k].bytes.data();
        continue;
      }
      pointers[k] = address(buffer, *shape, argument.bytes.data(), argument.bytes.size());
      continue;
    }
    if (buffer.role == codegen::Buffer::Role::constant) {
      auto contents = constant_contents(module, function, buffer, *compiled.semantics, dimensions, generate);
      if (!contents) return contents.error();
      if (auto problem = refused_input(module, function, buffer, *compiled.semantics, *contents)) return *problem;
      owned[k] = std::move(*contents);
    } else {
      owned[k] = tensor_of(buffer, *shape);
      if (buffer.role == codegen::Buffer::Role::result) ++results;
    }
    if (layouts[k]) {
      places[k].resize(static_cast<std::size_t>(stored_count(*layouts[k]) * codegen::element_bytes(buffer)));
      pointers[k] = places[k].data();
      continue;
    }
    pointers[k] = address(buffer, *shape, owned[k].bytes.data(), owned[k].bytes.size());
  }
  const auto sizes = sizes_of(module, function, plan, dimensions);
  if (!sizes) return sizes.error();
  const auto tasks = tasks_of(module, function, compiled, dimensions);
  if (!tasks) return tasks.error();
  const auto run = [&] {
    for (const Task& task : *tasks) {
      if (task.count > 0) task.code(pointers.data(), sizes->data(), 0, task.count);
    }
  };
  run();
  if (timing != nullptr) timing->measure(run);
  std::vector<ir::HostTensor> out(results);
  for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
    if (plan.buffers[k].role != codegen::Buffer::Role::result) continue;
    if (layouts[k]) gather(places[k], *layouts[k], codegen::element_bytes(plan.buffers[k]), owned[k]);
    canonicalise_nans(*compiled.semantics, owned[k]);
    out[plan.buffers[k].position] = std::move(owned[k]);
  }
  if (is_error(*compiled.semantics, out)) {
    for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
      if (plan.buffers[k].role != codegen::Buffer::Role::faults) continue;
      if (auto fault = first_fault(plan.faults, owned[k])) return *fault;
    }
  }
  return out;
}

}  // namespace reckon::runtime
