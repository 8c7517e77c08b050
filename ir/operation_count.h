// How much arithmetic a circuit states, counted without running it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "ir/module.h"

namespace reckon::ir {

/// How often each scalar operation is carried out if every value is computed once for each combination of the indices
/// that it depends on. A reduction of n leaves counts n - 1 joins, and a product that a schedule fuses still counts as
/// a product and a sum. Conversions, comparisons and selections are counted under their own names; reading an element
/// is not counted. The function has no dimensions left. The result is empty if an extent depends on an index, or if a
/// count does not fit.
std::optional<std::map<Op, std::int64_t>> operation_counts(const Module& module, const Function& function);

/// The floating-point operations among them, as machines are rated: fma is two.
std::int64_t arithmetic_operations(const std::map<Op, std::int64_t>& counts);

}  // namespace reckon::ir
