#include "layout/divide.h"

#include "layout/coalesce.h"
#include "layout/complement.h"
#include "layout/compose.h"
#include "layout/filter.h"
#include "layout/rearrange.h"
#include "layout/structure.h"
#include "layout/tuples.h"
#include "layout/valued.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;
using valued::mode_of;

/// One index for each mode that the tiler treats as a whole.
IntTuple index_space(const IntTuple& shape, const Tiler& tiler) {
  if (!tiler.is_tuple()) return *product(shape);
  std::vector<IntTuple> out;
  for (std::size_t k = 0; k < shape.rank(); ++k) {
    const IntTuple& mode = shape.is_int() ? shape : shape.elements()[k];
    out.push_back(k < tiler.rank() ? index_space(mode, tiler.modes()[k]) : IntTuple(*product(mode)));
  }
  return out;
}

void refine(const IntTuple& shape, std::int64_t stride, std::vector<std::int64_t>& out) {
  std::int64_t below = 1;
  for (const std::int64_t extent : shape.leaves()) {
    // If the extent is above 1, a step of the leaf is an offset of the layout; otherwise there is no step.
    out.push_back(extent == 1 ? 0 : stride * below);
    below *= extent;
  }
}

void refine(const Layout& layout, const IntTuple& shape, std::vector<std::int64_t>& out) {
  if (layout.shape().is_int()) return refine(shape, layout.stride().value(), out);
  for (std::size_t k = 0; k < layout.rank(); ++k) refine(layout.mode(k), shape.elements()[k], out);
}

/// The same function, with the leaves of a finer shape.
Result<Layout> refined(const Layout& layout, const IntTuple& shape) {
  std::vector<std::int64_t> strides;
  refine(layout, shape, strides);
  return Layout::make(shape, with_leaves(shape, strides));
}

/// The complement in a shape, mode by mode as in CuTe; if rounding leaves a part out ((16,32) by 36), in its size.
Result<Layout> complement_in(const Layout& tile, const IntTuple& shape) {
  const std::int64_t size = *product(shape);
  const auto out = complement(tile, shape);
  std::int64_t covered;
  if (!out || __builtin_mul_overflow(filter(tile).size(), out->size(), &covered) || covered >= size) return out;
  return complement(tile, size);
}

/// A divided mode, with the indices of the mode at its coordinates.
template <class Valued>
struct Cut {
  Valued layout;
  CoordinateLayout where;
};

template <class Valued>
class Divider {
 public:
  Divider(DivideForm form, const Valued& layout, const Tiler& tiler)
      : form_(form), layout_(layout), tiler_(tiler), space_(index_space(layout.shape(), tiler)) {}

  const IntTuple& space() const { return space_; }

  Result<Cut<Valued>> whole() {
    std::vector<std::size_t> path;
    return cut(layout_, tiler_, path);
  }

 private:
  Problem refused(const std::vector<std::size_t>& path, Problem problem) const {
    std::string modes;
    for (const std::size_t mode : path) modes += (modes.empty() ? "" : ",") + std::to_string(mode);
    return prefixed(std::string(name(form_)) + " of `" + layout_.text() + "` by `" + tiler_.text() + "`" +
                        (path.empty() ? "" : ", mode `" + modes + "`") + ": ",
                    std::move(problem));
  }

  Result<Cut<Valued>> cut(const Valued& layout, const Tiler& tiler, std::vector<std::size_t>& path) {
    if (tiler.is_tuple()) return by_mode(layout, tiler, path);
    if (tiler.is_keep()) {
      if (form_ == DivideForm::logical) return kept(layout);
      return refused(path, {Kind::empty, "`_` keeps the mode whole, so that it has no tile to gather",
                            "write the mode's extent as the tile, or use logical_divide"});
    }
    const auto rest = complement_in(tiler.layout(), coalesce(layout).shape());
    if (!rest) {
      return refused(path, {rest.problem().kind,
                            "copies of the tile `" + tiler.layout().text() +
                                "` do not fill the mode: " + rest.problem().message,
                            rest.problem().hint});
    }
    const auto indices = concat(std::vector<Layout>{tiler.layout(), *rest});
    if (!indices) return refused(path, indices.problem());
    const auto divided = compose(layout, *indices);
    if (!divided) {
      return refused(path, {divided.problem().kind, divided.problem().message,
                            "divide mode by mode, or by a tile that does not go from one mode into the next",
                            divided.problem().at});
    }
    const auto finer = refined(*indices, divided->shape());
    if (!finer) return refused(path, finer.problem());
    return with(*divided, *finer);
  }

