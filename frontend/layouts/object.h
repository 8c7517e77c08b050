// What the layout algebra has besides layouts, as values of the language.
#pragma once

#include <string>
#include <variant>

#include "ir/layout/bit_matrix.h"
#include "ir/layout/bounds.h"
#include "ir/layout/composed.h"
#include "ir/layout/coordinate_layout.h"

namespace reckon::frontend {

struct LayoutObject {
  std::variant<layout::Composed, layout::Swizzle, layout::CoordinateLayout, layout::Bounds, layout::BitMatrix> data;

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&data);
  }
  std::string text() const {
    return std::visit([](const auto& each) { return each.text(); }, data);
  }
  /// `swizzle`, `composed layout`, ...
  const char* kind() const {
    static constexpr const char* kinds[] = {"composed layout", "swizzle", "coordinate layout", "bounds", "bit matrix"};
    return kinds[data.index()];
  }
};

/// Decided by canonical forms, by bit matrices, or by at most 2^22 points; `undecided` beyond.
layout::Result<bool> equal_functions(const layout::AnyLayout& a, const layout::AnyLayout& b);
/// Refused for objects of different kinds.
layout::Result<bool> equal_functions(const LayoutObject& a, const LayoutObject& b);

}  // namespace reckon::frontend
