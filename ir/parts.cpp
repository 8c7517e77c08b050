#include "ir/parts.h"

namespace reckon::ir {

std::vector<NodeId> parts_of(Module& module, NodeId node) {
  if (module.type(node).kind != TypeKind::tuple) return {node};
  std::vector<NodeId> out;
  const std::size_t count = module.type(node).parts.size();
  for (std::uint32_t part = 0; part < count; ++part) out.push_back(module.get(node, part));
  return out;
}

}  // namespace reckon::ir
