#include "fpcore/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/syntax.h"
#include "fpcore/terms.h"
#include "frontend/parse.h"
#include "numerics/format.h"

namespace reckon::fpcore {

namespace {

/// Operations that are functions of Reckon, by FPCore's names.
const std::map<std::string, std::string, std::less<>> functions = {
    {"fabs", "abs"},    {"fma", "fma"},        {"sqrt", "sqrt"},         {"exp", "exp"},      {"exp2", "exp2"},
    {"expm1", "expm1"}, {"log", "log"},        {"log2", "log2"},         {"log10", "log10"},  {"log1p", "log1p"},
    {"pow", "pow"},     {"cbrt", "cbrt"},      {"hypot", "hypot"},       {"sin", "sin"},      {"cos", "cos"},
    {"tan", "tan"},     {"asin", "asin"},      {"acos", "acos"},         {"atan", "atan"},    {"atan2", "atan2"},
    {"sinh", "sinh"},   {"cosh", "cosh"},      {"tanh", "tanh"},         {"asinh", "asinh"},  {"acosh", "acosh"},
    {"atanh", "atanh"}, {"erf", "erf"},        {"erfc", "erfc"},         {"tgamma", "gamma"}, {"lgamma", "lgamma"},
    {"fmin", "minnum"}, {"fmax", "maxnum"},    {"copysign", "copysign"}, {"floor", "floor"},  {"ceil", "ceil"},
    {"trunc", "trunc"}, {"nearbyint", "round"}};

const std::map<std::string, std::string, std::less<>> constants = {{"E", "e"},
                                                                   {"PI", "pi"},
                                                                   {"LN2", "ln2"},
                                                                   {"LOG2E", "log2e"},
                                                                   {"LN10", "log(10)"},
                                                                   {"LOG10E", "1 / log(10)"},
                                                                   {"PI_2", "pi / 2"},
                                                                   {"PI_4", "pi / 4"},
                                                                   {"M_1_PI", "1 / pi"},
                                                                   {"M_2_PI", "2 / pi"},
                                                                   {"M_2_SQRTPI", "2 / sqrt(pi)"},
                                                                   {"SQRT2", "sqrt(2)"},
                                                                   {"SQRT1_2", "sqrt(1 / 2)"},
                                                                   {"INFINITY", "inf"},
                                                                   {"NAN", "nan"}};

/// Names that mean something else in Reckon's expressions.
const std::set<std::string, std::less<>> taken = {"pi",    "e",    "ln2",   "log2e",  "inf",  "nan", "true",
                                                  "false", "min",  "max",   "sum",    "prod", "f64", "f32",
                                                  "f16",   "bf16", "bound", "select", "abs"};

/// Reckon's names of functions, which a circuit may call.
const std::set<std::string, std::less<>>& called() {
  static const auto names = [] {
    std::set<std::string, std::less<>> out;
    for (const auto& [theirs, ours] : functions) out.insert(ours);
    return out;
  }();
  return names;
}

/// `3`, `-1.5e-3`, `1/3`: a number as it stands.
std::optional<mpq_class> number_of(const Term& term) {
  if (term.is_list || term.is_string || term.text.empty()) return std::nullopt;
  const bool negative = term.text[0] == '-';
  const std::string_view digits = std::string_view(term.text).substr(negative || term.text[0] == '+' ? 1 : 0);
  if (digits.empty() || ((digits[0] < '0' || digits[0] > '9') && digits[0] != '.')) return std::nullopt;
  const auto slash = digits.find('/');
  auto value = numerics::parse_number(digits.substr(0, slash));
  if (!value) return std::nullopt;
  if (slash != std::string_view::npos) {
    const auto below = numerics::parse_number(digits.substr(slash + 1));
    if (!below || *below == 0) return std::nullopt;
    *value /= *below;
  }
  return negative ? -*value : *value;
}

class Core {
 public:
  Core(const Term& term, std::set<std::string>& names) : term_(term), names_(names) {}

