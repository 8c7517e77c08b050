// The prompt, as someone at a terminal has it.
#include <catch2/catch.hpp>

#include "tests/repl/terminal.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace reckon::test;
using Catch::Contains;
using Catch::StartsWith;

TEST_CASE("expressions, definitions and `ans`") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  CHECK(terminal.enter("1 + 1") == "2\n");
  CHECK(terminal.enter("ans * 21") == "42\n");
  CHECK(terminal.enter("ans + 0") == "42\n");
  CHECK(terminal.enter("fn total(x: f32[n]) -> f32 = sum i: x[i] by seq") == "");
  CHECK(terminal.enter("total([1, 2, 3])") == "6  f32#40c00000\n");
  CHECK(terminal.enter("ans / 4") == "1.5  f32#3fc00000\n");
  CHECK(terminal.enter("let k = 5") == "");
  CHECK(terminal.enter("show k") == "5\n");
  CHECK_THAT(terminal.enter("check 1 == 2"), Contains("fails") && Contains("check 1 == 2"));
  CHECK(terminal.enter("") == "");
  CHECK(terminal.enter("# a comment") == "");
  CHECK(terminal.enter("parens(canonical(2), 4)") == "((0 2) (1 3))\n");  // the library is in scope
  // A name may be defined again.
  CHECK(terminal.enter("let k = 6") == "");
  CHECK(terminal.enter("k") == "6\n");
}

TEST_CASE("`ans` is the last value, whatever failed since") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  CHECK(terminal.enter("f32(3) + 1") == "4  f32#40800000\n");
  CHECK_THAT(terminal.enter("[f32(1)][1]"), Contains("error"));
  CHECK(terminal.enter("ans + 1") == "5  f32#40a00000\n");
  CHECK(terminal.enter(":in exact") == "");
  CHECK_THAT(terminal.enter("f32(1) / f32(0)"), Contains("error"));
  CHECK(terminal.enter("ans") == "5\n");
  CHECK_THAT(terminal.enter("nowhere"), Contains("E0200"));
  CHECK(terminal.enter("let k = 7") == "");
  CHECK_THAT(terminal.enter("check 1 == 2"), Contains("fails"));
  CHECK(terminal.enter("ans * 2") == "10\n");
  CHECK(terminal.enter("f32(1) - ans") == "-9\n");
}

TEST_CASE("an entry goes on exactly while the first mistake is at its end") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  terminal.enter("fn f(x: f32[n]) -> f32 =");
  CHECK(terminal.prompt() == ". ");
  terminal.enter("  sum i:");
  CHECK(terminal.prompt() == ". ");
  CHECK(terminal.enter("    x[i]") == "");
  CHECK(terminal.prompt() == "> ");
  CHECK(terminal.enter("f([1, 2])") == "3  f32#40400000\n");

  terminal.enter("(1 +");
  CHECK(terminal.prompt() == ". ");
  CHECK(terminal.enter("2)") == "3\n");

  terminal.enter("fn g(x: f32) -> f32 {");
  CHECK(terminal.prompt() == ". ");
  terminal.enter("  let y = x * x;");
  CHECK(terminal.prompt() == ". ");
  terminal.enter("  y + 1");
  CHECK(terminal.prompt() == ". ");
  CHECK(terminal.enter("}") == "");
  CHECK(terminal.enter("g(3)") == "10  f32#41200000\n");

  // A mistake before the end ends the entry at once.
  CHECK_THAT(terminal.enter("fn h(x: f32 -> f32 ="), Contains("E010"));
  CHECK(terminal.prompt() == "> ");
  CHECK_THAT(terminal.enter("1 + )"), Contains("E010"));
  CHECK(terminal.prompt() == "> ");
  // An empty line gives an unfinished entry up, and so does Ctrl-C.
  terminal.enter("(1 +");
  CHECK(terminal.prompt() == ". ");
  terminal.enter("");
  CHECK(terminal.prompt() == "> ");
  terminal.enter("[1,");
  CHECK(terminal.prompt() == ". ");
  terminal.give_up();
  CHECK(terminal.prompt() == "> ");
  CHECK(terminal.enter("7") == "7\n");
}

