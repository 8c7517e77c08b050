#include "ir/passes/compaction.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/op.h"

namespace reckon::ir {
namespace {

class Copier {
 public:
  Copier(const Module& from, Module& to) : from_(from), to_(to) {}

  Function function(const Function& function) {
    Function out;
    out.name = symbol(function.name);
    out.builtin = function.builtin;
    out.kernel = function.kernel;
    out.span = function.span;
    for (SymbolId dimension : function.dimensions) out.dimensions.push_back(symbol(dimension));
    for (const Parameter& each : function.parameters) out.parameters.push_back(parameter(each));
    for (const Requirement& each : function.requirements) {
      out.requirements.push_back({index(each.left), index(each.right), each.diagnostic});
    }
    out.result = type(function.result);
    out.places = placed(function, out.body);
    for (const auto& each : function.result_storage) out.result_storage.push_back(storage(each));
    return out;
  }

 private:
  /// The body of a function, with the places that its nodes have there.
  PlacesId placed(const Function& function, NodeId& body) {
    const PlacesId places = to_.places().make();
    const PlacesGuard placing(to_, places);
    const PlacesId around = std::exchange(places_, function.places);
    auto nodes = std::exchange(nodes_, {});
    body = node(function.body);
    nodes_ = std::move(nodes);
    places_ = around;
    return places;
  }

  Parameter parameter(const Parameter& of) {
    return {symbol(of.name), type(of.type), of.span, storage(of.storage)};
  }

  std::optional<Storage> storage(const std::optional<Storage>& of) {
    if (!of) return std::nullopt;
    return with_leaves(*of, [&](IndexId leaf) { return index(leaf); });
  }

  SymbolId symbol(SymbolId id) { return to_.symbol(from_.name(id)); }

  IndexId index(IndexId id) {
    if (auto found = indices_.find(id); found != indices_.end()) return found->second;
    const IndexNode& node = from_.indices()[id];
    IndexStore& store = to_.indices();
    std::vector<IndexId> operands;
    for (IndexId operand : node.operands) operands.push_back(index(operand));
    IndexId out;
    switch (node.op) {
      case IndexOp::constant: out = store.constant(node.value); break;
      case IndexOp::dimension: out = store.dimension(symbol(node.symbol)); break;
      case IndexOp::variable: out = store.variable(node.variable); break;
      case IndexOp::sum:
        out = store.constant(node.value);
        for (std::size_t k = 0; k < operands.size(); ++k) {
          out = store.add(out, store.multiply(store.constant(node.coefficients[k]), operands[k]));
        }
        break;
      case IndexOp::product:
        out = operands[0];
        for (std::size_t k = 1; k < operands.size(); ++k) out = store.multiply(out, operands[k]);
        break;
      default: out = store.apply(node.op, operands[0], operands.size() > 1 ? operands[1] : IndexId{}); break;
    }
    return indices_[id] = out;
  }

  TypeId type(TypeId id) {
    const Type& type_of = from_.types()[id];
    std::vector<IndexId> extents;
    for (IndexId extent : type_of.extents) extents.push_back(index(extent));
    std::vector<TypeId> parts;
    for (TypeId part : type_of.parts) parts.push_back(type(part));
    return type_of.kind == TypeKind::tuple ? to_.types().tuple(std::move(parts))
                                           : to_.types().tensor(type_of.scalar, std::move(extents));
  }

  /// A stack instead of recursion: the tree of a left fold is as deep as it has leaves.
  TreeId tree(TreeId root) {
    const TreeStore& trees = from_.schedules().trees();
    std::vector<TreeId> stack{root};
    while (!stack.empty()) {
      const TreeId id = stack.back();
      const TreeNode& node = trees[id];
      if (trees_.contains(id)) {
        stack.pop_back();
      } else if (node.leaf >= 0) {
        trees_[id] = to_.schedules().trees().leaf(node.leaf);
      } else if (trees_.contains(node.left) && trees_.contains(node.right)) {
        trees_[id] = to_.schedules().trees().pair(trees_[node.left], trees_[node.right]);
      } else {
        stack.push_back(node.left);
        stack.push_back(node.right);
      }
    }
    return trees_[root];
  }

  ScheduleId schedule(ScheduleId id) {
    if (auto found = schedules_.find(id); found != schedules_.end()) return found->second;
    const ScheduleNode& node = from_.schedules()[id];
    ScheduleStore& store = to_.schedules();
    std::vector<ScheduleId> operands;
    for (ScheduleId operand : node.operands) operands.push_back(schedule(operand));
    const IndexId parameter = node.parameter.valid() ? index(node.parameter) : IndexId{};
    ScheduleId out;
    switch (node.op) {
      case ScheduleOp::quoted: out = store.quoted(tree(node.tree)); break;
      case ScheduleOp::then: out = store.then(operands[0], operands[1]); break;
      case ScheduleOp::length: out = store.length(node.variable, operands[0]); break;
      case ScheduleOp::conditional: out = store.conditional(parameter, operands[0], operands[1]); break;
      case ScheduleOp::stage_then: out = store.stage_then(operands[0], operands[1]); break;
      case ScheduleOp::reference: {
        const SymbolId name = symbol(node.symbol);
        out = store.reference(name);
        const auto definition = from_.schedules().definition(node.symbol);
        if (definition && defined_.insert(node.symbol).second) store.define(name, schedule(*definition));
        break;
      }
      case ScheduleOp::any_depth: out = store.any_depth(parameter); break;
      case ScheduleOp::any_lanes: out = store.any_lanes(parameter); break;
      case ScheduleOp::arrange: out = store.arrange(from_.schedules().arrangement_of(node), operands[0]); break;
      default: out = store.make(*form_of(node), parameter, std::move(operands)); break;
    }
    if (node.level != MachineLevel::none) out = store.pinned(out, node.level);
    return schedules_[id] = out;
  }

