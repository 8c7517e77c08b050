// The commands that keep, show and measure.
#include <catch2/catch.hpp>

#include "api/reckon/explain.h"
#include "tests/repl/terminal.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace reckon::test;
using Catch::Contains;
using Catch::StartsWith;

TEST_CASE("`:format` says in which format numbers are shown that meet none") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  // The square root of 2 is 1.41421356237309504880168872420969807857 (OEIS A002193).
  CHECK(terminal.enter(":format") == "f64\n");
  CHECK(terminal.enter("sqrt(2)") == "1.4142135623730951\n");
  CHECK(terminal.enter(":format f32") == "");
  CHECK(terminal.enter(":format") == "f32\n");
  CHECK(terminal.enter("sqrt(2)") == "1.4142135\n");
  CHECK(terminal.enter("1/3") == "1/3  (0.33333334)\n");
  // The three sums in f32, and in f64: IEEE 754.
  CHECK(terminal.enter("sum i: [0.1, 0.2][i]") == "0.3  f32#3e99999a\n");
  CHECK(terminal.enter(":format f64") == "");
  CHECK(terminal.enter("sum i: [0.1, 0.2][i]") == "0.30000000000000004  f64#3fd3333333333334\n");
  CHECK_THAT(terminal.enter(":format f23"), Contains("`f23` is no float format") && Contains("f64, f32"));
  CHECK(terminal.enter(":format") == "f64\n");
}

TEST_CASE("`:in` and `in S` speak of numbers without a format, too") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  CHECK(terminal.enter("sqrt(2) in exact") == "1.4142135623730950488...\n");
  CHECK(terminal.enter("ans * ans") == "2\n");  // the value is kept as it is, not as it was shown
  CHECK(terminal.enter(":in exact") == "");
  CHECK(terminal.enter("exp(1)") == "2.7182818284590452354...\n");
  CHECK_THAT(terminal.enter("exp(1) in float"), StartsWith("2.718281828459045  f64#"));
  CHECK_THAT(terminal.enter("1 in floats"), Contains("E0204"));
}

TEST_CASE("`:budget` limits what a check may take") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  CHECK(terminal.enter(":budget") == "10 s\n");
  CHECK(terminal.enter(":budget 0.25") == "");
  CHECK(terminal.enter(":budget") == "0.25 s\n");
  terminal.enter("fn slow(x: f64) -> f64 = sum i < 100000: exp(x * f64(i)) by seq");
  terminal.enter("fn same(x: f64) -> f64 = sum i < 100000: 1 * exp(x * f64(i)) by seq");
  CHECK_THAT(terminal.enter("check slow == same in float trials 1000000"), Contains("slow == same"));
  for (const char* wrong : {":budget 0", ":budget -1", ":budget soon", ":budget 1e9"}) {
    CHECK_THAT(terminal.enter(wrong), Contains("write :budget SECONDS"));
  }
  CHECK(terminal.enter(":budget") == "0.25 s\n");
}

TEST_CASE("`:time` gives the result and how long it took") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  const std::string out = terminal.enter(":time 6 * 7");
  CHECK_THAT(out, StartsWith("42\ntook ") && (Contains(" ms\n") || Contains(" s\n")));
  CHECK_THAT(terminal.enter(":time"), Contains("write :time ENTRY"));
}

TEST_CASE("`:draw` draws trees and layouts") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  terminal.enter("fn total(x: f32[n]) -> f32 = sum i: x[i] by lanes(2, seq) then seq");
  // The same picture as that of the tree itself, which `reckon draw` makes.
  const std::string tree = run_program({"draw", "'((0 2) (1 3))"}).out;
  CHECK(tree.size() > 20);
  CHECK(terminal.enter(":draw total 4") == tree);
  CHECK(terminal.enter(":draw tree 4") == run_program({"draw", "tree", "--n", "4"}).out);
  CHECK(terminal.enter(":draw (2,4):(4,1)") == run_program({"draw", "(2,4):(4,1)"}).out);
  CHECK_THAT(terminal.enter(":draw total"), Contains("for how many leaves? `:draw total 8`"));
  CHECK_THAT(terminal.enter(":draw nope 4"), Contains("E0200"));
  CHECK_THAT(terminal.enter(":draw"), Contains("write :draw NAME N"));
}

