// What the states of a reduction by an operation of the program are in closed form, proved by induction over the number
// of leaves.
#pragma once

#include <map>
#include <string>

#include "induction/script.h"

namespace reckon::ir::steps {

/// Proves closed forms of the recurrence's parts, one after the other: a sum, product or largest value of the leaves; a
/// chain v -> p v + q (Horner's rule); a part times e to the power of another (the online softmax), times another (a
/// mean beside its count), or plus such a product (Welford's sum of squares). Of each part that has one: the step that
/// states it, for any number of leaves by the name `count_name`.
std::map<std::size_t, std::size_t> closed_forms(Script& script, const proof::Recurrence& of,
                                                const std::string& count_name);

}  // namespace reckon::ir::steps
