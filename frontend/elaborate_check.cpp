// Checks: what is compared, and within what. Sizes and ranges: elaborate_clauses.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/check_signatures.h"
#include "diagnostics/codes/static_needed.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/calls.h"
#include "frontend/checks.h"
#include "frontend/operators.h"
#include "frontend/records.h"
#include "frontend/schedules.h"
#include "ir/positive_sizes.h"

namespace reckon::frontend {

using ir::TypeKind;

namespace {

/// Whether a check compares its results, in some semantics, instead of asking whether it is true.
bool gives_results(const Value& value) {
  return value.is<CircuitValue>() || value.is<DynamicValue>() || value.is<LibraryValue>();
}

}  // namespace

std::optional<ir::Function> checked_circuit(Elaborator& elaborator, const Value& value, SourceSpan at,
                                            std::optional<ir::Scalar> scalar) {
  if (const auto* circuit = value.get_if<CircuitValue>()) return entry_circuit(elaborator, *circuit, at);
  return elaborator.closed_function(value, at, std::string(elaborator.sources.text(at)), scalar);
}

namespace {

/// One check. It either is a condition, which is answered here, or it compares the results of circuits.
class CheckElaboration {
 public:
  CheckElaboration(Elaborator& elaborator, const Context& outer, const Item& item, ElaboratedItem& out)
      : elaborator_(elaborator),
        outer_(outer),
        scope_(outer.scope),
        context_(outer.in(scope_)),
        item_(item),
        out_(out),
        left_id_(item.body),
        right_id_(item.right) {}
  CheckElaboration(const CheckElaboration&) = delete;

  bool elaborate();

 private:
  enum class Condition : std::uint8_t { refused, answered, compares_circuits };

  bool near_without_tolerance();
  Condition condition();
  bool about_orders(const Expr& whole);
  bool about_compilers(const Expr& whole);
  Condition equality(const Expr& whole);
  Condition inequality(const Expr& whole);
  Condition lone_condition(const Expr& whole);
  Condition answer(const Expr& whole, const Value& value);
  bool compares_two() const { return out_.relation != Item::Relation::within; }
  bool one_result_has_range();
  std::optional<ir::Scalar> format_of(const std::optional<ir::Function>& side) const;
  bool has_format(const Value& value) const;
  bool circuit(ExprId id, const Value& value, std::optional<ir::Function>& into, std::string& text,
               const std::optional<ir::Function>& other);
  bool left_circuit(const Value& left, const std::optional<ir::Function>& other) {
    return circuit(left_id_, left, out_.left, out_.left_text, other);
  }
  bool sides();
  bool tolerance();
  bool order_of_tolerance();
  bool amounts_of_tolerance();
  bool sides_agree();
  bool results_are_ordered();
  bool signatures_differ(const std::string& why,
                         const std::string& help = "give both the same parameters; a circuit need not use all of its own");

  const Expr& expr(ExprId id) const { return elaborator_.expr(context_, id); }
  Maybe value_of(ExprId id) { return elaborator_.elaborate(context_, id); }
  bool refuse(Diagnostic diagnostic) {
    elaborator_.report(std::move(diagnostic));
    return false;
  }

