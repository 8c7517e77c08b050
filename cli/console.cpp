#include "cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/judged.h"
#include "cli/runs.h"

namespace reckon::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t shown_elements = 1000;   // of a tensor, as text
constexpr std::size_t row_ends = 8;            // of each end of a longer one

Json number_json(const Number& number) {
  Json out = Json::object();
  for (const auto& [name, value] : number.forms) {
    if (name == "unbounded" || name == "empty") out[name] = true;
    else if (name == "exact" || name == "defined") out[name] = value == "true";
    else if (name == "leaves") out[name] = std::stoll(value);
    else if (name == "alternatives") out[name] = Json::parse(value);  // a list of objects, in JSON already
    else if (name == "nan" && value == "true") out[name] = true;
    else out[name] = value;
  }
  return out;
}

Json shown_json(const Shown& shown) {
  if (shown.is_static) return {{"kind", "static"}, {"type", shown.type}, {"value", shown.text}};
  Json out{{"kind", "value"}, {"type", shown.type}, {"semantics", shown.semantics}};
  if (shown.is_scalar && shown.numbers.size() == 1) {
    out.update(number_json(shown.numbers[0]));
  } else {
    out["shape"] = shown.shape;
    out["values"] = Json::array();
    for (const Number number : shown.numbers) out["values"].push_back(number_json(number));
  }
  for (const auto& [name, value] : shown.summary) out["summary"][name] = value;
  return out;
}

