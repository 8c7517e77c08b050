// Checks: what is compared, on which sizes and ranges, within what.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/elaborator.h"
#include "frontend/find_expression.h"

namespace reckon::frontend {

using ir::TypeKind;

namespace {

/// The circuit's parameter that a name stands for in `f(x)`, found by looking for such a call.
struct Use {
  ExprId callee;
  std::size_t argument = 0;
};
bool is_name(const Expr& expression, const std::string& name) {
  return expression.kind == ExprKind::name && expression.text == name;
}

std::optional<Use> find_use(const Program& tree, ExprId root, const std::string& name) {
  return find_expression(tree, root, [&](const Expr& at) -> std::optional<Use> {
    if (at.kind != ExprKind::call) return std::nullopt;
    for (std::size_t k = 1; k < at.children.size(); ++k) {
      if (is_name(tree[at.children[k]], name)) return Use{at.children[0], k - 1};
    }
    return std::nullopt;
  });
}

bool mentions(const Program& tree, ExprId root, const std::string& name) {
  return find_expression(tree, root, [&](const Expr& at) { return is_name(at, name); });
}

/// `x > 0`, `x < 0`, or the same from the other side.
struct SignCondition {
  std::string name;
  int sign = 0;
};
std::optional<SignCondition> sign_condition(const Program& tree, const ForClause& clause) {
  if (clause.kind != ForClause::Kind::condition) return std::nullopt;
  const Expr& whole = tree[clause.values[0]];
  if (whole.kind != ExprKind::binary || (whole.text != ">" && whole.text != "<")) return std::nullopt;
  const Expr &left = tree[whole.children[0]], &right = tree[whole.children[1]];
  const auto zero = [](const Expr& side) { return side.kind == ExprKind::number && side.value == 0; };
  const int above = whole.text == ">" ? 1 : -1;
  if (left.kind == ExprKind::name && zero(right)) return SignCondition{left.text, above};
  if (right.kind == ExprKind::name && zero(left)) return SignCondition{right.text, -above};
  return std::nullopt;
}

}  // namespace

bool Elaborator::bind_ranges(const Context& context, const Item& item, Scope& scope,
                             std::vector<ir::Parameter>& parameters, std::vector<ir::SymbolId>& dimensions) {
  for (const ForClause& clause : item.clauses) {
    const auto condition = sign_condition(programs[context.program].tree, clause);
    if (clause.kind != ForClause::Kind::range && !condition) continue;
    const std::string& name = condition ? condition->name : clause.name;
    const Program& tree = programs[context.program].tree;
    auto use = find_use(tree, item.body, name);
    if (!use && item.right.valid()) use = find_use(tree, item.right, name);
    // Where no expression has the name, it may be a parameter of circuits that are named alone: elaborate_clauses sees.
    if (!use && !mentions(tree, item.body, name) && !(item.right.valid() && mentions(tree, item.right, name))) continue;
    std::optional<ir::Function> function;
    if (use) {
      auto callee = elaborate(context, use->callee);
      if (!callee) return false;
      if (auto* circuit = callee->get_if<CircuitValue>()) {
        function = instance(circuit->declaration, circuit->static_arguments, clause.span);
        if (!function) return false;
      }
    }
    if (!function || use->argument >= function->parameters.size()) {
      report(Diagnostic(Code::check_signatures, clause.span, fmt::format("nothing says what `{}` is", name))
                 .help(fmt::format("give it to a circuit: `check f({0}) ... for {0}{1}`", name,
                                   !condition ? ": -1..1" : condition->sign > 0 ? " > 0" : " < 0")));
      return false;
    }
    const ir::TypeId type = function->parameters[use->argument].type;
    for (ir::IndexId extent : module.types()[type].extents) module.indices().dimensions(extent, dimensions);
    const auto position = static_cast<std::uint32_t>(parameters.size());
    parameters.push_back({module.symbol(name), type, clause.span});
    scope.bind(name, {DynamicValue{module.parameter(position, type)}});
  }
  return true;
}

std::optional<ir::Function> Elaborator::checked_circuit(const Value& value, SourceSpan at,
                                                         std::optional<ir::Scalar> scalar) {
  if (auto* circuit = value.get_if<CircuitValue>()) return instance(circuit->declaration, circuit->static_arguments, at);
  return closed_function(value, at, std::string(sources_.text(at)), scalar);
}

/// Which parameter of the circuits a clause is about.
std::optional<std::uint32_t> Elaborator::ranged_parameter(const ElaboratedItem& out, const std::string& name,
                                                          SourceSpan at) {
  std::vector<std::string> names;
  for (const auto* side : {&out.left, &out.right}) {
    if (!*side) continue;
    for (const ir::Parameter& parameter : (*side)->parameters) {
      const auto position = static_cast<std::uint32_t>(&parameter - (*side)->parameters.data());
      names.emplace_back(module.name(parameter.name));
      if (names.back() != name) continue;
      if (std::ranges::find(out.ranges, position, &RangeClause::parameter) == out.ranges.end()) return position;
      fail(Code::check_signatures, at, fmt::format("this check has two clauses about `{}`", name));
      return std::nullopt;
    }
  }
  Diagnostic diagnostic(Code::check_signatures, at, fmt::format("no circuit of this check has a parameter `{}`", name));
  if (auto near = nearest_name(name, names)) diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
  else if (!names.empty()) diagnostic.helps.push_back(fmt::format("the parameters are `{}`", fmt::join(names, "`, `")));
  report(std::move(diagnostic));
  return std::nullopt;
}

bool Elaborator::elaborate_clauses(const Context& context, const Item& item, ElaboratedItem& out) {
  for (const ForClause& clause : item.clauses) {
    if (const auto condition = sign_condition(programs[context.program].tree, clause)) {
      const auto parameter = ranged_parameter(out, condition->name, clause.span);
      if (!parameter) return false;
      // Floats are drawn from (0, 4] or [-4, 0).
      RangeClause range{*parameter, 0, 0, condition->sign};
      (condition->sign > 0 ? range.high : range.low) = 4 * condition->sign;
      out.ranges.push_back(range);
      continue;
    }
    if (clause.kind == ForClause::Kind::condition) {
      report(Diagnostic(Code::not_available, clause.span, "only a sign can be a condition in this version")
                 .help("write `for x > 0` or `for x < 0`, or give a range: `for x: 0..1`"));
      return false;
    }
    if (clause.kind == ForClause::Kind::range) {
      RangeClause range;
      for (int end = 0; end < 2; ++end) {
        auto value = elaborate(context, clause.values[end]);
        if (!value) return false;
        auto* number = value->get_if<mpq_class>();
        if (!number) {
          fail(Code::static_needed, expr(context, clause.values[end]).span, "an interval's ends are known numbers");
          return false;
        }
        (end == 0 ? range.low : range.high) = *number;
      }
      if (range.low > range.high) {
        fail(Code::check_signatures, clause.span, "this interval is empty: its lower end is above its upper end");
        return false;
      }
      const auto parameter = ranged_parameter(out, clause.name, clause.span);
      if (!parameter) return false;
      range.parameter = *parameter;
      out.ranges.push_back(range);
      continue;
    }
    SizeClause sizes{module.symbol(clause.name), {}};
    std::vector<ir::SymbolId> known;
    for (const auto* side : {&out.left, &out.right}) {
      if (*side) known.insert(known.end(), (*side)->dimensions.begin(), (*side)->dimensions.end());
    }
    if (std::find(known.begin(), known.end(), sizes.dimension) == known.end()) {
      Diagnostic diagnostic(Code::unknown_name, clause.span,
                            fmt::format("no circuit of this check has a dimension `{}`", clause.name));
      std::vector<std::string> names;
      for (ir::SymbolId symbol : known) names.emplace_back(module.name(symbol));
      if (auto near = nearest_name(clause.name, names)) diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
      else if (!names.empty()) diagnostic.helps.push_back(fmt::format("its dimensions are `{}`", fmt::join(names, "`, `")));
      report(std::move(diagnostic));
      return false;
    }
    for (ExprId id : clause.values) {
      auto value = elaborate(context, id);
      auto size = value ? integer_of(*value, expr(context, id).span, "a size") : std::nullopt;
      if (!size) return false;
      if (*size < 0) {
        fail(Code::dimension_value, expr(context, id).span, fmt::format("a size is {}, which is negative", *size));
        return false;
      }
      sizes.values.push_back(*size);
    }
    out.sizes.push_back(std::move(sizes));
  }
  auto integer = [&](ExprId id, std::optional<std::int64_t>& into, const char* what) {
    if (!id.valid()) return true;
    auto value = elaborate(context, id);
    into = value ? integer_of(*value, expr(context, id).span, what) : std::nullopt;
    return into.has_value();
  };
  return integer(item.trials, out.trials, "the number of trials") && integer(item.seed, out.seed, "a seed");
}

bool Elaborator::elaborate_check(const Context& outer, const Item& item, ElaboratedItem& out) {
  Scope scope(outer.scope);
  const Context context = outer.in(scope);
  std::vector<ir::Parameter> parameters;
  std::vector<ir::SymbolId> dimensions;
  if (!bind_ranges(outer, item, scope, parameters, dimensions)) return false;

  // `check a == b` may be static, or two circuits whose semantics is given from outside.
  ExprId left_id = item.body, right_id = item.right;
  out.relation = item.relation;
  if (item.relation == Item::Relation::truth) {
    const Expr& whole = expr(context, item.body);
    const bool equality = whole.kind == ExprKind::binary && whole.text == "==";
    std::optional<Value> left, right;
    if (equality) {
      left = elaborate(context, whole.children[0]);
      right = elaborate(context, whole.children[1]);
      if (!left || !right) return false;
    }
    auto order = [](const Value& value) { return value.is<ScheduleValue>() || value.is<TreeValue>(); };
    if (equality && order(*left) && order(*right) && (left->is<ScheduleValue>() || right->is<ScheduleValue>())) {
      out.static_truth = equal_schedules(context, item, *left, *right, expr(context, whole.children[0]).span,
                                         expr(context, whole.children[1]).span);
      out.left_text = value_text(*left);
      out.right_text = value_text(*right);
      return out.static_truth.has_value();
    }
    auto circuit = [](const Value& value) {
      return value.is<CircuitValue>() || value.is<DynamicValue>() || value.is<LibraryValue>();
    };
    if (equality && (circuit(*left) || circuit(*right))) {
      out.relation = Item::Relation::equal;
      left_id = whole.children[0];
      right_id = whole.children[1];
    } else {
      const bool accepts = !equality && item.semantics && item.semantics->name == "accept";
      auto value = equality ? binary("==", *left, *right, whole, expr(context, whole.children[0]).span,
                                     expr(context, whole.children[1]).span)
                            : elaborate(context, item.body);
      if (!value) return false;
      if (accepts && circuit(*value) && !value->is<LibraryValue>()) {
        // A circuit alone: its own floats.
        out.relation = Item::Relation::accepted;
        right_id = left_id;
      } else if (auto* known = value->get_if<bool>()) {
        out.static_truth = *known;
        out.left_text = equality ? value_text(*left) : "";
        out.right_text = equality ? value_text(*right) : "";
        return true;
      } else if (auto* question = value->get_if<QuestionValue>(); question && question->name == "attains") {
        auto asked = question_of(*question, whole.span);
        if (!asked) return false;
        out.value = std::move(*asked);
        return true;
      } else {
        report(Diagnostic(Code::type_mismatch, whole.span,
                          fmt::format("a check needs a condition, and this is {}", kind_text(*value)))
                   .help(value->is<LibraryValue>() ? "name the circuit that it should be: `check f ~ load(...) in accept(P)`"
                                                   : "compare two circuits: `check f == g in float`"));
        return false;
      }
    }
  }
  // A side of numbers without a format takes that of the other side: `check f(x) ~ 0.5 within ...`.
  auto has_format = [&](const Value& value) { return value.is<CircuitValue>() || scalar_of(value).has_value(); };
  auto format_of = [&](const std::optional<ir::Function>& other) -> std::optional<ir::Scalar> {
    if (!other) return std::nullopt;
    const ir::Type& type = module.types()[other->result];
    if (type.kind == TypeKind::tuple || !ir::has_pattern(type.scalar)) return std::nullopt;
    return type.scalar;
  };
  auto circuit = [&](ExprId id, const Value& value, std::optional<ir::Function>& into, std::string& text,
                     const std::optional<ir::Function>& other) {
    into = checked_circuit(value, expr(context, id).span, has_format(value) ? std::nullopt : format_of(other));
    if (!into) return false;
    if (!parameters.empty() && into->parameters.empty()) {
      into->parameters = parameters;
      into->dimensions = dimensions;
    }
    text = std::string(sources_.text(expr(context, id).span));
    return true;
  };
  const bool two_sides = out.relation != Item::Relation::within;
  if (!two_sides && item.tolerance.kind != Tolerance::Kind::range) {
    const bool bound = item.tolerance.kind == Tolerance::Kind::bound;
    report(Diagnostic(Code::check_signatures, item.tolerance.span.known() ? item.tolerance.span : item.span,
                      bound ? "`within bound` compares two results, and this check has one"
                            : "a distance lies between two results, and this check has one")
               .help(bound ? "name the other: `check f ~ g within bound`; to see the bound of one, `show f(x) in bound`"
                           : "name the other: `check f ~ g within ...`; or give a range: `within 0..1`"));
    return false;
  }
  auto left = elaborate(context, left_id);
  if (!left) return false;
  if (left->is<LibraryValue>()) {
    report(Diagnostic(Code::check_signatures, expr(context, left_id).span,
                      fmt::format("{} stands on the left, where the circuit is that says what it should be",
                                  kind_text(*left)))
               .help("write the circuit first: `check f ~ load(...)`"));
    return false;
  }
  const bool left_waits = two_sides && !has_format(*left);
  if (!left_waits && !circuit(left_id, *left, out.left, out.left_text, std::nullopt)) return false;
  if (two_sides) {
    // Floats are what they are made of: calls are their bodies.
    if (out.relation == Item::Relation::accepted) keeps_calls_ = false;
    auto right = elaborate(context, right_id);
    if (!right) return false;
    if (auto* library = right->get_if<LibraryValue>()) {
      if (left_waits && !circuit(left_id, *left, out.left, out.left_text, std::nullopt)) return false;
      if (!library_side(*library, item, expr(context, right_id).span, out)) return false;
    } else if (!circuit(right_id, *right, out.right, out.right_text, out.left)) {
      return false;
    }
  }
  if (left_waits && !out.left && !circuit(left_id, *left, out.left, out.left_text, out.right)) return false;
  out.tolerance = item.tolerance.kind;
  out.tolerance_span = item.tolerance.span;
  for (auto [id, into] : {std::pair(item.tolerance.low, &out.low), std::pair(item.tolerance.high, &out.high)}) {
    if (!id.valid()) continue;
    auto value = elaborate(context, id);
    if (!value) return false;
    auto* number = value->get_if<mpq_class>();
    if (!number) {
      fail(Code::static_needed, expr(context, id).span, "a tolerance is a known number");
      return false;
    }
    *into = *number;
  }
  if (out.right) {
    // The two sides must agree in everything but the names of their dimensions.
    auto mismatch = [&](const std::string& why) {
      report(Diagnostic(Code::check_signatures, item.span, "the two circuits of this check cannot be compared: " + why)
                 .with(out.left->span, "the first circuit")
                 .with(out.right->span, "the second circuit")
                 .help(out.left->parameters.empty() != out.right->parameters.empty()
                           ? "give the circuit its arguments: `check f(x) ~ y ...`"
                           : "give both the same parameters; a circuit need not use all of its own"));
      return false;
    };
    const auto& a = *out.left;
    const auto& b = *out.right;
    auto shape = [&](ir::TypeId id) {
      const ir::Type& type = module.types()[id];
      return std::tuple(type.kind, type.scalar, type.extents.size(), type.parts.size());
    };
    if (a.parameters.size() != b.parameters.size()) {
      return mismatch(fmt::format("they take {} and {} arguments", a.parameters.size(), b.parameters.size()));
    }
    for (std::size_t k = 0; k < a.parameters.size(); ++k) {
      if (shape(a.parameters[k].type) != shape(b.parameters[k].type)) {
        return mismatch(fmt::format("parameter {} is `{}` in one and `{}` in the other", k + 1,
                                    ir::type_text(module, a.parameters[k].type),
                                    ir::type_text(module, b.parameters[k].type)));
      }
    }
    if (shape(a.result) != shape(b.result)) {
      return mismatch(fmt::format("their results are `{}` and `{}`", ir::type_text(module, a.result),
                                  ir::type_text(module, b.result)));
    }
  }
  return elaborate_clauses(context, item, out);
}

}  // namespace reckon::frontend
