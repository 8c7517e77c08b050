// Tests that would do the same for each of several targets (chips, processors, semantics) do it for one of them in turn.
//   RECKON_ALL_TARGETS=1     for all of them: `./dev deep targets`
// Their cases have the tag [targets].
#pragma once

#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

namespace reckon::test {

inline bool all_targets() { return std::getenv("RECKON_ALL_TARGETS") != nullptr; }

/// Deals targets to those who ask.
template <class Target>
class InTurn {
 public:
  explicit InTurn(std::vector<Target> targets) : targets_(std::move(targets)) {}

  /// The next one, or all.
  std::vector<Target> next() {
    if (all_targets()) return targets_;
    return {targets_[asked_++ % targets_.size()]};
  }

 private:
  std::vector<Target> targets_;
  std::size_t asked_ = 0;
};

}  // namespace reckon::test
