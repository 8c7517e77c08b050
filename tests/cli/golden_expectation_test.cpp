// Where the expected output of a program stands, and what a run comes to beside it.
#include "cli/golden/expectation.h"

#include <catch2/catch.hpp>

#include "cli/golden/junit.h"
#include "cli/golden/outcome.h"

using namespace reckon::golden;
using Place = Expectation::Place;

namespace {

Ended exited(int status, const std::string& out, const std::string& messages = "") {
  return {Ended::How::exited, status, out, messages, 0.25};
}

Expectation beside(const std::string& text) { return read_expectation("show 1\n", text); }

Verdict verdict_of(Ended ended, const std::string& expected) {
  return judged("a.rk", beside(expected), std::move(ended), {}).verdict;
}

}  // namespace

TEST_CASE("the text of a result says what was printed, the messages, and a status that is not 0") {
  CHECK(result_text("1\n", "", 0) == "1\n");
  CHECK(result_text("", "", 0).empty());
  CHECK(result_text("fails\n", "", 1) == "fails\n== status 1\n");
  CHECK(result_text("1\n", "note: x\r\n", 0) == "1\n== messages\nnote: x\n");
  CHECK(result_text("", "error\n", 3) == "== messages\nerror\n== status 3\n");
  CHECK(result_text("no line break", "", 4) == "no line break\n== status 4\n");
}

TEST_CASE("an expected output is the file beside the program, or its last lines that begin with a mark") {
  CHECK(path_beside("folder.rk/a.rk") == "folder.rk/a.expected");
  CHECK(read_expectation("show 1\n", std::nullopt).place == Place::nowhere);
  CHECK(beside("1").place == Place::beside);
  CHECK(beside("1").text == "1\n");
  CHECK(beside("1\r\n2\r\n").text == "1\n2\n");
  CHECK(beside("").text.empty());
  CHECK(beside("== status 0\n").text.empty());

  const Expectation inside = read_expectation("show 1\n\n#| 1\n#|\n#|   two\n#|three\n\n \t\n", std::nullopt);
  CHECK(inside.place == Place::inside);
  CHECK(inside.text == "1\n\n  two\nthree\n");
  CHECK(inside.line == 3);
  CHECK(read_expectation("show 1\r\n#| 1\r\n#|\r\n", std::nullopt).text == "1\n\n");
  CHECK(read_expectation("let k = 1\n#| == status 0", std::nullopt).text.empty());
  CHECK(read_expectation("show 1\n#| 1\n", "1\n").place == Place::both);
}

TEST_CASE("marks before the last item are no expected output") {
  const Expectation found = read_expectation("#| 1\nshow 1\n#| 2\nshow 2\n", std::nullopt);
  CHECK(found.place == Place::nowhere);
  CHECK(found.stray_line == 3);
  const Outcome outcome = judged("a.rk", found, exited(0, "1\n2\n"), {});
  CHECK(outcome.verdict == Verdict::missing);
  CHECK_THAT(outcome.sentence, Catch::Contains("line 3"));
  // An indented mark is a comment like others.
  CHECK(read_expectation("show 1\n #| 1\n", std::nullopt).place == Place::nowhere);
}

TEST_CASE("an expected output that is written into a program is read as it was") {
  const std::string program = "# A sum.\nshow 1 + 1\n\n";
  for (const std::string result : {"", "2\n", "\n\n", "  [1,\n\n #| x\n", "== status 3\n", "a\n== messages\nb\n"}) {
    INFO(result);
    const std::string with = with_expectation(program + "#| old\n#| old\n", result);
    CHECK(with.starts_with(program));
    CHECK(read_expectation(with, std::nullopt).text == result);
    CHECK(with_expectation(with, result) == with);
    // Line breaks stay as they are in the rest of the file.
    const std::string windows = with_expectation("show 2\r\n#|\r\n", result);
    CHECK(windows.starts_with("show 2\r\n#|"));
    CHECK(windows.ends_with("\r\n"));
    CHECK(read_expectation(windows, std::nullopt).text == result);
  }
  CHECK(with_expectation("#|", "1\n") == "#| 1\n");
  CHECK(beside_file("1\n2\n", std::nullopt) == "1\n2\n");
  CHECK(beside_file("1\n2\n", "3\r\n") == "1\r\n2\r\n");
}

