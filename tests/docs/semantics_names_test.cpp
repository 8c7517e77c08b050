// A semantics is known by its traits: its name stands in its own folder, in the registry and in the documentation
// alone.
#include <catch2/catch.hpp>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "semantics/standard.h"
#include "tests/support/files.h"

namespace {

using namespace reckon;
using namespace reckon::test;
namespace fs = std::filesystem;

/// Words of other vocabularies that are spelled as a semantics is.
const std::map<std::string, std::set<std::string>> other_words{
    {"api/questions.cpp", {"exact"}},                                   // a member of the JSON of an answer
    {"api/compilations.cpp", {"exact", "accept"}},  // the same, and the name of what was asked in
    {"api/render/json.cpp", {"exact"}},                                 // the same
    {"codegen/standalone/interface.cpp", {"exact", "count", "float"}},  // words of C, and of generated programs
    {"api/worst.cpp", {"bound"}},                                       // the same
    {"frontend/builtins.cpp", {"bound"}},                               // a builtin function, as the six below
    {"frontend/elaborate_worst.cpp", {"bound"}},
    {"api/circuit/translate_names.cpp", {"bound"}},
    {"api/reckon/circuit/schedules.h", {"bound"}},
    {"frontend/foreign_names.cpp", {"float"}},  // a type of C and Python
    {"frontend/print_syntax.cpp", {"bound"}},
    {"frontend/elaborate_call.cpp", {"bound"}},
    {"frontend/elaborate_bound_claim.cpp", {"bound"}},  // the function
    {"frontend/elaborate_library.cpp", {"bound"}},      // of `within bound`
    {"frontend/elaborate_accuracy.cpp", {"exact"}},     // an accuracy of profiles, as the one below
    {"ir/profile.cpp", {"exact"}},
    {"ir/library_function.h", {"float"}},  // the type of C
};

}  // namespace

TEST_CASE("no name of a semantics stands outside of its folder and the registry") {
  std::string names;
  for (const auto& info : interp::known_semantics()) names += (names.empty() ? "" : "|") + std::string(info.name);
  // Alone in a string, or at the beginning of one with arguments.
  const std::regex quoted("\"(" + names + ")[\"(]");
  const fs::path root = source_folder();
  std::size_t read = 0;
  for (const char* folder : {"api", "check", "cli", "codegen", "diagnostics", "draw", "driver", "frontend", "interp",
                             "ir", "layout", "numerics", "prove", "reveal", "runtime"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      ++read;
      std::istringstream lines(read_file(entry.path()));
      std::size_t number = 0;
      for (std::string line; std::getline(lines, line);) {
        ++number;
        line = line.substr(0, line.find("//"));
        for (std::sregex_iterator at(line.begin(), line.end(), quoted), end; at != end; ++at) {
          const auto allowed = other_words.find(path);
          INFO(path << ":" << number << " asks for `" << (*at)[1] << "`; ask for a trait (driver/traits.h)");
          CHECK((allowed != other_words.end() && allowed->second.contains((*at)[1])));
        }
      }
    }
  }
  CHECK(read > 350);
}

TEST_CASE("the table of docs/semantics.md says what the registry says") {
  // `float`, and `accept(P)`; a further row of a name shows other arguments of it.
  static const std::regex row("^\\| `(\\w+)[^`]*`[^|]*\\| ([^|]+) \\|.*");
  static const std::regex link(" \\(\\[[^\\]]*\\]\\([^)]*\\)\\)");
  std::map<std::string, std::string> rows;
  std::istringstream lines(read_file(source_folder() / "docs/semantics.md"));
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| `in ...`")) {
      in_table = true;
      continue;
    }
    if (in_table && line.empty()) break;
    std::smatch found;
    if (in_table && std::regex_match(line, found, row))
      rows.emplace(found[1], std::regex_replace(found[2].str(), link, ""));
  }
  CHECK(rows.size() == interp::known_semantics().size());
  for (const auto& info : interp::known_semantics()) {
    INFO(info.name);
    CHECK(rows[std::string(info.name)] == info.value);
  }
}
