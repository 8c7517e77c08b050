// Names of the functions that say what a thread has of a tensor.
#pragma once

#include <string>

#include "layout/tiled/copy.h"
#include "layout/tiled/mma.h"

namespace reckon::frontend {

constexpr const char* partition_name(layout::Operand which) {
  return which == layout::Operand::a ? "partition_A" : which == layout::Operand::b ? "partition_B" : "partition_C";
}
constexpr const char* partition_name(layout::Side which) {
  return which == layout::Side::source ? "partition_S" : "partition_D";
}

/// The problem, reported for the function that was called.
template <class T>
layout::Result<T> said_of(const char* function, layout::Result<T> result) {
  if (result) return result;
  layout::Problem problem = result.problem();
  problem.message = std::string("`") + function + "`: " + problem.message;
  return problem;
}

}  // namespace reckon::frontend
