#include "fpcore/program.h"

#include <fmt/format.h>

#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/syntax.h"
#include "fpcore/expression.h"

namespace reckon::fpcore {

namespace {

struct Parameter {
  std::string name;
  Format format{};
  std::vector<std::int64_t> extents;
};

/// The elements of a tensor argument, from `place` on: `A[0, 1]`.
Value elements_of(const Parameter& parameter, std::vector<std::int64_t>& at) {
  if (at.size() == parameter.extents.size())
    return {.text = at.empty() ? parameter.name : fmt::format("{}[{}]", parameter.name, fmt::join(at, ", ")),
            .format = parameter.format};
  std::vector<Value> out;
  for (std::int64_t i = 0; i < parameter.extents[at.size()]; ++i) {
    at.push_back(i);
    out.push_back(elements_of(parameter, at));
    at.pop_back();
  }
  return {.elements = std::make_shared<const std::vector<Value>>(std::move(out))};
}

std::string type_text(Format format, const std::vector<std::int64_t>& extents) {
  const std::string name(format_name(format));
  return extents.empty() ? name : fmt::format("{}[{}]", name, fmt::join(extents, ", "));
}

/// A result as an expression, which has this format and these extents; false if another part of it has others.
bool write_result(const Value& value, std::optional<Format>& format, std::vector<std::int64_t>& extents,
                  std::size_t depth, bool first, std::string& out) {
  if (!value.is_tensor()) {
    if (!format) format = value.format;
    out += value.text;
    return value.format == *format && depth == extents.size();
  }
  const auto size = static_cast<std::int64_t>(value.elements->size());
  if (first) extents.push_back(size);
  if (depth >= extents.size() || extents[depth] != size) return false;
  out += '[';
  for (std::size_t k = 0; k < value.elements->size(); ++k) {
    if (k > 0) out += ", ";
    if (!write_result((*value.elements)[k], format, extents, depth + 1, first && k == 0, out)) return false;
  }
  out += ']';
  return true;
}

class Core {
 public:
  Core(const Term& term, UsedNames& names) : term_(term), names_(names) {}

  Expected<std::string> program() {
    std::size_t at = 1;
    std::string name = "core";
    if (at < term_.parts.size() && !term_.parts[at].is_list) name = term_.parts[at++].text;
    if (at >= term_.parts.size() || !term_.parts[at].is_list) {
      return Diagnostic(code::syntax, term_.span, "an FPCore has a list of arguments: `(FPCore (x y) ...)`");
    }
    const Term& arguments = term_.parts[at++];
    if (auto problem = properties(at)) return *problem;
    if (at + 1 != term_.parts.size()) {
      return Diagnostic(code::syntax, term_.span, "an FPCore ends in one expression, its body");
    }
    if (name == "core" && !title_.empty()) name = title_;
    name = unique_name(name, names_);
    Expressions expressions(format_);
    Scope scope;
    for (const Term& argument : arguments.parts) {
      if (auto problem = take(argument, expressions, scope)) return *problem;
    }
    const auto body = expressions.value(term_.parts.back(), scope);
    if (!body) return body.error();
    std::optional<Format> format;
    std::vector<std::int64_t> extents;
    std::string result;
    if (!write_result(*body, format, extents, 0, true, result)) {
      return Diagnostic(code::not_available, term_.parts.back().span,
                        "a tensor whose parts have different sizes or precisions is not read from FPCore")
          .help("give all parts one size, and one precision by `(! :precision binary64 ...)`");
    }
    std::string out = fmt::format("fn {}(", name);
    for (const Parameter& parameter : parameters_) {
      out += fmt::format("{}{}: {}", &parameter == parameters_.data() ? "" : ", ", parameter.name,
                         type_text(parameter.format, parameter.extents));
    }
    out += fmt::format(") -> {} {{\n", type_text(*format, extents));
    for (const std::string& line : expressions.lines()) out += "  " + line + "\n";
    out += fmt::format("  {}\n}}\n", result);
    return ending(out, name, expressions, scope);
  }

 private:
  struct Range {
    std::optional<mpq_class> low, high;
  };

  /// From term `at` on, which becomes the place of the first one that is none.
  std::optional<Diagnostic> properties(std::size_t& at) {
    for (; at + 1 < term_.parts.size() && !term_.parts[at].is_list && term_.parts[at].text.starts_with(':'); at += 2) {
      const Term &key = term_.parts[at], &value = term_.parts[at + 1];
      if (key.is(":precision")) {
        const auto found = precision(value);
        if (!found) return found.error();
        format_ = *found;
      } else if (key.is(":round") && !value.is("nearestEven")) {
        return not_read(value).help("operations round to nearest, ties to even: `nearestEven`");
      } else if (key.is(":pre")) {
        pre_ = &value;
      } else if (key.is(":name") && value.is_string) {
        title_ = value.text;
      }
    }
    return std::nullopt;
  }

  static Expected<Format> precision(const Term& value) {
    if (const auto found = format_of_precision(value.text); found && !value.is_list) return *found;
    return Diagnostic(code::not_available, value.span,
                      "this precision is none that Reckon's circuits are read in from FPCore")
        .help("binary64, binary32, binary16 and bfloat16 are");
  }

