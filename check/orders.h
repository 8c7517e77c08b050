// `check f ~ y within orders`: a bug, or rounding? asked of thousands of orders that are carried out.
//
// y is told by its distance from the nearest result of theirs, in units of the largest standard deviation that any
// family of orders shows (numerics/orders/sample.h). A distance below 4 holds, above 8 fails; between, it stays open.
// A y that is near but a number of a narrower format, as the orders' results are not, stays open, too: an accumulator of
// that format may have come near by chance. This is an observation, never a proof: other orders may give more, and a bug
// may be as small as rounding is.
#pragma once

#include "check/check.h"
#include "check/opened_sum.h"
#include "frontend/elaborate.h"

namespace reckon::check {

/// What was seen of one element of a result: numbers, which `evidence` puts into words.
struct OrdersSeen {
  double distance = 0;      ///< from the nearest result
  double unit = 0;          ///< of distances: the spread; 0 where all orders give one result
  double times = 0;         ///< distance / unit; infinite where unit is 0 and the distance is not
  std::int64_t orders = 0;  ///< how many were carried out
  std::int64_t leaves = 0;  ///< of the sum
  std::int64_t elements = 0,
               elements_of = 0;  ///< how many of the result's elements were tried, the most different first
  std::string low, high;         ///< the least and greatest result of the orders; empty where none is finite
  double probable = 0;           ///< what rounding errors that are independent explain; 0: unknown
  bool attained = false;         ///< some order gives exactly this
  std::optional<numerics::Format> narrower;  ///< y is a number of this format, and hardly any order's result is

  /// `41 times the spread of 4000 orders (-459.29 to -459.25)`.
  std::string text() const;
  /// For a verdict's evidence.
  std::vector<Fact> evidence() const;
};

class WithinOrders {
 public:
  struct Finding {
    interp::Truth truth = interp::Truth::yes;
    std::vector<std::int64_t> shape;  ///< of the result
    std::int64_t element = 0;         ///< the farthest
    interp::Rendering left, right;    ///< it, as `float` shows it
    std::string distance;             ///< `3 ulp`
    OrdersSeen seen;                  ///< of it
    bool any_finite = false;          ///< a result is a number on one side
    std::string why_unknown;          ///< where truth is `unknown`
  };

  /// Or why the question has no meaning here.
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
  numerics::OrderSet set_ = numerics::OrderSet::any;  ///< that the check names
  std::unique_ptr<interp::Semantics> floats_;
};

}  // namespace reckon::check
