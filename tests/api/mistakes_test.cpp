// What the compiler says of mistakes that C++ finds: each file of mistakes/ is compiled, and its first line states a
// part of the compiler's first error.
#include <catch2/catch.hpp>
#include <filesystem>

#include <sstream>

#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace reckon::test;

namespace {

RunResult compile(const std::string& path, const std::vector<std::string>& more = {}) {
  std::vector<std::string> command{RECKON_CXX_COMPILER, "-std=c++20", "-fsyntax-only"};
  command.insert(command.end(), more.begin(), more.end());
  command.insert(command.end(), {"-I" + (source_folder() / "api").string(), path});
  return run_command(command);
}

}  // namespace

TEST_CASE("the C++ of docs/cpp.md compiles") {
  std::istringstream page(read_file(source_folder() / "docs/cpp.md"));
  std::string program = "#include <reckon/circuit.h>\n#include <reckon/semantics.h>\n#include <iostream>\nusing namespace reckon::circuit;\n", line;
  int blocks = 0;
  for (bool inside = false; std::getline(page, line);) {
    if (line.starts_with("```")) {
      if (line == "```cpp") program += "void block_" + std::to_string(++blocks) + "() {\n";
      else if (inside) program += "}\n";
      inside = line == "```cpp";
    } else if (inside) {
      program += line + "\n";
    }
  }
  CHECK(blocks >= 6);
  const TemporaryFolder folder;
  write_file(folder.path() / "page.cpp", program);
  const RunResult run = compile((folder.path() / "page.cpp").string());
  INFO(run.err);
  CHECK(run.status == 0);
}

TEST_CASE("the compiler says in a sentence what is wrong with a circuit") {
  // The compiler reads the header once for all files.
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "reckon");
  write_file(folder.path() / "circuit.h", "#include <reckon/circuit.h>\n");
  const RunResult header =
      run_command({RECKON_CXX_COMPILER, "-std=c++20", "-x", "c++-header", "-I" + (source_folder() / "api").string(),
                   (folder.path() / "circuit.h").string(), "-o", (folder.path() / "reckon/circuit.h.gch").string()});
  REQUIRE(header.status == 0);
  std::size_t compiled = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "tests/api/mistakes")) {
    INFO(entry.path().filename().string());
    const std::string text = read_file(entry.path()), head = "// expect:";
    REQUIRE(text.starts_with(head));
    std::string expected = text.substr(head.size(), text.find('\n') - head.size());
    expected.erase(0, expected.find_first_not_of(' '));
    const RunResult run = compile(entry.path().string(), {"-I" + folder.path().string()});
    INFO(run.err);
    CHECK((run.status == 0) == expected.empty());
    const std::size_t first = run.err.find("error: ");
    const std::string sentence =
        first == std::string::npos ? "" : run.err.substr(first, run.err.find('\n', first) - first);
    CHECK_THAT(sentence, Catch::Contains(expected));
    ++compiled;
  }
  CHECK(compiled >= 8);
}
