// The values that a builtin circuit has in real numbers: what the errors that a profile permits to it count from.
#pragma once

#include <functional>

#include "interp/evaluate.h"
#include "semantics/accept/rules.h"

namespace reckon::interp::accept {

struct TrueValue {
  Answers anything;  ///< unbounded: the circuit may have no real value there; otherwise the intervals count
  Interval reals;    ///< holds it
  Interval nearest;  ///< rounded to nearest in the format, ties to even, it lies here
};

class TrueValues {
 public:
  using Maker = std::function<std::unique_ptr<Semantics>()>;
  /// `reals`: accept over reals, which encloses what a circuit gives for intervals (Rules::Numbers::reals).
  TrueValues(Maker exact, Maker reals) : make_exact_(std::move(exact)), make_reals_(std::move(reals)) {}

  /// Of each element of each result; arguments are numbers, or intervals of them, of accept. All results are floats of
  /// one format. At points they are as fine as `exact` can tell.
  std::optional<Fault> of(const Semantics::Call& call, const std::vector<const Values*>& arguments,
                          std::vector<std::vector<TrueValue>>& out);

 private:
  std::optional<Fault> at_point(const Semantics::Call& call, const std::vector<const Values*>& arguments,
                                std::vector<std::vector<TrueValue>>& out);

  Maker make_exact_, make_reals_;
  std::unique_ptr<Semantics> exact_, reals_;  ///< made when they are needed
};

}  // namespace reckon::interp::accept
