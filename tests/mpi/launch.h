// Jobs of several ranks, for tests.
#pragma once

#include <catch2/catch.hpp>

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/process.h"

namespace reckon::test {

/// Whether jobs can be started here; says so if not.
inline bool has_mpirun() {
  static const bool there = [] {
    const RunResult run = run_command({"mpirun", "--version"});
    if (run.status != 0) WARN("skipped: there is no mpirun (Debian: openmpi-bin)");
    return run.status == 0;
  }();
  return there;
}

inline std::vector<std::string> launcher(int ranks) {
  return {"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", std::to_string(ranks)};
}

inline RunOptions job_options(std::chrono::milliseconds timeout = std::chrono::seconds(120)) {
  RunOptions out;
  out.timeout = timeout;
  out.folder = source_folder();
  // Open MPI does not release all that it takes, which a build with AddressSanitizer would report as leaks of ours.
  // Open MPI looks for networks for 0.2 s, half of a job's time, unless it is told to send through memory.
  out.environment = {{"ASAN_OPTIONS", "detect_leaks=0"}, {"OMPI_MCA_pml", "ob1"}};
  return out;
}

inline std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace reckon::test
