#include "ptx/driver/device.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "ptx/emulate/kernel.h"
#include "ptx/read/read.h"
#include "ptx/shadow/ring.h"

namespace reckon::ptx::driver {

Device& device() {
  // A process may call the driver while it ends.
  static Device* const one = new Device;
  return *one;
}

Device::Device() {
  const char* approximation = std::getenv("RECKON_PTX_APPROX");
  approximates_nearest = approximation != nullptr && std::string_view(approximation) == "nearest";
  if (approximation != nullptr && !approximates_nearest) {
    std::string problem;
    chip_ = numerics::Chip::read(approximation, problem);
    if (!chip_) fmt::print(stderr, "RECKON_PTX_APPROX: {}\n", problem);
  }
  if (const char* most = std::getenv("RECKON_PTX_BUDGET")) most_instructions_ = std::strtoull(most, nullptr, 10);
  summarises_ = std::getenv("RECKON_PTX_SUMMARY") != nullptr;
  if (const char* semantics = std::getenv("RECKON_PTX_SEMANTICS")) values_ = ring_named(semantics);
  if (const char* seed = std::getenv("RECKON_PTX_SEED")) seed_ = std::strtoull(seed, nullptr, 10);
}

int Device::load(LoadedModule*& out, const char* text, std::string& log) {
  if (std::strncmp(text,
                   "\x7f"
                   "ELF",
                   4) == 0) {
    log = "the emulator runs PTX, not machine code";
    return result::no_binary_for_device;
  }
  ReadResult read_module = read(text);
  if (read_module.mistake) {
    log = fmt::format("PTX line {}: {}", read_module.mistake->line, read_module.mistake->message);
    return result::invalid_ptx;
  }
  auto made = std::make_unique<LoadedModule>();
  made->program = std::make_unique<Program>(std::move(read_module.module), memory);
  out = made.release();
  return result::success;
}

int Device::launch(Function& function, const LaunchOptions& options, void** parameters, Stream* stream) {
  Refused refused;
  const Kernel* kernel = function.program->kernel(
      function.name, DecodeOptions{approximates_nearest || values_ != nullptr, chip_.get(), values_ != nullptr},
      refused);
  const auto refuse = [&] {
    trouble = fmt::format("kernel `{}`, PTX line {}: {}", function.name, refused.line, refused.message);
    return result::kernel_refused;
  };
  if (kernel == nullptr) return refuse();
  Launch made{function.program, kernel, options, {}};
  made.options.seed = seed_;
  made.options.values = values_.get();
  made.options.most_instructions = most_instructions_;
  const auto infos = Program::parameters(*kernel);
  made.parameters.resize(kernel->parameter_bytes);
  for (std::size_t k = 0; k < infos.size(); ++k)
    std::memcpy(made.parameters.data() + infos[k].offset, parameters[k], infos[k].bytes);
  if (stream != nullptr && stream->captures) {
    stream->captured.push_back(std::move(made));
    return result::success;
  }
  return carry_out(made);
}

int Device::carry_out(const Launch& launch) {
  Refused refused;
  const auto report = launch.program->launch(*launch.kernel, launch.options, launch.parameters, refused);
  if (!report) {
    trouble = fmt::format("kernel `{}`: {}", launch.kernel->name, refused.message);
    return result::kernel_refused;
  }
  if (summarises_) {
    fmt::print(stderr, "kernel {}: {} blocks of {} threads, {} instructions of threads\n", launch.kernel->name,
               report->blocks, launch.options.block[0] * launch.options.block[1] * launch.options.block[2],
               report->thread_instructions);
  }
  if (report->clean()) return result::success;
  const Finding& first = report->fault ? *report->fault : report->findings.front();
  const std::string place = launch.kernel->module->place_text(first.place);
  trouble = fmt::format("kernel `{}`, PTX line {}{}: {}", launch.kernel->name, first.line,
                        place.empty() ? "" : " (" + place + ")", first.message);
  if (report->findings.size() > 1) trouble += fmt::format(" (and {} more)", report->findings.size() - 1);
  return report->over_budget ? result::kernel_refused : result::kernel_fault;
}

std::uint8_t* Device::reach(std::uint64_t address, std::size_t bytes, Allocation*& allocation) {
  allocation = memory.find(address);
  if (allocation == nullptr || bytes > allocation->end() - address) return nullptr;
  return allocation->data.data() + (address - allocation->base);
}

int Device::copy_in(std::uint64_t to, const void* from, std::size_t bytes) {
  if (bytes == 0) return result::success;
  Allocation* allocation = nullptr;
  std::uint8_t* place = reach(to, bytes, allocation);
  if (place == nullptr) return result::invalid_value;
  std::memcpy(place, from, bytes);
  const std::size_t offset = to - allocation->base;
  if (!allocation->tags.empty()) std::fill_n(allocation->tags.begin() + static_cast<std::ptrdiff_t>(offset), bytes, 0);
  allocation->mark_written(offset, bytes);
  return result::success;
}
int Device::copy_out(void* to, std::uint64_t from, std::size_t bytes) {
  if (bytes == 0) return result::success;
  Allocation* allocation = nullptr;
  const std::uint8_t* place = reach(from, bytes, allocation);
  if (place == nullptr) return result::invalid_value;
  std::memcpy(to, place, bytes);
  return result::success;
}
int Device::copy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  std::vector<std::uint8_t> between(bytes);
  if (const int failure = copy_out(between.data(), from, bytes)) return failure;
  return copy_in(to, between.data(), bytes);
}
int Device::set(std::uint64_t to, unsigned char value, std::size_t bytes) {
  const std::vector<std::uint8_t> values(bytes, value);
  return copy_in(to, values.data(), bytes);
}

}  // namespace reckon::ptx::driver
