// What `reckon test` prints.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/console.h"
#include "cli/golden/outcome.h"

namespace reckon::cli {

/// Prints outcomes in the order of the programs, each as soon as those before it are there: the order in which programs
/// end is not to be seen.
class TestReport {
 public:
  /// `updating`: the expected outputs that differ are rewritten.
  TestReport(const Common& common, Console& console, std::size_t count, bool updating);
  void add(std::size_t index, golden::Outcome outcome);
  /// Prints what waits for others that will not come, and the last line. Gives all outcomes that are known.
  std::vector<golden::Outcome> finish(double seconds, std::size_t at_once);

 private:
  void wipe();
  void print(const golden::Outcome& outcome);
  void print_json(const golden::Outcome& outcome);
  void print_summary(const std::vector<golden::Outcome>& all, double seconds, std::size_t at_once);

  const Common& common_;
  Console& console_;
  golden::DifferenceStyle style_;
  std::vector<golden::Outcome> outcomes_;
  std::vector<bool> known_;
  std::size_t printed_ = 0, differing_ = 0;
  bool updating_, shows_progress_ = false, all_good_ = true;
};

}  // namespace reckon::cli
