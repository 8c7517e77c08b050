#include "layout/common.h"

#include <numeric>

#include "layout/compose.h"
#include "layout/image.h"
#include "layout/inverse.h"
#include "layout/modes.h"

namespace reckon::layout {
namespace {

/// The inner layout, and how long runs stay contiguous: no bound without a swizzle, 0 if nothing is known.
struct Side {
  const Layout& layout;
  std::int64_t cap;
};

Side side(const AnyLayout& a) {
  if (const auto* plain = std::get_if<Layout>(&a)) return {*plain, std::int64_t{1} << 62};
  const Composed& composed = std::get<Composed>(a);
  const Swizzle* swizzle = composed.stages().size() == 1 ? std::get_if<Swizzle>(&composed.stages()[0].map) : nullptr;
  if (!swizzle || composed.stages()[0].offset != 0) return {composed.inner(), 0};
  return {composed.inner(), std::int64_t{1} << swizzle->base};
}

/// Whether a(r(i)) = i for all i < size(r), where r does not leave `a`'s indices.
bool counts(const Layout& a, const Modes& r) {
  const auto within = flat_layout(r);
  if (!within || leaves_domain(a, *within)) return false;
  std::int64_t index = 1;
  for (const Mode& mode : r) {  // most layouts that do not are rejected here
    if (mode.extent > 1 &&
        (a.at(mode.stride) != index || a.at((mode.extent - 1) * mode.stride) != (mode.extent - 1) * index))
      return false;
    index *= mode.extent;
  }
  const auto out = compose(a, *within);
  return out && *out == *Layout::make(within->size(), 1);
}

/// The longest r of at most `cap` elements with a(r(i)) = b(r(i)) = i that divides the runs of b: it has whole modes of
/// b's right inverse, and as its last mode a divisor of one.
Modes shared(const Layout& a, const Layout& b, std::int64_t cap) {
  Modes out;
  const auto inverse = right_inverse(b);
  if (!inverse) return out;
  for (const Mode& mode : coalesced_modes(*inverse)) {
    out.push_back(mode);
    // Every beginning of an r that counts also counts, so the longest one is found by bisection.
    std::int64_t low = 1, high = std::min(mode.extent, cap);
    while (low < high) {
      out.back().extent = low + (high - low + 1) / 2;
      if (counts(a, out)) low = out.back().extent;
      else high = out.back().extent - 1;
    }
    out.back().extent = divisor(mode.extent, low);
    if (out.back().extent != mode.extent) break;
    cap /= mode.extent;
  }
  return coalesced(out);
}

std::int64_t size_of(const Modes& modes) {
  std::int64_t out = 1;
  for (const Mode& mode : modes) out *= mode.extent;
  return out;
}

}  // namespace

Layout max_common_layout(const AnyLayout& a, const AnyLayout& b) {
  const Side first = side(a), second = side(b);
  std::int64_t cap = std::min(first.cap, second.cap);
  if (cap == 0) return *Layout::make(1, 0);
  // The longest r that divides the runs of both: the length found for one side bounds the search for the other.
  for (;;) {
    const Modes out = shared(first.layout, second.layout, cap);
    cap = size_of(shared(second.layout, first.layout, size_of(out)));
    if (cap == size_of(out)) return *flat_layout(out);
  }
}

std::int64_t max_common_vector(const AnyLayout& a, const AnyLayout& b) { return max_common_layout(a, b).size(); }

std::int64_t max_alignment(const Layout& layout) {
  std::int64_t run = 1;
  Modes rest = coalesced_modes(layout);
  sort_by_stride(rest);
  std::int64_t others = 0;
  for (const Mode& mode : rest) {
    if (mode.stride == run) run *= mode.extent;
    else others = std::gcd(others, mode.stride);
  }
  return std::gcd(run, others);
}

}  // namespace reckon::layout
