#include "runtime/host/program.h"

#include <algorithm>
#include <cstring>

#include "codegen/sizes.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/dimension_unbound.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/internal.h"
#include "runtime/host/threads.h"

namespace reckon::runtime {

namespace {

/// Bytes of all buffers, below which one thread is done before others begin.
constexpr std::uint64_t min_bytes_of_threads = std::uint64_t{1} << 18;
/// Parts of the work for each thread, so that one that is interrupted does not keep the others waiting for long.
constexpr std::int64_t parts_of_thread = 4;

}  // namespace

Expected<HostProgram> HostProgram::prepare(ir::Module& module, const ir::Function& function,
                                           const codegen::Compiled& compiled, const ir::Dimensions& dimensions,
                                           const Generate& generate) {
  HostProgram out;
  out.function_ = function;
  out.compiled_ = compiled;
  if (auto problem = out.add_buffers(module, compiled.plan, dimensions, generate)) return *problem;
  if (auto problem = out.add_kernels(module, dimensions)) return *problem;
  std::uint64_t bytes = 0;
  for (const HostBuffer& place : out.buffers_) bytes += place.bytes;
  if (bytes >= min_bytes_of_threads) out.threads_ = host_threads();
  return out;
}

std::optional<Diagnostic> HostProgram::add_buffers(ir::Module& module, const codegen::Plan& plan,
                                                   const ir::Dimensions& dimensions, const Generate& generate) {
  const codegen::CompiledSemantics& semantics = *compiled_.semantics;
  buffers_.resize(plan.buffers.size());
  pointers_.resize(plan.buffers.size());
  const auto keep_position = [](std::vector<std::size_t>& places, std::uint32_t position, std::size_t k) {
    if (places.size() <= position) places.resize(position + 1);
    places[position] = k;
  };
  for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
    const codegen::Buffer& buffer = plan.buffers[k];
    HostBuffer& place = buffers_[k];
    place.buffer = buffer;
    auto shape = codegen::extent_values(module, buffer.extents, dimensions);
    if (!shape) {
      return Diagnostic(code::dimension_value, function_.span, "an extent of this function has no usable value");
    }
    auto layout = stored_layout(module, buffer, dimensions);
    if (!layout) return layout.error();
    place.layout = std::move(*layout);
    // Kernels may form the address of an element of an empty tensor, so there is memory for one.
    const std::int64_t width = codegen::element_bytes(buffer);
    const auto one = static_cast<std::size_t>(allocation_count(*shape) * width);
    if (buffer.role == Role::parameter) {
      place.shape = std::move(*shape);
      keep_position(parameters_, buffer.position, k);
      place.count = 1;
      for (std::int64_t extent : place.shape) place.count *= extent;
      place.bytes = static_cast<std::uint64_t>(place.count) * ir::byte_width(buffer.scalar);
      if (place.count == 0) place.own.resize(one);
      pointers_[k] = place.own.data();
      continue;
    }
    ir::HostTensor contents = tensor_of(buffer, *shape);
    if (buffer.role == Role::constant) {
      auto filled = constant_contents(module, function_, buffer, semantics, dimensions, generate);
      if (!filled) return filled.error();
      if (auto problem = refused_input(module, function_, buffer, semantics, *filled)) return problem;
      contents = std::move(*filled);
    }
    if (buffer.role == Role::result) keep_position(results_, buffer.position, k);
    if (buffer.role == Role::faults) faults_ = k;
    place.shape = contents.shape;
    place.count = contents.size();
    place.bytes = contents.bytes.size();
    if (place.layout) {
      place.own.resize(static_cast<std::size_t>(stored_count(*place.layout) * width));
    } else if (buffer.role != Role::result || place.count == 0) {
      place.own = std::move(contents.bytes);
      place.own.resize(std::max(place.own.size(), one));
    }
    pointers_[k] = place.own.data();
  }
  return std::nullopt;
}

