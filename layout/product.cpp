#include "layout/product.h"

#include <algorithm>

#include "layout/complement.h"
#include "layout/compose.h"
#include "layout/filter.h"
#include "layout/inverse.h"
#include "layout/make.h"
#include "layout/rearrange.h"
#include "layout/structure.h"
#include "layout/tuples.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

std::string named(const char* operation, const Layout& a, const std::string& b) {
  return std::string(operation) + " of `" + a.text() + "` by `" + b + "`: ";
}

Problem too_large() { return {Kind::too_large, "a size or offset does not fit in 64 bits"}; }

std::optional<std::int64_t> times(std::int64_t a, std::int64_t b) {
  std::int64_t out;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

/// The positions at which copies of `a` can start, at least `count` of them: the exact complement if there is one, else
/// CuTe's with gaps, which keeps copies apart as well. If that is too short, its last mode (the multiples of the end of
/// a's last mode) is made as long as necessary.
Result<Layout> places(const Layout& a, std::int64_t count) {
  const auto target = times(a.size(), count);
  if (!target) return too_large();
  auto out = complement(a, *target);
  if (!out && out.problem().kind == Kind::gap) out = complement_loose(a, *target);
  if (!out || out->size() >= count) return out;
  const auto below = complement_loose(a, 1);
  if (!below) return below;
  const Layout broadcast_free = filter(a);
  const auto extents = broadcast_free.shape().leaves(), strides = broadcast_free.stride().leaves();
  std::int64_t end = 1;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const auto last = times(extents[k], strides[k]);
    if (!last) return too_large();
    end = std::max(end, *last);
  }
  const auto longer = times(end, (count - 1) / below->size() + 1);
  if (!longer) return too_large();
  return complement_loose(a, *longer);
}

/// A* o B.
Result<Layout> copies(const Layout& a, const Layout& b) {
  const auto extents = b.shape().leaves(), strides = b.stride().leaves();
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (extents[k] == 1 || strides[k] >= 0) continue;
    return Problem{Kind::negative_stride, "`" + b.text() + "` has the stride `" + std::to_string(strides[k]) +
                                              "`, and a copy has no place before the first"};
  }
  const auto free = places(a, b.max() + 1);
  if (!free) {
    return Problem{free.problem().kind, "copies of `" + a.text() + "` have no places: " + free.problem().message,
                   free.problem().hint, free.problem().at};
  }
  const auto out = compose(*free, b);
  if (out) return out;
  return Problem{out.problem().kind,
                 "the places `" + free->text() + "` of the copies, taken as `" + b.text() +
                     "` says: " + out.problem().message,
                 out.problem().hint, out.problem().at};
}

Result<Layout> logical(const Layout& a, const Tiler& b) {
  if (b.is_keep()) return a;
  if (b.is_layout()) {
    const auto second = copies(a, b.layout());
    if (!second) return second;
    return concat(std::vector<Layout>{a, *second});
  }
  if (b.rank() > a.rank()) {
    return Problem{Kind::rank, "`" + std::to_string(b.rank()) + "` tilers for the `" + std::to_string(a.rank()) +
                                   "` modes of `" + a.text() + "`"};
  }
  std::vector<Layout> modes;
  for (std::size_t k = 0; k < a.rank(); ++k) {
    const auto mode = k < b.rank() ? logical(a.mode(k), b.modes()[k]) : Result<Layout>(a.mode(k));
    if (!mode) return prefixed("mode " + in_backticks(static_cast<std::int64_t>(k)) + ": ", mode.problem());
    modes.push_back(*mode);
  }
  return concat(modes);
}

/// Whether all offsets differ, except for those of broadcasts; nothing if that is not decided.
std::optional<bool> apart(const Layout& layout) {
  const auto out = injective(filter_zeros(layout));
  return out ? std::optional<bool>(*out) : std::nullopt;
}

bool all_apart(const Tiler& tiler) {
  if (tiler.is_layout()) return apart(tiler.layout()) == true;
  return tiler.is_keep() || std::all_of(tiler.modes().begin(), tiler.modes().end(), all_apart);
}

/// Modes are multiplied independently, so a copy in one mode may meet elements of another mode.
Result<Layout> checked(const Layout& a, const Tiler& b, Result<Layout> out) {
  if (!out || !b.is_tuple() || apart(*out) != false || apart(a) != true || !all_apart(b)) return out;
  return Problem{Problem::Kind::overlap,
                 "mode by mode, copies in one mode meet elements of another: `" + out->text() + "` repeats offsets",
                 "one tiler for all modes, or blocked_product, keeps them apart"};
}

Result<Layout> logical(const char* operation, const Layout& a, const Tiler& b) {
  const auto out = checked(a, b, logical(a, b));
  if (!out) return prefixed(named(operation, a, b.text()), out.problem());
  return out;
}

