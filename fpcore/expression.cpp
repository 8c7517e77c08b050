#include "fpcore/expression.h"

#include <fmt/format.h>

#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/syntax.h"
#include "frontend/parse.h"

namespace reckon::fpcore {

namespace {

constexpr int deepest = 400;

/// The operation on numbers, rounded once; nothing for an operation that is not followed.
std::optional<mpq_class> computed(const std::string& op, const std::vector<Value>& operands, Format format) {
  mpq_class exact;
  for (const Value& each : operands) {
    if (!each.number) return std::nullopt;
  }
  const auto x = [&](std::size_t k) -> const mpq_class& { return *operands[k].number; };
  if (op == "cast" && operands.size() == 1) exact = x(0);
  else if (op == "-" && operands.size() == 1) exact = -x(0);
  else if (op == "fabs" && operands.size() == 1) exact = abs(x(0));
  else if (operands.size() != 2) return std::nullopt;
  else if (op == "+") exact = x(0) + x(1);
  else if (op == "-") exact = x(0) - x(1);
  else if (op == "*") exact = x(0) * x(1);
  else if (op == "/" && x(1) != 0) exact = x(0) / x(1);
  else return std::nullopt;
  return numerics::exact_value(numerics::round_rational(exact, format), format);
}

bool compares(const std::string& op, const mpq_class& a, const mpq_class& b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  return (a == b) == (op == "==");
}

/// Letters, digits and underscores, no word of the language.
std::string plain(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter) out += c;
    else if (!out.empty() && out.back() != '_') out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out = "v" + out;
  return frontend::is_reserved(out) || is_taken(out) ? out + "_" : out;
}

}  // namespace

std::string unique_name(const std::string& name, UsedNames& names) {
  const std::string base = plain(name);
  std::string out = base;
  int& next = names.next.try_emplace(base, 2).first->second;
  for (; !names.all.insert(out).second; ++next) out = fmt::format("{}_{}", base, next);
  return out;
}

