// No folder includes a header of a folder that its CMakeLists.txt does not link: linking goes through other targets, and
// would not tell.
#include <catch2/catch.hpp>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "tests/support/files.h"

namespace {

using namespace reckon::test;
namespace fs = std::filesystem;

/// Every match of the pattern's first group.
std::set<std::string> found(const std::string& text, const std::regex& pattern) {
  std::set<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) out.insert((*at)[1]);
  return out;
}

/// Of each folder that is a target of its own: the targets that its CMakeLists.txt names, without `reckon_`.
std::map<std::string, std::set<std::string>> links() {
  static const std::regex target("\\breckon_(\\w+)");
  std::map<std::string, std::set<std::string>> out;
  for (const auto& entry : fs::directory_iterator(source_folder())) {
    const std::string name = entry.path().filename().string();
    const fs::path list = entry.path() / "CMakeLists.txt";
    if (name == "tests" || name == "bench" || name == "examples" || name == "build" || !fs::exists(list)) continue;
    out[name] = found(read_file(list), target);
  }
  return out;
}

/// The folders whose headers a text of this folder includes, though the folder does not link them.
std::set<std::string> unlinked(const std::map<std::string, std::set<std::string>>& folders, const std::string& folder,
                               const std::string& text) {
  static const std::regex include("#include \"(\\w+)/");
  std::set<std::string> out;
  for (const std::string& other : found(text, include)) {
    if (other != folder && folders.contains(other) && !folders.at(folder).contains(other)) out.insert(other);
  }
  return out;
}

/// The strategies of placement whose headers a text includes.
std::set<std::string> strategies_of(const std::string& text) {
  static const std::regex include("#include \"codegen/strategies/(\\w+)/");
  return found(text, include);
}

}  // namespace

TEST_CASE("an include of a folder that is not linked is found") {
  const auto folders = links();
  const std::string planted = "#include <map>\n#include \"codegen/compile.h\"\n#include \"layout/layout.h\"\n";
  CHECK(unlinked(folders, "ir", planted) == std::set<std::string>{"codegen"});
  CHECK(unlinked(folders, "codegen", "#include \"runtime/host/run.h\"\n") == std::set<std::string>{"runtime"});
  CHECK(unlinked(folders, "runtime", planted).empty());
}

TEST_CASE("the IR states no limit of a machine") {
  static const std::regex limit("constexpr [\\w:]+ (\\w*(?:register|resident|warp|block|shared)\\w*) ?=");
  CHECK(found("constexpr std::int64_t max_registers = 255;", limit).size() == 1);
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() / "ir")) {
    if (!entry.is_regular_file()) continue;
    INFO(entry.path().string());
    CHECK(found(read_file(entry.path()), limit).empty());
  }
}

TEST_CASE("a folder includes headers of those folders alone that it links") {
  const auto folders = links();
  CHECK(folders.size() > 10);
  std::size_t read = 0;
  for (const auto& [folder, linked] : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(source_folder() / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      ++read;
      INFO(entry.path().string());
      CHECK(unlinked(folders, folder, read_file(entry.path())).empty());
    }
  }
  CHECK(read > 400);
}

TEST_CASE("no folder is linked in a circle") {
  const auto folders = links();
  for (const auto& [folder, linked] : folders) {
    std::set<std::string> reached, open(linked.begin(), linked.end());
    open.erase(folder);
    while (!open.empty()) {
      const std::string next = *open.begin();
      open.erase(open.begin());
      if (!folders.contains(next) || !reached.insert(next).second) continue;
      for (const std::string& other : folders.at(next)) {
        if (other != next) open.insert(other);
      }
    }
    INFO(folder);
    CHECK_FALSE(reached.contains(folder));
  }
}

TEST_CASE("nobody but its own folder and its tests includes a header of a strategy of placement") {
  CHECK(strategies_of("#include \"codegen/strategies/tiles/tile.h\"\n#include \"codegen/strategies/strategy.h\"\n") ==
        std::set<std::string>{"tiles"});
  static const std::regex row("\nSTRATEGY\\((\\w+)\\)");
  const fs::path folder = source_folder() / "codegen" / "strategies";
  const std::set<std::string> rows = found(read_file(folder / "strategies.def"), row);
  std::set<std::string> folders;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  }
  CHECK(rows == folders);
  for (const auto& [top, linked] : links()) {
    for (const auto& entry : fs::recursive_directory_iterator(source_folder() / top)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      INFO(entry.path().string());
      std::set<std::string> included = strategies_of(read_file(entry.path()));
      if (entry.path().parent_path().parent_path() == folder) {
        included.erase(entry.path().parent_path().filename().string());
      }
      CHECK(included.empty());
    }
  }
}
