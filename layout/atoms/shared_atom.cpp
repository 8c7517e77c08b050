#include "layout/atoms/shared_atom.h"

#include <algorithm>
#include <bit>

#include "layout/atoms/names.h"

namespace reckon::layout {
namespace {

/// Swizzled rows: the name, the bits of a row, and the swizzle's bits.
struct Rows {
  const char* name;
  std::int64_t bits;
  int swizzled;
};
constexpr Rows kinds[] = {{"INTER", 128, 0}, {"SW32", 256, 1}, {"SW64", 512, 2}, {"SW128", 1024, 3}};

}  // namespace

const std::vector<std::string>& shared_atom_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const char* major : {"K_", "MN_"}) {
      for (const Rows& rows : kinds) out.push_back(std::string(major) + rows.name);
    }
    return out;
  }();
  return names;
}

Result<SharedAtom> shared_atom(const std::string& name, int element_bits) {
  if (element_bits < 4 || element_bits > 64 || !std::has_single_bit(static_cast<unsigned>(element_bits))) {
    return Problem{Problem::Kind::not_divisible,
                   "elements of `" + std::to_string(element_bits) + "` bits: 4, 8, 16, 32 and 64 are possible"};
  }
  for (const Rows& rows : kinds) {
    for (const bool by_k : {true, false}) {
      if (name != std::string(by_k ? "K_" : "MN_") + rows.name) continue;
      const std::int64_t length = rows.bits / element_bits;
      // The swizzle moves units of 16 bytes, which are 2^7 bits.
      const int base = 7 - std::countr_zero(static_cast<unsigned>(element_bits));
      const Swizzle swizzle{rows.swizzled, base, 3};
      using Pair = std::vector<IntTuple>;
      return SharedAtom{name, swizzle,
                        by_k ? *Layout::make(Pair{8, length}, Pair{length, 1})
                             : *Layout::make(Pair{length, 8}, Pair{1, length})};
    }
  }
  return unknown_name("layout of an operand in shared memory", name, shared_atom_names());
}

}  // namespace reckon::layout