namespace {

/// With digits on both sides of the point: `.5` and `1.` are numbers of FPCore, too.
std::string with_all_digits(std::string_view text) {
  std::string out(text);
  if (out[0] == '.') out.insert(0, 1, '0');
  const bool is_hexadecimal = out.starts_with("0x") || out.starts_with("0X");
  const auto is_digit = [&](char c) {
    return (c >= '0' && c <= '9') || (is_hexadecimal && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
  };
  const std::size_t point = out.find('.');
  const bool lacks = point != std::string::npos && (point + 1 == out.size() || !is_digit(out[point + 1]));
  if (lacks) out.insert(point + 1, 1, '0');
  return out;
}

}  // namespace

std::optional<mpq_class> number_of(const Term& term) {
  if (term.is_list || term.is_string || term.text.empty()) return std::nullopt;
  const bool negative = term.text[0] == '-';
  const std::string_view digits = std::string_view(term.text).substr(negative || term.text[0] == '+' ? 1 : 0);
  const auto begins_with_digit = [](std::string_view text) {
    return !text.empty() && text[0] >= '0' && text[0] <= '9';
  };
  const bool begins_with_point = digits.starts_with('.');
  if (!begins_with_digit(begins_with_point ? digits.substr(1) : digits)) return std::nullopt;
  const auto slash = digits.find('/');
  auto value = numerics::parse_number(with_all_digits(digits.substr(0, slash)));
  if (!value) return std::nullopt;
  if (slash != std::string_view::npos) {
    const auto below = numerics::parse_number(digits.substr(slash + 1));
    if (!below || *below == 0) return std::nullopt;
    *value /= *below;
  }
  return negative ? -*value : *value;
}

Diagnostic not_read(const Term& term) {
  const bool call = term.is_list && !term.parts.empty() && !term.parts[0].is_list;
  return Diagnostic(code::not_available, term.span,
                    fmt::format("`{}` is not read from FPCore", call ? term.parts[0].text : term.text))
      .help("write it by arithmetic, the functions of mathematics, `if`, `let`, loops or tensors");
}

std::string Expressions::fresh(const std::string& name) { return unique_name(name, names_); }

Value Expressions::number(const mpq_class& exact) const {
  return {.text = fmt::format("{}({})", format_name(format_), exact.get_str()),
          .format = format_,
          .number = numerics::exact_value(numerics::round_rational(exact, format_), format_)};
}

Expected<Value> Expressions::value(const Term& term, const Scope& scope) {
  if (++depth_ > deepest)
    return Diagnostic(code::not_available, term.span, "this is nested too deeply")
        .help("name parts of it: `(let ([part (...)]) ...)`");
  auto out = term.is_list ? call(term, scope) : atom(term, scope);
  --depth_;
  return out;
}

Expected<Value> Expressions::atom(const Term& term, const Scope& scope) {
  if (const auto found = scope.find(term.text); found != scope.end() && !term.is_string) return found->second;
  if (const auto exact = number_of(term)) return number(*exact);
  if (const auto found = constants().find(term.text); found != constants().end() && !term.is_string) {
    return Value{.text = fmt::format("{}({})", format_name(format_), found->second), .format = format_};
  }
  return not_read(term);
}

Expected<Value> Expressions::call(const Term& term, const Scope& scope) {
  if (term.parts.empty() || term.parts[0].is_list)
    return Diagnostic(code::syntax, term.span, "an operation stands first in a list");
  const std::string& op = term.parts[0].text;
  if (op == "let" || op == "let*") return bound(term, scope, op == "let*");
  if (op == "if") return choice(term, scope);
  if (op == "!") return in_context(term, scope);
  if (op == "while" || op == "while*") return loop(term, scope, op == "while*");
  if (op == "for" || op == "for*") return counted(term, scope, op == "for*", false);
  if (op == "tensor" || op == "tensor*") return counted(term, scope, op == "tensor*", true);
  if (op == "array") return list(term, scope);
  if (op == "ref") return element(term, scope);
  if (op == "dim" || op == "size") return extent(term, scope);
  return operation(term, scope);
}

/// The float in a format that holds it. FPCore rounds what an operation gives, once, and not its operands.
Expected<std::string> Expressions::operand(const Value& value, Format format, const Term& term) const {
  if (value.is_tensor()) return Diagnostic(code::syntax, term.span, "a tensor stands where a number is needed");
  if (value.format == format) return value.text;
  if (numerics::holds(format, value.format)) return fmt::format("{}({})", format_name(format), value.text);
  return Diagnostic(code::not_available, term.span,
                    fmt::format("an operation that rounds `{}` to `{}` at once is not read from FPCore",
                                *precision_of(value.format), *precision_of(format)))
      .help("round the operand first: `(cast x)`");
}

Expected<Value> Expressions::choice(const Term& term, const Scope& scope) {
  if (term.parts.size() != 4) return Diagnostic(code::syntax, term.span, "write `(if condition this that)`");
  const auto condition = truth(term.parts[1], scope);
  if (!condition) return condition.error();
  if (condition->known) return value(term.parts[*condition->known ? 2 : 3], scope);
  const auto yes = value(term.parts[2], scope);
  const auto no = yes ? value(term.parts[3], scope) : yes;
  if (!no) return no;
  if (yes->is_tensor() || no->is_tensor())
    return Diagnostic(code::not_available, term.span, "an `if` that gives tensors is not read from FPCore")
        .help("choose each element: `(tensor ([i n]) (if c (ref a i) (ref b i)))`");
  const Format format = numerics::holds(yes->format, no->format) ? yes->format : no->format;
  const auto left = operand(*yes, format, term.parts[2]);
  const auto right = left ? operand(*no, format, term.parts[3]) : left;
  if (!right) return right.error();
  return Value{.text = fmt::format("select({}, {}, {})", condition->text, *left, *right), .format = format};
}

Expected<Value> Expressions::operation(const Term& term, const Scope& scope) {
  const std::string& op = term.parts[0].text;
  const std::size_t size = term.parts.size() - 1;
  const bool infix = op == "+" || op == "-" || op == "*" || op == "/";
  const auto function = functions().find(op);
  if (!infix && op != "cast" && op != "fdim" && op != "round" && function == functions().end()) return not_read(term);
  std::vector<Value> operands;
  std::vector<std::string> texts;
  for (std::size_t k = 1; k <= size; ++k) {
    auto each = value(term.parts[k], scope);
    if (!each) return each;
    // `cast` rounds what it is given.
    auto text = op == "cast" && !each->is_tensor() ? each->text : operand(*each, format_, term.parts[k]);
    if (!text) return text.error();
    operands.push_back(std::move(*each));
    texts.push_back(std::move(*text));
  }
  Value out{.format = format_, .number = computed(op, operands, format_)};
  const auto needs = [&](std::size_t count) {
    return Diagnostic(code::syntax, term.span,
                      fmt::format("`{}` has {}", op, count == 1 ? "one operand" : "two operands"));
  };
  if (op == "cast") {
    if (size != 1) return needs(1);
    out.text = operands[0].format == format_ ? texts[0] : fmt::format("{}({})", format_name(format_), texts[0]);
  } else if (op == "round") {
    if (size != 1) return needs(1);
    return rounded_away(term, {.text = texts[0], .format = format_});
  } else if (op == "fdim") {
    if (size != 2) return needs(2);
    out.text = fmt::format("select({0} > {1}, {0} - {1}, {2}(0))", texts[0], texts[1], format_name(format_));
  } else if (op == "-" && size == 1) {
    out.text = fmt::format("(-{})", texts[0]);
  } else if (infix) {
    if (size != 2) return needs(2);
    out.text = fmt::format("({} {} {})", texts[0], op, texts[1]);
  } else {
    out.text = fmt::format("{}({})", function->second, fmt::join(texts, ", "));
  }
  return out;
}

/// The nearest integer, ties away from 0: what is left of a float after its integer part is exact.
Expected<Value> Expressions::rounded_away(const Term& term, const Value& operand) {
  const Value x = named(term.parts[1].is_list ? "x" : term.parts[1].text, operand);
  const std::string whole = fresh("whole"), one = fmt::format("copysign({}(1), {})", format_name(format_), x.text);
  lines_.push_back(fmt::format("let {} = trunc({});", whole, x.text));
  return Value{.text = fmt::format("select(abs({0} - {1}) >= {2}(1/2), {1} + {3}, {1})", x.text, whole,
                                   format_name(format_), one),
               .format = format_};
}

/// The value becomes a name of the circuit, which is its own.
Value Expressions::named(const std::string& name, Value value) {
  if (value.is_tensor()) return value;
  const std::string mine = fresh(name);
  lines_.push_back(fmt::format("let {} = {};", mine, value.text));
  value.text = mine;
  return value;
}

Expected<Value> Expressions::bound(const Term& term, const Scope& scope, bool in_turn) {
  if (term.parts.size() != 3 || !term.parts[1].is_list) {
    return Diagnostic(code::syntax, term.span, "write `(let ((x value) ...) body)`");
  }
  Scope inner = scope;
  for (const Term& each : term.parts[1].parts) {
    if (!each.is_list || each.parts.size() != 2 || each.parts[0].is_list) {
      return Diagnostic(code::syntax, each.span, "write `(x value)`");
    }
    auto found = value(each.parts[1], in_turn ? inner : scope);
    if (!found) return found;
    inner[each.parts[0].text] = named(each.parts[0].text, std::move(*found));
  }
  return value(term.parts[2], inner);
}

/// `(! :precision binary32 body)`.
Expected<Value> Expressions::in_context(const Term& term, const Scope& scope) {
  Format format = format_;
  std::size_t at = 1;
  for (; at + 2 < term.parts.size() && term.parts[at].text.starts_with(':'); at += 2) {
    const Term& what = term.parts[at + 1];
    if (term.parts[at].is(":precision")) {
      const auto found = format_of_precision(what.text);
      if (!found || what.is_list) return not_read(what).help("binary64, binary32, binary16 and bfloat16 are");
      format = *found;
    } else if (term.parts[at].is(":round") && !what.is("nearestEven")) {
      return not_read(what).help("operations round to nearest, ties to even: `nearestEven`");
    }
  }
  if (at + 1 != term.parts.size()) return Diagnostic(code::syntax, term.span, "write `(! :precision binary32 body)`");
  std::swap(format, format_);
  auto out = value(term.parts[at], scope);
  format_ = format;
  return out;
}

Expected<Truth> Expressions::truth(const Term& term, const Scope& scope) {
  if (term.is("TRUE") || term.is("FALSE")) return Truth{term.is("TRUE") ? "true" : "false", term.is("TRUE")};
  if (!term.is_list || term.parts.empty() || term.parts[0].is_list) return not_read(term);
  const std::string& op = term.parts[0].text;
  if (op == "not" && term.parts.size() == 2) {
    auto of = truth(term.parts[1], scope);
    if (!of) return of;
    return Truth{fmt::format("(not {})", of->text), of->known ? std::optional(!*of->known) : std::nullopt};
  }
  static const std::set<std::string, std::less<>> comparisons = {"<", "<=", ">", ">=", "==", "!="};
  if (op == "and" || op == "or") {
    std::vector<std::string> texts;
    std::optional<bool> known = op == "and";
    for (std::size_t k = 1; k < term.parts.size(); ++k) {
      auto part = truth(term.parts[k], scope);
      if (!part) return part;
      if (part->known == (op == "or")) return part;  // it decides
      if (!part->known) known = std::nullopt;
      texts.push_back(std::move(part->text));
    }
    if (texts.empty()) return not_read(term);
    return Truth{fmt::format("({})", fmt::join(texts, fmt::format(" {} ", op))), known};
  }
  if (!comparisons.contains(op) || term.parts.size() < 3 || (op == "!=" && term.parts.size() > 3)) return not_read(term);
  std::vector<Value> values;
  for (std::size_t k = 1; k < term.parts.size(); ++k) {
    auto each = value(term.parts[k], scope);
    if (!each) return each.error();
    values.push_back(std::move(*each));
  }
  std::vector<std::string> pairs;
  std::optional<bool> known = true;
  for (std::size_t k = 0; k + 1 < values.size(); ++k) {
    const Value &a = values[k], &b = values[k + 1];
    const Format format = numerics::holds(a.format, b.format) ? a.format : b.format;
    const auto left = operand(a, format, term.parts[k + 1]);
    const auto right = left ? operand(b, format, term.parts[k + 2]) : left;
    if (!right) return right.error();
    pairs.push_back(fmt::format("{} {} {}", *left, op, *right));
    if (!a.number || !b.number) known = std::nullopt;
    else if (known) known = *known && compares(op, *a.number, *b.number);
  }
  return Truth{fmt::format("({})", fmt::join(pairs, " and ")), known};
}

}  // namespace reckon::fpcore
