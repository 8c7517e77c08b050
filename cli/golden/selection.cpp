#include "cli/golden/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace reckon::golden {
namespace {

namespace fs = std::filesystem;

constexpr const char* program_ending = ".rk";

class Search {
 public:
  explicit Search(Selection& out) : out_(out) {}

  void add(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) return search(path);
    // A link that leads nowhere is there, and its test says that it cannot be read.
    if (!fs::exists(status) && !fs::is_symlink(fs::symlink_status(path, error))) {
      out_.problems.push_back(fmt::format("there is no file or folder `{}`", path));
    } else if (fs::path(path).extension() != program_ending) {
      out_.problems.push_back(fmt::format("`{}` is no program: the name of one ends with `{}`", path, program_ending));
    } else {
      add_program(path);
    }
  }

 private:
  void search(const fs::path& folder) {
    std::error_code error;
    const std::size_t before = out_.programs.size() + seen_again_;
    fs::recursive_directory_iterator at(folder, error);
    while (!error && at != fs::recursive_directory_iterator()) {
      const fs::path path = at->path();
      std::error_code none;
      const bool hidden = path.filename().string().starts_with('.');
      if (hidden && at->is_directory(none)) at.disable_recursion_pending();
      if (!hidden && !at->is_directory(none)) {
        if (path.extension() == program_ending) add_program(path);
        if (path.extension() == ".expected" && !has_program(path)) out_.alone.push_back(shown(path));
      }
      at.increment(error);
    }
    if (error) {
      out_.problems.push_back(fmt::format("the folder `{}` cannot be searched: {}", folder.string(), error.message()));
    } else if (out_.programs.size() + seen_again_ == before) {
      out_.problems.push_back(fmt::format("the folder `{}` holds no file `*{}`", folder.string(), program_ending));
    }
  }

  static bool has_program(fs::path path) {
    std::error_code error;
    return fs::exists(fs::symlink_status(path.replace_extension(program_ending), error));
  }

  static std::string shown(const fs::path& path) { return path.lexically_normal().generic_string(); }

  void add_program(const fs::path& path) {
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const fs::path real = fs::canonical(folder, error) / path.filename();
    if (seen_.insert(error ? path : real).second) out_.programs.push_back(shown(path));
    else ++seen_again_;
  }

  Selection& out_;
  std::set<fs::path> seen_;
  std::size_t seen_again_ = 0;
};

void keep_named(std::vector<std::string>& paths, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::erase_if(paths, [&](const std::string& path) {
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return path.find(name) != std::string::npos; });
  });
}

}  // namespace

Selection select(const std::vector<std::string>& paths, const std::vector<std::string>& names) {
  Selection out;
  Search search(out);
  for (const std::string& path : paths) search.add(path);
  out.found = out.programs.size();
  for (std::vector<std::string>* list : {&out.programs, &out.alone}) {
    keep_named(*list, names);
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return out;
}

}  // namespace reckon::golden
