#include "layout/composed_parts.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "layout/cast.h"
#include "layout/product.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

/// The part, with its offset put inside of the composed layout.
Result<AnyPart> with_stages(const AnyLayout& whole, const Result<Part>& part) {
  if (!part) return part.problem();
  if (std::holds_alternative<Layout>(whole)) return AnyPart{part->layout, part->offset, part->bounds};
  auto inside = std::get<Composed>(whole).with_inner(part->layout, part->offset);
  if (!inside) return inside.problem();
  return AnyPart{*inside, 0, part->bounds};
}

const Layout& innermost(const AnyLayout& layout) {
  const auto* plain = std::get_if<Layout>(&layout);
  return plain ? *plain : std::get<Composed>(layout).inner();
}

Result<int> exponent(const char* operation, const Swizzle& swizzle, std::int64_t n) {
  const auto factor = static_cast<std::uint64_t>(n);
  if (n >= 1 && std::has_single_bit(factor)) return std::countr_zero(factor);
  return Problem{Kind::not_divisible, std::string(operation) + " of `" + swizzle.text() + "` by `" + std::to_string(n) +
                                          "`: a swizzle is of bits, and goes by powers of two"};
}

/// Casts every stage and the inner layout in the same way.
template <class Cast, class Offset>
Result<AnyLayout> cast_all(const char* operation, const AnyLayout& layout, const Cast& cast, const Offset& offset) {
  const auto inner = cast(innermost(layout));
  if (!inner) return inner.problem();
  if (std::holds_alternative<Layout>(layout)) return AnyLayout(*inner);
  const auto refused = [&](const std::string& why) {
    return Problem{Kind::not_divisible, std::string(operation) + " of `" + text(layout) + "`: " + why};
  };
  std::vector<Stage> stages;
  for (const Stage& stage : std::get<Composed>(layout).stages()) {
    const auto* swizzle = std::get_if<Swizzle>(&stage.map);
    if (!swizzle) return refused("after its inner layout comes a layout, and only swizzles are cast");
    const auto map = cast(*swizzle);
    if (!map) return map.problem();
    const auto moved = offset(stage.offset);
    if (!moved) return refused("its offset `" + std::to_string(stage.offset) + "` cannot be cast");
    stages.push_back({*map, *moved});
  }
  return AnyLayout(Composed(std::move(stages), *inner));
}

}  // namespace

Result<AnyLayout> on_inner(const AnyLayout& layout, const std::function<Result<Layout>(const Layout&)>& operation) {
  auto inner = operation(innermost(layout));
  if (!inner) return inner.problem();
  if (std::holds_alternative<Layout>(layout)) return AnyLayout(*inner);
  auto out = std::get<Composed>(layout).with_inner(*inner);
  if (!out) return out.problem();
  return AnyLayout(*out);
}

Result<AnySliced> slice(const AnyLayout& layout, const Holed& coordinate) {
  return cut_inner(layout, [&](const Layout& inner) { return slice(inner, coordinate); });
}

Result<AnySliced> cut_inner(const AnyLayout& layout, const std::function<Result<Sliced>(const Layout&)>& cut) {
  const auto sliced = cut(innermost(layout));
  if (!sliced) return sliced.problem();
  if (std::holds_alternative<Layout>(layout)) return AnySliced{sliced->layout, sliced->offset};
  auto inside = std::get<Composed>(layout).with_inner(sliced->layout, sliced->offset);
  if (!inside) return inside.problem();
  return AnySliced{*inside, 0};
}

Result<AnyDivision> divide(DivideForm form, const AnyLayout& layout, const Tiler& tiler) {
  const auto divided = divide(form, innermost(layout), tiler);
  if (!divided) return divided.problem();
  const auto out = on_inner(layout, [&](const Layout&) { return Result<Layout>(divided->layout); });
  if (!out) return out.problem();
  return AnyDivision{*out, divided->bounds};
}

