// Substitution in circuits, and rebuilding a node with other operands.
#include <algorithm>
#include <cassert>
#include <unordered_map>

#include "ir/module.h"
#include "ir/op.h"

namespace reckon::ir {
namespace {

// No replacement can be captured. A binder's own variable is numbered above every variable bound inside its body
// (ids.h), and replacements mention only variables that are still temporary, or opened (Module::rewrite). If a
// replacement contains binders, the binders around it will be renumbered, so they are opened first.
class Substituter {
 public:
  Substituter(Module& module, const Module::Substitution& substitution)
      : module_(module), substitution_(substitution), from_(substitution.places.value_or(module.places().current())) {
    auto binds = [&](NodeId node) { return module.facts(node).height > 0; };
    raises_ = std::any_of(substitution.parameters.begin(), substitution.parameters.end(), binds) ||
              std::any_of(substitution.operands.begin(), substitution.operands.end(),
                          [&](const auto& entry) { return binds(entry.second); });
  }

  NodeId run(NodeId id) {
    if (!affected(id)) return id;
    if (auto found = done_.find(id); found != done_.end()) return found->second;
    const Node node = module_[id];
    const SourceSpan span = module_.span(id, from_);
    const NodeId result = replace(node);
    module_.places().put(result, span);
    done_[id] = result;
    return result;
  }

 private:
  /// Whether anything inside can change: parameters and dimensions may be anywhere, variables are tracked.
  bool affected(NodeId id) const {
    if (!substitution_.parameters.empty() || !substitution_.indices.dimensions.empty()) return true;
    for (VariableId variable : module_.free_variables(id)) {
      if (substitution_.indices.variables.contains(variable) || substitution_.operands.contains(variable)) return true;
    }
    return false;
  }

  IndexId index(IndexId id) { return module_.indices().substitute(id, substitution_.indices); }

  NodeId replace(const Node& node) {
    switch (node.op) {
      case Op::operand: {
        auto found = substitution_.operands.find(node.variables[0]);
        if (found != substitution_.operands.end()) return found->second;
        return module_.operand(node.variables[0], module_.substitute(node.type, substitution_.indices));
      }
      case Op::parameter:
        if (!substitution_.parameters.empty()) return substitution_.parameters[node.attribute];
        return module_.parameter(node.attribute, module_.substitute(node.type, substitution_.indices));
      case Op::source: {
        Source source = module_.source_of(node);
        if (source.seed.valid()) source.seed = index(source.seed);
        return module_.source(std::move(source), module_.substitute(node.type, substitution_.indices));
      }
      default: break;
    }
    Node changed = node;
    if (raises_) {
      const PlacesGuard placing(module_, from_);
      module_.open(changed);
    }
    for (IndexId& each : changed.indices) each = index(each);
    std::vector<NodeId> operands;
    if (!raises_ && shadows(node)) {
      // This happens only under a binder that an earlier substitution moved; its variable is not one that is replaced.
      Module::Substitution inner = substitution_;
      for (VariableId variable : node.variables) {
        inner.indices.variables.erase(variable);
        inner.operands.erase(variable);
      }
      Substituter inside(module_, inner);
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        operands.push_back(k < operands_inside(module_, node) ? inside.run(node.operands[k]) : run(node.operands[k]));
      }
    } else {
      for (NodeId operand : changed.operands) operands.push_back(run(operand));
    }
    if (node.op == Op::reduce || node.op == Op::scan) {
      const ScheduleId schedule = module_.reduction_of(node).schedule;
      IndexSubstitution dimensions;
      dimensions.dimensions = substitution_.indices.dimensions;
      return module_.rebuild(changed, std::move(operands), module_.schedules().substitute(schedule, dimensions));
    }
    if (node.op == Op::call) changed.type = module_.substitute(node.type, substitution_.indices);
    return module_.rebuild(changed, std::move(operands));
  }

  bool shadows(const Node& node) const {
    return std::any_of(node.variables.begin(), node.variables.end(), [&](VariableId variable) {
      return substitution_.indices.variables.contains(variable) || substitution_.operands.contains(variable);
    });
  }

  Module& module_;
  const Module::Substitution& substitution_;
  PlacesId from_;        ///< the places of the nodes that are replaced
  bool raises_ = false;  ///< a replacement contains binders
  std::unordered_map<NodeId, NodeId> done_;
};

}  // namespace

NodeId Module::substitute(NodeId id, const Substitution& substitution) {
  if (substitution.indices.empty() && substitution.operands.empty() && substitution.parameters.empty()) return id;
  return Substituter(*this, substitution).run(id);
}

std::size_t operands_inside(const Module& module, const Node& node) {
  if (node.op == Op::map || node.op == Op::at || node.op == Op::loop) return 1;
  if (node.op == Op::reduce || node.op == Op::scan) return module.reduction_of(node).user ? 2 : 1;
  return 0;
}

void Module::open(Node& node) {
  const std::size_t inside = operands_inside(*this, node);
  if (inside == 0) return;
  const TypeId body_type = nodes_[node.operands[0].index].type;
  Substitution fresh;
  for (std::size_t k = 0; k < node.variables.size(); ++k) {
    const VariableId variable = fresh_variable();
    if (node.op != Op::map && k > 0) fresh.operands[node.variables[k]] = operand(variable, body_type);
    else fresh.indices.variables[node.variables[k]] = indices_.variable(variable);
    node.variables[k] = variable;
  }
  for (std::size_t k = 0; k < inside; ++k) node.operands[k] = substitute(node.operands[k], fresh);
}

NodeId Module::rebuild(const Node& node, std::vector<NodeId> operands) {
  if (node.op == Op::reduce || node.op == Op::scan) {
    return rebuild(node, std::move(operands), reduction_of(node).schedule);
  }
  switch (node.op) {
    case Op::parameter:
    case Op::literal:
    case Op::operand:
    case Op::source: return intern(node);
    case Op::index_value: return index_value(node.indices[0], types_[node.type].scalar);
    case Op::index_condition: return index_condition(node.indices[0]);
    case Op::element: return element(operands[0], node.indices);
    case Op::at: return at(node.variables[0], node.indices[0], operands[0], operands[1]);
    case Op::map: return map(node.variables, node.indices, operands[0]);
    case Op::loop: return loop({node.variables[0], node.indices[0], node.variables[1], operands[0], operands[1]});
    case Op::tuple: return tuple(std::move(operands));
    case Op::get: return get(operands[0], node.attribute);
    case Op::array:
    case Op::call: {
      Node changed = node;
      changed.operands = std::move(operands);
      return intern(std::move(changed));
    }
    case Op::convert: return convert(operands[0], types_[node.type].scalar);
    case Op::bits:
    case Op::from_bits: return cast(node.op, operands[0], types_[node.type].scalar);
    default: return apply(node.op, std::move(operands));
  }
}

NodeId Module::rebuild(const Node& node, std::vector<NodeId> operands, ScheduleId schedule) {
  const Reduction reduction = reduction_of(node);
  Fold fold;
  fold.variable = node.variables[0];
  fold.extent = node.indices[0];
  fold.body = operands[0];
  fold.operation = reduction.operation;
  fold.schedule = schedule;
  std::size_t next = 1;
  if (reduction.user) {
    fold.user_operation = operands[next++];
    fold.left = node.variables[1];
    fold.right = node.variables[2];
  }
  if (reduction.has_otherwise) fold.otherwise = operands[next++];
  return make_fold(node.op, fold);
}

}  // namespace reckon::ir
