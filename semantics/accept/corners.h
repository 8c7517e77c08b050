// How the suite treats a function of several numbers: it is evaluated at the ends of their intervals, each end in its
// roundings and flushed. If one result is not finite, all of them become unbounded.
#pragma once

#include <functional>

#include "interp/evaluate.h"
#include "semantics/accept/rules.h"

namespace reckon::interp::accept {

/// Computes the results for one choice of arguments.
using AtCorner =
    std::function<std::optional<Diagnostic>(const std::vector<const Values*>& arguments, std::vector<Values>& results)>;

std::optional<Diagnostic> at_corners(Semantics& semantics, const Rules& rules, const Semantics::Call& call,
                                     std::uint16_t operation, const AtCorner& at, std::vector<Values>& out);

/// Results in which all elements are the same. `operation`: Answers::operation.
std::vector<Values> all_of(Semantics& semantics, const Semantics::Call& call, const Answers& answers);

/// How the results of two choices are combined: including what lies between them, or as alternatives.
enum class Joining { hull, alternatives, merged };
void join(std::vector<Values>& results, const std::vector<Values>& more, Joining how);

}  // namespace reckon::interp::accept