  Result<Cut<Valued>> by_mode(const Valued& layout, const Tiler& tiler, std::vector<std::size_t>& path) {
    if (tiler.rank() > layout.rank()) {
      return refused(path, {Kind::rank,
                            "`" + std::to_string(tiler.rank()) + "` tilers for the `" + std::to_string(layout.rank()) +
                                "` modes of `" + layout.text() + "`",
                            "group or flatten modes first, or give one tiler for all of them"});
    }
    std::vector<Valued> modes;
    std::vector<CoordinateLayout> where;
    for (std::size_t k = 0; k < layout.rank(); ++k) {
      path.push_back(k);
      const auto one = k < tiler.rank() ? cut(mode_of(layout, k), tiler.modes()[k], path) : kept(mode_of(layout, k));
      path.pop_back();
      if (!one) return one;
      modes.push_back(one->layout);
      where.push_back(one->where);
    }
    const auto all = concat(modes);
    if (!all) return refused(path, all.problem());
    const auto all_where = concat(where);
    if (!all_where) return refused(path, all_where.problem());
    return Cut<Valued>{*all, *all_where};
  }

  Result<Cut<Valued>> kept(const Valued& layout) {
    const auto indices = Layout::compact_left(layout.shape());
    if (!indices) return indices.problem();
    return with(layout, *indices);
  }

  Result<Cut<Valued>> with(const Valued& layout, const Layout& indices) {
    const auto where = CoordinateLayout::along(indices, space_, component_++);
    if (!where) return where.problem();
    return Cut<Valued>{layout, *where};
  }

  DivideForm form_;
  const Valued& layout_;
  const Tiler& tiler_;
  IntTuple space_;
  std::size_t component_ = 0;
};

Result<Layout> in_form(DivideForm form, const Layout& divided, const Tiler& tiler) {
  return Layout::make(in_form(form, divided.shape(), tiler), in_form(form, divided.stride(), tiler));
}

Result<Layout> without_bounds(DivideForm form, const Layout& layout, const Tiler& tiler) {
  const auto out = divide(form, layout, tiler);
  if (!out) return out.problem();
  return out->layout;
}

}  // namespace

IntTuple in_form(DivideForm form, const IntTuple& divided, const Tiler& tiler) {
  if (form == DivideForm::logical) return divided;
  const IntTuple zipped = gathered(divided, tiler);
  if (form == DivideForm::zipped) return zipped;
  return form == DivideForm::tiled ? unpacked(zipped, 1) : unpacked(unpacked(zipped, 1), 0);
}

std::string_view name(DivideForm form) {
  switch (form) {
    case DivideForm::logical: return "logical_divide";
    case DivideForm::zipped: return "zipped_divide";
    case DivideForm::tiled: return "tiled_divide";
    case DivideForm::flat: return "flat_divide";
  }
  return "divide";
}

std::optional<DivideForm> division_named(std::string_view wanted) {
  for (const DivideForm form : {DivideForm::logical, DivideForm::zipped, DivideForm::tiled, DivideForm::flat}) {
    if (name(form) == wanted) return form;
  }
  return std::nullopt;
}

Result<Division> divide(DivideForm form, const Layout& layout, const Tiler& tiler) {
  Divider<Layout> divider(form, layout, tiler);
  const auto cut = divider.whole();
  if (!cut) return cut.problem();
  const auto out = in_form(form, cut->layout, tiler);
  if (!out) return out.problem();
  const auto order = in_form(form, cut->where.order(), tiler);
  if (!order) return order.problem();
  return Division{*out, Bounds(cut->where.rearranged(*order), divider.space())};
}

Result<CoordinateLayout> divide(DivideForm form, const CoordinateLayout& layout, const Tiler& tiler) {
  Divider<CoordinateLayout> divider(form, layout, tiler);
  const auto cut = divider.whole();
  if (!cut) return cut.problem();
  const auto order = in_form(form, cut->layout.order(), tiler);
  if (!order) return order.problem();
  return cut->layout.rearranged(*order);
}

Result<Layout> logical_divide(const Layout& layout, const Tiler& tiler) {
  return without_bounds(DivideForm::logical, layout, tiler);
}
Result<Layout> zipped_divide(const Layout& layout, const Tiler& tiler) {
  return without_bounds(DivideForm::zipped, layout, tiler);
}
Result<Layout> tiled_divide(const Layout& layout, const Tiler& tiler) {
  return without_bounds(DivideForm::tiled, layout, tiler);
}
Result<Layout> flat_divide(const Layout& layout, const Tiler& tiler) {
  return without_bounds(DivideForm::flat, layout, tiler);
}

}  // namespace reckon::layout
