// The leaves and joins of a reduction, and the arithmetic of its accumulators: fused products and compensated sums.
#include "codegen/lower/joins.h"

#include <optional>
#include <set>

#include "codegen/place/place.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {

using ir::NodeId;
using ir::Op;

namespace {

constexpr int cheap_operations = 12, light_operations = 48;

/// How many operations emitting a circuit takes, counted up to a limit; anything with a loop inside is over the limit.
class OperationCount {
 public:
  /// With a variable, what does not depend on it is at hand.
  OperationCount(ir::Module& module, int limit, std::optional<ir::VariableId> variable = std::nullopt)
      : module_(module), limit_(limit), variable_(variable) {}

  void add(NodeId id) {
    if (count_ > limit_ || !counted_.insert(id).second) return;
    if (variable_ && !module_.depends_on(id, *variable_)) return;
    const ir::Node node = module_[id];
    const bool is_long =
        node.op == Op::reduce || node.op == Op::scan || node.op == Op::rem || ir::is_elementary(node.op);
    count_ += is_long ? limit_ + 1 : 1;
    if (node.op == Op::element) return;
    for (const NodeId operand : node.operands) add(operand);
  }
  int count() const { return count_; }

 private:
  ir::Module& module_;
  int limit_, count_ = 0;
  std::optional<ir::VariableId> variable_;
  std::set<NodeId> counted_;
};

/// Of a leaf and a join.
int operations_of(ir::Module& module, NodeId fold) {
  const ir::Node node = module[fold];
  OperationCount operations(module, light_operations);
  operations.add(node.operands[0]);
  if (module.reduction_of(node).user) operations.add(node.operands[1]);
  return operations.count();
}

}  // namespace

bool may_fail(const ir::Module& module, NodeId node) {
  return ir::find_node(module, {node},
                       [&](NodeId id) {
                         const Op op = module[id].op;
                         return op == Op::at || (ir::divides_integers(op) && !ir::has_known_divisor(module, id));
                       })
      .has_value();
}

bool may_fault(const ir::Module& module, NodeId node, const Numbers& numbers) {
  return numbers.has_undefined() || may_fail(module, node);
}

bool joins_may_fault(const ir::Module& module, const ir::Node& fold, const Numbers& numbers) {
  return module.reduction_of(fold).user && may_fault(module, fold.operands[1], numbers);
}

bool is_cheap(ir::Module& module, NodeId fold) { return operations_of(module, fold) <= cheap_operations; }

Joins::Joins(Circuits& circuits)
    : circuits_(circuits), w_(circuits.writer()), b_(w_.builder()), module_(w_.module()), numbers_(w_.numbers()) {}

FoldSite Joins::site_of(NodeId id) const {
  FoldSite site;
  site.id = site.tree = id;
  site.node = module_[id];
  site.reduction = module_.reduction_of(id);
  site.scalars = scalars_of(module_, module_[site.node.operands[0]].type);
  for (ir::Scalar scalar : site.scalars) {
    site.state.push_back(Type::number(scalar));
  }
  site.fuses = keeps_factors(module_, site.reduction.schedule, numbers_);
  if (site.fuses) site.state = {site.state[0], site.state[0], Type::flag()};
  const int operations = operations_of(module_, id);
  site.cheap = operations <= cheap_operations;
  site.light = operations <= light_operations;
  return site;
}

bool Joins::is_light(NodeId value, ir::VariableId variable) const {
  OperationCount operations(module_, light_operations, variable);
  operations.add(value);
  return operations.count() <= light_operations;
}

FoldSite Joins::site_of(const KernelBody& body) const {
  FoldSite site = site_of(body.node);
  if (body.fused) site.arithmetic = Arithmetic::fused;
  if (body.part_of) {
    site.tree = body.part_of->node;
    site.first_leaf = body.part_of->first;
  }
  return site;
}

bool Joins::drops_joins(const FoldSite& site) const { return !joins_may_fault(module_, site.node, numbers_); }

Values Joins::zeros(const FoldSite& site) {
  Values values;
  for (Type type : site.state) values.push_back(b_.zero(type));
  return values;
}

Values Joins::empty_fold(const FoldSite& site) {
  if (site.reduction.has_otherwise) return circuits_.emit(site.node.operands.back());
  Values values = zeros(site);
  values.resize(site.scalars.size());
  return values;
}

Values Joins::leaf(const FoldSite& site, Value position) {
  Scope scope;
  scope.variables.push_back({site.node.variables[0], site.node.indices[0], position});
  return w_.in_scope(scope, [&] { return leaf_here(site, position); });
}

