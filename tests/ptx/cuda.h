// Kernels in CUDA, compiled by nvcc (tests/data/ptx/), and what their tests share: numbers, and sums in the orders that
// kernels have.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/ptx/launched.h"
#include "tests/support/files.h"

namespace reckon::ptx::testing {

/// Of `kernels` and `sm_90`. Where only the target differs, there is one file for both (tests/data/ptx/compile.sh).
/// RECKON_TESTS_PTX names a folder with other compilations, NAME.ptx, of the same sources (tests/ptx/compilations.sh).
inline std::string cuda_text(const std::string& name, const std::string& arch) {
  if (const char* folder = std::getenv("RECKON_TESTS_PTX"))
    return test::read_file(std::filesystem::path(folder) / (name + ".ptx"));
  const auto path = test::data_folder() / "ptx" / (name + "_" + arch + ".ptx");
  if (std::filesystem::exists(path)) return test::read_file(path);
  std::string text = test::read_file(test::data_folder() / "ptx" / (name + "_sm_80.ptx"));
  const std::size_t at = text.find(".target sm_80");
  return text.replace(at, 13, ".target " + arch);
}

inline std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> out(count);
  for (float& x : out) x = normal(random);
  return out;
}

/// Both kinds of machine, one after the other.
inline std::string arch() { return GENERATE(std::string("sm_80"), std::string("sm_90")); }

inline LaunchOptions plane(std::uint32_t gx, std::uint32_t gy, std::uint32_t bx, std::uint32_t by) {
  LaunchOptions out;
  out.grid = {gx, gy, 1};
  out.block = {bx, by, 1};
  return out;
}

/// What each thread of a grid adds first: elements a grid apart.
inline std::vector<float> strided(const std::vector<float>& x, std::size_t threads) {
  std::vector<float> out(threads, 0);
  for (std::size_t k = 0; k < x.size(); ++k) out[k % threads] += x[k];
  return out;
}
inline float by_halves(std::vector<float> x) {
  for (std::size_t half = x.size() / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) x[k] += x[k + half];
  return x[0];
}
/// Of 32 lanes, each of which adds the one `distance` above; beyond the last lane its own.
inline float by_shuffles_down(std::vector<float> x) {
  for (std::size_t distance = 16; distance > 0; distance /= 2) {
    const std::vector<float> before = x;
    for (std::size_t k = 0; k < 32; ++k) x[k] += k + distance < 32 ? before[k + distance] : before[k];
  }
  return x[0];
}
inline std::vector<float> by_butterfly(std::vector<float> x) {
  for (std::size_t distance = 16; distance > 0; distance /= 2) {
    const std::vector<float> before = x;
    for (std::size_t k = 0; k < 32; ++k) x[k] += before[k ^ distance];
  }
  return x;
}
inline std::vector<float> slice(const std::vector<float>& x, std::size_t begin, std::size_t count) {
  return {x.begin() + static_cast<std::ptrdiff_t>(begin), x.begin() + static_cast<std::ptrdiff_t>(begin + count)};
}

}  // namespace reckon::ptx::testing
