#include <catch2/catch.hpp>

#include "diagnostics/codes/device_missing.h"
#include "diagnostics/codes/duplicate_name.h"
#include "diagnostics/codes/index_ranges_differ.h"
#include "diagnostics/codes/no_order.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/type_mismatch.h"
#include "diagnostics/diagnostic.h"

using namespace reckon;

namespace {

/// The place of the first `wanted` after byte `from`.
SourceSpan find(const SourceMap& map, std::uint32_t file, std::string_view wanted, std::size_t from = 0) {
  const std::size_t at = map.text(file).find(wanted, from);
  REQUIRE(at != std::string_view::npos);
  return {file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + wanted.size())};
}

}  // namespace

TEST_CASE("the layout of the design, to the letter", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("dot.rk",
                            "# one\n# two\n"
                            "fn spec(x: f32[n]) -> f32 = sum i: x[i] by any\n"
                            "#\n#\n#\n#\n#\n"
                            "show spec(x) in float\n");
  const auto diagnostic =
      Diagnostic(code::no_order, find(map, file, "spec", 60),
                 "the reduction over `i` has no order that `float` could follow", "one value is asked for")
          .with(find(map, file, "sum i: x[i] by any"), "any order is meant here")
          .help("give an order (`by seq`), or ask for all results: `show spread(spec, x)`");
  CHECK(render_text(diagnostic, map, false) ==
        R"(error[E0507]: the reduction over `i` has no order that `float` could follow
  --> dot.rk:9:6
   |
 3 | fn spec(x: f32[n]) -> f32 = sum i: x[i] by any
   |                             ------------------ any order is meant here
 9 | show spec(x) in float
   |      ^^^^ one value is asked for
   |
   = help: give an order (`by seq`), or ask for all results: `show spread(spec, x)`
)");
}

TEST_CASE("an unknown place leaves the header and the notes", "[diagnostics]") {
  const SourceMap map;
  Diagnostic diagnostic(code::device_missing, {}, "no GPU was found");
  diagnostic.notes = {"libcuda.so.1 cannot be opened"};
  CHECK(render_text(diagnostic, map, false) == R"(error[E0900]: no GPU was found
   = note: libcuda.so.1 cannot be opened
)");
}

TEST_CASE("several labels on one line hang below each other", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("a.rk", "x[i] + y[j]");
  const auto diagnostic = Diagnostic(code::index_ranges_differ, {file, 5, 6}, "message", "operator")
                              .with({file, 0, 4}, "left")
                              .with({file, 7, 11}, "right");
  CHECK(render_text(diagnostic, map, false) == R"(error[E0306]: message
  --> a.rk:1:6
   |
 1 | x[i] + y[j]
   | ---- ^ ---- right
   | |    |
   | |    operator
   | left
)");
}

TEST_CASE("labels that overlap take rows of their own, the primary one first", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("a.rk", "f(x, y)");
  const auto diagnostic = Diagnostic(code::type_mismatch, {file, 2, 3}, "message", "inner").with({file, 0, 7}, "outer");
  CHECK(render_text(diagnostic, map, false) == R"(error[E0300]: message
  --> a.rk:1:3
   |
 1 | f(x, y)
   |   ^ inner
   | ------- outer
)");
}

TEST_CASE("far lines are parted, other files have blocks of their own", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("a.rk", "first\n" + std::string(98, '\n') + "last");
  const auto other = map.add("b.rk", "\nelsewhere");
  const auto diagnostic = Diagnostic(code::duplicate_name, {file, 104, 108}, "message", "again")
                              .with({other, 1, 10}, "imported")
                              .with({file, 0, 5}, "before");
  CHECK(render_text(diagnostic, map, false) == R"(error[E0201]: message
    --> a.rk:100:1
     |
   1 | first
     | ----- before
...
 100 | last
     | ^^^^ again
    ::: b.rk:2:1
     |
   2 | elsewhere
     | --------- imported
)");
}

TEST_CASE("tabs, wide letters and control bytes keep the marks in place", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("a.rk", "\tlet x = 1 # \xE6\xBC\xA2\xE5\xAD\x97 \x01\xff y");
  CHECK(render_text(Diagnostic(code::syntax, {file, 5, 6}, "m", "here"), map, false) ==
        "error[E0100]: m\n  --> a.rk:1:6\n   |\n 1 |     let x = 1 # \xE6\xBC\xA2\xE5\xAD\x97 \xEF\xBF\xBD\xEF\xBF\xBD "
        "y\n"
        "   |         ^ here\n");
  const SourceSpan y = find(map, file, "y");
  CHECK(render_text(Diagnostic(code::syntax, y, "m"), map, false).ends_with("   |                         ^\n"));
}

TEST_CASE("long lines are shown around their labels", "[diagnostics]") {
  SourceMap map;
  const std::string ones(5000, '1');
  const auto file = map.add("a.rk", "start" + ones + "HERE" + ones + "END");
  const auto diagnostic = Diagnostic(code::syntax, {file, 5005, 5009}, "m", "middle")
                              .with({file, 0, 5}, "the start")
                              .with({file, 10009, 10012}, "the end");
  const std::string text = render_text(diagnostic, map, false);
  INFO(text);
  CHECK(text.size() < 1000);
  CHECK(text.find("HERE") != std::string::npos);
  CHECK(text.find("...1") != std::string::npos);
  CHECK(text.find("1...") != std::string::npos);
  // Every label keeps its marks below what it is about.
  for (const auto& [word, label] :
       {std::pair("start1", "----- the start"), {"HERE", "^^^^ middle"}, {"END", "--- the end"}}) {
    const std::size_t at = text.find(word), mark = text.find(label);
    REQUIRE(at != std::string::npos);
    REQUIRE(mark != std::string::npos);
    CHECK(at - text.rfind('\n', at) == mark - text.rfind('\n', mark));
  }
}

TEST_CASE("spans of several lines are reduced to the first, the end of the text can be marked", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("a.rk", "sum i:\n  x[i]");
  CHECK(render_text(Diagnostic(code::syntax, {file, 0, 13}, "m", "all"), map, false) ==
        "error[E0100]: m\n  --> a.rk:1:1\n   |\n 1 | sum i:\n   | ^^^^^^ all\n");
  CHECK(render_text(Diagnostic(code::syntax, {file, 13, 13}, "m", "end"), map, false) ==
        "error[E0100]: m\n  --> a.rk:2:7\n   |\n 2 |   x[i]\n   |       ^ end\n");
  const auto empty = map.add("b.rk", "");
  CHECK(render_text(Diagnostic(code::syntax, {empty, 0, 0}, "m", "end"), map, false) ==
        "error[E0100]: m\n  --> b.rk:1:1\n   |\n 1 |\n   | ^ end\n");
}

TEST_CASE("colour only on request", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("a.rk", "x");
  const Diagnostic diagnostic(code::syntax, {file, 0, 1}, "m", "here");
  CHECK(render_text(diagnostic, map, false).find('\x1b') == std::string::npos);
  const std::string colored = render_text(diagnostic, map, true);
  CHECK(colored.find("\x1b[1;31merror[E0100]\x1b[0m") != std::string::npos);
  std::string stripped;
  for (std::size_t at = 0; at < colored.size(); ++at) {
    if (colored[at] == '\x1b') {
      at = colored.find('m', at);
    } else {
      stripped += colored[at];
    }
  }
  CHECK(stripped == render_text(diagnostic, map, false));
}
