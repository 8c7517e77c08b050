// Calls: circuits are inlined into their callers, except builtin ones; static functions are evaluated.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/dimension_unbound.h"
#include "diagnostics/codes/not_callable.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "frontend/binders.h"
#include "frontend/calls.h"
#include "frontend/kernels.h"
#include "frontend/layouts/layouts.h"
#include "frontend/layouts/symbolic.h"
#include "frontend/records.h"
#include "frontend/schedules.h"
#include "ir/bind.h"

namespace reckon::frontend {

using ir::NodeId;

Maybe elaborate_call(Elaborator& elaborator, const Context& context, const Expr& expression) {
  ir::Module& module = elaborator.module;
  auto callee = elaborator.elaborate(context, expression.children[0]);
  if (const auto* set = callee ? callee->get_if<ScheduleValue>() : nullptr;
      set && ir::is_set_of_orders(module.schedules()[set->schedule].op)) {
    return elaborate_limited_set(elaborator, context, set->schedule, expression);
  }
  // `mma("SM80_...", "A")` is the layout of an instruction's operand.
  const bool of_text =
      expression.children.size() > 1 && elaborator.expr(context, expression.children[1]).kind == ExprKind::string;
  if (const auto* form = callee && !of_text ? callee->get_if<BuiltinValue>() : nullptr; form && form->name == "mma") {
    return elaborate_tensor_cores(elaborator, context, expression);
  }
  std::vector<Value> arguments;
  std::vector<SourceSpan> spans;
  bool sound = callee.has_value();
  const auto* builtin = callee ? callee->get_if<BuiltinValue>() : nullptr;
  if (builtin && (builtin->name == "iterate" || builtin->name == "until" || builtin->name == "at_most")) {
    return elaborate_iteration(elaborator, context, builtin->name, expression);
  }
  if (builtin && builtin->name == "ptx") return elaborate_ptx(elaborator, context, expression);
  const bool takes_ranges = builtin && (builtin->name == "bound" || builtin->name == "bound_dot");
  for (std::size_t k = 1; k < expression.children.size(); ++k) {
    const Expr& written = elaborator.expr(context, expression.children[k]);
    Maybe value;
    if (takes_ranges && written.kind == ExprKind::binary && written.text == "..") {
      const ExprId ends[] = {written.children[0], written.children[1]};
      auto low = elaborator.elaborate(context, ends[0]), high = elaborator.elaborate(context, ends[1]);
      if (low && high) value = Value{TupleValue{{std::move(*low), std::move(*high)}}};
    } else {
      value = elaborator.elaborate(context, expression.children[k]);
    }
    sound = sound && value.has_value();
    if (!sound) continue;
    arguments.push_back(std::move(*value));
    spans.push_back(elaborator.expr(context, expression.children[k]).span);
  }
  if (!sound) return std::nullopt;
  const bool is_layout = callee->is<layout::Layout>() || callee->is<LayoutObject>();
  if (callee->is<ir::IndexLayout>() || (is_layout && any_symbolic(arguments))) {
    return apply_at_indices(elaborator, context, *callee, arguments, expression);
  }
  return call(elaborator, *callee, arguments, spans, expression, elaborator.expr(context, expression.children[0]).span);
}

Maybe call(Elaborator& elaborator, const Value& callee, const std::vector<Value>& arguments,
           const std::vector<SourceSpan>& spans, const Expr& at, SourceSpan callee_span) {
  if (auto* circuit = callee.get_if<CircuitValue>())
    return call_circuit(elaborator, *circuit, arguments, spans, at.span);
  if (auto* closure = callee.get_if<ClosureValue>()) return elaborator.call_closure(*closure, arguments, at.span);
  if (auto* builtin = callee.get_if<BuiltinValue>())
    return call_builtin(elaborator, builtin->name, arguments, spans, at.span);
  if (auto* type = callee.get_if<TypeValue>()) {
    if (wrong_count(elaborator, elaborator.kind_text(callee), 1, arguments, at.span)) return std::nullopt;
    return convert(elaborator, *type, arguments[0], at.span, spans[0]);
  }
  if (auto* record = callee.get_if<RecordValue>()) return make_record(elaborator, *record, arguments, spans, at.span);
  if (auto* layout = callee.get_if<layout::Layout>())
    return apply_layout(elaborator, *layout, arguments, spans, at.span);
  if (auto* object = callee.get_if<LayoutObject>())
    return apply_layout_object(elaborator, *object, arguments, spans, at.span);
  return elaborator.report(
      Diagnostic(code::not_callable, callee_span, fmt::format("{} cannot be called", elaborator.kind_text(callee)))
          .help(callee.is<LibraryValue>()
                    ? "it is one side of a check: `check f ~ load(...) in accept(P)`"
                    : "a product is written with `*`; a function is made by `fn` or `let f(x) = ...`"));
}

bool wrong_count(Elaborator& elaborator, const std::string& name, std::size_t wanted,
                 const std::vector<Value>& arguments, SourceSpan at) {
  if (arguments.size() == wanted) return false;
  static constexpr const char* letters[] = {"x", "x, y", "x, y, z"};
  Diagnostic diagnostic(code::argument_count, at,
                        fmt::format("`{}` takes {} argument{} and was given {}", name, wanted, wanted == 1 ? "" : "s",
                                    arguments.size()));
  const bool tensor = arguments.size() == 1 && (arguments[0].is<DynamicValue>() || arguments[0].is<ListValue>());
  if (tensor && (name == "max" || name == "min")) {
    diagnostic.helps.push_back(fmt::format("over the elements of a tensor, write `{} i: x[i]`", name));
  } else if (const std::string form = elaborator.back_end.form_of ? elaborator.back_end.form_of(name) : ""; !form.empty()) {
    diagnostic.helps.push_back(fmt::format("write `{}`", form));
  } else if (elaborator.predefined.contains(name) && wanted >= 1 && wanted <= 3) {
    diagnostic.helps.push_back(fmt::format("write `{}({})`", name, letters[wanted - 1]));
  }
  elaborator.report(std::move(diagnostic));
  return true;
}

namespace {

/// The static parameters that are formats of parameters, `fn f[T](x: T[n])`, deduced from the arguments; nothing if the
/// circuit has static parameters of other kinds.
std::optional<std::vector<Value>> deduced_formats(Elaborator& elaborator, const Item& item,
                                                  const std::vector<Value>& arguments, SourceSpan at) {
  std::vector<Value> out;
  for (const std::string& name : item.static_parameters) {
    bool is_format = false;
    std::optional<ir::Scalar> found;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (item.parameters[k].type.name != name) continue;
      is_format = true;
      if (!found || *found == ir::Scalar::number) found = elaborator.scalar_of(arguments[k]);
    }
    if (!is_format) return std::vector<Value>{};
    if (!found || *found == ir::Scalar::number) found = elaborator.format_of_numbers;
    if (!found) {
      return elaborator.report(
                 Diagnostic(code::argument_count, at,
                            fmt::format("no argument says which format `{}` of `{}` is", name, item.name))
                     .with(item.name_span, fmt::format("`{}` is defined here", item.name))
                     .help(fmt::format("name it, `{}[f32](...)`, or give an argument a format: `f32(3)`", item.name))),
             std::nullopt;
    }
    out.push_back({TypeValue{*found, {}, false}});
  }
  return out;
}

void collect_requirements(Elaborator& elaborator, const ir::Function& function,
                          const ir::Module::Substitution& substitution) {
  ir::Module& module = elaborator.module;
  if (function.requirements.empty()) return;
  ir::Dimensions sizes;
  for (const auto& [symbol, index] : substitution.indices.dimensions) {
    if (const auto size = module.indices().as_constant(index)) sizes[symbol] = *size;
  }
  for (const ir::Requirement& requirement : function.requirements) {
    const ir::IndexId left = module.indices().substitute(requirement.left, substitution.indices);
    const ir::IndexId right = module.indices().substitute(requirement.right, substitution.indices);
    const bool decided = module.indices().as_constant(module.indices().subtract(left, right)).has_value();
    elaborator.equal_extents(left, right, decided ? ir::refusal(module, requirement, sizes) : requirement.diagnostic);
  }
}

/// Adds the dimensions that computed extents of the parameters give, by the shapes of the arguments; reports a negative
/// one.
bool solve_dimensions(Elaborator& elaborator, const ir::Function& function, ir::Module::Substitution& substitution,
                      const std::vector<SourceSpan>& spans) {
  ir::Module& module = elaborator.module;
  ir::IndexStore& indices = module.indices();
  auto& dimensions = substitution.indices.dimensions;
  const auto is_known = [&](ir::SymbolId symbol) {
    return dimensions.contains(symbol) || std::ranges::find(function.dimensions, symbol) == function.dimensions.end();
  };
  for (bool found = true; found;) {
    found = false;
    for (std::size_t k = 0; k < function.parameters.size(); ++k) {
      const std::vector<ir::IndexId> extents = module.types()[function.parameters[k].type].extents;
      const std::vector<ir::IndexId> sizes = module.type(substitution.parameters[k]).extents;
      for (std::size_t d = 0; d < extents.size(); ++d) {
        const auto solved = ir::solve_dimension(indices, extents[d], sizes[d], substitution.indices, is_known);
        if (!solved) continue;
        if (const auto known = indices.as_constant(solved->value); known && *known < 0) {
          return elaborator.fail(code::shape_mismatch, spans[k],
                                 fmt::format("dimension {} of argument `{}` should be `{}` and is `{}`, which no `{}` "
                                             "gives",
                                             d + 1, module.name(function.parameters[k].name),
                                             elaborator.index_text(extents[d]), elaborator.index_text(sizes[d]),
                                             module.name(solved->symbol))),
                 false;
        }
        dimensions[solved->symbol] = solved->value;
        found = true;
      }
    }
  }
  return true;
}

Value of_circuit(Elaborator& elaborator, const CircuitValue& circuit, NodeId result) {
  Value out{DynamicValue{result}};
  out.record = record_of_result(elaborator, circuit);
  return out;
}

}  // namespace

