// The rules of accuracy profiles: accuracies and inherited circuits.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_accuracy.h"
#include "diagnostics/codes/duplicate_name.h"
#include "diagnostics/codes/unknown_name.h"
#include "frontend/profile_builder.h"

namespace reckon::frontend {

using ir::Accuracy;
using ir::Scalar;

bool Elaborator::add_rule(ProfileBuilder& builder, const Context& context, const RuleDecl& decl, std::size_t k,
                          Scalar format, const ir::Function* circuit) {
  const RuleDecl::Operation& operation = decl.operations[k];
  const auto target = ruled(context, operation.name);
  if (!target) return false;
  const int arity = target->arity;
  RuleContext rule{builder, context, operation, arity, format, target->operation, circuit};
  if (operation.has_parameters && static_cast<int>(operation.parameters.size()) != arity) {
    report(Diagnostic(code::argument_count, operation.name.span,
                      fmt::format("`{}` has {} argument{}, and this rule names {}", operation.name.text, arity,
                                  arity == 1 ? "" : "s", operation.parameters.size()))
               .help("a rule that depends on no argument needs no list: `add, mul : rounded`"));
    return false;
  }
  for (std::size_t a = 0; a < operation.parameters.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (operation.parameters[a] != operation.parameters[b]) continue;
      report(Diagnostic(code::duplicate_name, operation.parameter_spans[a],
                        fmt::format("two arguments are named `{}`", operation.parameters[a]))
                 .with(operation.parameter_spans[b], "the first one"));
      return false;
    }
  }

  // There are as many choices as alternatives in the longest piece; a shorter piece repeats its last alternative.
  std::vector<std::vector<Accuracy>> alternatives;
  ir::Rule out;
  out.span = operation.name.span;
  if (circuit != nullptr) out.definition = circuit->span;
  for (std::size_t p = 0; p + 1 < decl.pieces.size(); ++p) {
    if (!decl.pieces[p].domains.empty()) continue;
    report(Diagnostic(code::bad_accuracy, expr(context, decl.pieces[p + 1].accuracy).span,
                      "what follows `else` would never count")
               .with(expr(context, decl.pieces[p].accuracy).span, "this counts everywhere")
               .help("say where the first one counts: `ulps(2) for abs(x) < 1 else ulps(8)`"));
    return false;
  }
  std::size_t most = 1;
  std::optional<bool> hulls;
  for (const PieceDecl& piece : decl.pieces) {
    bool hull = false;
    std::optional<std::vector<Accuracy>> found;
    if (decl.is_circuit) {
      if (auto circuit = inherited(rule, piece.accuracy)) found = {std::move(*circuit)};
    } else {
      found = accuracies(rule, piece.accuracy, hull);
    }
    if (!found) return false;
    if (found->size() > 1) {
      if (hulls && *hulls != hull) {
        report(Diagnostic(code::bad_accuracy, expr(context, piece.accuracy).span,
                          "one rule has either alternatives or their hull")
                   .help("use `either` or `hull` in all of its parts"));
        return false;
      }
      hulls = hull;
    }
    most = std::max(most, found->size());
    alternatives.push_back(std::move(*found));
  }
  out.hull = hulls.value_or(false);
  for (const std::vector<Accuracy>& each : alternatives) {
    for (const Accuracy& one : each) {
      const bool whole = decl.pieces.size() == 1 && decl.pieces[0].domains.empty() && each.size() == 1;
      if (one.kind != Accuracy::Kind::primitive || one.circuit != "ldexp" || whole) continue;
      report(Diagnostic(code::bad_accuracy, one.span, "`primitive(ldexp)` stands alone: no domain, no alternatives")
                 .help("it looks at the exponent as an integer, which no other accuracy does"));
      return false;
    }
  }
  std::vector<std::vector<ir::Domain>> domains;
  for (const PieceDecl& piece : decl.pieces) {
    domains.emplace_back();
    for (const DomainDecl& each : piece.domains) {
      auto made = domain(rule, each);
      if (!made) return false;
      domains.back().push_back(std::move(*made));
    }
  }
  for (std::size_t choice = 0; choice < most; ++choice) {
    ir::Choice& to = out.choices.emplace_back();
    for (std::size_t p = 0; p < alternatives.size(); ++p) {
      to.pieces.push_back({domains[p], alternatives[p][std::min(choice, alternatives[p].size() - 1)]});
    }
  }
  builder.profile.rules[{operation.name.text, format}] = std::move(out);
  return true;
}

