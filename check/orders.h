// `check f ~ y within orders`: is a difference a bug, or rounding? The check carries out thousands of orders.
//
// y is judged by its distance from the nearest of their results, in units of the largest standard deviation that any
// family of orders shows (numerics/orders/sample.h). A distance below 4 holds, above 8 fails; in between it stays open.
// It also stays open if y is near but is a number of a narrower format, as the orders' results are not: an accumulator
// of that format may have come near by chance. The verdict is an observation, not a proof: other orders may give more,
// and a bug may be as small as rounding is.
#pragma once

#include "check/check.h"
#include "check/opened_sum.h"
#include "frontend/elaborate.h"

namespace reckon::check {

/// Observations on one element of a result, as numbers; `evidence` describes them.
struct OrdersSeen {
  double distance = 0;      ///< from the nearest result
  double unit = 0;          ///< of distances: the spread; 0 where all orders give one result
  double times = 0;         ///< distance / unit; infinite where unit is 0 and the distance is not
  std::int64_t orders = 0;  ///< how many were carried out
  std::int64_t leaves = 0;  ///< of the sum
  std::int64_t elements = 0,
               elements_of = 0;  ///< how many of the result's elements were tried, the most different first
  std::string low, high;         ///< the least and greatest result of the orders; empty where none is finite
  double probable = 0;           ///< the error that independent rounding errors explain; 0: unknown
  bool attained = false;         ///< whether some order gives exactly y
  std::optional<numerics::Format> narrower;  ///< y is a number of this format, and hardly any order's result is

  /// `41 times the spread of 4000 orders (-459.29 to -459.25)`.
  std::string text() const;
  /// The facts for a verdict's evidence.
  std::vector<Fact> evidence() const;
};

class WithinOrders {
 public:
  struct Finding {
    interp::Truth truth = interp::Truth::yes;
    std::vector<std::int64_t> shape;  ///< of the result
    std::int64_t element = 0;         ///< the one with the largest distance
    interp::Rendering left, right;    ///< the element on both sides, as `float` shows it
    std::string distance;             ///< `3 ulp`
    OrdersSeen seen;                  ///< what was observed of the element
    bool any_finite = false;          ///< a result is a number on one side
    std::string why_unknown;          ///< where truth is `unknown`
  };

  /// Makes the comparison, or says why the question has no meaning for this check.
  static Expected<WithinOrders> make(ir::Module& module, const frontend::ElaboratedItem& item,
                                     const interp::Semantics& semantics);

  Expected<Finding> compare(const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes,
                            const interp::EvaluateOptions& options);

 private:
  WithinOrders(ir::Module& module, const frontend::ElaboratedItem& item) : module_(&module), item_(&item) {}
  Expected<OrdersSeen> look(const OpenedSum& sum, std::int64_t e, numerics::OrderSet set, std::uint64_t own,
                            std::uint64_t other, ir::Scalar scalar, std::int64_t orders,
                            const interp::EvaluateOptions& options) const;

  ir::Module* module_;
  const frontend::ElaboratedItem* item_;
  bool swapped_ = false;                              ///< the circuit is on the right
  numerics::OrderSet set_ = numerics::OrderSet::any;  ///< the set that the check names
  std::unique_ptr<interp::Semantics> floats_;
};

}  // namespace reckon::check
