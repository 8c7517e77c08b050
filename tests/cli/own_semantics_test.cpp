// `--semantics-library`: semantics of a user's own at the command line (examples/semantics_library.cpp).
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

const std::string library = RECKON_SEMANTICS_LIBRARY_FILE;

RunResult with_library(std::vector<std::string> arguments, std::string_view input = {}) {
  arguments.insert(arguments.begin() + 1, {"--semantics-library", library});
  return reckon_here(arguments, input);
}

}  // namespace

TEST_CASE("a library's semantics are known to run, eval, call and check by their names") {
  const RunResult value = with_library({"eval", "--in=dual", "f64(2) * 3"});
  CHECK(value.err == "");
  CHECK(value.out == "6 slope 0\n");
  CHECK(with_library({"eval", "--in=affine", "f64(1) / 3 - f64(1) / 3"}).out.starts_with("["));
  const RunResult checks =
      with_library({"run", "-"},
                   "fn zero(x: f64) -> f64 = x - x\ncheck zero(x) within 0..0 in affine for x: -1..1\n"
                   "fn twice(x: f64) -> f64 = 2 * x\nfn same(x: f64) -> f64 = x + x\n"
                   "check twice == same in dual\ncheck zero == same in dual\n");
  CHECK(checks.status == 1);
  CHECK_THAT(checks.out,
             Contains(
                 "holds     check zero(x) within 0..0 in affine for x: -1..1  (proved; all of x: -1..1; 1 trial)\n"));
  CHECK_THAT(checks.out, Contains("holds     check twice == same in dual"));
  CHECK_THAT(checks.out, Contains("fails     check zero == same in dual"));
  CHECK_THAT(checks.out, Contains(" slope 0"));
  const auto json = json_lines(with_library({"eval", "--in=dual", "--format=json", "f64(2) * 3"}).out);
  REQUIRE(json.size() == 1);
  CHECK(json[0].dump().find("\"value\":\"6 slope 0\"") != std::string::npos);
}

TEST_CASE("a library's semantics have the messages of the others") {
  const RunResult near = with_library({"eval", "--in=duall", "f64(2)"});
  CHECK(near.status == 2);
  CHECK_THAT(near.err, Contains("error[E0204]: there is no semantics `duall`") && Contains("did you mean `dual`?"));
  const RunResult missing = with_library({"eval", "--in=dual", "erf(f64(2))"});
  CHECK(missing.status == 3);
  CHECK_THAT(missing.err, Contains("error[E0501]: `erf` has no meaning under `dual`") &&
                              Contains("its class has no function `erf` of these operands") &&
                              Contains("1 | erf(f64(2))"));
  const RunResult none = with_library({"eval", "--in=dual", "log(f64(0))"});
  CHECK_THAT(none.err, Contains("error[E0502]: `log` of 0.000000 has no derivative"));
  const std::string program = "fn f(x: f64) -> f64 = x + 1\n";
  for (const char* target : {"--emit=ptx", "--emit=object", "--emit=llvm"}) {
    const RunResult run = with_library({"compile", "-", "--fn", "f", "--in=dual", target}, program);
    INFO(target);
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains("error[E0700]: `dual` cannot be compiled"));
    CHECK(run.out == "");
  }
  for (const char* on : {"--on=gpu", "--on=host"}) {
    const RunResult run = with_library({"call", "-", "--fn", "f", "--in=dual", on, "--arg", "x=1"}, program);
    INFO(on << run.err);
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains("error[E0700]: `dual` cannot be compiled"));
  }
}

TEST_CASE("a library that has no semantics is refused") {
  const auto refused = [](const std::string& file, const std::string& why) {
    const RunResult run = reckon_here({"eval", "--semantics-library", file, "f64(1)"});
    INFO(run.err);
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains("error[E0605]: the library `" + file + "` cannot be used: " + why));
  };
  refused("nowhere.so", "");
  refused(RECKON_TEST_LIBRARY, "it has no semantics for this version of Reckon");
  // One name twice.
  const RunResult twice = with_library({"eval", "--semantics-library", library, "f64(1)"});
  CHECK_THAT(twice.err, Contains("error[E0201]: there is a semantics `dual` already"));
}