TEST_CASE("accuracy profiles: the library's are in scope, and one's own go by name") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  // 1/3 lies between f32#3eaaaaaa and f32#3eaaaaab; `ieee` allows either.
  CHECK(terminal.enter("show f32(1) / 3 in accept(ieee)") == "0.3333333..0.33333334\n");
  CHECK(terminal.enter("show sqrt(f32(0)) in accept(wgsl)") ==
        "unbounded: the first argument of `rsqrt` may be outside of what the profile states\n");
  CHECK(terminal.enter("show u32(7) * 6 in accept(wgsl)") == "42\n");
  CHECK_THAT(terminal.enter("show erf(f32(1)) in accept(wgsl)"),
             Contains("E0501") && Contains("profile mine = wgsl with { erf : ulps(4) }"));
  CHECK(terminal.enter("profile mine = wgsl with { erf : ulps(4) }") == "");
  CHECK_THAT(terminal.enter("show erf(f32(0.5)) in accept(mine)"), StartsWith("0.52"));
  CHECK_THAT(terminal.enter("mine"), Contains("profile mine: f32, f16, f64"));
  CHECK_THAT(terminal.enter("check exp([f32(1)]) ~ [3] in accept(wgsl)"),
             StartsWith("fails") && Contains("1 result: 1 outside") && Contains("the nearest accepted value is"));
  // Nothing sums up single entries.
  CHECK_THAT(terminal.enter("check exp([f32(0)]) ~ [1] in accept(wgsl)"),
             StartsWith("holds") && !Contains("accepted "));
  CHECK(terminal.enter(":in accept(ieee)") == "");
  CHECK(terminal.enter("f32(2) / 3") == "0.6666666..0.6666667\n");
  // A profile may be defined after its name is given: it is missed where it is needed.
  CHECK(terminal.enter(":in accept(nobody)") == "");
  CHECK_THAT(terminal.enter("f32(2) / 3"), Contains("there is no profile `nobody`"));
}

TEST_CASE("commands") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  const std::string help = terminal.enter(":help");
  for (const char* name : {":help", ":type", ":ir", ":tree", ":ptx", ":in", ":load", ":quit", "Ctrl-D", "ans"}) {
    CHECK_THAT(help, Contains(name));
  }
  for (const char* name : {"float", "exact", "interval", "fpsan", "count", "bound", "padic", "accept"}) {
    CHECK_THAT(help, Contains(name));
  }
  terminal.enter("fn f(x: f32[n]) -> f32 = sum i: x[i] by tree");
  CHECK(terminal.enter(":type f") == "fn f(x: f32[n]) -> f32\n");
  CHECK_THAT(terminal.enter(":type seq"), Contains("schedule"));
  CHECK(terminal.enter(":tree f 4") == "((0 1) (2 3))\n");
  CHECK(terminal.enter(":tree lanes(2, seq) then seq 4") == "((0 2) (1 3))\n");
  CHECK_THAT(terminal.enter(":tree f"), Contains("write :tree NAME N"));
  CHECK_THAT(terminal.enter(":ir f"), StartsWith("fn f[n](x: f32[n]) -> f32 {\n"));
  CHECK_THAT(terminal.enter(":ptx f"), Contains(".visible .entry"));
  CHECK_THAT(terminal.enter(":ir nope"), Contains("E0200") && Contains("there is no circuit `nope`"));
  CHECK_THAT(terminal.enter(":type nope"), Contains("`nope` is not defined"));
  for (const char* name : {":load", ":type", ":ir", ":ptx"}) {
    CHECK_THAT(terminal.enter(name), Contains(std::string("write ") + name));
  }
  CHECK_THAT(terminal.enter(":frobnicate"), Contains("there is no command `:frobnicate`; :help lists them"));
  CHECK_THAT(terminal.enter(":load nowhere.rk"), Contains("`nowhere.rk` cannot be read"));
  CHECK_THAT(terminal.enter(":load examples/dot.rk"), Contains("holds") && Contains("f32#c04c6a89"));
  CHECK(terminal.enter("dot_tree([1, 2], [3, 4])") == "11  f32#41300000\n");
  terminal.type(":quit\r");
  CHECK(terminal.end() == 0);
}

TEST_CASE(":in") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  CHECK(terminal.enter(":in") == "float\n");
  CHECK(terminal.enter(":in fpsan") == "");
  CHECK(terminal.enter(":in") == "fpsan\n");
  CHECK(terminal.enter("f32(1.5) + f32(2.5)") == "54789d8b\n");
  CHECK(terminal.enter("6 * 7") == "42\n");  // a bare number stays what it is
  CHECK_THAT(terminal.enter(":in floats"), Contains("E0204") && Contains("did you mean `float`?"));
  CHECK(terminal.enter(":in") == "fpsan\n");
  CHECK(terminal.enter(":in exact") == "");
  CHECK(terminal.enter("f32(1) / 3") == "1/3\n");
}

TEST_CASE("--in is the session's semantics") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path(), {"--in=exact"});
  CHECK(terminal.enter("f32(1) / 3") == "1/3\n");
}

