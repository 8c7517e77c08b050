#include "layout/image.h"

#include <algorithm>
#include <bit>

#include "layout/digits.h"
#include "layout/powers.h"

namespace reckon::layout {
namespace {

using Values = Small<std::int64_t, 64>;

/// Whether x shares no bit with earlier vectors, so that its sums with their sums are XORs.
bool apart(std::int64_t x, std::int64_t& used) {
  if (x < 0 || (x & used) != 0) return false;
  used |= x;
  return true;
}

/// The image as a space over bits, if no two steps share a bit.
std::optional<BitSpace> bits_of(const Image& image) {
  BitSpace out{image.start, {}};
  std::int64_t used = 0;
  if (!apart(image.start, used)) return std::nullopt;
  for (const Mode& mode : image.modes) {
    if (!power_of_two(mode.extent)) return std::nullopt;
    for (std::int64_t step = 1; step < mode.extent; step *= 2) {
      if (!apart(step * mode.stride, used)) return std::nullopt;
      out.vectors.push_back(step * mode.stride);
    }
  }
  return out;
}

std::int64_t bits_used(const BitSpace& space) {
  std::int64_t out = space.origin;
  for (const std::int64_t vector : space.vectors) out |= vector;
  return out;
}

bool through(const Stage& stage, BitSpace& space) {
  const std::int64_t used = bits_used(space);
  if (stage.offset < 0 || (stage.offset & used) != 0) return false;
  space.origin ^= stage.offset;
  if (const auto* swizzle = std::get_if<Swizzle>(&stage.map)) {
    space.origin = (*swizzle)(space.origin);
    for (std::int64_t& vector : space.vectors) vector = (*swizzle)(vector);
    return true;
  }
  const Modes digits = digits_of(std::get<Layout>(stage.map));
  if (!bitwise_on(digits, used | stage.offset)) return false;
  space.origin = *at_digits(digits, space.origin);
  for (std::int64_t& vector : space.vectors) vector = *at_digits(digits, vector);
  return true;
}

void widen(Range& range, std::int64_t value) {
  range.min = std::min(range.min, value);
  range.max = std::max(range.max, value);
}

/// The image under a swizzle of those offsets that lie within low .. high, without visiting others.
class Window {
 public:
  Window(const Swizzle& swizzle, const Modes& modes, std::int64_t low, std::int64_t high)
      : swizzle_(swizzle), modes_(modes), low_(low), high_(high) {
    std::int64_t sum = 0;
    for (const Mode& mode : modes) {
      reach_.push_back(sum);
      sum += (mode.extent - 1) * mode.stride;
    }
  }
  /// False as soon as it has taken too many points.
  bool visit(std::int64_t base, std::size_t left) {
    if (left == 0) return one(base);
    const Mode& mode = modes_[left - 1];
    const std::int64_t reach = reach_[left - 1];
    std::int64_t first = 0;
    if (low_ - base > reach) first = (low_ - base - reach + mode.stride - 1) / mode.stride;
    const std::int64_t last = std::min(mode.extent - 1, (high_ - base) / mode.stride);
    if (left == 1 && power_of_two(mode.stride) && first <= last) return run(base, mode.stride, first, last);
    for (std::int64_t k = first; k <= last; ++k) {
      if (!visit(base + k * mode.stride, left - 1)) return false;
    }
    return true;
  }
  const std::optional<Range>& range() const { return range_; }

 private:
  bool one(std::int64_t value) {
    add({swizzle_(value), swizzle_(value)});
    return --budget_ > 0;
  }
  void add(const Range& range) {
    if (!range_) range_ = range;
    widen(*range_, range.min);
    widen(*range_, range.max);
  }
  /// The offsets base + stride * (first .. last), in aligned blocks, each of which is a space over bits.
  bool run(std::int64_t base, std::int64_t stride, std::int64_t first, std::int64_t last) {
    const std::int64_t low = base & (stride - 1);  // the same for all offsets
    std::int64_t from = (base >> std::countr_zero(static_cast<std::uint64_t>(stride))) + first;
    const std::int64_t end = from + (last - first) + 1;
    while (from < end) {
      std::int64_t block = from == 0 ? std::int64_t{1} << 62 : from & -from;
      while (block > end - from) block /= 2;
      BitSpace space{swizzle_(from * stride + low), {}};
      for (std::int64_t step = 1; step < block; step *= 2) space.vectors.push_back(swizzle_(step * stride));
      add(range_of(space));
      from += block;
      if (--budget_ <= 0) return false;
    }
    return true;
  }

