// The digit rule of composition (docs/layouts.md): in which digits of a the steps of b land. It is sound because each
// digit of b(c) is the sum, without a carry, of what the leaves of b add to it. Beyond the rule stated there, a leaf
// may move several digits at once: s:d is s:a(d) if s - 1 steps, each the digits of d, reach no radix.
#pragma once

#include <string>
#include <vector>

#include "layout/modes.h"

namespace reckon::layout {

/// The digits of an index of `a`, past its end too: coalesced modes, the last of which has no bound (its extent is what
/// `a` has of it). At least one.
Modes digits_of(const Layout& a);

/// layout(index) by these digits; nothing on overflow, or if the index is negative and there are several.
std::optional<std::int64_t> at_digits(const Modes& digits, std::int64_t index);

/// Whether the layout of these digits maps each of some bits of an index to bits that no other one maps to, so that it
/// is linear over these bits.
bool bitwise_on(const Modes& digits, std::int64_t bits);

/// The result for one leaf of b: the modes that it becomes, and how much it may add to each digit.
struct Placed {
  struct Step {
    enum class How {
      still,    ///< extent 1 or stride 0
      skips,    ///< the step is a multiple of the radix: divided by it, on to the next digit
      stays,    ///< all steps stay below the radix
      crosses,  ///< the steps fill the digit exactly, and go on in the next
      rests,    ///< the last digit takes the rest
      spreads,  ///< a step moves several digits at once, and none of them reaches its radix
      carries,  ///< none of these: refused
    } how{};
    std::size_t digit = 0;
    Mode leaf{};             ///< what is left of b's leaf before this step
    Mode emitted{1, 0};      ///< the mode that the step emits, if any
    std::int64_t reach = 0;  ///< the most that it adds to the digit
  };
  std::vector<Step> steps;
};

/// Why the rule refuses.
struct Carry {
  enum class Why { step, sum, negative, overflow } why{};
  std::size_t leaf = 0;   ///< of b
  std::size_t digit = 0;  ///< of a
};

class DigitRule {
 public:
  explicit DigitRule(const Modes& digits);

  /// Places the next leaf of b and appends what it gives; false if refused.
  bool place(const Mode& leaf, Modes& out, Placed* trace = nullptr);
  /// After all leaves: false if the leaves carry together.
  bool finish();

  const std::optional<Carry>& refusal() const { return refusal_; }
  /// The most that the leaves together add to a digit.
  std::int64_t use(std::size_t digit) const { return uses_[digit]; }

 private:
  bool refuse(Carry::Why why, std::size_t digit);
  bool spread(Mode rest, std::size_t from, Modes& out, Placed* trace);
  bool emit(std::size_t digit, std::int64_t extent, std::int64_t step, Modes& out);

  const Modes& digits_;
  Small<std::int64_t> uses_;
  std::size_t leaf_ = 0;
  std::optional<Carry> refusal_;
};

}  // namespace reckon::layout
