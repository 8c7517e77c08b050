#include "tests/support/golden.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "cli/golden/difference.h"
#include "tests/support/files.h"

namespace reckon::test {
namespace {

struct Golden {
  bool update = false;
  std::set<std::filesystem::path> used;
};

Golden& golden() {
  static Golden state;
  return state;
}

std::filesystem::path golden_folder() { return source_folder() / "tests" / "golden"; }

}  // namespace

std::string line_differences(std::string_view expected, std::string_view actual) {
  std::string out = golden::difference(expected, actual);
  const bool ends = expected.empty() || expected.ends_with('\n');
  if (ends != (actual.empty() || actual.ends_with('\n'))) {
    out += ends ? "\\ the actual text has no line break at its end\n"
                : "\\ the expected text has no line break at its end\n";
  }
  return out;
}

bool updating_golden() { return golden().update; }
void set_updating_golden(bool update) { golden().update = update; }

std::filesystem::path golden_path(std::string_view name) {
  std::filesystem::path path = (golden_folder() / name).lexically_normal();
  golden().used.insert(path);
  return path;
}

void check_golden(std::string_view name, std::string_view actual) {
  const std::filesystem::path path = golden_path(name);
  const bool exists = std::filesystem::is_regular_file(path);
  const std::string expected = exists ? read_file(path) : std::string();
  if (exists && expected == actual) {
    SUCCEED();
  } else if (updating_golden()) {
    write_file(path, actual);
    WARN((exists ? "updated tests/golden/" : "wrote tests/golden/") << name);
  } else {
    FAIL_CHECK("tests/golden/" << name << (exists ? " differs" : " is missing")
                               << " (- expected, + actual; `./dev golden --update` rewrites it)\n"
                               << line_differences(expected, actual));
  }
}

std::vector<std::filesystem::path> unused_golden_files(const std::string& folder) {
  std::vector<std::filesystem::path> unused;
  const std::filesystem::path root = golden_folder() / folder;
  if (!std::filesystem::is_directory(root)) return unused;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::filesystem::path path = entry.path().lexically_normal();
    if (entry.is_regular_file() && !golden().used.contains(path)) unused.push_back(path);
  }
  std::sort(unused.begin(), unused.end());
  return unused;
}

}  // namespace reckon::test
