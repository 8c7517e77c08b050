// Python programs as second opinions.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <string>

#include "tests/support/process.h"

namespace reckon::test {

/// A Python 3 that can import `module`; nothing, and a word, if there is none. $RECKON_PYTHON comes first; Debian's
/// NumPy belongs to /usr/bin/python3, which need not be the first in PATH.
inline std::optional<std::string> python_with(const std::string& module) {
  const char* chosen = std::getenv("RECKON_PYTHON");
  for (const std::string program : {chosen ? chosen : "", "/usr/bin/python3", "python3"}) {
    if (!program.empty() && run_command({program, "-c", "import " + module}).status == 0) return program;
  }
  WARN("skipped: there is no Python here that can import " << module);
  return std::nullopt;
}

}  // namespace reckon::test
