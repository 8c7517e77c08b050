// One trial of a check: draw inputs, evaluate both sides, compare every element.
#pragma once

#include <map>

#include "check/inputs.h"
#include "check/orders.h"
#include "check/redraw.h"
#include "check/ring.h"
#include "check/within_bound.h"

namespace reckon::check {

/// How many floats were compared with the answers that a profile allows.
struct AcceptedTally {
  std::int64_t floats = 0, outside = 0;
  std::int64_t unbounded = 0;  ///< where the profile allows anything
  double worst_ulps = 0, used = 0;  ///< as in Judged
  std::map<std::string, std::int64_t> reasons;

  void add(const AcceptedTally& more);
  Judged judged(std::string what) const;
};

struct TrialResult {
  interp::Truth truth = interp::Truth::yes;
  std::optional<Counterexample> counterexample;  ///< where truth is `no`
  std::vector<interp::Argument> arguments;       ///< the inputs of a counterexample
  std::vector<std::string> notes;                ///< why it is unknown; what a `no` means
  mpq_class largest = 0;                         ///< `within bound`: the largest difference that rounding explains
  std::optional<PowerSeen> power;                ///< `within bound`: what this trial would have noticed
  std::optional<OrdersSeen> orders;              ///< `within orders`: what was seen of the farthest element
  std::vector<RingTally::Element> elements;      ///< in a ring that draws its own elements
  AcceptedTally accepted;                        ///< where floats are held against permitted answers
  Family family = Family::unit;                  ///< of the inputs
  std::int64_t compared = 0;                     ///< results
  bool any_finite = false;                       ///< whether a result was a number on both sides
  bool no_value = false;                         ///< neither side has a value on these inputs (exact)
  bool no_defined_inputs = false;                ///< no inputs were found for which all is defined
};

/// The trials of one check, run one after the other; every thread has its own object.
class Trial {
 public:
  static Expected<Trial> make(ir::Module& module, const frontend::ElaboratedItem& item, interp::Semantics& semantics,
                              const interp::EvaluateOptions& options);

  /// `redraws`: inputs for which something is undefined are drawn again.
  Expected<TrialResult> run(const ir::Dimensions& sizes, std::int64_t trial, bool redraws) const;

  /// The same on one of the choices of pieces into which the trial's ranges are cut (Inputs::pieces).
  Expected<TrialResult> run_piece(const ir::Dimensions& sizes, std::int64_t trial, std::int64_t piece,
                                  bool redraws) const;

  /// The same on given inputs.
  Expected<TrialResult> compare(const ir::Dimensions& sizes, Drawn inputs, bool redraws) const;

  const Inputs& inputs() const { return inputs_; }
  bool within_bound() const { return within_bound_ != nullptr; }

 private:
  Trial(ir::Module& module, const frontend::ElaboratedItem& item, interp::Semantics& semantics,
        const interp::EvaluateOptions& options)
      : module_(module), item_(item), semantics_(semantics), options_(options), inputs_(module, item, semantics) {}

  Expected<TrialResult> compare_sides(const ir::Dimensions& sizes, Drawn& inputs, bool redraws) const;
  /// The result if a side stops because it has no value (`exact`): both sides stop, or it is a difference.
  TrialResult without_value(const ir::Dimensions& sizes, Drawn& inputs, const Expected<std::vector<interp::Values>>& left,
                            const Expected<std::vector<interp::Values>>& right) const;
  /// Whether an element has no value, under `exact`.
  bool lacks_value(const interp::Values& values, std::int64_t i) const;
  TrialResult element_without_value(const ir::Dimensions& sizes, Drawn& inputs, const interp::Values& left,
                                    const interp::Values& right, std::int64_t i) const;
  bool is_informative(Family family, ir::Scalar scalar, const std::byte* a, const std::byte* b) const;
  /// Whether a value is a number: not NaN, infinite, unbounded or empty.
  bool is_finite(ir::Scalar scalar, const std::byte* value) const;
  Expected<TrialResult> compare_bounds(const ir::Dimensions& sizes, Drawn& inputs) const;
  Expected<TrialResult> compare_orders(const ir::Dimensions& sizes, Drawn& inputs) const;
  Expected<TrialResult> compare_range(const ir::Dimensions& sizes, Drawn& inputs) const;
  /// Whether the right side's floats are among the left side's answers (accepted.cpp).
  Expected<TrialResult> compare_accepted(const ir::Dimensions& sizes, Drawn& inputs) const;
  /// The right side's results under a semantics of floats, if it is another circuit or a library's function.
  Expected<std::vector<interp::Values>> right_side(interp::Semantics& floats, const ir::Dimensions& sizes,
                                                   const std::vector<interp::Argument>& arguments) const;
  bool any_undefined(const std::vector<interp::Values>& values) const;
  Diagnostic different_shapes(const interp::Values& a, const interp::Values& b) const;
  Diagnostic about_signatures(const Diagnostic& refusal) const;
  Counterexample witness(const ir::Dimensions& sizes, Drawn& inputs, const std::vector<std::int64_t>& shape,
                         std::int64_t element, interp::Rendering left) const;

  ir::Module& module_;
  const frontend::ElaboratedItem& item_;
  interp::Semantics& semantics_;
  interp::EvaluateOptions options_;
  Inputs inputs_;
  std::unique_ptr<WithinBound> within_bound_;
  std::unique_ptr<WithinOrders> within_orders_;
};

}  // namespace reckon::check
