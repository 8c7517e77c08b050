// Binders, the ranges of their indices, and subscripts.
#include <fmt/format.h>

#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/index_without_range.h"
#include "diagnostics/codes/not_indexable.h"
#include "diagnostics/codes/ragged_tensor.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/binders.h"
#include "frontend/index_ranges.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::TypeKind;
using ir::VariableId;

namespace {

/// A tuple whose parts have the names that those of `of` have.
Value named_as(const Value& of, TupleValue parts) {
  Value out{std::move(parts)};
  out.record = of.record;
  return out;
}

}  // namespace

Maybe element(Elaborator& elaborator, const Value& base, const std::vector<Value>& subscripts,
              const std::vector<const Expr*>& written, const Expr& at) {
  ir::Module& module = elaborator.module;
  // A tuple of tensors is indexed part by part; a static list by a known integer gives its element.
  if (auto* tuple = base.get_if<TupleValue>()) {
    TupleValue parts;
    for (const Value& part : tuple->parts) {
      auto one = element(elaborator, part, subscripts, written, at);
      if (!one) return one;
      parts.parts.push_back(std::move(*one));
    }
    return named_as(base, std::move(parts));
  }
  if (auto* list = base.get_if<ListValue>(); list && subscripts.size() == 1) {
    if (auto* number = subscripts[0].get_if<mpq_class>()) {
      if (number->get_den() != 1 || *number < 0 || *number >= static_cast<long>(list->elements.size())) {
        const std::size_t size = list->elements.size();
        return elaborator.fail(code::index_out_of_range, written[0]->span,
                               fmt::format("index {} is out of range: the list has {} element{}", number->get_str(),
                                           size, size == 1 ? "" : "s"),
                               "subscripts count from 0");
      }
      return list->elements[number->get_num().get_ui()];
    }
  }
  if (!base.is<DynamicValue>() && !base.is<ListValue>()) {
    return elaborator.fail(code::not_indexable, at.span,
                           fmt::format("{} cannot be indexed", elaborator.kind_text(base)));
  }
  auto node = elaborator.node_of(base, std::nullopt, at.span);
  if (!node) return std::nullopt;
  const ir::Type type = module.type(*node);
  if (type.kind == TypeKind::tuple) {
    TupleValue parts;
    for (std::size_t k = 0; k < type.parts.size(); ++k) {
      Value part{DynamicValue{module.get(*node, static_cast<std::uint32_t>(k))}};
      if (base.record != nullptr) part.record = base.record->of_parts[k];
      auto one = element(elaborator, part, subscripts, written, at);
      if (!one) return one;
      parts.parts.push_back(std::move(*one));
    }
    return named_as(base, std::move(parts));
  }
  if (type.extents.size() != subscripts.size()) {
    Diagnostic diagnostic(code::not_indexable, at.span,
                          fmt::format("a value of type `{}` takes {} subscript{} and was given {}",
                                      ir::type_text(module, module[*node].type), type.extents.size(),
                                      type.extents.size() == 1 ? "" : "s", subscripts.size()),
                          "one subscript for each dimension");
    if (subscripts.size() == 1 && type.extents.size() > 1) {
      diagnostic.helps.emplace_back("all subscripts stand in one pair of brackets: `x[i, j]`");
    }
    return elaborator.report(std::move(diagnostic));
  }
  std::vector<IndexId> indices;
  DataSubscripts data(elaborator);
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    auto index = data.subscript_of(subscripts[d], type.extents[d], written[d]->span);
    if (!index) return std::nullopt;
    note_range(elaborator, *index, type.extents[d], *written[d]);
    // A subscript that is out of range for every size, or for this one, is reported at once.
    const auto known = module.indices().as_constant(*index);
    const auto beyond = module.indices().as_constant(module.indices().subtract(*index, type.extents[d]));
    if ((known && *known < 0) || (beyond && *beyond >= 0)) {
      Diagnostic diagnostic(code::index_out_of_range, written[d]->span,
                            fmt::format("index `{}` is out of range: dimension {} has `{}` elements",
                                        elaborator.index_text(*index), d + 1, elaborator.index_text(type.extents[d])),
                            "subscripts count from 0");
      if (known && *known < 0 && !module.indices().as_constant(type.extents[d])) {
        diagnostic.helps.push_back(
            fmt::format("the last element is `[{} - 1]`", elaborator.index_text(type.extents[d])));
      }
      return elaborator.report(std::move(diagnostic));
    }
    indices.push_back(*index);
  }
  const NodeId result = data.put_into(module.element(*node, std::move(indices)));
  module.places().put(result, at.span);
  return Value{DynamicValue{result}};
}

