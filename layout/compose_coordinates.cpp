// Composition on either side of coordinate-valued layouts.
#include <algorithm>

#include "layout/compose.h"
#include "layout/coordinate_layout.h"
#include "layout/structure.h"
#include "layout/tuples.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;
using Stride = CoordinateLayout::Stride;

std::string operation(const std::string& a, const std::string& b) {
  return "composition of `" + a + "` after `" + b + "`: ";
}

/// The modes of a coalesced coordinate layout, with a weight for each: the weights are those of digits in the radix of
/// the extents, but twice as far apart as necessary. A layout that steps by less than an extent in one digit cannot
/// cross the gap, so that a composition with the weights composes digits without carries.
struct Digits {
  std::vector<std::int64_t> extents, weights;
  std::vector<Stride> strides;
};

Result<Digits> digits(const CoordinateLayout& a) {
  const CoordinateLayout flat = coalesce(a);
  Digits out;
  out.extents = flat.shape().leaves();
  for (std::size_t k = 0; k < out.extents.size(); ++k) out.strides.push_back(flat.stride(k));
  // Past its end, the last leaf goes on, even one of extent 1: an identity of (8,1) in tiles of 4 is 4:1@1 there.
  const std::size_t last = a.shape().leaves().size() - 1;
  if (a.shape().leaves()[last] == 1) {
    if (a.size() == 1) {
      out.strides[0] = a.stride(last);
    } else {
      out.extents.push_back(1);
      out.strides.push_back(a.stride(last));
    }
  }
  std::int64_t weight = 1;
  for (const std::int64_t extent : out.extents) {
    out.weights.push_back(weight);
    if (__builtin_mul_overflow(weight, extent, &weight) || __builtin_mul_overflow(weight, 2, &weight)) {
      return Problem{Kind::too_large, "the coordinate layout `" + a.text() + "` is too large to compose with"};
    }
  }
  return out;
}

/// Splits a stride into digits of the weights, and adds up the digits times the digits' strides.
std::optional<Stride> decoded(const Digits& of, std::int64_t stride) {
  Stride out(of.strides[0].size(), 0);
  for (std::size_t digit = of.weights.size(); digit-- > 0;) {
    const std::int64_t steps = stride / of.weights[digit];
    stride %= of.weights[digit];
    for (std::size_t part = 0; part < out.size(); ++part) {
      std::int64_t more;
      if (__builtin_mul_overflow(steps, of.strides[digit][part], &more) ||
          __builtin_add_overflow(out[part], more, &out[part])) {
        return std::nullopt;
      }
    }
  }
  return out;
}

}  // namespace

Result<Layout> compose(const Layout& a, const CoordinateLayout& b) {
  const auto paths = leaf_paths(b.codomain());
  const auto extents = b.shape().leaves();
  // The leaves of b, by the sub-mode of a that they go through.
  std::vector<std::vector<std::size_t>> through(paths.size());
  std::vector<IntTuple> shapes(extents.size(), IntTuple(1)), strides(extents.size(), IntTuple(0));
  for (std::size_t leaf = 0; leaf < extents.size(); ++leaf) {
    const Stride& stride = b.stride(leaf);
    shapes[leaf] = extents[leaf];
    std::size_t parts = 0;
    for (std::size_t part = 0; part < stride.size(); ++part) {
      if (stride[part] == 0) continue;
      through[part].push_back(leaf);
      ++parts;
    }
    if (parts > 1) {
      return Problem{Kind::no_layout, operation(a.text(), b.text()) + "leaf `" + std::to_string(leaf) +
                                          "` steps along more than one mode at once"};
    }
  }
  for (std::size_t part = 0; part < paths.size(); ++part) {
    if (through[part].empty()) continue;
    const auto sub = get(a, paths[part]);
    if (!sub) return Problem{sub.problem().kind, operation(a.text(), b.text()) + sub.problem().message};
    std::vector<IntTuple> part_shape, part_stride;
    for (const std::size_t leaf : through[part]) {
      part_shape.emplace_back(extents[leaf]);
      part_stride.emplace_back(b.stride(leaf)[part]);
    }
    const auto inner = Layout::make(std::move(part_shape), std::move(part_stride));
    if (!inner) return inner.problem();
    const auto composed = compose(*sub, *inner);
    if (!composed) return composed;
    for (std::size_t k = 0; k < through[part].size(); ++k) {
      shapes[through[part][k]] = composed->mode(k).shape();
      strides[through[part][k]] = composed->mode(k).stride();
    }
  }
  return Layout::make(grafted(b.shape(), shapes), grafted(b.shape(), strides));
}

Result<CoordinateLayout> compose(const CoordinateLayout& a, const Layout& b) {
  const auto of = digits(a);
  if (!of) return of.problem();
  const auto flat = [](const std::vector<std::int64_t>& values) {
    return IntTuple(std::vector<IntTuple>(values.begin(), values.end()));
  };
  const auto proxy = Layout::make(flat(of->extents), flat(of->weights));  // one mode for each digit
  if (!proxy) return proxy.problem();
  const auto composed = compose(*proxy, b);
  if (!composed) {
    return Problem{composed.problem().kind, operation(a.text(), b.text()) + "a step of it carries between digits", "",
                   composed.problem().at};
  }
  std::vector<Stride> strides;
  for (const std::int64_t stride : composed->stride().leaves()) {
    auto one = decoded(*of, stride);
    if (!one) return Problem{Kind::too_large, operation(a.text(), b.text()) + "a value does not fit in 64 bits"};
    strides.push_back(std::move(*one));
  }
  return CoordinateLayout::make(composed->shape(), a.codomain(), std::move(strides));
}

}  // namespace reckon::layout
