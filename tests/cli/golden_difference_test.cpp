// How `reckon test` compares two texts, and how it shows where they differ.
#include "cli/golden/difference.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "cli/golden/edits.h"
#include "cli/golden/lines.h"
#include "tests/support/golden.h"

using namespace reckon::golden;
using reckon::test::check_golden;

namespace {

using Lines = std::vector<std::string_view>;

/// The length of the longest common subsequence, by the table that defines it.
std::size_t common_lines(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t x = a.size(); x-- > 0;) {
    for (std::size_t y = b.size(); y-- > 0;) {
      best[x][y] = a[x] == b[y] ? best[x + 1][y + 1] + 1 : std::max(best[x + 1][y], best[x][y + 1]);
    }
  }
  return best[0][0];
}

/// Whether the edits go through both texts in order, take equal lines for equal, and lines out before others in.
bool makes(const std::vector<Edit>& all, const Lines& a, const Lines& b) {
  std::size_t x = 0, y = 0;
  char before = ' ';
  for (const Edit& edit : all) {
    if (edit.left != x || edit.right != y) return false;
    if (edit.mark == ' ' && a[x] != b[y]) return false;
    if (edit.mark == '-' && before == '+') return false;
    x += edit.mark != '+';
    y += edit.mark != '-';
    before = edit.mark;
  }
  return x == a.size() && y == b.size();
}

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int k = 0; k < count; ++k) out += text;
  return out;
}

}  // namespace

TEST_CASE("edits lead from one text to the other, and there are no fewer") {
  std::mt19937 random(20251125);
  const Lines words{"a", "b", "c", "d"};
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t different = 1 + random() % words.size();
    Lines a(random() % 12), b(random() % 12);
    for (auto& line : a) line = words[random() % different];
    for (auto& line : b) line = words[random() % different];
    const std::vector<Edit> all = edits(a, b);
    INFO("trial " << trial);
    REQUIRE(makes(all, a, b));
    const auto changes = std::count_if(all.begin(), all.end(), [](const Edit& edit) { return edit.mark != ' '; });
    REQUIRE(static_cast<std::size_t>(changes) == a.size() + b.size() - 2 * common_lines(a, b));
  }
}

