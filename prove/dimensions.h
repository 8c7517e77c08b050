// Two circuits over one set of dimensions.
#pragma once

#include <optional>

#include "ir/module.h"

namespace reckon::ir::normal {

/// A circuit's body and result type.
struct Renamed {
  NodeId body;
  TypeId result;
};
/// The right circuit's, in the left one's dimensions; nothing if the two take different shapes.
std::optional<Renamed> in_dimensions_of(Module& module, const Function& left, const Function& right);

}  // namespace reckon::ir::normal
