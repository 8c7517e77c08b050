#include "frontend/stated_range.h"

#include <fmt/format.h>

#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/type_mismatch.h"
#include "ir/places.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::NodeId;
using ir::VariableId;

namespace {

/// How many integers the range has: those from 0 to that number.
std::optional<IndexId> count_of(Elaborator& elaborator, const Context& context, const StatedRange& range) {
  ir::IndexStore& indices = elaborator.module.indices();
  const auto end = [&](ExprId written) -> std::optional<IndexId> {
    const auto value = elaborator.elaborate(context, written);
    if (!value) return std::nullopt;
    return elaborator.index_of(*value, elaborator.expr(context, written).span, "the end of a range");
  };
  const auto high = end(range.high);
  if (!high || !range.low.valid()) return high;
  const auto low = end(range.low);
  if (!low) return std::nullopt;
  if (indices.as_constant(*low) != 0) {
    return elaborator.report(Diagnostic(code::dimension_value, elaborator.expr(context, range.low).span,
                                        "the range of a parameter begins at 0")
                                 .help("subtract the least integer where it is read: `x[i[k] - low]`"));
  }
  return indices.add(*high, indices.constant(1));
}

}  // namespace

std::optional<NodeId> in_stated_range(Elaborator& elaborator, const Context& context, const ParameterDecl& parameter,
                                      NodeId value) {
  if (!parameter.range) return value;
  ir::Module& module = elaborator.module;
  const ir::Type type = module.type(value);
  if (type.kind == ir::TypeKind::tuple || !ir::is_integer(type.scalar)) {
    Diagnostic refused(code::type_mismatch, parameter.range->span,
                       fmt::format("a range is stated for integers, and `{}` is `{}`", parameter.name,
                                   ir::type_text(module, module[value].type)));
    if (type.kind != ir::TypeKind::tuple && ir::is_float(type.scalar)) {
      refused.helps.push_back(
          fmt::format("a check takes numbers from a range: `check ... for {}: 0..1`", parameter.name));
    }
    return elaborator.report(std::move(refused));
  }
  const auto count = count_of(elaborator, context, *parameter.range);
  if (!count) return std::nullopt;
  const auto checked = [&](NodeId number) {
    const VariableId variable = module.fresh_variable();
    const NodeId same = module.index_value(module.indices().variable(variable), type.scalar);
    const NodeId out = module.at(variable, *count, same, number);
    module.places().put(out, parameter.range->span);
    return out;
  };
  if (type.kind == ir::TypeKind::scalar) return checked(value);
  std::vector<VariableId> variables;
  std::vector<IndexId> subscripts;
  for (std::size_t d = 0; d < type.extents.size(); ++d) {
    variables.push_back(module.fresh_variable());
    subscripts.push_back(module.indices().variable(variables.back()));
  }
  const NodeId element = checked(module.element(value, std::move(subscripts)));
  return module.map(std::move(variables), type.extents, element);
}

}  // namespace reckon::frontend