  /// `x`, `(A 3 4)`, `(! :precision binary32 x)`.
  std::optional<Diagnostic> take(const Term& argument, Expressions& expressions, Scope& scope) {
    Parameter parameter{.format = format_};
    std::size_t at = 0;
    const auto part = [&](std::size_t k) -> const Term& { return argument.is_list ? argument.parts[k] : argument; };
    const std::size_t size = argument.is_list ? argument.parts.size() : 1;
    if (size > 0 && part(0).is("!")) {
      for (at = 1; at + 1 < size && part(at).text.starts_with(':'); at += 2) {
        if (!part(at).is(":precision")) continue;
        const auto found = precision(part(at + 1));
        if (!found) return found.error();
        parameter.format = *found;
      }
    }
    if (at >= size || part(at).is_list)
      return Diagnostic(code::syntax, argument.span, "an argument is a name, or `(name size ...)` for a tensor");
    const std::string theirs = part(at).text;
    parameter.name = expressions.fresh(theirs);
    std::int64_t elements = 1;
    for (++at; at < size; ++at) {
      const auto extent = number_of(part(at));
      if (!extent || extent->get_den() != 1 || *extent < 1 || *extent * elements > most_elements) {
        return Diagnostic(
            code::not_available, part(at).span,
            fmt::format("a tensor of size `{}` is not read from FPCore: sizes are numbers, up to {} in all",
                        part(at).text, most_elements))
            .help("write each size as a number: `((A 2 3))`");
      }
      parameter.extents.push_back(extent->get_num().get_si());
      elements *= parameter.extents.back();
    }
    std::vector<std::int64_t> place;
    scope[theirs] = elements_of(parameter, place);
    parameters_.push_back(std::move(parameter));
    return std::nullopt;
  }

  /// The question, or why there is none.
  Expected<std::string> ending(const std::string& circuit, const std::string& name, Expressions& expressions,
                               const Scope& scope) {
    expressions.lines().clear();
    if (pre_ != nullptr) {
      if (auto problem = precondition(*pre_, expressions, scope)) return *problem;
    }
    if (!expressions.lines().empty()) {
      return Diagnostic(code::not_available, pre_->span, "a precondition with `let` is not read from FPCore")
          .help("put the terms in for their names");
    }
    std::string shown = title_.empty() ? name : title_;
    std::vector<std::string> clauses, open;
    for (const Parameter& parameter : parameters_) {
      const Range& range = ranges_[parameter.name];
      if (!range.low || !range.high) open.push_back(parameter.name);
      const std::string most = largest(parameter.format);
      clauses.push_back(fmt::format("{}: {}..{}", parameter.name,
                                    range.low ? text(*range.low) : fmt::format("(-{})", most),
                                    range.high ? text(*range.high) : most));
    }
    if (clauses.empty()) return circuit + fmt::format("show \"{}\"\nshow {}() in bound\n", quoted(shown), name);
    if (!open.empty()) shown += fmt::format(" (no range is stated for {}: all numbers)", fmt::join(open, ", "));
    clauses.insert(clauses.end(), conditions_.begin(), conditions_.end());
    return circuit + fmt::format("show \"{}\"\nshow bound({}) for {}\n", quoted(shown), name, fmt::join(clauses, ", "));
  }

  static std::string largest(Format format) {
    return numerics::exact_value(numerics::largest_finite(format), format)->get_str();
  }

  static std::string quoted(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' ? '\'' : c;
    return out;
  }
  static std::string text(const mpq_class& value) {
    return value < 0 ? fmt::format("({})", value.get_str()) : value.get_str();
  }

  /// Ranges, where a comparison is one of an argument with a number, and conditions.
  std::optional<Diagnostic> precondition(const Term& term, Expressions& expressions, const Scope& scope) {
    if (term.is("TRUE")) return std::nullopt;
    if (term.calls("and")) {
      for (std::size_t k = 1; k < term.parts.size(); ++k) {
        if (auto problem = precondition(term.parts[k], expressions, scope)) return problem;
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
    auto condition = expressions.truth(term, scope);
    if (!condition) return condition.error();
    conditions_.push_back(std::move(condition->text));
    return std::nullopt;
  }

  bool takes_range(const Term& low, const Term& high, const Scope& scope) {
    const auto a = number_of(low), b = number_of(high);
    if (a && !high.is_list && scope.contains(high.text)) {
      Range& range = ranges_[scope.at(high.text).text];
      if (!range.low || *a > *range.low) range.low = *a;
      return true;
    }
    if (b && !low.is_list && scope.contains(low.text)) {
      Range& range = ranges_[scope.at(low.text).text];
      if (!range.high || *b < *range.high) range.high = *b;
      return true;
    }
    return false;
  }

  static constexpr std::int64_t most_elements = 20'000;

  const Term& term_;
  UsedNames& names_;
  Format format_ = Format::f64;
  std::string title_;
  const Term* pre_ = nullptr;
  std::vector<Parameter> parameters_;
  std::map<std::string, Range> ranges_;  ///< by the parameters' names in the circuit
  std::vector<std::string> conditions_;
};

}  // namespace

Expected<std::string> program_of(const SourceMap& sources, std::uint32_t file) {
  const auto terms = read_terms(sources, file);
  if (!terms) return terms.error();
  UsedNames names;
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
