#include "frontend/layouts/functions.h"
#include "layout/cast.h"
#include "layout/coalesce.h"
#include "layout/common.h"
#include "layout/complement.h"
#include "layout/compose.h"
#include "layout/composed_parts.h"
#include "layout/explain.h"
#include "layout/filter.h"
#include "layout/fit.h"
#include "layout/inverse.h"

namespace reckon::frontend::layout_functions {

using layout::AnyLayout;
using layout::BitMatrix;
using layout::CoordinateLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Problem;
using layout::Result;
using layout::Swizzle;
using layout::Tiler;
using Int = std::int64_t;

namespace {

/// The layout of a table. If the table does not begin with 0, the offset is reported as well.
Result<Layout> fitted(const Table& table) {
  if (table.entries.empty()) return Problem{Problem::Kind::empty, "`fit`: the table has no entries"};
  auto out = layout::fit(table.entries);
  if (!out) return out.problem();
  if (out->offset == 0) return out->layout;
  return Problem{Problem::Kind::no_layout,
                 "`fit`: the table begins with `" + std::to_string(out->offset) + "`, and a layout with `0`",
                 "less its first entry it is `" + out->layout.text() + "`"};
}

std::string difference(const Layout& a, const Layout& b) {
  const auto found = layout::diff(a, b);
  return found ? layout::text(*found, a, b) : "equal as functions";
}

Problem not_explained(const FunctionName& operation, const char* arguments) {
  return Problem{Problem::Kind::rank,
                 "`explain`: `" + operation.name + "` of " + arguments + " is not worked out step by step",
                 "`explain(coalesce, L)`, `explain(compose, A, B)`, `explain(complement, L, N)`"};
}

Result<std::string> explained(const FunctionName& operation, const Layout& a) {
  if (operation.name == "coalesce") return layout::explain_coalesce(a);
  return not_explained(operation, "one layout");
}

Result<std::string> explained(const FunctionName& operation, const Layout& a, const Layout& b) {
  if (operation.name == "compose") return layout::explain_compose(a, b);
  if (operation.name == "complement") return layout::explain_complement(a, b.shape());
  return not_explained(operation, "two layouts");
}

AnyLayout before(layout::Stage stage, const AnyLayout& any) {
  const auto* composed = std::get_if<layout::Composed>(&any);
  if (!composed) return layout::Composed({std::move(stage)}, std::get<Layout>(any));
  std::vector<layout::Stage> stages{std::move(stage)};
  stages.insert(stages.end(), composed->stages().begin(), composed->stages().end());
  return layout::Composed(std::move(stages), composed->inner());
}

/// The plain layout that a composed one is equal to, or why there is none.
Result<Layout> plain(const AnyLayout& any) {
  if (auto* known = std::get_if<Layout>(&any)) return *known;
  const auto& composed = std::get<layout::Composed>(any);
  if (composed.reason()) return *composed.reason();
  return Problem{Problem::Kind::no_layout,
                 "`layout_of`: `" + composed.text() + "` is a function, and no layout is known that equals it",
                 "`fit([...])` of its table decides it"};
}

}  // namespace

std::vector<LayoutFunction> algebra() {
  return {
      row<[](const Layout& a) { return layout::coalesce(a); }>("coalesce", "coalesce(L)"),
      row<[](const Layout& a, const IntTuple& profile) { return layout::coalesce(a, profile); }>(
          "coalesce", "coalesce(L, profile)"),
      row<[](const Layout& a) { return layout::filter(a); }>("filter", "filter(L)"),
      row<[](const Layout& a, const IntTuple& profile) { return layout::filter(a, profile); }>("filter",
                                                                                               "filter(L, profile)"),
      row<[](const Layout& a) { return layout::filter_zeros(a); }>("filter_zeros", "filter_zeros(L)"),
      row<[](const Layout& a, const IntTuple& profile) { return layout::filter_zeros(a, profile); }>(
          "filter_zeros", "filter_zeros(L, profile)"),
      row<[](const Layout& a) { return layout::nullspace(a); }>("nullspace", "nullspace(L)"),
      row<fitted>("fit", "fit([0, 1, ...])"),
      row<difference>("diff", "diff(A, B)"),
      row<[](const FunctionName& f, const Layout& a) { return explained(f, a); }>("explain", "explain(coalesce, L)"),
      row<[](const FunctionName& f, const Layout& a, const Layout& b) { return explained(f, a, b); }>(
          "explain", "explain(compose, A, B)"),

      row<[](const Layout& a, const ModeTiler& b) { return layout::compose(a, b.tiler); }>("compose", "compose(A, T)"),
      row<[](const AnyLayout& a, const AnyLayout& b) { return layout::compose_any(a, b); }>("compose", "compose(A, B)"),
      row<[](const Swizzle& a, const AnyLayout& b) { return layout::compose_any(a, b); }>("compose", "compose(Sw, L)"),
      row<[](const AnyLayout& a, const Swizzle& b) { return layout::compose_any(a, b); }>("compose", "compose(L, Sw)"),
      row<[](const Swizzle& a, const Int& offset, const AnyLayout& b) { return before({a, offset}, b); }>(
          "compose", "compose(Sw, offset, L)"),
      row<[](const Layout& a, const Int& offset, const AnyLayout& b) { return before({a, offset}, b); }>(
          "compose", "compose(A, offset, B)"),
      row<[](const Swizzle& a, const Swizzle& b) { return layout::compose(a, b); }>("compose", "compose(Sw, Sw)"),
      row<[](const Layout& a, const CoordinateLayout& b) { return layout::compose(a, b); }>("compose", "compose(A, E)"),
      row<[](const CoordinateLayout& a, const ModeTiler& b) { return layout::compose(a, b.tiler); }>("compose",
                                                                                                     "compose(E, T)"),
      row<[](const CoordinateLayout& a, const Layout& b) { return layout::compose(a, b); }>("compose", "compose(E, L)"),
      row<[](const BitMatrix& a, const BitMatrix& b) { return layout::compose(a, b); }>("compose", "compose(M, N)"),
      row<plain>("layout_of", "layout_of(L)"),

      row<[](const Layout& a) { return layout::complement(a); }>("complement", "complement(L)"),
      row<[](const Layout& a, const IntTuple& n) { return layout::complement(a, n); }>(
          "complement", "complement(L, N)"),
      row<[](const Layout& a) { return layout::complement_loose(a); }>("complement_loose", "complement_loose(L)"),
      row<[](const Layout& a, const IntTuple& n) { return layout::complement_loose(a, n); }>("complement_loose",
                                                                                             "complement_loose(L, N)"),
      row<[](const Layout& a) { return layout::right_inverse(a); }>("right_inverse", "right_inverse(L)"),
      row<[](const layout::Composed& a) { return layout::right_inverse(AnyLayout(a)); }>("right_inverse",
                                                                                        "right_inverse(L)"),
      row<[](const BitMatrix& a) { return layout::right_inverse(a); }>("right_inverse", "right_inverse(M)"),
      row<[](const Layout& a) { return layout::right_inverse_whole(a); }>("right_inverse_whole",
                                                                          "right_inverse_whole(L)"),
      row<[](const Layout& a) { return layout::left_inverse(a); }>("left_inverse", "left_inverse(L)"),
      row<[](const layout::Composed& a) { return layout::left_inverse(AnyLayout(a)); }>("left_inverse",
                                                                                       "left_inverse(L)"),
      row<[](const BitMatrix& a) { return layout::left_inverse(a); }>("left_inverse", "left_inverse(M)"),
      row<[](const Layout& a) { return layout::left_inverse_loose(a); }>("left_inverse_loose", "left_inverse_loose(L)"),
      row<[](const Layout& a) { return layout::inverse(a); }>("inverse", "inverse(L)"),
      row<[](const layout::Composed& a) { return layout::inverse(AnyLayout(a)); }>("inverse", "inverse(L)"),
      row<[](const BitMatrix& a) { return layout::invert(a); }>("inverse", "inverse(M)"),
      row<[](const Layout& a) { return layout::injective(a); }>("injective", "injective(L)"),

      row<[](const AnyLayout& a, const Int& n) { return layout::upcast(a, n); }>("upcast", "upcast(L, n)"),
      row<[](const Layout& a, const Int& n) { return layout::upcast_loose(a, n); }>(
          "upcast_loose", "upcast_loose(L, n)"),
      row<[](const AnyLayout& a, const Int& n) { return layout::downcast(a, n); }>("downcast", "downcast(L, n)"),
      row<[](const Swizzle& a, const Int& n) { return layout::upcast(a, n); }>("upcast", "upcast(Sw, n)"),
      row<[](const Swizzle& a, const Int& n) { return layout::downcast(a, n); }>("downcast", "downcast(Sw, n)"),
      row<[](const AnyLayout& a, const Int& from, const Int& to) { return layout::recast(a, from, to); }>(
          "recast", "recast(L, old_bits, new_bits)"),
      row<[](const AnyLayout& a, const AnyLayout& b) { return layout::max_common_layout(a, b); }>(
          "max_common_layout", "max_common_layout(A, B)"),
      row<[](const AnyLayout& a, const AnyLayout& b) { return layout::max_common_vector(a, b); }>(
          "max_common_vector", "max_common_vector(A, B)"),
      row<[](const Layout& a) { return layout::max_alignment(a); }>("max_alignment", "max_alignment(L)"),
  };
}

}  // namespace reckon::frontend::layout_functions
