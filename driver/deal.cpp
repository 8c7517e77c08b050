#include "driver/deal.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::driver {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::ScheduleOp;

namespace {

/// Each rank gets several nodes, because the subtrees of a tree differ in size.
constexpr std::int64_t nodes_per_rank = 8;

std::vector<std::int64_t> constants(const ir::Module& module, const std::vector<IndexId>& extents) {
  std::vector<std::int64_t> out;
  for (IndexId extent : extents) out.push_back(module.indices().as_constant(extent).value_or(-1));
  return out;
}

std::int64_t product(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// The scalars and tensors of a result, tuples flattened.
void result_parts(const ir::Module& module, NodeId id, std::vector<NodeId>& out) {
  if (module[id].op != Op::tuple) {
    out.push_back(id);
    return;
  }
  for (NodeId part : module[id].operands) result_parts(module, part, out);
}

bool reduces(const ir::Module& module, NodeId id) {
  return ir::find_node(module, module[id].operands,
                       [&](NodeId node) { return module[node].op == Op::reduce || module[node].op == Op::scan; })
      .has_value();
}

/// The first node of each rank, and the number of nodes at the end: runs of nodes with about equally many leaves.
std::vector<std::int64_t> runs_of(const ir::Cut& cut, int ranks) {
  std::int64_t all = 0;
  for (const ir::Cut::Group& group : cut.groups) all += group.count * group.leaves;
  std::vector<std::int64_t> first{0};
  for (int rank = 1; rank < ranks; ++rank) {
    std::int64_t target = all / ranks * rank + all % ranks * rank / ranks, nodes = 0;
    for (const ir::Cut::Group& group : cut.groups) {
      const std::int64_t taken = std::min(group.count, (target + group.leaves / 2) / group.leaves);
      nodes += taken;
      target -= taken * group.leaves;
      if (taken < group.count) break;
    }
    first.push_back(std::max(first.back(), nodes));
  }
  first.push_back(cut.nodes());
  return first;
}

}  // namespace

Dealing::Dealing(ir::Module& module, ir::Function function, const Traits& traits, int ranks)
    : module_(module), function_(std::move(function)), traits_(traits), ranks_(ranks), values_(function_.parameters) {}

std::optional<NodeId> Dealing::find() const {
  std::vector<NodeId> results;
  result_parts(module_, function_.body, results);
  const std::set<NodeId> of_result(results.begin(), results.end());
  const auto is_one = [&](NodeId id) {
    const ir::Node& node = module_[id];
    if ((node.op != Op::reduce && node.op != Op::map) || !module_.free_variables(id).empty()) return false;
    const std::vector<std::int64_t> extents = constants(module_, node.indices);
    if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent < 1; })) return false;
    if (node.op == Op::reduce) return extents[0] > 1;
    return of_result.contains(id) || reduces(module_, id);
  };
  // Operands come first.
  std::vector<std::pair<NodeId, bool>> stack{{function_.body, false}};
  std::set<NodeId> seen;
  while (!stack.empty()) {
    const auto [id, below_done] = stack.back();
    stack.pop_back();
    if (below_done) {
      if (is_one(id)) return id;
      continue;
    }
    if (!seen.insert(id).second) continue;
    stack.emplace_back(id, true);
    const std::vector<NodeId>& operands = module_[id].operands;
    for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) stack.emplace_back(*operand, false);
  }
  return std::nullopt;
}

std::optional<Dealing::Step> Dealing::next() {
  const ir::PlacesGuard placing(module_, function_.places);
  while (const auto found = find()) {
    if (module_[*found].op == Op::map) return deal_tensor(*found);
    if (const auto other = with_compensations(*found)) {
      put(*found, *other);
      continue;
    }
    if (auto step = deal_reduction(*found)) return step;
    break;
  }
  return std::nullopt;
}

DealtCircuit Dealing::rest() {
  const ir::PlacesGuard placing(module_, function_.places);
  DealtCircuit out = circuit({function_.body});
  out.function.result_storage = function_.result_storage;
  return out;
}

