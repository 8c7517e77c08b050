// Finds which cells of a call's arguments and of its result are the same elements, for pictures before and after.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "draw/layouts.h"
#include "layout/divide.h"

namespace reckon::draw {

/// One grid: an argument, or the result.
struct LinkedPanel {
  Values values;
  std::optional<Groups> groups = {};
  std::string name = {};
  const layout::AnyValue* value = nullptr;  ///< of what is drawn as bits
};

/// The arguments that are layouts, then the result.
struct Linked {
  std::vector<LinkedPanel> panels;
  std::string note;
  LinkedPanel& result() { return panels.back(); }
};

/// Finds groups for the panels of a call, and a note on what they mean, if the call relates elements of its arguments
/// to those of its result and they are not too many.
void link(Linked& picture, const layout::Call& call);

template <std::size_t n>
bool is_one_of(std::string_view name, const std::array<std::string_view, n>& names) {
  for (const std::string_view each : names) {
    if (each == name) return true;
  }
  return false;
}
inline constexpr std::array<std::string_view, 6> products{"logical_product", "zipped_product",  "tiled_product",
                                                          "flat_product",    "blocked_product", "raked_product"};

}  // namespace reckon::draw