TEST_CASE("mistakes keep the session and what was defined in it") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  terminal.enter("let k = 5");
  CHECK_THAT(terminal.enter("nope"), Contains("E0200"));
  CHECK_THAT(terminal.enter("let j = 1 // 0"), Contains("E0400"));
  CHECK_THAT(terminal.enter("show approx.exp2(f32(1))"), Contains("E0501"));
  CHECK_THAT(terminal.enter("fn f(x: f32) -> f32 = f(x)"), Contains("E0202"));
  CHECK(terminal.enter("k") == "5\n");
  CHECK_THAT(terminal.enter("k + nope"), Contains("E0200"));
  CHECK(terminal.enter("ans") == "5\n");  // the last value, not the last mistake
}

TEST_CASE("Ctrl-C never ends the session") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  // While a line is typed.
  terminal.type("1 + 2");
  terminal.until("1 + 2");
  terminal.give_up();
  CHECK(terminal.enter("3") == "3\n");
  // While something runs: five hundred thousand million exponentials would take hours.
  const auto interrupt = [&](const std::string& entry, const char* code = "E0910") {
    CHECK_THAT(terminal.interrupt(entry), Contains(code) && Contains("interrupted"));
  };
  interrupt("sum i < 500000000000: exp(f64(i)) by seq");
  CHECK(terminal.enter("4") == "4\n");
  interrupt("for i < 500000: sum j < 1000000: exp(f64(i + j)) by tree");
  terminal.enter("fn slow(x: f64) -> f64 = sum i < 10000000: exp(x * f64(i)) by seq");
  terminal.enter("fn same(x: f64) -> f64 = sum i < 10000000: 1 * exp(x * f64(i)) by seq");
  interrupt("check slow == same in float trials 100000", "undecided check slow == same");  // its verdict so far
  CHECK(terminal.enter("5") == "5\n");
  CHECK(terminal.enter("ans") == "5\n");
}

TEST_CASE("Ctrl-D leaves, with status 0") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  CHECK(terminal.enter("1") == "1\n");
  terminal.type("\x04");
  CHECK(terminal.end() == 0);
}

TEST_CASE("history is kept across sessions") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  {
    Terminal terminal(folder.path());
    terminal.enter("11 * 3");
    terminal.enter("(2 +");
    terminal.enter("5)");
    terminal.type(":quit\r");
    CHECK(terminal.end() == 0);
  }
  Terminal terminal(folder.path());
  terminal.type("\033[A");  // up: the quit of before
  terminal.until(":quit");
  terminal.type("\033[A\033[A");
  terminal.until("11 * 3");
  terminal.type("\r");
  terminal.until("33\n");
}

TEST_CASE("Tab completes names, keywords and commands") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  terminal.enter("fn distinctive_name(x: f32) -> f32 = x + 1");
  terminal.type("distinc\t");
  terminal.until("distinctive_name");
  terminal.type("(2)\r");
  terminal.until("3  f32#40400000\n");
  terminal.until("> ");
  terminal.type(":he\t\r");
  terminal.until(":help              this");
  terminal.until("> ");
  // Several: a second Tab lists them.
  terminal.type("cos\t\t");
  const std::string list = terminal.until("cosize");
  CHECK_THAT(list, Contains("cosh"));
  terminal.give_up();
}

TEST_CASE("`:explain` prints the page about a code, and Tab completes codes") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path());
  CHECK_THAT(terminal.enter(":explain E0300"), Contains("# E0300: a value has the wrong type"));
  CHECK_THAT(terminal.enter(":explain 300"), Contains("# E0300: a value has the wrong type"));
  CHECK_THAT(terminal.enter(":explain"), Contains("E0301  one operation mixes number formats"));
  CHECK_THAT(terminal.enter(":explain E0315"), Contains("there is no code `E0315`; the nearest is `E0314`"));
  terminal.type(":explain E010\t\t");
  const std::string list = terminal.until("E0106");
  CHECK_THAT(list, Contains("E0104"));
  terminal.give_up();
  CHECK(terminal.enter("3") == "3\n");
}

TEST_CASE("off a terminal there is no prompt, no banner and no history") {
  const TemporaryFolder folder;
  const RunResult run = run_program({}, RunOptions{.input = "show 1\n",
                                                   .folder = source_folder(),
                                                   .environment = {{"XDG_STATE_HOME", folder.path().string()}}});
  CHECK(run.out == "1\n");
  CHECK(run.err.empty());
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("`:in` knows the semantics of a library") {
  if (!have_terminals()) return;
  const TemporaryFolder folder;
  Terminal terminal(folder.path(), {std::string("--semantics-library=") + RECKON_SEMANTICS_LIBRARY_FILE});
  CHECK(terminal.enter(":in dual") == "");
  CHECK(terminal.enter("f64(2) * 3") == "6 slope 0\n");
  CHECK_THAT(terminal.enter(":in duall"), Contains("did you mean `dual`?"));
  CHECK_THAT(terminal.enter(":help"), Contains("accept, affine, dual; without a name: which one"));
  CHECK(terminal.enter("show f64(2) * 3 in float") == "6  f64#4018000000000000\n");
}
