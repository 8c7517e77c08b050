// Calls a box with probes: an input with a mask at one leaf, its negative at another leaf, and units elsewhere.
#pragma once

#include <optional>
#include <string>

#include "reveal/reveal.h"
#include "reveal/units.h"

namespace reckon::reveal {

class Prober {
 public:
  Prober(const Box& box, const Question& question, Units units);

  /// The number of units that survive a mask at leaf i and its negative at leaf j, 0 to n - 2.
  Expected<Count> survivors(std::int64_t i, std::int64_t j);
  /// The same question about leaves that hold whatever `x` says.
  Expected<std::uint64_t> ask(Input input);
  /// The sum of n units.
  Expected<Count> all_units();

  const Units& units() const { return patterns_; }
  std::uint64_t negative(std::uint64_t bits) const { return bits ^ numerics::sign_bit(question_.formats.input); }
  std::int64_t calls() const { return calls_; }
  const Question& question() const { return question_; }

 private:
  const Box& box_;
  const Question& question_;
  Units patterns_;
  Input units_;  ///< a unit at each leaf
  std::int64_t calls_ = 0;
};

}  // namespace reckon::reveal
