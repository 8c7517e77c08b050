#include <set>
#include <unordered_map>
#include <unordered_set>

#include "ir/op.h"
#include "ir/passes/bottom_up.h"
#include "ir/passes/passes.h"

namespace reckon::ir {
namespace {

using Parts = std::set<std::uint32_t>;

/// Which parts of each tuple value are used; every part if the tuple is used as a whole. Equal nodes of different
/// scopes are not distinguished here, which can only add parts.
class Uses {
 public:
  explicit Uses(const Module& module) : module_(module) {}

  void visit(NodeId id) {
    if (!seen_.insert(id).second) return;
    const Node& node = module_[id];
    for (NodeId operand : node.operands) {
      if (node.op == Op::get) parts_[operand].insert(node.attribute);
      else whole(operand);
      visit(operand);
    }
  }

  void whole(NodeId id) {
    const Type& type = module_.type(id);
    for (std::uint32_t part = 0; part < type.parts.size(); ++part) parts_[id].insert(part);
  }

  const Parts& of(NodeId id) { return parts_[id]; }

 private:
  const Module& module_;
  std::unordered_set<NodeId> seen_;
  std::unordered_map<NodeId, Parts> parts_;
};

/// Parts of the operands `left` and `right` that a part of an operation is computed from.
void parts_needed(const Module& module, NodeId id, VariableId left, VariableId right, std::unordered_set<NodeId>& seen,
                  Parts& out) {
  if (!module.depends_on(id, left) && !module.depends_on(id, right)) return;
  if (!seen.insert(id).second) return;
  const Node& node = module[id];
  if (node.op == Op::get && module[node.operands[0]].op == Op::operand) {
    out.insert(node.attribute);
    return;
  }
  if (node.op == Op::operand) {  // used as a whole
    for (std::uint32_t part = 0; part < module.type(id).parts.size(); ++part) out.insert(part);
    return;
  }
  for (NodeId operand : node.operands) parts_needed(module, operand, left, right, seen, out);
}

NodeId zero(Module& module, Scalar scalar) {
  if (scalar != Scalar::boolean) return module.rational(0, scalar);
  Literal truth;
  truth.kind = Literal::Kind::boolean;
  return module.literal(truth, Scalar::boolean);
}

/// The reduction with only those parts that the parts in `wanted` are computed from, if that drops any part; `kept`
/// gets the parts that remain.
std::optional<NodeId> narrow(Module& module, const Node& node, const std::vector<NodeId>& operands, Parts wanted,
                             Parts& kept) {
  const Reduction& reduction = module.reduction_of(node);
  const TypeId tuple = module[operands[0]].type;
  const std::vector<TypeId> parts = module.types()[tuple].parts;
  if (!reduction.user || parts.empty() || wanted.empty()) return std::nullopt;
  const VariableId left = node.variables[1], right = node.variables[2];
  // What the wanted parts are computed from is wanted too.
  for (std::size_t before = 0; before != wanted.size();) {
    before = wanted.size();
    Parts more;
    std::unordered_set<NodeId> seen;
    for (std::uint32_t part : wanted) {
      parts_needed(module, module.get(operands[1], part), left, right, seen, more);
    }
    wanted.insert(more.begin(), more.end());
  }
  if (wanted.size() == parts.size()) return std::nullopt;
  kept = wanted;

  auto pick = [&](NodeId whole) {
    std::vector<NodeId> out;
    for (std::uint32_t part : wanted) out.push_back(module.get(whole, part));
    return out.size() == 1 ? out[0] : module.tuple(std::move(out));
  };
  Module::Fold fold;
  fold.variable = node.variables[0];
  fold.extent = node.indices[0];
  fold.body = pick(operands[0]);
  fold.schedule = reduction.schedule;
  fold.left = module.fresh_variable();
  fold.right = module.fresh_variable();
  if (reduction.has_otherwise) fold.otherwise = pick(operands[2]);
  // The old operands, made of the new ones; the dropped parts are zeros that nothing reads.
  Module::Substitution replace;
  for (auto [old, fresh] : {std::pair{left, fold.left}, {right, fold.right}}) {
    const NodeId operand = module.operand(fresh, module[fold.body].type);
    std::vector<NodeId> whole;
    std::uint32_t next = 0;
    for (std::uint32_t part = 0; part < parts.size(); ++part) {
      if (!wanted.contains(part)) whole.push_back(zero(module, module.types()[parts[part]].scalar));
      else whole.push_back(wanted.size() == 1 ? operand : module.get(operand, next++));
    }
    replace.operands[old] = module.tuple(std::move(whole));
  }
  fold.user_operation = module.substitute(pick(operands[1]), replace);
  return node.op == Op::reduce ? module.reduce(fold) : module.scan(fold);
}

}  // namespace

Function drop_dead_code(Module& module, const Function& function, Laws) {
  Uses uses(module);
  uses.whole(function.body);
  uses.visit(function.body);

  struct Narrow {
    NodeId reduction;
    Parts kept;
  };
  std::unordered_map<NodeId, Narrow> narrowed;  // by the original reduction
  BottomUp rewriter(module, [&](NodeId id, const Node& node, std::vector<NodeId> operands) {
    if (node.op == Op::reduce || node.op == Op::scan) {
      Narrow entry;
      if (auto smaller = narrow(module, node, operands, uses.of(id), entry.kept)) {
        entry.reduction = *smaller;
        narrowed[id] = entry;
      }
      // If the reduction was narrowed, only `get`s use it, and these use the narrow one instead.
      return module.rebuild(node, std::move(operands));
    }
    if (node.op == Op::get) {
      if (auto found = narrowed.find(node.operands[0]); found != narrowed.end()) {
        const auto& [reduction, kept] = found->second;
        const auto position = static_cast<std::uint32_t>(std::distance(kept.begin(), kept.find(node.attribute)));
        return kept.size() == 1 ? reduction : module.get(reduction, position);
      }
    }
    return module.rebuild(node, std::move(operands));
  });
  Function out = function;
  out.body = rewriter.run(function.body);
  return out;
}

}  // namespace reckon::ir
