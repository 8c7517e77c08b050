// Programs run by tests: `reckon` itself, as a user or a script would run it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reckon::test {

struct RunResult {
  int status = -1;         ///< the exit status; 128 + the signal's number if one ended the program
  bool timed_out = false;  ///< it was killed at the limit
  std::string out;
  std::string err;
  std::chrono::duration<double> wall{};
  long peak_memory_kb = 0;  ///< the largest resident set
};

struct RunOptions {
  std::string_view input;                                        ///< all of standard input
  std::chrono::milliseconds timeout = std::chrono::seconds(60);  ///< then it and its children are killed
  std::filesystem::path folder;                                  ///< the working folder; this one if empty
  std::vector<std::pair<std::string, std::string>> environment;  ///< set on top of this program's
};

/// Runs `command[0]`, looked up in PATH if it holds no slash. 127: it could not be started.
RunResult run_command(const std::vector<std::string>& command, const RunOptions& options = {});

/// Runs the `reckon` of this build.
RunResult run_program(const std::vector<std::string>& args, const RunOptions& options);
RunResult run_program(const std::vector<std::string>& args, std::string_view input = {},
                      std::chrono::milliseconds timeout = std::chrono::seconds(60));

}  // namespace reckon::test
