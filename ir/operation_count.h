// How much arithmetic a circuit states, counted without running it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "ir/module.h"

namespace reckon::ir {

/// How often each scalar operation is carried out if every value is computed once, for each combination of the indices
/// that it depends on: a reduction of n leaves joins n - 1 times, and what a schedule fuses is still a product and a sum.
/// Conversions, comparisons and choices are counted as what they are; reading an element is nothing. The function has no
/// dimensions left. Nothing if an extent depends on an index, or a count does not fit.
std::optional<std::map<Op, std::int64_t>> operation_counts(const Module& module, const Function& function);

/// The floating-point operations among them, as machines are rated: fma is two.
std::int64_t arithmetic_operations(const std::map<Op, std::int64_t>& counts);

}  // namespace reckon::ir
