// `show bound(f) for x: -1..1` and `show bound(f, g) for ...`: questions about the worst case over ranges.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/check_signatures.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/calls.h"
#include "frontend/checks.h"
#include "frontend/records.h"
#include "ir/bind.h"

namespace reckon::frontend {

namespace {

constexpr char usage[] = "write `show bound(f) for x: -1..1`, with a range for each parameter of `f`";
constexpr char tune_usage[] =
    "write `show tune(f, 1e-6) for x: -1..1`, with a range for each parameter of `f`; `tune(f, g, 1e-6)` takes the "
    "circuit "
    "whose bound is the least";

/// `bound`, `tune` or `rewrites`, if the expression is a call of it.
std::optional<std::string> asked_function(Elaborator& elaborator, const Context& outer, const Expr& whole) {
  if (whole.kind != ExprKind::call || whole.children.size() < 2) return std::nullopt;
  const Expr& callee = elaborator.expr(outer, whole.children[0]);
  if (callee.kind != ExprKind::name) return std::nullopt;
  if (callee.text != "bound" && callee.text != "tune" && callee.text != "rewrites") return std::nullopt;
  const Maybe value = elaborator.elaborate(outer, whole.children[0]);
  return value && value->is<BuiltinValue>() ? std::optional(callee.text) : std::nullopt;
}

/// The bound that `tune(f, 1e-6)` is to keep.
std::optional<mpq_class> tolerance_of(Elaborator& elaborator, const Context& context, const Expr& whole) {
  const bool given = whole.children.size() >= 3;
  const SourceSpan at = given ? elaborator.expr(context, whole.children.back()).span : whole.span;
  const Maybe value = given ? elaborator.elaborate(context, whole.children.back()) : Maybe();
  if (given && !value) return std::nullopt;
  const auto* number = given ? value->get_if<mpq_class>() : nullptr;
  if (number != nullptr && *number > 0) return *number;
  elaborator.report(Diagnostic(code::type_mismatch, at,
                               "`tune` takes a circuit, or several, and the error that it may have, a number above 0")
                        .help(tune_usage));
  return std::nullopt;
}

/// Every parameter has a range, and every dimension one size.
bool is_complete(Elaborator& elaborator, const ElaboratedItem& item, SourceSpan at) {
  ir::Module& module = elaborator.module;
  const auto refuse = [&](SourceSpan place, const std::string& what, const std::string& help) {
    elaborator.report(Diagnostic(code::check_signatures, place, what).help(help));
    return false;
  };
  for (std::size_t p = 0; p < item.left->parameters.size(); ++p) {
    const ir::Parameter& parameter = item.left->parameters[p];
    const std::string name(module.name(parameter.name));
    const auto found = std::ranges::find(item.ranges, p, &RangeClause::parameter);
    if (found == item.ranges.end()) {
      return refuse(at, fmt::format("`{}` has no range here", name), fmt::format("give it one: `for {}: -1..1`", name));
    }
  }
  for (const ir::SymbolId dimension : item.left->dimensions) {
    const auto found = std::ranges::find(item.sizes, dimension, &SizeClause::dimension);
    if (found != item.sizes.end() && found->values.size() == 1) continue;
    const std::string_view name = module.name(dimension);
    return refuse(at, fmt::format("`{}` needs one size here", name),
                  fmt::format("give it one: `for {}: {{100}}`", name));
  }
  return true;
}

/// `x < y`, about the circuit's parameters by their names.
std::optional<ir::Function> condition_of(Elaborator& elaborator, const Context& outer, const ForClause& clause,
                                         const ir::Function& circuit) {
  Scope scope(outer.scope);
  for (std::size_t p = 0; p < circuit.parameters.size(); ++p) {
    const ir::Parameter& parameter = circuit.parameters[p];
    scope.bind(std::string(elaborator.module.name(parameter.name)),
               {DynamicValue{elaborator.module.parameter(static_cast<std::uint32_t>(p), parameter.type)}});
  }
  const SourceSpan at = clause.span;
  const Maybe value = elaborator.elaborate(outer.in(scope), clause.values[0]);
  if (!value) return std::nullopt;
  auto function = value->is<DynamicValue>() ? elaborator.closed_function(*value, at, "condition") : std::nullopt;
  const auto* type = function ? &elaborator.module.types()[function->result] : nullptr;
  if (type == nullptr || type->kind != ir::TypeKind::scalar || type->scalar != ir::Scalar::boolean) {
    elaborator.report(
        Diagnostic(code::type_mismatch, at, "a condition on the inputs is a comparison of them, and this is none")
            .help("write `for x: 0..1, y: 0..1, x < y`"));
    return std::nullopt;
  }
  function->parameters = circuit.parameters;
  function->dimensions = circuit.dimensions;
  return function;
}

}  // namespace

std::optional<bool> elaborate_worst(Elaborator& elaborator, const Context& outer, const Item& written,
                                    ElaboratedItem& out) {
  if (written.clauses.empty()) return std::nullopt;
  Item item = written;
  std::erase_if(item.clauses, [](const ForClause& clause) { return clause.kind == ForClause::Kind::condition; });
  const Expr& whole = elaborator.expr(outer, item.body);
  const auto asked = asked_function(elaborator, outer, whole);
  if (!asked) {
    elaborator.report(Diagnostic(code::syntax, written.clauses.front().span,
                                 "only `check`, `show bound(f)`, `show tune(f, e)` and `show rewrites(f)` are `for` ranges",
                                 "not a part of this item")
                          .help(usage));
    return false;
  }
  Scope scope(outer.scope);
  const Context context = outer.in(scope);
  std::vector<ir::Parameter> parameters;
  std::vector<ir::SymbolId> dimensions;
  if (!bind_ranges(elaborator, outer, item, scope, parameters, dimensions)) return false;
  const bool tunes = *asked == "tune";
  if (whole.children.size() > 3 && !tunes) {
    elaborator.report(Diagnostic(code::argument_count, whole.span,
                                 fmt::format("`bound` over ranges takes one circuit or two, and was given {} arguments",
                                             whole.children.size() - 1))
                          .help(usage));
    return false;
  }
  if (*asked == "rewrites" && (whole.children.size() != 2 || item.clauses.size() != written.clauses.size())) {
    elaborator.report(Diagnostic(code::argument_count, whole.span,
                                 "`rewrites` takes one circuit, and ranges of its inputs without conditions")
                          .help("write `show rewrites(f) in accept(compilers) for x: -1..1`"));
    return false;
  }
  if (tunes) {
    auto tolerance = tolerance_of(elaborator, context, whole);
    if (!tolerance) return false;
    out.low = std::move(*tolerance);
  }
  Question question;
  for (std::size_t k = 1; k < whole.children.size() - (tunes ? 1 : 0); ++k) {
    const SourceSpan at = elaborator.expr(context, whole.children[k]).span;
    const Maybe value = elaborator.elaborate(context, whole.children[k]);
    if (!value) return false;
    if (!value->is<CircuitValue>() && !value->is<DynamicValue>()) {
      elaborator.report(Diagnostic(code::type_mismatch, at,
                                   fmt::format("`{}` over ranges asks about a circuit, and this is {}", *asked,
                                               elaborator.kind_text(*value)))
                            .help(tunes ? tune_usage : usage));
      return false;
    }
    auto function = checked_circuit(elaborator, *value, at);
    if (!function) return false;
    if (!parameters.empty() && function->parameters.empty()) {
      function->parameters = parameters;
      function->dimensions = dimensions;
    }
    if (k == 1) out.left = *function;
    const auto same = [&](const ir::Parameter& a, const ir::Parameter& b) { return a.type == b.type; };
    if (!std::ranges::equal(out.left->parameters, function->parameters, same) ||
        out.left->dimensions != function->dimensions) {
      elaborator.report(
          Diagnostic(code::check_signatures, at, "this circuit does not take the same parameters as the first one")
              .help("give them the same parameters; a circuit need not use all of its own"));
      return false;
    }
    if (tunes && whole.children.size() > 3) question.alternatives.push_back({std::move(*function), at});
    else if (k > 1) out.right = std::move(function);
  }
  if (!elaborate_clauses(elaborator, context, item, out)) return false;
  if (!is_complete(elaborator, out, whole.span)) return false;
  question.kind = Question::Kind::worst;
  question.function = *out.left;
  question.target = out.right;
  question.name = *asked;
  question.span = whole.span;
  for (const ForClause& clause : written.clauses) {
    if (clause.kind != ForClause::Kind::condition) continue;
    auto condition = condition_of(elaborator, outer, clause, *out.left);
    if (!condition) return false;
    question.conditions.push_back(std::move(*condition));
  }
  out.value = std::move(question);
  return true;
}

}  // namespace reckon::frontend