Json fact_json(const Checked::Fact& fact) {
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

/// An amount in decimal digits, as a number.
Json amount_json(const std::string& digits) {
  const Json number = Json::parse(digits, nullptr, false);
  return number.is_number() ? number : Json(digits);
}

Json checked_json(const Checked& check) {
  Json out{{"kind", "check"}, {"text", check.text}, {"verdict", check.verdict}, {"strength", check.strength}};
  if (!check.semantics.empty()) out["semantics"] = check.semantics;
  out["evidence"] = Json::object();
  for (const Checked::Fact& fact : check.evidence) out["evidence"][fact.name] = fact_json(fact);
  if (check.interrupted) out["interrupted"] = true;
  if (!check.notes.empty()) out["notes"] = check.notes;
  if (!check.remarks.empty()) out["remarks"] = check.remarks;
  if (check.judged) out["judged"] = judged_json(*check.judged);
  if (!check.runs.empty()) out["runs"] = runs_json(check);
  if (check.counterexample) {
    const auto& from = *check.counterexample;
    Json to = Json::object();
    for (const auto& [name, value] : from.dimensions) to["dimensions"][name] = value;
    for (const WitnessInput& input : from.inputs) {
      Json entry{{"elements", input.elements}};
      if (!input.expression.empty()) entry["expression"] = input.expression;
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

/// Nested brackets, rows on lines of their own; the middle of a long tensor is left out.
void write_tensor(const Shown& shown, std::size_t dimension, std::size_t& at, bool elide, std::string& out) {
  const auto extent = static_cast<std::size_t>(shown.shape[dimension]);
  std::size_t stride = 1;
  for (std::size_t d = dimension + 1; d < shown.shape.size(); ++d) stride *= static_cast<std::size_t>(shown.shape[d]);
  const bool innermost = dimension + 1 == shown.shape.size();
  out += '[';
  for (std::size_t i = 0; i < extent; ++i) {
    if (i > 0) out += innermost ? ", " : ",\n" + std::string(dimension + 1, ' ');
    if (elide && extent > 2 * row_ends && i == row_ends) {
      out += "...";
      at += (extent - 2 * row_ends) * stride;
      i = extent - row_ends - 1;
      continue;
    }
    if (innermost) out += shown.numbers[at++].text;
    else write_tensor(shown, dimension + 1, at, elide, out);
  }
  out += ']';
}

std::string shown_text(const Shown& shown) {
  if (shown.is_static) return shown.text;
  std::string out;
  if (shown.is_scalar && shown.numbers.size() == 1) {
    const Number number = shown.numbers[0];
    out = number.text;
    // The bits of a float, as the language writes them.
    for (const auto& [name, value] : number.forms) {
      if (name == "bits" && shown.floats) out += fmt::format("  {}#{}", shown.type, value);
    }
  } else {
    std::size_t at = 0;
    write_tensor(shown, 0, at, shown.numbers.size() > shown_elements, out);
  }
  if (!shown.summary.empty()) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : shown.summary) parts.push_back(name + " " + value);
    out = fmt::format("{}", fmt::join(parts, ", "));
  }
  return out;
}

std::string strength_text(const Checked& check) {
  if (check.fact("all_sizes") != nullptr) return check.strength + " for all sizes";
  const bool at_sizes = check.fact("sizes") != nullptr && check.strength != "observed";
  return at_sizes ? check.strength + " at these sizes" : check.strength;
}

std::string evidence_text(const Checked& check) {
  // A failure rests on its counterexample, however the semantics compares; an undecided check has no strength.
  std::vector<std::string> parts;
  const bool observes = check.fact("seen") != nullptr;
  if (observes || (!check.counterexample && check.verdict != "undecided")) parts.push_back(strength_text(check));
  for (const Checked::Fact& fact : check.evidence) {
    // Where a difference was looked for does not matter once it is found.
    const bool searched = fact.name == "sizes" || fact.name == "inputs";
    if (!fact.text.empty() && !(searched && check.verdict == "fails")) parts.push_back(fact.text);
  }
  if (check.judged) parts.push_back(judged_text(*check.judged));
  if (!check.runs.empty()) parts.push_back(runs_evidence(check));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string number_text(const Number& number) {
  for (const auto& [name, value] : number.forms) {
    if (name == "hex") return fmt::format("{}  ({})", number.text, value);
  }
  return number.text;
}

std::string checked_text(const Checked& check, bool colored, bool verbose) {
  const char* color = check.verdict == "holds" ? "\033[32m" : check.verdict == "fails" ? "\033[31m" : "\033[33m";
  std::string verdict = fmt::format("{:<9}", check.verdict);
  if (colored) verdict = color + verdict + "\033[0m";
  std::string out = fmt::format("{} {}", verdict, check.text);
  if (const std::string evidence = evidence_text(check); !evidence.empty()) out += fmt::format("  ({})", evidence);
  auto row = [&](const std::string& name, const std::string& text) { out += fmt::format("\n    {:<8} {}", name, text); };
  if (check.counterexample) {
    const auto& from = *check.counterexample;
    std::vector<std::string> sizes;
    for (const auto& [name, value] : from.dimensions) sizes.push_back(fmt::format("{} = {}", name, value));
    if (!sizes.empty()) row("at", fmt::format("{}", fmt::join(sizes, ", ")));
    for (const WitnessInput& input : from.inputs) {
      const std::string elements = fmt::format("{}", fmt::join(input.elements, ", "));
      std::string text = input.expression.empty() ? elements
                         : elements.empty()       ? input.expression
                                                  : fmt::format("{}  # {}", input.expression, elements);
      if (input.elements.size() == 8) text += ", ...";
      row(input.name + " =", text);
    }
    if (!from.element.empty()) row("element", fmt::format("[{}]", fmt::join(from.element, ", ")));
    row(from.right.forms.empty() ? "value" : "left", number_text(from.left));
    if (!from.right.forms.empty()) row("right", number_text(from.right));
    if (!from.distance.empty()) row("apart", from.distance);
    if (!from.allowance.empty()) row("allowed", from.allowance);
    if (!from.parting.empty()) row("parts", from.parting);
  } else if (check.verdict != "holds") {
    for (const Checked::Fact& fact : check.evidence) {
      if (fact.name == "left" || fact.name == "right") row(fact.name, std::get<std::string>(fact.value));
    }
  }
  if (!check.runs.empty()) out += runs_text(check);
  for (const std::string& note : check.notes) row("note", note);
  if (!verbose) return out;
  for (const std::string& remark : check.remarks) row("remark", remark);
  for (const Checked::Fact& fact : check.evidence) {
    if (fact.text.empty() && fact.name != "left" && fact.name != "right") row(fact.name, fact_json(fact).dump());
  }
  return out;
}

bool use_color(const std::string& choice, int descriptor) {
  if (choice != "auto") return choice == "always";
  return isatty(descriptor) && !std::getenv("NO_COLOR");
}

}  // namespace

Console::Console(const Common& common)
    : common_(common),
      colored_(use_color(common.color, STDOUT_FILENO)),
      colored_errors_(use_color(common.color, STDERR_FILENO)) {}

void Console::raise(int status) {
  // 70 over 69 over 3 over 2 over 1 over 4: the gravest thing that happened.
  auto gravity = [](int value) {
    constexpr int order[] = {good, undecided, check_failed, wrong_usage, source_error, missing, internal_error, interrupted};
    return std::find(std::begin(order), std::end(order), value) - std::begin(order);
  };
  if (gravity(status) > gravity(status_)) status_ = status;
}

void Console::line(const std::string& text) { std::cout << text << '\n' << std::flush; }

void Console::complain(const std::string& text) {
  std::cout.flush();
  std::cerr << "reckon: " << text << '\n';
}

void Console::progress(const std::optional<Progress>& now) {
  if (!now) {
    std::cerr << "\r\033[K" << std::flush;
    return;
  }
  constexpr std::size_t max_text = 40;
  std::string item = now->item.size() > max_text ? now->item.substr(0, max_text - 3) + "..." : now->item;
  std::string line = fmt::format("{}  {}{}", item, now->at, now->at.empty() ? "" : "  ");
  line += now->planned > 0 ? fmt::format("trial {} of {}", now->trials, now->planned) : fmt::format("trial {}", now->trials);
  if (now->seconds > 0) line += fmt::format(", {:.3g} a second", static_cast<double>(now->trials) / now->seconds);
  line += fmt::format(", {:.0f} s left at most", std::max(0.0, now->budget - now->seconds));
  std::cerr << '\r' << line << "\033[K" << std::flush;
}

void Console::print(const std::vector<Shown>& parts) {
  if (common_.quiet) return;
  if (common_.json) {
    for (const Shown& part : parts) line(dump(shown_json(part)));
    return;
  }
  std::vector<std::string> texts;
  for (const Shown& part : parts) texts.push_back(shown_text(part));
  line(texts.size() == 1 ? texts[0] : fmt::format("({})", fmt::join(texts, ", ")));
}

void Console::finish() {
  if (common_.quiet || accepted_.checks() < 2) return;
  if (!common_.json) return line(accepted_text(accepted_));
  for (const Accepted::Row& row : accepted_.rows()) line(dump(accepted_json(row)));
}

void Console::print(const Checked& check) {
  if (check.judged) accepted_.add(check);
  if (check.verdict == "fails") raise(check_failed);
  if (check.verdict == "undecided" && common_.strict) raise(undecided);
  if (check.interrupted) raise(interrupted);
  if (common_.quiet && check.verdict == "holds") return;
  line(common_.json ? dump(checked_json(check)) : checked_text(check, colored_, common_.verbose));
}

void Console::print(const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    raise(message.status);
    if (common_.json) {
      line(message.json);
    } else {
      std::cout.flush();
      std::cerr << (colored_errors_ ? message.colored : message.text);
    }
  }
}

void Console::print(const Event& event) {
  if (auto* parts = std::get_if<std::vector<Shown>>(&event)) print(*parts);
  if (auto* check = std::get_if<Checked>(&event)) print(*check);
  if (auto* messages = std::get_if<std::vector<Message>>(&event)) print(*messages);
  if (auto* saved = std::get_if<Saved>(&event); saved && !common_.quiet) {
    if (common_.json) line(dump(Json{{"kind", "saved"}, {"path", saved->path}, {"type", saved->type}}));
    else line(fmt::format("saved     {}  ({})", saved->path, saved->type));
  }
}

bool read_definitions(Common& common, Console& console) {
  for (const std::string& text : common.definitions) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals), value = equals == std::string::npos ? "" : text.substr(equals + 1);
    std::int64_t number = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = read.ec == std::errc() && read.ptr == value.data() + value.size();
    const bool is_word = !value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) &&
                         std::all_of(value.begin(), value.end(), [](unsigned char c) { return std::isalnum(c); });
    if (name.empty() || !(is_number || is_word)) {
      console.complain(fmt::format("-D {}: write NAME=INT, for example -D n=1000, or NAME=FORMAT, -D T=f32", text));
      console.raise(wrong_usage);
      return false;
    }
    if (is_number) common.values[name] = number;
    else common.formats[name] = value;
  }
  return true;
}

