#include <algorithm>
#include <regex>

#include "parse_helper.h"
#include "tests/support/files.h"

using namespace reckon;
using namespace reckon::frontend;
using namespace reckon::frontend::testing;

TEST_CASE("syntax errors say what was expected and what was found", "[parse]") {
  CHECK(expression_mistakes("f(x y)") == "E0100 1:5 expected `)` or `,`, found `y`");
  CHECK(expression_mistakes("1 +") == "E0100 1:4 expected an expression, found the end of the text");
  CHECK(expression_mistakes("") == "E0100 1:1 expected an expression, found the end of the text");
  CHECK(expression_mistakes("1 2") == "E0100 1:3 expected an operator or the end of the text, found `2`");
  CHECK(expression_mistakes("x[]") == "E0100 1:3 expected an expression, found `]`");
  CHECK(expression_mistakes("sum i x") == "E0100 1:7 expected `:`, found `x`");
  CHECK(expression_mistakes("sum i: x by 3") == "E0100 1:13 expected a schedule, found `3`");
  CHECK(expression_mistakes("sum i: x by seq then") == "E0100 1:21 expected a schedule, found the end of the text");
  CHECK(expression_mistakes("if a { b }") == "E0100 1:11 expected `else`, found the end of the text");
  CHECK(expression_mistakes("{ let a = 1 a }") == "E0100 1:13 expected `;`, found `a`");
  CHECK(expression_mistakes("'(0 x)") == "E0100 1:5 expected a leaf number, a pair or `)`, found `x`");
  CHECK(program_mistakes("fn r(x) = 1") == "E0100 1:7 expected `:`, found `)`");
  CHECK(program_mistakes("fn z(x: 3) -> f32 = 2") == "E0100 1:9 expected a type, found `3`");
  CHECK(program_mistakes("import foo") == "E0100 1:8 expected a string, found `foo`");
  CHECK(program_mistakes("let a = \"x\" \"y\"") == "E0100 1:13 expected an operator or the next item, found a string");
  CHECK(program_mistakes("let a = 1; 2") == "E0100 1:12 expected an item, found `2`");
  CHECK(program_mistakes("1 + 1") == "E0100 1:1 expected an item, found `1`");
  CHECK(program_mistakes("fn sum(x: f32) = x") == "E0100 1:4 expected a name, found `sum`");
}

TEST_CASE("an error at the end of the text is shown where its last word ends", "[parse]") {
  const Parsed parsed = parse_text("1 +  # more\n\n\n", ParseAs::expression);
  CHECK(render_text(parsed.result.diagnostics.at(0), parsed.sources, false) ==
        R"(error[E0100]: expected an expression, found the end of the text
  --> t.rk:1:4
   |
 1 | 1 +  # more
   |    ^ expected an expression
)");
}

TEST_CASE("common slips get a hint", "[parse]") {
  const auto help_of = [](std::string_view text) {
    const Parsed parsed = parse_text(std::string(text), ParseAs::expression);
    REQUIRE(parsed.result.diagnostics.size() == 1);
    const Diagnostic& diagnostic = parsed.result.diagnostics[0];
    return diagnostic.helps.empty() ? std::string() : diagnostic.helps[0];
  };
  CHECK(help_of("x = 3") == "a value is named by `let`: `let x = ...`; equality is written `==`");
  CHECK(help_of("1 + x = 3") == "equality is written `==`");
  CHECK(help_of("x // half of it") == "a comment begins with `#`; `//` divides integers and rounds down");
  CHECK(help_of("load(\"a//b\") y").empty());
  CHECK(help_of("a ** 2") == "a power is written `pow(x, y)`");
  CHECK(help_of("a && b") == "conditions are joined by `and`");
  CHECK(help_of("a || b") == "conditions are joined by `or`");
  CHECK(help_of("!a") == "negation is written `not`");
  CHECK(help_of("a − b") == "a difference is written `-`");
  CHECK(help_of("1. + 2") == "a decimal point stands between digits: `1.0`");
  CHECK(help_of("0x1.8") == "a hexadecimal float has an exponent of two: `0x1.8p+3`");
  CHECK(help_of("sum(x)") == "`sum` runs over an index: `sum i: x[i]`");
  CHECK(help_of("a < b < c") == "write `a < b and b < c`, or use parentheses");
  CHECK(help_of("1 + (0 <= x[i] < n)") == "write `0 <= x[i] and x[i] < n`, or use parentheses");
}