std::optional<Diagnostic> HostProgram::add_kernels(const ir::Module& module, const ir::Dimensions& dimensions) {
  for (ir::SymbolId dimension : compiled_.plan.dimensions) {
    const auto found = dimensions.find(dimension);
    if (found == dimensions.end()) {
      return Diagnostic(code::dimension_unbound, function_.span,
                        "dimension `" + std::string(module.name(dimension)) + "` has no value");
    }
    sizes_.push_back(found->second);
  }
  for (const codegen::Kernel& kernel : compiled_.plan.kernels) {
    const codegen::HostKernel code = codegen::host_kernel(compiled_, kernel.name);
    if (!code) return Diagnostic(code::internal, function_.span, "kernel `" + kernel.name + "` is missing");
    const auto items = codegen::extent_values(module, kernel.items, dimensions);
    if (!items) return Diagnostic(code::dimension_value, function_.span, "an index space has no usable size");
    Task task{code};
    for (std::int64_t extent : *items) task.count *= extent;
    if (items->size() > 1) task.row = items->back();
    task.whole = kernel.whole;
    tasks_.push_back(task);
  }
  for (const codegen::Loop& loop : compiled_.plan.loops) {
    const auto rounds = codegen::extent_values(module, {loop.rounds}, dimensions);
    if (!rounds) return Diagnostic(code::dimension_value, function_.span, "a number of rounds has no usable value");
    rounds_.push_back(rounds->front());
    sizes_.push_back(0);
  }
  steps_ = codegen::steps_of(compiled_.plan);
  return std::nullopt;
}

std::vector<HostProgram::Tensor> HostProgram::tensors(Role role) const {
  std::vector<Tensor> out;
  for (std::size_t k : role == Role::parameter ? parameters_ : results_) {
    const HostBuffer& place = buffers_[k];
    const bool words = role == Role::result && place.buffer.in_words();
    out.push_back({words ? place.buffer.words->scalar : place.buffer.scalar, place.shape, place.bytes});
  }
  return out;
}

void HostProgram::point(std::size_t index, const void* elements) {
  HostBuffer& place = buffers_[index];
  // Kernels read parameters alone.
  if (!place.copied && place.count > 0) pointers_[index] = const_cast<void*>(elements);
}

/// The argument of a buffer as kernels read it, if it lies in another form or must be examined.
std::optional<Diagnostic> HostProgram::take(const ir::Module& module, std::size_t index,
                                            const ir::HostTensor& argument) {
  const codegen::CompiledSemantics& semantics = *compiled_.semantics;
  HostBuffer& place = buffers_[index];
  const codegen::Buffer& buffer = place.buffer;
  const bool converts = needs_words(buffer, argument);
  ir::HostTensor converted;
  if (converts) {
    auto words = in_words(module, function_, buffer, semantics, argument);
    if (!words) return words.error();
    converted = std::move(*words);
  }
  const ir::HostTensor& elements = converts ? converted : argument;
  const ir::HostTensor like = tensor_of(buffer, {});
  std::vector<std::int64_t> wanted = place.shape;
  wanted.insert(wanted.end(), like.shape.begin(), like.shape.end());
  if (elements.shape != wanted || elements.scalar != like.scalar) {
    return Diagnostic(code::bad_argument, function_.parameters[buffer.position].span,
                      "an argument has another type or shape than its parameter");
  }
  if (auto problem = refused_input(module, function_, buffer, semantics, elements)) return problem;
  place.copied = converts || place.layout.has_value();
  if (place.layout) place.own = stored(elements, *place.layout, codegen::element_bytes(buffer));
  else if (converts && place.count > 0) place.own = std::move(converted.bytes);
  if (place.copied) pointers_[index] = place.own.data();
  return std::nullopt;
}

std::optional<Diagnostic> HostProgram::give(const ir::Module& module, std::size_t parameter,
                                            const ir::HostTensor& argument) {
  if (parameter >= parameters_.size()) {
    return Diagnostic(code::bad_argument, function_.span, "there is no such parameter");
  }
  const std::size_t k = parameters_[parameter];
  if (auto problem = take(module, k, argument)) return problem;
  point(k, argument.bytes.data());
  return std::nullopt;
}

