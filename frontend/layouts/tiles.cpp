#include "frontend/layouts/functions.h"
#include "ir/layout/composed_parts.h"
#include "ir/layout/divide.h"
#include "ir/layout/product.h"

namespace reckon::frontend::layout_functions {

using layout::AnyLayout;
using layout::Bounds;
using layout::CoordinateLayout;
using layout::DivideForm;
using layout::Holed;
using layout::IntTuple;
using layout::Layout;
using layout::Problem;
using layout::Result;
using layout::Tiler;
using Int = std::int64_t;

namespace {

template <DivideForm form>
Result<CoordinateLayout> divided(const CoordinateLayout& layout, const Tiler& tiler) {
  return layout::divide(form, layout, tiler);
}

template <DivideForm form>
Result<AnyLayout> divided_any(const AnyLayout& layout, const Tiler& tiler) {
  auto division = layout::divide(form, layout, tiler);
  if (!division) return division.problem();
  return division->layout;
}

/// Which coordinates of a ragged division are elements.
Result<Bounds> bounds(const FunctionName& operation, const AnyLayout& layout, const Tiler& tiler) {
  const std::pair<const char*, DivideForm> forms[] = {{"logical_divide", DivideForm::logical},
                                                      {"zipped_divide", DivideForm::zipped},
                                                      {"tiled_divide", DivideForm::tiled},
                                                      {"flat_divide", DivideForm::flat}};
  for (const auto& [name, form] : forms) {
    if (operation.name != name) continue;
    auto division = layout::divide(form, layout, tiler);
    if (!division) return division.problem();
    return division->bounds;
  }
  return Problem{Problem::Kind::rank, "`bounds`: `" + operation.name + "` is no division",
                 "`bounds(zipped_divide, L, T)`, or `logical_divide`, `tiled_divide`, `flat_divide`"};
}

}  // namespace

std::vector<LayoutFunction> tiles() {
  return {
      row<divided_any<DivideForm::logical>>("logical_divide", "logical_divide(L, T)"),
      row<divided_any<DivideForm::zipped>>("zipped_divide", "zipped_divide(L, T)"),
      row<divided_any<DivideForm::tiled>>("tiled_divide", "tiled_divide(L, T)"),
      row<divided_any<DivideForm::flat>>("flat_divide", "flat_divide(L, T)"),
      row<divided<DivideForm::logical>>("logical_divide", "logical_divide(E, T)"),
      row<divided<DivideForm::zipped>>("zipped_divide", "zipped_divide(E, T)"),
      row<divided<DivideForm::tiled>>("tiled_divide", "tiled_divide(E, T)"),
      row<divided<DivideForm::flat>>("flat_divide", "flat_divide(E, T)"),
      row<bounds>("bounds", "bounds(zipped_divide, L, T)"),

      row<[](const Layout& a, const Tiler& t) { return layout::logical_product(a, t); }>("logical_product",
                                                                                         "logical_product(A, B)"),
      row<[](const Layout& a, const Tiler& t) { return layout::zipped_product(a, t); }>("zipped_product",
                                                                                        "zipped_product(A, B)"),
      row<[](const Layout& a, const Tiler& t) { return layout::tiled_product(a, t); }>("tiled_product",
                                                                                       "tiled_product(A, B)"),
      row<[](const Layout& a, const Tiler& t) { return layout::flat_product(a, t); }>("flat_product",
                                                                                      "flat_product(A, B)"),
      row<[](const Layout& a, const Layout& b) { return layout::blocked_product(a, b); }>("blocked_product",
                                                                                          "blocked_product(A, B)"),
      row<[](const Layout& a, const Layout& b) { return layout::raked_product(a, b); }>("raked_product",
                                                                                        "raked_product(A, B)"),
      row<[](const AnyLayout& a, const IntTuple& s) { return layout::tile_to_shape(a, s); }>("tile_to_shape",
                                                                                          "tile_to_shape(L, S)"),
      row<[](const AnyLayout& a, const IntTuple& s, const IntTuple& o) { return layout::tile_to_shape(a, s, o); }>(
          "tile_to_shape", "tile_to_shape(L, S, order)"),

      row<[](const AnyLayout& a, const Tiler& t, const Holed& c) { return layout::local_tile(a, t, c); }>(
          "local_tile", "local_tile(L, T, c)"),
      row<[](const AnyLayout& a, const Layout& threads, const Int& thread) {
        return layout::local_partition(a, threads, thread);
      }>("local_partition", "local_partition(L, threads, i)"),
  };
}

}  // namespace reckon::frontend::layout_functions
