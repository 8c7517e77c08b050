// What operands and results each operation of the kernel IR has. For kernel/verifier.cpp alone.
#pragma once

#include <optional>
#include <string>

#include "kernel/program.h"

namespace reckon::kernel::detail {

/// The same for what an operation does with it: fields that mean nothing for the kind do not count.
bool same_type(Type a, Type b);

/// What is wrong with the operation's operands, results, regions' parameters and yields, if anything is. All of them
/// are values of the program.
std::optional<std::string> type_problem(const Program& program, const Operation& operation);

}  // namespace reckon::kernel::detail
