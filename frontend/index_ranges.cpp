#include "frontend/index_ranges.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/index_ranges_differ.h"
#include "diagnostics/codes/static_needed.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::NodeId;
using ir::VariableId;

std::optional<ir::IndexId> subscript_of(Elaborator& elaborator, const Value& value, SourceSpan at) {
  auto index = elaborator.index_of(value, at, "a subscript");
  if (!index && (value.is<layout::Layout>() || value.is<ir::IndexLayout>())) {
    elaborator.diagnostics.back().helps = {"a part of a tensor is written by its elements: `for i < n - 1: x[i + 1]`"};
  }
  return index;
}

std::optional<IndexId> DataSubscripts::subscript_of(const Value& value, IndexId extent, SourceSpan at) {
  ir::Module& module = elaborator_.module;
  const auto* data = value.get_if<DynamicValue>();
  if (data == nullptr) return frontend::subscript_of(elaborator_, value, at);
  const ir::Type type = module.type(data->node);
  if (type.kind == ir::TypeKind::scalar && ir::is_integer(type.scalar)) {
    const VariableId variable = module.fresh_variable();
    all_.push_back({variable, extent, data->node});
    return module.indices().variable(variable);
  }
  Diagnostic diagnostic(code::static_needed, at,
                        fmt::format("a subscript is an index or an integer, and this is {}",
                                    elaborator_.kind_text(value)));
  if (type.kind == ir::TypeKind::tensor && ir::is_integer(type.scalar) && type.extents.size() == 1) {
    diagnostic.helps.emplace_back("the elements at several indices are a tensor: `for k: x[i[k]]`");
  } else if (type.kind == ir::TypeKind::scalar && ir::is_float(type.scalar)) {
    diagnostic.helps.emplace_back("`u32(...)` makes an integer of it");
  }
  return elaborator_.report(std::move(diagnostic));
}

NodeId DataSubscripts::put_into(NodeId element) const {
  for (const Subscript& each : all_) {
    element = elaborator_.module.at(each.variable, each.extent, element, each.value);
  }
  return element;
}

void note_range(Elaborator& elaborator, IndexId subscript, IndexId extent, const Expr& written) {
  ir::Module& module = elaborator.module;
  // Only an index that stands alone takes the dimension's range.
  if (written.kind != ExprKind::name) return;
  const ir::IndexNode& node = module.indices()[subscript];
  if (node.op != ir::IndexOp::variable) return;
  auto found = elaborator.ranges.find(node.variable);
  if (found == elaborator.ranges.end() || found->second.given) return;
  BinderRange& range = found->second;
  if (!range.extent) {
    range.extent = extent;
    range.found = written.span;
    return;
  }
  if (*range.extent == extent) return;
  elaborator.report(Diagnostic(code::index_ranges_differ, written.span,
                               fmt::format("index `{}` has two different ranges", range.name),
                               fmt::format("here it has range `{}`", elaborator.index_text(extent)))
                        .with(range.found, fmt::format("here it has range `{}`", elaborator.index_text(*range.extent)))
                        .help(fmt::format("give it one range: `{} < ...`, or use two indices", range.name)));
}

bool stays_below(Elaborator& elaborator, IndexId index, IndexId extent, const Expr& written) {
  ir::Module& module = elaborator.module;
  const ir::IndexNode& node = module.indices()[index];
  if (node.op == ir::IndexOp::variable) {
    auto found = elaborator.ranges.find(node.variable);
    if (found != elaborator.ranges.end() && found->second.extent == extent) return true;
  }
  std::map<VariableId, ir::IndexRange> values_of;
  for (VariableId variable : module.indices().variables(index)) {
    auto found = elaborator.ranges.find(variable);
    const auto known = found != elaborator.ranges.end() && found->second.extent
                           ? module.indices().as_constant(*found->second.extent)
                           : std::nullopt;
    if (known) values_of[variable] = {0, std::max<std::int64_t>(*known - 1, 0)};
  }
  const auto most = module.indices().range(extent, values_of, {}),
             values = module.indices().range(index, values_of, {});
  if (most && values && values->low >= 0 && values->high < most->low) return true;
  if (most && values && node.op == ir::IndexOp::variable && values->high >= most->high) {
    return elaborator.fail(code::index_out_of_range, written.span,
                           fmt::format("index `{}` is out of range: it goes to `{}`, and this mode has `{}` elements",
                                       elaborator.index_text(index), values->high, elaborator.index_text(extent))),
           false;
  }
  if (most && values && (values->low >= most->high || values->high < 0)) {
    return elaborator.fail(code::index_out_of_range, written.span,
                           fmt::format("index `{}` is out of range: this mode has `{}` elements",
                                       elaborator.index_text(index), elaborator.index_text(extent))),
           false;
  }
  elaborator.report(Diagnostic(code::index_out_of_range, written.span,
                               fmt::format("it cannot be decided here whether `{}` stays below `{}`",
                                           elaborator.index_text(index), elaborator.index_text(extent)))
                        .help("`view(x, L)[...]` checks its subscripts when sizes are known"));
  return false;
}

}  // namespace reckon::frontend
