// A function of a shared library, such as `float my_exp(float)`, which computes one side of a check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/type.h"

namespace reckon::ir {

/// A symbol does not tell its signature, so the caller has to know it. Each of the one to three `arguments`, and `out`,
/// has `count` elements of one format that C has (c_type). `call` calls the function for one element after the other,
/// with rounding to nearest and without flushing of subnormals. Only one thread calls it at a time.
struct LibraryFunction {
  static constexpr std::size_t max_arguments = 3;
  std::string path, symbol;
  std::function<void(Scalar, const std::vector<const std::uint8_t*>& arguments, std::size_t count, std::uint8_t* out)>
      call;
};

/// `double`, `float`, `_Float16` in C; null for a format that C's functions do not have.
constexpr const char* c_type(Scalar scalar) {
  return scalar == Scalar::f64 ? "double" : scalar == Scalar::f32 ? "float" : scalar == Scalar::f16 ? "_Float16" : nullptr;
}

}  // namespace reckon::ir
