// The rows of FPSan's published tables as pairs of circuits.
#pragma once

#include <string>
#include <vector>

namespace reckon::algebra {

/// What `padic` must say of a row: equal or different wherever both sides are defined; a law that its order does not
/// follow (about half of all inputs differ); no value at all.
enum class Padic : std::uint8_t { equal, differs, not_followed, undefined };

struct Row {
  std::string name;
  /// Bodies over v[i, 0] to v[i, width - 1]; three more elements x, y, z; and u, w, which are positive in `padic`.
  std::string left, right;
  std::string published;  ///< on how many inputs FPSan differs, or agrees, as measured on Triton; may be empty
  double fpsan = 1;       ///< the probability that FPSan differs, by the argument beside the row
  Padic padic = Padic::equal;
  double defined = 1;  ///< the least part of inputs on which `padic` must have a value
  std::string format = "f32";
  int width = 8;
  std::string semantics = "fpsan";
  /// x and y are patterns whose payloads differ by a multiple of 2^24, in both rings.
  bool forgotten_digits = false;

  std::string program() const;
};

/// True identities over the reals; and circuits that are different.
std::vector<Row> identities();
std::vector<Row> bugs();

}  // namespace reckon::algebra
