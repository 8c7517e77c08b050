// Loops of two circuits that are equal, by induction over their rounds.
#pragma once

#include <functional>

#include "ir/module.h"

namespace reckon::ir::normal {

/// `right`, which is a body in the dimensions of `left`, with a loop of `left` in the place of each loop that is proved
/// to give the same. Two loops with as many rounds do if their starts are equal, and if the next states are equal in
/// any round, whatever the state, provided that both start from the same one. `proves` says whether it proves two
/// circuits with one list of parameters equal.
NodeId with_equal_loops(Module& module, const Function& left, NodeId right,
                        const std::function<bool(const Function& left, const Function& right)>& proves);

}  // namespace reckon::ir::normal
