// Checks in a ring that draws its own elements (padic): which inputs, how many trials, and what the agreement is worth.
#pragma once

#include <map>

#include "check/degree.h"
#include "check/redraw.h"
#include "sweep/bytes.h"

namespace reckon::check {

/// An input whose elements are drawn from the ring.
struct RingInput {
  std::size_t parameter = 0;
  std::vector<std::int64_t> shape;
  std::int64_t seed = 0;
};

/// Puts the elements of one trial in the places of their parameters. A range that lies above 0 means positive elements,
/// one below 0 negative ones.
void random_elements(const ir::Module& module, const frontend::ElaboratedItem& item, const std::vector<RingInput>& inputs,
                     std::vector<interp::Argument>& arguments);

/// The number of trials if no bound is proven. It grows up to eight times while some output was never defined, and
/// twice while no output was.
inline constexpr std::int64_t ring_trials = 40, ring_redraw_limit = 8, ring_redraw_limit_without_value = 2;

/// What was compared at one size: for every element of the result, whether and how often it was defined.
class RingTally {
 public:
  struct Element {
    bool defined = false, degenerate = false;
    std::string blame;  ///< the operation because of which it is not defined
  };
  /// The elements of a trial's results, one part of a tuple after the other.
  void count(const std::vector<Element>& elements);
  /// What later trials showed.
  void add(const RingTally& later);
  void write(sweep::Writer& out) const;
  static RingTally read(sweep::Reader& in);
  bool all_seen() const { return unseen_.empty() && seen_ > 0; }
  /// Outputs that no trial defined, and an operation to blame.
  std::size_t unseen() const { return unseen_.size(); }
  /// Outputs that were degenerate whenever they were defined.
  std::size_t degenerate() const;
  std::string blame() const { return unseen_.empty() ? std::string() : unseen_.begin()->second; }
  std::uint64_t defined() const { return defined_; }
  std::uint64_t total() const { return total_; }

 private:
  std::vector<bool> known_, sound_;  ///< defined in some trial; defined and not degenerate in some trial
  std::map<std::size_t, std::string> unseen_;  ///< and the operation because of which the first trial did not define it
  std::size_t seen_ = 0;
  std::uint64_t defined_ = 0, total_ = 0;
};

}  // namespace reckon::check
