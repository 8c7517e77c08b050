#include "ptx/emulate/program.h"

#include <fmt/format.h>

#include <cstring>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/joined.h"
#include "ptx/emulate/warp.h"

namespace reckon::ptx {

Program::Program(Module module, Memory& memory)
    : module_(std::make_unique<Module>(std::move(module))), memory_(&memory) {
  globals_.assign(module_->variables.size(), 0);
  for (const std::uint32_t index : module_->globals) {
    const Variable& variable = module_->variables[index];
    if (variable.space != Space::global && variable.space != Space::constant) continue;
    Allocation& made = memory.allocate(variable.bytes, fmt::format("the variable `{}`", variable.name), true);
    if (!variable.initial.empty()) std::memcpy(made.data.data(), variable.initial.data(), variable.initial.size());
    made.is_constant = variable.space == Space::constant;
    globals_[index] = made.base;
  }
  for (const std::uint32_t index : module_->globals) {
    const Variable& variable = module_->variables[index];
    for (const Variable::Address& address : variable.addresses) {
      const std::uint64_t value =
          (address.of_function ? address_of_function(address.variable) : globals_[address.variable]) +
          static_cast<std::uint64_t>(address.offset);
      Allocation* place = memory.find(globals_[index]);
      std::memcpy(place->data.data() + address.at, &value, sizeof value);
    }
  }
}

Program::Program(Program&&) noexcept = default;
Program::~Program() {
  if (!module_) return;
  for (const std::uint64_t base : globals_) {
    if (base != 0) memory_->release(base);
  }
}

const Kernel* Program::kernel(std::string_view entry, const DecodeOptions& options, Refused& refused) {
  const std::pair key{std::string(entry), options};
  if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second.get();
  const Function* function = module_->entry(entry);
  if (function == nullptr) {
    std::string names;
    for (const Function& one : module_->functions) {
      if (one.is_entry && one.is_defined) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", one.name);
    }
    refused = {0, names.empty() ? "the file has no kernel"
                                : fmt::format("there is no kernel `{}`: the file has {}", entry, names)};
    return nullptr;
  }
  DecodeResult made = decode(*module_, *function, globals_, options);
  if (made.mistake) {
    refused = {made.mistake->line, made.mistake->message, made.mistake->approximate};
    return nullptr;
  }
  return (kernels_[key] = std::make_unique<Kernel>(std::move(made.kernel))).get();
}

std::vector<ParameterInfo> Program::parameters(const Kernel& kernel) {
  std::vector<ParameterInfo> out;
  for (const Kernel::Parameter& one : kernel.parameters)
    out.push_back({std::string(one.name), one.type, one.offset, one.bytes});
  return out;
}
std::vector<std::uint32_t> Program::lines_that_may_be_joined(const Kernel& kernel) const {
  std::vector<std::uint32_t> out;
  for (const Part& part : kernel.parts) {
    const auto lines = ptx::lines_that_may_be_joined(module_->functions[part.function]);
    out.insert(out.end(), lines.begin(), lines.end());
  }
  return out;
}
std::uint32_t Program::approximate(const Kernel& kernel) { return kernel.approximate; }

std::optional<std::uint64_t> Program::variable(std::string_view name, std::uint64_t& bytes) const {
  for (const std::uint32_t index : module_->globals) {
    const Variable& variable = module_->variables[index];
    if (variable.name != name || globals_[index] == 0) continue;
    bytes = variable.bytes;
    return globals_[index];
  }
  return std::nullopt;
}

std::optional<LaunchReport> Program::launch(const Kernel& kernel, const LaunchOptions& options,
                                            std::vector<std::uint8_t> parameters, Refused& refused) {
  const std::uint64_t threads = std::uint64_t{options.block[0]} * options.block[1] * options.block[2];
  const std::uint64_t blocks = std::uint64_t{options.grid[0]} * options.grid[1] * options.grid[2];
  const Function& entry = *kernel.entry;
  if (threads == 0 || threads > 1024) {
    refused = {0, fmt::format("a block has 1 to 1024 threads, not {}", threads)};
    return std::nullopt;
  }
  if (blocks == 0 || blocks > (std::uint64_t{1} << 31)) {
    refused = {0, fmt::format("a grid has 1 to 2^31 blocks, not {}", blocks)};
    return std::nullopt;
  }
  if (entry.most_threads != 0 && threads > entry.most_threads) {
    refused = {entry.line,
               fmt::format("the kernel is for blocks of at most {} threads, not {}", entry.most_threads, threads)};
    return std::nullopt;
  }
  if (entry.required_threads[0] != 0 && entry.required_threads != options.block) {
    refused = {entry.line, fmt::format("the kernel is for blocks of {} x {} x {} threads", entry.required_threads[0],
                                       entry.required_threads[1], entry.required_threads[2])};
    return std::nullopt;
  }
  const auto cluster = kernel.cluster();
  if (cluster[0] * std::uint64_t{cluster[1]} * cluster[2] > most_ranks || options.grid[0] % cluster[0] != 0 ||
      options.grid[1] % cluster[1] != 0 || options.grid[2] % cluster[2] != 0) {
    refused = {entry.line,
               fmt::format("the kernel is for clusters of {} x {} x {} blocks, of which the grid must be made "
                           "(at most {} blocks in each)",
                           cluster[0], cluster[1], cluster[2], most_ranks)};
    return std::nullopt;
  }
  if (std::uint64_t{kernel.shared_bytes} + options.dynamic_shared_bytes > most_shared_of_block) {
    refused = {0, fmt::format("{} bytes of shared memory are more than the {} that a block may have",
                              std::uint64_t{kernel.shared_bytes} + options.dynamic_shared_bytes, most_shared_of_block)};
    return std::nullopt;
  }
  Machine machine(kernel, *memory_, options, std::move(parameters));
  if (!kernel.uses_grid_room) return machine.run();
  machine.grid_room = memory_->allocate(64, "the barrier of the grid", true).base;
  LaunchReport report = machine.run();
  memory_->release(machine.grid_room);
  return report;
}

}  // namespace reckon::ptx
