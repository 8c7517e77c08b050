#include "codegen/strategies/tensor_cores/row_masks.h"

namespace reckon::codegen {

std::optional<RowMask> row_mask(ir::Module& module, ir::NodeId node, ir::VariableId row, ir::VariableId column,
                                ir::IndexId columns, const TileBox& box) {
  const ir::Node choice = module[node];
  if (choice.op != ir::Op::select || module[choice.operands[0]].op != ir::Op::index_condition) return std::nullopt;
  const ir::Node hidden = module[choice.operands[2]];
  if (hidden.op != ir::Op::literal) return std::nullopt;
  const ir::Literal& literal = module.literal_of(hidden);
  if (literal.kind != ir::Literal::Kind::infinity || !literal.negative) return std::nullopt;
  const ir::IndexId condition = module[choice.operands[0]].indices[0];
  BoxConditions conditions(module.indices(), row, column, box);
  const auto [begin, limit] = conditions.columns(condition, columns);
  return RowMask{choice.operands[1], conditions.holds(condition, true), begin, limit};
}

}  // namespace reckon::codegen