TEST_CASE("a run passes if text and status are as expected, and no broken run passes") {
  CHECK(verdict_of(exited(0, "1\n"), "1") == Verdict::passes);
  CHECK(verdict_of(exited(0, "1\n"), "1\r\n") == Verdict::passes);
  CHECK(verdict_of(exited(0, "1\n"), "1\n\n") == Verdict::differs);
  CHECK(verdict_of(exited(0, "1\n"), "1 \n") == Verdict::differs);
  CHECK(verdict_of(exited(1, "1\n"), "1\n") == Verdict::differs);
  CHECK(verdict_of(exited(1, "1\n"), "1\n== status 1\n") == Verdict::passes);
  CHECK(verdict_of(exited(3, "", "error\n"), "== messages\nerror\n== status 3\n") == Verdict::passes);
  CHECK(verdict_of(exited(4, ""), "== status 4\n") == Verdict::passes);
  CHECK(verdict_of(exited(2, ""), "== status 2\n") == Verdict::refused);
  CHECK(verdict_of(exited(69, ""), "== status 69\n") == Verdict::device);
  CHECK(verdict_of(exited(70, ""), "== status 70\n") == Verdict::crashes);
  CHECK(verdict_of(exited(130, ""), "== status 130\n") == Verdict::crashes);
  CHECK(verdict_of({Ended::How::signalled, 11, "1\n", "", 0}, "1\n") == Verdict::crashes);
  CHECK(verdict_of({Ended::How::timed_out, 0, "1\n", "", 0}, "1\n") == Verdict::no_end);
  CHECK(verdict_of({Ended::How::wrote_too_much, 0, "1\n", "", 0}, "1\n") == Verdict::too_long);
  CHECK(verdict_of({Ended::How::not_started, 2, "", "", 0}, "") == Verdict::device);
}

TEST_CASE("what follows of each verdict") {
  const auto status = [](Verdict verdict) { return consequence(verdict).status; };
  CHECK(status(Verdict::passes) == 0);
  CHECK(status(Verdict::differs) == 1);
  CHECK(status(Verdict::missing) == 1);
  CHECK(status(Verdict::twice) == 3);
  CHECK(status(Verdict::unreadable) == 2);
  CHECK(status(Verdict::device) == 69);
  CHECK(status(Verdict::crashes) == 70);
  CHECK(status(Verdict::no_end) == 1);
  CHECK(status(Verdict::updated) == 0);
  CHECK(status(Verdict::unwritten) == 2);
  for (int k = 0; k <= static_cast<int>(Verdict::unwritten); ++k) {
    const Consequence& follows = consequence(static_cast<Verdict>(k));
    CHECK(std::string(follows.word).size() <= 9);
    CHECK((follows.status == 0) == (follows.junit == nullptr));
  }
}

TEST_CASE("the last lines of a text, ten of them") {
  CHECK(last_lines("").empty());
  CHECK(last_lines("a\nb") == "a\nb\n");
  CHECK(last_lines("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n") == "2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n");
}

TEST_CASE("a JUnit report holds no character that XML forbids") {
  Outcome outcome =
      judged("folder/a.rk", beside("<\"&'>\x01\xff\n"), exited(0, "\xed\xa0\x80 \xf0\x9f\x98\x80 \xef\xbf\xbf\n"), {});
  outcome.sentence = "a \"b\"\n<c>";
  const std::string report = junit_report({outcome}, 1.5);
  INFO(report);
  CHECK_THAT(report, Catch::Contains("classname=\"folder\" name=\"a.rk\" file=\"folder/a.rk\" time=\"0.250\""));
  CHECK_THAT(report, Catch::Contains("message=\"a &quot;b&quot;&#10;&lt;c&gt;\""));
  CHECK_THAT(report, Catch::Contains("-&lt;&quot;&amp;'&gt;\\x01\\xff\n"));
  CHECK_THAT(report, Catch::Contains("\\xed\\xa0\\x80 \xf0\x9f\x98\x80 \\xef\\xbf\\xbf"));
}
