// Comments and pages cite pages of this repository: each of them is there, and has the section that is named. What is
// cited from elsewhere is published, and no file of ours ends its name.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/files.h"

namespace {

using namespace reckon::test;
namespace fs = std::filesystem;

const std::set<std::string> folders{"api",         "bench",  "check",   "cli",    "cmake",    "codegen",
                                    "diagnostics", "docs",   "draw",    "driver", "examples", "fpcore", "frontend",
                                    "grammar",     "interp", "ir",      "kernel", "layout",   "numerics",
                                    "prove",       "ptx",    "reveal",  "runtime", "stdlib", "sweep", "tests",
                                    "worst"};
const std::set<std::string> extensions{".h",  ".cpp", ".def", ".cu",  ".g4",  ".py",  ".rk",
                                       ".md", ".txt", ".sh",  ".cmake", ".json"};

/// Every text of the repository but golden files, which are what the program prints.
std::vector<fs::path> texts() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(source_folder())) {
    if (entry.is_regular_file() && entry.path().extension() == ".md") out.push_back(entry.path());
  }
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(source_folder() / folder)) {
      const std::string path = entry.path().string();
      if (!entry.is_regular_file() || path.find("tests/golden/") != std::string::npos) continue;
      if (extensions.contains(entry.path().extension().string())) out.push_back(entry.path());
    }
  }
  return out;
}

/// The text with a comment's lines joined, so that a citation may go over the end of a line.
std::string joined(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find_first_not_of(" \t/#*");
    if (first != std::string::npos) out += line.substr(first);
    out += ' ';
  }
  return out;
}

/// The headings of a page, without their marks.
std::vector<std::string> headings(const fs::path& page) {
  std::vector<std::string> out;
  std::istringstream lines(read_file(page));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) out.push_back(line.substr(std::min(line.find_first_not_of("# "), line.size())));
  }
  return out;
}

/// What is wrong with the citations of a text that stands in the folder; empty if nothing is.
std::vector<std::string> wrong_citations(const std::string& text, const fs::path& folder) {
  // A page's name, then perhaps what of it is meant: "A heading" or a number.
  static const std::regex citation(R"(([A-Za-z0-9_./-]+\.md)\b(?:\]\([A-Za-z0-9_./#-]*\))?(?:,? \(?"([^"]+)\"|,?(?: sections?)? ([0-9]+(?:\.[0-9]+)*)\b)?)");
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), citation), end; at != end; ++at) {
    const std::string name = (*at)[1], section = (*at)[2], number = (*at)[3];
    if (name.starts_with("//") || name.starts_with("www.")) continue;  // of an address
    fs::path page = source_folder() / name;
    if (!fs::is_regular_file(page)) page = folder / name;
    if (!fs::is_regular_file(page)) {
      out.push_back(name + " is not there");
      continue;
    }
    const auto has = [&](const std::string& wanted) {
      const auto all = headings(page);
      return std::any_of(all.begin(), all.end(), [&](const std::string& heading) {
        return heading == wanted || heading.starts_with(wanted + ":") || heading.starts_with(wanted + " ");
      });
    };
    if (!section.empty() && !has(section.back() == ',' ? section.substr(0, section.size() - 1) : section)) {
      out.push_back(name + " has no section \"" + section + "\"");
    }
    if (!number.empty() && !has(number)) out.push_back(name + " has no section " + number);
  }
  return out;
}

}  // namespace

TEST_CASE("a citation that leads nowhere is found") {
  const fs::path docs = source_folder() / "docs";
  const std::string page = std::string("language") + ".md";  // in pieces: this file is looked at, too
  CHECK(wrong_citations("see docs/" + page + ", \"Checks\"", source_folder()).empty());
  CHECK(wrong_citations("see " + page, docs).empty());
  CHECK(wrong_citations("see " + page, source_folder()).size() == 1);
  CHECK(wrong_citations("docs/" + page + ", \"No such section\"", source_folder()).size() == 1);
  CHECK(wrong_citations("docs/" + page + ", section 2.4", source_folder()).size() == 1);
  CHECK(wrong_citations("docs/" + page + " (\"Checks\")", source_folder()).empty());
  CHECK(wrong_citations(joined("// docs/" + page + ",\n  // \"Checks\""), source_folder()).empty());
}

TEST_CASE("every page that is cited is there, with the section that is named") {
  std::size_t cited = 0;
  for (const fs::path& path : texts()) {
    const std::string text = joined(read_file(path));
    for (const std::string& problem : wrong_citations(text, path.parent_path())) FAIL_CHECK(path << ": " << problem);
    cited += text.find(".md") != std::string::npos;
  }
  CHECK(cited > 50);
}

TEST_CASE("every folder with headers is among those whose names clang-tidy checks") {
  const std::string settings = read_file(source_folder() / ".clang-tidy");
  const auto begin = settings.find("HeaderFilterRegex: '/(");
  REQUIRE(begin != std::string::npos);
  std::string list = settings.substr(begin + 22, settings.find(')', begin) - begin - 22);
  std::replace(list.begin(), list.end(), '|', ' ');
  std::istringstream words(list);
  std::set<std::string> named;
  for (std::string word; words >> word;) named.insert(word);
  std::set<std::string> with_headers;
  for (const fs::path& path : texts()) {
    if (path.extension() == ".h") with_headers.insert(fs::relative(path, source_folder()).begin()->string());
  }
  CHECK(named == with_headers);
}
