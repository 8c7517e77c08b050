#include "frontend/layouts/object.h"

namespace reckon::frontend {

using layout::AnyLayout;
using layout::Composed;
using layout::Problem;

namespace {

constexpr std::int64_t max_points = std::int64_t{1} << 22;

}  // namespace

layout::Result<bool> equal_functions(const AnyLayout& a, const AnyLayout& b) {
  if (layout::size(a) != layout::size(b)) return false;
  if (a.index() == 0 && b.index() == 0) return std::get<0>(a) == std::get<0>(b);
  const auto x = layout::bit_matrix(a), y = layout::bit_matrix(b);
  if (x && y) return *x == *y;
  if (layout::size(a) > max_points) {
    return Problem{Problem::Kind::undecided, "`==`: `" + layout::text(a) + "` and `" + layout::text(b) +
                                                 "` have more than 4,194,304 coordinates to compare"};
  }
  for (std::int64_t i = 0; i < layout::size(a); ++i) {
    const auto one = layout::evaluate(a, i), other = layout::evaluate(b, i);
    if (!one) return one.problem();
    if (!other) return other.problem();
    if (*one != *other) return false;
  }
  return true;
}

layout::Result<bool> equal_functions(const LayoutObject& a, const LayoutObject& b) {
  return std::visit(
      [&]<class A, class B>(const A& x, const B& y) -> layout::Result<bool> {
        if constexpr (std::is_same_v<A, Composed> && std::is_same_v<B, Composed>) {
          return equal_functions(AnyLayout(x), AnyLayout(y));
        } else if constexpr (std::is_same_v<A, B> && !std::is_same_v<A, layout::Bounds>) {
          return x == y;
        } else {
          return Problem{Problem::Kind::bad_coordinate,
                         "`" + a.text() + "` and `" + b.text() + "` are not compared: a " + a.kind() + " and a " +
                             b.kind()};
        }
      },
      a.data, b.data);
}

}  // namespace reckon::frontend
