// Boxes in other processes: commands and libraries.
#include <catch2/catch.hpp>

#include "diagnostics/codes/box_failed.h"
#include "diagnostics/codes/box_unusable.h"
#include "reveal/command_box.h"
#include "reveal/library_box.h"
#include "tests/reveal/sums.h"

using namespace reckon;
using namespace reckon::reveal;
using namespace reckon::reveal::test;
using Catch::Contains;

namespace {

std::string left_fold(int n) {
  std::string out = "0";
  for (int k = 1; k < n; ++k) out = "(" + out + " " + std::to_string(k) + ")";
  return out;
}

Expected<Box> command(const std::string& text, bool lines = false, int milliseconds = 20'000) {
  CommandOptions options;
  options.command = text;
  options.lines = lines;
  options.formats = {Format::f64, Format::f64, Format::f64};
  options.timeout = std::chrono::milliseconds(milliseconds);
  return command_box(options);
}
Question doubles() {
  Question question;
  question.formats = {Format::f64, Format::f64, Format::f64};
  question.verify = 5;
  question.pairs = 5;
  return question;
}
/// The diagnostic that ends a question to a command.
Diagnostic failure(const std::string& text, bool lines, int milliseconds = 20'000) {
  auto box = command(text, lines, milliseconds);
  REQUIRE(box);
  auto answer = (*box)(Input{std::vector<std::uint64_t>(4), {}});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == code::box_failed);
  return answer.error();
}

constexpr const char* awk = "awk '{s += $1} END {printf \"%.17g\\n\", s}'";
// mawk reads ahead on a pipe, so each line has an awk of its own.
constexpr const char* awk_lines =
    "while read -r line; do echo $line | tr ' ' '\\n' | awk '{s += $1} END {printf \"%.17g\\n\", s}'; done";

}  // namespace

TEST_CASE("a command, started for each question or once for all") {
  for (const bool lines : {false, true}) {
    auto box = command(lines ? awk_lines : awk, lines);
    REQUIRE(box);
    const auto outcome = revealed(*box, 9, doubles());
    INFO(outcome.undecided);
    CHECK(outcome.undecided.empty());
    CHECK(outcome.tree->text() == left_fold(9));
    CHECK(outcome.arithmetic == "f64");
  }
}

