// The rules of accuracy profiles: amounts, and where they count.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/bad_accuracy.h"
#include "diagnostics/codes/empty_domain.h"
#include "frontend/find_expression.h"
#include "frontend/profile_builder.h"

namespace reckon::frontend {

/// Whether an expression depends on an argument of the rule.
bool RuleElaboration::names_argument(ExprId id) const {
  const auto& names = operation_.parameters;
  return find_expression(elaborator_.programs[context_.program].tree, id, [&](const Expr& at) {
    return at.kind == ExprKind::name && std::count(names.begin(), names.end(), at.text) != 0;
  });
}

bool RuleElaboration::amount(ExprId id, ir::Amount& out) {
  using Kind = ir::Amount::Kind;
  const Expr& written = expr(id);
  const Environment& environment = *elaborator_.programs[context_.program].environment;
  auto refuse = [&](const std::string& what) {
    report(Diagnostic(code::bad_accuracy, written.span, what)
               .help("an amount is made of numbers, the arguments, `+ - * /`, `abs`, `floor`, `min` and `max`"));
    return false;
  };
  // Folds steps that are all constant so far into one.
  auto apply = [&](Kind kind, std::size_t operands) {
    out.steps.push_back({kind, {}, 0});
    const std::size_t n = out.steps.size();
    if (n < operands + 1) return true;
    for (std::size_t k = n - 1 - operands; k < n - 1; ++k) {
      if (out.steps[k].kind != Kind::constant) return true;
    }
    mpq_class a = out.steps[n - 1 - operands].value;
    const mpq_class b = operands == 2 ? out.steps[n - 2].value : mpq_class(0);
    switch (kind) {
      case Kind::neg: a = -a; break;
      case Kind::abs: a = abs(a); break;
      case Kind::floor: {
        mpz_class floor;
        mpz_fdiv_q(floor.get_mpz_t(), a.get_num_mpz_t(), a.get_den_mpz_t());
        a = floor;
        break;
      }
      case Kind::add: a += b; break;
      case Kind::sub: a -= b; break;
      case Kind::mul: a *= b; break;
      case Kind::div:
        if (b == 0) return refuse("an amount is divided by zero");
        a /= b;
        break;
      case Kind::min: a = std::min(a, b); break;
      default: a = std::max(a, b); break;
    }
    out.steps.resize(n - 1 - operands);
    out.steps.push_back({Kind::constant, a, 0});
    return true;
  };
  if (written.kind == ExprKind::unary && written.text == "-") {
    return amount(written.children[0], out) && apply(Kind::neg, 1);
  }
  static const std::pair<std::string_view, Kind> signs[] = {
      {"+", Kind::add}, {"-", Kind::sub}, {"*", Kind::mul}, {"/", Kind::div}};
  if (written.kind == ExprKind::binary) {
    for (const auto& [sign, kind] : signs) {
      if (written.text != sign) continue;
      return amount(written.children[0], out) && amount(written.children[1], out) && apply(kind, 2);
    }
    return refuse(fmt::format("`{}` has no meaning in an amount", written.text));
  }
  static const std::pair<std::string_view, Kind> functions[] = {
      {"abs", Kind::abs}, {"floor", Kind::floor}, {"min", Kind::min}, {"max", Kind::max}};
  if (written.kind == ExprKind::call) {
    const std::string& head = expr(written.children[0]).text;
    for (const auto& [name, kind] : functions) {
      const std::size_t wanted = kind == Kind::min || kind == Kind::max ? 2 : 1;
      if (head != name || written.children.size() - 1 != wanted) continue;
      for (std::size_t k = 1; k <= wanted; ++k) {
        if (!amount(written.children[k], out)) return false;
      }
      return apply(kind, wanted);
    }
    if (names_argument(id)) return refuse(fmt::format("`{}` has no meaning in an amount", head));
  }
  if (written.kind == ExprKind::name) {
    const auto& parameters = operation_.parameters;
    const bool known = elaborator_.predefined.contains(written.text) ||
                       environment.definitions.contains(written.text) || environment.remembered.contains(written.text);
    if (std::count(parameters.begin(), parameters.end(), written.text) != 0 || !known) {
      const auto position = rule_parameter({written.text, written.span});
      if (!position || !is_number(*position, written.span, "an amount")) return false;
      out.steps.push_back({Kind::argument, {}, *position});
      return true;
    }
  }
  auto value = elaborator_.elaborate(context_, id);
  if (!value) return false;
  const auto* number = value->get_if<mpq_class>();
  if (number == nullptr)
    return refuse(fmt::format("an amount is a number, and this is {}", elaborator_.kind_text(*value)));
  out.steps.push_back({Kind::constant, *number, 0});
  return true;
}

std::optional<ir::Literal> RuleElaboration::domain_end(ExprId id) {
  auto value = elaborator_.elaborate(context_, id);
  if (!value) return std::nullopt;
  ir::Literal out;
  if (auto* number = value->get_if<mpq_class>()) {
    out.kind = ir::Literal::Kind::rational;
    out.value = *number;
    return out;
  }
  if (auto* real = value->get_if<RealMultiple>()) {
    out.kind = ir::Literal::Kind::real;
    out.value = real->factor;
    out.constant = real->constant;
    return out;
  }
  if (auto* special = value->get_if<SpecialNumber>(); special && !special->nan) {
    out.kind = ir::Literal::Kind::infinity;
    out.negative = special->negative;
    return out;
  }
  report(Diagnostic(code::bad_accuracy, expr(id).span,
                    fmt::format("a domain ends at a number, and this is {}", elaborator_.kind_text(*value)))
             .help("for example `for x: -pi..pi`, `for abs(y): 0x1p-126..0x1p126`, `for x > 0`"));
  return std::nullopt;
}

std::optional<ir::Domain> RuleElaboration::domain(const DomainDecl& decl) {
  ir::Domain out;
  out.span = decl.span;
  Word parameter = decl.parameter, function = decl.function;
  ir::Domain::Range half;
  std::optional<ExprId> end;
  bool upper = false;  // the value is the range's upper endpoint
  if (!decl.comparison.empty()) {
    // The argument stands on one side, perhaps under `abs`.
    auto subject = [&](ExprId id) {
      const Expr& side = expr(id);
      const Expr* name = &side;
      Word called;
      if (side.kind == ExprKind::call && side.children.size() == 2) {
        name = &expr(side.children[1]);
        called = {expr(side.children[0]).text, side.operator_span};
      }
      if (name->kind != ExprKind::name || elaborator_.predefined.contains(name->text)) return false;
      parameter = {name->text, name->span};
      function = called;
      return true;
    };
    upper = decl.comparison[0] == '<';
    if (subject(decl.left)) {
      end = decl.right;
    } else if (subject(decl.right)) {
      end = decl.left;
      upper = !upper;
    } else {
      report(Diagnostic(code::bad_accuracy, decl.span, "a domain is a condition on one argument")
                 .help("for example `for x > 0`, `for x: -pi..pi`, `for abs(y): 0x1p-126..0x1p126`"));
      return std::nullopt;
    }
  }
  if (!function.text.empty() && function.text != "abs") {
    report(Diagnostic(code::bad_accuracy, function.span,
                      fmt::format("a domain is of an argument or of its `abs`, not of its `{}`", function.text)));
    return std::nullopt;
  }
  out.magnitude = !function.text.empty();
  const auto position = rule_parameter(parameter);
  if (!position || !is_number(*position, parameter.span, "a domain")) return std::nullopt;
  out.argument = *position;
  if (end) {
    auto literal = domain_end(*end);
    if (!literal) return std::nullopt;
    ir::Literal infinite;
    infinite.kind = ir::Literal::Kind::infinity;
    infinite.negative = upper;
    const bool open = decl.comparison.size() == 1;
    out.ranges.push_back(upper ? ir::Domain::Range{infinite, *literal, false, open}
                               : ir::Domain::Range{*literal, infinite, open, false});
  }
  for (const auto& [low, high] : decl.ranges) {
    auto from = domain_end(low);
    auto to = from ? domain_end(high) : std::nullopt;
    if (!to) return std::nullopt;
    out.ranges.push_back({*from, *to, false, false});
  }
  for (const ir::Domain::Range& range : out.ranges) {
    if (ir::has_number(range, out.magnitude, ir::format_of(format_))) continue;
    Diagnostic diagnostic(code::empty_domain, decl.span,
                          fmt::format("no number of {} lies in this domain", ir::scalar_name(format_)));
    diagnostic.secondary.push_back({operation_.name.span, fmt::format("in the rule for `{}`", operation_.name.text)});
    diagnostic.helps.push_back(range.low.kind == range.high.kind && range.low.value > range.high.value
                                   ? "a range goes from its lower end to its upper one: `for x: 1..2`"
                                   : "outside of its domains anything goes: a rule needs one that holds some number");
    return report(std::move(diagnostic)), std::nullopt;
  }
  return out;
}

}  // namespace reckon::frontend
