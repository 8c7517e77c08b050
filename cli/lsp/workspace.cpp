#include "cli/lsp/workspace.h"

#include <algorithm>

namespace reckon::lsp {
namespace {

std::optional<std::size_t> global_named(const SourceOutline& outline, const std::string& name) {
  std::optional<std::size_t> out;
  for (std::size_t k = 0; k < outline.definitions.size(); ++k) {
    if (is_global(outline.definitions[k]) && outline.definitions[k].name == name) out = k;
  }
  return out;
}

}  // namespace

OpenFile& Workspace::open(const std::string& uri, std::string text, std::int64_t version) {
  on_disk_.clear();
  return files_[uri] = new_file(uri, std::move(text), version);
}

OpenFile Workspace::new_file(const std::string& uri, std::string text, std::int64_t version) const {
  const std::string path = path_of(uri);
  return {uri, path, TextDocument(std::move(text), encoding), version, std::make_shared<Analysis>(options_, path)};
}

OpenFile* Workspace::find(const std::string& uri) {
  const auto found = files_.find(uri);
  return found == files_.end() ? nullptr : &found->second;
}

std::vector<OpenFile*> Workspace::all() {
  std::vector<OpenFile*> out;
  for (auto& [uri, file] : files_) out.push_back(&file);
  return out;
}

void Workspace::changed(OpenFile& file) {
  file.current = file.published = false;
}

void Workspace::saved() {
  on_disk_.clear();
  for (OpenFile* file : all()) {
    file->analysis->forget();
    changed(*file);
  }
}

Analysis& Workspace::analysis(OpenFile& file) {
  if (!file.current) file.analysis->update(file.document.text());
  file.current = true;
  return *file.analysis;
}

OpenFile* Workspace::file_at(const std::string& path) {
  for (OpenFile* file : all()) {
    if (file->path == path) return file;
  }
  if (const auto found = on_disk_.find(path); found != on_disk_.end()) return &found->second;
  auto text = Session::read_text(path);
  if (!text) return nullptr;
  return &on_disk_.insert_or_assign(path, new_file(uri_of(path), std::move(*text), 0)).first->second;
}

std::optional<Target> Workspace::target(OpenFile& file, TextDocument::At at) {
  Analysis& known = analysis(file);
  const SourceOutline& outline = known.outline();
  for (std::size_t k = 0; k < outline.definitions.size(); ++k) {
    const SourceDefinition& each = outline.definitions[k];
    if (covers(each.place, at)) return Target{each.name, file.path, k, each.place};
  }
  const auto use = std::ranges::find_if(outline.uses, [&](const SourceUse& each) { return covers(each.place, at); });
  if (use == outline.uses.end()) return std::nullopt;
  if (use->definition) return Target{use->name, file.path, use->definition, use->place};
  const auto imported = known.session_with(use->name).definition(use->name);
  OpenFile* other = imported ? file_at(imported->file) : nullptr;
  if (other == nullptr) return Target{use->name, {}, std::nullopt, use->place};
  return Target{use->name, other->path, global_named(analysis(*other).outline(), use->name), use->place};
}

std::optional<Occurrences> Workspace::definition(const Target& target) {
  OpenFile* file = target.definition ? file_at(target.path) : nullptr;
  if (file == nullptr) return std::nullopt;
  return Occurrences{file->uri, &file->document, {analysis(*file).outline().definitions[*target.definition].place}};
}

std::vector<Occurrences> Workspace::occurrences(const Target& target, bool with_definition) {
  std::vector<Occurrences> out;
  OpenFile* home = target.definition ? file_at(target.path) : nullptr;
  if (home == nullptr) return out;
  const SourceDefinition definition = analysis(*home).outline().definitions[*target.definition];
  std::vector<OpenFile*> files{home};
  for (OpenFile* file : all()) {
    if (file != home && is_global(definition)) files.push_back(file);
  }
  for (OpenFile* file : files) {
    Occurrences here{file->uri, &file->document, {}};
    if (file == home && with_definition) here.places.push_back(definition.place);
    Analysis& known = analysis(*file);
    for (const SourceUse& use : known.outline().uses) {
      if (use.name != target.name) continue;
      if (file == home) {
        if (use.definition == target.definition) here.places.push_back(use.place);
        continue;
      }
      if (use.definition) continue;
      const auto imported = known.session_with(use.name).definition(use.name);
      if (imported && imported->file == home->path) here.places.push_back(use.place);
    }
    if (!here.places.empty()) out.push_back(std::move(here));
  }
  return out;
}

}  // namespace reckon::lsp
