// `assert`: claims about static values and sizes.
#include <fstream>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

const std::string asserting =
    "fn f[k](x: f32[n]) -> f32 = { assert n % k == 0, \"full lanes\"; sum i: x[i] by lanes(k, tree) then tree }\n"
    "fn g(x: f32[n]) -> f32 = { assert n >= 4 and n != 6; sum i: x[i] by seq }\n"
    "fn h(x: f32[m]) -> f32 = g(x) + 1\n"
    "let half(k) = { assert k % 2 == 0; k // 2 }\n";

RunResult run_asserting(const std::string& item) { return run_text(asserting + item + "\n"); }

}  // namespace

TEST_CASE("an assertion that holds says nothing") {
  for (const char* item :
       {"assert 4 % 2 == 0", "assert (2, 4):(1, 2) == 8:1, \"they are the same\"", "assert half(6) == 3;",
        "assert parens(tile(4, tree) then seq, 8) != parens(seq, 8)", "assert not (1 > 2) and true"}) {
    const RunResult run = run_asserting(item);
    INFO(item << "\n" << run.err);
    CHECK(run.status == 0);
    CHECK(run.out.empty());
  }
  CHECK(run_asserting("show f[4]([1, 2, 3, 4])").out == "10  f32#41200000\n");
}

TEST_CASE("an assertion that does not hold is one error, which shows the values") {
  struct Row {
    const char *item, *message, *value;
  };
  for (const Row& row : {
           Row{"assert half(6) == 4", "`half(6) == 4` does not hold", ""},
           {"assert 1 > 2, \"an order\"", "`1 > 2` does not hold: an order", ""},
           {"show half(3)", "`k % 2 == 0` does not hold", "`k` is 3"},
           {"show f[4]([1, 2, 3, 4, 5, 6])", "`n % k == 0` does not hold: full lanes", "here `n % 4` is 2"},
           {"show g([1, 2, 3])", "`n >= 4 and n != 6` does not hold", "here `n` is 3"},
           {"show h([1, 2, 3, 4, 5, 6])", "`n >= 4 and n != 6` does not hold", "here `m` is 6"},
           {"check f[4] == f[8] in algebra for n: {12}", "`n % k == 0` does not hold: full lanes", "here `n % 8` is 4"},
       }) {
    const RunResult run = run_asserting(row.item);
    INFO(row.item << "\n" << run.err);
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains(std::string("error[E0314]: ") + row.message) && Contains(row.value));
    CHECK(run.err.find("error", run.err.find("error") + 1) == std::string::npos);
  }
}

TEST_CASE("a check without sizes tries those for which the assertions hold") {
  for (const char* item :
       {"check f[4] == g in algebra", "check f[48] ~ g within bound in float", "check g == h in fpsan"}) {
    const RunResult run = run_asserting(item);
    INFO(item << "\n" << run.out << run.err);
    CHECK(run.err.empty());
  }
  CHECK_THAT(run_asserting("check f[4] ~ g within bound in float").out, Contains("n: 4, 8, ") && !Contains("n: 1"));
}

TEST_CASE("compiled code refuses the sizes that an assertion refuses") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "program.rk") << asserting;
  const RunResult run = reckon_here({"compile", (folder.path() / "program.rk").string(), "--fn", "g", "--emit",
                                     "header", "--target", "host", "-o", "-"});
  INFO(run.err);
  CHECK_THAT(run.out, Contains("4 <= n"));
}

TEST_CASE("what is computed cannot be asserted") {
  struct Row {
    const char *item, *label;
  };
  for (const Row& row : {Row{"assert g == h", "this compares circuits"},
                         {"fn q(x: f32) -> f32 = { assert x > 0; x }", "this is a value of type `bool`"},
                         {"fn q(x: f32[n]) -> f32[n] = for i: { assert i < 4; x[i] }", "this depends on an index"},
                         {"assert 1", "this is the number 1"}}) {
    const RunResult run = run_asserting(row.item);
    INFO(row.item << "\n" << run.err);
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains("error[E0310]: an assertion is decided before anything runs") && Contains(row.label));
  }
}

TEST_CASE("an unknown name in an assertion is one error") {
  const RunResult run = run_asserting("assert missing == 3");
  INFO(run.err);
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("error[E0200]: `missing` is not defined"));
  CHECK(run.err.find("error", run.err.find("error") + 1) == std::string::npos);
}

TEST_CASE("assertions are formatted as written") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "program.rk";
  std::ofstream(file) << "assert   1<2 ,\"so\"\nfn f(x: f32[n]) -> f32 = {assert n>0;sum i: x[i]}\n";
  CHECK(reckon_here({"fmt", file.string()}).status == 0);
  std::ifstream in(file);
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) ==
        "assert 1 < 2, \"so\"\nfn f(x: f32[n]) -> f32 = { assert n > 0; sum i: x[i] }\n");
}