TEST_CASE("a command that fails: one clear error, with its own words") {
  CHECK(failure("echo trouble >&2; exit 3", false).message == "the command ended with status 3");
  CHECK(failure("echo trouble >&2; exit 3", false).notes.at(0) == "it said: trouble");
  CHECK(failure("exit 3", true).message == "the command ended with status 3");
  CHECK_THAT(failure("kill -9 $$", false).message, Contains("signal 9"));
  CHECK(failure("echo hello", false).message == "the command printed `hello`, which is no number");
  CHECK(failure("echo 1 2", false).message == "the command printed `1 2`, which is no number");
  CHECK(failure("true", false).message == "the command printed nothing");
  CHECK(failure("true", true).message == "the command ended before it answered");
  CHECK(failure("echo; cat", true).message == "the command printed nothing");
  CHECK_THAT(failure("no-such-command-anywhere", false).message, Contains("status 127"));
  CHECK(failure("sleep 30", false, 200).message == "the command gave no answer within 0.2 s");
  CHECK(failure("sleep 30", true, 200).message == "the command gave no answer within 0.2 s");
  CHECK_FALSE(command(" "));
  // One that reads nothing, and one that answers more than a pipe holds.
  auto constant = command("echo 7");
  CHECK((*constant)(Input{std::vector<std::uint64_t>(100'000), {}}));
  CHECK_THAT(failure("cat; cat /dev/zero | head -c 1000000", false).message, Contains("no number"));
}

TEST_CASE("answers are rounded once, from decimal or hexadecimal text") {
  const auto value = [](const char* text) {
    const auto bits = parse_answer(text, Format::f32);
    REQUIRE(bits);
    return std::bit_cast<float>(static_cast<std::uint32_t>(*bits));
  };
  // strtof is the C library's own reading.
  for (const char* text : {"1",        "-1.5",      "+2",   "0.1",      "1e10",   "1E-3",  "3.4028234663852886e+38",
                           "0x1.8p+3", "0X1P-2",    ".5",   "1.",       "-.25e1", "0x1.8", "1.7014118346046923e+38",
                           "inf",      "-Infinity", "5.e3", "16777217", "1e400",  "-0"}) {
    INFO(text);
    CHECK(std::bit_cast<std::uint32_t>(value(text)) == std::bit_cast<std::uint32_t>(std::strtof(text, nullptr)));
  }
  CHECK(std::isnan(value("nan")));
  for (const char* text : {"", "-", "1_000", "one", "1 2", "--1", "0x", "1e", "e5", "[1]"}) {
    INFO(text);
    CHECK_FALSE(parse_answer(text, Format::f32));
  }
}

TEST_CASE("a library in C") {
  const auto outcome_of = [](const char* symbol, const char* signature, std::int64_t n) {
    auto box = library_box({RECKON_REVEAL_SUMS, symbol, signature});
    REQUIRE(box);
    const auto parsed = parse_signature(signature);
    Question question;
    question.formats = {parsed->input, parsed->result, parsed->result};
    question.products = parsed->products;
    return revealed(*box, n, question);
  };
  CHECK(outcome_of("sum4", "f32(const f32*, n)", 10).tree->text() == "(((((0 4) (1 5)) ((2 6) (3 7))) 8) 9)");
  CHECK(outcome_of("sequential", "f64(int n, const f64*)", 12).tree->text() == left_fold(12));
  CHECK(outcome_of("backwards", "f32(const f32 *, int n)", 4).tree->text() == "(0 (1 (2 3)))");
  const auto wide = outcome_of("wide", "f64(const f32*, n)", 12);
  CHECK(wide.tree->text() == left_fold(12));
  CHECK(wide.arithmetic == "f64");
  CHECK(outcome_of("dot", "f32(int n, const f32*, 1, const f32*, 1)", 9).arithmetic == "f32");
  CHECK(outcome_of("dot_fma", "f32(const f32*, const f32*, n)", 9).arithmetic == "f32 with fma");
  CHECK(outcome_of("mean", "f32(const f32*, n)", 8).scaling.factor == 0.125);
  CHECK(outcome_of("mean", "f32(const f32*, n)", 10).scaling.factor == 10);
  CHECK(outcome_of("chatty", "f32(const f32*, n)", 8).undecided.empty());
}

TEST_CASE("a library that cannot be called: one clear error, and no crash") {
  const auto message = [](const char* path, const char* symbol, const char* signature) {
    auto box = library_box({path, symbol, signature});
    REQUIRE_FALSE(box);
    CHECK(box.error().code == code::box_unusable);
    return box.error().message;
  };
  CHECK(message("/nonexistent.so", "f", "f32(const f32*, n)") == "the library `/nonexistent.so` cannot be opened");
  CHECK_THAT(message(RECKON_REVEAL_SUMS, "nope", "f32(const f32*, n)"), Contains("has no symbol `nope`"));
  for (const char* signature : {"", "f32", "f32()", "f32(n)", "f16(const f32*, n)", "f32(const f32*)",
                                "f32(const f32*, m)", "f32(const f32*, const f64*, n)", "f32(f32*, n)",
                                "f32(const i32*, n)", "f32(const f32*, n", "f32(const f32*, n, n)"}) {
    INFO(signature);
    CHECK_THAT(message(RECKON_REVEAL_SUMS, "sum4", signature), Contains("is not a signature that can be called"));
  }
  auto crashing = library_box({RECKON_REVEAL_SUMS, "crash", "f32(const f32*, n)"});
  REQUIRE(crashing);
  auto answer = (*crashing)(Input{std::vector<std::uint64_t>(4), {}});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == code::box_failed);
  CHECK_THAT(answer.error().message, Contains("signal 6"));
}
