// `reckon test`, as a user sees it.
#include <unistd.h>

#include <bit>
#include <fstream>
#include <regex>

#include "tests/cli/reckon_run.h"
#include "tests/support/golden.h"
#include "tests/support/python.h"
#include "tests/support/sanitized.h"

using namespace reckon::test;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

RunResult test_in(const fs::path& folder, std::vector<std::string> words) {
  words.insert(words.begin(), "test");
  return reckon_in(folder, words);
}

/// A report without the times of its last line.
std::string timeless(const std::string& report) {
  return std::regex_replace(report, std::regex(R"(\([0-9.]+ s, \d+ at a time\))"), "(TIMES)");
}

/// Ends in no time that a test has.
constexpr const char* endless = "show 1\nshow sum i < 100000000000: f32(i) by seq\n";

/// One of 200 programs, and what it prints, worked out here.
struct Generated {
  std::string name, program, result;
};

std::vector<Generated> generated_suite() {
  std::vector<Generated> out;
  for (int k = 0; k < 200; ++k) {
    Generated one;
    one.name = "group" + std::to_string(k % 7) + "/program" + std::to_string(k);
    // Sums of small integers, which have no rounding in any order.
    const float sum = static_cast<float>(k * (k + 1) / 2);
    std::ostringstream bits;
    bits << std::hex << std::setw(8) << std::setfill('0') << std::bit_cast<std::uint32_t>(sum);
    one.program = "fn total(x: f32[n]) -> f32 = sum i: x[i] by " + std::string(k % 2 == 0 ? "seq" : "tree") +
                  "\nlet k = " + std::to_string(k) + "\nfn numbers() -> f32[k + 1] = for i < k + 1: f32(i)\n" +
                  "show k * k\nshow total(numbers())\n";
    one.result = std::to_string(k * k) + "\n" + std::to_string(k * (k + 1) / 2) + "  f32#" + bits.str() + "\n";
    if (k % 10 == 3) {  // a check that fails is a result like others
      one.program += "check k == 1000\n";
      one.result += "fails     check k == 1000  (proved)\n    left     " + std::to_string(k) +
                    "\n    right    1000\n== status 1\n";
    }
    out.push_back(one);
  }
  return out;
}

std::string marked_text(const std::string& text) {
  std::string out;
  for (const std::string& line : lines_of(text)) out += "#| " + line + "\n";
  return out;
}

void write_suite(const TemporaryFolder& folder, const std::vector<Generated>& suite) {
  for (std::size_t k = 0; k < suite.size(); ++k) {
    const bool inside = k % 3 == 0;
    write_file(folder / (suite[k].name + ".rk"),
               suite[k].program + (inside ? "\n" + marked_text(suite[k].result) : ""));
    if (!inside) write_file(folder / (suite[k].name + ".expected"), suite[k].result);
  }
}

void replace_in(const fs::path& path, const std::string& what, const std::string& by) {
  std::string text = read_file(path);
  const auto at = text.rfind(what);
  REQUIRE(at != std::string::npos);
  write_file(path, text.replace(at, what.size(), by));
}

}  // namespace

