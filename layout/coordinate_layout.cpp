#include "layout/coordinate_layout.h"

#include <algorithm>

#include "layout/coordinates.h"
#include "layout/structure.h"
#include "layout/tuples.h"

namespace reckon::layout {
CoordinateLayout::CoordinateLayout(const CoordinateLayout&) = default;
CoordinateLayout::CoordinateLayout(CoordinateLayout&&) noexcept = default;
CoordinateLayout& CoordinateLayout::operator=(const CoordinateLayout&) = default;
CoordinateLayout& CoordinateLayout::operator=(CoordinateLayout&&) noexcept = default;
CoordinateLayout::~CoordinateLayout() = default;

namespace {

using Kind = Problem::Kind;

IntTuple zeros(const IntTuple& tuple) {
  return with_leaves(tuple, std::vector<std::int64_t>(tuple.leaves().size(), 0));
}

/// `2@0`, `1@1@0`, the whole value if it is no multiple of one basis element.
std::string stride_text(const CoordinateLayout::Stride& stride, const IntTuple& codomain) {
  const auto nonzero = stride.size() - static_cast<std::size_t>(std::count(stride.begin(), stride.end(), 0));
  if (nonzero == 0) return "0";
  if (nonzero > 1) return with_leaves(codomain, stride).text();
  const auto at = static_cast<std::size_t>(
      std::find_if(stride.begin(), stride.end(), [](std::int64_t value) { return value != 0; }) - stride.begin());
  std::string out = std::to_string(stride[at]);
  const std::vector<std::int64_t> path = leaf_paths(codomain)[at];
  for (auto step = path.rbegin(); step != path.rend(); ++step) out += "@" + std::to_string(*step);
  return out;
}

template <class Leaf>
std::string nested_text(const IntTuple& tuple, const Leaf& leaf) {
  if (tuple.is_int()) return leaf(static_cast<std::size_t>(tuple.value()));
  std::string out;
  for (const IntTuple& element : tuple.elements()) out += (out.empty() ? "" : ",") + nested_text(element, leaf);
  return "(" + out + ")";
}

}  // namespace

Result<CoordinateLayout> CoordinateLayout::make(IntTuple shape, const IntTuple& codomain, std::vector<Stride> strides) {
  const std::size_t leaves = shape.leaves().size(), width = codomain.leaves().size();
  if (strides.size() != leaves ||
      std::any_of(strides.begin(), strides.end(), [&](const Stride& stride) { return stride.size() != width; })) {
    return Problem{Kind::not_congruent, "a coordinate layout of shape `" + shape.text() + "` and values nested as `" +
                                            codomain.text() + "` needs `" + std::to_string(leaves) + "` strides of `" +
                                            std::to_string(width) + "` coefficients"};
  }
  for (std::size_t part = 0; part < std::max<std::size_t>(width, 1); ++part) {
    std::vector<std::int64_t> one;
    for (const Stride& stride : strides) one.push_back(width == 0 ? 0 : stride[part]);
    const auto component = Layout::make(shape, with_leaves(shape, one));
    if (!component) return component.problem();
  }
  std::vector<std::int64_t> numbers;
  std::vector<Stride> table{Stride(width, 0)};
  for (Stride& stride : strides) {
    const auto known = std::find(table.begin(), table.end(), stride);
    numbers.push_back(known - table.begin());
    if (known == table.end()) table.push_back(std::move(stride));
  }
  IntTuple order = with_leaves(shape, numbers);
  const auto made = Layout::make(std::move(shape), std::move(order));
  if (!made) return made.problem();
  return CoordinateLayout(*made, zeros(codomain), std::move(table));
}

Result<CoordinateLayout> CoordinateLayout::identity(const IntTuple& shape) {
  const std::size_t leaves = shape.leaves().size();
  std::vector<Stride> strides;
  for (std::size_t k = 0; k < leaves; ++k) {
    strides.emplace_back(leaves, 0);
    strides.back()[k] = 1;
  }
  return make(shape, shape, std::move(strides));
}

Result<CoordinateLayout> CoordinateLayout::along(const Layout& layout, const IntTuple& codomain, std::size_t leaf) {
  const std::size_t width = codomain.leaves().size();
  if (leaf >= width) {
    return Problem{Kind::rank, "there is no component `" + std::to_string(leaf) + "` in values nested as `" +
                                   codomain.text() + "`"};
  }
  std::vector<Stride> strides;
  for (const std::int64_t stride : layout.stride().leaves()) {
    strides.emplace_back(width, 0);
    strides.back()[leaf] = stride;
  }
  return make(layout.shape(), codomain, std::move(strides));
}

const CoordinateLayout::Stride& CoordinateLayout::stride(std::size_t leaf) const {
  return strides_[static_cast<std::size_t>(order_.stride().leaves()[leaf])];
}

std::string CoordinateLayout::text() const {
  return shape().text() + ":" +
         nested_text(order_.stride(), [&](std::size_t number) { return stride_text(strides_[number], codomain_); });
}

Result<IntTuple> CoordinateLayout::operator()(const IntTuple& coordinate) const {
  const auto index = join(coordinate, shape());
  if (!index) return index.problem();
  Stride value(strides_[0].size(), 0);
  const auto digits = split(*index, shape())->leaves(), numbers = order_.stride().leaves();
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const Stride& stride = strides_[static_cast<std::size_t>(numbers[k])];
    for (std::size_t part = 0; part < value.size(); ++part) value[part] += digits[k] * stride[part];
  }
  return with_leaves(codomain_, value);
}

