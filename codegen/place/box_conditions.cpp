#include "codegen/place/box_conditions.h"

namespace reckon::codegen {

using ir::IndexId;
using ir::IndexOp;
using ir::VariableId;

IndexId BoxConditions::holds(IndexId condition, bool all) {
  const ir::IndexNode node = indices_[condition];
  switch (node.op) {
    case IndexOp::logical_and: return indices_.logical_and(holds(node.operands[0], all), holds(node.operands[1], all));
    case IndexOp::logical_or: return indices_.logical_or(holds(node.operands[0], all), holds(node.operands[1], all));
    case IndexOp::logical_not: return indices_.logical_not(holds(node.operands[0], !all));
    case IndexOp::less:
    case IndexOp::less_equal: {
      const auto at = extreme(indices_.subtract(node.operands[1], node.operands[0]), !all);
      const IndexId zero = indices_.constant(0);
      if (at) return node.op == IndexOp::less ? indices_.less(zero, *at) : indices_.less_equal(zero, *at);
      break;
    }
    default: break;
  }
  return indices_.constant(all ? 0 : 1);
}

BoxConditions::Columns BoxConditions::columns(IndexId condition, IndexId count) {
  const ir::IndexNode node = indices_[condition];
  if (node.op == IndexOp::logical_and || node.op == IndexOp::logical_or) {
    const Columns a = columns(node.operands[0], count), b = columns(node.operands[1], count);
    if (node.op == IndexOp::logical_and)
      return {indices_.maximum(a.begin, b.begin), indices_.minimum(a.limit, b.limit)};
    return {indices_.minimum(a.begin, b.begin), indices_.maximum(a.limit, b.limit)};
  }
  Columns out{indices_.constant(0), count};
  if (node.op != IndexOp::less && node.op != IndexOp::less_equal) return out;
  // 0 <= difference = base + stride * column, with a stride of 1 or -1.
  IndexId difference = indices_.subtract(node.operands[1], node.operands[0]);
  if (node.op == IndexOp::less) difference = indices_.subtract(difference, indices_.constant(1));
  const auto affine = indices_.affine_in(difference, column_);
  const auto stride = affine ? indices_.as_constant(affine->stride) : std::nullopt;
  const auto base = stride ? extreme(affine->base, true) : std::nullopt;
  if (!base) return out;
  if (*stride == -1) out.limit = indices_.minimum(count, indices_.add(*base, indices_.constant(1)));
  if (*stride == 1) out.begin = indices_.maximum(indices_.constant(0), indices_.negate(*base));
  return out;
}

std::optional<IndexId> BoxConditions::extreme(IndexId id, bool greatest) {
  const auto at = [&](IndexId expression, VariableId variable, VariableId low,
                      VariableId high) -> std::optional<IndexId> {
    const auto affine = indices_.affine_in(expression, variable);
    const auto stride = affine ? indices_.as_constant(affine->stride) : std::nullopt;
    if (!stride) return std::nullopt;
    const VariableId side = (*stride >= 0) == greatest ? high : low;
    return indices_.substitute(expression, {.variables = {{variable, indices_.variable(side)}}});
  };
  const auto rows = at(id, row_, box_.first_row, box_.last_row);
  return rows ? at(*rows, column_, box_.first_column, box_.last_column) : std::nullopt;
}

}  // namespace reckon::codegen
