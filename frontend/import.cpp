// Imports: a file is looked for beside the importing file, then in the standard library.
#include <fmt/format.h>

#include <filesystem>

#include "diagnostics/codes/import_cycle.h"
#include "diagnostics/codes/import_not_found.h"
#include "diagnostics/codes/unreadable_file.h"
#include "frontend/elaborator.h"

namespace reckon::frontend {

std::shared_ptr<Environment> declare_program(Elaborator& elaborator, const std::string& path, std::string text) {
  const std::uint32_t file = elaborator.sources.add(path, std::move(text));
  ParseResult parsed = parse(elaborator.sources, file, ParseAs::program);
  for (Diagnostic& diagnostic : parsed.diagnostics) elaborator.report(std::move(diagnostic));
  auto environment = std::make_shared<Environment>();
  const auto program = static_cast<std::uint32_t>(elaborator.programs.size());
  elaborator.programs.push_back({std::move(parsed.program), environment});
  elaborator.declare(program, path, *environment);
  return environment;
}

std::optional<std::string> Imports::find_import(const std::string& name, const std::string& from) const {
  std::vector<std::string> folders;
  const auto slash = from.rfind('/');
  folders.push_back(slash == std::string::npos ? "" : from.substr(0, slash + 1));
  if (!name.empty() && name[0] == '/') folders = {""};
  for (const std::string& folder : elaborator_.files.library_folders) folders.push_back(folder + "/");
  for (const std::string& folder : folders) {
    for (const char* ending : {".rk", ""}) {
      // Paths are made normal so that one file has one path: `../wgsl` from profiles/ is the library's own file.
      const std::string path = std::filesystem::path(folder + name + ending).lexically_normal().string();
      if (imported_.contains(path) || elaborator_.files.read_source(path)) return path;
    }
  }
  return std::nullopt;
}

void Imports::add(const Item& item, const std::string& path, Environment& into) {
  auto found = find_import(item.name, path);
  if (!found) {
    Diagnostic diagnostic(code::import_not_found, item.name_span,
                          fmt::format("there is no file `{}` to import", item.name));
    diagnostic.notes.push_back("looked beside the importing file and in the standard library, with and without `.rk`");
    std::vector<std::string> names;
    for (const std::string& folder : elaborator_.files.library_folders) {
      for (const std::string& file :
           elaborator_.files.list_sources ? elaborator_.files.list_sources(folder) : std::vector<std::string>{}) {
        const std::string name = file.substr(folder.size() + 1);
        names.push_back(name.substr(0, name.rfind('.')));
      }
    }
    if (auto near = nearest_name(item.name, names)) diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
    else if (!names.empty()) diagnostic.helps.push_back(fmt::format("the standard library has `{}`", fmt::join(names, "`, `")));
    elaborator_.report(std::move(diagnostic));
    return;
  }
  auto environment = import_file(*found, item.name_span);
  if (!environment) return;
  for (const auto& [name, declaration] : environment->definitions) into.definitions[name] = declaration;
}

std::shared_ptr<Environment> Imports::import_file(const std::string& path, SourceSpan place) {
  if (auto found = imported_.find(path); found != imported_.end()) {
    if (!found->second) {
      elaborator_.report(
          Diagnostic(code::import_cycle, place, fmt::format("`{}` imports itself, directly or through others", path))
              .help("move what both need to a file of its own"));
    }
    return found->second;
  }
  auto text = elaborator_.files.read_source(path);
  if (!text) {
    elaborator_.report(Diagnostic(code::unreadable_file, place, fmt::format("`{}` cannot be read", path)));
    return nullptr;
  }
  imported_[path] = nullptr;
  auto environment = declare_program(elaborator_, path, std::move(*text));
  imported_[path] = environment;
  return environment;
}

Environment Imports::library_names() {
  Environment all;
  for (const std::string& folder : elaborator_.files.library_folders) {
    auto listing = elaborator_.files.list_sources ? elaborator_.files.list_sources(folder) : std::vector<std::string>{};
    for (const std::string& path : listing) {
      auto environment = import_file(path, {});
      if (!environment) continue;
      for (const auto& [name, declaration] : environment->definitions) all.definitions.try_emplace(name, declaration);
    }
  }
  return all;
}

std::vector<Diagnostic> Imports::import_library() {
  elaborator_.diagnostics.clear();
  for (const auto& [name, declaration] : library_names().definitions) {
    elaborator_.session->definitions.try_emplace(name, declaration);
  }
  return std::exchange(elaborator_.diagnostics, {});
}

}  // namespace reckon::frontend
