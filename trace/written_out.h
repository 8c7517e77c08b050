// Circuits of kernels that are not regular: operation by operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/program.h"

namespace reckon::trace {

inline constexpr std::size_t most_written = 50'000;  ///< operations

/// A circuit with a `let` for each operation that the outputs' nodes are made of. Nothing, and why in `problem`, if
/// there are too many, if not all elements are computed, or if the language lacks an operation.
std::optional<Circuit> written_out(const ptx::Trace& trace, const std::vector<Argument>& arguments,
                                   std::uint32_t output, const std::string& name,
                                   const std::vector<std::int64_t>& elements, const std::vector<std::uint32_t>& nodes,
                                   std::string& problem);

}  // namespace reckon::trace
