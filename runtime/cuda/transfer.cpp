// What goes into and out of a program on a GPU: arguments, results, and memory that others own.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/sizes.h"
#include "diagnostics/codes/bad_argument.h"
#include "runtime/cuda/launch.h"

namespace reckon::runtime {
namespace {

/// Buffers have addresses of so many bytes (codegen/compile.h, the ABI).
constexpr cuda::DeviceAddress alignment = 16;

/// Whether `address` is in memory of this device. Otherwise the first kernel that reads it ends the process's work.
cuda::Failure check_memory(const cuda::Context& context, cuda::DeviceAddress address, cuda::DeviceAddress begin) {
  int ordinal = 0;
  const cuda::Result error =
      context.call().pointer_attribute(&ordinal, cuda::pointer_attribute::device_ordinal, address);
  if (error != cuda::result::success && error != cuda::result::invalid_value)
    return context.driver().failure(error, "look at an address");
  if (error == cuda::result::success && ordinal == context.device().ordinal) return std::nullopt;
  return Diagnostic(code::bad_argument, {},
                    fmt::format("{:#x} is no memory of GPU {}", address, context.device().ordinal))
      .note(fmt::format("it would begin at {:#x}", begin));
}

}  // namespace

std::uint64_t GpuProgram::DeviceBuffer::stored_bytes() const {
  if (!layout) return bytes;
  return static_cast<std::uint64_t>(runtime::stored_count(*layout) * codegen::element_bytes(buffer));
}

cuda::Failure GpuProgram::allocate(DeviceBuffer& place) {
  if (place.address() != 0) return std::nullopt;
  auto memory = cuda::allocate(context_, place.allocation);
  if (!memory) return memory.error();
  place.memory = std::move(*memory);
  return std::nullopt;
}

/// Copies a constant or an argument: elements as the semantics has them, or patterns that are converted to such.
cuda::Failure GpuProgram::copy_in(const ir::Module& module, DeviceBuffer& place, const ir::HostTensor& contents) {
  const codegen::Buffer& buffer = place.buffer;
  if (buffer.role == Role::parameter && runtime::needs_words(buffer, contents)) {
    const auto elements = runtime::in_words(module, function_, buffer, *semantics_, contents);
    if (!elements) return elements.error();
    return copy_in(module, place, *elements);
  }
  const Tensor like = as_tensor(place);
  if (contents.scalar != like.scalar || contents.shape != like.shape || contents.bytes.size() != place.bytes)
    return buffer_problem(fmt::format("{} must be {} of shape ({}), and is {} of shape ({})", name(place),
                                      ir::scalar_name(buffer.scalar), fmt::join(place.shape, ", "),
                                      ir::scalar_name(contents.scalar), fmt::join(contents.shape, ", ")));
  if (auto problem = runtime::refused_input(module, function_, buffer, *semantics_, contents)) return problem;
  if (auto failure = allocate(place)) return failure;
  if (place.staging.size() == 0) {
    auto staging = cuda::Staging::make(context_, place.stored_bytes());
    if (!staging) return staging.error();
    place.staging = std::move(*staging);
  }
  if (!place.layout) return place.staging.upload(place.address(), contents.bytes, stream());
  return place.staging.upload(place.address(), runtime::stored(contents, *place.layout, codegen::element_bytes(buffer)),
                              stream());
}

cuda::Failure GpuProgram::copy_out(DeviceBuffer& place) {
  if (place.staging.size() == 0) {
    auto staging = cuda::Staging::make(context_, place.stored_bytes());
    if (!staging) return staging.error();
    place.staging = std::move(*staging);
  }
  return place.staging.download(place.address(), stream());
}

cuda::Failure GpuProgram::upload(const ir::Module& module, std::size_t parameter, const ir::HostTensor& argument) {
  for (DeviceBuffer& place : buffers_) {
    if (place.buffer.role != Role::parameter || place.buffer.position != parameter) continue;
    if (auto failure = copy_in(module, place, argument)) return at_function(*failure);
    if (place.bound == 0) place.filled = true;
    return std::nullopt;
  }
  return buffer_problem(fmt::format("`{}` has no argument {}", function_name_, parameter + 1));
}

cuda::Failure GpuProgram::upload(const ir::Module& module, const std::vector<ir::HostTensor>& arguments) {
  const auto wanted = static_cast<std::size_t>(std::count_if(buffers_.begin(), buffers_.end(), [](const auto& place) {
    return place.buffer.role == Role::parameter;
  }));
  if (arguments.size() != wanted)
    return buffer_problem(
        fmt::format("`{}` takes {} arguments and was given {}", function_name_, wanted, arguments.size()));
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (auto failure = upload(module, k, arguments[k])) return failure;
  return std::nullopt;
}

cuda::Failure GpuProgram::download() {
  for (DeviceBuffer& place : buffers_) {
    if (place.buffer.role != Role::result) continue;
    if (!place.filled) return buffer_problem(fmt::format("{} is not there before a launch", name(place)));
    if (auto failure = copy_out(place)) return at_function(*failure);
    place.downloaded = true;
  }
  return std::nullopt;
}

Expected<std::vector<ir::HostTensor>> GpuProgram::wait() {
  if (auto failure = wait_for_other_streams()) return at_function(*failure);
  for (DeviceBuffer& place : buffers_) {
    if (place.buffer.role != Role::faults) continue;
    if (auto failure = copy_out(place)) return at_function(*failure);
    // Each fault is reported once, by the wait after it, so the buffer is cleared.
    if (auto failure = cuda::clear(place.memory, place.bytes, stream())) return at_function(*failure);
  }
  if (auto failure = cuda::synchronize(*context_, stream())) {
    if (stack_bytes_ > 0)
      failure->notes.push_back(
          fmt::format("a kernel follows a recursive schedule, on a stack of {} bytes", stack_bytes_));
    return at_function(*failure);
  }
  std::vector<std::pair<std::uint32_t, ir::HostTensor>> found;
  std::optional<ir::HostTensor> faults;
  for (DeviceBuffer& place : buffers_) {
    const auto contents = place.staging.contents();
    if (place.buffer.role == Role::faults) {
      faults.emplace(place.buffer.scalar, place.shape);
      faults->bytes.assign(contents.begin(), contents.end());
    }
    if (!std::exchange(place.downloaded, false)) continue;
    ir::HostTensor tensor;
    if (place.layout) {
      tensor = runtime::tensor_of(place.buffer, place.shape);
      runtime::gather({contents.begin(), contents.end()}, *place.layout, codegen::element_bytes(place.buffer),
                      tensor.bytes.data());
    } else {
      const Tensor like = as_tensor(place);
      tensor.scalar = like.scalar;
      tensor.shape = like.shape;
      tensor.bytes.assign(contents.begin(), contents.end());
    }
    runtime::canonicalise_nans(*semantics_, tensor);
    found.emplace_back(place.buffer.position, std::move(tensor));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ir::HostTensor> tensors;
  for (auto& [position, tensor] : found) tensors.push_back(std::move(tensor));
  if (faults) {
    if (auto error = runtime::error_of(faults_, *faults, *semantics_, tensors)) return *error;
  }
  return tensors;
}

Expected<std::vector<ir::HostTensor>> GpuProgram::results() {
  if (auto failure = download()) return *failure;
  return wait();
}

cuda::Failure GpuProgram::wait_for(const GpuProgram& other) {
  auto failure = cuda::wait_for(stream(), other.context_, other.stream());
  return failure ? at_function(*failure) : cuda::Failure{};
}

GpuProgram::Tensor GpuProgram::as_tensor(const DeviceBuffer& place) {
  const ir::HostTensor element = runtime::tensor_of(place.buffer, {});
  std::vector<std::int64_t> shape = place.shape;
  shape.insert(shape.end(), element.shape.begin(), element.shape.end());
  return {element.scalar, std::move(shape), place.stored_bytes(), !place.layout};
}

std::vector<GpuProgram::Tensor> GpuProgram::tensors(Role role) const {
  std::vector<Tensor> out;
  for (const DeviceBuffer& place : buffers_) {
    if (place.buffer.role != role) continue;
    out.resize(std::max<std::size_t>(out.size(), place.buffer.position + 1));
    out[place.buffer.position] = as_tensor(place);
  }
  return out;
}

/// A parameter or result whose memory others may read and write.
Expected<GpuProgram::DeviceBuffer*> GpuProgram::on_device(Role role, std::size_t position) {
  for (DeviceBuffer& place : buffers_) {
    if (place.buffer.role != role || place.buffer.position != position) continue;
    if (role == Role::parameter && semantics_->looks_at_inputs())
      return buffer_problem(fmt::format("{} cannot be memory of the device under this semantics", name(place)))
          .note("it looks at every element, or changes it, before it is uploaded");
    return &place;
  }
  return buffer_problem(
      fmt::format("`{}` has no {} {}", function_name_, role == Role::result ? "result" : "argument", position + 1));
}

cuda::Failure GpuProgram::bind(Role role, std::size_t position, cuda::DeviceAddress address) {
  return bind(role, position, address, false);
}

/// `seen`: memory in which an earlier address was found is not looked at again.
cuda::Failure GpuProgram::bind(Role role, std::size_t position, cuda::DeviceAddress address, bool seen) {
  const auto place = on_device(role, position);
  if (!place) return place.error();
  if (address % alignment != 0)
    return buffer_problem(
        fmt::format("{} cannot be at {:#x}, which is no multiple of {} bytes", name(**place), address, alignment));
  if (address != 0) {
    const std::uint64_t bytes = std::max<std::uint64_t>((*place)->stored_bytes(), 1);
    if (!seen || !seen_memory_.holds(address, bytes)) {
      for (const cuda::DeviceAddress byte : {address, address + bytes - 1})
        if (auto failure = check_memory(*context_, byte, address)) return at_function(*failure);
      if (seen) seen_memory_.add(*context_, address);
    }
  }
  if ((*place)->bound == address) return std::nullopt;
  (*place)->bound = address;
  if (role == Role::result) (*place)->filled = false;
  launched_ = false;
  graph_ = {};
  return std::nullopt;
}

bool GpuProgram::SeenMemory::holds(cuda::DeviceAddress address, std::uint64_t bytes) const {
  return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
    return address >= piece.begin && address - piece.begin < piece.bytes && bytes <= piece.bytes - (address - piece.begin);
  });
}