Maybe call_circuit(Elaborator& elaborator, const CircuitValue& circuit, const std::vector<Value>& arguments,
                   const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::Module& module = elaborator.module;
  Declaration& declaration = elaborator.declarations[circuit.declaration];
  const Item& item = elaborator.item_of(declaration);
  if (is_kernel(elaborator, circuit))
    return kernel_value(elaborator, circuit.declaration, circuit.static_arguments, at);  // says what it lacks
  if (arguments.size() != item.parameters.size()) {
    wrong_count(elaborator, item.name, item.parameters.size(), arguments, at);
    elaborator.diagnostics.back().secondary.push_back({item.name_span, fmt::format("`{}` is defined here", item.name)});
    std::vector<std::string> names;
    for (const ParameterDecl& parameter : item.parameters) names.push_back(parameter.name);
    elaborator.diagnostics.back().helps = {fmt::format("write `{}({})`", item.name, fmt::join(names, ", "))};
    return std::nullopt;
  }
  std::vector<Value> statics = circuit.static_arguments;
  if (!circuit.given && !item.static_parameters.empty()) {
    auto formats = deduced_formats(elaborator, item, arguments, at);
    if (!formats) return std::nullopt;
    statics = std::move(*formats);
  }
  auto function = elaborator.instance(circuit.declaration, statics, at);
  if (!function) return std::nullopt;

  // Dimensions that stand alone are bound by the arguments' shapes, others are solved for, and the rest is checked.
  ir::Module::Substitution substitution;
  auto each = [&](bool bind) {
    substitution.parameters.clear();
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const std::string what = fmt::format("argument `{}` of `{}`", item.parameters[k].name, item.name);
      auto node =
          elaborator.fit(arguments[k], function->parameters[k].type, substitution.indices, bind, spans[k], what);
      if (!node) return false;
      substitution.parameters.push_back(*node);
    }
    return true;
  };
  if (!each(true)) return std::nullopt;
  if (!solve_dimensions(elaborator, *function, substitution, spans)) return std::nullopt;
  if (!each(false)) return std::nullopt;
  for (ir::SymbolId symbol : function->dimensions) {
    if (substitution.indices.dimensions.contains(symbol)) continue;
    return elaborator.fail(code::dimension_unbound, at,
                           fmt::format("dimension `{}` of `{}` is not bound by its arguments", module.name(symbol),
                                       item.name));
  }
  collect_requirements(elaborator, *function, substitution);
  // A semantics may have rules for a builtin circuit, so the call stays; whoever prepares the circuit may inline it.
  if (!function->builtin.empty()) {
    ir::Function callee = *function;
    callee.name = module.symbol(function->builtin);
    const ir::TypeId type = module.substitute(function->result, substitution.indices);
    const NodeId result = module.call(callee, substitution.parameters, type);
    module.places().put(result, at);
    return of_circuit(elaborator, circuit, result);
  }
  // A circuit without parameters is inlined unchanged, so its nodes keep their places.
  if (function->parameters.empty()) module.places().use(function->places);
  substitution.places = function->places;
  return of_circuit(elaborator, circuit, module.substitute(function->body, substitution));
}