  const Swizzle& swizzle_;
  const Modes& modes_;
  std::int64_t low_, high_;
  Values reach_;
  std::optional<Range> range_;
  std::int64_t budget_ = Composed::enumerated;
};

/// A swizzle moves nothing out of a block, so the extremes are in the first or the last block that has offsets.
std::optional<Range> by_blocks(const Swizzle& swizzle, const Image& image) {
  std::int64_t high = image.start;
  for (const Mode& mode : image.modes) high += (mode.extent - 1) * mode.stride;
  if (image.start < 0) return std::nullopt;
  const std::int64_t block = swizzle.block();
  Window first(swizzle, image.modes, image.start, std::min(high, image.start | (block - 1)));
  Window last(swizzle, image.modes, std::max(image.start, high & ~(block - 1)), high);
  if (!first.visit(image.start, image.modes.size()) || !last.visit(image.start, image.modes.size())) {
    return std::nullopt;
  }
  return Range{first.range()->min, last.range()->max};
}

Result<Range> by_points(const Composed& composed, const Image& image) {
  std::int64_t points = 1;
  bool many = false;
  for (const Mode& mode : image.modes) many = many || __builtin_mul_overflow(points, mode.extent, &points);
  if (many || points > Composed::enumerated) {
    return Problem{Problem::Kind::undecided,
                   "the range of `" + composed.text() + "`: no structure gives it, and it has more than " +
                       std::to_string(Composed::enumerated) + " points to try",
                   "with extents and strides that are powers of two it is exact at any size"};
  }
  // The image becomes a layout of its own, with the stages after it.
  const Composed reduced(composed.stages(), *flat_layout(image.modes));
  const auto shifted = reduced.with_inner(reduced.inner(), image.start);
  if (!shifted) return shifted.problem();
  std::optional<Range> out;
  for (std::int64_t k = 0; k < points; ++k) {
    const auto value = (*shifted)(k);
    if (!value) return value.problem();
    if (!out) out = Range{*value, *value};
    widen(*out, *value);
  }
  return *out;
}

}  // namespace

Image image_of(const Layout& layout) {
  Image out;
  Modes modes;
  for (Mode mode : leaf_modes(layout)) {
    if (mode.extent == 1 || mode.stride == 0) continue;
    if (mode.stride < 0) {
      out.start += (mode.extent - 1) * mode.stride;
      mode.stride = -mode.stride;
    }
    modes.push_back(mode);
  }
  sort_by_stride(modes);
  for (const Mode& mode : modes) {
    if (!out.modes.empty()) {
      Mode& top = out.modes.back();
      const std::int64_t steps = mode.stride / top.stride;
      if (mode.stride % top.stride == 0 && steps <= top.extent) {
        top.extent += (mode.extent - 1) * steps;
        continue;
      }
    }
    out.modes.push_back(mode);
  }
  return out;
}

Range range_of(const BitSpace& space) {
  Values pivots;
  for (std::int64_t vector : space.vectors) {
    for (const std::int64_t pivot : pivots) vector = std::min(vector, vector ^ pivot);
    if (vector == 0) continue;
    std::size_t k = pivots.size();
    pivots.push_back(vector);
    for (; k > 0 && pivots[k - 1] < vector; --k) std::swap(pivots[k], pivots[k - 1]);
  }
  Range out{space.origin, space.origin};
  for (const std::int64_t pivot : pivots) {
    out.min = std::min(out.min, out.min ^ pivot);
    out.max = std::max(out.max, out.max ^ pivot);
  }
  return out;
}

Result<Range> image_range(const Composed& composed) {
  Image image = image_of(composed.inner());
  if (composed.stages().empty()) return Range{composed.inner().min(), composed.inner().max()};
  if (auto space = bits_of(image)) {
    bool linear = true;
    for (std::size_t k = composed.stages().size(); k-- > 0 && linear;) linear = through(composed.stages()[k], *space);
    if (linear) return range_of(*space);
  }
  const Stage& stage = composed.stages().front();
  if (const auto* swizzle = std::get_if<Swizzle>(&stage.map); swizzle && composed.stages().size() == 1) {
    Image moved = image;
    if (!__builtin_add_overflow(moved.start, stage.offset, &moved.start)) {
      if (const auto out = by_blocks(*swizzle, moved)) return *out;
    }
  }
  return by_points(composed, image);
}

}  // namespace reckon::layout
