#include "layout/tiler.h"

#include "layout/structure.h"
#include "layout/tuples.h"
#include "layout/valued.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

Problem in_mode(std::size_t mode, Problem problem) {
  return prefixed("mode " + in_backticks(static_cast<std::int64_t>(mode)) + ": ", std::move(problem));
}

}  // namespace

Result<Tiler> Tiler::of(const IntTuple& sizes) {
  if (sizes.is_int()) {
    const auto layout = Layout::make(sizes, 1);
    if (!layout) return layout.problem();
    return Tiler(*layout);
  }
  if (sizes.elements().empty()) return Problem{Kind::empty, "a tiler has at least one mode"};
  std::vector<Tiler> modes;
  for (const IntTuple& size : sizes.elements()) {
    auto mode = of(size);
    if (!mode) return mode;
    modes.push_back(*mode);
  }
  return Tiler(std::move(modes));
}

std::string Tiler::text() const {
  if (is_keep()) return "_";
  if (is_layout()) return layout().text();
  std::string out;
  for (const Tiler& mode : modes()) out += (out.empty() ? "" : ",") + mode.text();
  return "<" + out + ">";
}

namespace {

template <class Valued>
Result<Valued> by_mode(const Valued& a, const Tiler& b) {
  if (b.is_keep()) return a;
  if (b.is_layout()) return compose(a, b.layout());
  if (b.rank() > a.rank()) {
    return Problem{Kind::rank,
                   "composition of `" + a.text() + "` with the tiler `" + b.text() + "`: `" + std::to_string(b.rank()) +
                       "` tilers for `" + std::to_string(a.rank()) + "` modes",
                   "group or select modes, or keep one with `_`"};
  }
  std::vector<Valued> modes;
  for (std::size_t k = 0; k < a.rank(); ++k) {
    const Valued whole = valued::mode_of(a, k);
    const auto mode = k < b.rank() ? by_mode(whole, b.modes()[k]) : Result<Valued>(whole);
    if (!mode) return in_mode(k, mode.problem());
    modes.push_back(*mode);
  }
  return concat(modes);
}

}  // namespace

Result<Layout> compose(const Layout& a, const Tiler& b) { return by_mode(a, b); }
Result<CoordinateLayout> compose(const CoordinateLayout& a, const Tiler& b) { return by_mode(a, b); }

Result<IntTuple> tile_shape(const Tiler& tiler) {
  if (tiler.is_layout()) return IntTuple(tiler.layout().size());
  if (tiler.is_keep()) {
    return Problem{Kind::empty, "`_` keeps its mode whole, and has no tile", "write the mode's extent as the tile"};
  }
  std::vector<IntTuple> out;
  for (std::size_t k = 0; k < tiler.rank(); ++k) {
    const auto part = tile_shape(tiler.modes()[k]);
    if (!part) return in_mode(k, part.problem());
    out.push_back(*part);
  }
  return IntTuple(std::move(out));
}

Result<IntTuple> ceil_div(const IntTuple& shape, const Tiler& tiler) {
  const auto sizes = tile_shape(tiler);
  if (!sizes) return sizes;
  return ceil_div(shape, *sizes);
}

}  // namespace reckon::layout
