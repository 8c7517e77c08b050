// The circuits of tests/data/elsewhere.rk, and ways to take them out of Reckon.
#pragma once

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/cli/reckon_run.h"

namespace reckon::test {

inline const char* const elsewhere = "tests/data/elsewhere.rk";

/// Writes what `reckon compile --emit=...` makes to a file.
inline void emit_to(const std::filesystem::path& path, const std::string& circuit, const std::string& emit,
                    std::vector<std::string> more = {}) {
  std::vector<std::string> words{"compile", elsewhere, "--fn", circuit, "--emit=" + emit, "-o", path.string()};
  words.insert(words.end(), more.begin(), more.end());
  const RunResult run = reckon_here(words);
  INFO(circuit << " " << emit << "\n" << run.err);
  REQUIRE(run.status == 0);
}

/// Runs a compiler or another program that has to succeed in silence.
inline void must_run(const std::vector<std::string>& command, const RunOptions& options = {}) {
  const RunResult run = run_command(command, options);
  std::string all;
  for (const std::string& word : command) all += word + " ";
  INFO(all << "\n" << run.out << run.err);
  REQUIRE(run.status == 0);
  CHECK(run.err.empty());
}

}  // namespace reckon::test
