#include "api/reckon/source.h"

#include <set>

#include "api/implementation.h"
#include "frontend/format_source.h"
#include "frontend/name_places.h"
#include "frontend/parse.h"

namespace reckon {
namespace {

std::string kind_text(frontend::NameKind kind) {
  using frontend::NameKind;
  switch (kind) {
    case NameKind::circuit: return "circuit";
    case NameKind::value: return "value";
    case NameKind::type: return "type";
    case NameKind::profile: return "profile";
    case NameKind::kernel: return "kernel";
    case NameKind::static_parameter: return "static parameter";
    case NameKind::parameter: return "parameter";
    case NameKind::dimension: return "dimension";
    case NameKind::index: return "index";
    case NameKind::local: return "local";
    case NameKind::length: return "length";
    case NameKind::argument: return "argument";
  }
  return "";
}

SourcePlace place_of(const SourceMap& sources, SourceSpan span) {
  if (!span.known()) return {};
  const LineColumn begin = sources.locate(span.file, span.begin), end = sources.locate(span.file, span.end);
  return {begin.line, begin.column, end.line, end.column};
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

SourceOutline outline_of(const frontend::Program& program, const SourceMap& sources,
                         const std::function<bool(const std::string&)>& is_known) {
  SourceOutline out;
  for (const frontend::Item& item : program.items) {
    if (item.kind == frontend::ItemKind::import) out.imports.push_back({item.name, place_of(sources, item.name_span)});
  }
  const auto places = frontend::name_places(program, is_known);
  for (const frontend::NameDefinition& each : places.definitions) {
    out.definitions.push_back({each.name, kind_text(each.kind), place_of(sources, each.span),
                               place_of(sources, each.whole), place_of(sources, each.scope),
                               first_line(sources.text(each.whole))});
  }
  for (const frontend::NameUse& each : places.uses) {
    out.uses.push_back({each.name, place_of(sources, each.span), each.definition});
  }
  return out;
}

}  // namespace

Result<std::string> format_source(const std::string& text, const std::string& path) {
  frontend::FormattedSource formatted;
  SourceMap sources;
  const std::uint32_t file = sources.add(path, text);
  with_large_stack([&] { formatted = frontend::format_source(sources, file); });
  if (formatted.diagnostics.empty()) return std::move(formatted.text);
  std::vector<Message> messages;
  for (const Diagnostic& diagnostic : formatted.diagnostics) messages.push_back(public_message(diagnostic, sources));
  return messages;
}

SourceOutline outline_source(const std::string& text, const std::function<bool(const std::string&)>& is_known,
                             std::uint32_t first_line) {
  SourceOutline out;
  SourceMap sources;
  const std::uint32_t file = sources.add("program", text, first_line);
  with_large_stack([&] {
    out = outline_of(frontend::parse(sources, file, frontend::ParseAs::program).program, sources, is_known);
  });
  return out;
}

SourceOutline outline_source(const Session& session) {
  SourceOutline out;
  const Session::Implementation& self = *session.implementation_;
  const frontend::Program* program = self.programs.empty() ? nullptr : self.session.tree(*self.programs.rbegin());
  if (program == nullptr) return out;
  const auto names = self.session.names();
  const std::set<std::string> known(names.begin(), names.end());
  with_large_stack([&] {
    out = outline_of(*program, self.sources, [&](const std::string& name) { return known.contains(name); });
  });
  return out;
}

}  // namespace reckon
