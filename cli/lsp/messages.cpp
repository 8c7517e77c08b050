// Diagnostics, and the corrections that they suggest.
#include <fmt/format.h>
#include <filesystem>

#include "cli/lsp/features.h"

namespace reckon::lsp {
namespace {

constexpr int error = 1, warning = 2, information = 3;  // DiagnosticSeverity

int severity(const Json& message) {
  const std::string kind = message.value("kind", "error");
  return kind == "error" ? error : kind == "warning" ? warning : information;
}

SourcePlace place_of(const Json& object) {
  return {object.value("line", 1u), object.value("column", 1u), object.value("end_line", 1u), object.value("end_column", 1u)};
}

/// The sentence, and below it the notes and the helps.
std::string whole_text(const Json& message) {
  std::string out = message.value("message", "");
  for (const Json& note : message.value("notes", Json::array())) out += "\nnote: " + note.get<std::string>();
  for (const Json& help : message.value("helps", Json::array())) out += "\nhelp: " + help.get<std::string>();
  return out;
}

bool is_about(const Json& object, const OpenFile& file) { return object.value("file", "") == file.path; }

Json diagnostic(const Json& message, const OpenFile& file) {
  // A message about an imported file stands at the begin of the text that imports it.
  const bool here = is_about(message, file);
  Json out{{"range", file.document.range(here ? place_of(message) : SourcePlace{1, 1, 1, 1})},
           {"severity", severity(message)},
           {"source", "reckon"},
           {"message", here || !message.contains("file") ? whole_text(message)
                                                         : fmt::format("{}:{}: {}", message.value("file", ""),
                                                                       message.value("line", 0), whole_text(message))}};
  if (message.contains("code")) out["code"] = message["code"];
  for (const Json& label : message.value("labels", Json::array())) {
    if (!is_about(label, file)) {
      // A file that is not open, as a kernel's is: columns of its lines are taken for characters.
      const SourcePlace place = place_of(label);
      const auto position = [](std::uint32_t line, std::uint32_t column) {
        return Json{{"line", std::max(line, 1u) - 1}, {"character", std::max(column, 1u) - 1}};
      };
      const std::string path = std::filesystem::absolute(label.value("file", "")).lexically_normal().string();
      out["relatedInformation"].push_back(
          {{"location",
            {{"uri", uri_of(path)},
             {"range",
              {{"start", position(place.line, place.column)}, {"end", position(place.end_line, place.end_column)}}}}},
           {"message", label["text"]}});
      continue;
    }
    out["relatedInformation"].push_back(
        {{"location", {{"uri", file.uri}, {"range", file.document.range(place_of(label))}}}, {"message", label["text"]}});
  }
  return out;
}

bool overlap(const Json& a, const Json& b) {
  const auto before = [](const Json& x, const Json& y) {
    return std::pair(x["line"], x["character"]) < std::pair(y["line"], y["character"]);
  };
  return !before(a["end"], b["start"]) && !before(b["end"], a["start"]);
}

}  // namespace

Json diagnostics(Workspace& workspace, OpenFile& file) {
  Json list = Json::array();
  for (const Json& message : workspace.analysis(file).messages()) list.push_back(diagnostic(message, file));
  return {{"uri", file.uri}, {"version", file.version}, {"diagnostics", list}};
}

Json code_actions(Workspace& workspace, OpenFile& file, const Json& range) {
  Json out = Json::array();
  for (const Json& message : workspace.analysis(file).messages()) {
    const auto suggestion = message.find("suggestion");
    if (suggestion == message.end() || !is_about(*suggestion, file)) continue;
    const Json shown = diagnostic(message, file);
    if (!overlap(shown["range"], range)) continue;
    const std::string replacement = (*suggestion)["replacement"];
    const Json edit{{"range", file.document.range(place_of(*suggestion))}, {"newText", replacement}};
    out.push_back({{"title", replacement.empty() ? "remove this" : fmt::format("write `{}`", replacement)},
                   {"kind", "quickfix"},
                   {"diagnostics", {shown}},
                   {"isPreferred", true},
                   {"edit", {{"changes", {{file.uri, {edit}}}}}}});
  }
  return out;
}

}  // namespace reckon::lsp
