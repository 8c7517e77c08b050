// Calls a box with probes: an input with a mask at one leaf, its negative at another leaf, and units elsewhere.
#pragma once

#include <optional>
#include <string>

#include "reveal/reveal.h"
#include "reveal/scale.h"

namespace reckon::reveal {

class Prober {
 public:
  Prober(const Box& box, const Question& question, Scale scale);

  /// The number of units that survive a mask at leaf i and its negative at leaf j, 0 to n - 2; or `odd`, another
  /// result.
  struct Count {
    std::int64_t units = -1;
    std::string odd;
  };
  Expected<Count> survivors(std::int64_t i, std::int64_t j);
  /// The same question about leaves that hold whatever `x` says.
  Expected<std::uint64_t> ask(Input input);
  /// The sum of n units.
  Expected<Count> all_units();

  std::uint64_t mask() const { return mask_; }
  std::uint64_t unit() const { return unit_; }
  std::uint64_t negative(std::uint64_t bits) const { return bits ^ numerics::sign_bit(question_.formats.input); }
  std::int64_t calls() const { return calls_; }
  const Question& question() const { return question_; }

 private:
  Count count(std::uint64_t bits, std::int64_t most) const;

  const Box& box_;
  const Question& question_;
  Scale scale_;
  std::uint64_t mask_ = 0, unit_ = 0, one_ = 0;
  Input units_;
  std::int64_t calls_ = 0;
};

}  // namespace reckon::reveal