void HostProgram::receive(std::size_t result, void* elements) {
  const std::size_t k = results_[result];
  HostBuffer& place = buffers_[k];
  place.caller = static_cast<std::uint8_t*>(elements);
  if (!place.layout && place.count > 0) pointers_[k] = elements;
}

/// Parts are whole rows of items where there are enough of them.
void HostProgram::launch(const Task& task) {
  const std::int64_t most = threads_ * parts_of_thread;
  if (task.count <= 0) return;
  if (threads_ < 2 || task.whole || task.count < 2) {
    task.code(pointers_.data(), sizes_.data(), 0, task.count);
    return;
  }
  const std::int64_t unit = task.count / task.row >= most ? task.row : 1;
  const std::int64_t units = task.count / unit, parts = std::min(units, most);
  in_threads(threads_, parts, [&](std::int64_t part) {
    const std::int64_t first = units * part / parts * unit, limit = units * (part + 1) / parts * unit;
    task.code(pointers_.data(), sizes_.data(), first, limit);
  });
}

void HostProgram::compute() {
  if (faults_) std::fill(buffers_[*faults_].own.begin(), buffers_[*faults_].own.end(), std::uint8_t{0});
  const auto run = [&](std::uint32_t kernel) {
    launch(tasks_[kernel]);
    return true;
  };
  const auto exchange = [&](std::uint32_t loop) {
    for (const auto& [one, other] : compiled_.plan.loops[loop].exchanged) std::swap(pointers_[one], pointers_[other]);
  };
  codegen::carry_out(steps_, rounds_, sizes_.data() + compiled_.plan.dimensions.size(), run, exchange);
}

std::optional<Diagnostic> HostProgram::finish() {
  const codegen::CompiledSemantics& semantics = *compiled_.semantics;
  for (std::size_t k : results_) {
    HostBuffer& place = buffers_[k];
    const codegen::Buffer& buffer = place.buffer;
    if (place.layout) gather(place.own, *place.layout, codegen::element_bytes(buffer), place.caller);
    const ir::Scalar scalar = buffer.in_words() ? buffer.words->scalar : buffer.scalar;
    // What kernels store of these has one NaN already.
    const bool has_one_nan = scalar == ir::Scalar::f32 || scalar == ir::Scalar::f64;
    if (!has_one_nan) canonicalise_nans(semantics, scalar, place.caller, place.count);
  }
  if (!faults_) return std::nullopt;
  const HostBuffer& faults = buffers_[*faults_];
  if (std::all_of(faults.own.begin(), faults.own.end(), [](std::uint8_t byte) { return byte == 0; })) {
    return std::nullopt;
  }
  std::vector<ir::HostTensor> results;
  for (std::size_t k : results_) {
    ir::HostTensor& result = results.emplace_back(tensor_of(buffers_[k].buffer, {}));
    result.shape = buffers_[k].shape;
    result.bytes.assign(buffers_[k].caller, buffers_[k].caller + buffers_[k].bytes);
  }
  ir::HostTensor words = tensor_of(faults.buffer, faults.shape);
  words.bytes = faults.own;
  return error_of(compiled_.plan.faults, words, semantics, results);
}

std::optional<Diagnostic> HostProgram::run(const ir::Module& module, const void* const* arguments,
                                           void* const* results) {
  const bool examines = compiled_.semantics->looks_at_inputs();
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const std::size_t index = parameters_[k];
    const HostBuffer& place = buffers_[index];
    if (examines || place.layout) {
      ir::HostTensor argument(place.buffer.scalar, place.shape);
      if (!argument.bytes.empty()) std::memcpy(argument.bytes.data(), arguments[k], argument.bytes.size());
      if (auto problem = take(module, index, argument)) return problem;
    }
    point(index, arguments[k]);
  }
  for (std::size_t k = 0; k < results_.size(); ++k) receive(k, results[k]);
  compute();
  return finish();
}

}  // namespace reckon::runtime
