// A function of a shared library, `float my_exp(float)`, as what computes one side of a check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/type.h"

namespace reckon::ir {

/// A symbol says nothing of its signature: the caller has to know it. `arguments`, one to three, and `out` are `count`
/// elements each, of one format out of `library_formats`; the function is called for one after the other, rounding to
/// nearest and keeping subnormals, by one thread at a time.
struct LibraryFunction {
  static constexpr std::size_t most_arguments = 3;
  std::string path, symbol;
  std::function<void(Scalar, const std::vector<const std::uint8_t*>& arguments, std::size_t count, std::uint8_t* out)>
      call;
};

/// `double`, `float`, `_Float16` in C; null for a format that C's functions do not have.
constexpr const char* c_type(Scalar scalar) {
  return scalar == Scalar::f64 ? "double" : scalar == Scalar::f32 ? "float" : scalar == Scalar::f16 ? "_Float16" : nullptr;
}

}  // namespace reckon::ir