TEST_CASE("of 200 programs in parallel, the three that are expected to print something else are shown, and updated") {
  const TemporaryFolder folder;
  const std::vector<Generated> suite = generated_suite();
  write_suite(folder, suite);
  replace_in(folder / "group3/program10.expected", "55  ", "54  ");
  replace_in(folder / "group2/program23.expected", "== status 1\n", "");
  replace_in(folder / "group6/program48.rk", "f32#44930000", "f32#44920000");
  const RunResult wrong = test_in(folder.path(), {".", "--jobs", "8"});
  CHECK(wrong.status == 1);
  CHECK(wrong.err.empty());
  check_golden("cli/test/three_differ.txt", timeless(wrong.out));
  // The order of the report is not that in which programs end.
  const auto report = [&](const std::string& jobs) {
    return timeless(test_in(folder.path(), {".", "--jobs", jobs, "-k", "program17", "-k", "program48"}).out);
  };
  CHECK(report("1") == report("8"));

  // Only these three are written, and then hold what they held before.
  const auto before = fs::last_write_time(folder / "group0/program7.expected");
  const RunResult update = test_in(folder.path(), {".", "--update"});
  CHECK(update.status == 0);
  CHECK(timeless(update.out) ==
        "updated   group2/program23.expected  (status 1)\nupdated   group3/program10.expected\n"
        "updated   group6/program48.rk\n200 tests: 197 pass, 3 updated  (TIMES)\n");
  CHECK(fs::last_write_time(folder / "group0/program7.expected") == before);
  CHECK(read_file(folder / "group3/program10.expected") == suite[10].result);
  CHECK(read_file(folder / "group2/program23.expected") == suite[23].result);
  CHECK(read_file(folder / "group6/program48.rk") == suite[48].program + "\n" + marked_text(suite[48].result));
}

TEST_CASE("an expected output that is missing is an error, and --update writes it") {
  const TemporaryFolder folder;
  write_file(folder / "a.rk", "show 6 * 7\n");
  write_file(folder / "wrong.rk", "show 1 +\n");
  write_file(folder / "silent.rk", "let k = 1\n\n#|\n");
  const RunResult missing = test_in(folder.path(), {"a.rk"});
  CHECK(missing.status == 1);
  CHECK_THAT(missing.out, Contains("missing   a.rk: ") && Contains("`--update`"));
  const RunResult update = test_in(folder.path(), {".", "--update"});
  CHECK(update.status == 0);
  CHECK(timeless(update.out) ==
        "written   a.expected\nupdated   silent.rk\n"
        "written   wrong.expected  (status 3: error[E0100]: expected an operator or the next item, found `+`)\n"
        "3 tests: 1 updated, 2 written  (TIMES)\n");
  CHECK(read_file(folder / "a.expected") == "42\n");
  CHECK(read_file(folder / "silent.rk") == "let k = 1\n\n#| == status 0\n");
  CHECK(read_file(folder / "wrong.expected").ends_with("== status 3\n"));
  CHECK(test_in(folder.path(), {"."}).status == 0);
  CHECK(timeless(test_in(folder.path(), {".", "--update"}).out) == "3 tests: 3 pass  (TIMES)\n");
  CHECK(test_in(folder.path(), {".", "-q"}).out.empty());
}

TEST_CASE("line breaks of Windows and a last line without one are no difference") {
  const TemporaryFolder folder;
  write_file(folder / "beside.rk", "show 1\r\nshow [1, 2\r\n");
  write_file(folder / "inside.rk", "show 1\r\nshow 2\r\n\r\n#| 1\r\n#| 2\r\n\r\n");
  write_file(folder / "end.rk", "show 1\nshow 2");
  write_file(folder / "end.expected", "1\n2");
  write_file(folder / "mark.rk", "show 1\n#| 1");
  write_file(folder / "beside.expected", "x\r\n");
  const RunResult first = test_in(folder.path(), {"."});
  CHECK(first.status == 1);
  CHECK_THAT(first.out, Contains("4 tests: 3 pass, 1 differs"));
  CHECK(test_in(folder.path(), {".", "--update"}).status == 0);
  const std::string updated = read_file(folder / "beside.expected");
  CHECK(updated.starts_with("== messages\r\nerror["));
  CHECK(updated.ends_with("\r\n== status 3\r\n"));
  CHECK(test_in(folder.path(), {"."}).status == 0);
  replace_in(folder / "inside.rk", "#| 2", "#| 3");
  CHECK(test_in(folder.path(), {".", "--update"}).status == 0);
  CHECK(read_file(folder / "inside.rk") == "show 1\r\nshow 2\r\n\r\n#| 1\r\n#| 2\r\n");
  CHECK(read_file(folder / "end.expected") == "1\n2");
}

