// Printing then parsing gives the same program.
#include <catch2/catch.hpp>

#include <set>

#include "diagnostics/codes/ir_syntax.h"
#include "kernel/parser.h"
#include "kernel/printer.h"
#include "tests/kernel/every_operation.h"
#include "tests/kernel/random_program.h"
#include "tests/kernel/same_program.h"

namespace {

using namespace reckon;
using namespace reckon::kernel;
using namespace reckon::test;

Program parsed(std::string_view text) {
  auto out = parse_kernels(text);
  if (!out) {
    const std::size_t at = out.error().primary.span.begin;
    FAIL(out.error().message << " at `" << text.substr(at, text.find('\n', at) - at) << "`");
  }
  return std::move(*out);
}

}  // namespace

TEST_CASE("a program with every operation is printed as it was written") {
  const Program program = parsed(every_operation);
  CHECK(print(program) == every_operation);
  std::set<Op> found;
  for (const Operation& operation : program.operations) found.insert(operation.op);
  CHECK(found.size() == static_cast<std::size_t>(Op::call) + 1);
  CHECK(difference(program, parsed(print(program))) == "");
}

TEST_CASE("random programs are read as they were built") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Program built = RandomProgram(seed).program();
    const std::string text = print(built);
    CAPTURE(text);
    const Program read = parsed(text);
    REQUIRE(difference(built, read) == "");
    REQUIRE(print(read) == text);
  }
}

TEST_CASE("comments and line breaks do not matter") {
  const Program program =
      parsed("kernel f(x: global f32 kept)\n{ ; nothing\n store x[0] =\n f32(1) store x[1] = f32(2) }");
  CHECK(print(program) == "kernel f(x: global f32 kept) {\n  store x[0] = f32(1)\n  store x[1] = f32(2)\n}\n");
}

TEST_CASE("an operation has a line of its own") {
  const Program program = parsed("kernel f(n: index) {\n  %0 = for %1 = 0 to n step 2 carry %2 = 7 { yield %1 }\n}\n");
  const Function& function = program.functions[0];
  CHECK(operation_text(program, function, function.body.operations[0]) == "%0 = for %1 = 0 to n step 2 carry %2 = 7");
}

TEST_CASE("what is no text of a kernel is refused at its place") {
  struct Wrong {
    std::string text, place, message;
  };
  const Wrong wrong[] = {
      {"kernel f() { %0 = frob 1 }", "frob", "`frob` is not an operation"},
      {"kernel f() { %0 = add %1, 1 }", "%1", "`%1` has no value here"},
      {"kernel f() { %0 = thread %0 = thread }", "%0 = thread }", "`%0` has a value already"},
      {"kernel f() { %0, %1 = thread }", "thread }", "`thread` gives 1 values, and 2 are named"},
      {"kernel f() { barrier", "", "the text ends where an operation is expected"},
      {"kernel f(x: f33) { }", "f33", "`f33` stands where a number type is expected"},
      {"kernel f(x: f32) { %0 = frob.f32 x }", "frob", "`frob` is not an operation on numbers"},
      {"kernel f() { call g() }", "g()", "there is no function `g`"},
      {"kernel f() { call g() } function g @1() { } function g @2() { }", "g()", "there are several functions `g`"},
      {"function g @2() { }", "g @2", "this is function 0 of the program"},
      {"function g() -> f32 { yield 1 }", "->", "the function yields other types than it says"},
      {"kernel f() { %0 = select true, rounded(f16#12345), f16(1) }", "f16#12345",
       "`f16#12345` is not a bit pattern of a number type"},
      {"kernel f() { %0 = add 99999999999999999999, 1 }", "99999999999999999999",
       "`99999999999999999999` does not fit in 64 bits"},
      {"widths f32 300", "300", "a number has at most 255 bytes"},
  };
  for (const Wrong& each : wrong) {
    CAPTURE(each.text);
    const auto out = parse_kernels(each.text, 0);
    REQUIRE(!out);
    CHECK(out.error().code == code::ir_syntax);
    CHECK(out.error().message == each.message);
    CHECK(each.text.substr(out.error().primary.span.begin, std::max<std::size_t>(each.place.size(), 1)) == each.place);
  }
}

TEST_CASE("a text that nests too deeply is refused") {
  std::string text = "kernel f(c: flag) {";
  for (int k = 0; k < 5000; ++k) text += " if c {";
  const auto out = parse_kernels(text);
  REQUIRE(!out);
  CHECK(out.error().message == "brackets are nested too deeply");
}
