// Compositions with swizzles, and with layouts that are composed already.
#include <bit>

#include "layout/compose.h"
#include "layout/digits.h"

namespace reckon::layout {
namespace {

/// Two functions one after the other: the stages, after the inner layout.
AnyLayout after(const std::vector<Stage>& stages, const AnyLayout& inner, const std::optional<Problem>& reason) {
  if (stages.empty()) return inner;
  if (const auto* plain = std::get_if<Layout>(&inner)) return Composed(stages, *plain, reason);
  const Composed& composed = std::get<Composed>(inner);
  std::vector<Stage> all = stages;
  all.insert(all.end(), composed.stages().begin(), composed.stages().end());
  return Composed(std::move(all), composed.inner(), composed.reason() ? composed.reason() : reason);
}

/// The images of a mask's bits, from the lowest on, as a mask: nothing unless each is one bit, next to the one before.
std::optional<std::int64_t> carried(const Modes& digits, std::int64_t mask) {
  std::int64_t out = 0, before = 0;
  for (; mask != 0; mask &= mask - 1) {
    const auto image = at_digits(digits, mask & -mask);
    if (!image || *image <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(*image))) return std::nullopt;
    if (before != 0 && *image != 2 * before) return std::nullopt;
    before = *image;
    out |= before;
  }
  return out;
}

/// The swizzle S with a(b(x)) = S(a(x)) for 0 <= x < size, where one is seen: all bits that x and b(x) have go to bits
/// of their own.
std::optional<Swizzle> carried(const Layout& a, const Swizzle& b) {
  const Modes digits = digits_of(a);
  const auto last = static_cast<std::uint64_t>(a.size() - 1);
  const std::int64_t bits = static_cast<std::int64_t>(std::bit_ceil(last + 1)) - 1;
  if (!bitwise_on(digits, bits | b.read_mask() | b.changed_mask())) return std::nullopt;
  const auto read = carried(digits, b.read_mask()), changed = carried(digits, b.changed_mask());
  if (!read || !changed) return std::nullopt;
  const auto out = Swizzle::from_masks(*read, *changed);
  return out ? std::optional(*out) : std::nullopt;
}

}  // namespace

AnyLayout compose_any(const Swizzle& a, const AnyLayout& b) {
  if (a.is_identity()) return b;
  if (const auto* composed = std::get_if<Composed>(&b); composed && !composed->stages().empty()) {
    const Stage& first = composed->stages().front();
    if (const auto* swizzle = std::get_if<Swizzle>(&first.map)) {
      if (const auto both = compose(a, *swizzle)) {
        std::vector<Stage> stages = composed->stages();
        stages.front().map = *both;
        if (both->is_identity() && first.offset == 0) stages.erase(stages.begin());
        return after(stages, composed->inner(), composed->reason());
      }
    }
  }
  return after({Stage{a, 0}}, b, {});
}

AnyLayout compose_any(const AnyLayout& a, const Swizzle& b) {
  if (b.is_identity()) return a;
  if (const auto* composed = std::get_if<Composed>(&a)) {
    return after(composed->stages(), compose_any(AnyLayout(composed->inner()), b), composed->reason());
  }
  const Layout& plain = std::get<Layout>(a);
  if (const auto swizzle = carried(plain, b)) return compose_any(*swizzle, a);
  const Problem reason{Problem::Kind::bad_swizzle,
                       "compose: `" + plain.text() + "` does not carry the bits of `" + b.text() +
                           "` to bits next to each other, so that no swizzle stands for it on the other side"};
  return Composed({Stage{plain, 0}, Stage{b, 0}}, *Layout::compact_left(plain.shape()), reason);
}

AnyLayout compose_any(const AnyLayout& a, const AnyLayout& b) {
  if (const auto* first = std::get_if<Composed>(&a)) {
    return after(first->stages(), compose_any(AnyLayout(first->inner()), b), first->reason());
  }
  const Layout& plain = std::get<Layout>(a);
  if (const auto* second = std::get_if<Layout>(&b)) return compose_any(plain, *second);
  const Composed& second = std::get<Composed>(b);
  // a o Sw o 0 o L is Sw' o (a o L) if `a` carries the swizzle; b must stay within the indices for which it does.
  if (second.stages().size() == 1 && second.stages()[0].offset == 0) {
    const auto* swizzle = std::get_if<Swizzle>(&second.stages()[0].map);
    if (swizzle && !leaves_domain(plain, second.inner())) {
      if (const auto moved = carried(plain, *swizzle)) {
        return compose_any(*moved, compose_any(plain, second.inner()));
      }
    }
  }
  return after({Stage{plain, 0}}, b, {});
}

}  // namespace reckon::layout
