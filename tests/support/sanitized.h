// Where the tests run under the sanitizers, programs take several times as long, and freed memory is kept.
#pragma once

#include <string>
#include <vector>

namespace reckon::test {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// A command whose checks have more time than the usual budget: on a busy machine, and under the sanitizers.
inline std::vector<std::string> with_time(std::vector<std::string> command) {
  command.insert(command.end(), {"--budget", "80"});
  return command;
}

}  // namespace reckon::test
