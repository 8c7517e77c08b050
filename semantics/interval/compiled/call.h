// The functions of intervals for which there is no code (functions.h, lacks_code): compiled code on the host calls the
// interpreter's own, so that the endpoints are the same.
#pragma once

#include <cstdint>

namespace reckon::codegen {

struct CalledEndpoints {
  double low, high;
};

/// The symbol that the code refers to, with C's calling convention: the JIT gives it the address of the function below.
inline constexpr const char* interval_call_name = "reckon_interval_function";

/// `op` of one interval or two, given by their ends, the lower one first; the second operand of a function of one does
/// not count. The result is arbitrary if no value of the operands lies in the domain. Several threads may call it at
/// once.
CalledEndpoints interval_function(std::int32_t op, double low, double high, double second_low, double second_high);

}  // namespace reckon::codegen
