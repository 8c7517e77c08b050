// Hover and completion: what names mean.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/reckon/explain.h"
#include "cli/lsp/features.h"

namespace reckon::lsp {
namespace {

std::string code_block(const std::string& text) { return "```reckon\n" + text + "\n```"; }

/// `# A sentence.` without the signs of a comment.
std::string prose(const std::string& comment) {
  std::string out;
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    std::string line = comment.substr(at, end - at);
    line.erase(0, std::min(line.find_first_not_of("# \t"), line.size()));
    out += line + "\n";
    at = end + 1;
  }
  return out;
}

const ReferenceEntry* entry_of(const std::vector<ReferenceEntry>& entries, const std::string& name) {
  const auto found = std::ranges::find_if(entries, [&](const ReferenceEntry& entry) {
    return std::ranges::find(entry.names, name) != entry.names.end();
  });
  return found == entries.end() ? nullptr : &*found;
}

const std::vector<ReferenceEntry>& entries() {
  static const std::vector<ReferenceEntry> all = reference();
  return all;
}

/// The order of a schedule, or of a circuit's first reduction, for eight leaves; empty if there is none.
std::string order_of(Session& session, const std::string& name, bool circuit) {
  constexpr std::int64_t leaves = 8;
  const auto tree = circuit ? session.tree(name, leaves) : session.tree_of_schedule(name, leaves);
  return tree ? fmt::format("The order for {} leaves: `{}`", leaves, *tree) : std::string();
}

/// Of a definition that the session has.
std::string about_definition(Session& session, const Session::Definition& definition) {
  const auto line = session.describe(definition.name);
  std::string out = code_block(line ? *line : definition.text.substr(0, definition.text.find('\n')));
  if (!definition.comment.empty()) out += "\n" + prose(definition.comment);
  if (const std::string order = order_of(session, definition.name, definition.text.starts_with("fn ")); !order.empty()) {
    out += "\n" + order + "\n";
  }
  return out;
}

std::string about(Workspace& workspace, OpenFile& file, const Target& target) {
  Analysis& known = workspace.analysis(file);
  Session& session = known.session_with(target.name);
  if (target.definition && target.path == file.path) {
    const SourceDefinition& definition = known.outline().definitions[*target.definition];
    if (!is_global(definition)) return code_block(definition.text) + "\n" + definition.kind;
  }
  if (const auto definition = session.definition(target.name)) return about_definition(session, *definition);
  if (target.definition && target.path == file.path) return code_block(known.outline().definitions[*target.definition].text);
  if (const ReferenceEntry* entry = entry_of(entries(), target.name)) {
    return fmt::format("**{}**\n\n{}\n\n*{}.* {}", fmt::join(entry->names, ", "), entry->text, entry->chapter, entry->introduction);
  }
  const auto line = session.describe(target.name);
  return line ? code_block(*line) : std::string();
}

/// The word at the position, for names that the outline does not have: keywords and words of options.
std::optional<Target> word_at(const OpenFile& file, TextDocument::At at) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::size_t begin = 0;
  for (std::uint32_t line = 1; line < at.line; ++line) begin = file.document.text().find('\n', begin) + 1;
  const std::string line = file.document.text().substr(begin, file.document.text().find('\n', begin) - begin);
  // Where a character of several bytes stands before the word, the columns are no bytes; then there is no answer.
  if (std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) return std::nullopt;
  std::size_t first = std::min<std::size_t>(at.column - 1, line.size()), last = first;
  while (first > 0 && is_word(line[first - 1])) --first;
  while (last < line.size() && is_word(line[last])) ++last;
  if (first == last) return std::nullopt;
  const auto column = [](std::size_t k) { return static_cast<std::uint32_t>(k) + 1; };
  return Target{line.substr(first, last - first), {}, std::nullopt, {at.line, column(first), at.line, column(last)}};
}

constexpr int function_item = 3, variable_item = 6, keyword_item = 14, constant_item = 21;  // CompletionItemKind

int kind_of_item(const std::string& kind) {
  return kind == "circuit" || kind == "kernel" ? function_item : kind == "dimension" || kind == "length" ? constant_item : variable_item;
}

class Items {
 public:
  void add(const std::string& name, int kind, const std::string& detail) {
    if (!names_.insert(name).second) return;
    Json item{{"label", name}, {"kind", kind}};
    if (!detail.empty()) item["detail"] = detail;
    list_.push_back(std::move(item));
  }
  Json take() { return std::move(list_); }

 private:
  std::set<std::string> names_;
  Json list_ = Json::array();
};

}  // namespace

Json hover(Workspace& workspace, OpenFile& file, TextDocument::At at) {
  auto target = workspace.target(file, at);
  if (!target) target = word_at(file, at);
  const std::string text = target ? about(workspace, file, *target) : "";
  if (text.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", text}}}, {"range", file.document.range(target->at)}};
}

Json completion(Workspace& workspace, OpenFile& file, TextDocument::At at) {
  Analysis& known = workspace.analysis(file);
  const SourceOutline& outline = known.outline();
  Items items;
  // The innermost definition of a name comes last in the text.
  for (auto each = outline.definitions.rbegin(); each != outline.definitions.rend(); ++each) {
    if (!is_global(*each) && !covers(each->scope, at)) continue;
    items.add(each->name, kind_of_item(each->kind), each->text);
  }
  for (const std::string& name : known.session_with({}).names()) {
    const ReferenceEntry* entry = entry_of(entries(), name);
    items.add(name, function_item, entry != nullptr ? entry->chapter : "");
  }
  for (const std::string& name : Session::semantics_names()) items.add(name, constant_item, "semantics");
  for (const std::string& word : Session::keywords()) items.add(word, keyword_item, "");
  return {{"isIncomplete", false}, {"items", items.take()}};
}

}  // namespace reckon::lsp
