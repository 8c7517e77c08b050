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

/// Whether the rule names as many arguments as there are, each once.
bool RuleElaboration::arguments_are_named() {
  if (operation_.has_parameters && static_cast<int>(operation_.parameters.size()) != arity_) {
    report(Diagnostic(code::argument_count, operation_.name.span,
                      fmt::format("`{}` has {} argument{}, and this rule names {}", operation_.name.text, arity_,
                                  arity_ == 1 ? "" : "s", operation_.parameters.size()))
               .help("a rule that depends on no argument needs no list: `add, mul : rounded`"));
    return false;
  }
  for (std::size_t a = 0; a < operation_.parameters.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (operation_.parameters[a] != operation_.parameters[b]) continue;
      report(Diagnostic(code::duplicate_name, operation_.parameter_spans[a],
                        fmt::format("two arguments are named `{}`", operation_.parameters[a]))
                 .with(operation_.parameter_spans[b], "the first one"));
      return false;
    }
  }
  return true;
}

bool RuleElaboration::add(const RuleDecl& decl) {
  if (!arguments_are_named()) return false;
  // There are as many choices as alternatives in the longest piece; a shorter piece repeats its last alternative.
  std::vector<std::vector<Accuracy>> alternatives;
  ir::Rule out;
  out.span = operation_.name.span;
  if (circuit_ != nullptr) out.definition = circuit_->span;
  for (std::size_t p = 0; p + 1 < decl.pieces.size(); ++p) {
    if (!decl.pieces[p].domains.empty()) continue;
    report(
        Diagnostic(code::bad_accuracy, expr(decl.pieces[p + 1].accuracy).span, "what follows `else` would never count")
            .with(expr(decl.pieces[p].accuracy).span, "this counts everywhere")
            .help("say where the first one counts: `ulps(2) for abs(x) < 1 else ulps(8)`"));
    return false;
  }
  std::size_t most = 1;
  std::optional<bool> hulls;
  for (const PieceDecl& piece : decl.pieces) {
    bool hull = false;
    std::optional<std::vector<Accuracy>> found;
    if (decl.is_circuit) {
      if (auto circuit = inherited(piece.accuracy)) found = {std::move(*circuit)};
    } else {
      found = accuracies(piece.accuracy, hull);
    }
    if (!found) return false;
    if (found->size() > 1) {
      if (hulls && *hulls != hull) {
        report(
            Diagnostic(code::bad_accuracy, expr(piece.accuracy).span, "one rule has either alternatives or their hull")
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
      auto made = domain(each);
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
  builder_.profile.rules[{operation_.name.text, format_}] = std::move(out);
  return true;
}

/// The alternatives of `either(...)` and `hull(...)`; any other accuracy is its own single alternative.
std::optional<std::vector<Accuracy>> RuleElaboration::accuracies(ExprId id, bool& hull) {
  const Expr& written = expr(id);
  const std::string head = written.kind == ExprKind::call ? expr(written.children[0]).text : "";
  if (head != "either" && head != "hull") {
    auto one = accuracy(id);
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
    auto one = accuracy(written.children[k]);
    if (!one) return std::nullopt;
    out.push_back(std::move(*one));
  }
  return out;
}

std::optional<Accuracy> RuleElaboration::accuracy(ExprId id) {
  using Kind = Accuracy::Kind;
  const Expr& written = expr(id);
  Accuracy out;
  out.span = written.span;
  const bool is_call = written.kind == ExprKind::call;
  const std::string head = is_call                          ? expr(written.children[0]).text
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
    if (out.kind != Kind::anything && !has_true_values(out.span)) return std::nullopt;
    return out;
  }
  if (head == "absolute" || head == "ulps") {
    if (!count(1, head == "ulps" ? "how many units in the last place: `ulps(2.5)`" : "how far: `absolute(0x1p-11)`")) {
      return std::nullopt;
    }
    out.kind = head == "ulps" ? Kind::ulps : Kind::absolute;
    if (!has_true_values(out.span)) return std::nullopt;
    if (!amount(written.children[1], out.amount)) return std::nullopt;
    const bool constant = out.amount.steps.size() == 1 && out.amount.steps[0].kind == ir::Amount::Kind::constant;
    if (constant && out.amount.steps[0].value < 0) {
      report(
          Diagnostic(code::bad_accuracy, expr(written.children[1]).span, fmt::format("`{}` of a negative number", head),
                     "an error has no sign")
              .help(fmt::format("it goes both ways: `{}({})`", head, mpq_class(-out.amount.steps[0].value).get_str())));
      return std::nullopt;
    }
    return out;
  }
  if (head == "inherited" && is_call) {
    if (!count(1, "a circuit of the arguments: `inherited(sin(x) / cos(x))`")) return std::nullopt;
    return inherited(written.children[1]);
  }
  if (head == "primitive") {
    out.kind = Kind::primitive;
    const Expr* name = &written;
    out.circuit = operation_.name.text;
    if (is_call) {
      if (!count(1, "the name of a rule: `primitive(fract)`")) return std::nullopt;
      name = &expr(written.children[1]);
      out.circuit = name->text;
    }
    std::vector<std::string> names;
    for (const ir::PrimitiveName& each : ir::primitive_names()) {
      if (each.name == out.circuit && each.arity == arity_) {
        return takes_primitive(each, out.span) ? std::optional(out) : std::nullopt;
      }
      if (each.arity == arity_) names.emplace_back(each.name);
    }
    Diagnostic diagnostic(code::bad_accuracy, name->span,
                          fmt::format("there is no primitive rule `{}` of {} argument{}", out.circuit, arity_,
                                      arity_ == 1 ? "" : "s"));
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
std::optional<Accuracy> RuleElaboration::inherited(ExprId id) {
  const std::string& ruled = operation_.name.text;
  Scope values;
  ir::Function function;
  function.places = module_.places().make();
  const ir::PlacesGuard placing(module_, function.places);
  function.result = module_.types().scalar(format_);
  if (circuit_ != nullptr) {
    function.result = circuit_->result;
    function.dimensions = circuit_->dimensions;
  }
  for (int k = 0; k < arity_; ++k) {
    const auto position = static_cast<std::uint32_t>(k);
    const ir::TypeId type = circuit_ != nullptr ? circuit_->parameters[position].type : module_.types().scalar(format_);
    if (!operation_.has_parameters) {  // a circuit of constants
      function.parameters.push_back({module_.symbol(fmt::format("x{}", k)), type, operation_.name.span});
      continue;
    }
    const std::string& name = operation_.parameters[position];
    values.bind(name, {DynamicValue{module_.parameter(position, type)}});
    function.parameters.push_back({module_.symbol(name), type, operation_.parameter_spans[position]});
  }
  const Context inside = context_.in(values);
  const SourceSpan at = expr(id).span;
  auto* requirements = std::exchange(elaborator_.requirements, circuit_ != nullptr ? &function.requirements : nullptr);
  const std::size_t errors = elaborator_.diagnostics.size();
  auto value = elaborator_.elaborate(inside, id);
  const std::string what = fmt::format("the circuit of `{}` in {}", ruled, ir::scalar_name(format_));
  ir::IndexSubstitution none;
  std::optional<ir::NodeId> body;
  if (value && elaborator_.diagnostics.size() == errors) {
    body = elaborator_.fit(*value, function.result, none, false, at, what);
    if (!body && circuit_ == nullptr && elaborator_.diagnostics.size() > errors) {
      elaborator_.diagnostics.back().helps.push_back(
          "what an operation inherits from is a scalar circuit of scalars, in one format");
    }
  }
  elaborator_.requirements = requirements;
  for (std::size_t k = errors; k < elaborator_.diagnostics.size(); ++k) {
    if (circuit_ == nullptr) continue;
    elaborator_.diagnostics[k].secondary.push_back({circuit_->span, fmt::format("`{}` is defined here", ruled)});
  }
  if (!body) return std::nullopt;
  const std::string name = fmt::format("{}.{}.{}", ruled, ir::scalar_name(format_), builder_.circuits.size());
  function.name = module_.symbol(name);
  function.span = at;
  function.body = *body;
  builder_.circuits.push_back({std::move(function), context_.program, id});
  Accuracy out;
  out.kind = Accuracy::Kind::circuit;
  out.circuit = name;
  out.span = at;
  return out;
}

std::optional<std::uint32_t> RuleElaboration::rule_parameter(const Word& name) {
  const auto& parameters = operation_.parameters;
  const auto found = std::find(parameters.begin(), parameters.end(), name.text);
  if (found != parameters.end()) return static_cast<std::uint32_t>(found - parameters.begin());
  Diagnostic diagnostic(code::unknown_name, name.span,
                        fmt::format("`{}` is no argument of `{}`", name.text, operation_.name.text));
  if (!operation_.has_parameters) {
    diagnostic.helps.push_back(fmt::format("name its arguments: `{}({})`", operation_.name.text,
                                           arity_ == 1   ? "x"
                                           : arity_ == 2 ? "x, y"
                                                         : "x, y, z"));
  } else if (const auto near = nearest_name(name.text, parameters)) {
    diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
  } else {
    diagnostic.helps.push_back(fmt::format("its arguments here: `{}`", fmt::join(parameters, "`, `")));
  }
  return report(std::move(diagnostic)), std::nullopt;
}

}  // namespace reckon::frontend
