// Printed syntax trees are read back as the same trees, and places in them lead to the text of what stands there.
#include "frontend/print_syntax.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "ast_dump.h"
#include "frontend/parse.h"
#include "tests/support/files.h"

using namespace reckon;
using namespace reckon::frontend;

namespace {

/// Parses, prints, and parses again; gives the printed text.
std::string printed_and_read(const std::string& text, ParseAs as) {
  SourceMap sources;
  ParseResult first = parse(sources, sources.add("text", text), as);
  REQUIRE(first.diagnostics.empty());
  std::erase_if(first.program.items, [](const Item& item) {
    // A profile is not printed, and a condition of a check is known by its form alone.
    return item.kind == ItemKind::profile;
  });
  const std::string wanted = testing::dump(first.program);
  std::vector<MovedPlace> moved;
  const std::uint32_t file = sources.file_count();
  const std::string printed = print_syntax(first.program, file, moved);
  sources.add("printed", printed);
  INFO(printed);
  CHECK(testing::dump(first.program) == wanted);
  const ParseResult again = parse(sources, file, as);
  REQUIRE(again.diagnostics.empty());
  CHECK(testing::dump(again.program) == wanted);
  // Each expression has the place that the parser gives it.
  REQUIRE(first.program.items.size() == again.program.items.size());
  for (std::size_t k = 0; k < first.program.items.size(); ++k) {
    const Item &ours = first.program.items[k], &theirs = again.program.items[k];
    CHECK(sources.text(ours.span) == sources.text(theirs.span));
    if (!ours.body.valid()) continue;
    CHECK(first.program[ours.body].span == again.program[theirs.body].span);
    CHECK(first.program[ours.body].operator_span == again.program[theirs.body].operator_span);
  }
  return printed;
}

}  // namespace

TEST_CASE("the programs of the standard library and of examples/ are printed as they are read") {
  std::size_t files = 0;
  for (const char* folder : {"stdlib", "examples"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_folder() / folder)) {
      if (entry.path().extension() != ".rk") continue;
      INFO(entry.path().string());
      printed_and_read(test::read_file(entry.path()), ParseAs::program);
      ++files;
    }
  }
  CHECK(files > 15);
  printed_and_read("let k = 1\nlet (a, b) = f(k)\nshow a", ParseAs::program);
}

TEST_CASE("parentheses are printed where the grammar needs them") {
  for (const char* text : {"(a + b) * c - (d - (e + f))",
                           "-(a + b) * -c",
                           "(a < b and not (c or d)) == e",
                           "(sum i: x[i]) + (max i: y[i])",
                           "sum i: (sum j: a[i, j]) by tree else 0",
                           "sum i: sum j: a[i, j] by seq",
                           "((4, 2):(1, 4))(i, j)",
                           "x[i, j + 1]",
                           "(a xor b) & c | d << 2",
                           "(1, (2,), ())",
                           "f[2](x)(3)",
                           "(lanes(2, seq) then tree) @warp",
                           "a then (b then c)",
                           "'((0 1) (2 (3 4)))",
                           "(for i: x[i])[0]",
                           "any(depth: 3)",
                           "if a < b { c } else { d }",
                           "length n: if n < 8 { seq } else { tree }",
                           "(0.5)",
                           "\"a \\\"b\\\" \\n\"",
                           "(a.. b) == c"}) {
    SourceMap sources;
    ParseResult first = parse(sources, sources.add("text", text), ParseAs::expression);
    INFO(text);
    REQUIRE(first.diagnostics.empty());
    const std::string wanted = testing::dump(first.program);
    std::vector<MovedPlace> moved;
    const std::string printed = print_syntax(first.program, sources.file_count(), moved);
    INFO(printed);
    const ParseResult again = parse(sources, sources.add("printed", printed), ParseAs::expression);
    REQUIRE(again.diagnostics.empty());
    CHECK(testing::dump(again.program) == wanted);
    CHECK(first.program[first.program.result].span == again.program[again.program.result].span);
  }
}