void GpuProgram::SeenMemory::add(const cuda::Context& context, cuda::DeviceAddress address) {
  Piece piece;
  const auto ask = [&](void* value, int attribute) {
    return context.call().pointer_attribute(value, attribute, address) == cuda::result::success;
  };
  // A driver that does not know costs time at the next call, and no more.
  if (!ask(&piece.begin, cuda::pointer_attribute::range_begin) || !ask(&piece.bytes, cuda::pointer_attribute::range_bytes))
    return;
  pieces[next] = piece;
  next = (next + 1) % pieces.size();
}

Expected<cuda::DeviceAddress> GpuProgram::address(Role role, std::size_t position) {
  const auto place = on_device(role, position);
  if (!place) return place.error();
  if (auto failure = allocate(**place)) return at_function(*failure);
  return (*place)->address();
}

Diagnostic GpuProgram::buffer_problem(std::string message) const {
  return Diagnostic(code::bad_argument, function_span_, std::move(message));
}

std::string GpuProgram::name(const DeviceBuffer& place) const {
  switch (place.buffer.role) {
    case Role::parameter: return fmt::format("argument {} of `{}`", place.buffer.position + 1, function_name_);
    case Role::result: return fmt::format("result {} of `{}`", place.buffer.position + 1, function_name_);
    default: return fmt::format("a generated or loaded tensor of `{}`", function_name_);
  }
}

}  // namespace reckon::runtime
