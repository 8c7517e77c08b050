// Bad and extreme input: a clear error, quickly, and no crash.
#include <chrono>
#include <random>

#include "diagnostics/codes/internal.h"
#include "parse_helper.h"

using namespace reckon;
using namespace reckon::frontend;
using namespace reckon::frontend::testing;

namespace {

const std::string too_deep = "more than 1000 brackets, binders, stages or prefixes enclose each other";

/// The tree's size without recursion: expressions that were kept.
std::size_t parsed_expressions(std::string text) {
  const Parsed parsed = parse_text(std::move(text), ParseAs::expression);
  REQUIRE(parsed.result.diagnostics.empty());
  return parsed.result.program.expressions.size();
}

}  // namespace

TEST_CASE("what is not text is refused", "[parse][robust]") {
  const auto first_mistake = [](std::string text) {
    const Parsed parsed = parse_text(std::move(text), ParseAs::program);
    REQUIRE(parsed.result.diagnostics.size() == 1);
    CHECK(parsed.result.program.items.empty());
    CHECK_FALSE(parsed.result.incomplete);
    (void)render_text(parsed.result.diagnostics[0], parsed.sources, false);
    return code_text(parsed.result.diagnostics[0].code) + " " + parsed.result.diagnostics[0].message;
  };
  using namespace std::string_literals;
  CHECK(first_mistake("let a = \xff\xfe") == "E0002 invalid UTF-8: byte 0xff at offset 8");
  CHECK(first_mistake("# \xC0\x80") == "E0002 invalid UTF-8: byte 0xc0 at offset 2");          // overlong
  CHECK(first_mistake("# \xED\xA0\x80") == "E0002 invalid UTF-8: byte 0xed at offset 2");      // a surrogate
  CHECK(first_mistake("# \xF4\x90\x80\x80") == "E0002 invalid UTF-8: byte 0xf4 at offset 2");  // beyond U+10FFFF
  CHECK(first_mistake("# \xE2\x82") == "E0002 invalid UTF-8: byte 0xe2 at offset 2");          // cut off
  CHECK(first_mistake("\x7f"
                      "ELF") == "E0002 a control byte 0x7f at offset 0: this is not a text file");
  CHECK(first_mistake("let a\0b"s) == "E0002 a NUL byte at offset 5: this is not a text file");
  CHECK(first_mistake(std::string(100'000'000, '\0')) == "E0002 a NUL byte at offset 0: this is not a text file");
  CHECK(first_mistake(std::string(70'000'000, ' ')) ==
        "E0003 the file has more than the 64 MiB that a program may have");
}

