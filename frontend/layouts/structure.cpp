#include "layout/structure.h"
#include "frontend/layouts/functions.h"
#include "layout/composed_parts.h"
#include "layout/coordinates.h"
#include "layout/make.h"
#include "layout/tuples.h"

namespace reckon::frontend::layout_functions {

using layout::AnyLayout;
using layout::Holed;
using layout::IntTuple;
using layout::Layout;
using layout::Result;
using Int = std::int64_t;

std::vector<LayoutFunction> structure() {
  return {
      row<[](const AnyLayout& a) { return layout::size(a); }>("size", "size(L)"),
      row<[](const AnyLayout& a) -> Int { return static_cast<Int>(layout::shape(a).rank()); }>("rank", "rank(L)"),
      row<[](const AnyLayout& a) -> Int { return layout::shape(a).depth(); }>("depth", "depth(L)"),
      row<[](const AnyLayout& a) { return layout::shape(a); }>("shape", "shape(L)"),
      row<[](const Layout& a) { return a.stride(); }>("stride", "stride(L)"),
      row<[](const Layout& a) { return a.cosize(); }>("cosize", "cosize(L)"),
      row<[](const layout::Composed& a) { return a.cosize(); }>("cosize", "cosize(L)"),
      row<[](const Layout& a) { return a.extent(); }>("extent", "extent(L)"),
      row<[](const layout::Composed& a) { return a.extent(); }>("extent", "extent(L)"),
      row<[](const Layout& a) { return a.min(); }>("min", "min(L)"),
      row<[](const layout::Composed& a) { return a.min(); }>("min", "min(L)"),
      row<[](const Layout& a) { return a.max(); }>("max", "max(L)"),
      row<[](const layout::Composed& a) { return a.max(); }>("max", "max(L)"),

      row<[](const IntTuple& c, const IntTuple& s) { return layout::crd2idx(c, s); }>("crd2idx", "crd2idx(c, S)"),
      row<[](const IntTuple& c, const IntTuple& s, const IntTuple& d) { return layout::crd2idx(c, s, d); }>(
          "crd2idx", "crd2idx(c, S, D)"),
      row<[](const IntTuple& i, const IntTuple& s) { return layout::idx2crd(i, s); }>("idx2crd", "idx2crd(i, S)"),
      row<[](const Int& i, const IntTuple& s, const IntTuple& d) { return layout::idx2crd(i, s, d); }>(
          "idx2crd", "idx2crd(i, S, D)"),
      row<[](const IntTuple& c, const IntTuple& s, const IntTuple& t) { return layout::crd2crd(c, s, t); }>(
          "crd2crd", "crd2crd(c, S, T)"),
      row<[](const IntTuple& a, const IntTuple& b) { return layout::congruent(a, b); }>("congruent", "congruent(S, T)"),
      row<[](const IntTuple& a, const IntTuple& b) { return layout::weakly_congruent(a, b); }>(
          "weakly_congruent", "weakly_congruent(S, T)"),
      row<[](const IntTuple& a, const IntTuple& b) { return layout::compatible(a, b); }>(
          "compatible", "compatible(S, T)"),
      row<[](const IntTuple& a, const IntTuple& b) { return layout::evenly_divides(a, b); }>(
          "evenly_divides", "evenly_divides(S, T)"),
      row<[](const IntTuple& a, const IntTuple& b) { return layout::ceil_div(a, b); }>("ceil_div", "ceil_div(S, T)"),
      row<[](const IntTuple& a, const IntTuple& b) { return layout::shape_div(a, b); }>("shape_div", "shape_div(S, T)"),

      row<[](const IntTuple& s) { return Layout::compact_left(s); }>("column_major", "column_major(S)"),
      row<[](const IntTuple& s) { return Layout::compact_right(s); }>("row_major", "row_major(S)"),
      row<[](const IntTuple& s, const IntTuple& o) { return layout::make_ordered_layout(s, o); }>(
          "make_ordered_layout", "make_ordered_layout(S, order)"),
      row<[](const Layout& a) { return layout::make_layout_like(a); }>("make_layout_like", "make_layout_like(L)"),
      row<[](const Layout& a) { return layout::make_fragment_like(a); }>("make_fragment_like", "make_fragment_like(L)"),
      row<[](const IntTuple& s) { return layout::CoordinateLayout::identity(s); }>("identity", "identity(S)"),

      row<[](const AnyLayout& a, const Rest<Int>& path) {
        return layout::on_inner(a, [&](const Layout& inner) { return layout::get(inner, path.items); });
      }>("get", "get(L, i, ...)"),
      row<[](const AnyLayout& a, const Rest<Int>& modes) {
        return layout::on_inner(a, [&](const Layout& inner) { return layout::select(inner, modes.items); });
      }>("select", "select(L, i, ...)"),
      row<[](const AnyLayout& a, const Int& first, const Int& last) {
        return layout::on_inner(a, [&](const Layout& inner) { return layout::take(inner, first, last); });
      }>("take", "take(L, first, last)"),
      row<[](const AnyLayout& a, const Int& first, const Int& last) {
        return layout::on_inner(a, [&](const Layout& inner) { return layout::group(inner, first, last); });
      }>("group", "group(L, first, last)"),
      row<[](const AnyLayout& a) {
        return layout::on_inner(a, [](const Layout& inner) -> Result<Layout> { return layout::flatten(inner); });
      }>("flatten", "flatten(L)"),
      row<[](const Layout& a, const IntTuple& profile) { return layout::unflatten(a, profile); }>(
          "unflatten", "unflatten(L, profile)"),
      row<[](const Layout& a, const Layout& b) { return layout::append(a, b); }>("append", "append(L, M)"),
      row<[](const Layout& a, const Layout& b) { return layout::prepend(a, b); }>("prepend", "prepend(L, M)"),
      row<[](const Layout& a, const Int& mode, const Layout& b) { return layout::replace(a, mode, b); }>(
          "replace", "replace(L, i, M)"),
      row<[](const Layout& first, const Rest<Layout>& others) {
        std::vector<Layout> modes{first};
        modes.insert(modes.end(), others.items.begin(), others.items.end());
        return layout::concat(modes);
      }>("concat", "concat(L, M, ...)"),
      row<[](const Layout& a) { return layout::zip(a); }>("zip", "zip(L)"),
      row<[](const Layout& a, const IntTuple& s) { return layout::with_shape(a, s); }>("with_shape", "with_shape(L, S)"),
      row<[](const Holed& c, const AnyLayout& a) { return layout::slice(a, c); }>("slice", "slice(c, L)"),
      row<[](const Holed& c, const layout::CoordinateLayout& a) { return layout::slice(a, c); }>("slice",
                                                                                               "slice(c, E)"),
      row<[](const Holed& c, const layout::Bounds& a) { return a.sliced(c); }>("slice", "slice(c, bounds)"),
      row<[](const Holed& c, const Layout& a) { return layout::dice(a, c); }>("dice", "dice(c, L)"),
      row<[](const IntTuple& s, const Int& n) { return layout::domain_distribute(s, n); }>(
          "domain_distribute", "domain_distribute(S, n)"),
  };
}

}  // namespace reckon::frontend::layout_functions