TEST_CASE("a chain of comparisons is told at its second operator, wherever it stands", "[parse]") {
  const std::string message = "comparisons do not chain: unexpected ";
  CHECK(expression_mistakes("x < y < 3") == "E0100 1:7 " + message + "`<`");
  CHECK(expression_mistakes("x +\n  (x < y < 3)") == "E0100 2:10 " + message + "`<`");
  CHECK(expression_mistakes("x * 2 - (x == y != 3)") == "E0100 1:17 " + message + "`!=`");
  CHECK(expression_mistakes("-(0 <= x <= 1)") == "E0100 1:10 " + message + "`<=`");
  CHECK(expression_mistakes("f(1, [x > y > 3])[0] + 1") == "E0100 1:13 " + message + "`>`");
  CHECK(expression_mistakes("not 1 < x < 2 and y") == "E0100 1:11 " + message + "`<`");
  CHECK(expression_mistakes("if 1 < x < 2 { 1 } else { 2 }") == "E0100 1:10 " + message + "`<`");
  CHECK(expression_mistakes("1 + { let a = (1 < x === 2); a }") == "E0100 1:22 " + message + "`===`");
  CHECK(expression_mistakes("sum i: select(0 < x[i] < 1, 1, 0) by seq") == "E0100 1:24 " + message + "`<`");
  CHECK(expression_mistakes("1 + sum i: (0 < x[i] < 1)") == "E0100 1:22 " + message + "`<`");
  // Of a longer chain, once.
  CHECK(expression_mistakes("2 * (a < b < c < d)") == "E0100 1:12 " + message + "`<`");
  CHECK(program_mistakes("fn f(x: f32, y: f32) -> bool = x +\n (x < y < 3)") == "E0100 2:9 " + message + "`<`");
  CHECK(program_mistakes("check f(x) < g(x) < 3 in float") == "E0100 1:19 " + message + "`<`");
  // No chain: parentheses, and `and`.
  CHECK(expression_mistakes("x + ((x < y) == (y < 3))").empty());
  CHECK(expression_mistakes("1 + select(x < y and y < 3, 1, 2)").empty());
}

TEST_CASE("no operator follows a schedule", "[parse]") {
  const std::string expected = "the operator `/` follows a schedule";
  CHECK(expression_mistakes("sum i: x[i] by seq / n") == "E0100 1:20 " + expected);
  CHECK(expression_mistakes("1 + sum i: x[i] by (seq) / n") == "E0100 1:26 " + expected);
  CHECK(expression_mistakes("sum i: x by seq == 3") == "E0100 1:17 the operator `==` follows a schedule");
  const Parsed parsed = parse_text("1 + sum i: x by seq / n", ParseAs::expression);
  REQUIRE(parsed.result.diagnostics.size() == 1);
  CHECK(parsed.result.diagnostics[0].suggestion->replacement == "(sum i: x by seq)");
  CHECK_FALSE(parsed.result.program.result.valid());
}

TEST_CASE("`for` has neither an order nor an `else`", "[parse]") {
  CHECK(expression_mistakes("for i: x[i] by seq") == "E0100 1:13 `for` builds a tensor and takes no order");
  CHECK(expression_mistakes("for i < n: x[i] else 0") == "E0100 1:22 `for` builds a tensor and has no `else`");
}

TEST_CASE("malformed literals", "[parse]") {
  CHECK(expression_mistakes("12abc + 1") == "E0104 1:1 `12abc` is not a number");
  CHECK(expression_mistakes("1e + 1") == "E0104 1:1 `1e` is not a number");
  CHECK(expression_mistakes("1__0") == "E0104 1:1 `1__0` is not a number");
  CHECK(expression_mistakes("0x") == "E0104 1:1 `0x` is not a number");
  CHECK(expression_mistakes("1 + 1e999999") == "E0104 1:5 `1e999999` is too large or too small to be held exactly");
  CHECK(expression_mistakes(R"("a\q")") == "E0104 1:3 this escape is not known");
  CHECK(expression_mistakes("f(\"abc)") == "E0101 1:3 the string has no closing quote");
  CHECK(expression_mistakes("'((0 1 2) 3)") == "E0407 1:3 a pair of a quoted tree has 2 parts, this one has 3");
  CHECK(expression_mistakes("'(0 1.5)") == "E0407 1:5 `1.5` is not the number of a leaf");
}

TEST_CASE("characters without a meaning", "[parse]") {
  CHECK(expression_mistakes("a $ b") == "E0105 1:3 `$` has no meaning here");
  CHECK(expression_mistakes("é + 1") == "E0105 1:1 `é` has no meaning here");
  CHECK(expression_mistakes("漢字") == "E0105 1:1 `漢字` has no meaning here");
}