/// The alternatives of `either(...)` and `hull(...)`; any other accuracy is its own single alternative.
std::optional<std::vector<Accuracy>> Elaborator::accuracies(RuleContext& rule, ExprId id, bool& hull) {
  const Expr& written = expr(rule.context, id);
  const std::string head = written.kind == ExprKind::call ? expr(rule.context, written.children[0]).text : "";
  if (head != "either" && head != "hull") {
    auto one = accuracy(rule, id);
    if (!one) return std::nullopt;
    return std::vector<Accuracy>{std::move(*one)};
  }
  hull = head == "hull";
  if (written.children.size() < 3) {
    report(Diagnostic(code::bad_accuracy, written.span, fmt::format("`{}` joins at least two accuracies", head))
               .help(fmt::format("for example `{}(ulps(4), inherited(x * y))`", head)));
    return std::nullopt;
  }
  std::vector<Accuracy> out;
  for (std::size_t k = 1; k < written.children.size(); ++k) {
    auto one = accuracy(rule, written.children[k]);
    if (!one) return std::nullopt;
    out.push_back(std::move(*one));
  }
  return out;
}

std::optional<Accuracy> Elaborator::accuracy(RuleContext& rule, ExprId id) {
  using Kind = Accuracy::Kind;
  const Expr& written = expr(rule.context, id);
  Accuracy out;
  out.span = written.span;
  const bool is_call = written.kind == ExprKind::call;
  const std::string head = is_call                               ? expr(rule.context, written.children[0]).text
                           : written.kind == ExprKind::name ? written.text
                                                                 : "";
  static const std::vector<std::string> words{"exact",     "rounded",  "absolute", "ulps",  "inherited",
                                              "primitive", "anything", "either",   "hull"};
  const std::size_t given = is_call ? written.children.size() - 1 : 0;
  auto count = [&](std::size_t wanted, const char* usage) {
    if (given == wanted) return true;
    report(Diagnostic(code::bad_accuracy, written.span,
                      wanted == 0 ? fmt::format("`{}` takes no argument", head)
                                  : fmt::format("`{}` takes one argument and was given {}", head, given))
               .help(usage));
    return false;
  };
  if (head == "exact" || head == "rounded" || head == "anything") {
    if (is_call && !count(0, "write the word alone")) return std::nullopt;
    out.kind = head == "exact" ? Kind::exact : head == "rounded" ? Kind::rounded : Kind::anything;
    if (out.kind != Kind::anything && !has_true_values(rule, out.span)) return std::nullopt;
    return out;
  }
  if (head == "absolute" || head == "ulps") {
    if (!count(1, head == "ulps" ? "how many units in the last place: `ulps(2.5)`" : "how far: `absolute(0x1p-11)`")) {
      return std::nullopt;
    }
    out.kind = head == "ulps" ? Kind::ulps : Kind::absolute;
    if (!has_true_values(rule, out.span)) return std::nullopt;
    if (!amount(rule, written.children[1], out.amount)) return std::nullopt;
    const bool constant = out.amount.steps.size() == 1 && out.amount.steps[0].kind == ir::Amount::Kind::constant;
    if (constant && out.amount.steps[0].value < 0) {
      report(
          Diagnostic(code::bad_accuracy, expr(rule.context, written.children[1]).span,
                     fmt::format("`{}` of a negative number", head), "an error has no sign")
              .help(fmt::format("it goes both ways: `{}({})`", head, mpq_class(-out.amount.steps[0].value).get_str())));
      return std::nullopt;
    }
    return out;
  }
  if (head == "inherited" && is_call) {
    if (!count(1, "a circuit of the arguments: `inherited(sin(x) / cos(x))`")) return std::nullopt;
    return inherited(rule, written.children[1]);
  }
  if (head == "primitive") {
    out.kind = Kind::primitive;
    const Expr* name = &written;
    out.circuit = rule.operation.name.text;
    if (is_call) {
      if (!count(1, "the name of a rule: `primitive(fract)`")) return std::nullopt;
      name = &expr(rule.context, written.children[1]);
      out.circuit = name->text;
    }
    std::vector<std::string> names;
    for (const ir::PrimitiveName& each : ir::primitive_names()) {
      if (each.name == out.circuit && each.arity == rule.arity) {
        return takes_primitive(rule, each, out.span) ? std::optional(out) : std::nullopt;
      }
      if (each.arity == rule.arity) names.emplace_back(each.name);
    }
    Diagnostic diagnostic(code::bad_accuracy, name->span,
                          fmt::format("there is no primitive rule `{}` of {} argument{}", out.circuit, rule.arity,
                                      rule.arity == 1 ? "" : "s"));
    if (const auto near = nearest_name(out.circuit, names)) {
      diagnostic.helps.push_back(fmt::format("did you mean `primitive({})`?", *near));
    } else {
      diagnostic.helps.push_back("primitive rules are few, and part of the engine: docs/profiles.md lists them");
    }
    return report(std::move(diagnostic)), std::nullopt;
  }
  Diagnostic diagnostic(code::bad_accuracy, written.span,
                        head.empty() ? std::string("this is no accuracy")
                                     : fmt::format("there is no accuracy `{}`", head));
  if (head == "relative") {
    diagnostic.helps.push_back("a relative error of 2^-22 is at most `ulps(4)` in f32: 2^24 times as many");
  } else if (const auto near = nearest_name(head, words); near && !head.empty()) {
    diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
  } else {
    diagnostic.helps.push_back("accuracies are `exact`, `rounded`, `absolute(e)`, `ulps(n)`, `inherited(circuit)`, "
                               "`primitive`, `anything`, and `either` or `hull` of these");
  }
  if (written.kind == ExprKind::binary) diagnostic.helps.push_back("a circuit follows `=`: `tan(x) = sin(x) / cos(x)`");
  return report(std::move(diagnostic)), std::nullopt;
}

