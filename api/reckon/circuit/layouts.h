// Layouts as values: the layout algebra (docs/layouts.md). tests/api compares this list with the tables of the language
// (frontend/layouts/). Whether a function takes these arguments is the session's to say, with the place of the call.
#pragma once

#include <array>

#include "schedules.h"

namespace reckon::circuit::layout {

/// A layout, a shape, a coordinate, or what the functions below make of them.
class Layout : public Expression {
 public:
  using Value = Layout;
  using Expression::Expression;
  template <Integral T>
  Layout(T value, Place place = Place::current()) : Expression(detail::literal(value, place)) {}
  Layout(const Integer& value) : Expression(value.node()) {}
  /// A name of the language or of the hardware, `"u128"`.
  Layout(const char* text, Place place = Place::current())
      : Expression(detail::make_fixed(NodeKind::string, text, place)) {}

  /// The layout at a coordinate or an index.
  template <class... More>
  Integer operator()(const Layout& first, const More&... more) const {
    return Integer(
        detail::make_fixed(NodeKind::call, {}, first.node()->place, {node(), first.node(), Layout(more).node()...}));
  }
};

/// A layout among the arguments of a function, with the place of the call.
class Operand {
 public:
  template <std::convertible_to<Layout> X>
  Operand(const X& value, Place at = Place::current()) : node(Layout(value).node()), place(at) {}