  Expected<std::string> program() {
    std::size_t at = 1;
    std::string name = "core";
    if (at < term_.parts.size() && !term_.parts[at].is_list) name = term_.parts[at++].text;
    if (at >= term_.parts.size() || !term_.parts[at].is_list) {
      return Diagnostic(code::syntax, term_.span, "an FPCore has a list of arguments: `(FPCore (x y) ...)`");
    }
    const Term& arguments = term_.parts[at++];
    const Term* pre = nullptr;
    while (at + 1 < term_.parts.size() && !term_.parts[at].is_list && term_.parts[at].text.starts_with(':')) {
      const Term &key = term_.parts[at], &value = term_.parts[at + 1];
      at += 2;
      if (key.is(":precision")) {
        if (auto problem = precision(value)) return *problem;
      } else if (key.is(":pre")) {
        pre = &value;
      } else if (key.is(":name") && value.is_string) {
        title_ = value.text;
      }
    }
    if (at + 1 != term_.parts.size()) {
      return Diagnostic(code::syntax, term_.span, "an FPCore ends in one expression, its body");
    }
    if (name == "core" && !title_.empty()) name = title_;
    name = unique(plain(name), names_);
    Scope scope;
    std::vector<std::string> parameters;
    for (const Term& argument : arguments.parts) {
      if (argument.is_list) {
        return Diagnostic(code::not_available, argument.span,
                          "tensors and arguments with a precision of their own are not read from FPCore");
      }
      parameters.push_back(fresh(argument.text));
      scope[argument.text] = parameters.back();
    }
    auto body = expression(term_.parts.back(), scope);
    if (!body) return body.error();
    std::string out = fmt::format("fn {}(", name);
    for (std::size_t k = 0; k < parameters.size(); ++k)
      out += fmt::format("{}{}: {}", k == 0 ? "" : ", ", parameters[k], format_);
    out += fmt::format(") -> {} {{\n", format_);
    for (const std::string& line : lines_) out += "  " + line + "\n";
    out += fmt::format("  {}\n}}\n", *body);
    return ending(out, name, pre, scope, parameters);
  }

 private:
  using Scope = std::map<std::string, std::string>;
  struct Range {
    std::optional<mpq_class> low, high;
  };

  /// The question, or why there is none.
  Expected<std::string> ending(const std::string& circuit, const std::string& name, const Term* pre, const Scope& scope,
                               const std::vector<std::string>& parameters) {
    lines_.clear();
    if (pre != nullptr) {
      if (auto problem = precondition(*pre, scope)) return *problem;
    }
    if (!lines_.empty()) {
      return Diagnostic(code::not_available, pre->span, "a precondition with `let` is not read from FPCore");
    }
    const std::string shown = title_.empty() ? name : title_;
    std::vector<std::string> clauses;
    for (const std::string& parameter : parameters) {
      const Range& range = ranges_[parameter];
      if (!range.low || !range.high) {
        return circuit + fmt::format("show \"{}: no range is stated for {}\"\n", quoted(shown), parameter);
      }
      clauses.push_back(fmt::format("{}: {}..{}", parameter, text(*range.low), text(*range.high)));
    }
    if (clauses.empty()) return circuit + fmt::format("show \"{}\"\nshow {}() in bound\n", quoted(shown), name);
    clauses.insert(clauses.end(), conditions_.begin(), conditions_.end());
    return circuit + fmt::format("show \"{}\"\nshow bound({}) for {}\n", quoted(shown), name, fmt::join(clauses, ", "));
  }

  static std::string quoted(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' ? '\'' : c;
    return out;
  }
  static std::string text(const mpq_class& value) {
    return value < 0 ? fmt::format("({})", value.get_str()) : value.get_str();
  }

  /// Letters, digits and underscores, no word of the language.
  static std::string plain(const std::string& name) {
    std::string out;
    for (const char c : name) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (letter) out += c;
      else if (!out.empty() && out.back() != '_') out += '_';
    }
    while (!out.empty() && out.back() == '_') out.pop_back();
    if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out = "v" + out;
    return frontend::is_reserved(out) || taken.contains(out) || called().contains(out) ? out + "_" : out;
  }
  static std::string unique(const std::string& name, std::set<std::string>& names) {
    std::string out = name;
    for (int k = 2; !names.insert(out).second; ++k) out = fmt::format("{}_{}", name, k);
    return out;
  }
  std::string fresh(const std::string& name) { return unique(plain(name), locals_); }

