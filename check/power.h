// The power of a check `within bound`: which bugs it would have detected. A dropped leaf changes a sum by the size of
// the leaf, and an f16 accumulator changes it by its rounding errors. Both changes are compared with the allowance, on
// the inputs of the check.
#pragma once

#include <map>

#include "check/check.h"
#include "check/opened_sum.h"

namespace reckon::check {

/// The allowance for one element of a result.
struct Allowance {
  std::int64_t element = 0;
  double allowed = 0;
  double left = 0, right = 0;  ///< the two results
};

/// What was observed of one pair of results.
struct PowerSeen {
  enum class Leaf : std::uint8_t { zero, hidden, shown };
  double allowed = 0;          ///< the largest allowance of an element
  double result = 0;           ///< the result of that element
  std::vector<Leaf> leaves;    ///< whether each would be missed; empty where the leaves are not defined
  std::optional<bool> narrow;  ///< whether an f16 accumulator would have shown; nothing where it is not asked

  /// What a later pair of the same sizes showed: a leaf is shown where any of them shows it.
  void add(const PowerSeen& later);
};

/// `circuit` is the side that a circuit computes, on the left or on the right. `most` is the largest allowance of all
/// elements. `allowances` has those of some elements, evenly spread; none if the circuit has several results.
PowerSeen power_of(ir::Module& module, const ir::Function& circuit, bool on_left, const Allowance& most,
                   const std::vector<Allowance>& allowances, const std::vector<interp::Argument>& arguments,
                   const ir::Dimensions& sizes, const interp::EvaluateOptions& options);

/// Of all trials: a leaf is shown where any trial of its size shows it.
class PowerTally {
 public:
  void add(const ir::Dimensions& sizes, const PowerSeen& seen);
  bool any() const { return any_; }
  /// Whether a dropped leaf would have been detected for fewer than half of the leaves, so that the check shows little.
  bool lacking() const;
  /// `allows 480 (105 % of the result); a dropped leaf would have shown for 0 of 100000; an f16 accumulator would not`.
  std::string text() const;
  /// The facts for a verdict's evidence.
  std::vector<Fact> evidence() const;

 private:
  struct Count {
    std::int64_t shown = 0, leaves = 0, zeros = 0;
  };
  Count count() const;

  bool any_ = false;
  double allowed_ = 0, result_ = 0;
  std::map<ir::Dimensions, std::vector<PowerSeen::Leaf>> leaves_;
  std::optional<bool> narrow_;
};

}  // namespace reckon::check