TEST_CASE("a program that does not end is stopped, and the others are tested") {
  const TemporaryFolder folder;
  write_file(folder / "a.rk", endless);
  write_file(folder / "b.rk", "show 2\n#| 2\n");
  const RunResult run = test_in(folder.path(), {".", "--jobs", "2", "--timeout", sanitized ? "8" : "2", "--update"});
  CHECK(run.status == 1);
  CHECK(run.wall.count() < 60);
  CHECK_THAT(run.out, Contains(" s (--timeout)\n1\n\n2 tests: 1 passes, 1 no end"));
  CHECK(run.out.starts_with("no end    a.rk: no end within "));
  CHECK_FALSE(fs::exists(folder / "a.expected"));
}

TEST_CASE("a program that crashes ends by itself, and the exit status is 70") {
  const TemporaryFolder folder;
  write_file(folder / "a.rk", endless);
  write_file(folder / "b.rk", "show 2\n#| 2\n");
  // The child of `reckon test` that runs the endless program gets a signal.
  const std::string script = program_path().string() + R"( test . --jobs 1 --junit report.xml > report & test=$!
while :; do
  for child in $(cat /proc/$test/task/$test/children); do
    if grep -q a.rk /proc/$child/cmdline; then sleep 0.5; kill -SEGV $child; wait $test; exit $?; fi
  done
done)";
  const RunResult run =
      run_command({"bash", "-c", script},
                  // A sanitized program would end by itself.
                  RunOptions{.input = {}, .folder = folder.path(), .environment = {{"ASAN_OPTIONS", "handle_segv=0"}}});
  CHECK(run.status == 70);
  const std::string report = read_file(folder / "report");
  CHECK_THAT(report, Contains("crashes   a.rk: signal 11 (Segmentation fault)") && Contains("1 passes, 1 crash"));
  CHECK_THAT(read_file(folder / "report.xml"), Contains("errors=\"1\"") && Contains("message=\"signal 11"));
}

TEST_CASE("an interrupt ends the run with status 130, and what is known is reported") {
  const TemporaryFolder folder;
  write_file(folder / "a.rk", "show 2\n#| 3\n");
  write_file(folder / "b.rk", endless);
  write_file(folder / "c.rk", "show 2\n#| 3\n");
  const RunResult run = run_command({"timeout", "--signal=INT", sanitized ? "8" : "2", program_path().string(), "test",
                                     ".", "--jobs", "1"},
                                    RunOptions{.input = {}, .folder = folder.path(), .environment = {}});
  INFO(run.out << run.err);
  CHECK_THAT(run.out, Contains("differs   a.rk") && Contains("1 test: 1 differs"));
  CHECK_THAT(run.err, Contains("interrupted: 2 of 3 tests were not done"));
}

TEST_CASE("programs run in their own folders, so that it does not matter where the tests are started") {
  const TemporaryFolder folder;
  write_file(folder / "tests/parts.rk", "fn double(x: f32) -> f32 = x + x\n#| == status 0\n");
  write_file(folder / "tests/uses.rk", "import \"parts\"\nshow double(f32(2))\nshow load(\"no.npy\")\n");
  CHECK(test_in(folder.path(), {"tests", "--update"}).status == 0);
  CHECK(read_file(folder / "tests/uses.expected").find("--> uses.rk:3:") != std::string::npos);
  for (const std::string from : {".", "tests"}) {
    CHECK(test_in(folder / from, {(folder / "tests").string()}).status == 0);
  }
  CHECK(test_in(folder / "tests", {"."}).status == 0);
  CHECK(test_in(folder / "tests", {"uses.rk"}).status == 0);
}