  NodePointer node;
  Place place;
};

namespace detail {
using namespace circuit::detail;
template <class... More>
Layout function(const char* name, const Operand& first, const More&... more) {
  return Layout(fixed_call(name, first.place, {first.node, Layout(more).node()...}));
}
}  // namespace detail

/// A shape, a stride or a coordinate of several parts, which may be shapes themselves: `shape(4, shape(2, 8))`.
template <class... More>
Layout shape(Operand first, const More&... more) {
  return Layout(detail::make_fixed(NodeKind::tuple, {}, first.place, {first.node, Layout(more).node()...}));
}
/// `shape:stride`.
inline Layout make(Operand shape, Operand stride) {
  return Layout(detail::make_fixed(NodeKind::colon, {}, stride.place, {shape.node, stride.node}));
}
/// `_`: all of a mode; the extent of the last mode of `arrange`, as long as needed.
inline const Layout open(detail::name("_", Place::current()));

/// Whether two layouts are one function, and whether they are written alike.
inline Static equal(Operand a, Operand b) {
  return Static(detail::make_fixed(NodeKind::binary, "==", b.place, {a.node, b.node}));
}
inline Static identical(Operand a, Operand b) {
  return Static(detail::make_fixed(NodeKind::binary, "===", b.place, {a.node, b.node}));
}

template <class... More>
Layout coalesce(Operand first, const More&... more) {
  return detail::function("coalesce", first, more...);
}
template <class... More>
Layout filter(Operand first, const More&... more) {
  return detail::function("filter", first, more...);
}
template <class... More>
Layout filter_zeros(Operand first, const More&... more) {
  return detail::function("filter_zeros", first, more...);
}
template <class... More>
Layout nullspace(Operand first, const More&... more) {
  return detail::function("nullspace", first, more...);
}
template <class... More>
Layout fit(Operand first, const More&... more) {
  return detail::function("fit", first, more...);
}
template <class... More>
Layout diff(Operand first, const More&... more) {
  return detail::function("diff", first, more...);
}
template <class... More>
Layout explain(Operand first, const More&... more) {
  return detail::function("explain", first, more...);
}
template <class... More>
Layout compose(Operand first, const More&... more) {
  return detail::function("compose", first, more...);
}
template <class... More>
Layout layout_of(Operand first, const More&... more) {
  return detail::function("layout_of", first, more...);
}
template <class... More>
Layout complement(Operand first, const More&... more) {
  return detail::function("complement", first, more...);
}
template <class... More>
Layout complement_loose(Operand first, const More&... more) {
  return detail::function("complement_loose", first, more...);
}
template <class... More>
Layout right_inverse(Operand first, const More&... more) {
  return detail::function("right_inverse", first, more...);
}
template <class... More>
Layout right_inverse_whole(Operand first, const More&... more) {
  return detail::function("right_inverse_whole", first, more...);
}
template <class... More>
Layout left_inverse(Operand first, const More&... more) {
  return detail::function("left_inverse", first, more...);
}
template <class... More>
Layout left_inverse_loose(Operand first, const More&... more) {
  return detail::function("left_inverse_loose", first, more...);
}
template <class... More>
Layout inverse(Operand first, const More&... more) {
  return detail::function("inverse", first, more...);
}
template <class... More>
Layout injective(Operand first, const More&... more) {
  return detail::function("injective", first, more...);
}
template <class... More>
Layout upcast(Operand first, const More&... more) {
  return detail::function("upcast", first, more...);
}
template <class... More>
Layout upcast_loose(Operand first, const More&... more) {
  return detail::function("upcast_loose", first, more...);
}
template <class... More>
Layout downcast(Operand first, const More&... more) {
  return detail::function("downcast", first, more...);
}
template <class... More>
Layout recast(Operand first, const More&... more) {
  return detail::function("recast", first, more...);
}
template <class... More>
Layout max_common_layout(Operand first, const More&... more) {
  return detail::function("max_common_layout", first, more...);
}
template <class... More>
Layout max_common_vector(Operand first, const More&... more) {
  return detail::function("max_common_vector", first, more...);
}
template <class... More>
Layout max_alignment(Operand first, const More&... more) {
  return detail::function("max_alignment", first, more...);
}
template <class... More>
Layout swizzle(Operand first, const More&... more) {
  return detail::function("swizzle", first, more...);
}
template <class... More>
Layout make_swizzle(Operand first, const More&... more) {
  return detail::function("make_swizzle", first, more...);
}
template <class... More>
Layout bit_matrix(Operand first, const More&... more) {
  return detail::function("bit_matrix", first, more...);
}
template <class... More>
Layout report(Operand first, const More&... more) {
  return detail::function("report", first, more...);
}
template <class... More>
Layout mend(Operand first, const More&... more) {
  return detail::function("mend", first, more...);
}
template <class... More>
Layout tiled_mma(Operand first, const More&... more) {
  return detail::function("tiled_mma", first, more...);
}
template <class... More>
Layout size(Operand first, const More&... more) {
  return detail::function("size", first, more...);
}
template <class... More>
Layout tile_shape(Operand first, const More&... more) {
  return detail::function("tile_shape", first, more...);
}
template <class... More>
Layout rank(Operand first, const More&... more) {
  return detail::function("rank", first, more...);
}
template <class... More>
Layout depth(Operand first, const More&... more) {
  return detail::function("depth", first, more...);
}
template <class... More>
Layout stride(Operand first, const More&... more) {
  return detail::function("stride", first, more...);
}
template <class... More>
Layout cosize(Operand first, const More&... more) {
  return detail::function("cosize", first, more...);
}
template <class... More>
Layout extent(Operand first, const More&... more) {
  return detail::function("extent", first, more...);
}
template <class... More>
Layout min(Operand first, const More&... more) {
  return detail::function("min", first, more...);
}
template <class... More>
Layout max(Operand first, const More&... more) {
  return detail::function("max", first, more...);
}
template <class... More>
Layout crd2idx(Operand first, const More&... more) {
  return detail::function("crd2idx", first, more...);
}
template <class... More>
Layout idx2crd(Operand first, const More&... more) {
  return detail::function("idx2crd", first, more...);
}
template <class... More>
Layout crd2crd(Operand first, const More&... more) {
  return detail::function("crd2crd", first, more...);
}
template <class... More>
Layout congruent(Operand first, const More&... more) {
  return detail::function("congruent", first, more...);
}
template <class... More>
Layout weakly_congruent(Operand first, const More&... more) {
  return detail::function("weakly_congruent", first, more...);
}
template <class... More>
Layout compatible(Operand first, const More&... more) {
  return detail::function("compatible", first, more...);
}
template <class... More>
Layout evenly_divides(Operand first, const More&... more) {
  return detail::function("evenly_divides", first, more...);
}
template <class... More>
Layout ceil_div(Operand first, const More&... more) {
  return detail::function("ceil_div", first, more...);
}
template <class... More>
Layout shape_div(Operand first, const More&... more) {
  return detail::function("shape_div", first, more...);
}
template <class... More>
Layout column_major(Operand first, const More&... more) {
  return detail::function("column_major", first, more...);
}
template <class... More>
Layout row_major(Operand first, const More&... more) {
  return detail::function("row_major", first, more...);
}
template <class... More>
Layout make_ordered_layout(Operand first, const More&... more) {
  return detail::function("make_ordered_layout", first, more...);
}
template <class... More>
Layout make_layout_like(Operand first, const More&... more) {
  return detail::function("make_layout_like", first, more...);
}
template <class... More>
Layout make_fragment_like(Operand first, const More&... more) {
  return detail::function("make_fragment_like", first, more...);
}
template <class... More>
Layout identity(Operand first, const More&... more) {
  return detail::function("identity", first, more...);
}
template <class... More>
Layout get(Operand first, const More&... more) {
  return detail::function("get", first, more...);
}
template <class... More>
Layout select(Operand first, const More&... more) {
  return detail::function("select", first, more...);
}
template <class... More>
Layout take(Operand first, const More&... more) {
  return detail::function("take", first, more...);
}
template <class... More>
Layout group(Operand first, const More&... more) {
  return detail::function("group", first, more...);
}
template <class... More>
Layout flatten(Operand first, const More&... more) {
  return detail::function("flatten", first, more...);
}
template <class... More>
Layout unflatten(Operand first, const More&... more) {
  return detail::function("unflatten", first, more...);
}
template <class... More>
Layout append(Operand first, const More&... more) {
  return detail::function("append", first, more...);
}
template <class... More>
Layout prepend(Operand first, const More&... more) {
  return detail::function("prepend", first, more...);
}
template <class... More>
Layout replace(Operand first, const More&... more) {
  return detail::function("replace", first, more...);
}
template <class... More>
Layout concat(Operand first, const More&... more) {
  return detail::function("concat", first, more...);
}
template <class... More>
Layout zip(Operand first, const More&... more) {
  return detail::function("zip", first, more...);
}
template <class... More>
Layout with_shape(Operand first, const More&... more) {
  return detail::function("with_shape", first, more...);
}
template <class... More>
Layout slice(Operand first, const More&... more) {
  return detail::function("slice", first, more...);
}
template <class... More>
Layout dice(Operand first, const More&... more) {
  return detail::function("dice", first, more...);
}
template <class... More>
Layout domain_distribute(Operand first, const More&... more) {
  return detail::function("domain_distribute", first, more...);
}
template <class... More>
Layout local_tile(Operand first, const More&... more) {
  return detail::function("local_tile", first, more...);
}
template <class... More>
Layout local_partition(Operand first, const More&... more) {
  return detail::function("local_partition", first, more...);
}
template <class... More>
Layout logical_divide(Operand first, const More&... more) {
  return detail::function("logical_divide", first, more...);
}
template <class... More>
Layout zipped_divide(Operand first, const More&... more) {
  return detail::function("zipped_divide", first, more...);
}
template <class... More>
Layout tiled_divide(Operand first, const More&... more) {
  return detail::function("tiled_divide", first, more...);
}
template <class... More>
Layout flat_divide(Operand first, const More&... more) {
  return detail::function("flat_divide", first, more...);
}
template <class... More>
Layout bounds(Operand first, const More&... more) {
  return detail::function("bounds", first, more...);
}
template <class... More>
Layout logical_product(Operand first, const More&... more) {
  return detail::function("logical_product", first, more...);
}
template <class... More>
Layout zipped_product(Operand first, const More&... more) {
  return detail::function("zipped_product", first, more...);
}
template <class... More>
Layout tiled_product(Operand first, const More&... more) {
  return detail::function("tiled_product", first, more...);
}
template <class... More>
Layout flat_product(Operand first, const More&... more) {
  return detail::function("flat_product", first, more...);
}
template <class... More>
Layout blocked_product(Operand first, const More&... more) {
  return detail::function("blocked_product", first, more...);
}
template <class... More>
Layout raked_product(Operand first, const More&... more) {
  return detail::function("raked_product", first, more...);
}
template <class... More>
Layout tile_to_shape(Operand first, const More&... more) {
  return detail::function("tile_to_shape", first, more...);
}
template <class... More>
Layout mma(Operand first, const More&... more) {
  return detail::function("mma", first, more...);
}
template <class... More>
Layout mma_shape(Operand first, const More&... more) {
  return detail::function("mma_shape", first, more...);
}
template <class... More>
Layout mma_threads(Operand first, const More&... more) {
  return detail::function("mma_threads", first, more...);
}
template <class... More>
Layout gmma_layout(Operand first, const More&... more) {
  return detail::function("gmma_layout", first, more...);
}
template <class... More>
Layout copy(Operand first, const More&... more) {
  return detail::function("copy", first, more...);
}
template <class... More>
Layout tiled_copy(Operand first, const More&... more) {
  return detail::function("tiled_copy", first, more...);
}
template <class... More>
Layout shared_atom(Operand first, const More&... more) {
  return detail::function("shared_atom", first, more...);
}
template <class... More>
Layout thrfrg_A(Operand first, const More&... more) {
  return detail::function("thrfrg_A", first, more...);
}
template <class... More>
Layout thrfrg_B(Operand first, const More&... more) {
  return detail::function("thrfrg_B", first, more...);
}
template <class... More>
Layout thrfrg_C(Operand first, const More&... more) {
  return detail::function("thrfrg_C", first, more...);
}
template <class... More>
Layout partition_A(Operand first, const More&... more) {
  return detail::function("partition_A", first, more...);
}
template <class... More>
Layout partition_B(Operand first, const More&... more) {
  return detail::function("partition_B", first, more...);
}
template <class... More>
Layout partition_C(Operand first, const More&... more) {
  return detail::function("partition_C", first, more...);
}
template <class... More>
Layout tidfrg_S(Operand first, const More&... more) {
  return detail::function("tidfrg_S", first, more...);
}
template <class... More>
Layout tidfrg_D(Operand first, const More&... more) {
  return detail::function("tidfrg_D", first, more...);
}
template <class... More>
Layout partition_S(Operand first, const More&... more) {
  return detail::function("partition_S", first, more...);
}
template <class... More>
Layout partition_D(Operand first, const More&... more) {
  return detail::function("partition_D", first, more...);
}

/// The shape of a layout; `shape` makes one.
inline Layout shape_of(Operand of) { return detail::function("shape", of); }

}  // namespace reckon::circuit::layout

namespace reckon::circuit {

/// For each coordinate of the last mode of a layout, one run of nodes.
inline Stage arrange(const layout::Layout& order, const Schedule& run, Place place = Place::current()) {
  return Stage(detail::fixed_call("arrange", place, {order.node(), run.node()}));
}
/// A tensor with the subscripts of a layout, which takes them to elements of `x` in row-major order.
template <std::size_t Rank, Format T, std::size_t From>
Tensor<T, Rank> view(const Tensor<T, From>& x, const layout::Layout& by, Place place = Place::current()) {
  return Tensor<T, Rank>(detail::call("view", place, {x.node(), by.node()}));
}

}  // namespace reckon::circuit
