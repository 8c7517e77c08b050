// The functions of functions/ over arrays of f64: each result gives the exact value rounded to nearest, if it is
// rounded to the format of its argument, an f32 or narrower (functions/functions.h).
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "numerics/elementary.h"

namespace reckon::numerics {

/// Uses the fastest instructions that this machine has; the results do not depend on it.
void wide_function(Function function, const double* x, double* result, std::size_t count);
void wide_function(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count);

/// These compute one element at a time, on any machine.
namespace portable {
void wide_function(Function function, const double* x, double* result, std::size_t count);
void wide_function(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count);
}  // namespace portable

/// Calls `run` with the function as a template argument.
template <class Chosen, class Run>
void with_function(Chosen function, Run&& run) {
  constexpr int count = std::is_same_v<Chosen, Function> ? function_count : binary_function_count;
  [&]<int... index>(std::integer_sequence<int, index...>) {
    ((static_cast<int>(function) == index ? run.template operator()<static_cast<Chosen>(index)>() : void()), ...);
  }(std::make_integer_sequence<int, count>());
}

}  // namespace reckon::numerics
