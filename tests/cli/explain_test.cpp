// `reckon explain`: the page about a code, in each spelling of it; the list of all; unknown codes.
#include "diagnostics/pages.h"
#include "tests/cli/reckon_run.h"

using namespace reckon;
using namespace reckon::test;

TEST_CASE("explain prints the page about a code, however the code is written") {
  const TemporaryFolder folder;  // no page lies there
  const std::string page = read_file(source_folder() / "docs/errors/E0300.md");
  for (const char* code : {"E0300", "e0300", "0300", "300", "E300"}) {
    INFO(code);
    const RunResult run = reckon_in(folder.path(), {"explain", code});
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    CHECK(run.out == page);
  }
  CHECK_THAT(reckon_here({"explain", "5"}).out, Catch::StartsWith("# E0005: files import each other\n"));
}

TEST_CASE("explain without a code lists all codes with their titles") {
  std::string expected;
  for (const Code code : all_codes()) expected += code_text(code) + "  " + std::string(code_title(code)) + "\n";
  const RunResult run = reckon_here({"explain"});
  CHECK(run.status == 0);
  CHECK(run.err.empty());
  CHECK(run.out == expected);
  CHECK_THAT(run.out, Catch::Contains("\nE0300  a value has the wrong type\n"));
}

TEST_CASE("explain of an unknown code names the nearest one, with the status of wrong usage") {
  const auto complaint = [](const std::string& code) {
    const RunResult run = reckon_here({"explain", code});
    INFO(code);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK(complaint("E0315") == "reckon: there is no code `E0315`; the nearest is `E0314`: an assertion does not hold\n");
  CHECK(complaint("422") ==
        "reckon: there is no code `E0422`; the nearest is `E0421`: an accumulator does not fit its reduction\n");
  CHECK(complaint("E3000") == "reckon: there is no code `E3000`; the nearest is `E0300`: a value has the wrong type\n");
  CHECK(complaint("9999") == "reckon: there is no code `E9999`; the nearest is `E0999`: internal error\n");
  CHECK(complaint("E030O") == "reckon: there is no code `E030O`; the nearest is `E0300`: a value has the wrong type\n");
  for (const char* text : {"type_mismatch", "E", "99999999999"}) {
    CHECK(complaint(text) == std::string("reckon: `") + text + "` is no code: codes are written `E0300` or `300`\n");
  }
}

TEST_CASE("explain in JSON") {
  const auto one = json_lines(reckon_here({"explain", "300", "--format=json"}).out);
  REQUIRE(one.size() == 1);
  CHECK(one[0]["kind"] == "code");
  CHECK(one[0]["code"] == "E0300");
  CHECK(one[0]["page"] == read_file(source_folder() / "docs/errors/E0300.md"));
  const auto all = json_lines(reckon_here({"explain", "--format=json"}).out);
  CHECK(all.size() == all_codes().size());
  CHECK(all[0] == Json{{"kind", "code"}, {"code", "E0001"}, {"title", "a file cannot be read"}});
}

TEST_CASE("the manual page and the completions have explain") {
  for (const char* what : {"man", "bash", "zsh", "fish"}) {
    INFO(what);
    CHECK_THAT(reckon_here({"generate", what}).out, Catch::Contains("explain"));
  }
}
