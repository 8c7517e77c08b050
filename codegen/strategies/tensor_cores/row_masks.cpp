#include "codegen/strategies/tensor_cores/row_masks.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::IndexOp;
using ir::VariableId;

class MaskConditions {
 public:
  MaskConditions(ir::IndexStore& indices, VariableId row, VariableId column, IndexId columns, const TileBox& box)
      : indices_(indices), row_(row), column_(column), columns_(columns), box_(box) {}

  /// A condition on the box that implies the condition at each place in it, or, for `all` = false, one that follows
  /// from the condition at any place.
  IndexId holds(IndexId id, bool all) {
    const ir::IndexNode node = indices_[id];
    switch (node.op) {
      case IndexOp::logical_and:
        return indices_.logical_and(holds(node.operands[0], all), holds(node.operands[1], all));
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

  struct Columns {
    IndexId begin, limit;
  };
  /// All columns at which the condition holds in one of the rows.
  Columns columns(IndexId id) {
    const ir::IndexNode node = indices_[id];
    if (node.op == IndexOp::logical_and || node.op == IndexOp::logical_or) {
      const Columns a = columns(node.operands[0]), b = columns(node.operands[1]);
      if (node.op == IndexOp::logical_and)
        return {indices_.maximum(a.begin, b.begin), indices_.minimum(a.limit, b.limit)};
      return {indices_.minimum(a.begin, b.begin), indices_.maximum(a.limit, b.limit)};
    }
    Columns out{indices_.constant(0), columns_};
    if (node.op != IndexOp::less && node.op != IndexOp::less_equal) return out;
    // 0 <= difference = base + stride * column, with a stride of 1 or -1.
    IndexId difference = indices_.subtract(node.operands[1], node.operands[0]);
    if (node.op == IndexOp::less) difference = indices_.subtract(difference, indices_.constant(1));
    const auto affine = indices_.affine_in(difference, column_);
    const auto stride = affine ? indices_.as_constant(affine->stride) : std::nullopt;
    const auto base = stride ? extreme(affine->base, true) : std::nullopt;
    if (!base) return out;
    if (*stride == -1) out.limit = indices_.minimum(columns_, indices_.add(*base, indices_.constant(1)));
    if (*stride == 1) out.begin = indices_.maximum(indices_.constant(0), indices_.negate(*base));
    return out;
  }

 private:
  /// The least or greatest value in the box, if the expression is linear in the row and in the column.
  std::optional<IndexId> extreme(IndexId id, bool greatest) {
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

  ir::IndexStore& indices_;
  VariableId row_, column_;
  IndexId columns_;
  const TileBox& box_;
};

}  // namespace

std::optional<RowMask> row_mask(ir::Module& module, ir::NodeId node, VariableId row, VariableId column, IndexId columns,
                                const TileBox& box) {
  const ir::Node choice = module[node];
  if (choice.op != ir::Op::select || module[choice.operands[0]].op != ir::Op::index_condition) return std::nullopt;
  const ir::Node hidden = module[choice.operands[2]];
  if (hidden.op != ir::Op::literal) return std::nullopt;
  const ir::Literal& literal = module.literal_of(hidden);
  if (literal.kind != ir::Literal::Kind::infinity || !literal.negative) return std::nullopt;
  const IndexId condition = module[choice.operands[0]].indices[0];
  MaskConditions conditions(module.indices(), row, column, columns, box);
  const auto [begin, limit] = conditions.columns(condition);
  return RowMask{choice.operands[1], conditions.holds(condition, true), begin, limit};
}

}  // namespace reckon::codegen
