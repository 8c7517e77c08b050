// Functions made of layouts that are no layouts themselves: a swizzled layout, or a composition that carries (CuTe's
// ComposedLayout; docs/layouts.md, "Swizzles").
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "layout/layout.h"
#include "layout/swizzle.h"

namespace reckon::layout {

/// Maps x to map(offset + x). As in CuTe, a layout continues past its end: its last mode goes on (see `extended`).
struct Stage {
  std::variant<Swizzle, Layout> map;
  std::int64_t offset = 0;
  /// Written alike.
  friend bool operator==(const Stage& a, const Stage& b);
};

/// stages[0](stages[1](... x)); a problem if `x` or an offset does not fit, or if a stage meets an index that it does
/// not take.
Result<std::int64_t> after(const std::vector<Stage>& stages, std::int64_t x);

/// The least and the greatest offset that a function takes.
struct Range {
  std::int64_t min = 0, max = 0;
};

/// c to stages[0](stages[1](... inner(c))). The shape, and so all coordinates, are those of `inner`.
class Composed {
 public:
  /// The most points that are enumerated if no structure gives the exact range.
  static constexpr std::int64_t enumerated = std::int64_t{1} << 22;

  Composed(std::vector<Stage> stages, Layout inner, std::optional<Problem> reason = {})
      : stages_(std::move(stages)), inner_(std::move(inner)), reason_(std::move(reason)) {}
  /// Sw o offset o inner.
  Composed(const Swizzle& swizzle, std::int64_t offset, Layout inner)
      : Composed({Stage{swizzle, offset}}, std::move(inner)) {}
  Composed(const Composed&);
  Composed(Composed&&) noexcept;
  Composed& operator=(const Composed&);
  Composed& operator=(Composed&&) noexcept;
  ~Composed();

  const std::vector<Stage>& stages() const { return stages_; }
  const Layout& inner() const { return inner_; }
  /// Why the function is no layout, if `compose_any` made it.
  const std::optional<Problem>& reason() const { return reason_; }
  const IntTuple& shape() const { return inner_.shape(); }
  std::size_t rank() const { return inner_.rank(); }
  int depth() const { return inner_.depth(); }
  std::int64_t size() const { return inner_.size(); }

  /// Of an index or any coordinate of the shape; `out_of_range` also where a stage meets a negative index.
  Result<std::int64_t> operator()(const IntTuple& coordinate) const;

  /// Exact. By structure where there is one: over bits if all is linear in them, by the blocks of a single swizzle
  /// otherwise; else by enumeration up to `enumerated` points, and `undecided` beyond.
  Result<Range> range() const;
  Result<std::int64_t> min() const;
  Result<std::int64_t> max() const;
  Result<std::int64_t> extent() const;  ///< max - min + 1
  /// Elements that a buffer needs which starts at offset 0 or before: max - min(0, min) + 1. CuTe's is that of `inner`,
  /// which is too small for Sw<1,0,2> o 0 o 5:1.
  Result<std::int64_t> cosize() const;

  /// The same stages after another layout, with `added` to what it gives: what slicing and tiling do to a composed
  /// layout. The offset stays inside of the swizzle.
  Result<Composed> with_inner(Layout inner, std::int64_t added = 0) const;
  Composed mode(std::size_t k) const;

  /// `Sw<3,3,3> o 0 o (8,64):(64,1)`; `(4,2):(1,10) o 4:3`.
  std::string text() const;

 private:
  std::vector<Stage> stages_;
  Layout inner_;
  std::optional<Problem> reason_;
};

using AnyLayout = std::variant<Layout, Composed>;

const IntTuple& shape(const AnyLayout& layout);
std::int64_t size(const AnyLayout& layout);
Result<std::int64_t> evaluate(const AnyLayout& layout, const IntTuple& coordinate);
Result<Range> range(const AnyLayout& layout);
std::string text(const AnyLayout& layout);

/// layout(index), also past the end: the last leaf goes on, so that 4:2 at 5 is 10, and (4,3,1):(3,1,0) at 12 is 0. A
/// negative index has a value only if the whole layout is one run: then the value is index * stride.
Result<std::int64_t> extended(const Layout& layout, std::int64_t index);

}  // namespace reckon::layout
