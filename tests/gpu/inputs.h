// Inputs that find mistakes of kernels, as files that NumPy reads.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace reckon::test {

/// `kind`:
///   random    of a normal distribution
///   specials  the same, with zeros, subnormals, huge numbers, infinities and NaNs
///   bounds    of every exponent, many around 2^-90 and 2^60, where quick divisions end
///   level     of one size in each row, so that a quick division does all of it or none
///   arguments of exp: its ends, and what lies between
///   deep      from -110 to 0: for a softmax, exponentials of every size
///   edges     where exponentials and their quotients become subnormal or 0
///   huge      around 1e37
///   mixed     rows of these kinds in turn
inline std::vector<float> inputs(const std::string& kind, std::size_t count, std::size_t row, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> unit(0, 1);
  const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  static constexpr float specials[] = {0,      -0.0f,    1e-45f,    -3e-39f, 1.2e-38f, 3.4e38f,
                                       -3e38f, infinity, -infinity, NAN,     1,        -1};
  static constexpr float edges[] = {0,       -60.0f,   -62.2f,   -62.4f,  -62.6f, -87.3f, -87.4f,    -88.7f,  -100,
                                    -103.2f, -103.97f, -103.98f, -104.1f, -120,   -1e38f, -infinity, -1e-45f, -1e-8f};
  static constexpr float of_exp[] = {NAN,       infinity, -infinity, 0,        -0.0f,    88.7f,   88.72283f,
                                     88.72284f, 88.8f,    89,        128,      1e4f,     3.4e38f, -3.4e38f,
                                     -87.33f,   -87.34f,  -88,       -103.97f, -103.98f, -104,    -110,
                                     -150,      1e-45f,   -1e-45f,   1e-38f,   1e-8f};
  static constexpr int powers[] = {-140, -127, -126, -120, -91, -90, -89, -60, 0, 30, 59, 60, 61, 100, 120};
  static constexpr const char* kinds[] = {"random", "deep", "edges", "specials", "huge"};
  std::vector<float> out(count);
  int power = 0;
  std::string of_row = kind;
  for (std::size_t k = 0; k < count; ++k) {
    if (k % row == 0) {
      power = pick(powers);
      if (kind == "mixed") of_row = kinds[k / row % 5];
    }
    float x = normal(random);
    if (of_row == "specials" && unit(random) < 6.0f / static_cast<float>(row)) x = pick(specials);
    else if (of_row == "bounds")
      x = std::ldexp(std::copysign(1 + unit(random) * 0.999f, x),
                     random() % 2 != 0 ? static_cast<int>(random() % 277) - 149 : pick(powers));
    else if (of_row == "level") x = std::ldexp(x, power);
    else if (of_row == "arguments") x = random() % 2 != 0 ? pick(of_exp) : x * 60;
    else if (of_row == "deep") x = -unit(random) * 110;
    else if (of_row == "edges") x = pick(edges);
    else if (of_row == "huge") x *= 1e37f;
    out[k] = x;
  }
  return out;
}

/// A file of version 1.0 of NumPy's format, row-major; `type` is the element type as NumPy writes it.
inline std::string npy_file(const std::vector<std::size_t>& shape, const std::string& type, const std::string& bytes) {
  std::string extents;
  for (const std::size_t extent : shape) extents += std::to_string(extent) + ",";
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + extents + "), }";
  header.append(64 - (header.size() + 11) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  return out + bytes;
}
inline std::string npy_file(const std::vector<std::size_t>& shape, const std::vector<float>& values) {
  return npy_file(shape, "<f4",
                  std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
}

}  // namespace reckon::test
