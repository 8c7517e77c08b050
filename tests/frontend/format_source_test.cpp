// Formatting changes white space only, gives what it gives again when it is repeated, and does what its page says.
#include "frontend/format_source.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "ast_dump.h"
#include "frontend/parse.h"
#include "tests/support/files.h"
#include "tests/support/white_space.h"

using namespace reckon;
using namespace reckon::frontend;

namespace {

std::string formatted(const std::string& text) {
  SourceMap sources;
  FormattedSource out = format_source(sources, sources.add("text", text));
  for (const Diagnostic& diagnostic : out.diagnostics) INFO(diagnostic.message);
  REQUIRE(out.diagnostics.empty());
  return std::move(out.text);
}

std::string meaning(const std::string& text) {
  SourceMap sources;
  const ParseResult parsed = parse(sources, sources.add("text", text), ParseAs::program);
  REQUIRE(parsed.diagnostics.empty());
  return testing::dump(parsed.program);
}

bool has_mistakes(const std::string& text) {
  SourceMap sources;
  return !parse(sources, sources.add("text", text), ParseAs::program).diagnostics.empty();
}

/// Formats the text, and checks that the meaning stays and that a second time changes nothing.
std::string checked(const std::string& text) {
  const std::string once = formatted(text);
  INFO(text);
  CHECK(meaning(once) == meaning(text));
  CHECK(formatted(once) == once);
  return once;
}

struct Form {
  const char *before, *after;
};

}  // namespace

TEST_CASE("formatting keeps the meaning of every program of this repository") {
  std::mt19937 random(1);
  std::size_t files = 0;
  for (const char* folder : {"stdlib", "examples", "tests", "docs", "bench"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_folder() / folder)) {
      if (entry.path().extension() != ".rk") continue;
      const std::string text = test::read_file(entry.path());
      if (has_mistakes(text)) continue;
      INFO(entry.path().string());
      checked(text);
      // In a profile a line break ends an entry.
      if (text.find("profile") == std::string::npos) checked(test::scrambled(text, random));
      ++files;
    }
  }
  CHECK(files > 60);
}

TEST_CASE("the programs that people read first are formatted") {
  for (const char* folder : {"stdlib", "examples"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_folder() / folder)) {
      if (entry.path().extension() != ".rk") continue;
      INFO(entry.path().string());
      const std::string text = test::read_file(entry.path());
      CHECK(formatted(text) == text);
    }
  }
}