bool gives_no_format(const Common& common, Console& console) {
  if (common.formats.empty()) return true;
  const auto& [name, format] = *common.formats.begin();
  console.complain(fmt::format("-D {0}={1}: a program's items name their formats themselves, as in `check f[{1}] == "
                               "g[{1}]`; here -D gives sizes of checks, -D n=1000",
                               name, format));
  console.raise(wrong_usage);
  return false;
}

bool define_all(Session& session, const Common& common, Console& console) {
  const auto define = [&](const std::string& name, const std::string& value) {
    auto defined = session.load("let " + name + " = " + value, "-D " + name + "=" + value);
    if (!defined) console.print(defined.messages());
    return static_cast<bool>(defined);
  };
  return std::all_of(common.values.begin(), common.values.end(),
                     [&](const auto& each) { return define(each.first, std::to_string(each.second)); }) &&
         std::all_of(common.formats.begin(), common.formats.end(),
                     [&](const auto& each) { return define(each.first, each.second); });
}

std::optional<std::string> read_program(const std::string& path, Console& console) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  if (auto text = Session::read_text(path)) return text;
  console.complain(fmt::format("`{}` cannot be read", path));
  console.raise(wrong_usage);
  return std::nullopt;
}

/// RECKON_KERNELS, a folder, or `off`; else where the XDG base directory specification puts caches.
std::string kernel_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string chosen = variable("RECKON_KERNELS"); !chosen.empty()) return chosen == "off" ? "" : chosen;
  if (const std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/')) return cache + "/reckon/kernels";
  if (const std::string home = variable("HOME"); home.starts_with('/')) return home + "/.cache/reckon/kernels";
  return {};
}

SessionOptions session_options(const Common& common) {
  SessionOptions options;
  options.semantics = common.semantics;
  options.seed = common.seed;
  options.values = common.values;
  options.explain_rounding = common.explain_rounding;
  options.budget = common.budget;
  if (isatty(STDERR_FILENO) != 0 && !common.json) options.progress = Console::progress;
  options.kernel_folder = kernel_folder();
  return options;
}

bool semantics_exists(const Session& session, const Common& common, Console& console) {
  auto problems = session.check_semantics(common.semantics.empty() ? usual_semantics() : common.semantics);
  for (Message& problem : problems) problem.status = wrong_usage;  // the program is not at fault
  console.print(problems);
  return problems.empty();
}

}  // namespace reckon::cli