Values Joins::leaf_here(const FoldSite& site, Value position) {
  const kernel::OriginGuard of_reduction(b_, site.id);
  Values out;
  if (!site.fuses) {
    out = circuits_.emit(site.node.operands[0]);
  } else {
    const std::vector<NodeId> factors = module_[site.node.operands[0]].operands;
    const Value x = circuits_.scalar(factors[0]);
    out = {x, circuits_.scalar(factors[1]), b_.flag(true)};
  }
  w_.resume();
  if (site.tree != site.id) position = w_.add(w_.index(site.first_leaf), position);
  out[0] = b_.leaf(site.tree, out[0], position);
  return out;
}

Values Joins::whole(const FoldSite& site, Values values) {
  values.resize(site.scalars.size());
  values[0] = b_.root(site.id, values[0]);
  return values;
}

Values Joins::join(const FoldSite& site, const Values& left, const Values& right) {
  if (w_.failed()) return left;
  const kernel::OriginGuard of_reduction(b_, site.id);
  Values out = joined(site, left, right);
  w_.resume();
  out[0] = b_.node(site.tree, out[0], left[0], right[0]);
  return out;
}

Values Joins::joined(const FoldSite& site, const Values& left, const Values& right) {
  if (!site.reduction.user) {
    if (site.arithmetic == Arithmetic::neumaier || site.arithmetic == Arithmetic::kahan) {
      return joined_compensated(site, left, right);
    }
    if (site.fuses) return joined_products(site, left, right);
    return {operation(site, site.reduction.operation, {left[0], right[0]})};
  }
  Scope scope;
  scope.operands.push_back({site.node.variables[1], left});
  scope.operands.push_back({site.node.variables[2], right});
  return w_.in_scope(scope, [&] { return circuits_.emit(site.node.operands[1]); });
}

Value Joins::operation(const FoldSite& site, Op op, const Values& operands) {
  if (site.scalars[0] == ir::Scalar::number) {
    w_.fail(site.id, "this reduction");
    return operands[0];
  }
  return b_.apply(op, site.scalars[0], site.scalars[0], operands, site.id, true);
}

Values Joins::rounded_product(const FoldSite& site, const Values& node) {
  if (!site.fuses || site.arithmetic == Arithmetic::neumaier || site.arithmetic == Arithmetic::kahan) return node;
  Values out = zeros(site);
  const auto product = w_.known(node[2]);
  if (product == 0) {
    out[0] = node[0];
    return out;
  }
  Value rounded = operation(site, Op::mul, {node[0], node[1]});
  out[0] = product ? rounded : b_.select(node[2], rounded, node[0]);
  return out;
}

/// Joins two nodes of a reduction with a fused schedule, within `fused` or outside of it.
Values Joins::joined_products(const FoldSite& site, const Values& left, const Values& right) {
  Values out = zeros(site);
  Value left_value = rounded_product(site, left)[0];
  if (site.arithmetic != Arithmetic::fused) {
    out[0] = operation(site, Op::add, {left_value, rounded_product(site, right)[0]});
    return out;
  }
  const auto constant = [&](Value flag) -> std::optional<bool> {
    const auto fixed = w_.known(flag);
    return fixed ? std::optional(*fixed != 0) : std::nullopt;
  };
  const auto right_is_product = constant(right[2]), left_is_product = constant(left[2]);
  Value absorbed_right = nullptr;
  if (right_is_product != false) absorbed_right = operation(site, Op::fma, {right[0], right[1], left_value});
  if (right_is_product == true) {
    out[0] = absorbed_right;
    return out;
  }
  Value otherwise = nullptr;
  if (left_is_product == true) {
    otherwise = operation(site, Op::fma, {left[0], left[1], right[0]});
  } else {
    otherwise = operation(site, Op::add, {left[0], right[0]});
    if (!left_is_product) {
      otherwise = b_.select(left[2], operation(site, Op::fma, {left[0], left[1], right[0]}), otherwise);
    }
  }
  out[0] = absorbed_right ? b_.select(right[2], absorbed_right, otherwise) : otherwise;
  return out;
}

Values Joins::joined_compensated(const FoldSite& site, const Values& left, const Values& right) {
  auto plus = [&](Value x, Value y) { return operation(site, Op::add, {x, y}); };
  auto minus = [&](Value x, Value y) { return operation(site, Op::sub, {x, y}); };
  if (site.arithmetic == Arithmetic::kahan) {
    Value next = minus(right[0], left[1]);
    Value sum = plus(left[0], next);
    return {sum, minus(minus(sum, left[0]), next)};
  }
  // TwoSum (Knuth, TAOCP 2, 4.2.2).
  Value sum = plus(left[0], right[0]);
  Value part = minus(sum, left[0]);
  Value error = plus(minus(left[0], minus(sum, part)), minus(right[0], part));
  return {sum, plus(plus(left[1], right[1]), error)};
}

}  // namespace reckon::codegen
