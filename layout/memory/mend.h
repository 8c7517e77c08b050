// The smallest swizzle, and the smallest padding, that remove the bank conflicts of some accesses to one buffer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layout/memory/report.h"
#include "layout/swizzle.h"

namespace reckon::layout {

/// One way in which the buffer is accessed; a store by rows and a load by columns are two of them.
struct Use {
  Offsets offsets;
  Access access;
};

/// `pad` elements are left out after every `pitch`: offset o moves to o + o div pitch * pad.
struct Padding {
  std::int64_t pitch = 0, pad = 0;
};

struct Mend {
  std::int64_t before = 0, least = 0;  ///< wavefronts of all uses now, and if no conflicts occurred
  struct Swizzled {
    Swizzle swizzle;  ///< of offsets in elements
    std::int64_t wavefronts = 0;
    std::int64_t extra_elements = 0;  ///< by which the buffer grows
  };
  struct Padded {
    Padding padding;
    std::int64_t wavefronts = 0;
    std::int64_t extra_elements = 0;
  };
  /// The fewest bits, then the fewest extra elements, then the least base and shift, among those with the fewest
  /// wavefronts; nothing if none has fewer than before.
  std::optional<Swizzled> swizzled;
  /// The fewest extra elements among those with the fewest wavefronts.
  std::optional<Padded> padded;

  std::string text() const;
};

/// The remedies for uses of shared memory in a buffer of so many elements (0: up to the last one accessed). No remedy
/// splits a vector: accesses stay contiguous and aligned. Refuses what report() refuses.
Result<Mend> mend(const std::vector<Use>& uses, std::int64_t buffer_elements = 0);

Offsets swizzled(const Offsets& offsets, const Swizzle& swizzle);
Offsets padded(const Offsets& offsets, const Padding& padding);
/// The layout with the padding in its strides, if there is one: each leaf's stride must be a multiple of the pitch, or
/// the leaf must stay within one pitch.
Result<Layout> padded(const Layout& layout, const Padding& padding);

}  // namespace reckon::layout
