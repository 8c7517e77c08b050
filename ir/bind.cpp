#include "ir/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_accumulator.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/bad_arrangement.h"
#include "diagnostics/codes/bad_stage_size.h"
#include "diagnostics/codes/dimension_unbound.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/no_order.h"
#include "diagnostics/codes/quoted_tree_length.h"
#include "diagnostics/codes/static_depth.h"

namespace reckon::ir {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out;
  for (std::int64_t extent : shape) out += (out.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + out + "]";
}

Diagnostic unfit(const Module& module, const Function& function, std::size_t k, std::string message) {
  const Parameter& parameter = function.parameters[k];
  return Diagnostic(code::bad_argument, parameter.span, std::move(message),
                    fmt::format("`{}` is declared here", module.name(parameter.name)));
}

/// Adds the dimensions that computed extents give, one after the other.
std::optional<Diagnostic> solve(const Module& module, const Function& function,
                                const std::vector<std::vector<std::int64_t>>& shapes, Dimensions& dimensions) {
  const auto is_known = [&](SymbolId symbol) { return dimensions.contains(symbol); };
  for (bool found = true; found;) {
    found = false;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      const Type& type = module.types()[function.parameters[k].type];
      for (std::size_t d = 0; d < shapes[k].size(); ++d) {
        const auto unknown = only_unknown(module.indices(), type.extents[d], is_known);
        if (!unknown) continue;
        Dimensions at_zero = dimensions;
        at_zero[unknown->symbol] = 0;
        const auto rest = module.indices().evaluate(type.extents[d], {at_zero, {}});
        std::int64_t product = 0;
        if (!rest || __builtin_sub_overflow(shapes[k][d], *rest, &product)) continue;
        if (product % unknown->factor != 0 || product / unknown->factor < 0) {
          return unfit(module, function, k,
                       fmt::format("dimension {} of `{}` should be `{}` and is {}, which no `{}` gives", d + 1,
                                   module.name(function.parameters[k].name), index_text(module, type.extents[d]),
                                   shapes[k][d], module.name(unknown->symbol)));
        }
        dimensions[unknown->symbol] = product / unknown->factor;
        found = true;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<UnknownDimension> only_unknown(const IndexStore& indices, IndexId extent,
                                             const std::function<bool(SymbolId)>& is_known) {
  std::vector<SymbolId> all;
  indices.dimensions(extent, all);
  std::erase_if(all, is_known);
  if (all.size() != 1) return std::nullopt;
  const IndexNode& node = indices[extent];
  if (node.op == IndexOp::dimension) return UnknownDimension{all[0], 1};
  if (node.op != IndexOp::sum) return std::nullopt;
  std::optional<UnknownDimension> out;
  for (std::size_t k = 0; k < node.operands.size(); ++k) {
    std::vector<SymbolId> of_term;
    indices.dimensions(node.operands[k], of_term);
    if (std::ranges::find(of_term, all[0]) == of_term.end()) continue;
    if (out || indices[node.operands[k]].op != IndexOp::dimension) return std::nullopt;
    out = {all[0], node.coefficients[k]};
  }
  return out;
}

std::optional<SolvedDimension> solve_dimension(IndexStore& indices, IndexId extent, IndexId size,
                                               const IndexSubstitution& known,
                                               const std::function<bool(SymbolId)>& is_known) {
  const auto unknown = only_unknown(indices, extent, is_known);
  if (!unknown) return std::nullopt;
  IndexSubstitution at_zero = known;
  at_zero.dimensions[unknown->symbol] = indices.constant(0);
  const IndexId product = indices.subtract(size, indices.substitute(extent, at_zero));
  const std::int64_t factor = unknown->factor;
  return SolvedDimension{unknown->symbol, indices.floor_div(factor < 0 ? indices.negate(product) : product,
                                                            indices.constant(factor < 0 ? -factor : factor))};
}

Diagnostic refusal(const Module& module, const Requirement& requirement, const Dimensions& dimensions) {
  const IndexStore& indices = module.indices();
  std::vector<std::string> values;
  const auto note = [&](IndexId id) {
    if (indices.as_constant(id)) return;
    const auto value = indices.evaluate(id, {dimensions, {}});
    values.push_back(fmt::format("`{}` is {}", index_text(module, id), value ? std::to_string(*value) : "unknown"));
  };
  if (is_condition(indices[requirement.left].op)) {
    std::vector<SymbolId> sizes;
    indices.dimensions(requirement.left, sizes);
    for (const SymbolId size : sizes) {
      if (const auto known = dimensions.find(size); known != dimensions.end()) {
        values.push_back(fmt::format("`{}` is {}", module.name(size), known->second));
      }
    }
  } else {
    note(requirement.left);
    note(requirement.right);
  }
  Diagnostic out = requirement.diagnostic;
  if (!values.empty()) out.notes.push_back(fmt::format("here {}", fmt::join(values, " and ")));
  return out;
}

std::optional<Diagnostic> size_problem(const Module& module, const Function& function, const Dimensions& dimensions) {
  const IndexEnvironment environment{dimensions, {}};
  const auto refused = [&](const std::optional<Storage>& storage) -> std::optional<Diagnostic> {
    if (!storage) return std::nullopt;
    auto layout = stored_layout(module, *storage, dimensions);
    if (layout) return std::nullopt;
    return layout.error();
  };
  for (const Requirement& requirement : function.requirements) {
    const auto left = module.indices().evaluate(requirement.left, environment);
    const auto right = module.indices().evaluate(requirement.right, environment);
    if (left && right && *left == *right) continue;
    return refusal(module, requirement, dimensions);
  }
  for (const Parameter& parameter : function.parameters) {
    if (auto problem = refused(parameter.storage)) return *problem;
  }
  for (const auto& storage : function.result_storage) {
    if (auto problem = refused(storage)) return *problem;
  }
  return std::nullopt;
}

Expected<Dimensions> bind_dimensions(const Module& module, const Function& function,
                                     const std::vector<std::vector<std::int64_t>>& shapes, Dimensions dimensions) {
  if (shapes.size() != function.parameters.size()) {
    return Diagnostic(code::argument_count, function.span,
                      fmt::format("`{}` takes {} arguments and was given {}", module.name(function.name),
                                  function.parameters.size(), shapes.size()));
  }
  for (const auto& [symbol, value] : dimensions) {
    if (value < 0) {
      return Diagnostic(code::dimension_value, function.span,
                        fmt::format("dimension `{}` is {}, which is negative", module.name(symbol), value));
    }
  }
  // First the dimensions that stand alone in some position, then everything else can be checked.
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const Type& type = module.types()[function.parameters[k].type];
    if (type.kind == TypeKind::tuple) return unfit(module, function, k, "a tuple cannot be given as an argument");
    if (type.extents.size() != shapes[k].size()) {
      return unfit(module, function, k,
                   fmt::format("`{}` has type `{}` and was given a value of shape {}",
                               module.name(function.parameters[k].name), type_text(module, function.parameters[k].type),
                               shape_text(shapes[k])));
    }
    for (std::size_t d = 0; d < shapes[k].size(); ++d) {
      const IndexNode& extent = module.indices()[type.extents[d]];
      if (extent.op == IndexOp::dimension) dimensions.try_emplace(extent.symbol, shapes[k][d]);
    }
  }
  if (auto problem = solve(module, function, shapes, dimensions)) return *problem;
  for (SymbolId symbol : function.dimensions) {
    if (!dimensions.contains(symbol)) {
      return Diagnostic(code::dimension_unbound, function.span,
                        fmt::format("dimension `{}` of `{}` has no value", module.name(symbol),
                                    module.name(function.name)))
          .help(fmt::format("give it one: `-D {}=4`", module.name(symbol)));
    }
  }
  const IndexEnvironment environment{dimensions, {}};
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const Type& type = module.types()[function.parameters[k].type];
    for (std::size_t d = 0; d < shapes[k].size(); ++d) {
      const auto expected = module.indices().evaluate(type.extents[d], environment);
      if (expected && *expected == shapes[k][d]) continue;
      return unfit(module, function, k,
                   fmt::format("dimension {} of `{}` should be `{}`{} and is {}", d + 1,
                               module.name(function.parameters[k].name), index_text(module, type.extents[d]),
                               expected ? fmt::format(" = {}", *expected) : "", shapes[k][d]));
    }
  }
  if (auto problem = size_problem(module, function, dimensions)) return *problem;
  return dimensions;
}

Function instantiate(Module& module, const Function& function, const Dimensions& dimensions) {
  const PlacesGuard placing(module, function.places);
  Module::Substitution substitution;
  for (const auto& [symbol, value] : dimensions) {
    substitution.indices.dimensions[symbol] = module.indices().constant(value);
  }
  const auto substitute_storage = [&](std::optional<Storage>& storage) {
    if (!storage) return;
    storage = with_leaves(
        *storage, [&](IndexId leaf) { return module.indices().substitute(leaf, substitution.indices); });
  };
  Function out = function;
  std::erase_if(out.dimensions, [&](SymbolId symbol) { return dimensions.contains(symbol); });
  for (Parameter& parameter : out.parameters) {
    parameter.type = module.substitute(parameter.type, substitution.indices);
    substitute_storage(parameter.storage);
  }
  for (auto& storage : out.result_storage) substitute_storage(storage);
  for (Requirement& requirement : out.requirements) {
    requirement.left = module.indices().substitute(requirement.left, substitution.indices);
    requirement.right = module.indices().substitute(requirement.right, substitution.indices);
  }
  out.result = module.substitute(function.result, substitution.indices);
  out.body = module.substitute(function.body, substitution);
  return out;
}

Diagnostic schedule_diagnostic(const Module& module, ScheduleId schedule, const ScheduleProblem& problem,
                               SourceSpan place) {
  // An order that is revealed of a library may be a page long.
  constexpr std::size_t max_shown = 72;
  std::string text = schedule_text(module, schedule);
  if (text.size() > max_shown) text.replace(max_shown, std::string::npos, " ...");
  switch (problem.kind) {
    case ScheduleProblem::Kind::quoted_length:
      return Diagnostic(code::quoted_tree_length, place,
                        fmt::format("the quoted tree has {} leaves, and {} are to be reduced", problem.expected,
                                    problem.actual),
                        "a quoted tree is for one length alone")
          .help("`seq` and `tree` are for every length");
    case ScheduleProblem::Kind::arranged_length:
      return Diagnostic(code::bad_arrangement, place,
                        fmt::format("the layout in `{}` covers {} nodes, and there are {}", text, problem.expected,
                                    problem.actual))
          .help("leave the last mode open, `_`, where it should be as long as needed");
    case ScheduleProblem::Kind::no_tree:
      return Diagnostic(code::no_order, place, fmt::format("`{}` adds exactly and has no tree", text))
          .help("ask `seq`, `tree` and their kin for trees");
    case ScheduleProblem::Kind::many_operands:
      return Diagnostic(code::no_order, place,
                        fmt::format("the additions of `{}` take many operands each, so it has no binary tree", text))
          .help("`parens` and `depth` show its additions");
    case ScheduleProblem::Kind::no_formats:
      return Diagnostic(code::no_order, place,
                        fmt::format("how many products an addition of `{}` takes depends on their format", text))
          .help("state the formats of the accumulator and of the factors: `mma(hopper, f32, f16)`");
    case ScheduleProblem::Kind::nested_arithmetic:
      return Diagnostic(code::bad_accumulator, place, fmt::format("`{}` says twice how its sum is accumulated", text),
                        "an accumulator within another")
          .help("have one between the leaves and the result: `tile(64, kahan) then tree`");
    case ScheduleProblem::Kind::bad_size:
      return Diagnostic(code::bad_stage_size, place,
                        fmt::format("a size in `{}` is {}, and must be at least 1", text, problem.expected));
    case ScheduleProblem::Kind::no_single_order: {
      const bool limited = is_limited_set(module.schedules()[schedule].op);
      return Diagnostic(code::no_order, place,
                        fmt::format("this reduction has no single order: `{}` stands for many", text),
                        "one order is needed to compute a value")
          .help(limited ? "give an order (`by seq`), or ask how far all of them may err: `show f(x) in bound(any)`"
                        : "give an order (`by seq`), or ask about all results of a circuit: `show spread(f, x)`");
    }
    case ScheduleProblem::Kind::too_shallow:
      return Diagnostic(code::bad_stage_size, place,
                        fmt::format("no tree of {} leaves has a height of at most {}", problem.actual,
                                    problem.expected),
                        "so many leaves are to be reduced")
          .help(fmt::format("the least possible height is {}: `any(depth: {})`", min_height(problem.actual),
                            min_height(problem.actual)));
    case ScheduleProblem::Kind::endless:
      return Diagnostic(code::static_depth, place, fmt::format("the schedule `{}` refers to itself without end", text));
    case ScheduleProblem::Kind::no_value: break;
  }
  return Diagnostic(code::dimension_value, place, fmt::format("a size in `{}` has no value", text))
      .help("the lengths that occur may be too large, or a dimension may be missing");
}

}  // namespace reckon::ir
