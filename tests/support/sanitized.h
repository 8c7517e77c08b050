// What is different where the tests run under the sanitizers: programs take several times as long, and freed memory is kept.
#pragma once

#include <string>
#include <vector>

namespace reckon::test {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// A command whose checks have the time that they need under the sanitizers, instead of the usual budget.
inline std::vector<std::string> with_time(std::vector<std::string> command) {
  if (sanitized) command.insert(command.end(), {"--budget", "80"});
  return command;
}

}  // namespace reckon::test
