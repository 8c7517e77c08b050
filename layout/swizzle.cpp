#include "layout/swizzle.h"

#include <bit>
#include <cstdlib>

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

bool contiguous(std::int64_t mask) {
  const auto bits = static_cast<std::uint64_t>(mask);
  return bits != 0 && std::has_single_bit((bits >> std::countr_zero(bits)) + 1);
}

std::string binary(std::int64_t mask) {
  std::string out;
  for (auto bits = static_cast<std::uint64_t>(mask); bits != 0; bits >>= 1) out.insert(out.begin(), "01"[bits & 1]);
  return "0b" + (out.empty() ? "0" : out);
}

}  // namespace

Result<Swizzle> Swizzle::make(int bits, int base, int shift) {
  const Swizzle out{bits, base, shift};
  const std::string what = "the swizzle `" + out.text() + "`";
  if (bits < 0 || base < 0) {
    return Problem{Kind::bad_swizzle, what + " has a negative number of " + (bits < 0 ? "bits" : "base bits")};
  }
  if (base > 62 || bits > 62 || shift > 62 || shift < -62 || base + bits + std::abs(shift) > 62) {
    return Problem{Kind::bad_swizzle, what + " reaches beyond bit 61"};
  }
  if (std::abs(shift) < bits) {
    return Problem{Kind::bad_swizzle,
                   what + " shifts by " + std::to_string(std::abs(shift)) + ", less than its " + std::to_string(bits) +
                       " bits, so that it would change bits that it reads",
                   "the third number is at least the first, or at most its negative"};
  }
  return out;
}

Result<Swizzle> Swizzle::from_masks(std::int64_t read, std::int64_t changed) {
  const std::string what = "a swizzle from the masks `" + binary(read) + "` and `" + binary(changed) + "`";
  if (read == 0 && changed == 0) return Swizzle{};
  if (read < 0 || changed < 0 || !contiguous(read) || !contiguous(changed)) {
    return Problem{Kind::bad_swizzle, what + ": bits of a mask are not next to each other"};
  }
  const int read_bits = std::popcount(static_cast<std::uint64_t>(read));
  const int changed_bits = std::popcount(static_cast<std::uint64_t>(changed));
  if (read_bits != changed_bits) {
    return Problem{Kind::bad_swizzle, what + ": " + std::to_string(read_bits) + " bits are read, and " +
                                          std::to_string(changed_bits) + " changed"};
  }
  if ((read & changed) != 0) return Problem{Kind::bad_swizzle, what + ": a bit is both read and changed"};
  const int from = std::countr_zero(static_cast<std::uint64_t>(read));
  const int to = std::countr_zero(static_cast<std::uint64_t>(changed));
  return make(read_bits, from < to ? from : to, from - to);
}

std::string Swizzle::text() const {
  return "Sw<" + std::to_string(bits) + "," + std::to_string(base) + "," + std::to_string(shift) + ">";
}

Result<Swizzle> compose(const Swizzle& a, const Swizzle& b) {
  if (a.is_identity()) return b;
  if (b.is_identity()) return a;
  if (a == b) return Swizzle{};
  const std::string what = "`" + a.text() + "` after `" + b.text() + "`";
  if (a.shift != b.shift) {
    return Problem{Kind::bad_swizzle, what + " is no swizzle: they shift by " + std::to_string(a.shift) + " and by " +
                                          std::to_string(b.shift)};
  }
  if ((a.read_mask() & b.changed_mask()) != 0) {
    return Problem{Kind::bad_swizzle, what + " is no swizzle: the first reads bits that the second changes"};
  }
  // If the shifts are equal, both XOR bits by the same distance; bits that both read cancel.
  const std::int64_t read = a.read_mask() ^ b.read_mask();
  auto out = Swizzle::from_masks(read, a.shift > 0 ? read >> a.shift : read << -a.shift);
  if (out) return out;
  return Problem{Kind::bad_swizzle, what + " is no swizzle: " + out.problem().message};
}

}  // namespace reckon::layout