TEST_CASE("texts that have nothing in common are replaced, however long they are") {
  std::vector<std::string> names;
  for (int k = 0; k < 20'000; ++k) names.push_back(std::to_string(k));
  const Lines a(names.begin(), names.begin() + 10'000), b(names.begin() + 10'000, names.end());
  CHECK(makes(edits(a, b), a, b));
  CHECK(edits(a, a).size() == a.size());
  CHECK(edits({}, {}).empty());
}

TEST_CASE("lines end with a line feed, a carriage return and one, or with the text") {
  CHECK(lines_of("").empty());
  CHECK(lines_of("a") == Lines{"a"});
  CHECK(lines_of("a\n\nb\n") == Lines{"a", "", "b"});
  CHECK(plain_lines("a\r\nb\r") == "a\nb\n");
  CHECK(plain_lines("a\rb\n") == "a\rb\n");
  CHECK(has_windows_ends("a\r\nb\n"));
  CHECK_FALSE(has_windows_ends("a\nb\r\n"));
  CHECK_FALSE(has_windows_ends("\n"));
}

TEST_CASE("differences have the lines and the numbers that `diff -u` gives them") {
  CHECK(difference("a\nb\n", "a\nb\n").empty());
  CHECK(difference("", "").empty());
  CHECK(difference("", "a\nb\n") == "@@ -0,0 +1,2 @@\n+a\n+b\n");
  CHECK(difference("a\n", "") == "@@ -1 +0,0 @@\n-a\n");
  CHECK(difference("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\nsix\n7\n8\n9\n") ==
        "@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n 9\n");
  // The block of expected lines in a program has the program's numbers.
  CHECK(difference("a\nb\n", "a\nc\n", {.first_line = 12}) == "@@ -12,2 +1,2 @@\n a\n-b\n+c\n");
}

TEST_CASE("changes with up to six lines between them stand in one part") {
  const auto text = [](int between, const char* word) {
    return word + std::string("\n") + repeated("same\n", between) + word + "\n";
  };
  const auto parts = [&](int between) {
    const std::string shown = difference(text(between, "old"), text(between, "new"));
    std::size_t count = 0;
    for (std::size_t at = shown.find("@@ -"); at != std::string::npos; at = shown.find("@@ -", at + 1)) ++count;
    return count;
  };
  CHECK(parts(6) == 1);
  CHECK(parts(7) == 2);
}

TEST_CASE("carets stand under the numbers of a line that differ, from their first digit that does") {
  CHECK(difference("[0, 0.14285715, 0.2857143]\n", "[0, 0.14285714, 0.2857143]\n") ==
        "@@ -1 +1 @@\n-[0, 0.14285715, 0.2857143]\n+[0, 0.14285714, 0.2857143]\n?             ^\n");
  // Of what the new line lacks, the place.
  CHECK(difference("show 1 2 3 4 5 6\n", "show 1 2 4 5 6\n") ==
        "@@ -1 +1 @@\n-show 1 2 3 4 5 6\n+show 1 2 4 5 6\n?         ^\n");
  CHECK(difference("a, b, c \n", "a, b, c\n") == "@@ -1 +1 @@\n-a, b, c \n+a, b, c\n?      ^\n");
  // Lines that have little in common have no carets.
  CHECK(difference("holds\n", "7.5  f32#40f00000\n") == "@@ -1 +1 @@\n-holds\n+7.5  f32#40f00000\n");
}

TEST_CASE("of a long line, what differs is shown") {
  const std::string filler = repeated("0.25, ", 100);
  for (const std::size_t place : {std::size_t{0}, std::size_t{300}, filler.size()}) {
    std::string expected = filler, actual = filler;
    expected.insert(place, "1.5, ");
    actual.insert(place, "1.75, ");
    const std::string shown = difference(expected + "\n", actual + "\n", {.width = 80});
    INFO(shown);
    for (const std::string_view line : lines_of(shown)) CHECK(line.size() <= 81);
    CHECK(shown.find("1.5, ") != std::string::npos);
    CHECK(shown.find("1.75, ") != std::string::npos);
    CHECK(shown.find("...") != std::string::npos);
    const Lines lines = lines_of(shown);
    REQUIRE(lines.size() == 4);
    const std::size_t caret = lines[3].find('^');
    REQUIRE(caret != std::string_view::npos);
    CHECK(lines[2].substr(caret, 2) == "75");
  }
  const std::string context = difference("a\n" + filler + "\n", "b\n" + filler + "\n", {.width = 80});
  CHECK(lines_of(context).back().size() == 81);
  CHECK(lines_of(context).back().ends_with("..."));
}

TEST_CASE("several differences of one long line are all shown") {
  std::string expected, actual;
  for (int k = 0; k < 400; ++k) {
    expected += std::to_string(k) + " ";
    actual += (k % 190 == 7 ? "x" : std::to_string(k)) + " ";
  }
  check_golden("cli/test/long_line.txt", difference(expected + "\n", actual + "\n", {.width = 100}));
}

TEST_CASE("characters that a terminal does not show are written out") {
  CHECK(difference("", "a\tb\x1b[0m\x7f\n") == "@@ -0,0 +1 @@\n+a\\tb\\x1b[0m\\x7f\n");
  CHECK(difference("", "\xc3\xa9 \xff \xc3\n") == "@@ -0,0 +1 @@\n+\xc3\xa9 \\xff \\xc3\n");
  // One column for a character of several bytes.
  CHECK(difference("\xc3\xa9\xc3\xa9 = 1, 2, 3\n", "\xc3\xa9\xc3\xa9 = 1, 2, 4\n") ==
        "@@ -1 +1 @@\n-\xc3\xa9\xc3\xa9 = 1, 2, 3\n+\xc3\xa9\xc3\xa9 = 1, 2, 4\n?           ^\n");
}

TEST_CASE("with colours, what differs within a line is in reverse video, and there are no carets") {
  CHECK(difference("x = 1, y = 2\n", "x = 1, y = 3\n", {.colored = true}) ==
        "\033[36m@@ -1 +1 @@\033[0m\n"
        "\033[31m-x = 1, y = \033[7m2\033[0m\n"
        "\033[32m+x = 1, y = \033[7m3\033[0m\n");
}

TEST_CASE("the rest of a long difference is counted") {
  const std::string shown = difference("", repeated("line\n", 150), {.most_lines = 100});
  CHECK(shown.ends_with("+line\n... 50 more lines\n"));
  CHECK(lines_of(shown).size() == 102);
  CHECK(difference("", "a\nb\n", {.most_lines = 1}) == "@@ -0,0 +1,2 @@\n+a\n... 1 more line\n");
}