  std::optional<Diagnostic> precision(const Term& value) {
    if (value.is("binary64")) format_ = "f64";
    else if (value.is("binary32")) format_ = "f32";
    else if (value.is("binary16")) format_ = "f16";
    else if (value.is("bfloat16")) format_ = "bf16";
    else {
      return Diagnostic(code::not_available, value.span,
                        "this precision is none that Reckon's circuits are read in from FPCore")
          .help("binary64, binary32, binary16 and bfloat16 are");
    }
    return std::nullopt;
  }

  static Diagnostic unknown(const Term& term) {
    const bool call = term.is_list && !term.parts.empty() && !term.parts[0].is_list;
    return {code::not_available, term.span,
            fmt::format("`{}` is not read from FPCore", call ? term.parts[0].text : term.text)};
  }

  Expected<std::string> expression(const Term& term, const Scope& scope) {
    if (++depth_ > deepest) return Diagnostic(code::not_available, term.span, "this is nested too deeply");
    auto out = term.is_list ? call(term, scope) : atom(term, scope);
    --depth_;
    return out;
  }

  Expected<std::string> atom(const Term& term, const Scope& scope) {
    if (const auto found = scope.find(term.text); found != scope.end() && !term.is_string) return found->second;
    if (const auto value = number_of(term)) return fmt::format("{}({})", format_, value->get_str());
    if (const auto found = constants.find(term.text); found != constants.end() && !term.is_string) {
      return fmt::format("{}({})", format_, found->second);
    }
    return unknown(term);
  }

  Expected<std::string> call(const Term& term, const Scope& scope) {
    if (term.parts.empty() || term.parts[0].is_list)
      return Diagnostic(code::syntax, term.span, "an operation stands first in a list");
    const std::string& op = term.parts[0].text;
    const std::size_t count = term.parts.size() - 1;
    if (op == "let" || op == "let*") return bound(term, scope, op == "let*");
    if (op == "if" && count == 3) {
      const auto condition = truth(term.parts[1], scope);
      const auto yes = condition ? expression(term.parts[2], scope) : condition;
      const auto no = yes ? expression(term.parts[3], scope) : yes;
      if (!no) return no.error();
      return fmt::format("select({}, {}, {})", *condition, *yes, *no);
    }
    std::vector<std::string> operands;
    const bool known = op == "+" || op == "-" || op == "*" || op == "/" || op == "cast" || functions.contains(op);
    if (!known) return unknown(term);
    for (std::size_t k = 1; k <= count; ++k) {
      auto operand = expression(term.parts[k], scope);
      if (!operand) return operand.error();
      operands.push_back(std::move(*operand));
    }
    if (op == "cast" && count == 1) return fmt::format("{}({})", format_, operands[0]);
    if (op == "-" && count == 1) return fmt::format("(-{})", operands[0]);
    if (const auto found = functions.find(op); found != functions.end()) {
      return fmt::format("{}({})", found->second, fmt::join(operands, ", "));
    }
    if (count != 2) return Diagnostic(code::syntax, term.span, fmt::format("`{}` has two operands", op));
    return fmt::format("({} {} {})", operands[0], op, operands[1]);
  }

  /// The values become names of the circuit, each of which is its own.
  Expected<std::string> bound(const Term& term, const Scope& scope, bool in_turn) {
    if (term.parts.size() != 3 || !term.parts[1].is_list) {
      return Diagnostic(code::syntax, term.span, "write `(let ((x value) ...) body)`");
    }
    Scope inner = scope;
    for (const Term& each : term.parts[1].parts) {
      if (!each.is_list || each.parts.size() != 2 || each.parts[0].is_list) {
        return Diagnostic(code::syntax, each.span, "write `(x value)`");
      }
      auto value = expression(each.parts[1], in_turn ? inner : scope);
      if (!value) return value;
      const std::string name = fresh(each.parts[0].text);
      lines_.push_back(fmt::format("let {} = {};", name, *value));
      inner[each.parts[0].text] = name;
    }
    return expression(term.parts[2], inner);
  }

