#include "tests/ptx/records.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "numerics/chips/chip.h"
#include "ptx/emulate/kernel.h"
#include "ptx/emulate/tensor_map.h"

namespace reckon::ptx::testing {
namespace {

using Json = nlohmann::json;

/// The files. Equal bytes are written once.
class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    launches_.open(path_ / "launches.jsonl");
    bytes_.open(path_ / "bytes.bin", std::ios::binary);
  }
  /// Where the bytes begin.
  std::uint64_t put(const std::vector<std::uint8_t>& bytes) {
    const std::string key(bytes.begin(), bytes.end());
    const auto [at, is_new] = known_.try_emplace(key, size_);
    if (is_new) {
      bytes_.write(key.data(), static_cast<std::streamsize>(key.size()));
      size_ += key.size();
    }
    return at->second;
  }
  /// The name of the file with the text.
  std::string put_text(const std::string& text) {
    const auto [at, is_new] = texts_.try_emplace(text, fmt::format("{}.ptx", texts_.size()));
    if (is_new) std::ofstream(path_ / at->second) << text;
    return at->second;
  }
  /// Launches that differ in the order of their blocks alone are one.
  void add(const Json& launch) {
    if (seen_.insert(launch.dump()).second) launches_ << launch.dump() << std::endl;
  }
  void flush() { bytes_.flush(); }

 private:
  std::filesystem::path path_;
  std::ofstream launches_, bytes_;
  std::map<std::string, std::uint64_t> known_;
  std::map<std::string, std::string> texts_;
  std::set<std::string> seen_;
  std::uint64_t size_ = 0;
};

/// Null if nothing is recorded.
Folder* folder() {
  static const char* const path = std::getenv("RECKON_PTX_RECORDS");
  static const auto one = path != nullptr ? std::make_unique<Folder>(path) : nullptr;
  return one.get();
}

bool is_of_floats(const Instruction& one) {
  for (const std::string_view type : {"f32", "f64", "f16", "bf16", "f16x2", "bf16x2"})
    if (one.has(type)) return true;
  return false;
}

/// Why a GPU may give other bits without being wrong.
Json reasons(const Kernel& kernel, const Memory& memory) {
  std::set<std::string> out;
  if (memory.heap_was_full()) out.insert("the machine");
  if (kernel.approximate > 0) out.insert("approximate");
  const bool is_older = kernel.module->target < "sm_90";
  for (const Part& part : kernel.parts) {
    for (const Instruction& one : kernel.module->functions[part.function].instructions) {
      const bool adds = one.name == "atom" || one.name == "red" || one.has("reduce");
      if (adds && is_of_floats(one) && one.has("add")) out.insert("order of float atomics");
      if (is_older && (one.name == "mma" || one.name == "wmma") && one.has("sync") && !one.has("f64") &&
          is_of_floats(one))
        out.insert("tensor cores of the target");
      if (one.name == "atom") out.insert("values of atomics");
    }
  }
  for (const SpecialRegister& one : kernel.specials) {
    if (is_clock(one.special) || one.special == Special::smid || one.special == Special::nsmid)
      out.insert("the machine");
  }
  return out;
}

/// Whether there is a tensor map among the bytes, whose form is the emulator's own.
bool has_tensor_map(const std::vector<std::uint8_t>& bytes) {
  for (std::size_t at = 0; at + 64 <= bytes.size(); at += 64) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (word == TensorMap::mark) return true;
  }
  return false;
}

/// Whether there are addresses of functions among the bytes, which only the machine knows.
bool has_functions(const std::vector<std::uint8_t>& bytes) {
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (is_in_window(word, function_window)) return true;
  }
  return false;
}

}  // namespace

const numerics::Chip* chip_of_records() {
  static const auto one = [] {
    const char* path = std::getenv("RECKON_PTX_TABLES");
    std::string problem;
    return path == nullptr ? nullptr : numerics::Chip::read(path, problem);
  }();
  return one.get();
}

