#include "check/reads.h"

#include "ir/op.h"

namespace reckon::check {

namespace {

using ir::NodeId;
using ir::Op;

class Reads {
 public:
  Reads(ir::Module& module, const std::vector<std::vector<std::int64_t>>& shapes) : module_(module), shapes_(shapes) {}

  void visit(NodeId id) {
    if (!seen_.insert(id).second || seen_.size() > 4000) return;
    const ir::Node node = module_[id];
    if (node.op == Op::parameter && module_.type(id).extents.empty()) return add(node.attribute, {});
    if (node.op == Op::element) {
      const ir::Node tensor = module_[node.operands[0]];
      if (tensor.op == Op::parameter) return add(tensor.attribute, node.indices);
      if (tensor.op == Op::map) return put_in(tensor, node.indices);
    }
    if (const std::size_t inside = ir::operands_inside(module_, node); inside > 0) {
      std::vector<ir::IndexId> first, last;
      for (ir::IndexId extent : node.indices) {
        const auto size = module_.indices().as_constant(extent);
        if (!size || *size < 1) return;
        first.push_back(module_.indices().constant(0));
        last.push_back(module_.indices().constant(*size - 1));
      }
      put_in(node, first);
      put_in(node, last);
      for (std::size_t k = inside; k < node.operands.size(); ++k) visit(node.operands[k]);
      return;
    }
    for (NodeId operand : node.operands) visit(operand);
  }

  std::set<Place> places;

 private:
  void put_in(const ir::Node& binder, const std::vector<ir::IndexId>& values) {
    ir::Module::Substitution place;
    for (std::size_t k = 0; k < values.size(); ++k) place.indices.variables[binder.variables[k]] = values[k];
    visit(module_.substitute(binder.operands[0], place));
  }

  void add(std::size_t parameter, const std::vector<ir::IndexId>& subscripts) {
    if (const auto element = element_at(module_.indices(), subscripts, shapes_[parameter])) {
      places.insert({parameter, *element});
    }
  }

  ir::Module& module_;
  const std::vector<std::vector<std::int64_t>>& shapes_;
  std::set<NodeId> seen_;
};

}  // namespace

std::optional<std::int64_t> element_at(const ir::IndexStore& indices, const std::vector<ir::IndexId>& subscripts,
                                       const std::vector<std::int64_t>& shape) {
  std::int64_t element = 0;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const auto value = indices.as_constant(subscripts[d]);
    if (!value || *value < 0 || *value >= shape[d]) return std::nullopt;
    element = element * shape[d] + *value;
  }
  return element;
}

std::set<Place> places_of(ir::Module& module, const std::vector<std::vector<std::int64_t>>& shapes,
                          const std::vector<ir::NodeId>& scalars) {
  Reads reads(module, shapes);
  for (const NodeId scalar : scalars) reads.visit(scalar);
  return std::move(reads.places);
}

}  // namespace reckon::check
