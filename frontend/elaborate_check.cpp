// Checks: what is compared, and within what. Sizes and ranges: elaborate_clauses.cpp.
#include <fmt/format.h>

#include "diagnostics/codes/check_signatures.h"
#include "diagnostics/codes/static_needed.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/elaborator.h"

namespace reckon::frontend {

using ir::TypeKind;

std::optional<ir::Function> Elaborator::checked_circuit(const Value& value, SourceSpan at,
                                                         std::optional<ir::Scalar> scalar) {
  if (auto* circuit = value.get_if<CircuitValue>()) return instance(circuit->declaration, circuit->static_arguments, at);
  return closed_function(value, at, std::string(sources_.text(at)), scalar);
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
  if (item.relation == Item::Relation::near && item.tolerance.kind == Tolerance::Kind::none) {
    if (!judges_by_profile(item)) {
      report(Diagnostic(code::syntax, item.relation_span, "`~` needs a tolerance", "how near?")
                 .help("say how near: `within 4 ulp`, `within 1e-3`, `within relative 1e-6`, `within bound` or `within "
                       "orders`"));
      return false;
    }
    out.relation = Item::Relation::accepted;
  }
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
      const bool accepts = !equality && judges_by_profile(item);
      auto value = equality ? binary("==", *left, *right, whole, expr(context, whole.children[0]).span,
                                     expr(context, whole.children[1]).span)
                            : elaborate(context, item.body);
      if (!value) return false;
      if (accepts && circuit(*value) && !value->is<LibraryValue>()) {
        // A circuit that stands alone is compared with its own floats.
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
        report(Diagnostic(code::type_mismatch, whole.span,
                          fmt::format("a check needs a condition, and this is {}", kind_text(*value)))
                   .help(value->is<LibraryValue>()
                             ? "name the circuit that it should be: `check f ~ load(...) in accept(P)`"
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
    using Kind = Tolerance::Kind;
    const Kind kind = item.tolerance.kind;
    report(
        Diagnostic(code::check_signatures, item.tolerance.span.known() ? item.tolerance.span : item.span,
                   kind == Kind::bound    ? "`within bound` compares two results, and this check has one"
                   : kind == Kind::orders ? "`within orders` compares two results, and this check has one"
                                          : "a distance lies between two results, and this check has one")
            .help(
                kind == Kind::bound
                    ? "name the other: `check f ~ g within bound`; to see the bound of one, `show f(x) in bound`"
                : kind == Kind::orders
                    ? "name the other: `check f(x) ~ y within orders`; to see what all orders give, `show spread(f, x)`"
                    : "name the other: `check f ~ g within ...`; or give a range: `within 0..1`"));
    return false;
  }
  auto left = elaborate(context, left_id);
  if (!left) return false;
  if (left->is<LibraryValue>()) {
    report(Diagnostic(code::check_signatures, expr(context, left_id).span,
                      fmt::format("{} stands on the left, where the circuit is that says what it should be",
                                  kind_text(*left)))
               .help("write the circuit first: `check f ~ load(...)`"));
    return false;
  }
  const bool left_waits = two_sides && !has_format(*left);
  if (!left_waits && !circuit(left_id, *left, out.left, out.left_text, std::nullopt)) return false;
  if (two_sides) {
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
  if (item.tolerance.order.valid()) {
    auto order = elaborate(context, item.tolerance.order);
    if (!order) return false;
    out.order = schedule_of(*order, expr(context, item.tolerance.order).span, false);
    if (!out.order) return false;
    out.order_text = std::string(sources_.text(expr(context, item.tolerance.order).span));
  }
  for (auto [id, into] : {std::pair(item.tolerance.low, &out.low), std::pair(item.tolerance.high, &out.high)}) {
    if (!id.valid()) continue;
    auto value = elaborate(context, id);
    if (!value) return false;
    auto* number = value->get_if<mpq_class>();
    if (!number) {
      fail(code::static_needed, expr(context, id).span, "a tolerance is a known number");
      return false;
    }
    *into = *number;
  }
  if (out.tolerance == Tolerance::Kind::range && out.low > out.high) {
    fail(code::check_signatures, item.tolerance.span, "this range is empty: its lower end is above its upper end");
    return false;
  }
  if (out.tolerance != Tolerance::Kind::range && out.low < 0) {
    fail(code::check_signatures, item.tolerance.span, "a distance is 0 or more");
    return false;
  }
  if (out.right) {
    // The two sides must agree in everything but the names of their dimensions.
    auto mismatch = [&](const std::string& why) {
      report(Diagnostic(code::check_signatures, item.span, "the two circuits of this check cannot be compared: " + why)
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