Layout CoordinateLayout::component(std::size_t leaf) const {
  std::vector<std::int64_t> strides;
  for (const std::int64_t number : order_.stride().leaves()) {
    strides.push_back(strides_[static_cast<std::size_t>(number)][leaf]);
  }
  return *Layout::make(shape(), with_leaves(shape(), strides));
}

IntTuple CoordinateLayout::min() const {
  std::vector<std::int64_t> out;
  for (std::size_t part = 0; part < strides_[0].size(); ++part) out.push_back(component(part).min());
  return with_leaves(codomain_, out);
}

IntTuple CoordinateLayout::max() const {
  std::vector<std::int64_t> out;
  for (std::size_t part = 0; part < strides_[0].size(); ++part) out.push_back(component(part).max());
  return with_leaves(codomain_, out);
}

CoordinateLayout CoordinateLayout::rearranged(const Layout& order) const {
  return CoordinateLayout(order, codomain_, strides_);
}

bool operator==(const CoordinateLayout& a, const CoordinateLayout& b) {
  if (a.codomain_ != b.codomain_ || a.size() != b.size()) return false;
  for (std::size_t part = 0; part < a.strides_[0].size(); ++part) {
    if (!(a.component(part) == b.component(part))) return false;
  }
  return true;
}

CoordinateLayout coalesce(const CoordinateLayout& layout) {
  std::vector<std::int64_t> extents;
  std::vector<CoordinateLayout::Stride> strides;
  const auto goes_on = [&](const CoordinateLayout::Stride& stride) {
    for (std::size_t part = 0; part < stride.size(); ++part) {
      std::int64_t end;
      if (__builtin_mul_overflow(extents.back(), strides.back()[part], &end) || end != stride[part]) return false;
    }
    return true;
  };
  const auto leaves = layout.shape().leaves();
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (leaves[k] == 1) continue;
    if (!extents.empty() && goes_on(layout.stride(k))) {
      extents.back() *= leaves[k];
    } else {
      extents.push_back(leaves[k]);
      strides.push_back(layout.stride(k));
    }
  }
  if (extents.empty()) {
    extents.push_back(1);
    strides.emplace_back(layout.codomain().leaves().size(), 0);
  }
  IntTuple shape = extents[0];
  if (extents.size() > 1) shape = std::vector<IntTuple>(extents.begin(), extents.end());
  return *CoordinateLayout::make(std::move(shape), layout.codomain(), std::move(strides));
}

CoordinateLayout mode(const CoordinateLayout& layout, std::size_t k) {
  return layout.rearranged(layout.order().mode(k));
}

Result<CoordinateLayout> concat(std::span<const CoordinateLayout> modes) {
  std::vector<IntTuple> shape;
  std::vector<CoordinateLayout::Stride> strides;
  for (const CoordinateLayout& mode : modes) {
    if (mode.codomain() != modes[0].codomain()) {
      return Problem{Kind::not_congruent, "concat: values nested as `" + modes[0].codomain().text() + "` and as `" +
                                              mode.codomain().text() + "`"};
    }
    shape.push_back(mode.shape());
    for (std::size_t k = 0; k < mode.shape().leaves().size(); ++k) strides.push_back(mode.stride(k));
  }
  if (shape.empty()) return Problem{Kind::empty, "concat: at least one layout is needed"};
  return CoordinateLayout::make(std::move(shape), modes[0].codomain(), std::move(strides));
}

}  // namespace reckon::layout
