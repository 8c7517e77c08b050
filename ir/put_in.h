// Elements of maps as the maps' bodies.
#pragma once

#include <vector>

#include "ir/module.h"

namespace reckon::ir {

/// The body of a map with the subscripts in place of its variables.
NodeId put_in(Module& module, NodeId map, const std::vector<IndexId>& subscripts);

/// The node in which every element of a map is the map's body, unless the map is closed (Module::element).
NodeId with_maps_put_in(Module& module, NodeId id);

}  // namespace reckon::ir
