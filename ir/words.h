// The elements of a tensor as words, for loops over all of them.
#pragma once

#include <cstdint>
#include <cstring>

#include "ir/module.h"

namespace reckon::ir {

/// A tensor's elements as unsigned words of their width.
template <class Word, class Byte>
struct Words {
  Byte* bytes;
  Word operator[](std::int64_t i) const {
    Word out;
    std::memcpy(&out, bytes + i * static_cast<std::int64_t>(sizeof out), sizeof out);
    return out;
  }
  void set(std::int64_t i, Word word) const {
    std::memcpy(bytes + i * static_cast<std::int64_t>(sizeof word), &word, sizeof word);
  }
};
/// visit(Words): loops over all elements in it have an instance for each width.
template <class Byte, class Visit>
auto by_words(Scalar scalar, Byte* bytes, Visit&& visit) {
  switch (byte_width(scalar)) {
    case 8: return visit(Words<std::uint64_t, Byte>{bytes});
    case 4: return visit(Words<std::uint32_t, Byte>{bytes});
    case 2: return visit(Words<std::uint16_t, Byte>{bytes});
    default: return visit(Words<std::uint8_t, Byte>{bytes});
  }
}
template <class Tensor, class Visit>
auto by_words(Tensor& tensor, Visit&& visit) {
  return by_words(tensor.scalar, tensor.bytes.data(), visit);
}

}  // namespace reckon::ir
