#include <algorithm>

#include "codegen/lower/writer.h"
#include "diagnostics/codes/internal.h"

namespace reckon::codegen {

using ir::IndexId;
using ir::IndexOp;

Value Writer::index_new(const ir::IndexNode& node, FunctionRef<Value(IndexId)> part) {
  auto truth = [&](Value condition) { return b_.extend(condition); };
  auto is_true = [&](IndexId id) { return b_.not_equal(part(id), i64(0)); };
  switch (node.op) {
    case IndexOp::constant: return i64(node.value);
    case IndexOp::sum: {
      Value total = nullptr;
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        Value value = part(node.operands[k]);
        Value term = node.coefficients[k] == 1 ? value : b_.mul(value, i64(node.coefficients[k]));
        total = total ? b_.add(total, term) : term;
      }
      return node.value == 0 && total ? total : b_.add(total ? total : i64(0), i64(node.value));
    }
    case IndexOp::product: {
      Value total = part(node.operands[0]);
      for (std::size_t k = 1; k < node.operands.size(); ++k) total = b_.mul(total, part(node.operands[k]));
      return total;
    }
    case IndexOp::floor_div:
    case IndexOp::floor_mod: {
      Value dividend = part(node.operands[0]);
      Value divisor = part(node.operands[1]);
      // A division by zero is refused where its result is used. This division may only have been moved before a loop
      // that is never entered, so it divides by 1 instead.
      if (!known(divisor)) divisor = b_.select(b_.equal(divisor, i64(0)), i64(1), divisor);
      Value remainder = b_.srem(dividend, divisor);
      Value inexact = b_.not_equal(remainder, i64(0));
      Value signs_differ = b_.less(b_.bit_xor(remainder, divisor), i64(0));
      Value adjust = b_.bit_and(inexact, signs_differ);
      if (node.op == IndexOp::floor_mod) {
        return b_.add(remainder, b_.select(adjust, divisor, i64(0)));
      }
      return b_.sub(b_.sdiv(dividend, divisor), truth(adjust));
    }
    case IndexOp::minimum: return b_.minimum(part(node.operands[0]), part(node.operands[1]));
    case IndexOp::maximum: return b_.maximum(part(node.operands[0]), part(node.operands[1]));
    case IndexOp::less: return truth(b_.less(part(node.operands[0]), part(node.operands[1])));
    case IndexOp::less_equal: return truth(b_.less_equal(part(node.operands[0]), part(node.operands[1])));
    case IndexOp::equal: return truth(b_.equal(part(node.operands[0]), part(node.operands[1])));
    case IndexOp::logical_and: return truth(b_.bit_and(is_true(node.operands[0]), is_true(node.operands[1])));
    case IndexOp::logical_or: return truth(b_.bit_or(is_true(node.operands[0]), is_true(node.operands[1])));
    case IndexOp::logical_not: return truth(b_.complement(is_true(node.operands[0])));
    case IndexOp::dimension:
    case IndexOp::variable: break;
  }
  return i64(0);
}

Value Writer::index(IndexId id) {
  const ir::IndexNode node = module_.indices()[id];
  if (node.op == IndexOp::constant) return i64(node.value);
  if (node.op == IndexOp::dimension) {
    auto found = context_.dimensions.find(node.symbol);
    if (found != context_.dimensions.end()) return found->second;
    fail(Diagnostic(code::internal, {}, "dimension `" + std::string(module_.name(node.symbol)) + "` is unknown here"));
    return i64(0);
  }
  Scope* place = owner(module_.indices().variables(id));
  for (Scope* scope = scope_;; scope = scope->parent) {
    if (auto found = scope->indices.find(id); found != scope->indices.end()) return found->second;
    if (scope == place) break;
  }
  if (node.op == IndexOp::variable) {
    for (Scope* scope = scope_; scope; scope = scope->parent) {
      for (const Scope::Bound& bound : scope->variables) {
        if (bound.variable == node.variable) return bound.value;
      }
    }
    fail(Diagnostic(code::internal, {}, "an index variable has no value here"));
    return i64(0);
  }
  Value value = nullptr;
  within(*place, [&] {
    value = index_new(node, [&](IndexId part) {
      Value operand = index(part);
      resume();
      return operand;
    });
    place->indices[id] = value;
  });
  return value;
}

Value Writer::parameter(IndexId id, const Lengths& lengths) {
  const ir::IndexNode node = module_.indices()[id];
  if (node.op == IndexOp::dimension) return index(id);
  if (node.op == IndexOp::variable) {
    auto found = lengths.find(node.variable);
    return found != lengths.end() ? found->second : i64(1);
  }
  return index_new(node, [&](IndexId part) { return parameter(part, lengths); });
}

Scope* Writer::owner(const std::vector<ir::VariableId>& free) const {
  Scope* scope = scope_;
  while (scope->parent && !scope->guard &&
         std::none_of(free.begin(), free.end(), [&](ir::VariableId variable) { return scope->binds(variable); })) {
    scope = scope->parent;
  }
  return scope;
}

const Scope* Writer::binder(ir::VariableId variable) const {
  const Scope* scope = scope_;
  while (scope && !scope->binds(variable)) scope = scope->parent;
  return scope;
}

}  // namespace reckon::codegen
