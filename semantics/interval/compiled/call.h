// What compiled code for the host calls for those functions of intervals with f64 ends that it has not itself: the
// interpreter's own, so that the ends are its ends.
#pragma once

#include <cstdint>

namespace reckon::codegen {

struct CalledEndpoints {
  double low, high;
};

/// The symbol that the code refers to, with C's calling convention: the JIT gives it the address of the function below.
inline constexpr const char* interval_call_name = "reckon_interval_function";

/// `op` of two intervals, pow or atan2; the operands' ends, the lower one first. Anything where no value of the
/// operands lies in the domain. Threads may call it at once.
CalledEndpoints interval_function(std::int32_t op, double low, double high, double second_low, double second_high);

}  // namespace reckon::codegen