namespace {

/// The tensor of a body for all values of the indices; of a tuple, part by part.
Maybe make_map(Elaborator& elaborator, const std::vector<VariableId>& variables, const std::vector<IndexId>& extents,
               const Value& body, SourceSpan at) {
  ir::Module& module = elaborator.module;
  if (auto* tuple = body.get_if<TupleValue>()) {
    TupleValue parts;
    for (const Value& part : tuple->parts) {
      auto one = make_map(elaborator, variables, extents, part, at);
      if (!one) return one;
      parts.parts.push_back(std::move(*one));
    }
    return named_as(body, std::move(parts));
  }
  auto node = elaborator.node_of(body, std::nullopt, at);
  if (!node) return std::nullopt;
  const ir::Type type = module.type(*node);
  if (type.kind == TypeKind::tuple) {
    TupleValue parts;
    for (std::size_t k = 0; k < type.parts.size(); ++k) {
      Value part{DynamicValue{module.get(*node, static_cast<std::uint32_t>(k))}};
      if (body.record != nullptr) part.record = body.record->of_parts[k];
      auto one = make_map(elaborator, variables, extents, part, at);
      if (!one) return one;
      parts.parts.push_back(std::move(*one));
    }
    return named_as(body, std::move(parts));
  }
  if (type.kind == TypeKind::scalar) {
    return Value{DynamicValue{module.map(variables, extents, *node)}};
  }
  // A tensor for every index is a tensor of more dimensions; its own extents must not depend on the index.
  std::vector<VariableId> all = variables;
  std::vector<IndexId> all_extents = extents, subscripts;
  for (IndexId extent : type.extents) {
    for (VariableId variable : variables) {
      if (!module.indices().mentions(extent, variable)) continue;
      return elaborator.report(Diagnostic(code::ragged_tensor, at,
                                          fmt::format("the extent of the inner tensor depends on index `{}`",
                                                      elaborator.ranges[variable].name))
                                   .help("a tensor has one shape; pad the rows with `select`, or reduce each row"));
    }
    const VariableId fresh = module.fresh_variable();
    all.push_back(fresh);
    all_extents.push_back(extent);
    subscripts.push_back(module.indices().variable(fresh));
  }
  return Value{DynamicValue{module.map(all, all_extents, module.element(*node, subscripts))}};
}

/// One binder: its indices with their ranges, and the tensor or the reduction that they make of its body.
class BinderElaboration {
 public:
  BinderElaboration(Elaborator& elaborator, const Context& context, const Expr& expression)
      : elaborator_(elaborator),
        module_(elaborator.module),
        context_(context),
        expression_(expression),
        scope_(context.scope),
        inner_(context.in(scope_)) {}
  BinderElaboration(const BinderElaboration&) = delete;

  Maybe elaborate();

 private:
  bool bind_indices();
  bool find_ranges();
  bool has_constant_range(std::size_t k, const char* help);
  Maybe tensor(const Value& body);
  Maybe reduction(const Value& body, const std::optional<NodeId>& guard);
  std::optional<NodeId> condition();

  const Expr& expr(ExprId id) const { return elaborator_.expr(context_, id); }
  bool refuse(Diagnostic diagnostic) {
    elaborator_.report(std::move(diagnostic));
    return false;
  }