TEST_CASE("a thousand levels are parsed, more are refused before parsing", "[parse][robust]") {
  struct Nest {
    std::string_view open, core, close;
  };
  for (const Nest& nest : {Nest{"(", "1", ")"},
                           {"[", "1", "]"},
                           {"f(", "1", ")"},
                           {"(", "1", ", 2)"},
                           {"-", "x", ""},
                           {"not ", "x", ""},
                           {"for i: ", "x", ""},
                           {"for i, j: ", "x", ""},
                           {"sum i < n: 1 + ", "x", ""},
                           {"length n: ", "x", ""},
                           {"{", "1", "}"},
                           {"reduce(add) i: ", "x", ""}}) {
    INFO(nest.open);
    const auto text = [&](std::size_t depth) {
      return repeated(nest.open, depth) + std::string(nest.core) + repeated(nest.close, depth);
    };
    // `reduce(add)` opens a bracket within the last of its levels.
    CHECK(parsed_expressions(text(999)) > 0);
    CHECK(expression_mistakes(text(1001)).find(too_deep) != std::string::npos);
    CHECK(expression_mistakes(text(100'000)).find(too_deep) != std::string::npos);
  }
  CHECK(expression_mistakes(std::string(100'000, '(')).find(too_deep) != std::string::npos);
  CHECK(parsed_expressions(repeated("if a { b } else ", 999) + "{ c }") > 0);
  CHECK(expression_mistakes(repeated("if a { b } else ", 1001) + "{ c }").find(too_deep) != std::string::npos);
  CHECK(expression_mistakes("'" + repeated("(0 ", 1001) + "1" + repeated(")", 1001)).find(too_deep) !=
        std::string::npos);
  CHECK(expression_mistakes("sum i: x by seq" + repeated(" then seq", 1001)).find(too_deep) != std::string::npos);
  CHECK(program_mistakes("fn f(x: " + repeated("(", 1001) + "f32" + repeated(",)", 1001) + ") = x\nlet a = 1")
            .find(too_deep) != std::string::npos);
}

TEST_CASE("nesting is counted where it is nesting only", "[parse][robust]") {
  CHECK(parsed_expressions("[" + repeated("-x, ", 3000) + "1]") > 3000);
  CHECK(parsed_expressions("[" + repeated("sum i: x[i], ", 3000) + "1]") > 3000);
  CHECK(parsed_expressions("0" + repeated(" + -x", 3000)) > 3000);
  CHECK(parsed_expressions("a" + repeated(" and not x", 3000)) > 3000);
  CHECK(parsed_expressions("0" + repeated(" + (x)", 3000)) > 3000);
}

TEST_CASE("long chains are walked in loops", "[parse][robust]") {
  CHECK(parsed_expressions("1" + repeated("+1", 100'000)) == 200'001);
  CHECK(parsed_expressions("a" + repeated(" and b", 100'000)) == 200'001);
  CHECK(parsed_expressions("a" + repeated(" * b - c", 50'000)) == 200'001);
  CHECK(parsed_expressions("f" + repeated("(1)", 100'000)) == 200'001);
  CHECK(parsed_expressions("for i < 1" + repeated("+1", 10'000) + ": x") == 20'003);
  CHECK(parsed_expressions("[" + repeated("1, ", 100'000) + "1]") == 100'002);
  CHECK(expression_mistakes("1" + repeated("+1", 100'000) + " 2") ==
        "E0100 1:200003 expected an operator or the end of the text, found `2`");

  const Parsed parsed = parse_text("1" + repeated("+1", 100'000), ParseAs::expression);
  const Program& tree = parsed.result.program;
  std::size_t depth = 0;
  for (ExprId id = tree.result; tree[id].kind == ExprKind::binary; id = tree[id].children[0]) ++depth;
  CHECK(depth == 100'000);
}

TEST_CASE("many lines go through one process quickly", "[parse][robust]") {
  SourceMap sources;
  const std::uint32_t file = sources.add("-", "sum i: [f32(1e8), f32(1), f32(-1e8)][i] by lanes(4, tree) then tree");
  (void)parse(sources, file, ParseAs::expression);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) REQUIRE(parse(sources, file, ParseAs::expression).diagnostics.empty());
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  // Some 0.03 ms each where this was written; the limit only catches a slip of orders of magnitude.
  CHECK(time.count() < 60);
}

TEST_CASE("words in any order neither crash the parser nor get through unnoticed", "[parse][robust]") {
  constexpr const char* words[] = {"fn ",     "let ",   "check ",   "show ", "save ", "import ", "in ",
                                   "within ", "for ",   "by ",      "then ", "if ",   "else ",   "sum ",
                                   "max ",    "reduce", "scan",     "and ",  "or ",   "not ",    "length ",
                                   "ulp ",    "(",      ")",        "[",     "]",     "{",       "}",
                                   ",",       ";",      ":",        "->",    "=",     "~",       "..",
                                   "'",       "@",      "<",        "==",    "+",     "-",       "*",
                                   "//",      "i ",     "n: ",      "1 ",    "0.5",   "\"a\"",   "f32#3fc00000",
                                   "#",       "\n",     "$",        "é",     "\"",    "0x",      "1.",
                                   "bound ",  "seed ",  "profile ", "_"};
  std::mt19937 random(20240607);
  for (int run = 0; run < 3000; ++run) {
    std::string text;
    for (std::size_t count = random() % 40; count > 0; --count) text += words[random() % std::size(words)];
    const auto as = static_cast<ParseAs>(random() % 3);
    INFO(text);
    const Parsed parsed = parse_text(text, as);
    for (const Diagnostic& diagnostic : parsed.result.diagnostics) {
      REQUIRE(diagnostic.code != code::internal);
      REQUIRE(diagnostic.primary.span.begin <= diagnostic.primary.span.end);
      REQUIRE(diagnostic.primary.span.end <= text.size());
      REQUIRE_FALSE(render_text(diagnostic, parsed.sources, true).empty());
    }
    if (as == ParseAs::expression) {
      REQUIRE(parsed.result.program.result.valid() == parsed.result.diagnostics.empty());
    }
    if (parsed.result.incomplete) REQUIRE_FALSE(parsed.result.diagnostics.empty());
  }
}
