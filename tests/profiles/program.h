// A program, elaborated with the standard library at hand.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/elaborate.h"
#include "tests/support/files.h"

namespace reckon::test {

inline frontend::Files files() {
  frontend::Files out;
  out.read_source = [](const std::string& path) -> std::optional<std::string> {
    std::ifstream stream(path, std::ios::binary);
    if (!stream || std::filesystem::is_directory(path)) return std::nullopt;
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  };
  out.list_sources = [](const std::string& folder) {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".rk") paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  };
  out.library_folders = {(source_folder() / "stdlib").string()};
  return out;
}

struct Elaborated {
  SourceMap sources;
  frontend::Session session{sources, files()};

  std::shared_ptr<const ir::Profile> profile(const std::string& text, const std::string& name) {
    const auto outcome = session.add(sources.add("p.rk", text), "p.rk", frontend::ParseAs::program);
    for (const Diagnostic& diagnostic : outcome.diagnostics) FAIL(render_text(diagnostic, sources, false));
    auto found = session.profile(name, {});
    REQUIRE(found);
    return *found;
  }
};

}  // namespace reckon::test
