#include "layout/complement.h"

#include "layout/filter.h"
#include "layout/modes.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

std::string ordered_text(const Modes& modes) {
  std::string out;
  for (const Mode& mode : modes) out += (out.empty() ? "" : ", ") + text(mode);
  return in_backticks(out);
}

Problem negative(const char* operation, const Layout& a, const Mode& mode) {
  return {Kind::negative_stride,
          std::string(operation) + " of " + in_backticks(a.text()) + ": the mode " + in_backticks(text(mode)) +
              " has a negative stride, and an interval from 0 is to be tiled",
          "turn the mode around: `" + std::to_string(mode.extent) + ":" + std::to_string(-mode.stride) +
              "` has the same offsets up to a constant"};
}

/// The problem of two modes that reach one offset in two ways, or that interleave.
Problem overlap(const char* operation, const Layout& a, const Modes& sorted, std::size_t k, std::int64_t end) {
  const Mode& mode = sorted[k];
  const Mode& below = sorted[k - 1];
  std::string why = ": the mode " + in_backticks(text(mode)) + " starts at " + std::to_string(mode.stride) +
                    ", before the end " + std::to_string(end) + " of " + in_backticks(text(below)) + " below it";
  // i * mode.stride = j * below.stride for small i, j: an offset that is reached twice.
  bool twice = false;
  for (std::int64_t i = 1; i < mode.extent && i <= 64 && !twice; ++i) {
    const std::int64_t offset = i * mode.stride;
    twice = offset % below.stride == 0 && offset / below.stride < below.extent;
    if (twice) why += ", and both reach the offset " + std::to_string(offset);
  }
  if (!twice) why += ", so that the two interleave";
  return {Kind::overlap, operation + (" of " + in_backticks(a.text())) + why,
          twice ? "a complement needs offsets that differ; `filter` takes broadcasts out, no other repetition"
                : "each stride has to be at least extent * stride of the mode below it"};
}

/// rest / cur for each mode of the target, as CuTe's ceil_div of a tuple: left to right.
bool divide(const IntTuple& target, std::int64_t& by, std::int64_t& at, Modes& out) {
  if (target.is_int()) {
    const std::int64_t extent = target.value() / by + (target.value() % by != 0);
    by = by / target.value() + (by % target.value() != 0);
    out.push_back({extent, at});
    return !__builtin_mul_overflow(at, extent, &at);
  }
  for (const IntTuple& element : target.elements()) {
    if (!divide(element, by, at, out)) return false;
  }
  return true;
}

Result<Layout> complete(const char* operation, const Layout& a, const IntTuple& target, bool exact) {
  bool positive = true;
  for_each_leaf(target, [&](std::int64_t leaf) { positive = positive && leaf >= 1; });
  if (!positive) {
    return Problem{Kind::not_positive, std::string(operation) + " of " + in_backticks(a.text()) + " in " +
                                           in_backticks(target.text()) + ": the target has an extent below 1"};
  }
  Modes sorted = coalesced_modes(filter_zeros(a));
  sort_by_stride(sorted);
  Modes out;
  std::int64_t end = 1;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const Mode& mode = sorted[k];
    if (mode.stride < 0) return negative(operation, a, mode);
    const std::int64_t room = mode.stride / end;
    if (room == 0) return overlap(operation, a, sorted, k, end);
    if (exact && mode.stride % end != 0) {
      return Problem{Kind::gap,
                     std::string(operation) + " of " + in_backticks(a.text()) + ": the stride " +
                         std::to_string(mode.stride) + " of the mode " + in_backticks(text(mode)) +
                         " is not a multiple of " + std::to_string(end) + ", where " +
                         in_backticks(text(sorted[k - 1])) +
                         " below it ends, so that no layout fills the gap between them (in order of strides: " +
                         ordered_text(sorted) + ")",
                     "pad the stride to " + std::to_string((room + 1) * end) +
                         ", or use `complement_loose`, which leaves offsets out"};
    }
    out.push_back({room, end});
    if (__builtin_mul_overflow(mode.extent, mode.stride, &end)) {
      return Problem{Kind::too_large, std::string(operation) + " of " + in_backticks(a.text()) +
                                          ": the end of the mode " + in_backticks(text(mode)) +
                                          " does not fit in 64 bits"};
    }
  }
  // Rounding mode by mode may cover less than the target's size; then the size is divided as a whole.
  const std::int64_t start = end;
  Modes below = out;
  std::int64_t by = end;
  bool fits = divide(target, by, end, out);
  const auto wanted = product(target);
  if (exact && fits && wanted && end < *wanted) {
    by = end = start;
    fits = divide(*wanted, by, end, below);
    out = below;
  }
  if (!fits) {
    return Problem{Kind::too_large, std::string(operation) + " of " + in_backticks(a.text()) + " in " +
                                        in_backticks(target.text()) + ": the end does not fit in 64 bits"};
  }
  return flat_layout(coalesced(out));
}

IntTuple span(const Layout& a) { return filter(a).cosize(); }

}  // namespace

Result<Layout> complement(const Layout& a, const IntTuple& target) { return complete("complement", a, target, true); }
Result<Layout> complement(const Layout& a) { return complement(a, span(a)); }
Result<Layout> complement_loose(const Layout& a, const IntTuple& target) {
  return complete("complement_loose", a, target, false);
}
Result<Layout> complement_loose(const Layout& a) { return complement_loose(a, span(a)); }

}  // namespace reckon::layout