namespace {

/// Adds the call to a mistake in an argument, which is reported inside of the function: the innermost three calls in
/// each file, and only one of a function that calls itself.
void add_call(Diagnostic& diagnostic, const std::string& name, SourceSpan at) {
  std::string text = fmt::format("in this call of `{}`", name);
  const auto in_file = [&](const Label& label) { return label.span.file == at.file; };
  const auto same = [&](const Label& label) { return label.text == text; };
  std::vector<Label>& labels = diagnostic.secondary;
  if (std::ranges::any_of(labels, same) || std::ranges::count_if(labels, in_file) >= 3) return;
  labels.push_back({at, std::move(text)});
}

}  // namespace

Maybe Elaborator::call_closure(const ClosureValue& closure, const std::vector<Value>& arguments, SourceSpan at) {
  Declaration& declaration = declarations[closure.declaration];
  const Item& item = item_of(declaration);
  if (arguments.size() != item.static_parameters.size()) {
    wrong_count(*this, item.name, item.static_parameters.size(), arguments, at);
    diagnostics.back().secondary.push_back({item.name_span, fmt::format("`{}` is defined here", item.name)});
    diagnostics.back().helps = {fmt::format("write `{}({})`", item.name, fmt::join(item.static_parameters, ", "))};
    return std::nullopt;
  }
  // Under `length`, a call that is already being evaluated is a schedule that refers to itself.
  std::string key = item.name;
  for (const Value& argument : arguments) key += "." + key_text(argument);
  if (auto found = closure_calls_.find(key);
      found != closure_calls_.end() && length_depth > found->second.length_depth) {
    found->second.referenced = true;
    return Value{ScheduleValue{module.schedules().reference(module.symbol(key))}};
  }
  Scope scope;
  for (std::size_t k = 0; k < arguments.size(); ++k) scope.bind(item.static_parameters[k], arguments[k]);
  const auto outer = closure_calls_.find(key);
  const bool first = outer == closure_calls_.end();
  if (first) closure_calls_[key] = {length_depth, false};
  const std::size_t told = diagnostics.size();
  auto value = elaborate({declaration.program, &scope}, item.body);
  for (std::size_t k = told; k < diagnostics.size(); ++k) add_call(diagnostics[k], item.name, at);
  if (first) {
    const bool referenced = closure_calls_[key].referenced;
    closure_calls_.erase(key);
    if (value && referenced) {
      auto schedule = schedule_of(*value, at, false);
      if (!schedule) return std::nullopt;
      const ir::SymbolId symbol = module.symbol(key);
      module.schedules().define(symbol, *schedule);
      return Value{ScheduleValue{module.schedules().reference(symbol)}};
    }
  }
  return value;
}

}  // namespace reckon::frontend
