// The values that a builtin circuit has in real numbers. The errors that a profile permits are relative to them.
#pragma once

#include <functional>

#include "interp/evaluate.h"
#include "semantics/accept/rules.h"

namespace reckon::interp::accept {

struct TrueValue {
  Answers anything;  ///< if it is unbounded, the circuit may have no real value there; otherwise the intervals apply
  Interval reals;    ///< holds the true value
  Interval nearest;  ///< holds the true value rounded to nearest in the format, ties to even
};

class TrueValues {
 public:
  using Maker = std::function<std::unique_ptr<Semantics>()>;
  /// `reals`: accept over reals, which encloses what a circuit gives for intervals (Rules::Numbers::reals).
  TrueValues(Maker exact, Maker reals) : make_exact_(std::move(exact)), make_reals_(std::move(reals)) {}

  /// The true values of each element of each result. The arguments are numbers of accept, or intervals. All results are
  /// floats of one format. At points they are as precise as `exact` can tell.
  std::optional<Fault> of(const Semantics::Call& call, const std::vector<const Values*>& arguments,
                          std::vector<std::vector<TrueValue>>& out);

 private:
  std::optional<Fault> at_point(const Semantics::Call& call, const std::vector<const Values*>& arguments,
                                std::vector<std::vector<TrueValue>>& out);

  Maker make_exact_, make_reals_;
  std::unique_ptr<Semantics> exact_, reals_;  ///< made when they are needed
};

}  // namespace reckon::interp::accept
