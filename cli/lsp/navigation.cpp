// From a name to its definition and its uses, and changes of all of them.
#include <fmt/format.h>

#include <algorithm>

#include "cli/lsp/features.h"

namespace reckon::lsp {
namespace {

Json locations(const std::vector<Occurrences>& files) {
  Json out = Json::array();
  for (const Occurrences& file : files) {
    for (const SourcePlace& place : file.places) {
      out.push_back({{"uri", file.uri}, {"range", file.document->range(place)}});
    }
  }
  return out;
}

int symbol_kind(const std::string& kind) {
  constexpr int function = 12, variable = 13, constant = 14, object = 19, record = 23;  // SymbolKind
  return kind == "circuit" ? function : kind == "kernel" ? variable : kind == "profile" ? object : kind == "type" ? record : constant;
}

bool is_name(const std::string& text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::ranges::all_of(text, is_word);
}

bool overlap(const SourcePlace& a, const SourcePlace& b) {
  const auto end = [](const SourcePlace& place) { return std::pair(place.end_line, place.end_column); };
  const auto begin = [](const SourcePlace& place) { return std::pair(place.line, place.column); };
  return a.line == 0 || b.line == 0 || (begin(a) < end(b) && begin(b) < end(a));
}

/// Why the name cannot be given to the definition; empty if it can.
std::string objection(Analysis& home, const SourceDefinition& definition, const std::string& name) {
  if (!is_name(name)) return fmt::format("`{}` is no name: letters, digits and `_`, the first no digit", name);
  const auto keywords = Session::keywords();
  if (std::ranges::find(keywords, name) != keywords.end()) return fmt::format("`{}` is a word of the language", name);
  for (const SourceDefinition& each : home.outline().definitions) {
    if (each.name == name && overlap(each.scope, definition.scope)) {
      return fmt::format("`{}` is defined already, in line {}", name, each.place.line);
    }
  }
  const auto names = home.session_with(name).names();
  if (std::ranges::find(names, name) != names.end()) return fmt::format("`{}` is defined already", name);
  return {};
}

/// Why nothing at the position can be renamed: the language and its library define names as well.
std::string no_rename(const std::optional<Target>& target) {
  if (!target) return "no name stands here";
  return target->definition ? "" : fmt::format("`{}` is no definition of this program", target->name);
}

}  // namespace

Json definition(Workspace& workspace, OpenFile& file, TextDocument::At at) {
  const auto target = workspace.target(file, at);
  const auto found = target ? workspace.definition(*target) : std::nullopt;
  return found ? locations({*found}) : Json(nullptr);
}

Json references(Workspace& workspace, OpenFile& file, TextDocument::At at, bool with_definition) {
  const auto target = workspace.target(file, at);
  return target ? locations(workspace.occurrences(*target, with_definition)) : Json(nullptr);
}

Json highlights(Workspace& workspace, OpenFile& file, TextDocument::At at) {
  Json out = Json::array();
  const auto target = workspace.target(file, at);
  if (!target) return out;
  for (const Occurrences& each : workspace.occurrences(*target, true)) {
    if (each.uri != file.uri) continue;
    for (const SourcePlace& place : each.places) out.push_back({{"range", file.document.range(place)}});
  }
  return out;
}

Json symbols(Workspace& workspace, OpenFile& file) {
  Json out = Json::array();
  for (const SourceDefinition& each : workspace.analysis(file).outline().definitions) {
    if (!is_global(each)) continue;
    out.push_back({{"name", each.name},
                   {"detail", each.text},
                   {"kind", symbol_kind(each.kind)},
                   {"range", file.document.range(each.whole)},
                   {"selectionRange", file.document.range(each.place)}});
  }
  return out;
}

Reply prepare_rename(Workspace& workspace, OpenFile& file, TextDocument::At at) {
  const auto target = workspace.target(file, at);
  if (std::string problem = no_rename(target); !problem.empty()) return {nullptr, std::move(problem)};
  return {{{"range", file.document.range(target->at)}, {"placeholder", target->name}}};
}

Reply rename(Workspace& workspace, OpenFile& file, TextDocument::At at, const std::string& name) {
  const auto target = workspace.target(file, at);
  if (std::string problem = no_rename(target); !problem.empty()) return {nullptr, std::move(problem)};
  Json changes = Json::object();
  if (name == target->name) return {{{"changes", changes}}};
  const std::vector<Occurrences> files = workspace.occurrences(*target, true);
  const SourceDefinition* definition = nullptr;
  for (const Occurrences& each : files) {
    OpenFile* open = workspace.find(each.uri);
    if (open == nullptr) return {nullptr, fmt::format("`{}` is defined in {}, which is not open", target->name, target->path)};
    if (open->path == target->path) definition = &workspace.analysis(*open).outline().definitions[*target->definition];
  }
  for (const Occurrences& each : files) {
    std::string problem = objection(workspace.analysis(*workspace.find(each.uri)), *definition, name);
    if (!problem.empty()) return {nullptr, std::move(problem)};
    Json edits = Json::array();
    for (const SourcePlace& place : each.places) edits.push_back({{"range", each.document->range(place)}, {"newText", name}});
    changes[each.uri] = std::move(edits);
  }
  return {{{"changes", changes}}};
}

Json formatting(OpenFile& file) {
  const auto formatted = format_source(file.document.text(), file.path);
  Json edits = Json::array();
  if (formatted && *formatted != file.document.text()) edits.push_back({{"range", file.document.whole_range()}, {"newText", *formatted}});
  return edits;
}

}  // namespace reckon::lsp