  Expected<std::string> truth(const Term& term, const Scope& scope) {
    if (!term.is_list || term.parts.empty() || term.parts[0].is_list) return unknown(term);
    const std::string& op = term.parts[0].text;
    if (op == "not" && term.parts.size() == 2) {
      auto of = truth(term.parts[1], scope);
      return of ? Expected<std::string>(fmt::format("(not {})", *of)) : of;
    }
    const bool joins = op == "and" || op == "or";
    static const std::set<std::string, std::less<>> comparisons = {"<", "<=", ">", ">=", "==", "!="};
    if (!joins && !comparisons.contains(op)) return unknown(term);
    std::vector<std::string> parts;
    for (std::size_t k = 1; k < term.parts.size(); ++k) {
      auto part = joins ? truth(term.parts[k], scope) : expression(term.parts[k], scope);
      if (!part) return part;
      parts.push_back(std::move(*part));
    }
    if (joins && !parts.empty()) return fmt::format("({})", fmt::join(parts, fmt::format(" {} ", op)));
    if (parts.size() < 2 || (op == "!=" && parts.size() > 2)) return unknown(term);
    std::vector<std::string> pairs;
    for (std::size_t k = 0; k + 1 < parts.size(); ++k)
      pairs.push_back(fmt::format("{} {} {}", parts[k], op, parts[k + 1]));
    return fmt::format("({})", fmt::join(pairs, " and "));
  }

  /// Ranges, where a comparison is one of an argument with a number, and conditions.
  std::optional<Diagnostic> precondition(const Term& term, const Scope& scope) {
    if (term.is("TRUE")) return std::nullopt;
    if (term.calls("and")) {
      for (std::size_t k = 1; k < term.parts.size(); ++k) {
        if (auto problem = precondition(term.parts[k], scope)) return problem;
      }
      return std::nullopt;
    }
    const bool rises = term.calls("<") || term.calls("<="), falls = term.calls(">") || term.calls(">=");
    bool all_ranges = rises || falls;
    for (std::size_t k = 1; all_ranges && k + 1 < term.parts.size(); ++k) {
      const Term &low = term.parts[rises ? k : k + 1], &high = term.parts[rises ? k + 1 : k];
      all_ranges = takes_range(low, high, scope);
    }
    if (all_ranges) return std::nullopt;
    auto condition = truth(term, scope);
    if (!condition) return condition.error();
    conditions_.push_back(std::move(*condition));
    return std::nullopt;
  }

  bool takes_range(const Term& low, const Term& high, const Scope& scope) {
    const auto a = number_of(low), b = number_of(high);
    if (a && !high.is_list && scope.contains(high.text)) {
      Range& range = ranges_[scope.at(high.text)];
      if (!range.low || *a > *range.low) range.low = *a;
      return true;
    }
    if (b && !low.is_list && scope.contains(low.text)) {
      Range& range = ranges_[scope.at(low.text)];
      if (!range.high || *b < *range.high) range.high = *b;
      return true;
    }
    return false;
  }

  static constexpr int deepest = 400;

  const Term& term_;
  std::set<std::string>& names_;
  std::set<std::string> locals_;
  std::string format_ = "f64", title_;
  std::vector<std::string> lines_;       ///< of the circuit, before its result
  std::map<std::string, Range> ranges_;  ///< by the parameters' names in the circuit
  std::vector<std::string> conditions_;
  int depth_ = 0;
};

}  // namespace

Expected<std::string> program_of(const SourceMap& sources, std::uint32_t file) {
  const auto terms = read_terms(sources, file);
  if (!terms) return terms.error();
  std::set<std::string> names;
  std::string out;
  for (const Term& term : *terms) {
    if (!term.calls("FPCore")) {
      return Diagnostic(code::syntax, term.span, "an FPCore is needed here: `(FPCore (x) ... body)`");
    }
    auto core = Core(term, names).program();
    if (!core) return core.error();
    out += *core;
  }
  return out;
}

}  // namespace reckon::fpcore
