// Outcomes as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/render/parts.h"

namespace reckon {
namespace {

using Json = nlohmann::ordered_json;

Json number_json(const Number& number) {
  Json out = Json::object();
  for (const auto& [name, value] : number.forms) {
    if (name == "unbounded" || name == "empty") out[name] = true;
    else if (name == "exact" || name == "defined" || name == "keeps") out[name] = value == "true";
    else if (name == "leaves" || name == "element") out[name] = std::stoll(value);
    else if (name == "alternatives" || name == "circuits" || name == "shares" || name == "formats" ||
             name == "found_at" || name == "at") {
      out[name] = Json::parse(value);  // in JSON already
    } else if (name == "nan" && value == "true") out[name] = true;
    else out[name] = value;
  }
  return out;
}

Json summary_of(const Shown& shown) {
  Json out = Json::object();
  for (const auto& [name, value] : shown.summary) out[name] = value;
  return out;
}

void add_given(const Given& given, Json& out) {
  for (const auto& [name, text] : given.values) out["given"][name] = text;
}

Json shown_json(const Shown& shown) {
  if (shown.is_static) {
    Json out{{"kind", "static"}, {"type", shown.type}, {"value", shown.text}};
    if (!shown.decimal.empty()) out["decimal"] = shown.decimal;
    add_given(shown.given, out);
    return out;
  }
  Json out{{"kind", "value"}, {"type", shown.type}, {"semantics", shown.semantics}};
  add_given(shown.given, out);
  if (shown.is_scalar && shown.numbers.size() == 1) {
    out.update(number_json(shown.numbers[0]));
  } else {
    out["shape"] = shown.shape;
    out["values"] = Json::array();
    for (const Number number : shown.numbers) out["values"].push_back(number_json(number));
  }
  if (!shown.summary.empty()) out["summary"] = summary_of(shown);
  return out;
}

/// An amount in decimal digits, as a number.
Json amount_json(const std::string& digits) {
  const Json number = Json::parse(digits, nullptr, false);
  return number.is_number() ? number : Json(digits);
}

Json checked_json(const Checked& check) {
  Json out{{"kind", "check"}, {"text", check.text}, {"verdict", check.verdict}, {"strength", check.strength}};
  add_given(check.given, out);
  if (!check.semantics.empty()) out["semantics"] = check.semantics;
  out["evidence"] = Json::object();
  for (const Checked::Fact& fact : check.evidence) out["evidence"][fact.name] = render::fact_json(fact);
  if (check.interrupted) out["interrupted"] = true;
  if (!check.notes.empty()) out["notes"] = check.notes;
  if (!check.remarks.empty()) out["remarks"] = check.remarks;
  if (check.judged) out["judged"] = render::judged_json(*check.judged);
  if (!check.runs.empty()) out["runs"] = render::runs_json(check);
  if (check.counterexample) {
    const auto& from = *check.counterexample;
    Json to = Json::object();
    for (const auto& [name, value] : from.dimensions) to["dimensions"][name] = value;
    for (const WitnessInput& input : from.inputs) {
      Json entry{{"elements", input.elements}};
      if (!input.type.empty()) entry["type"] = input.type;
      if (!input.expression.empty()) entry["expression"] = input.expression;
      if (input.left_out > 0) entry["left_out"] = input.left_out;
      to["inputs"][input.name] = entry;
    }
    if (!from.element.empty()) to["element"] = from.element;
    to["left"] = number_json(from.left);
    if (!from.right.forms.empty()) to["right"] = number_json(from.right);
    if (!from.distance.empty()) to["distance"] = from.distance;
    if (!from.allowance.empty()) to["allowance"] = from.allowance;
    if (from.ulps) to["ulps"] = *from.ulps;
    for (const auto& [name, value] : from.amounts) to[name] = amount_json(value);
    if (!from.parting.empty()) to["parting"] = from.parting;
    out["counterexample"] = to;
  }
  return out;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Json render::fact_json(const Checked::Fact& fact) {
  // A proof is written by proof/, as JSON.
  if (fact.name == "proof_object") return Json::parse(std::get<std::string>(fact.value));
  return std::visit(
      []<class Value>(const Value& value) -> Json {
        if constexpr (std::is_same_v<Value, std::vector<Checked::NamedSizes>>) {
          Json list = Json::array();
          for (const Checked::NamedSizes& sizes : value) {
            Json one = Json::object();
            for (const auto& [name, size] : sizes) one[name] = size;
            list.push_back(std::move(one));
          }
          return list;
        } else {
          return value;
        }
      },
      fact.value);
}

std::string to_json(const Shown& shown) { return dump(shown_json(shown)); }
std::string summary_json(const Shown& shown) { return dump(summary_of(shown)); }
std::string to_json(const Checked& check) { return dump(checked_json(check)); }
std::string to_json(const Saved& saved) {
  return dump(Json{{"kind", "saved"}, {"path", saved.path}, {"type", saved.type}});
}
std::string to_json(const Accepted::Row& row) { return dump(render::accepted_json(row)); }

namespace {

Json scaling_json(const RevealedScaling& scaling) {
  Json out{{"text", scaling.text}, {"operation", scaling.operation}, {"where", scaling.where}, {"by", scaling.by}};
  if (!scaling.name.empty()) out["name"] = scaling.name;
  out["format"] = scaling.format;
  out["rounded_first"] = scaling.rounded_first;
  if (!scaling.weights.empty()) out["weights"] = scaling.weights;
  return out;
}

Json revealed_json(const Revealed& found, std::int64_t n) {
  Json out{
      {"kind", "reveal"}, {"n", n}, {"verdict", found.undecided.empty() ? "revealed" : "undecided"}};
  if (!found.undecided.empty()) out["reason"] = found.undecided;
  if (!found.tree.empty()) out["tree"] = found.tree;
  if (!found.schedule.empty()) out["schedule"] = found.schedule;
  out["names"] = found.names;
  out["multiway_nodes"] = found.multiway_nodes;
  if (!found.arithmetic.empty()) out["arithmetic"] = found.arithmetic;
  if (!found.scaling.text.empty()) out["scaling"] = scaling_json(found.scaling);
  out["verified"] = found.verified;
  out["calls"] = {{"probes", found.probes}, {"checks", found.checks}};
  out["notes"] = found.notes;
  if (!found.declared.empty()) out["as_declared"] = found.undecided.empty();
  return out;
}

/// Of each output of a group, the elements that are its leaves; of a slice, the first of them.
void add_elements(Json& out, const RevealedGroup& group, const std::string& slice, const std::string& suffix,
                  const std::vector<std::vector<std::int64_t>>& elements) {
  Json list = Json::array();
  for (const std::int64_t output : group.outputs) {
    const auto& own = elements[static_cast<std::size_t>(output)];
    if (slice.empty()) list.push_back(own);
    else list.push_back(own.front());
  }
  if (!slice.empty()) out["over" + suffix] = slice;
  out[(slice.empty() ? "elements" : "first") + suffix] = std::move(list);
}

}  // namespace

std::string to_json(const Revealed& found, std::int64_t n) { return dump(revealed_json(found, n)); }

std::string to_json(const RevealedOutputs& found, const RevealOptions& options) {
  Json out{{"kind", "reveal"}, {"shape", options.shape}};
  if (!options.second_shape.empty()) out["second_shape"] = options.second_shape;
  out["outputs"] = found.outputs;
  out["verdict"] = found.decided() ? "revealed" : "undecided";
  Json groups = Json::array();
  for (const RevealedGroup& group : found.groups) {
    Json each = revealed_json(group.found, group.n);
    each.erase("kind");
    each.erase("calls");
    each["outputs"] = group.outputs;
    add_elements(each, group, group.over, "", found.elements);
    if (!group.found.scaling.weights.empty()) {
      each["scaling"].erase("weights");
      Json weights = Json::array();
      for (const std::int64_t output : group.outputs) weights.push_back(found.weights[static_cast<std::size_t>(output)]);
      each["weights"] = std::move(weights);
    }
    if (!found.second_elements.empty()) add_elements(each, group, group.over_second, "_second", found.second_elements);
    groups.push_back(std::move(each));
  }
  out["groups"] = std::move(groups);
  out["calls"] = {{"probes", found.probes}, {"checks", found.checks}};
  out["verified"] = found.verified;
  return dump(out);
}

std::string to_json(const std::vector<Message>& messages) {
  std::string out = "[";
  for (const Message& message : messages) {
    if (out.size() > 1) out += ", ";
    out += message.json;
  }
  return out + "]";
}

}  // namespace reckon
