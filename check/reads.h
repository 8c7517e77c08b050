// Which elements of the inputs a closed scalar depends on.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "ir/module.h"

namespace reckon::check {

/// An element of an input.
struct Place {
  std::size_t parameter;
  std::int64_t element;
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// The element of a tensor of this shape that subscripts name, row-major; nothing where one is no constant or lies outside.
std::optional<std::int64_t> element_at(const ir::IndexStore& indices, const std::vector<ir::IndexId>& subscripts,
                                       const std::vector<std::int64_t>& shape);

/// The elements that closed scalars depend on, for inputs of these shapes. If a bound variable runs over elements, only
/// the first and the last of them are listed.
std::set<Place> places_of(ir::Module& module, const std::vector<std::vector<std::int64_t>>& shapes,
                          const std::vector<ir::NodeId>& scalars);

}  // namespace reckon::check
