// What operands and results each operation of the kernel IR has. For kernel/verifier.cpp alone.
#pragma once

#include <optional>
#include <string>

#include "kernel/program.h"

namespace reckon::kernel::detail {

/// Whether two types are the same to an operation: fields that mean nothing for their kind do not count.
bool same_type(Type a, Type b);

/// What is wrong with the operation's operands, results, regions' parameters and yields, if anything is. All of them
/// are values of the program.
std::optional<std::string> type_problem(const Program& program, const Operation& operation);

}  // namespace reckon::kernel::detail
