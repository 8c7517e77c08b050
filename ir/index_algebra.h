// The layout algebra on layouts over index expressions (index_layout.h), where the result has one form for all
// sizes. For every size that the conditions allow, the result is, as a function, that of the algebra on numbers
// (layout/).
//
// A layout is read colexicographically, so the extent of its last leaf bounds nothing: an index past the end of all
// other digits goes on in that leaf. Therefore a layout can be composed if only its last extent is unknown.
#pragma once

#include <functional>
#include <optional>

#include "ir/index_layout.h"
#include "layout/problem.h"

namespace reckon::ir {

class Module;

/// A layout for each mode, as layout::Tiler.
struct IndexTiler {
  std::optional<IndexLayout> layout;  ///< a tile
  std::vector<IndexTiler> modes;      ///< if there is no tile; none of either: `_`
  bool is_keep() const { return !layout && modes.empty(); }
};

class IndexAlgebra {
 public:
  template <class T>
  using Result = layout::Result<T>;
  /// Called where a result holds only if `left` equals `right`; the message says what is wrong otherwise. Returns false
  /// if the two are known to differ.
  using Require = std::function<bool(IndexId left, IndexId right, const std::string& message)>;

  IndexAlgebra(Module& module, Require require) : module_(module), require_(std::move(require)) {}

  /// Joins neighbouring modes where, for all sizes, the second one starts where the first one ends, and removes extents
  /// that are known to be 1. The result is canonical only if no size is 1.
  IndexLayout coalesce(const IndexLayout& a);
  /// Leaves whose strides are known to be 0 get extent 1.
  IndexLayout filter_zeros(const IndexLayout& a);
  IndexLayout filter(const IndexLayout& a) { return coalesce(filter_zeros(a)); }

  struct Span {
    IndexId min, max;
  };
  /// The least and the greatest offset. `undecided` where a stride's sign depends on sizes.
  Result<Span> span(const IndexLayout& a);

  /// a after b. All extents and strides of `a` but the last ones must be numbers, unless `a` is one run of constant
  /// stride, so that a step of b is a step of the run. Only the last extent of `b` may be unknown. Its steps must then
  /// stay in the last digit of a, or go around the digits before it a whole number of times, which becomes a
  /// condition.
  Result<IndexLayout> compose(const IndexLayout& a, const IndexLayout& b);
  /// By mode; `_` keeps one, and so do the modes past the tiler's end.
  Result<IndexLayout> compose(const IndexLayout& a, const IndexTiler& b);

  /// The complement in 0 .. size - 1 of a tile of numbers, or of the tile t:1, whose size must divide `size`; this
  /// becomes a condition.
  Result<IndexLayout> complement(const IndexLayout& tile, IndexId size, const std::string& where);

  /// ((tile, rest), ...), as layout::logical_divide. `_` only if `keeps`.
  Result<IndexLayout> divide(const std::string& name, const IndexLayout& a, const IndexTiler& tiler, bool keeps);

 private:
  struct Leaf {
    IndexId extent, stride;
  };
  std::vector<Leaf> leaves(const IndexLayout& a) const;
  std::vector<Leaf> digits(const IndexLayout& a);
  IndexLayout flat(const std::vector<Leaf>& leaves);
  bool continues(const Leaf& first, const Leaf& second);
  std::optional<std::int64_t> known(IndexId id) const;
  std::string text(const IndexLayout& a) const;
  Result<IndexLayout> divide(const std::string& name, const IndexLayout& a, const IndexTiler& tiler, bool keeps,
                             const std::string& path);

  Module& module_;
  Require require_;
};

/// Modes side by side.
IndexLayout concat(const std::vector<IndexLayout>& modes);
/// The layout on numbers that it is, if it is one.
std::optional<layout::Layout> known_layout(const IndexStore& indices, const IndexLayout& layout);

}  // namespace reckon::ir
