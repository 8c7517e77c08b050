// Mistakes in IR text are E0710 at their places.
#include <catch2/catch.hpp>
#include <limits>

#include "diagnostics/codes/ir_syntax.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "tests/ir/random_circuit.h"

using namespace reckon;
using namespace reckon::ir;

namespace {

struct Mistake {
  std::string text;
  std::string place;
  std::string message;
};

std::string in_function(const std::string& statements, const std::string& result = "f32") {
  return "fn f[n](x: f32[n], a: f32) -> " + result + " {\n" + statements + "}\n";
}

}  // namespace

TEST_CASE("mistakes have places and plain sentences") {
  const std::vector<Mistake> mistakes{
      {"fm f", "fm", "`fm` stands where `fn` is expected"},
      {"fn f() -> f31 {}", "f31", "`f31` stands where a type is expected"},
      {"fn f(", "", "the text ends where a name is expected"},
      {in_function("yield b\n"), "b", "there is no parameter `b`"},
      {in_function("yield %v3\n"), "%v3", "`%v3` has no value here"},
      {in_function("%v0: f32 = frob a\nyield %v0\n"), "frob", "`frob` is not an operation of printed IR"},
      {in_function("%v0: f64 = neg a\nyield %v0\n"), "%v0", "`%v0` is said to be `f64` and is `f32`"},
      {in_function("%v0: f32 = add a\nyield %v0\n"), "add", "`add` takes 2 operands and has 1"},
      {in_function("%v0: f32 = add a, f64(1)\nyield %v0\n"), "add", "operands of `add` have types `f32` and `f64`"},
      {in_function("%v0: bool = less true, false\nyield %v0\n"), "less",
       "operand 1 of `less` must be a number, and is a `bool`"},
      {in_function("%v0: f32 = add x, a\nyield %v0\n"), "add", "operand 1 of `add` is no scalar"},
      {in_function("yield x[%0]\n"), "%0", "`%0` is not an index variable that is bound here"},
      {in_function("yield x[0, 1]\n"), "[", "a value of type `f32[n]` has no elements with 2 subscripts"},
      {in_function("yield a.0\n"), ".", "a value of type `f32` has no part 0"},
      {in_function("yield %4\n"), "%4", "`%4` is not an operand of an operation around"},
      {in_function("yield @7\n"), "7", "there is no parameter 7"},
      {in_function("yield f32(1/0)\n"), "0", "a denominator is 0"},
      {in_function("yield f32#123\n"), "f32#123", "`f32#123` is not a bit pattern of a format"},
      {in_function("yield u32(4294967296)\n", "u32"), "4294967296", "a `u32` is an integer from 0 to 4294967295"},
      {in_function("yield u32(pi*1)\n", "u32"), "pi", "a `u32` is an integer from 0 to 4294967295"},
      {in_function("%v0: u32 = bit_and u32(1), a\nyield %v0\n", "u32"), "bit_and",
       "operands of `bit_and` have types `u32` and `f32`"},
      {in_function("%v0: f32 = bits a\nyield %v0\n"), "bits",
       "`bits` must give the `u32` of a float, or the `u64` of an `f64`"},
      {in_function("yield number(nan)\n"), "nan", "only float formats have infinities and NaNs"},
      {in_function("yield x[99999999999999999999]\n"), "99999999999999999999",
       "`99999999999999999999` does not fit in 64 bits"},
      {in_function("%v0: f32 = loop %0 < n with %1 = a { yield a }\nyield %v0\n"), "%0",
       "the state of a `loop` must be a tensor, or a tuple of scalars and tensors"},
      {in_function("%v0: f32[n] = loop %0 < n with %1 = x { yield a }\nyield %v0[0]\n"), "%0",
       "the states of a `loop` must be of one type"},
      {in_function("%v0: f32 = reduce add %0 < n by tile(2, seq) { yield x[%0] }\nyield %v0\n"), "tile",
       "a stage stands where a schedule is needed"},
      {in_function("%v0: f32 = reduce add %0 < n by seq then tree { yield x[%0] }\nyield %v0\n"), "seq",
       "a schedule stands before `then`, which takes a stage"},
      {in_function("%v0: f32[n] = map %0 < %0 { yield x[%0] }\nyield %v0\n"), "%0",
       "`%0` is not an index variable that is bound here"},
      {in_function("%v0: f32[n] = map %0 < n { %v1: f32[n] = map %0 < n { yield a }\nyield a }\nyield %v0\n"), "%0",
       "`%0` is bound already"},
      {in_function("%v0: f32 = neg a\n%v0: f32 = neg a\nyield %v0\n"), "%v0", "`%v0` has a value already"},
      {in_function("%v0: f32[2, 2] = array a, a, a\nyield %v0\n"), "array",
       "these 3 elements do not make a `f32[2, 2]`"},
      {in_function("require n == 3 else E9999 \"no\"\nyield a\n"), "E9999",
       "`E9999` stands where the code of a diagnostic is expected"},
      {"schedule s = seq\nschedule s = tree\n", "s", "the schedule `s` is defined already, as another one"},
      {in_function("%v0: f32 = call g a\nyield %v0\n"), "g", "there is no callee `g` here"},
      {"callee g fn g(x: f32) -> f32 { yield x }\n" + in_function("%v0: f32 = call g a, a\nyield %v0\n"), "g",
       "`g` takes 1 arguments and is given 2"},
      {"callee g fn g(x: f64) -> f64 { yield x }\n" + in_function("%v0: f64 = call g a\nyield %v0\n"), "g",
       "argument 1 of `g` is a `f32` and should be a `f64`"},
      {"callee g fn g(x: f32) -> f32 { yield x }\ncallee g fn g(x: f32) -> f32 { yield x }\n", "fn",
       "there is a callee `g` already"},
      {in_function("yield a\n") + "~", "~", "`~` stands where `fn` is expected"},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.text);
    Module module;
    const auto result = parse_ir(module, mistake.text, 0);
    REQUIRE_FALSE(result);
    const Diagnostic& error = result.error();
    CHECK(error.code == code::ir_syntax);
    CHECK(error.message == mistake.message);
    const SourceSpan span = error.primary.span;
    CHECK(mistake.text.substr(span.begin, span.end - span.begin) == mistake.place);
  }
}

