#include "api/reckon/source.h"

#include <algorithm>
#include <atomic>
#include <thread>

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

SourceOutline outline(const SourceMap& sources, std::uint32_t file,
                      const std::function<bool(const std::string&)>& is_known) {
  SourceOutline out;
  const frontend::Program program = frontend::parse(sources, file, frontend::ParseAs::program).program;
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
  with_large_stack([&] { out = outline(sources, file, is_known); });
  return out;
}

std::vector<SourceOutline> outline_sources(const std::vector<std::string_view>& texts,
                                           const std::function<bool(const std::string&)>& is_known) {
  std::vector<SourceOutline> out(texts.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    with_large_stack([&] {
      for (std::size_t k; (k = next.fetch_add(1)) < texts.size();) {
        SourceMap sources;
        out[k] = outline(sources, sources.add("program", std::string(texts[k])), is_known);
      }
    });
  };
  // A thread costs as much as some tens of short texts.
  constexpr std::size_t texts_per_thread = 64;
  const std::size_t threads = std::min<std::size_t>(std::thread::hardware_concurrency(), texts.size() / texts_per_thread);
  std::vector<std::thread> others;
  for (std::size_t k = 1; k < threads; ++k) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  return out;
}

}  // namespace reckon
