// A layout from its table, and where two layouts differ (docs/layouts.md, "Equality").
#pragma once

#include <optional>
#include <span>
#include <string>

#include "layout/layout.h"
#include "layout/problem.h"

namespace reckon::layout {

/// offset + layout(i).
struct Fitted {
  Layout layout;  ///< canonical: as `coalesce` leaves it
  std::int64_t offset = 0;
};

/// The layout whose offsets, in the order of its indices, are the table minus its first entry; or `no_layout` with the
/// first index that refutes it: no layout of the table's size begins like that, whatever follows. One pass for each
/// mode; the table is not empty.
Result<Fitted> fit(std::span<const std::int64_t> table);

/// Where two layouts differ as functions of the index.
struct Difference {
  std::int64_t index = 0;         ///< the first one
  std::optional<std::int64_t> a;  ///< the offset there; nothing past the layout's end
  std::optional<std::int64_t> b;
};
/// From the canonical forms, without enumeration; nothing if the layouts are equal.
std::optional<Difference> diff(const Layout& a, const Layout& b);
/// A sentence: "at index `3`, coordinate `(1,1)`: `5` against `7`".
std::string text(const Difference& difference, const Layout& a, const Layout& b);

}  // namespace reckon::layout