Record::Record(const std::string& text, const Program& program, const Kernel& kernel, Memory& memory,
               const LaunchOptions& options, const std::vector<std::uint8_t>& parameters)
    : is_wanted_(folder() != nullptr && options.values == nullptr && !has_tensor_map(parameters)),
      text_(text),
      kernel_(kernel),
      memory_(memory),
      options_(options),
      parameters_(parameters) {
  if (!is_wanted_) return;
  const auto add = [&](std::uint64_t base, std::string variable) {
    buffer_at_[base] = buffers_.size();
    buffers_.push_back({base, std::move(variable), memory_.find(base)->data, {}});
  };
  joins_ = !program.lines_that_may_be_joined(kernel).empty();
  for (const std::uint32_t index : kernel.module->globals) {
    const std::string_view name = kernel.module->variables[index].name;
    std::uint64_t bytes = 0;
    if (const auto base = program.variable(name, bytes)) add(*base, std::string(name));
  }
  pointers_ = pointers_in(parameters_, true);
  // Pointers among the bytes of a buffer may lead to further buffers.
  for (std::size_t k = 0; k < buffers_.size(); ++k) {
    const std::vector<std::uint8_t> bytes = buffers_[k].before;
    auto found = pointers_in(bytes, true);
    buffers_[k].pointers = std::move(found);
  }
}

std::vector<Record::Pointer> Record::pointers_in(const std::vector<std::uint8_t>& bytes, bool follow) {
  std::vector<Pointer> out;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t address = 0;
    std::memcpy(&address, bytes.data() + at, sizeof address);
    const Allocation* found = address == 0 ? nullptr : memory_.find(address);
    if (found == nullptr) continue;
    if (buffer_at_.count(found->base) == 0) {
      if (!follow) continue;
      buffer_at_[found->base] = buffers_.size();
      buffers_.push_back({found->base, "", found->data, {}});
    }
    out.push_back({at, buffer_at_[found->base], address - found->base});
  }
  return out;
}

void Record::finish() {
  if (!is_wanted_) return;
  Folder& to = *folder();
  const auto json_of = [](const std::vector<Pointer>& pointers) {
    Json out = Json::array();
    for (const Pointer& one : pointers) out.push_back({one.at, one.buffer, one.offset});
    return out;
  };
  Json launch;
  launch["test"] = Catch::getResultCapture().getCurrentTestName();
  launch["ptx"] = to.put_text(text_);
  launch["target"] = kernel_.module->target;
  launch["entry"] = kernel_.name;
  launch["grid"] = options_.grid;
  launch["block"] = options_.block;
  launch["cluster"] = kernel_.cluster();
  launch["shared_bytes"] = options_.dynamic_shared_bytes;
  launch["cooperative"] = kernel_.uses_grid_room;
  launch["depends_on"] = reasons(kernel_, memory_);
  launch["joins"] = joins_;
  launch["parameters"] = Json::array();
  for (const Kernel::Parameter& one : kernel_.parameters) launch["parameters"].push_back({one.offset, one.bytes});
  launch["parameter_bytes"] = {to.put(parameters_), parameters_.size()};
  launch["parameter_pointers"] = json_of(pointers_);
  launch["buffers"] = Json::array();
  for (const Buffer& one : buffers_) {
    const Allocation& now = *memory_.find(one.base);
    Json buffer;
    if (!one.variable.empty()) buffer["variable"] = one.variable;
    buffer["bytes"] = one.before.size();
    buffer["before"] = to.put(one.before);
    if (!one.variable.empty() && has_functions(one.before)) buffer["keeps"] = true;
    buffer["after"] = to.put(now.data);
    buffer["unwritten"] = now.unwritten.empty() ? Json() : Json(to.put(now.unwritten));
    buffer["pointers_before"] = json_of(one.pointers);
    buffer["pointers_after"] = json_of(pointers_in(now.data, false));
    launch["buffers"].push_back(std::move(buffer));
  }
  to.flush();
  to.add(launch);
}

}  // namespace reckon::ptx::testing