std::optional<NodeId> Dealing::with_compensations(NodeId id) {
  ir::Node node = module_[id];
  const ir::Reduction reduction = module_.reduction_of(node);
  ir::ScheduleStore& schedules = module_.schedules();
  const std::int64_t n = *module_.indices().as_constant(node.indices[0]);
  const auto [head, problem] = schedules.head(reduction.schedule, n);
  const ScheduleOp op = schedules[head].op;
  // Other semantics may compute a compensated sum in a way of their own.
  if (problem || reduction.user || !traits_.floats || traits_.laws.has(ir::Law::sums_exactly) ||
      (op != ScheduleOp::neumaier && op != ScheduleOp::kahan)) {
    return std::nullopt;
  }
  module_.open(node);
  const ir::Scalar scalar = module_.type(node.operands[0]).scalar;
  const NodeId body = module_.tuple({node.operands[0], module_.rational(0, scalar)});
  const ir::VariableId left = module_.fresh_variable(), right = module_.fresh_variable();
  const ir::TypeId type = module_[body].type;
  const auto part = [&](ir::VariableId variable, std::uint32_t which) {
    return module_.get(module_.operand(variable, type), which);
  };
  const NodeId a = part(left, 0), a_rest = part(left, 1), b = part(right, 0), b_rest = part(right, 1);
  const auto add = [&](NodeId x, NodeId y) { return module_.apply(Op::add, {x, y}); };
  const auto sub = [&](NodeId x, NodeId y) { return module_.apply(Op::sub, {x, y}); };
  NodeId joined;
  if (op == ScheduleOp::kahan) {
    const NodeId corrected = sub(b, a_rest), sum = add(a, corrected);
    joined = module_.tuple({sum, sub(sub(sum, a), corrected)});
  } else {
    // TwoSum (Knuth, TAOCP 2, 4.2.2).
    const NodeId sum = add(a, b), x = sub(sum, a);
    const NodeId error = add(sub(a, sub(sum, x)), sub(b, x));
    joined = module_.tuple({sum, add(add(a_rest, b_rest), error)});
  }
  const ir::ScheduleId inner = op == ScheduleOp::kahan ? schedules.plain(ScheduleOp::seq) : schedules[head].operands[0];
  const NodeId pair = module_.reduce({.variable = node.variables[0],
                                      .extent = node.indices[0],
                                      .body = body,
                                      .user_operation = joined,
                                      .left = left,
                                      .right = right,
                                      .schedule = inner});
  module_.places().put(pair, module_.span(id));
  const NodeId sum = module_.get(pair, 0);
  return op == ScheduleOp::kahan ? sum : add(sum, module_.get(pair, 1));
}

std::optional<Dealing::Step> Dealing::deal_reduction(NodeId id) {
  const ir::Node node = module_[id];
  const ir::ScheduleId schedule = module_.reduction_of(node).schedule;
  const std::int64_t n = *module_.indices().as_constant(node.indices[0]);
  const bool products = module_.schedules().absorbs_products(schedule);
  const auto cut = ir::cut(module_.schedules(), schedule, n, nodes_per_rank * ranks_, products);
  if (!cut) return std::nullopt;
  Step step;
  step.kind = Step::Kind::reduction;
  step.place = module_.span(id);
  step.of_leaves = cut->of_leaves();
  step.leaves = n;
  const ir::Type& body = module_.type(node.operands[0]);
  if (body.kind == ir::TypeKind::tuple) {
    for (ir::TypeId part : body.parts) step.components.push_back(module_.types()[part].scalar);
  } else {
    step.components.push_back(body.scalar);
  }
  for (ir::Scalar component : step.components) step.values.push_back({component, {}});
  if (products) step.components.push_back(step.components[0]);
  const std::vector<std::int64_t> runs = runs_of(*cut, ranks_);
  for (std::size_t rank = 0; rank + 1 < runs.size(); ++rank) {
    step.shares.push_back(runs[rank + 1] - runs[rank]);
    step.parts.push_back(reduction_part(id, *cut, products, runs[rank], runs[rank + 1]));
  }
  step.join = join_of(id, *cut, products);
  const std::string order = ir::schedule_text(module_, schedule);
  step.text = step.of_leaves
                  ? fmt::format(
                        "{} leaves by `{}`, which has no subtrees to deal: the ranks compute the leaves, and "
                        "rank 0 folds them",
                        n, order)
                  : fmt::format("{} leaves by `{}`: the ranks fold {} subtrees, and rank 0 joins these", n, order,
                                cut->nodes());
  replace(id, step);
  return step;
}