TEST_CASE("`:ls` lists the definitions of the session, and `:save` writes a program that loads again") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "mine.rk").string();
  {
    Terminal terminal(folder.path());
    CHECK(terminal.enter(":ls") == "");
    terminal.enter("x = [1, 2, 3]");
    terminal.enter("fn total(x: f32[n]) -> f32 = sum i: x[i] by canonical(2)");
    terminal.enter("k = 1");
    terminal.enter("k = 2");
    terminal.enter("twice(a) = 2 * a");
    terminal.enter("w: f32[2] = [0.1, 0.2]");
    terminal.enter("let (u, v) = (1, k)");
    CHECK(
        terminal.enter(":ls") ==
        "let x = [1, 2, 3]\nfn total(x: f32[n]) -> f32 = sum i: x[i] by canonical(2)\nlet k = 2\nlet twice(a) = 2 * a\n"
        "let w: f32[2] = [0.1, 0.2]\nlet (u, v) = (1, k)\n");
    CHECK(terminal.enter(":save " + file) == "saved     " + file + "  (7 definitions)\n");
    CHECK(terminal.enter(":save " + file) == "saved     " + file + "  (7 definitions)\n");  // its own file
    CHECK_THAT(terminal.enter(":save README.md"), Contains("`README.md` is there already"));
    terminal.enter("1 + 1");
    terminal.enter("y = ans + 1");
    CHECK_THAT(terminal.enter(":save " + file + "2"), Contains("nothing was saved"));
    CHECK(!std::filesystem::exists(file + "2"));
  }
  CHECK_THAT(read_file(file), StartsWith("import \"schedules\"\n\nlet x = [1, 2, 3]\n"));
  Terminal terminal(folder.path());
  CHECK(terminal.enter(":load " + file) == "");
  CHECK(terminal.enter("total(x) * k") == "12  f32#41400000\n");
  CHECK(terminal.enter("twice(4)") == "8\n");
}

TEST_CASE("`:reload` reads the files again") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "changing.rk";
  write_file(file, "let k = 1\nshow k\n");
  Terminal terminal(folder.path());
  CHECK_THAT(terminal.enter(":reload"), Contains("no file was loaded yet"));
  CHECK(terminal.enter(":load " + file.string()) == "1\n");
  write_file(file, "let k = 2\nshow k\n");
  CHECK(terminal.enter(":reload") == "2\n");
  CHECK(terminal.enter("k + 1") == "3\n");
}

TEST_CASE("`:doc` says what a name means") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  CHECK_THAT(terminal.enter(":doc sqrt"), StartsWith("sqrt\n") && Contains("square root") &&
                                              Contains("```reckon\nshow sqrt(") && Contains("Under `float`") &&
                                              Contains("`exact`"));
  CHECK_THAT(terminal.enter(":doc lanes"), Contains("lanes(k, S)") && Contains("lane i mod k"));
  CHECK_THAT(terminal.enter(":doc interval"), Contains("an interval of reals that holds the true value"));
  CHECK(terminal.enter(":doc :tree") ==
        ":tree NAME N: the tree of its first reduction for N leaves; or of a schedule\n");
  CHECK_THAT(terminal.enter(":doc E0300"), Contains("# E0300: a value has the wrong type"));
  // Definitions: of the library, with the comment above it, and of the session.
  CHECK_THAT(terminal.enter(":doc canonical"),
             Contains("# WG21 P4016's canonical reduction") && Contains("let canonical(l) ="));
  terminal.enter("fn mine(x: f32) -> f32 = x + 1");
  CHECK(terminal.enter(":doc mine") == "fn mine(x: f32) -> f32\n\nfn mine(x: f32) -> f32 = x + 1\n");
  CHECK_THAT(terminal.enter(":doc sqrd"), Contains("nothing is called `sqrd`"));
  CHECK_THAT(terminal.enter(":doc"), Contains("write :doc NAME"));
  terminal.type(":doc cbr\t\r");
  terminal.until("cube root");
}

TEST_CASE("Ctrl-R searches the history") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  CHECK(terminal.enter("11 * 3") == "33\n");
  CHECK(terminal.enter("5 + 5") == "10\n");
  terminal.type("\x12");
  terminal.type("11");
  terminal.until("11 * 3");
  terminal.type("\r");
  terminal.until("33\n");
}

TEST_CASE("messages cite nothing that the user did not write") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  // The mistake lies in how the library's circuit is called.
  const std::string out = terminal.enter("dot(f32(1), f32(2))");
  CHECK_THAT(out, Contains("error[") && Contains("dot(f32(1), f32(2))") && !Contains("stdlib"));
  CHECK_THAT(terminal.enter("canonical(0)"), !Contains("stdlib"));
  CHECK_THAT(terminal.enter("parens(numpy_buffered(0), 8)"), !Contains("stdlib"));
}
