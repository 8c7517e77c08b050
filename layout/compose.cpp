#include "layout/compose.h"

#include "layout/carry.h"
#include "layout/digits.h"

namespace reckon::layout {
namespace {

/// The extents (or strides) of some modes, as an integer or a tuple.
IntTuple nested(const Modes& modes, std::size_t from, std::int64_t Mode::*part) {
  if (modes.size() == from + 1) return modes[from].*part;
  std::vector<IntTuple> out;
  out.reserve(modes.size() - from);
  for (std::size_t k = from; k < modes.size(); ++k) out.emplace_back(modes[k].*part);
  return out;
}

struct Nest {
  IntTuple shape, stride;
};

/// Replaces each leaf of b by what the rule gives for it; nothing as soon as the rule refuses one.
std::optional<Nest> place(const IntTuple& shape, const IntTuple& stride, DigitRule& rule) {
  if (shape.is_int()) {
    Modes out;
    if (!rule.place({shape.value(), stride.value()}, out)) return std::nullopt;
    return Nest{nested(out, 0, &Mode::extent), nested(out, 0, &Mode::stride)};
  }
  std::vector<IntTuple> shapes, strides;
  shapes.reserve(shape.rank());
  strides.reserve(shape.rank());
  for (std::size_t k = 0; k < shape.rank(); ++k) {
    auto part = place(shape.elements()[k], stride.elements()[k], rule);
    if (!part) return std::nullopt;
    shapes.push_back(std::move(part->shape));
    strides.push_back(std::move(part->stride));
  }
  return Nest{std::move(shapes), std::move(strides)};
}

}  // namespace

Result<Layout> compose(const Layout& a, const Layout& b) {
  const Modes digits = digits_of(a);
  DigitRule rule(digits);
  if (auto nest = place(b.shape(), b.stride(), rule); nest && rule.finish()) {
    auto out = Layout::make(std::move(nest->shape), std::move(nest->stride));
    return out ? out : overflowing(a, b);
  }
  return fit_composition(a, b, digits, *rule.refusal());
}

AnyLayout compose_any(const Layout& a, const Layout& b) {
  auto out = compose(a, b);
  if (out) return *std::move(out);
  return Composed({Stage{a, 0}}, b, out.problem());
}

}  // namespace reckon::layout
