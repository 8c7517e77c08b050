// Inverses of swizzled layouts: (Sw o L)^-1 is L^-1 o Sw, since Sw is its own inverse.
#include "layout/compose.h"
#include "layout/inverse.h"
#include "layout/modes.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

struct Swizzled {
  Swizzle swizzle;
  Layout layout;
};

Result<Swizzled> parts(const char* operation, const Composed& a) {
  const Swizzle* swizzle = a.stages().size() == 1 ? std::get_if<Swizzle>(&a.stages()[0].map) : nullptr;
  if (!swizzle) {
    return Problem{Kind::no_layout,
                   std::string(operation) + " of `" + a.text() + "`: it is not one swizzle after a layout"};
  }
  if (a.stages()[0].offset != 0) {
    return Problem{Kind::gap,
                   std::string(operation) + " of `" + a.text() + "`: the offset " +
                       std::to_string(a.stages()[0].offset) + " inside keeps it from starting at 0",
                   "invert the layout with offset 0, and move what you look up by the offset"};
  }
  return Swizzled{*swizzle, a.inner()};
}

/// Whether a swizzle keeps 0 .. size - 1.
bool keeps(const Swizzle& swizzle, std::int64_t size) {
  const auto max = Composed(swizzle, 0, *Layout::make(size, 1)).max();
  return max && *max < size;
}

}  // namespace

Result<AnyLayout> right_inverse(const AnyLayout& a) {
  const auto* composed = std::get_if<Composed>(&a);
  if (!composed) {
    auto out = right_inverse(std::get<Layout>(a));
    if (!out) return out.problem();
    return AnyLayout(*out);
  }
  const auto both = parts("right_inverse", *composed);
  if (!both) return both.problem();
  const auto inner = right_inverse(both->layout);
  if (!inner) return inner.problem();
  if (keeps(both->swizzle, inner->size())) return compose_any(AnyLayout(*inner), both->swizzle);
  std::int64_t left = std::int64_t{1} << both->swizzle.base;
  Modes start;
  for (const Mode& mode : coalesced_modes(*inner)) {
    start.push_back({divisor(mode.extent, left), mode.stride});
    if (start.back().extent != mode.extent) break;
    left /= mode.extent;
  }
  auto out = flat_layout(coalesced(start));
  if (!out) return out.problem();
  return AnyLayout(*out);
}

Result<AnyLayout> left_inverse(const AnyLayout& a) {
  const auto* composed = std::get_if<Composed>(&a);
  if (!composed) {
    auto out = left_inverse(std::get<Layout>(a));
    if (!out) return out.problem();
    return AnyLayout(*out);
  }
  const auto both = parts("left_inverse", *composed);
  if (!both) return both.problem();
  const auto inner = left_inverse(both->layout);
  if (!inner) return inner.problem();
  const auto cosize = composed->cosize();
  if (!cosize) return cosize.problem();
  if (*cosize <= inner->size()) return compose_any(AnyLayout(*inner), both->swizzle);
  return AnyLayout(Composed({Stage{*inner, 0}, Stage{both->swizzle, 0}}, *Layout::make(*cosize, 1)));
}

Result<AnyLayout> inverse(const AnyLayout& a) {
  const auto* composed = std::get_if<Composed>(&a);
  if (!composed) {
    auto out = inverse(std::get<Layout>(a));
    if (!out) return out.problem();
    return AnyLayout(*out);
  }
  const auto both = parts("inverse", *composed);
  if (!both) return both.problem();
  const auto inner = inverse(both->layout);
  if (!inner) return inner.problem();
  if (!keeps(both->swizzle, inner->size())) {
    return Problem{Kind::gap,
                   "inverse of `" + composed->text() + "`: the swizzle moves some of the offsets 0 to " +
                       std::to_string(inner->size() - 1) + " past their end",
                   "use a size that is a multiple of " + std::to_string(both->swizzle.block())};
  }
  return compose_any(AnyLayout(*inner), both->swizzle);
}

}  // namespace reckon::layout