TEST_CASE("brackets are matched before anything is parsed", "[parse]") {
  CHECK(expression_mistakes("f(x)) + 1") == "E0106 1:5 `)` closes nothing");
  CHECK(expression_mistakes("(1, 2]") == "E0102 1:1 this `(` is not closed");
  const Parsed parsed = parse_text("let a = f([1, 2\nlet b = 3", ParseAs::program);
  REQUIRE(parsed.result.diagnostics.size() == 1);
  CHECK(render_text(parsed.result.diagnostics[0], parsed.sources, false) == R"(error[E0102]: this `[` is not closed
  --> t.rk:1:11
   |
 1 | let a = f([1, 2
   |           ^ opened here
 2 | let b = 3
   | --- expected `]` or `,`
)");
  CHECK(dump(parsed.result.program) == "(let b 3)");
}

TEST_CASE("checks that cannot be meant", "[parse]") {
  CHECK(program_mistakes("check f == g within 4 ulp in float") == "E0100 1:9 `==` has no tolerance");
  CHECK(program_mistakes("check f == g in float in fpsan") == "E0100 1:23 `in` is given twice");
  CHECK(program_mistakes("check f within 0..1 ulp") == "E0100 1:21 a range of values has no unit");
  CHECK(program_mistakes("show f within 3") == "E0100 1:8 `within` belongs to `check`");
  CHECK(program_mistakes("save \"y\" = f trials 3") == "E0100 1:14 `trials` belongs to `check`");
}

TEST_CASE("independent mistakes are all told, and nothing else", "[parse]") {
  const std::string text = R"(fn f(x: f32[n) -> f32 = x
fn g(x: f32[n] -> f32 = x
fn h(x: f32) -> f32 {
  let a = ;
  let b = 3 +* 4;
  let c = 1;
  a +
}
let ok = 1
let bad = 1 2
let s = "abc
check a == b == c
let e = $ + 1
show f(1,,2)
let ok2 = 2
)";
  CHECK(program_mistakes(text) == R"(E0102 1:12 this `[` is not closed
E0102 2:5 this `(` is not closed
E0100 4:11 expected an expression, found `;`
E0100 5:14 expected an expression, found `*`
E0100 8:1 expected an expression, found `}`
E0100 10:13 expected an operator or the next item, found `2`
E0101 11:9 the string has no closing quote
E0100 12:14 comparisons do not chain: unexpected `==`
E0105 13:9 `$` has no meaning here
E0100 14:10 expected an expression, found `,`)");
  CHECK(dump(parse_text(text, ParseAs::program).result.program) == "(let ok 1)\n(let ok2 2)");
}

TEST_CASE("input is unfinished if its first mistake is its end", "[parse]") {
  const auto unfinished = [](std::string_view text) {
    return parse_text(std::string(text), ParseAs::entry).result.incomplete;
  };
  for (const char* text : {"1 +", "f(x", "f(x,", "[1, 2", "{ let a = 1;", "let x =", "fn f(x: f32) {", "fn f(x: f32[n",
                           "(", "sum i:", "sum i: x by", "sum i: x by seq then", "check f == g in", "if a { b }", "not",
                           "'(0 1", "let a = 1\nlet b = (2"}) {
    INFO(text);
    CHECK(unfinished(text));
  }
  for (const char* text : {"", "1", "1;", "let a = 1", "f(x y", "f(x))", "\"abc", "let = ", "1 2", "(1]", "$ +",
                           "show )", "let a = 1 2\nlet b = (2", "sum i: x by seq / 3"}) {
    INFO(text);
    CHECK_FALSE(unfinished(text));
  }
}

TEST_CASE("the grammar's keywords are offered for completion once each", "[parse]") {
  std::vector<std::string> words = keywords();
  // The words in quotes in the grammar, whatever rule they stand in.
  const std::string grammar = test::read_file(test::source_folder() / "grammar" / "Reckon.g4");
  static const std::regex quoted("'([a-z]+)'");
  std::size_t found = 0;
  for (std::sregex_iterator at(grammar.begin(), grammar.end(), quoted), end; at != end; ++at, ++found) {
    INFO((*at)[1]);
    CHECK(std::find(words.begin(), words.end(), (*at)[1]) != words.end());
  }
  CHECK(found > 40);
  std::sort(words.begin(), words.end());
  CHECK(std::adjacent_find(words.begin(), words.end()) == words.end());
}
