// A function of a shared library that adds numbers.
#pragma once

#include <chrono>
#include <string>

#include "reveal/box.h"

namespace reckon::reveal {

struct LibraryOptions {
  std::string path;                                              ///< of the library
  std::string symbol;                                            ///< the function's name in it
  std::string signature;                                         ///< see below
  std::chrono::milliseconds timeout = std::chrono::seconds(60);  ///< of one call
};

/// The parts of a signature: the types of result and elements, and whether it takes two vectors.
struct Signature {
  Format input = Format::f32, result = Format::f32;
  bool products = false;
  std::vector<std::string> parameters;  ///< `x`, `y`, `n`, `int n`, `1`, in order
};

/// R(P, ...) with R one of f32, f64; and P, in one of these orders, T being f64, f32, f16 or bf16 (the latter two as
/// 16-bit patterns), `n` a 64-bit and `int n` a 32-bit count:
///   (const T*, n)  (const T*, int n)  (n, const T*)  (int n, const T*)  (int n, const T*, 1)
///   (const T*, const T*, n)  (const T*, const T*, int n)  (n, const T*, const T*)  (int n, const T*, const T*)
///   (int n, const T*, 1, const T*, 1), as in BLAS.
Expected<Signature> parse_signature(const std::string& text);

/// The library is opened, and its function called, in a process of its own. E0621 if there is no such library or
/// function.
Expected<Box> library_box(const LibraryOptions& options);

}  // namespace reckon::reveal
