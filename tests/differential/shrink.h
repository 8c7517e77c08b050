// From a program on which evaluators disagree to a small one that shows the same.
#pragma once

#include <functional>

#include "tests/differential/evaluate.h"
#include "tests/differential/program.h"

namespace reckon::differential {

struct Case {
  GeneratedProgram program;
  Question question;   ///< its texts are the program's
};

/// Puts the program's texts into the question.
void write_out(Case& each);

struct ShrinkOptions {
  int questions = 3000;     ///< at most
  double seconds = 60;      ///< at most
  /// Stands in for `ask`, for tests of the shrinker.
  std::function<std::optional<Disagreement>(const Question&)> ask;
};

struct Shrunk {
  Case smallest;
  Disagreement disagreement;
  int questions = 0;
};

/// Cuts while the same variant goes on to disagree in the same way: lets, parameters and circuits left out, expressions
/// replaced by what stands inside them or by a literal, simpler schedules, smaller sizes, simpler arguments.
Shrunk shrink(Case failing, Disagreement disagreement, const ShrinkOptions& options = {});

/// All that is needed to see it again.
std::string report(const Case& failing, const Disagreement& disagreement);

}  // namespace reckon::differential
