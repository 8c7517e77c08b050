// Random tests that may run for hours: what CI gives seconds.
//   RECKON_TRIALS=10000000   how many, instead of the test's own number
//   RECKON_SEED=3            other random numbers than usual, so that runs beside each other add up
#pragma once

#include <cstdint>
#include <cstdlib>

namespace reckon::test {

inline bool long_run() { return std::getenv("RECKON_TRIALS") != nullptr; }

template <class Integer>
Integer trials(Integer otherwise) {
  return long_run() ? static_cast<Integer>(std::atoll(std::getenv("RECKON_TRIALS"))) : otherwise;
}

/// The seed of a test's random numbers in this run.
inline std::uint64_t stream(std::uint64_t seed) {
  const char* run = std::getenv("RECKON_SEED");
  return seed + (run ? static_cast<std::uint64_t>(std::atoll(run)) << 32 : 0);
}

}  // namespace reckon::test