std::optional<DealtCircuit> Dealing::reduction_part(NodeId id, const ir::Cut& cut, bool products, std::int64_t first,
                                                    std::int64_t last) {
  if (first == last) return std::nullopt;
  ir::IndexStore& indices = module_.indices();
  const std::int64_t n = *indices.as_constant(module_[id].indices[0]);
  std::vector<NodeId> results;
  std::int64_t before = 0;
  for (const ir::Cut::Group& group : cut.groups) {
    const std::int64_t from = std::max(first, before) - before, to = std::min(last, before + group.count) - before;
    before += group.count;
    if (from >= to) continue;
    ir::Node node = module_[id];
    const ir::Reduction reduction = module_.reduction_of(node);
    module_.open(node);
    const ir::VariableId j = module_.fresh_variable(), t = module_.fresh_variable();
    const auto number = [&](std::int64_t value) { return ir::IndexTerm(indices, indices.constant(value)); };
    const ir::IndexTerm which = ir::IndexTerm(indices, indices.variable(j)) + from;
    ir::IndexTerm leaf = group.leaf(which, group.leaves == 1 ? number(0) : ir::IndexTerm(indices, indices.variable(t)));
    // Where it is not linear, the range that ir::check_bounds derives is too wide.
    if (!group.linear()) leaf = min(leaf, number(n - 1));
    ir::Module::Substitution at_leaf;
    at_leaf.indices.variables[node.variables[0]] = leaf.id();
    const NodeId body = module_.substitute(node.operands[0], at_leaf);
    NodeId value = body;
    if (group.leaves > 1) {
      ir::Module::Fold fold{.variable = t,
                            .extent = indices.constant(group.leaves),
                            .body = body,
                            .operation = reduction.operation,
                            .schedule = group.order};
      if (reduction.user) {
        fold.user_operation = node.operands[1];
        fold.left = node.variables[1];
        fold.right = node.variables[2];
      }
      value = module_.reduce(fold);
      module_.places().put(value, module_.span(id));
    }
    std::vector<NodeId> components;
    if (products) {
      // A product that is alone stays one, so that a node may absorb it; any other value is a product with 1.
      if (group.leaves == 1) components = module_[body].operands;
      else components = {value, module_.rational(1, module_.type(value).scalar)};
    } else if (module_.type(value).kind == ir::TypeKind::tuple) {
      const std::size_t count = module_.type(value).parts.size();
      for (std::uint32_t k = 0; k < count; ++k) components.push_back(module_.get(value, k));
    } else {
      components = {value};
    }
    for (NodeId component : components) results.push_back(module_.map({j}, {indices.constant(to - from)}, component));
  }
  return circuit(results);
}

DealtCircuit Dealing::join_of(NodeId id, const ir::Cut& cut, bool products) {
  ir::IndexStore& indices = module_.indices();
  ir::Node node = module_[id];
  const ir::Reduction reduction = module_.reduction_of(node);
  module_.open(node);
  const ir::Type body_type = module_.type(node.operands[0]);
  std::vector<ir::Scalar> scalars;
  if (body_type.kind == ir::TypeKind::tuple) {
    for (ir::TypeId part : body_type.parts) scalars.push_back(module_.types()[part].scalar);
  } else {
    scalars.assign(products ? 2 : 1, body_type.scalar);
  }
  const IndexId count = indices.constant(cut.nodes());
  const ir::VariableId u = module_.fresh_variable();
  DealtCircuit out;
  std::vector<NodeId> read;
  for (std::uint32_t k = 0; k < scalars.size(); ++k) {
    const ir::TypeId type = module_.types().tensor(scalars[k], {count});
    out.function.parameters.push_back({module_.symbol(fmt::format("nodes {}", k)), type, function_.span});
    read.push_back(module_.element(module_.parameter(k, type), {indices.variable(u)}));
  }
  const NodeId body = body_type.kind == ir::TypeKind::tuple ? module_.tuple(read)
                      : products                            ? module_.apply(Op::mul, read)
                                                            : read[0];
  ir::Module::Fold fold{
      .variable = u, .extent = count, .body = body, .operation = reduction.operation, .schedule = cut.join};
  if (reduction.user) {
    fold.user_operation = node.operands[1];
    fold.left = node.variables[1];
    fold.right = node.variables[2];
  }
  const NodeId joined = module_.reduce(fold);
  module_.places().put(joined, module_.span(id));
  out.function.name = function_.name;
  out.function.body = joined;
  out.function.result = module_[joined].type;
  out.function.places = function_.places;
  out.function.span = function_.span;
  return out;
}

