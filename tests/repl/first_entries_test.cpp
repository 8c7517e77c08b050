// What people type first at a prompt, and what they see.
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/repl/terminal.h"
#include "tests/support/files.h"
#include "tests/support/golden.h"

using namespace reckon::test;

TEST_CASE("what people type first gives the answer, or the sentence that leads to it") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  std::string transcript;
  std::size_t entries = 0;
  std::istringstream lines(read_file(source_folder() / "tests/repl/first_entries.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    transcript += "> " + line + "\n" + terminal.enter(line);
    ++entries;
  }
  CHECK(entries >= 40);
  check_golden("repl/first_entries.txt", transcript);
}

TEST_CASE("the words for leaving leave") {
  if (!have_terminals()) return;
  for (const char* word : {"quit", "exit", "exit()", "quit()", ":q", ":quit", "q"}) {
    INFO(word);
    const TemporaryFolder folder;
    Terminal terminal(folder.path());
    terminal.type(std::string(word) + "\r");
    CHECK(terminal.end() == 0);
  }
}

TEST_CASE("a definition keeps a word of the prompt from its other meaning") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  CHECK(terminal.enter("q = 3") == "");
  CHECK(terminal.enter("q") == "3\n");
  CHECK(terminal.enter("fn load(x: f32) -> f32 = x") == "");
  CHECK(terminal.enter("load(2)") == "2  f32#40000000\n");
}