TEST_CASE("which programs are tests") {
  const TemporaryFolder folder;
  for (const char* name : {"b.rk", "a.rk", "sub/c.rk", "sub/deep/d.rk", ".hidden/e.rk", ".f.rk"}) {
    write_file(folder / name, "show 1\n#| 1\n");
  }
  write_file(folder / "notes.txt", "");
  fs::create_directory_symlink(folder / "sub", folder / "link");
  const auto paths = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = words;
    all.emplace_back("--format=json");
    const RunResult run = test_in(folder.path(), all);
    INFO(run.err);
    std::vector<std::string> out;
    for (const Json& line : json_lines(run.out)) {
      if (line["kind"] == "test")
        out.push_back(line["program"].get<std::string>() + " " + line["verdict"].get<std::string>());
    }
    return out;
  };
  const std::vector<std::string> all{"a.rk passes", "b.rk passes", "sub/c.rk passes", "sub/deep/d.rk passes"};
  CHECK(paths({"."}) == all);
  CHECK(paths({"sub", "b.rk", "a.rk"}) == all);
  CHECK(paths({"sub/deep", "sub", "b.rk", "./b.rk", "a.rk", "."}) == all);
  CHECK(paths({".f.rk"}) == std::vector<std::string>{".f.rk passes"});
  CHECK(paths({".", "-k", "deep"}) == std::vector<std::string>{"sub/deep/d.rk passes"});
  CHECK(paths({"-k", "deep", "-k", "a.", "."}) == std::vector<std::string>{"a.rk passes", "sub/deep/d.rk passes"});
  // An expected output whose program was renamed or removed.
  write_file(folder / "sub/gone.expected", "1\n");
  CHECK(paths({"sub"}) ==
        std::vector<std::string>{"sub/c.rk passes", "sub/deep/d.rk passes", "sub/gone.expected alone"});
  CHECK(test_in(folder.path(), {"sub"}).status == 1);
}

TEST_CASE("wrong paths and options give 2 and a sentence, and nothing runs") {
  const TemporaryFolder folder;
  write_file(folder / "a.rk", "save \"out.npy\" = for i < 2: f32(i)\n");
  fs::create_directory(folder / "empty");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{}, "path is required"},
      {{"nowhere"}, "there is no file or folder `nowhere`"},
      {{"a.rk", "nowhere.rk"}, "there is no file or folder `nowhere.rk`"},
      {{"empty"}, "the folder `empty` holds no file `*.rk`"},
      {{"/etc/passwd"}, "`/etc/passwd` is no program"},
      {{".", "-k", "zebra"}, "-k zebra: no path of the 1 program here contains it"},
      {{".", "-k", "zebra", "-k", "y"}, "contains one of these"},
      {{".", "--jobs", "0"}, "--jobs"},
      {{".", "--timeout", "never"}, "--timeout"},
      {{".", "--in=floats"}, "there is no semantics `floats`"},
  };
  for (const auto& [words, sentence] : wrong) {
    const RunResult run = test_in(folder.path(), words);
    INFO(sentence << "\n" << run.out << run.err);
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains(sentence));
    CHECK(run.out.empty());
  }
  CHECK_FALSE(fs::exists(folder / "out.npy"));
}

TEST_CASE("files that cannot be read or written") {
  const TemporaryFolder folder;
  write_file(folder / "good.rk", "show 1\n#| 1\n");
  fs::create_symlink("nowhere", folder / "dangling.rk");
  write_file(folder / "folder.rk", "show 1\n");
  fs::create_directory(folder / "folder.expected");
  const RunResult unread = test_in(folder.path(), {"."});
  CHECK(unread.status == 2);
  CHECK_THAT(unread.out, Contains("no result dangling.rk: `dangling.rk` cannot be read\n") &&
                             Contains("no result folder.rk: `folder.expected` cannot be read\n") &&
                             Contains("3 tests: 1 passes, 2 no result"));
  fs::remove(folder / "dangling.rk");
  fs::remove(folder / "folder.expected");

  // A read-only file stays what it is, for root, too.
  write_file(folder / "folder.expected", "2\n");
  fs::permissions(folder / "folder.expected", fs::perms::owner_read);
  const RunResult kept = test_in(folder.path(), {".", "--update"});
  CHECK(kept.status == 2);
  CHECK_THAT(kept.out, Contains("unwritten folder.rk: folder.expected cannot be written: it is read-only"));
  CHECK(read_file(folder / "folder.expected") == "2\n");

  if (geteuid() == 0) return;  // root may read everything
  fs::permissions(folder / "good.rk", fs::perms::none);
  CHECK_THAT(test_in(folder.path(), {"good.rk"}).out, Contains("no result good.rk: `good.rk` cannot be read"));
}

