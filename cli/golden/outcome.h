// What a run of a program comes to, beside what was expected of it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/golden/children.h"
#include "cli/golden/difference.h"
#include "cli/golden/expectation.h"

namespace reckon::golden {

enum class Verdict {
  passes,
  differs,     ///< from what was expected
  missing,     ///< nothing says what is expected
  twice,       ///< what is expected stands beside the program and in it
  alone,       ///< what is expected is there, and the program is not
  unreadable,  ///< a file
  refused,     ///< by the program: wrong usage
  device,      ///< or a tool that was needed is missing
  no_end,      ///< within the time limit
  too_long,    ///< an output
  crashes,
  updated,    ///< the expected output is another now
  written,    ///< and was none before
  unwritten,  ///< it cannot be written
};

/// What follows of a verdict.
struct Consequence {
  const char* word;        ///< as reports begin with it, 9 characters at most
  const char* of_several;  ///< the same for several programs
  int status;              ///< the exit status that it leads to: docs/command_line.md
  const char* junit;       ///< the element of a JUnit report; null where all is good
};
const Consequence& consequence(Verdict verdict);

struct Outcome {
  std::string program;  ///< its path
  Verdict verdict = Verdict::passes;
  std::string sentence;          ///< what is wrong, or what was written; may be empty
  std::string details;           ///< the last lines of what it wrote, where that helps
  std::string expected, actual;  ///< if it differs, is missing or was updated
  std::string expected_file;     ///< where the expected text stands, or would
  std::size_t line = 1;          ///< its first line in that file
  double seconds = 0;

  /// The two names and the parts that differ; empty if nothing does.
  std::string difference(DifferenceStyle style) const;
};

/// What the run of the program at this path comes to.
Outcome judged(const std::string& program, const Expectation& expectation, Ended ended, const ChildrenOptions& options);

/// The last lines of a text, ten at most.
std::string last_lines(const std::string& text);

/// How many outcomes have each word, in the order of the verdicts; words that none has are left out.
std::vector<std::pair<const Consequence*, std::size_t>> tally(const std::vector<Outcome>& outcomes);

}  // namespace reckon::golden