/// The inherited circuit. An operation takes a circuit from scalars to a scalar; a builtin circuit takes one of the
/// same type. Calls of builtin circuits inside are not inlined, because these may have rules, too.
std::optional<Accuracy> Elaborator::inherited(RuleContext& rule, ExprId id) {
  const std::string& ruled = rule.operation.name.text;
  Scope values;
  ir::Function function;
  function.places = module.places().make();
  const ir::PlacesGuard placing(module, function.places);
  function.result = module.types().scalar(rule.format);
  if (rule.circuit != nullptr) {
    function.result = rule.circuit->result;
    function.dimensions = rule.circuit->dimensions;
  }
  for (int k = 0; k < rule.arity; ++k) {
    const auto position = static_cast<std::uint32_t>(k);
    const ir::TypeId type =
        rule.circuit != nullptr ? rule.circuit->parameters[position].type : module.types().scalar(rule.format);
    if (!rule.operation.has_parameters) {  // a circuit of constants
      function.parameters.push_back({module.symbol(fmt::format("x{}", k)), type, rule.operation.name.span});
      continue;
    }
    const std::string& name = rule.operation.parameters[position];
    values.bind(name, {DynamicValue{module.parameter(position, type)}});
    function.parameters.push_back({module.symbol(name), type, rule.operation.parameter_spans[position]});
  }
  const Context inside = rule.context.in(values);
  const SourceSpan at = expr(inside, id).span;
  auto* requirements = std::exchange(requirements_, rule.circuit != nullptr ? &function.requirements : nullptr);
  const std::size_t errors = diagnostics.size();
  auto value = elaborate(inside, id);
  const std::string what = fmt::format("the circuit of `{}` in {}", ruled, ir::scalar_name(rule.format));
  ir::IndexSubstitution none;
  std::optional<ir::NodeId> body;
  if (value && diagnostics.size() == errors) {
    body = fit(*value, function.result, none, false, at, what);
    if (!body && rule.circuit == nullptr && diagnostics.size() > errors) {
      diagnostics.back().helps.push_back(
          "what an operation inherits from is a scalar circuit of scalars, in one format");
    }
  }
  requirements_ = requirements;
  for (std::size_t k = errors; k < diagnostics.size(); ++k) {
    if (rule.circuit == nullptr) continue;
    diagnostics[k].secondary.push_back({rule.circuit->span, fmt::format("`{}` is defined here", ruled)});
  }
  if (!body) return std::nullopt;
  const std::string name = fmt::format("{}.{}.{}", ruled, ir::scalar_name(rule.format), rule.builder.circuits.size());
  function.name = module.symbol(name);
  function.span = at;
  function.body = *body;
  rule.builder.circuits.push_back({std::move(function), rule.context.program, id});
  Accuracy out;
  out.kind = Accuracy::Kind::circuit;
  out.circuit = name;
  out.span = at;
  return out;
}

std::optional<std::uint32_t> Elaborator::rule_parameter(RuleContext& rule, const Word& name) {
  const auto& parameters = rule.operation.parameters;
  const auto found = std::find(parameters.begin(), parameters.end(), name.text);
  if (found != parameters.end()) return static_cast<std::uint32_t>(found - parameters.begin());
  Diagnostic diagnostic(code::unknown_name, name.span,
                        fmt::format("`{}` is no argument of `{}`", name.text, rule.operation.name.text));
  if (!rule.operation.has_parameters) {
    diagnostic.helps.push_back(fmt::format("name its arguments: `{}({})`", rule.operation.name.text,
                                           rule.arity == 1   ? "x"
                                           : rule.arity == 2 ? "x, y"
                                                             : "x, y, z"));
  } else if (const auto near = nearest_name(name.text, parameters)) {
    diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
  } else {
    diagnostic.helps.push_back(fmt::format("its arguments here: `{}`", fmt::join(parameters, "`, `")));
  }
  return report(std::move(diagnostic)), std::nullopt;
}

}  // namespace reckon::frontend