  NodeId node(NodeId id) {
    if (auto found = nodes_.find(id); found != nodes_.end()) return found->second;
    const Node& node_of = from_[id];
    std::vector<NodeId> operands;
    for (NodeId operand : node_of.operands) operands.push_back(node(operand));
    std::vector<IndexId> indices;
    for (IndexId each : node_of.indices) indices.push_back(index(each));
    const NodeId out = build(node_of, std::move(operands), std::move(indices));
    to_.places().put(out, from_.span(id, places_));
    return nodes_[id] = out;
  }

  /// Binders keep their canonical variables: heights are those of the original.
  NodeId build(const Node& node_of, std::vector<NodeId> operands, std::vector<IndexId> indices) {
    const Scalar scalar = from_.types()[node_of.type].scalar;
    switch (node_of.op) {
      case Op::parameter: return to_.parameter(node_of.attribute, type(node_of.type));
      case Op::literal: return to_.literal(from_.literal_of(node_of), scalar);
      case Op::index_value: return to_.index_value(indices[0], scalar);
      case Op::index_condition: return to_.index_condition(indices[0]);
      case Op::operand: return to_.operand(node_of.variables[0], type(node_of.type));
      case Op::element: return to_.element(operands[0], std::move(indices));
      case Op::at: return to_.at(node_of.variables[0], indices[0], operands[0], operands[1]);
      case Op::map: return to_.map(node_of.variables, std::move(indices), operands[0]);
      case Op::reduce:
      case Op::scan: {
        const Reduction& reduction = from_.reduction_of(node_of);
        Module::Fold fold;
        fold.variable = node_of.variables[0];
        fold.extent = indices[0];
        fold.body = operands[0];
        fold.operation = reduction.operation;
        fold.schedule = schedule(reduction.schedule);
        if (reduction.user) {
          fold.user_operation = operands[1];
          fold.left = node_of.variables[1];
          fold.right = node_of.variables[2];
        }
        if (reduction.has_otherwise) fold.otherwise = operands.back();
        return node_of.op == Op::reduce ? to_.reduce(fold) : to_.scan(fold);
      }
      case Op::loop:
        return to_.loop({node_of.variables[0], indices[0], node_of.variables[1], operands[0], operands[1]});
      case Op::tuple: return to_.tuple(std::move(operands));
      case Op::get: return to_.get(operands[0], node_of.attribute);
      case Op::array: {
        std::vector<std::int64_t> shape;
        for (IndexId extent : from_.types()[node_of.type].extents)
          shape.push_back(*from_.indices().as_constant(extent));
        return to_.array(std::move(operands), std::move(shape));
      }
      case Op::source: {
        Source source = from_.source_of(node_of);
        if (source.seed.valid()) source.seed = index(source.seed);
        return to_.source(std::move(source), type(node_of.type));
      }
      case Op::call: {
        Function callee = from_.callee_of(node_of);
        callee.name = symbol(callee.name);
        for (SymbolId& dimension : callee.dimensions) dimension = symbol(dimension);
        for (Parameter& each : callee.parameters) each = parameter(each);
        callee.result = type(callee.result);
        callee.places = placed(from_.callee_of(node_of), callee.body);
        callee.requirements.clear();  // the caller's requirements have been collected already
        return to_.call(callee, std::move(operands), type(node_of.type));
      }
      case Op::convert:
      case Op::bits:
      case Op::from_bits: return to_.cast(node_of.op, operands[0], scalar);
      default: return to_.apply(node_of.op, std::move(operands));
    }
  }

  const Module& from_;
  Module& to_;
  PlacesId places_{0};  ///< of the function that is copied
  std::unordered_map<IndexId, IndexId> indices_;
  std::unordered_map<TreeId, TreeId> trees_;
  std::unordered_map<ScheduleId, ScheduleId> schedules_;
  std::unordered_set<SymbolId> defined_;
  std::unordered_map<NodeId, NodeId> nodes_;
};

}  // namespace

Function copy_function(const Module& from, const Function& function, Module& to) {
  return Copier(from, to).function(function);
}

std::unique_ptr<Module> compact(const Module& module, const std::vector<Function>& functions) {
  auto out = std::make_unique<Module>(module.schedules().forms());
  Copier copier(module, *out);
  for (const Function& each : functions) out->functions().push_back(copier.function(each));
  return out;
}

}  // namespace reckon::ir
