#include "frontend/in_format.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/op.h"

namespace reckon::frontend {

using ir::NodeId;
using ir::Op;
using ir::Scalar;
using ir::TypeId;
using ir::TypeKind;

bool has_numbers(const ir::TypeStore& types, TypeId id) {
  const ir::Type& type = types[id];
  if (type.kind != TypeKind::tuple) return type.scalar == Scalar::number;
  return std::ranges::any_of(type.parts, [&](TypeId part) { return has_numbers(types, part); });
}

namespace {

class Formatter {
 public:
  Formatter(Elaborator& elaborator, Scalar format)
      : elaborator_(elaborator), module_(elaborator.module), format_(format) {}

  /// The node, in which no number is left.
  NodeId in_format(NodeId node) { return converted(run(node)); }

 private:
  bool has_numbers(NodeId node) const { return frontend::has_numbers(module_.types(), module_[node].type); }

  /// A number that is left is converted.
  NodeId converted(NodeId node) {
    const ir::Type& type = module_.type(node);
    if (type.kind != TypeKind::scalar || type.scalar != Scalar::number) return node;
    const SourceSpan at = module_.span(node);
    const bool literal = module_[node].op == Op::literal;
    const NodeId out =
        literal ? module_.literal(ir::Literal(module_.literal_of(node)), format_) : module_.convert(node, format_);
    module_.places().put(out, at);
    if (elaborator_.keep_literal_places) elaborator_.literal_places[out].insert({at.file, at.begin, at.end});
    return out;
  }

  /// The node with the format in the place of numbers, but for expressions of literals alone, which stay as they are.
  NodeId run(NodeId id) {
    if (auto found = done_.find(id); found != done_.end()) return found->second;
    const Scalar scalar = module_.type(id).scalar;
    const bool is_condition = module_.type(id).kind == TypeKind::scalar && scalar == Scalar::boolean;
    if (!is_condition && !has_numbers(id)) return id;
    ir::Node node = module_[id];
    const SourceSpan at = module_.span(id);
    module_.open(node);
    for (std::size_t k = 1; k < node.variables.size(); ++k) bound_.insert(node.variables[k]);  // a fold's operands
    std::vector<NodeId> operands;
    for (NodeId operand : node.operands) operands.push_back(run(operand));
    const NodeId out = rebuilt(node, std::move(operands));
    module_.places().put(out, at);
    done_[id] = out;
    return out;
  }

  NodeId rebuilt(const ir::Node& node, std::vector<NodeId> operands) {
    const auto closed = [&](NodeId operand) { return closed_.contains(operand); };
    const bool computes = node.op == Op::literal || is_scalar_operation(node.op);
    if (computes && std::ranges::all_of(operands, closed)) {
      const NodeId out = module_.rebuild(node, std::move(operands));
      closed_.insert(out);
      return out;
    }
    if (node.op == Op::index_value) return module_.index_value(node.indices[0], format_);
    if (node.op == Op::operand) {
      if (!bound_.contains(node.variables[0])) return module_.rebuild(node, {});
      return module_.operand(node.variables[0], formatted(node.type));
    }
    for (NodeId& operand : operands) operand = converted(operand);
    if (node.op == Op::array) {
      std::vector<std::int64_t> shape;
      for (const ir::IndexId extent : std::vector(module_.types()[node.type].extents)) {
        shape.push_back(*module_.indices().as_constant(extent));
      }
      return module_.array(std::move(operands), std::move(shape));
    }
    return module_.rebuild(node, std::move(operands));
  }

  TypeId formatted(TypeId id) {
    const ir::Type type = module_.types()[id];
    if (type.kind != TypeKind::tuple)
      return type.scalar == Scalar::number ? module_.types().tensor(format_, type.extents) : id;
    std::vector<TypeId> parts;
    for (const TypeId part : type.parts) parts.push_back(formatted(part));
    return module_.types().tuple(std::move(parts));
  }

  Elaborator& elaborator_;
  ir::Module& module_;
  Scalar format_;
  std::unordered_map<NodeId, NodeId> done_;
  std::unordered_set<NodeId> closed_;  ///< computed from literals alone, without an index
  std::set<ir::VariableId> bound_;     ///< the operands of folds that are rewritten
};

}  // namespace

NodeId in_format(Elaborator& elaborator, NodeId node, Scalar format) {
  return Formatter(elaborator, format).in_format(node);
}

}  // namespace reckon::frontend
