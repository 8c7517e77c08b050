// The clauses of checks: `for n: {4, 8}`, `for x: -1..1`, `for x > 0`, and what their names stand for.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/check_signatures.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/static_needed.h"
#include "diagnostics/codes/unknown_name.h"
#include "frontend/checks.h"
#include "frontend/find_expression.h"
#include "frontend/records.h"

namespace reckon::frontend {

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

/// `x > 0`, `x < 0`, or the same with the sides exchanged.
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

std::optional<std::string> positive_name(const Program& tree, const ForClause& clause) {
  if (clause.kind == ForClause::Kind::all) return clause.name;
  const auto condition = sign_condition(tree, clause);
  return condition && condition->sign > 0 ? std::optional(condition->name) : std::nullopt;
}

bool mentions(const Program& tree, ExprId root, const std::string& name) {
  return find_expression(tree, root, [&](const Expr& at) { return is_name(at, name); });
}

bool is_given_to_call(const Program& tree, ExprId root, const std::string& name) {
  return find_use(tree, root, name).has_value();
}

bool is_given_to_circuit(Elaborator& elaborator, const Context& context, ExprId root, const std::string& name) {
  const auto use = find_use(elaborator.programs[context.program].tree, root, name);
  if (!use) return false;
  const Maybe callee = elaborator.elaborate(context, use->callee);
  return callee && callee->is<CircuitValue>();
}

bool bind_ranges(Elaborator& elaborator, const Context& context, const Item& item, Scope& scope,
                 std::vector<ir::Parameter>& parameters, std::vector<ir::SymbolId>& dimensions) {
  ir::Module& module = elaborator.module;
  for (const ForClause& clause : item.clauses) {
    const auto condition = sign_condition(elaborator.programs[context.program].tree, clause);
    if (clause.kind != ForClause::Kind::range && !condition) continue;
    const std::string& name = condition ? condition->name : clause.name;
    const Program& tree = elaborator.programs[context.program].tree;
    auto use = find_use(tree, item.body, name);
    if (!use && item.right.valid()) use = find_use(tree, item.right, name);
    // If no expression has the name, it may be a parameter of circuits that are named alone: elaborate_clauses decides.
    if (!use && !mentions(tree, item.body, name) && !(item.right.valid() && mentions(tree, item.right, name))) continue;
    std::optional<ir::Function> function;
    std::shared_ptr<const Record> record;
    if (use) {
      auto callee = elaborator.elaborate(context, use->callee);
      if (!callee) return false;
      if (auto* circuit = callee->get_if<CircuitValue>()) {
        function = elaborator.instance(circuit->declaration, circuit->static_arguments, clause.span);
        if (!function) return false;
        record = record_of_parameter(elaborator, *circuit, use->argument);
      }
    }
    if (!function || use->argument >= function->parameters.size()) {
      elaborator.report(Diagnostic(code::check_signatures, clause.span, fmt::format("nothing says what `{}` is", name))
                            .help(fmt::format("give it to a circuit: `check f({0}) ... for {0}{1}`", name,
                                              !condition            ? ": -1..1"
                                              : condition->sign > 0 ? " > 0"
                                                                    : " < 0")));
      return false;
    }
    const std::size_t first = parameters.size();
    const ir::Parameter whole{module.symbol(name), function->parameters[use->argument].type, clause.span};
    scope.bind(name, append_parameters(elaborator, whole, std::move(record), parameters));
    for (std::size_t k = first; k < parameters.size(); ++k) {
      for (ir::IndexId extent : module.types()[parameters[k].type].extents) module.indices().dimensions(extent, dimensions);
    }
  }
  return true;
}

namespace {

/// Which parameters of the circuits a clause is about: more than one if the name is that of a tuple.
std::optional<std::vector<std::uint32_t>> ranged_parameters(Elaborator& elaborator, const ElaboratedItem& out,
                                              const std::string& name, SourceSpan at) {
  ir::Module& module = elaborator.module;
  std::vector<std::string> names;
  for (const auto* side : {&out.left, &out.right}) {
    if (!*side) continue;
    std::vector<std::uint32_t> found;
    for (const ir::Parameter& parameter : (*side)->parameters) {
      const auto position = static_cast<std::uint32_t>(&parameter - (*side)->parameters.data());
      names.emplace_back(module.name(parameter.name));
      if (names.back() != name && !names.back().starts_with(name + ".")) continue;
      if (module.types()[parameter.type].scalar == ir::Scalar::boolean) {
        elaborator.report(
            Diagnostic(code::check_signatures, at, fmt::format("`{}` is a `bool`, which has no range", names.back()))
                .help("leave this out: a check draws both true and false"));
        return std::nullopt;
      }
      if (std::ranges::find(out.ranges, position, &RangeClause::parameter) != out.ranges.end()) {
        elaborator.fail(code::check_signatures, at, fmt::format("this check has two clauses about `{}`", name));
        return std::nullopt;
      }
      found.push_back(position);
    }
    if (!found.empty()) return found;
  }
  Diagnostic diagnostic(code::check_signatures, at, fmt::format("no circuit of this check has a parameter `{}`", name));
  if (auto near = nearest_name(name, names)) diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
  else if (!names.empty()) diagnostic.helps.push_back(fmt::format("the parameters are `{}`", fmt::join(names, "`, `")));
  elaborator.report(std::move(diagnostic));
  return std::nullopt;
}

Diagnostic all_of_circuits(SourceSpan at) {
  return Diagnostic(code::check_signatures, at, "`for all` is for claims about numbers, and this check is about circuits")
      .help("leave it out: where a check of circuits is true of all sizes, it says `proved for all sizes`");
}

}  // namespace

bool elaborate_clauses(Elaborator& elaborator, const Context& context, const Item& item, ElaboratedItem& out) {
  ir::Module& module = elaborator.module;
  out.budget = item.budget;
  out.everywhere = item.everywhere.known();
  // Whether a semantics is missing is said later.
  const bool of_algebra = !item.semantics || !elaborator.back_end.asks_for_algebra ||
                          elaborator.back_end.asks_for_algebra(item.semantics->name);
  if (out.everywhere && (!of_algebra || out.relation != Item::Relation::equal)) {
    elaborator.report(Diagnostic(code::check_signatures, item.everywhere,
                                 "`everywhere` asks `==` in `algebra` for equal domains, too")
                          .help("write `check f == g in algebra everywhere`"));
    return false;
  }
  for (const ForClause& clause : item.clauses) {
    if (const auto condition = sign_condition(elaborator.programs[context.program].tree, clause)) {
      const auto parameters = ranged_parameters(elaborator, out, condition->name, clause.span);
      if (!parameters) return false;
      for (const std::uint32_t parameter : *parameters) {
        // Floats are drawn from (0, 4] or [-4, 0).
        RangeClause range{parameter, 0, 0, condition->sign};
        (condition->sign > 0 ? range.high : range.low) = 4 * condition->sign;
        out.ranges.push_back(range);
      }
      continue;
    }
    if (clause.kind == ForClause::Kind::all) {
      elaborator.report(all_of_circuits(clause.span));
      return false;
    }
    if (clause.kind == ForClause::Kind::condition) {
      elaborator.report(Diagnostic(code::not_available, clause.span, "only a sign can be a condition in this version")
                            .help("write `for x > 0` or `for x < 0`, or give a range: `for x: 0..1`"));
      return false;
    }
    if (clause.kind == ForClause::Kind::range) {
      RangeClause range;
      for (int end = 0; end < 2; ++end) {
        auto value = elaborator.elaborate(context, clause.values[end]);
        if (!value) return false;
        auto* number = value->get_if<mpq_class>();
        if (!number) {
          elaborator.fail(code::static_needed, elaborator.expr(context, clause.values[end]).span,
                          "an interval's ends are known numbers");
          return false;
        }
        (end == 0 ? range.low : range.high) = *number;
      }
      if (range.low > range.high) {
        elaborator.fail(code::check_signatures, clause.span,
                        "this interval is empty: its lower end is above its upper end");
        return false;
      }
      const auto parameters = ranged_parameters(elaborator, out, clause.name, clause.span);
      if (!parameters) return false;
      for (const std::uint32_t parameter : *parameters) {
        range.parameter = parameter;
        out.ranges.push_back(range);
      }
      continue;
    }
    SizeClause sizes{module.symbol(clause.name), {}};
    std::vector<ir::SymbolId> known;
    for (const auto* side : {&out.left, &out.right}) {
      if (*side) known.insert(known.end(), (*side)->dimensions.begin(), (*side)->dimensions.end());
    }
    if (std::find(known.begin(), known.end(), sizes.dimension) == known.end()) {
      Diagnostic diagnostic(code::unknown_name, clause.span,
                            fmt::format("no circuit of this check has a dimension `{}`", clause.name));
      std::vector<std::string> names;
      for (ir::SymbolId symbol : known) names.emplace_back(module.name(symbol));
      if (auto near = nearest_name(clause.name, names))
        diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
      else if (!names.empty())
        diagnostic.helps.push_back(fmt::format("its dimensions are `{}`", fmt::join(names, "`, `")));
      elaborator.report(std::move(diagnostic));
      return false;
    }
    for (ExprId id : clause.values) {
      auto value = elaborator.elaborate(context, id);
      auto size = value ? elaborator.integer_of(*value, elaborator.expr(context, id).span, "a size") : std::nullopt;
      if (!size) return false;
      if (*size < 0) {
        elaborator.fail(code::dimension_value, elaborator.expr(context, id).span,
                        fmt::format("a size is {}, which is negative", *size));
        return false;
      }
      sizes.values.push_back(*size);
    }
    out.sizes.push_back(std::move(sizes));
  }
  auto integer = [&](ExprId id, std::optional<std::int64_t>& into, const char* what) {
    if (!id.valid()) return true;
    auto value = elaborator.elaborate(context, id);
    into = value ? elaborator.integer_of(*value, elaborator.expr(context, id).span, what) : std::nullopt;
    return into.has_value();
  };
  return integer(item.trials, out.trials, "the number of trials") && integer(item.seed, out.seed, "a seed");
}

}  // namespace reckon::frontend