Dealing::Step Dealing::deal_tensor(NodeId id) {
  const ir::Node node = module_[id];
  const std::vector<std::int64_t> extents = constants(module_, node.indices);
  Step step;
  step.kind = Step::Kind::tensor;
  step.place = module_.span(id);
  step.values.push_back({module_.type(id).scalar, extents});
  // The first dimension that is long enough, because its runs are contiguous; otherwise the longest.
  const auto is_enough = [&](std::int64_t extent) { return extent >= nodes_per_rank * ranks_; };
  const auto enough = std::ranges::find_if(extents, is_enough);
  step.dimension = static_cast<std::size_t>((enough != extents.end() ? enough : std::ranges::max_element(extents)) -
                                            extents.begin());
  const std::int64_t extent = extents[step.dimension];
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::int64_t first = extent / ranks_ * rank + extent % ranks_ * rank / ranks_;
    const std::int64_t last = extent / ranks_ * (rank + 1) + extent % ranks_ * (rank + 1) / ranks_;
    step.shares.push_back(last - first);
    if (first == last) {
      step.parts.emplace_back();
      continue;
    }
    ir::Node part = node;
    module_.open(part);
    const ir::VariableId variable = part.variables[step.dimension];
    ir::IndexStore& indices = module_.indices();
    ir::Module::Substitution shifted;
    shifted.indices.variables[variable] = indices.add(indices.variable(variable), indices.constant(first));
    std::vector<IndexId> sizes = part.indices;
    sizes[step.dimension] = indices.constant(last - first);
    step.parts.push_back(circuit({module_.map(part.variables, sizes, module_.substitute(part.operands[0], shifted))}));
  }
  step.text = fmt::format("a tensor of {} elements: each rank computes a run along dimension {}, which has {}",
                          product(extents), step.dimension, extent);
  replace(id, step);
  return step;
}

DealtCircuit Dealing::circuit(const std::vector<NodeId>& results) {
  DealtCircuit out;
  const NodeId body = results.size() == 1 ? results[0] : module_.tuple(results);
  std::set<std::uint32_t> used;
  ir::visit_nodes(module_, {body}, [&](NodeId id) {
    if (module_[id].op == Op::parameter) used.insert(module_[id].attribute);
  });
  out.arguments.assign(used.begin(), used.end());
  ir::Module::Substitution renumbered;
  for (std::uint32_t k = 0; k < values_.size(); ++k)
    renumbered.parameters.push_back(module_.parameter(k, values_[k].type));
  for (std::uint32_t k = 0; k < out.arguments.size(); ++k) {
    const ir::Parameter& parameter = values_[out.arguments[k]];
    out.function.parameters.push_back(parameter);
    renumbered.parameters[out.arguments[k]] = module_.parameter(k, parameter.type);
  }
  out.function.name = function_.name;
  out.function.body = module_.substitute(body, renumbered);
  out.function.result = module_[out.function.body].type;
  out.function.places = function_.places;
  out.function.span = function_.span;
  return out;
}

void Dealing::replace(NodeId id, Step& step) {
  std::vector<NodeId> parameters;
  for (const Value& value : step.values) {
    std::vector<IndexId> extents;
    for (std::int64_t extent : value.shape) extents.push_back(module_.indices().constant(extent));
    const ir::TypeId type = value.shape.empty() ? module_.types().scalar(value.scalar)
                                                : module_.types().tensor(value.scalar, std::move(extents));
    const auto position = static_cast<std::uint32_t>(values_.size());
    values_.push_back({module_.symbol(fmt::format("value {}", position)), type, function_.span});
    parameters.push_back(module_.parameter(position, type));
  }
  put(id, module_.type(id).kind == ir::TypeKind::tuple ? module_.tuple(parameters) : parameters[0]);
}

namespace {

/// Rebuilds a circuit with another node in place of one, which has no free variables.
class Replacer {
 public:
  Replacer(ir::Module& module, NodeId from, NodeId to) : module_(module) { done_[from] = to; }

  NodeId run(NodeId id) {
    if (const auto found = done_.find(id); found != done_.end()) return found->second;
    ir::Node node = module_[id];
    const SourceSpan span = module_.span(id);
    // Fresh variables, because the replacement may hold more binders than the node did.
    module_.open(node);
    std::vector<NodeId> operands;
    for (NodeId operand : node.operands) operands.push_back(run(operand));
    const NodeId result = module_.rebuild(node, std::move(operands));
    module_.places().put(result, span);
    done_[id] = result;
    return result;
  }

 private:
  ir::Module& module_;
  std::unordered_map<NodeId, NodeId> done_;
};

}  // namespace

void Dealing::put(NodeId id, NodeId replacement) {
  function_.body = Replacer(module_, id, replacement).run(function_.body);
}

}  // namespace reckon::driver
