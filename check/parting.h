// Where two evaluations of one reduction diverge: the first node of the second tree that covers the same leaves as a
// node of the first tree and has a different value.
#pragma once

#include <string>
#include <vector>

#include "interp/evaluate.h"
#include "ir/bind.h"

namespace reckon::check {

/// A sentence on the element `element` of the results, or nothing where the circuits are not two reductions of at most
/// 4,096 equal leaves.
std::string find_parting(ir::Module& module, const ir::Function& left, const ir::Function& right,
                         interp::Semantics& semantics, const std::vector<interp::Argument>& arguments,
                         const ir::Dimensions& sizes, const interp::Values& result, std::int64_t element);

}  // namespace reckon::check