  Elaborator& elaborator_;
  const Context& outer_;
  Scope scope_;  ///< with the names that `for` clauses bind
  const Context context_;
  const Item& item_;
  ElaboratedItem& out_;
  std::vector<ir::Parameter> parameters_;  ///< of sides that are no circuits by themselves
  std::vector<ir::SymbolId> dimensions_;
  ExprId left_id_, right_id_;
};

bool CheckElaboration::elaborate() {
  if (!bind_ranges(elaborator_, outer_, item_, scope_, parameters_, dimensions_)) return false;
  out_.relation = item_.relation;
  out_.comparison = item_.comparison;
  const bool has_tolerance = item_.tolerance.kind != Tolerance::Kind::none;
  if (item_.relation == Item::Relation::near && !has_tolerance && !near_without_tolerance()) return false;
  if (item_.relation == Item::Relation::truth) {
    const Condition found = condition();
    if (found != Condition::compares_circuits) return found == Condition::answered;
  }
  if (!compares_two() && !one_result_has_range()) return false;
  if (!sides() || !tolerance()) return false;
  if (out_.right && !sides_agree()) return false;
  if (out_.relation == Item::Relation::ordered && !results_are_ordered()) return false;
  return elaborate_clauses(elaborator_, context_, item_, out_);
}

/// A profile says itself how near; other semantics need a tolerance.
bool CheckElaboration::near_without_tolerance() {
  if (!elaborator_.judges_by_profile(item_)) {
    return refuse(Diagnostic(code::syntax, item_.relation_span, "`~` needs a tolerance", "how near?")
                      .help("say how near: `within 4 ulp`, `within 1e-3`, `within relative 1e-6`, `within bound` or "
                            "`within orders`"));
  }
  out_.relation = Item::Relation::accepted;
  return true;
}

/// `check a == b` and `check a <= b` may be static, or two circuits whose semantics is given from outside.
CheckElaboration::Condition CheckElaboration::condition() {
  const Expr& whole = expr(item_.body);
  if (about_orders(whole) || about_compilers(whole)) return Condition::compares_circuits;
  if (whole.kind != ExprKind::binary) return lone_condition(whole);
  return whole.text == "==" ? equality(whole) : is_inequality(whole.text) ? inequality(whole) : lone_condition(whole);
}

/// `same_order(f, g)` and `independent_order(f, m)` are questions about circuits, which no evaluation answers.
bool CheckElaboration::about_orders(const Expr& whole) {
  if (whole.kind != ExprKind::call || whole.children.size() != 3) return false;
  const Expr& callee = expr(whole.children[0]);
  if (callee.kind != ExprKind::name || scope_.find(callee.text) != nullptr) return false;
  const bool same = callee.text == "same_order";
  if (!same && callee.text != "independent_order") return false;
  out_.relation = Item::Relation::equal;
  left_id_ = whole.children[1];
  // Of one circuit, the second argument is the name of a dimension; the circuit stands on both sides.
  right_id_ = same ? whole.children[2] : left_id_;
  SemanticsName question{"order", {}, whole.span};
  if (!same) question.arguments.push_back(std::string(elaborator_.sources.text(expr(whole.children[2]).span)));
  out_.semantics = std::move(question);
  return true;
}

/// `unchanged(f)`: whether all that a profile's compilers make of f has the bits of f as it is written. The circuit
/// stands on both sides.
bool CheckElaboration::about_compilers(const Expr& whole) {
  if (whole.kind != ExprKind::call || whole.children.size() != 2) return false;
  const Expr& callee = expr(whole.children[0]);
  if (callee.kind != ExprKind::name || callee.text != "unchanged" || scope_.find(callee.text) != nullptr) return false;
  out_.relation = Item::Relation::equal;
  out_.comparison = callee.text;
  left_id_ = right_id_ = whole.children[1];
  return true;
}

CheckElaboration::Condition CheckElaboration::inequality(const Expr& whole) {
  const ExprId left_id = whole.children[0], right_id = whole.children[1];
  const Maybe left = value_of(left_id);
  const Maybe right = value_of(right_id);
  if (!left || !right) return Condition::refused;
  if (!gives_results(*left) && !gives_results(*right)) return lone_condition(whole);
  out_.relation = Item::Relation::ordered;
  out_.comparison = whole.text;
  left_id_ = left_id;
  right_id_ = right_id;
  return Condition::compares_circuits;
}

namespace {

/// Whether two lists have the same known numbers (or truth values, or lists of these); nothing if they have others.
std::optional<bool> same_lists(const Value& left, const Value& right) {
  const auto *a = left.get_if<ListValue>(), *b = right.get_if<ListValue>();
  if (a == nullptr || b == nullptr) return std::nullopt;
  const auto same = [](const Value& x, const Value& y) -> std::optional<bool> {
    if (x.is<mpq_class>() && y.is<mpq_class>()) return *x.get_if<mpq_class>() == *y.get_if<mpq_class>();
    if (x.is<bool>() && y.is<bool>()) return *x.get_if<bool>() == *y.get_if<bool>();
    return same_lists(x, y);
  };
  bool all = a->elements.size() == b->elements.size();
  for (std::size_t k = 0; k < std::min(a->elements.size(), b->elements.size()); ++k) {
    const auto each = same(a->elements[k], b->elements[k]);
    if (!each) return std::nullopt;
    all = all && *each;
  }
  return all;
}

}  // namespace

CheckElaboration::Condition CheckElaboration::equality(const Expr& whole) {
  const ExprId left_id = whole.children[0], right_id = whole.children[1];
  const Maybe left = value_of(left_id);
  const Maybe right = value_of(right_id);
  if (!left || !right) return Condition::refused;
  const SourceSpan left_span = expr(left_id).span, right_span = expr(right_id).span;
  const auto is_order = [](const Value& value) { return value.is<ScheduleValue>() || value.is<TreeValue>(); };
  if (is_order(*left) && is_order(*right) && (left->is<ScheduleValue>() || right->is<ScheduleValue>())) {
    out_.static_truth = equal_schedules(elaborator_, context_, item_, *left, *right, left_span, right_span);
    out_.left_text = elaborator_.value_text(*left);
    out_.right_text = elaborator_.value_text(*right);
    return out_.static_truth ? Condition::answered : Condition::refused;
  }
  if (gives_results(*left) || gives_results(*right)) {
    out_.relation = Item::Relation::equal;
    left_id_ = left_id;
    right_id_ = right_id;
    return Condition::compares_circuits;
  }
  const auto lists = same_lists(*left, *right);
  const Maybe value =
      lists ? Maybe(Value{*lists}) : binary(elaborator_, "==", *left, *right, whole, left_span, right_span);
  if (!value) return Condition::refused;
  if (value->is<bool>()) {
    out_.left_text = elaborator_.value_text(*left);
    out_.right_text = elaborator_.value_text(*right);
  }
  return answer(whole, *value);
}

/// Any condition but an equality; or one circuit, for a profile to judge.
CheckElaboration::Condition CheckElaboration::lone_condition(const Expr& whole) {
  const bool accepts = elaborator_.judges_by_profile(item_);
  const Maybe value = value_of(item_.body);
  if (!value) return Condition::refused;
  if (accepts && gives_results(*value) && !value->is<LibraryValue>()) {
    // A circuit that stands alone is compared with its own floats.
    out_.relation = Item::Relation::accepted;
    right_id_ = left_id_;
    return Condition::compares_circuits;
  }
  return answer(whole, *value);
}

CheckElaboration::Condition CheckElaboration::answer(const Expr& whole, const Value& value) {
  if (auto* known = value.get_if<bool>()) {
    out_.static_truth = *known;
    return Condition::answered;
  }
  // The sizes that such a condition has are those of `for a > 0` (elaborate_all_sizes.cpp).
  const auto* symbolic = value.get_if<SymbolicCondition>();
  if (symbolic && ir::holds_for_positive(elaborator_.module.indices(), symbolic->condition)) {
    out_.static_truth = true;
    return Condition::answered;
  }
  const auto* question = value.get_if<QuestionValue>();
  const auto* of_enclosures = question ? enclosure_function(question->name) : nullptr;
  if (question && (question->name == "attains" || (of_enclosures && of_enclosures->gives_truth))) {
    auto asked = question_of(elaborator_, *question, whole.span);
    if (!asked) return Condition::refused;
    out_.value = std::move(*asked);
    return Condition::answered;
  }
  refuse(Diagnostic(code::type_mismatch, whole.span,
                    fmt::format("a check needs a condition, and this is {}", elaborator_.kind_text(value)))
             .help(of_enclosures ? "`show` answers this question; `check` asks whether one enclosure lies in another: "
                                   "`subset(f(x), g(x))`"
                   : value.is<LibraryValue>() ? "name the circuit that it should be: `check f ~ load(...) in accept(P)`"
                                              : "compare two circuits: `check f == g in float`"));
  return Condition::refused;
}

/// One result can be in a range; every other tolerance is a distance between two.
bool CheckElaboration::one_result_has_range() {
  using Kind = Tolerance::Kind;
  const Kind kind = item_.tolerance.kind;
  if (kind == Kind::range) return true;
  const char* what = "a distance lies between two results, and this check has one";
  const char* help = "name the other: `check f ~ g within ...`; or give a range: `within 0..1`";
  if (kind == Kind::bound) {
    what = "`within bound` compares two results, and this check has one";
    help = "name the other: `check f ~ g within bound`; to see the bound of one, `show f(x) in bound`";
  } else if (kind == Kind::orders) {
    what = "`within orders` compares two results, and this check has one";
    help = "name the other: `check f(x) ~ y within orders`; to see what all orders give, `show spread(f, x)`";
  }
  const SourceSpan at = item_.tolerance.span.known() ? item_.tolerance.span : item_.span;
  return refuse(Diagnostic(code::check_signatures, at, what).help(help));
}

std::optional<ir::Scalar> CheckElaboration::format_of(const std::optional<ir::Function>& side) const {
  if (!side) return std::nullopt;
  const ir::Type& type = elaborator_.module.types()[side->result];
  if (type.kind == TypeKind::tuple || !ir::has_pattern(type.scalar)) return std::nullopt;
  return type.scalar;
}

bool CheckElaboration::has_format(const Value& value) const {
  return value.is<CircuitValue>() || elaborator_.scalar_of(value).has_value();
}

/// A side of numbers without a format takes that of the other side: `check f(x) ~ 0.5 within ...`.
bool CheckElaboration::circuit(ExprId id, const Value& value, std::optional<ir::Function>& into, std::string& text,
                               const std::optional<ir::Function>& other) {
  const SourceSpan at = expr(id).span;
  into = checked_circuit(elaborator_, value, at, has_format(value) ? std::nullopt : format_of(other));
  if (!into) return false;
  if (!parameters_.empty() && into->parameters.empty()) {
    into->parameters = parameters_;
    into->dimensions = dimensions_;
  }
  text = std::string(elaborator_.sources.text(at));
  return true;
}

/// The circuits of both sides. A left side without a format waits for that of the right side.
bool CheckElaboration::sides() {
  const Maybe left = value_of(left_id_);
  if (!left) return false;
  if (left->is<LibraryValue>()) {
    return refuse(Diagnostic(code::check_signatures, expr(left_id_).span,
                             fmt::format("{} stands on the left, where the circuit is that says what it should be",
                                         elaborator_.kind_text(*left)))
                      .help("write the circuit first: `check f ~ load(...)`"));
  }
  const bool left_waits = compares_two() && !has_format(*left);
  if (!left_waits && !left_circuit(*left, std::nullopt)) return false;
  if (compares_two()) {
    const Maybe right = value_of(right_id_);
    if (!right) return false;
    if (auto* library = right->get_if<LibraryValue>()) {
      if (left_waits && !left_circuit(*left, std::nullopt)) return false;
      if (!library_side(elaborator_, *library, item_, expr(right_id_).span, out_)) return false;
    } else if (!circuit(right_id_, *right, out_.right, out_.right_text, out_.left)) {
      return false;
    }
  }
  return !left_waits || out_.left || left_circuit(*left, out_.right);
}

bool CheckElaboration::tolerance() {
  out_.tolerance = item_.tolerance.kind;
  out_.tolerance_span = item_.tolerance.span;
  return order_of_tolerance() && amounts_of_tolerance();
}

bool CheckElaboration::order_of_tolerance() {
  const ExprId id = item_.tolerance.order;
  if (!id.valid()) return true;
  const Maybe order = value_of(id);
  if (!order) return false;
  out_.order = elaborator_.schedule_of(*order, expr(id).span, false);
  if (!out_.order) return false;
  out_.order_text = std::string(elaborator_.sources.text(expr(id).span));
  return true;
}

bool CheckElaboration::amounts_of_tolerance() {
  const Tolerance& tolerance = item_.tolerance;
  for (auto [id, into] : {std::pair(tolerance.low, &out_.low), std::pair(tolerance.high, &out_.high)}) {
    if (!id.valid()) continue;
    const Maybe value = value_of(id);
    if (!value) return false;
    auto* number = value->get_if<mpq_class>();
    if (!number) return refuse(Diagnostic(code::static_needed, expr(id).span, "a tolerance is a known number"));
    *into = *number;
  }
  const bool range = tolerance.kind == Tolerance::Kind::range;
  if (range && out_.low > out_.high) {
    return refuse(Diagnostic(code::check_signatures, tolerance.span,
                             "this range is empty: its lower end is above its upper end"));
  }
  if (!range && out_.low < 0) {
    return refuse(Diagnostic(code::check_signatures, tolerance.span, "a distance is 0 or more"));
  }
  return true;
}

/// The two sides must agree in everything but the names of their dimensions.
bool CheckElaboration::sides_agree() {
  const ir::Module& module = elaborator_.module;
  const ir::Function& a = *out_.left;
  const ir::Function& b = *out_.right;
  const auto shape = [&](ir::TypeId id) {
    const ir::Type& type = module.types()[id];
    return std::tuple(type.kind, type.scalar, type.extents.size(), type.parts.size());
  };
  if (a.parameters.size() != b.parameters.size()) {
    return signatures_differ(fmt::format("they take {} and {} arguments", a.parameters.size(), b.parameters.size()));
  }
  for (std::size_t k = 0; k < a.parameters.size(); ++k) {
    const ir::TypeId left = a.parameters[k].type, right = b.parameters[k].type;
    if (shape(left) == shape(right)) continue;
    return signatures_differ(fmt::format("parameter {} is `{}` in one and `{}` in the other", k + 1,
                                         ir::type_text(module, left), ir::type_text(module, right)));
  }
  if (shape(a.result) == shape(b.result)) return true;
  return signatures_differ(
      fmt::format("their results are `{}` and `{}`", ir::type_text(module, a.result), ir::type_text(module, b.result)),
      "give both results of one type; `f32(...)` converts all elements of a tensor");
}

bool CheckElaboration::results_are_ordered() {
  const ir::Module& module = elaborator_.module;
  const ir::Type& result = module.types()[out_.left->result];
  const auto is_bool = [&](ir::TypeId id) { return module.types()[id].scalar == ir::Scalar::boolean; };
  const bool any = result.kind == TypeKind::tuple ? std::ranges::any_of(result.parts, is_bool)
                                                  : result.scalar == ir::Scalar::boolean;
  if (!any) return true;
  return refuse(Diagnostic(code::check_signatures, item_.relation_span.known() ? item_.relation_span : item_.span,
                           fmt::format("`{}` compares numbers, and these results are `{}`", out_.comparison,
                                       ir::type_text(module, out_.left->result)))
                    .help("truth values are compared with `==`"));
}

bool CheckElaboration::signatures_differ(const std::string& why, const std::string& help) {
  return refuse(
      Diagnostic(code::check_signatures, item_.span, "the two circuits of this check cannot be compared: " + why)
          .with(out_.left->span, "the first circuit")
          .with(out_.right->span, "the second circuit")
          .help(out_.left->parameters.empty() != out_.right->parameters.empty()
                    ? "give the circuit its arguments: `check f(x) ~ y ...`"
                    : help));
}

}  // namespace

bool elaborate_check(Elaborator& elaborator, const Context& context, const Item& item, ElaboratedItem& out) {
  if (const auto good = elaborate_all_sizes(elaborator, context, item, out)) return *good;
  if (const auto good = elaborate_cases(elaborator, context, item, out)) return *good;
  return CheckElaboration(elaborator, context, item, out).elaborate();
}

}  // namespace reckon::frontend
