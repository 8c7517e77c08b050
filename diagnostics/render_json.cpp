#include <nlohmann/json.hpp>

#include "diagnostics/diagnostic.h"

namespace reckon {

namespace {

using Json = nlohmann::ordered_json;

std::string_view kind_of(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return "error";
}

bool has_place(SourceSpan span, const SourceMap& sources) { return span.known() && span.file < sources.file_count(); }

/// Line, column and file of a span's beginning, and the line and column behind its end; nothing of a span without a place.
void add_place(Json& object, SourceSpan span, const SourceMap& sources) {
  if (!has_place(span, sources)) return;
  const LineColumn place = sources.locate(span.file, span.begin);
  object["line"] = place.line;
  object["column"] = place.column;
  const LineColumn end = sources.locate(span.file, span.end);
  object["end_line"] = end.line;
  object["end_column"] = end.column;
  object["file"] = std::string(sources.name(span.file));
}

}  // namespace

std::string render_json(const Diagnostic& diagnostic, const SourceMap& sources) {
  Json object;
  object["kind"] = kind_of(diagnostic.severity);
  if (diagnostic.code != Code{}) object["code"] = code_text(diagnostic.code);
  object["message"] = diagnostic.message;
  add_place(object, diagnostic.primary.span, sources);
  object["notes"] = diagnostic.notes;
  object["helps"] = diagnostic.helps;
  if (!diagnostic.secondary.empty()) {
    Json& labels = object["labels"] = Json::array();
    for (const Label& label : diagnostic.secondary) {
      Json entry;
      entry["text"] = label.text;
      add_place(entry, label.span, sources);
      labels.push_back(std::move(entry));
    }
  }
  if (diagnostic.suggestion && has_place(diagnostic.suggestion->span, sources)) {
    Json entry;
    add_place(entry, diagnostic.suggestion->span, sources);
    entry["replacement"] = diagnostic.suggestion->replacement;
    object["suggestion"] = std::move(entry);
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace reckon
