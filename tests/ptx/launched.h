// Kernels of a PTX text, launched in tests.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ptx/emulate/program.h"
#include "ptx/read/read.h"
#include "ptx/shadow/shadow.h"
#include "tests/ptx/records.h"

namespace reckon::ptx::testing {

class Launcher {
 public:
  explicit Launcher(const std::string& text) : text_(text) {
    ReadResult made = read(text);
    INFO((made.mistake ? "line " + std::to_string(made.mistake->line) + ": " + made.mistake->message : ""));
    REQUIRE(!made.mistake);
    program_ = std::make_unique<Program>(std::move(made.module), memory_);
  }

  /// The address of memory with these elements.
  template <class T>
  std::uint64_t put(std::span<const T> values) {
    Allocation& made = memory_.allocate(values.size_bytes(), "memory " + std::to_string(++count_), true);
    std::memcpy(made.data.data(), values.data(), values.size_bytes());
    return made.base;
  }
  template <class T>
  std::uint64_t put(const std::vector<T>& values) {
    return put(std::span<const T>(values));
  }
  /// Of memory that nobody has written.
  std::uint64_t room(std::uint64_t bytes) {
    return memory_.allocate(bytes, "memory " + std::to_string(++count_), false).base;
  }
  template <class T>
  std::vector<T> get(std::uint64_t address, std::size_t count) {
    std::vector<T> out(count);
    std::memcpy(out.data(), memory_.find(address)->data.data(), count * sizeof(T));
    return out;
  }

  std::uint64_t bytes_at(std::uint64_t address) { return memory_.find(address)->bytes; }

  bool approximates_nearest = false;  ///< DecodeOptions::approximates_nearest
  const numerics::Chip* chip = nullptr;  ///< DecodeOptions::chip

  const Kernel& kernel(const std::string& entry, const LaunchOptions& options) {
    Refused refused;
    const numerics::Chip* tables = chip == nullptr && approximates_nearest ? chip_of_records() : chip;
    const Kernel* kernel =
        program_->kernel(entry, DecodeOptions{approximates_nearest, tables, options.values != nullptr}, refused);
    INFO(entry << ", line " << refused.line << ": " << refused.message);
    REQUIRE(kernel != nullptr);
    return *kernel;
  }
  /// Runs a kernel. `parameters`: their bytes, each at its offset.
  LaunchReport run_with(const Kernel& kernel, const LaunchOptions& options,
                        const std::vector<std::uint8_t>& parameters) {
    Refused refused;
    Record record(text_, *program_, kernel, memory_, options, parameters);
    auto report = program_->launch(kernel, options, parameters, refused);
    INFO(refused.message);
    REQUIRE(report);
    if (report->clean()) record.finish();
    return *report;
  }
  /// Runs a kernel with arguments in its order, each of the size of its parameter.
  template <class... Arguments>
  LaunchReport run(const std::string& entry, const LaunchOptions& options, Arguments... arguments) {
    const Kernel& found = kernel(entry, options);
    std::vector<std::uint8_t> bytes;
    const auto infos = Program::parameters(found);
    REQUIRE(infos.size() == sizeof...(Arguments));
    std::size_t k = 0;
    [[maybe_unused]] const auto add = [&](const auto& argument) {
      REQUIRE(infos[k].bytes == sizeof argument);
      bytes.resize(infos[k].offset + infos[k].bytes);
      std::memcpy(bytes.data() + infos[k++].offset, &argument, sizeof argument);
    };
    (add(arguments), ...);
    return run_with(found, options, bytes);
  }
  /// From now on the elements of the memory there are the inputs of a launch that follows values.
  void mark(std::uint64_t address, numerics::Format format, Values& values) {
    Allocation& memory = *memory_.find(address);
    const auto bytes = static_cast<std::size_t>(bytes_of(format));
    memory.tags.assign(memory.data.size(), 0);
    for (std::size_t k = 0; k * bytes < memory.data.size(); ++k)
      Shadow::put({0, values.input(0, k, format)}, static_cast<int>(bytes), memory.tags.data() + k * bytes);
  }
  /// The same, and nothing is found.
  template <class... Arguments>
  LaunchReport clean(const std::string& entry, const LaunchOptions& options, Arguments... arguments) {
    const LaunchReport report = run(entry, options, arguments...);
    INFO(entry << ": " << text(report));
    CHECK(report.clean());
    return report;
  }
  /// Why an entry is refused; empty if it is not.
  std::string refusal(const std::string& entry, std::uint32_t* line = nullptr) {
    Refused refused;
    const bool is_refused = program_->kernel(entry, DecodeOptions{false, chip, false}, refused) == nullptr;
    if (line != nullptr) *line = refused.line;
    return is_refused ? refused.message : "";
  }
  std::string launch_refusal(const std::string& entry, const LaunchOptions& options) {
    Refused refused;
    const Kernel* kernel = program_->kernel(entry, {}, refused);
    REQUIRE(kernel != nullptr);
    return program_->launch(*kernel, options, {}, refused) ? "" : refused.message;
  }

  /// Everything that was found, a line each: `line 12: ...`.
  static std::string text(const LaunchReport& report) {
    std::string out;
    if (report.fault) out += "line " + std::to_string(report.fault->line) + ": " + report.fault->message + "\n";
    for (const Finding& finding : report.findings)
      out += "line " + std::to_string(finding.line) + ": " + finding.message + "\n";
    return out;
  }

 private:
  std::string text_;
  Memory memory_;
  std::unique_ptr<Program> program_;
  int count_ = 0;
};

inline LaunchOptions shape(std::uint32_t grid, std::uint32_t block) {
  LaunchOptions out;
  out.grid = {grid, 1, 1};
  out.block = {block, 1, 1};
  return out;
}

/// The bits are the same; NaNs are one.
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a[k] != a[k] && b[k] != b[k]) continue;
    }
    if (std::memcmp(&a[k], &b[k], sizeof(T)) != 0) return false;
  }
  return true;
}

}  // namespace reckon::ptx::testing