Result<AnyPart> local_tile(const AnyLayout& layout, const Tiler& tiler, const Holed& coordinate) {
  return with_stages(layout, local_tile(innermost(layout), tiler, coordinate));
}

Result<AnyPart> local_partition(const AnyLayout& layout, const Layout& threads, std::int64_t thread) {
  return with_stages(layout, local_partition(innermost(layout), threads, thread));
}

Result<AnyPart> local_tile(const AnyLayout& layout, const Tiler& tiler, const Holed& coordinate,
                           const std::vector<bool>& wanted) {
  return with_stages(layout, local_tile(innermost(layout), tiler, coordinate, wanted));
}

Result<AnyPart> local_partition(const AnyLayout& layout, const Layout& threads, std::int64_t thread,
                                const std::vector<bool>& wanted) {
  return with_stages(layout, local_partition(innermost(layout), threads, thread, wanted));
}

Result<AnyLayout> tile_to_shape(const AnyLayout& block, const IntTuple& shape) {
  return on_inner(block, [&](const Layout& inner) { return tile_to_shape(inner, shape); });
}

Result<AnyLayout> tile_to_shape(const AnyLayout& block, const IntTuple& shape, const IntTuple& order) {
  return on_inner(block, [&](const Layout& inner) { return tile_to_shape(inner, shape, order); });
}

Result<Swizzle> upcast(const Swizzle& swizzle, std::int64_t n) {
  const auto lost = exponent("upcast", swizzle, n);
  if (!lost) return lost.problem();
  if (*lost >= swizzle.base + swizzle.bits + std::abs(swizzle.shift)) return Swizzle{0, 0, 0};  // all of it inside
  // How many bits of the lower field are inside of new elements.
  const int below = std::min(swizzle.bits, std::max(0, *lost - swizzle.base));
  if (below > 0 && swizzle.shift < 0) {
    return Problem{Kind::not_divisible, "upcast of `" + swizzle.text() + "` by `" + std::to_string(n) +
                                            "`: it reads the lowest `" + std::to_string(below) +
                                            "` of its bits inside of new elements, to move what is outside"};
  }
  return Swizzle{swizzle.bits - below, std::max(0, swizzle.base - *lost), swizzle.shift};
}

Result<Swizzle> downcast(const Swizzle& swizzle, std::int64_t n) {
  const auto gained = exponent("downcast", swizzle, n);
  if (!gained) return gained.problem();
  return Swizzle::make(swizzle.bits, swizzle.base + *gained, swizzle.shift);
}

Result<AnyLayout> upcast(const AnyLayout& layout, std::int64_t n) {
  return cast_all(
      "upcast", layout, [&](const auto& each) { return upcast(each, n); },
      [&](std::int64_t offset) { return offset % n == 0 ? std::optional<std::int64_t>(offset / n) : std::nullopt; });
}

Result<AnyLayout> downcast(const AnyLayout& layout, std::int64_t n) {
  return cast_all(
      "downcast", layout, [&](const auto& each) { return downcast(each, n); },
      [&](std::int64_t offset) {
        std::int64_t out;
        return __builtin_mul_overflow(offset, n, &out) ? std::nullopt : std::optional<std::int64_t>(out);
      });
}

Result<AnyLayout> recast(const AnyLayout& layout, std::int64_t old_bits, std::int64_t new_bits) {
  if (const auto* plain = std::get_if<Layout>(&layout)) {
    const auto out = recast(*plain, old_bits, new_bits);
    if (!out) return out.problem();
    return AnyLayout(*out);
  }
  if (old_bits < 1 || new_bits < 1) {
    return Problem{Kind::not_positive, "recast of `" + text(layout) + "`: elements have at least 1 bit"};
  }
  const std::int64_t common = std::gcd(old_bits, new_bits);
  const auto larger = upcast(layout, new_bits / common);
  if (!larger) return larger;
  return downcast(*larger, old_bits / common);
}

}  // namespace reckon::layout
