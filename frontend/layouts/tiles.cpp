#include "frontend/layouts/functions.h"
#include "layout/composed_parts.h"
#include "layout/divide.h"
#include "layout/product.h"

namespace reckon::frontend::layout_functions {

using layout::AnyLayout;
using layout::AnyPart;
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

/// Which coordinates of a division with incomplete tiles are elements.
Result<Bounds> bounds(const FunctionName& operation, const AnyLayout& layout, const Tiler& tiler) {
  if (const auto form = layout::division_named(operation.name)) {
    auto division = layout::divide(*form, layout, tiler);
    if (!division) return division.problem();
    return division->bounds;
  }
  return Problem{Problem::Kind::rank, "`bounds`: `" + operation.name + "` is no division",
                 "`bounds(zipped_divide, L, T)`, or `logical_divide`, `tiled_divide`, `flat_divide`"};
}

/// The bounds of one tile, or of one thread's part.
Result<Bounds> bounds_of(const Result<AnyPart>& part) {
  if (!part) return part.problem();
  return part->bounds;
}
std::optional<Problem> no_tile(const FunctionName& operation) {
  if (operation.name == "local_tile") return std::nullopt;
  return Problem{Problem::Kind::rank, "`bounds`: `" + operation.name + "` gives no tile",
                 "`bounds(local_tile, L, T, c)`, `bounds(local_partition, L, threads, i)`, `bounds(zipped_divide, L, "
                 "T)`"};
}

// The same code for layouts, coordinate layouts and their bounds: local_tile(L, T, c), and with a projection.
template <class Tiled>
auto tile(const Tiled& a, const Tiler& t, const Holed& c) {
  return layout::local_tile(a, t, c);
}
template <class Tiled>
auto projected_tile(const Tiled& a, const Tiler& t, const Holed& c, const Projection& step) {
  return layout::local_tile(a, t, c, step.wanted);
}
template <class Tiled>
auto partition(const Tiled& a, const Layout& threads, const Int& thread) {
  return layout::local_partition(a, threads, thread);
}
template <class Tiled>
auto projected_partition(const Tiled& a, const Layout& threads, const Int& thread, const Projection& step) {
  return layout::local_partition(a, threads, thread, step.wanted);
}

template <class Tiled>
void add_parts(std::vector<LayoutFunction>& out) {
  out.push_back(row<tile<Tiled>>("local_tile", "local_tile(L, T, c)"));
  out.push_back(row<projected_tile<Tiled>>("local_tile", "local_tile(L, T, c, (1, _, 1))"));
  out.push_back(row<partition<Tiled>>("local_partition", "local_partition(L, threads, i)"));
  out.push_back(row<projected_partition<Tiled>>("local_partition", "local_partition(L, threads, i, (1, _))"));
}

}  // namespace

std::vector<LayoutFunction> tiles() {
  std::vector<LayoutFunction> out{
      row<divided_any<DivideForm::logical>>("logical_divide", "logical_divide(L, T)"),
      row<divided_any<DivideForm::zipped>>("zipped_divide", "zipped_divide(L, T)"),
      row<divided_any<DivideForm::tiled>>("tiled_divide", "tiled_divide(L, T)"),
      row<divided_any<DivideForm::flat>>("flat_divide", "flat_divide(L, T)"),
      row<divided<DivideForm::logical>>("logical_divide", "logical_divide(E, T)"),
      row<divided<DivideForm::zipped>>("zipped_divide", "zipped_divide(E, T)"),
      row<divided<DivideForm::tiled>>("tiled_divide", "tiled_divide(E, T)"),
      row<divided<DivideForm::flat>>("flat_divide", "flat_divide(E, T)"),
      row<bounds>("bounds", "bounds(zipped_divide, L, T)"),
      row<[](const LocalPartitionName&, const AnyLayout& a, const Layout& threads, const Int& thread) {
        return bounds_of(layout::local_partition(a, threads, thread));
      }>("bounds", "bounds(local_partition, L, threads, i)"),
      row<[](const LocalPartitionName&, const AnyLayout& a, const Layout& threads, const Int& thread,
             const Projection& step) { return bounds_of(layout::local_partition(a, threads, thread, step.wanted)); }>(
          "bounds", "bounds(local_partition, L, threads, i, (1, _))"),
      row<[](const FunctionName& operation, const AnyLayout& a, const Tiler& t, const Holed& c) {
        if (auto problem = no_tile(operation)) return Result<Bounds>(*problem);
        return bounds_of(layout::local_tile(a, t, c));
      }>("bounds", "bounds(local_tile, L, T, c)"),
      row<[](const FunctionName& operation, const AnyLayout& a, const Tiler& t, const Holed& c,
             const Projection& step) {
        if (auto problem = no_tile(operation)) return Result<Bounds>(*problem);
        return bounds_of(layout::local_tile(a, t, c, step.wanted));
      }>("bounds", "bounds(local_tile, L, T, c, (1, _, 1))"),

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
  };
  add_parts<AnyLayout>(out);
  add_parts<CoordinateLayout>(out);
  return out;
}

}  // namespace reckon::frontend::layout_functions