TEST_CASE("an expected output in two places is an error of the source") {
  const TemporaryFolder folder;
  write_file(folder / "a.rk", "show 1\n#| 1\n");
  write_file(folder / "a.expected", "1\n");
  const RunResult run = test_in(folder.path(), {".", "--update"});
  CHECK(run.status == 3);
  CHECK_THAT(run.out, Contains("twice     a.rk: ") && Contains("a.expected and in its own last lines, from line 2"));
}

TEST_CASE("options of a run are those of every program") {
  const TemporaryFolder folder;
  write_file(folder / "a.rk", "show f32(1) / f32(3)\n#| 1/3\n");
  CHECK(test_in(folder.path(), {".", "--in=exact"}).status == 0);
  CHECK(test_in(folder.path(), {"."}).status == 1);
  write_file(folder / "-b.rk", "show 1\n#| 1\n");
  CHECK(test_in(folder.path(), {".", "-k", "-b"}).status == 0);
  // A program without a size of this name refuses it.
  const RunResult refused = test_in(folder.path(), {"a.rk", "-D", "n=4"});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.out,
             Contains("no result a.rk: ") && Contains("no circuit or check of this program has a size `n`"));
}

TEST_CASE("the report as JSON and as JUnit's XML") {
  const TemporaryFolder folder;
  write_file(folder / "sub/a.rk", "show 1\n#| 1\n");
  write_file(folder / "sub/b.rk", "show \"<&>\"\n\n#| \"old\"\n");
  write_file(folder / "c.rk", "show 1\n");
  const RunResult run = test_in(folder.path(), {".", "--format=json", "--junit", "report.xml"});
  CHECK(run.status == 1);
  const auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["verdict"] == "missing");
  CHECK(lines[1]["verdict"] == "passes");
  CHECK(lines[2]["program"] == "sub/b.rk");
  CHECK(lines[2]["expected"] == "sub/b.rk");
  CHECK(lines[2]["line"] == 3);
  CHECK_THAT(lines[2]["difference"].get<std::string>(), Contains("@@ -3 +1 @@\n-\"old\"\n+<&>\n"));
  CHECK(lines[3]["kind"] == "tests");
  CHECK(lines[3]["verdicts"] == Json({{"passes", 1}, {"differs", 1}, {"missing", 1}}));

  const auto python = python_with("xml.etree.ElementTree");
  if (!python) return;
  const std::string script = R"(
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
print(suite.get("tests"), suite.get("failures"), suite.get("errors"))
for case in suite:
    print(case.get("classname"), case.get("name"), [(child.tag, child.get("type")) for child in case])
print(suite[2][0].text)
)";
  const RunResult read = run_command({*python, "-c", script, (folder / "report.xml").string()});
  INFO(read.err);
  CHECK(read.out ==
        "3 2 0\n. c.rk [('failure', 'missing')]\nsub a.rk []\nsub b.rk [('failure', 'differs')]\n"
        "--- sub/b.rk\n+++ what `reckon run sub/b.rk` gives\n@@ -3 +1 @@\n-\"old\"\n+<&>\n\n");
  const RunResult nowhere = test_in(folder.path(), {"sub/a.rk", "--junit", "/nonexistent/report.xml"});
  CHECK(nowhere.status == 2);
  CHECK_THAT(nowhere.err, Contains("--junit: `/nonexistent/report.xml` cannot be written"));
}
