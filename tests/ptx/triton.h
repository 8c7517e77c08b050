// Kernels that Triton compiled, with their launches on an H200 and its results (tests/data/ptx/triton/).
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/ptx/launched.h"

namespace reckon::ptx::testing {

std::filesystem::path triton_folder();
/// Of launches.json: the kernels with their launches.
nlohmann::json triton_launches();

std::string triton_text(const nlohmann::json& kernel);

/// A launch of one, with the memory of its arguments.
class TritonLaunch {
 public:
  /// `chip`: what approximate instructions give; null: the nearest numbers.
  explicit TritonLaunch(const nlohmann::json& kernel, const numerics::Chip* chip = nullptr);
  /// The same of another text.
  TritonLaunch(const nlohmann::json& kernel, const std::string& text, const numerics::Chip* chip);
  Launcher& launcher() { return launcher_; }
  const LaunchOptions& options() const { return options_; }
  LaunchReport run();
  /// The same with what floats are besides their bits.
  LaunchReport run(Values& values);
  /// The bytes of an argument's memory.
  std::vector<std::uint8_t> input(const std::string& argument);
  /// The bytes of a result after the launch, and on the H200.
  std::vector<std::uint8_t> result(const std::string& name);
  std::vector<std::uint8_t> expected(const std::string& name) const;

 private:
  /// The address of the memory that a description makes.
  std::uint64_t put(const nlohmann::json& memory);
  void add_argument(const nlohmann::json& argument, const std::vector<ParameterInfo>& infos, std::size_t& next);
  template <class T>
  void add(const std::vector<ParameterInfo>& infos, std::size_t& next, const T& value) {
    const ParameterInfo& info = infos.at(next++);
    REQUIRE(info.bytes == sizeof value);
    std::memcpy(parameters_.data() + info.offset, &value, sizeof value);
  }

  nlohmann::json kernel_;
  Launcher launcher_;
  LaunchOptions options_;
  std::vector<std::uint8_t> parameters_;
  std::map<std::string, std::uint64_t> addresses_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> pointed_;  ///< what memory of addresses leads to
  std::map<std::uint64_t, numerics::Format> floats_;             ///< memory with numbers
};

/// Of a result: how far the furthest pair of numbers is apart, divided by the greatest number and by 2^24 times the unit
/// roundoff of the format. `type`: of launches.json.
double distance(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b, const std::string& type);

}  // namespace reckon::ptx::testing