  Elaborator& elaborator_;
  ir::Module& module_;
  const Context& context_;
  const Expr& expression_;
  Scope scope_;  ///< with the indices
  const Context inner_;
  std::vector<VariableId> variables_;
  std::vector<IndexId> extents_;
  SourceSpan body_span_;
};

Maybe BinderElaboration::elaborate() {
  if (!bind_indices()) return std::nullopt;
  const std::size_t errors = elaborator_.diagnostics.size();
  std::optional<NodeId> guard;
  if (expression_.guard.valid() && !(guard = condition())) return std::nullopt;
  const Maybe body = elaborator_.elaborate(inner_, expression_.children[0]);
  if (!body || elaborator_.diagnostics.size() != errors) return std::nullopt;
  if (!find_ranges()) return std::nullopt;
  body_span_ = expr(expression_.children[0]).span;
  return expression_.binder == BinderKind::for_ ? tensor(*body) : reduction(*body, guard);
}

/// What stands after `where`.
std::optional<NodeId> BinderElaboration::condition() {
  const Maybe value = elaborator_.elaborate(inner_, expression_.guard);
  if (!value) return std::nullopt;
  const SourceSpan at = expr(expression_.guard).span;
  const auto node = elaborator_.node_of(*value, ir::Scalar::boolean, at);
  if (!node) return std::nullopt;
  const ir::Type& type = module_.type(*node);
  if (type.kind == TypeKind::scalar && type.scalar == ir::Scalar::boolean) return node;
  return elaborator_.report(Diagnostic(code::type_mismatch, at,
                                       fmt::format("`where` needs a condition, and this is `{}`",
                                                   ir::type_text(module_, module_[*node].type)))
                                .help("compare it with something: `where x[i] > 0`"));
}

/// Brings the indices into scope, each with its bound if one is written. A bound may use the indices before it.
bool BinderElaboration::bind_indices() {
  for (const BinderName& name : expression_.names) {
    const VariableId variable = module_.fresh_variable();
    BinderRange range{name.name, name.span, {}, {}, false};
    if (name.bound.valid()) {
      const Maybe bound = elaborator_.elaborate(inner_, name.bound);
      const auto extent = bound ? elaborator_.index_of(*bound, expr(name.bound).span, "a bound") : std::nullopt;
      if (!extent) return false;
      range.extent = extent;
      range.given = true;
    }
    elaborator_.ranges[variable] = range;
    variables_.push_back(variable);
    scope_.bind(name.name, {SymbolicInteger{module_.indices().variable(variable)}});
  }
  return true;
}

/// The ranges that are written, or that the subscripts in the body have shown.
bool BinderElaboration::find_ranges() {
  bool sound = true;
  for (VariableId variable : variables_) {
    const BinderRange& range = elaborator_.ranges[variable];
    if (!range.extent) {
      // The shape of the whole, where it is stated, says the ranges that no subscript does.
      const auto stated = elaborator_.stated_extents.find(&expression_);
      if (stated != elaborator_.stated_extents.end() && extents_.size() < stated->second.size())
        elaborator_.ranges[variable].extent = stated->second[extents_.size()];
    }
    if (range.extent) {
      extents_.push_back(*range.extent);
      continue;
    }
    sound =
        refuse(Diagnostic(code::index_without_range, range.declared, fmt::format("index `{}` has no range", range.name),
                          "it never stands alone as a subscript")
                   .help(fmt::format("give it one: `{} < n`", range.name)));
  }
  return sound;
}

/// Whether the range of index k is the same for all values of the other indices.
bool BinderElaboration::has_constant_range(std::size_t k, const char* help) {
  const BinderName& name = expression_.names[k];
  for (VariableId variable : variables_) {
    if (!module_.indices().mentions(extents_[k], variable)) continue;
    return refuse(
        Diagnostic(code::ragged_tensor, name.span,
                   fmt::format("the range of `{}` depends on index `{}`", name.name, elaborator_.ranges[variable].name))
            .help(help));
  }
  return true;
}

Maybe BinderElaboration::tensor(const Value& body) {
  for (std::size_t k = 0; k < extents_.size(); ++k) {
    if (!has_constant_range(k, "a tensor has one shape; in a reduction such a range is fine")) return std::nullopt;
  }
  Maybe map = make_map(elaborator_, variables_, extents_, body, body_span_);
  if (map) {
    if (auto* dynamic = map->get_if<DynamicValue>()) module_.places().put(dynamic->node, expression_.span);
  }
  return map;
}

/// The body over one index: several indices are one list of leaves, the last index fastest.
Maybe BinderElaboration::reduction(const Value& body, const std::optional<NodeId>& guard) {
  const auto node = elaborator_.node_of(body, std::nullopt, body_span_);
  if (!node) return std::nullopt;
  Leaves leaves{variables_[0], extents_[0], *node, guard, body_span_, body.record};
  if (variables_.size() > 1) {
    ir::IndexStore& indices = module_.indices();
    leaves.variable = module_.fresh_variable();
    const IndexId flat = indices.variable(leaves.variable);
    ir::Module::Substitution split;
    IndexId stride = indices.constant(1);
    for (std::size_t k = variables_.size(); k-- > 0;) {
      if (!has_constant_range(k, "nest the reductions: `sum i: sum j < i + 1: ...`")) return std::nullopt;
      IndexId position = indices.floor_div(flat, stride);
      if (k > 0) position = indices.floor_mod(position, extents_[k]);
      split.indices.variables[variables_[k]] = position;
      stride = indices.multiply(stride, extents_[k]);
    }
    leaves.extent = stride;
    leaves.body = module_.substitute(*node, split);
    if (guard) leaves.guard = module_.substitute(*guard, split);
  }
  return elaborate_reduction(elaborator_, context_, expression_, leaves);
}

}  // namespace

Maybe elaborate_binder(Elaborator& elaborator, const Context& context, const Expr& expression) {
  return BinderElaboration(elaborator, context, expression).elaborate();
}

}  // namespace reckon::frontend
