// `reckon fmt`: files, folders and standard input; --check; programs with mistakes; files that cannot be written.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
namespace fs = std::filesystem;

namespace {

const std::string ugly = "let x=1\n  show x+2 # three\n", pretty = "let x = 1\nshow x + 2  # three\n";

}  // namespace

TEST_CASE("fmt rewrites the programs of a folder that are not formatted, and names them") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "inner");
  write_file(folder.path() / "a.rk", ugly);
  write_file(folder.path() / "inner" / "b.rk", pretty);
  write_file(folder.path() / "notes.txt", ugly);
  const auto before = fs::last_write_time(folder.path() / "inner" / "b.rk");
  const RunResult run = reckon_in(folder.path(), {"fmt", "."});
  CHECK(run.status == 0);
  CHECK(run.err.empty());
  CHECK(run.out == "a.rk\n");
  CHECK(read_file(folder.path() / "a.rk") == pretty);
  CHECK(read_file(folder.path() / "notes.txt") == ugly);
  CHECK(fs::last_write_time(folder.path() / "inner" / "b.rk") == before);
  const RunResult again = reckon_in(folder.path(), {"fmt", "."});
  CHECK(again.status == 0);
  CHECK(again.out.empty());
}

TEST_CASE("fmt --check writes nothing and shows what would change") {
  const TemporaryFolder folder;
  write_file(folder.path() / "a.rk", ugly);
  write_file(folder.path() / "b.rk", pretty);
  write_file(folder.path() / "c.rk", pretty.substr(0, pretty.size() - 1));
  const RunResult run = reckon_in(folder.path(), {"fmt", "--check", "a.rk", "b.rk", "c.rk"});
  CHECK(run.status == 1);
  CHECK(run.err.empty());
  CHECK_THAT(run.out, Catch::StartsWith("--- a.rk\n+++ a.rk, formatted\n"));
  CHECK_THAT(run.out, Catch::Contains("-let x=1\n") && Catch::Contains("+let x = 1\n"));
  CHECK_THAT(run.out, !Catch::Contains("b.rk") && Catch::Contains("--- c.rk\n"));
  CHECK(read_file(folder.path() / "a.rk") == ugly);
  CHECK(reckon_in(folder.path(), {"fmt", "--check", "b.rk"}).status == 0);
  CHECK(reckon_in(folder.path(), {"fmt", "--check", "-q", "a.rk"}).out.empty());
  const auto lines = json_lines(reckon_in(folder.path(), {"fmt", "--check", "--format=json", "a.rk", "b.rk"}).out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == Json{{"kind", "formatted"}, {"file", "a.rk"}, {"changed", true}});
  CHECK(lines[1] == Json{{"kind", "formatted"}, {"file", "b.rk"}, {"changed", false}});
}

TEST_CASE("fmt - is a filter") {
  const RunResult run = reckon_here({"fmt", "-"}, ugly);
  CHECK(run.status == 0);
  CHECK(run.out == pretty);
  CHECK(reckon_here({"fmt", "-", "--check"}, ugly).status == 1);
  CHECK(reckon_here({"fmt", "-", "--check"}, pretty).out.empty());
  const RunResult wrong = reckon_here({"fmt", "-"}, "let x =\n");
  CHECK(wrong.status == 3);
  CHECK(wrong.out.empty());
  CHECK_THAT(wrong.err, Catch::Contains("standard input:"));
}

TEST_CASE("fmt leaves a program with mistakes as it is, and formats the others") {
  const TemporaryFolder folder;
  write_file(folder.path() / "a.rk", "let x=\n");
  write_file(folder.path() / "b.rk", ugly);
  const RunResult run = reckon_in(folder.path(), {"fmt", "a.rk", "b.rk"});
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Catch::Contains("E0100") && Catch::Contains("a.rk:"));
  CHECK(read_file(folder.path() / "a.rk") == "let x=\n");
  CHECK(read_file(folder.path() / "b.rk") == pretty);
}

TEST_CASE("fmt of what is not there") {
  const RunResult run = reckon_here({"fmt", "nothing_like_it.rk"});
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Catch::Contains("nothing_like_it.rk"));
  CHECK(reckon_here({"fmt"}).status == 2);
}
