#include "proof/proof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace reckon::proof {
namespace {

std::string quoted(std::string_view raw) {
  std::string out = "\"";
  for (const char c : raw) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

template <class List, class Make>
std::string list(const List& all, Make make) {
  std::string out = "[";
  for (const auto& each : all) out += (out.size() > 1 ? ", " : "") + make(each);
  return out + "]";
}

std::string of_term(const TermRef& term) { return quoted(text(term)); }
std::string of_number(std::size_t number) { return std::to_string(number); }

std::string range_text(const Variable& variable) {
  if (!variable.is_integer) return variable.name + (variable.is_natural ? " >= 0" : " real");
  return variable.below ? fmt::format("{} <= {} < {}", variable.least.get_str(), variable.name, text(variable.below))
                        : fmt::format("{} >= {}", variable.name, variable.least.get_str());
}

/// How a step follows: its rule, and the steps and terms that it names.
std::string reason(const Step& step) {
  std::string out(rule_name(step.rule));
  if (step.rule == Rule::axiom) out = step.axiom;
  if (step.rule == Rule::combine && step.premises.empty()) return "arithmetic";
  for (std::size_t k = 0; k < step.premises.size(); ++k) {
    out += fmt::format("{}({})", k == 0 ? " of " : ", ", step.premises[k] + 1);
    const bool plain =
        step.rule != Rule::combine || (step.terms[k]->kind == TermKind::number && step.terms[k]->value == 1);
    if (!plain) out += fmt::format(" times {}", text(step.terms[k]));
  }
  if (step.rule == Rule::instance) {
    for (std::size_t k = 0; k < step.variables.size(); ++k)
      out += fmt::format(", {} = {}", step.variables[k], text(step.terms[k]));
  }
  if (step.rule == Rule::induction) out += fmt::format(" over {}", step.variables[0]);
  return out;
}

}  // namespace

std::string text(const Formula& formula) {
  return fmt::format("{} {} {}", text(formula.left),
                     formula.relation == Relation::equal ? "=" : "<=", text(formula.right));
}

std::string_view rule_name(Rule rule) {
  switch (rule) {
    case Rule::hypothesis: return "hypothesis";
    case Rule::combine: return "combination";
    case Rule::peel: return "last value";
    case Rule::empty: return "first value";
    case Rule::first: return "first leaf";
    case Rule::next: return "next leaf";
    case Rule::blocks: return "blocks";
    case Rule::rewrite: return "rewriting";
    case Rule::instance: return "instance";
    case Rule::induction: return "induction";
    case Rule::order_induction: return "induction over the order";
    case Rule::monotone: return "monotone sums";
    case Rule::axiom: return "axiom";
  }
  return "";
}

std::vector<std::string> lines(const Proof& proof) {
  std::vector<std::string> out{proof.claim};
  for (const std::string& each : proof.notes) out.push_back(each);
  std::string names;
  for (const Variable& each : proof.variables) names += (names.empty() ? "for all " : ", ") + range_text(each);
  if (!names.empty()) out.push_back(names);
  for (const Range& each : proof.ranges) {
    out.push_back(fmt::format("for {}{}{}", each.low ? each.low->get_str() + " <= " : "", each.input,
                              each.high ? " <= " + each.high->get_str() : ""));
  }
  for (const TermRef& each : proof.nonzero) out.push_back(fmt::format("where {} is not 0", text(each)));
  for (const Recurrence& each : proof.recurrences) {
    out.push_back(
        fmt::format("{} reduces {}{}", each.name, each.in_order ? "in order" : "in any order",
                    each.arguments.empty() ? "" : fmt::format(", for each {}", fmt::join(each.arguments, ", "))));
    for (std::size_t k = 0; k < each.leaf.size(); ++k) {
      out.push_back(fmt::format("  part {}: leaf {} is {}; {} and {} join to {}", k, each.index, text(each.leaf[k]),
                                each.left[k], each.right[k], text(each.joined[k])));
    }
  }
  for (std::size_t k = 0; k < proof.steps.size(); ++k) {
    out.push_back(fmt::format("({}) {}  [{}]", k + 1, text(proof.steps[k].conclusion), reason(proof.steps[k])));
  }
  return out;
}

std::string json(const Proof& proof) {
  const auto name = [](const std::string& each) { return quoted(each); };
  const auto variable_object = [](const Variable& each) {
    return fmt::format(R"({{"name": {}, "integer": {}, "range": {}}})", quoted(each.name), each.is_integer,
                       quoted(range_text(each)));
  };
  const auto range_object = [](const Range& each) {
    const auto end = [](const std::optional<mpq_class>& value) { return value ? quoted(value->get_str()) : "null"; };
    return fmt::format(R"({{"input": {}, "low": {}, "high": {}}})", quoted(each.input), end(each.low), end(each.high));
  };
  const auto recurrence_object = [&](const Recurrence& each) {
    return fmt::format(
        R"({{"name": {}, "arguments": {}, "index": {}, "left": {}, "right": {}, "leaf": {}, "joined": {}, "in_order": {}, )"
        R"("associative": {}}})",
        quoted(each.name), list(each.arguments, name), quoted(each.index), list(each.left, name),
        list(each.right, name), list(each.leaf, of_term), list(each.joined, of_term), each.in_order,
        list(each.associative, of_number));
  };
  const auto step_object = [&](const Step& each) {
    return fmt::format(R"({{"conclusion": {}, "rule": {}, "premises": {}, "terms": {}, "variables": {}}})",
                       quoted(text(each.conclusion)),
                       quoted(each.rule == Rule::axiom ? each.axiom : rule_name(each.rule)),
                       list(each.premises, of_number), list(each.terms, of_term), list(each.variables, name));
  };
  return fmt::format(
      R"({{"claim": {}, "notes": {}, "variables": {}, "ranges": {}, "nonzero": {}, "recurrences": {}, "steps": {}, "statement": {}}})",
      quoted(proof.claim), list(proof.notes, name), list(proof.variables, variable_object),
      list(proof.ranges, range_object), list(proof.nonzero, of_term), list(proof.recurrences, recurrence_object),
      list(proof.steps, step_object), quoted(text(proof.statement)));
}

}  // namespace reckon::proof
