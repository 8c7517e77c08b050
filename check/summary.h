// What the trials of a sweep showed, so that summaries of neighbouring runs of trials merge into that of all. A trial
// whose details a verdict shows is named by its number: whoever needs the details runs it again.
#pragma once

#include "check/trial.h"
#include "sweep/bytes.h"

namespace reckon::check {

class Summary {
 public:
  /// A trial, and its result if this process has it.
  struct Kept {
    std::int64_t trial = 0;
    std::shared_ptr<const Expected<TrialResult>> result = nullptr;
  };
  /// How a check takes the results of its trials.
  struct Rules {
    bool judges = false;        ///< all results are held against a profile, so that a difference ends nothing
    bool within_bound = false;  ///< trials of our own choice for which there is no bound are passed over
    static Rules of(const frontend::ElaboratedItem& item);
  };

  /// Of the trials from this one on.
  explicit Summary(std::int64_t first) : first(first), last(first) {}
  /// The next trial. After one that ends the sweep, there is none.
  void add(Expected<TrialResult> result, const Rules& rules);
  /// The trials that follow.
  void add(Summary later);
  std::string bytes() const;
  /// Bytes that no `Summary` wrote give an empty one.
  static Summary read(std::int64_t first, std::int64_t last, std::string_view bytes);

  std::int64_t first, last;     ///< trials `first` to `last` - 1 are done
  std::int64_t trials = 0;      ///< that have a result: all but one that is an error
  std::optional<Kept> end;      ///< the one that ends the sweep: a difference, or an error
  std::optional<Kept> open;     ///< the first that left the check open
  std::optional<Kept> noted;    ///< the first of these that says why
  std::optional<Kept> worst;    ///< of those with results that the profile does not permit: the first of the worst
  double worst_ulps = 0;        ///< of that trial
  std::optional<Kept> farthest; ///< `within orders`: the last of those with the largest distance
  double times = 0;             ///< of that trial
  std::int64_t compared = 0;    ///< results
  bool any_finite = false, no_defined_inputs = false;
  std::int64_t no_value = 0;    ///< trials in which neither side has a value
  std::int64_t without_bound = 0;  ///< trials of our own choice for which there is no bound
  mpq_class largest = 0;        ///< difference that rounding explains
  AcceptedTally accepted;
  std::optional<PowerSeen> power;
  RingTally ring;
};

}  // namespace reckon::check
