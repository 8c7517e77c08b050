// The rules of constant folding, as a table: tests go through it row by row.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/laws.h"
#include "ir/module.h"

namespace reckon::ir {

struct FoldingRule {
  std::string_view name;
  Laws needs;
  /// The replacement of a node with these operands, where the rule matches: one of the operands, or a literal.
  std::optional<NodeId> (*apply)(Module& module, const Node& node, const std::vector<NodeId>& operands);
};

const std::vector<FoldingRule>& folding_rules();

}  // namespace reckon::ir