bool has_keep(const Tiler& tiler) {
  if (!tiler.is_tuple()) return tiler.is_keep();
  return std::any_of(tiler.modes().begin(), tiler.modes().end(), has_keep);
}

template <class Rearrange>
Result<Layout> zipped(const char* operation, const Layout& a, const Tiler& b, const Rearrange& rearrange) {
  if (has_keep(b)) {
    return Problem{Kind::empty,
                   named(operation, a, b.text()) + "`_` keeps its mode whole, and makes no copies to gather",
                   "write `1:0` for one copy, or use logical_product"};
  }
  const auto out = logical(operation, a, b);
  if (!out) return out;
  return Layout::make(rearrange(gathered(out->shape(), b)), rearrange(gathered(out->stride(), b)));
}

/// Pads both to one rank, and zips them: mode i is (first_i, second_i).
Result<Layout> interleaved(const char* operation, const Layout& a, const Layout& b, bool a_first) {
  const auto rank = static_cast<std::int64_t>(std::max(a.rank(), b.rank()));
  const Layout trivial = *Layout::make(1, 0);
  const auto block = append_to_rank(a, rank, trivial), tiler = append_to_rank(b, rank, trivial);
  if (!block) return block;
  if (!tiler) return tiler;
  const auto product = logical(operation, *block, Tiler(*tiler));
  if (!product) return product;
  std::vector<Layout> modes;
  for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k) {
    // One integer mode of B may have become several leaves, which still form one mode.
    const Layout of_a = product->mode(0).mode(k);
    const Layout of_b = tiler->shape().is_int() ? product->mode(1) : product->mode(1).mode(k);
    const auto mode = concat(a_first ? std::vector<Layout>{of_a, of_b} : std::vector<Layout>{of_b, of_a});
    if (!mode) return mode;
    modes.push_back(*mode);
  }
  return concat(modes);
}

}  // namespace

Result<Layout> logical_product(const Layout& a, const Tiler& b) { return logical("logical_product", a, b); }
Result<Layout> zipped_product(const Layout& a, const Tiler& b) {
  return zipped("zipped_product", a, b, [](const IntTuple& tuple) { return tuple; });
}
Result<Layout> tiled_product(const Layout& a, const Tiler& b) {
  return zipped("tiled_product", a, b, [](const IntTuple& tuple) { return unpacked(tuple, 1); });
}
Result<Layout> flat_product(const Layout& a, const Tiler& b) {
  return zipped("flat_product", a, b, [](const IntTuple& tuple) { return unpacked(unpacked(tuple, 1), 0); });
}

Result<Layout> blocked_product(const Layout& a, const Layout& b) { return interleaved("blocked_product", a, b, true); }
Result<Layout> raked_product(const Layout& a, const Layout& b) { return interleaved("raked_product", a, b, false); }

Result<Layout> tile_to_shape(const Layout& block, const IntTuple& shape) {
  if (shape.is_int()) return tile_to_shape(block, shape, 0);
  std::vector<IntTuple> order;
  for (std::size_t k = 0; k < shape.rank(); ++k) order.emplace_back(static_cast<std::int64_t>(k));
  return tile_to_shape(block, shape, std::move(order));
}

Result<Layout> tile_to_shape(const Layout& block, const IntTuple& shape, const IntTuple& order) {
  const auto refused = [&](Kind kind, const std::string& why, std::string hint = "") {
    return Problem{kind, "tile_to_shape of `" + block.text() + "` to `" + shape.text() + "`: " + why, std::move(hint)};
  };
  if (block.rank() > shape.rank()) {
    return refused(Kind::rank, "the block has `" + std::to_string(block.rank()) + "` modes, the shape only `" +
                                   std::to_string(shape.rank()) + "`");
  }
  const auto padded = append_to_rank(block, static_cast<std::int64_t>(shape.rank()), *Layout::make(1, 0));
  if (!padded) return padded;
  const auto sizes = product_each(shape);
  if (!sizes) return sizes.problem();
  std::vector<IntTuple> counts;
  for (std::size_t k = 0; k < shape.rank(); ++k) {
    const std::int64_t extent = sizes->is_int() ? sizes->value() : sizes->elements()[k].value();
    const std::int64_t part = padded->mode(k).size();
    if (extent < 1 || extent % part != 0) {
      return refused(Kind::not_divisible,
                     "mode `" + std::to_string(k) + "`: the block's `" + std::to_string(part) + "` does not divide `" +
                         std::to_string(extent) + "`",
                     "round the shape up to `" + std::to_string((extent < 1 ? 1 : extent / part + 1) * part) + "`");
    }
    counts.emplace_back(extent / part);
  }
  const IntTuple grid = shape.is_int() ? counts[0] : IntTuple(std::move(counts));
  const auto copies = make_ordered_layout(grid, order);
  if (!copies) return refused(copies.problem().kind, copies.problem().message, copies.problem().hint);
  return interleaved("tile_to_shape", *padded, *copies, true);
}

}  // namespace reckon::layout
