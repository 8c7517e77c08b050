// The suite's way with a function of several numbers: it is looked at in the ends of their intervals, each end in its
// roundings and flushed; one result that is not finite makes all of them unbounded.
#pragma once

#include <functional>

#include "interp/evaluate.h"
#include "semantics/accept/rules.h"

namespace reckon::interp::accept {

/// Gives the results at a choice of arguments.
using AtCorner =
    std::function<std::optional<Diagnostic>(const std::vector<const Values*>& arguments, std::vector<Values>& results)>;

std::optional<Diagnostic> at_corners(Semantics& semantics, const Rules& rules, const Semantics::Call& call,
                                     std::uint16_t operation, const AtCorner& at, std::vector<Values>& out);

/// Results of which each is the same for all elements. `operation`: Answers::operation.
std::vector<Values> all_of(Semantics& semantics, const Semantics::Call& call, const Answers& answers);

/// What two choices give, together: what lies between them as well, or as alternatives.
enum class Joining { hull, alternatives, merged };
void join(std::vector<Values>& results, const std::vector<Values>& more, Joining how);

}  // namespace reckon::interp::accept
