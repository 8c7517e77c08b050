// Running a host program: buffers, constants, kernels in order, results.
#include <chrono>
#include <cstring>

#include "codegen/literal.h"
#include "codegen/stored.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/dimension_unbound.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/not_compilable.h"
#include "diagnostics/codes/undefined_result.h"
#include "ir/op.h"
#include "ir/words.h"
#include "numerics/nan_words.h"

namespace reckon::codegen {

std::optional<std::vector<std::int64_t>> extent_values(const ir::Module& module,
                                                       const std::vector<ir::IndexId>& extents,
                                                       const std::map<ir::SymbolId, std::int64_t>& dimensions) {
  ir::IndexEnvironment environment;
  environment.dimensions = dimensions;
  std::vector<std::int64_t> values;
  for (ir::IndexId extent : extents) {
    const auto value = module.indices().evaluate(extent, environment);
    if (!value || *value < 0) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::int64_t allocation_count(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (std::int64_t extent : shape) count *= extent > 0 ? extent : 1;
  return count;
}

std::int64_t element_bytes(const Buffer& buffer) {
  if (buffer.endpoints == Endpoints::none || buffer.scalar == ir::Scalar::boolean) return ir::byte_width(buffer.scalar);
  return buffer.endpoints == Endpoints::f32 ? 8 : 16;
}

ir::HostTensor tensor_of(const Buffer& buffer, const std::vector<std::int64_t>& shape) {
  if (buffer.endpoints == Endpoints::none || buffer.scalar == ir::Scalar::boolean)
    return ir::HostTensor(buffer.scalar, shape);
  std::vector<std::int64_t> with_ends = shape;
  with_ends.push_back(2);
  return ir::HostTensor(buffer.endpoints == Endpoints::f32 ? ir::Scalar::f32 : ir::Scalar::f64, std::move(with_ends));
}

std::optional<Diagnostic> refused_input(const ir::Module& module, const ir::Function& function, const Buffer& buffer,
                                        CompiledSemantics semantics, const ir::HostTensor& tensor) {
  if (!has_endpoints(semantics) || buffer.endpoints != Endpoints::none || !ir::is_float(tensor.scalar))
    return std::nullopt;
  const ir::Format format = ir::format_of(tensor.scalar);
  const std::int64_t count = tensor.size();
  const bool has_nan = ir::by_words(tensor, [&](const auto& words) {
    const numerics::NanWords<decltype(words[0])> nans(format);
    std::int64_t i = 0;
    while (i < count && !nans.contain(words[i])) ++i;
    return i < count;
  });
  if (!has_nan) return std::nullopt;
  if (buffer.role != Buffer::Role::parameter) {
    return Diagnostic(code::undefined_result, module.span(buffer.source, function.places), nan_has_no_interval);
  }
  const ir::Parameter& parameter = function.parameters[buffer.position];
  return Diagnostic(code::undefined_result, parameter.span,
                    "argument `" + std::string(module.name(parameter.name)) + "`: " + nan_has_no_interval);
}

bool is_one_empty(const std::vector<ir::HostTensor>& results, CompiledSemantics semantics) {
  if (!has_endpoints(semantics) || results.size() != 1) return false;
  const ir::HostTensor& endpoints = results.front();
  return ir::is_float(endpoints.scalar) && endpoints.shape.size() == 1 &&
         numerics::is_nan(endpoints.bits(0), ir::format_of(endpoints.scalar));
}

std::optional<Diagnostic> first_fault(const std::vector<Diagnostic>& faults, const ir::HostTensor& words) {
  for (std::size_t k = 0; k < faults.size(); ++k) {
    if ((words.bits(static_cast<std::int64_t>(k / 64)) >> (k % 64) & 1) != 0) return faults[k];
  }
  return std::nullopt;
}

void canonicalise_nans(ir::HostTensor& tensor) {
  if (!ir::is_float(tensor.scalar)) return;
  const ir::Format format = ir::format_of(tensor.scalar);
  const std::int64_t count = tensor.size();
  ir::by_words(tensor, [&](const auto& words) {
    const numerics::NanWords<decltype(words[0])> nans(format);
    for (std::int64_t i = 0; i < count; ++i) words.set(i, nans.canonical(words[i]));
  });
}

Expected<ir::HostTensor> constant_contents(ir::Module& module, const ir::Function& function, const Buffer& buffer,
                                           const std::map<ir::SymbolId, std::int64_t>& dimensions,
                                           const Generate& generate) {
  const SourceSpan place = module.span(buffer.source, function.places);
  const auto shape = extent_values(module, buffer.extents, dimensions);
  if (!shape) return Diagnostic(code::dimension_value, place, "an extent of this tensor has no usable value");
  const ir::Node node = module[buffer.source];
  if (node.op == ir::Op::array) {
    ir::HostTensor tensor = tensor_of(buffer, *shape);
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      if (buffer.endpoints == Endpoints::ring && ir::is_float(buffer.scalar)) {
        const ir::Literal& literal = module.literal_of(node.operands[k]);
        const auto value = literal_in_ring(literal, buffer.scalar);
        if (!value) return no_element(literal, buffer.scalar, module.span(node.operands[k], function.places));
        std::memcpy(tensor.bytes.data() + k * sizeof *value, &*value, sizeof *value);
        continue;
      }
      if (buffer.endpoints != Endpoints::none && ir::is_float(buffer.scalar)) {
        const ir::Format format = ir::format_of(tensor.scalar);
        const auto endpoints = literal_endpoints(module.literal_of(node.operands[k]), buffer.scalar, format);
        if (!endpoints)
          return Diagnostic(code::undefined_result, module.span(node.operands[k], function.places),
                            nan_has_no_interval);
        tensor.set_bits(2 * static_cast<std::int64_t>(k), numerics::round_f64(endpoints->low, format));
        tensor.set_bits(2 * static_cast<std::int64_t>(k) + 1, numerics::round_f64(endpoints->high, format));
        continue;
      }
      const auto bits = literal_bits(module.literal_of(node.operands[k]), buffer.scalar);
      if (!bits) return Diagnostic(code::not_compilable, place, "a `number` cannot be stored");
      tensor.set_bits(static_cast<std::int64_t>(k), *bits);
    }
    return tensor;
  }
  const ir::Source source = module.source_of(buffer.source);
  if (source.data) return in_ring(module, function, buffer, *source.data);
  if (!generate) return Diagnostic(code::internal, place, "nothing was given that generates sequences");
  std::int64_t seed = 0;
  if (source.seed.valid()) {
    ir::IndexEnvironment environment;
    environment.dimensions = dimensions;
    const auto value = module.indices().evaluate(source.seed, environment);
    if (!value) return Diagnostic(code::dimension_value, place, "the seed has no usable value");
    seed = *value;
  }
  return in_ring(module, function, buffer, generate(source.kind, buffer.scalar, *shape, seed));
}

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

Expected<std::vector<ir::HostTensor>> run_host(ir::Module& module, const ir::Function& function,
                                               const Compiled& compiled, const std::vector<ir::HostTensor>& arguments,
                                               const std::map<ir::SymbolId, std::int64_t>& dimensions,
                                               const Generate& generate, Timing* timing) {
  const Plan& plan = compiled.plan;
  std::vector<ir::HostTensor> owned(plan.buffers.size());
  std::vector<std::optional<layout::AnyLayout>> layouts(plan.buffers.size());
  std::vector<std::vector<std::uint8_t>> places(plan.buffers.size());  // of results that a layout stores
  std::vector<std::vector<std::uint8_t>> padding;  // stands in for empty tensors, whose data may be no address
  std::vector<void*> pointers(plan.buffers.size(), nullptr);
  auto address = [&](const Buffer& buffer, const std::vector<std::int64_t>& shape, const std::uint8_t* bytes,
                     std::size_t size) {
    const auto needed = static_cast<std::size_t>(allocation_count(shape) * element_bytes(buffer));
    if (size >= needed) return const_cast<std::uint8_t*>(bytes);
    padding.emplace_back(needed);
    return padding.back().data();
  };
  std::size_t results = 0;
  for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
    const Buffer& buffer = plan.buffers[k];
    const auto shape = extent_values(module, buffer.extents, dimensions);
    if (!shape) {
      return Diagnostic(code::dimension_value, function.span, "an extent of this function has no usable value");
    }
    auto layout = stored_layout(module, buffer, dimensions);
    if (!layout) return layout.error();
    layouts[k] = std::move(*layout);
    if (buffer.role == Buffer::Role::parameter) {
      if (buffer.position >= arguments.size()) {
        return Diagnostic(code::bad_argument, function.span, "an argument is missing");
      }
      const bool embeds = must_be_embedded(buffer, arguments[buffer.position]);
      if (embeds) {
        auto elements = in_ring(module, function, buffer, arguments[buffer.position]);
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
      if (auto problem = refused_input(module, function, buffer, compiled.semantics, argument)) return *problem;
      if (layouts[k]) {
        owned[k].bytes = stored(argument, *layouts[k], element_bytes(buffer));
        pointers[k] = owned[k].bytes.data();
        continue;
      }
      pointers[k] = address(buffer, *shape, argument.bytes.data(), argument.bytes.size());
      continue;
    }
    if (buffer.role == Buffer::Role::constant) {
      auto contents = constant_contents(module, function, buffer, dimensions, generate);
      if (!contents) return contents.error();
      if (auto problem = refused_input(module, function, buffer, compiled.semantics, *contents)) return *problem;
      owned[k] = std::move(*contents);
    } else {
      owned[k] = tensor_of(buffer, *shape);
      if (buffer.role == Buffer::Role::result) ++results;
    }
    if (layouts[k]) {
      places[k].resize(static_cast<std::size_t>(stored_count(*layouts[k]) * element_bytes(buffer)));
      pointers[k] = places[k].data();
      continue;
    }
    pointers[k] = address(buffer, *shape, owned[k].bytes.data(), owned[k].bytes.size());
  }
  std::vector<std::int64_t> sizes;
  for (ir::SymbolId dimension : plan.dimensions) {
    auto found = dimensions.find(dimension);
    if (found == dimensions.end()) {
      return Diagnostic(code::dimension_unbound, function.span,
                        "dimension `" + std::string(module.name(dimension)) + "` has no value");
    }
    sizes.push_back(found->second);
  }
  struct Task {
    HostKernel code = nullptr;
    std::int64_t count = 1;
  };
  std::vector<Task> tasks;
  for (const Kernel& kernel : plan.kernels) {
    const HostKernel code = host_kernel(compiled, kernel.name);
    if (!code) return Diagnostic(code::internal, function.span, "kernel `" + kernel.name + "` is missing");
    const auto items = extent_values(module, kernel.items, dimensions);
    if (!items) return Diagnostic(code::dimension_value, function.span, "an index space has no usable size");
    Task& task = tasks.emplace_back(Task{code});
    for (std::int64_t extent : *items) task.count *= extent;
  }
  const auto run = [&] {
    for (const Task& task : tasks) {
      if (task.count > 0) task.code(pointers.data(), sizes.data(), 0, task.count);
    }
  };
  run();
  if (timing != nullptr) timing->measure(run);
  std::vector<ir::HostTensor> out(results);
  for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
    if (plan.buffers[k].role != Buffer::Role::result) continue;
    if (layouts[k]) gather(places[k], *layouts[k], element_bytes(plan.buffers[k]), owned[k]);
    // fpsan's carriers are not numbers: one that looks like a NaN means something.
    if (compiled.semantics == CompiledSemantics::float_) canonicalise_nans(owned[k]);
    out[plan.buffers[k].position] = std::move(owned[k]);
  }
  // Of intervals, an element without a value is empty, and no error.
  if (!has_endpoints(compiled.semantics) || is_one_empty(out, compiled.semantics)) {
    for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
      if (plan.buffers[k].role != Buffer::Role::faults) continue;
      if (auto fault = first_fault(plan.faults, owned[k])) return *fault;
    }
  }
  return out;
}

}  // namespace reckon::codegen
