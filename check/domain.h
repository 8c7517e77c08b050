// The domains of two circuits. If two functions are not defined for the same inputs, their equality claims less than it
// seems to.
#pragma once

#include "check/check.h"
#include "check/watchdog.h"

namespace reckon::check {

/// What a search for inputs without a value found. A hole is an input for which one side has a value and the other has
/// none.
struct Domains {
  bool total = false;             ///< both sides have a value everywhere (totality.h): there are no holes
  std::int64_t points = 0;        ///< inputs that were looked at
  std::int64_t both = 0;          ///< of these, how many have a value on both sides
  struct Hole {
    std::vector<std::pair<std::string, std::int64_t>> dimensions;
    std::vector<WitnessInput> inputs;
    std::string reason;           ///< why that side has no value
    std::string place() const;    ///< `x = -1`, `n = 2, x = [0, 1]`
  };
  std::optional<Hole> left, right;  ///< the first one found of each side
  std::optional<Hole> neither;      ///< the first input found for which the two sides have no value
};

/// Looks for holes at small sizes: at 0, at small integers, at the circuits' constants, and at random inputs of both signs
/// and several magnitudes, within the check's ranges. A side has no value where its exact evaluation says so of an element
/// of its results.
Domains search_domains(ir::Module& module, const frontend::ElaboratedItem& item, const Options& options,
                       const Watchdog& watch);

}  // namespace reckon::check