TEST_CASE("spaces between tokens") {
  const Form forms[] = {
      {"let x=1", "let x = 1\n"},
      {"let(a,b)=( 1,2 )show a", "let (a, b) = (1, 2)\nshow a\n"},
      {"fn f( x:f32[n] ,y : f32 [n] )->f32=sum i:x [ i ]*y[i]by seq",
       "fn f(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by seq\n"},
      {"show -x", "show -x\n"},
      {"show - - x - -1", "show --x - -1\n"},
      {"show (4,8) : (8,1)", "show (4, 8):(8, 1)\n"},
      {"show 2*i+1", "show 2 * i + 1\n"},
      {"check f==g for n:{1,2} , x : -1 .. 1", "check f == g for n: {1, 2}, x: -1..1\n"},
      {"check f(x) in interval for x: -2*pi..x+1", "check f(x) in interval for x: -2 * pi .. x + 1\n"},
      {"show (2,3):4*k", "show (2, 3) : 4 * k\n"},
      {"let t = ' ( 0 ( 1 2 ) )", "let t = '(0 (1 2))\n"},
      {"let s = lanes (32 , tree)@ warp then seq", "let s = lanes(32, tree) @warp then seq\n"},
      {"fn f(a:f32[m,k]@(m,k):(1,m))->f32=0", "fn f(a: f32[m, k] @ (m, k):(1, m)) -> f32 = 0\n"},
      {"fn f[b](x: f32)->f32={let y=x;y}", "fn f[b](x: f32) -> f32 = { let y = x; y }\n"},
      {"fn f() -> (f32,f32) = (1,2)", "fn f() -> (f32, f32) = (1, 2)\n"},
      {"let p = (1 ,)", "let p = (1,)\n"},
      {"show f () in interval ( f32 )", "show f() in interval(f32)\n"},
      {"show f in bound(any(depth :12,lanes:32))", "show f in bound(any(depth: 12, lanes: 32))\n"},
      {"fn f(x: f32[n]) -> f32 = sum i: x[i] by any ( lanes:32 )",
       "fn f(x: f32[n]) -> f32 = sum i: x[i] by any(lanes: 32)\n"},
      {"show reduce ( merge ) i:x[i]", "show reduce(merge) i: x[i]\n"},
      {"show not(a and(b or c))", "show not (a and (b or c))\n"},
      {"show min(1,2)+(min i:x[i])", "show min(1, 2) + (min i: x[i])\n"},
      {"kernel k=f with tile ( 1,2 ),values(3 , 4)", "kernel k = f with tile(1, 2), values(3, 4)\n"},
      {"show f32#3fc00000+u32 # 7", "show f32#3fc00000 + u32  # 7\n"},
      {"check f~g within 4 ulp in float", "check f ~ g within 4 ulp in float\n"},
      {"builtin  fn f()=1", "builtin fn f() = 1\n"},
      {"check bound(tile(k,seq) then tree,n)<=u for all  n , k",
       "check bound(tile(k, seq) then tree, n) <= u for all n, k\n"},
      {"fn f(x:f32)->f32  approximates  exp=x", "fn f(x: f32) -> f32 approximates exp = x\n"},
      {"type  complex=( re:f32,im : f32 )", "type complex = (re: f32, im: f32)\n"},
      {"type pair [ T ]=(a:T,)fn f( z:pair[f32] )->f32=z.a*z.a",
       "type pair[T] = (a: T,)\nfn f(z: pair[f32]) -> f32 = z.a * z.a\n"},
  };
  for (const Form& form : forms) CHECK(checked(form.before) == form.after);
}

TEST_CASE("lines, indentation and comments") {
  const Form forms[] = {
      {"", ""},
      {"\n\n# only this  \n\n\n", "# only this\n"},
      {"let x = 1 show x", "let x = 1\nshow x\n"},
      {"let x = 1; show x;", "let x = 1;\nshow x;\n"},
      {"let x = 1\n;show x", "let x = 1;\nshow x\n"},
      {"let x = 1\n\n\n\nlet y = 2\r\nlet z = 3", "let x = 1\n\nlet y = 2\nlet z = 3\n"},
      {"fn f(x: f32) -> f32 =\nx +\n        1", "fn f(x: f32) -> f32 =\n  x +\n  1\n"},
      {"fn f(x: f32) -> f32 {\nlet y = x\n+ 1;\n# half\ny\n}", "fn f(x: f32) -> f32 {\n  let y = x\n    + 1;\n  # half\n  y\n}\n"},
      {"let m = [[1, 2],\n[3, 4]]", "let m = [[1, 2],\n         [3, 4]]\n"},
      {"let m = [\n1,\n2\n]", "let m = [\n  1,\n  2\n]\n"},
      {"let s = length n:\nif n < 8 { seq }\nelse { if n < 9 { seq }\nelse { tree } }",
       "let s = length n:\n  if n < 8 { seq }\n  else { if n < 9 { seq }\n         else { tree } }\n"},
      {"show f(x) # a\nshow longer(x)  #   b\n\nshow g # c",
       "show f(x)       # a\nshow longer(x)  #   b\n\nshow g  # c\n"},
      {"show f( # first\nx)", "show f(  # first\n  x)\n"},
      {"  # above\n  show x # beside\n  # below", "# above\nshow x  # beside\n# below\n"},
      {"profile p {\nformats f32\nsin(x): ulps(2)\n     cos(x):\n ulps(3)\n}",
       "profile p {\n  formats f32\n  sin(x) : ulps(2)\n  cos(x) :\n    ulps(3)\n}\n"},
  };
  for (const Form& form : forms) CHECK(checked(form.before) == form.after);
}

TEST_CASE("a text with mistakes is not formatted") {
  SourceMap sources;
  const FormattedSource out = format_source(sources, sources.add("text", "let x = \nshow  1"));
  REQUIRE(out.diagnostics.size() == 1);
  CHECK(out.text.empty());
}
