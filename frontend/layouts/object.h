// The other values of the layout algebra besides layouts, as values of the language.
#pragma once

#include <string>
#include <variant>

#include "layout/bit_matrix.h"
#include "layout/bounds.h"
#include "layout/composed.h"
#include "layout/coordinate_layout.h"
#include "layout/tiled/copy.h"
#include "layout/tiled/mma.h"

namespace reckon::frontend {

struct LayoutObject {
  std::variant<layout::Composed, layout::Swizzle, layout::CoordinateLayout, layout::Bounds, layout::BitMatrix,
               layout::TiledMma, layout::TiledCopy>
      data;

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&data);
  }
  std::string text() const {
    return std::visit([](const auto& each) { return each.text(); }, data);
  }
  /// `swizzle`, `composed layout`, ...
  const char* kind() const {
    static constexpr const char* kinds[] = {"composed layout", "swizzle",   "coordinate layout", "bounds",
                                            "bit matrix",      "tiled MMA", "tiled copy"};
    return kinds[data.index()];
  }
};

/// Whether a type is an object of the language, and its name in messages: `a swizzle`.
template <class T>
inline constexpr const char* object_wanted = nullptr;
template <>
inline constexpr const char* object_wanted<layout::Composed> = "a composed layout";
template <>
inline constexpr const char* object_wanted<layout::Swizzle> = "a swizzle";
template <>
inline constexpr const char* object_wanted<layout::CoordinateLayout> = "a coordinate layout (`identity(S)`)";
template <>
inline constexpr const char* object_wanted<layout::Bounds> = "bounds (`bounds(local_tile, L, T, c)`)";
template <>
inline constexpr const char* object_wanted<layout::BitMatrix> = "a bit matrix";
template <>
inline constexpr const char* object_wanted<layout::TiledMma> = "a tiled MMA (`tiled_mma(name, atoms)`)";
template <>
inline constexpr const char* object_wanted<layout::TiledCopy> =
    "a tiled copy (`tiled_copy(name, bits, threads, values)`)";

template <class T>
concept ObjectKind = object_wanted<T> != nullptr;

/// Decided by canonical forms, by bit matrices, or by at most 2^22 points; `undecided` beyond.
layout::Result<bool> equal_functions(const layout::AnyLayout& a, const layout::AnyLayout& b);
/// Refused for objects of different kinds.
layout::Result<bool> equal_functions(const LayoutObject& a, const LayoutObject& b);

}  // namespace reckon::frontend
