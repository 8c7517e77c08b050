// Which nodes of a circuit are 0 in real numbers, whatever the inputs are: the error terms of floating-point algorithms,
// which hold what a rounding left out.
#pragma once

#include <cstdint>
#include <vector>

#include "worst/circuit.h"

namespace reckon::compilations {

/// For each node whether it is 0 as a rational function of the inputs and of what functions of them give. It is
/// evaluated at random points modulo the prime 2^61 - 1: a node that is said not to be 0 is not, and one of degree d that
/// is said to be 0 may be another function with a probability of d / 2^61 for each of three points.
std::vector<std::uint8_t> zeros_in_reals(const worst::Circuit& circuit);

}  // namespace reckon::compilations
