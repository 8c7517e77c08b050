#include "tests/support/golden.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

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

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

struct Edit {
  char mark;  // ' ' in both, '-' expected only, '+' actual only
  std::string_view line;
};

/// The edits between two texts by their longest common subsequence; of big ones, everything out and everything in.
std::vector<Edit> edits(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::vector<Edit> out;
  const std::size_t n = a.size(), m = b.size();
  std::size_t i = 0, j = 0;
  if (n * m <= 4'000'000) {
    std::vector<std::uint32_t> common((n + 1) * (m + 1), 0);
    const auto at = [&](std::size_t x, std::size_t y) -> std::uint32_t& { return common[x * (m + 1) + y]; };
    for (std::size_t x = n; x-- > 0;) {
      for (std::size_t y = m; y-- > 0;) {
        at(x, y) = a[x] == b[y] ? at(x + 1, y + 1) + 1 : std::max(at(x + 1, y), at(x, y + 1));
      }
    }
    while (i < n && j < m) {
      if (a[i] == b[j]) {
        out.push_back({' ', a[i++]});
        ++j;
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        out.push_back({'-', a[i++]});
      } else {
        out.push_back({'+', b[j++]});
      }
    }
  }
  while (i < n) out.push_back({'-', a[i++]});
  while (j < m) out.push_back({'+', b[j++]});
  return out;
}

}  // namespace

std::string line_differences(std::string_view expected, std::string_view actual) {
  constexpr std::size_t context = 3, max_lines = 120;
  std::vector<std::string_view> a = lines_of(expected), b = lines_of(actual);
  std::size_t before = 0, after = 0;
  while (before < std::min(a.size(), b.size()) && a[before] == b[before]) ++before;
  while (after < std::min(a.size(), b.size()) - before && a[a.size() - 1 - after] == b[b.size() - 1 - after]) ++after;
  const std::size_t first = before - std::min(before, context), last = after - std::min(after, context);
  const std::vector<Edit> all = edits({a.begin() + first, a.end() - last}, {b.begin() + first, b.end() - last});

  std::string out;
  std::size_t line = first + 1, shown = 0;  // `line` counts the lines of `expected`
  bool skipping = true;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::size_t from = k - std::min(k, context), to = std::min(all.size(), k + context + 1);
    const bool near =
        std::any_of(all.begin() + from, all.begin() + to, [](const Edit& edit) { return edit.mark != ' '; });
    if (near) {
      if (++shown > max_lines) return out + "... and more\n";
      if (skipping) out += "@@ line " + std::to_string(line) + " @@\n";
      out += all[k].mark;
      out += all[k].line;
      if (!all[k].line.ends_with('\n')) out += "\n\\ no line break at the end\n";
    }
    skipping = !near;
    if (all[k].mark != '+') ++line;
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