TEST_CASE("minus signs in index expressions") {
  Module m;
  IndexStore& ix = m.indices();
  const IndexId n = ix.dimension(m.symbol("n"));
  auto read = [&](const std::string& text) {
    const auto parsed = parse_ir(m, "fn f[n](x: f32[n]) -> f32 { yield x[" + text + "] }");
    if (!parsed) FAIL(parsed.error().message);
    return m[parsed->front().body].indices[0];
  };
  auto number = [&](std::int64_t value) { return ix.constant(value); };
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  CHECK(read("-7 // n") == ix.floor_div(number(-7), n));
  CHECK(read("-n // 2") == ix.floor_div(ix.negate(n), number(2)));
  CHECK(read("n - 7 // n") == ix.subtract(n, ix.floor_div(number(7), n)));
  CHECK(read("n - 2*n % 3") == ix.subtract(n, ix.floor_mod(ix.multiply(number(2), n), number(3))));
  CHECK(read("n - 0 % n") == ix.subtract(n, ix.floor_mod(number(0), n)));
  CHECK(read("n - n // 2*3") == ix.subtract(n, ix.multiply(ix.floor_div(n, number(2)), number(3))));
  CHECK(read("-9223372036854775808") == number(least));
  CHECK(read("-9223372036854775808*n") == ix.multiply(number(least), n));
  CHECK(read("n - 9223372036854775808") == ix.add(n, number(least)));
}

TEST_CASE("hostile text is refused without harm") {
  Module module;
  for (const char* open : {"(", "[", "not ", "-", "min(", "{"}) {
    std::string text = "fn f[n](x: f32[n]) -> f32 { yield x[";
    for (int k = 0; k < 100'000; ++k) text += open;
    CHECK_FALSE(parse_ir(module, text));
  }
  std::string types = "fn f(x: ";
  for (int k = 0; k < 100'000; ++k) types += "(";
  CHECK_FALSE(parse_ir(module, types));
  std::string stages = "schedule s = ";
  for (int k = 0; k < 100'000; ++k) stages += "length %0: ";
  CHECK_FALSE(parse_ir(module, stages));
  // A quoted tree may be as deep as it has leaves.
  std::string tree = "schedule deep = '";
  for (int k = 0; k < 50'000; ++k) tree += "(";
  tree += "0";
  for (int k = 1; k <= 50'000; ++k) tree += " " + std::to_string(k) + ")";
  CHECK(parse_ir(module, tree));
}

TEST_CASE("text that is cut short or damaged is refused or read, and never crashes") {
  std::mt19937_64 random(7);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Module module;
    const std::string text = print(module, ir::testing::RandomCircuit(module, seed).make());
    for (int trial = 0; trial < 40; ++trial) {
      std::string damaged = text;
      const std::size_t place = random() % text.size();
      switch (random() % 4) {
        case 0: damaged.resize(place); break;
        case 1: damaged.erase(place, 1 + random() % 5); break;
        case 2: damaged[place] = static_cast<char>(32 + random() % 95); break;
        default: std::swap(damaged[place], damaged[random() % text.size()]); break;
      }
      Module other;
      const auto result = parse_ir(other, damaged);
      if (!result) CHECK_FALSE(result.error().message.empty());
    }
  }
}
