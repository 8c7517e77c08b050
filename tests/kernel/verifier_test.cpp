// Each rule of the verifier is broken by a program that breaks no other, and kept by its neighbour.
#include "kernel/verifier.h"

#include <catch2/catch.hpp>

#include "diagnostics/codes/ir_invalid.h"
#include "kernel/builder.h"
#include "kernel/parser.h"
#include "kernel/printer.h"
#include "tests/kernel/every_operation.h"
#include "tests/kernel/random_program.h"
#include "tests/support/files.h"

namespace {

using namespace reckon;
using namespace reckon::kernel;
using namespace reckon::test;

std::vector<Diagnostic> problems(const std::string& text) {
  auto program = parse_kernels("widths f64 8, f32 4 " + text);
  if (!program) FAIL(program.error().message << " in " << text);
  return verify(*program);
}

/// What is wrong with a kernel of 128 threads with these statements; empty: nothing.
std::string problem(const std::string& statements) {
  const auto found = problems(
      "kernel k(x: global f32 given, y: global f32 kept, z: global index, w: global u32, n: index, c: flag, v: f32) "
      "threads 128 {\n"
      "%90 = thread\n%91 = block\n" +
      statements + "\n}");
  if (found.size() > 1) return "several: " + found[0].message + "; " + found[1].message;
  return found.empty() ? "" : found[0].message;
}

}  // namespace

TEST_CASE("what is right passes") {
  const auto program = parse_kernels(every_operation);
  REQUIRE(program);
  for (const Diagnostic& each : verify(*program)) FAIL_CHECK(each.message << " " << each.notes[0]);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const Diagnostic& each : verify(RandomProgram(seed).program())) {
      FAIL_CHECK(seed << ": " << each.message << " " << each.notes[0]);
    }
  }
}

TEST_CASE("the example of docs/kernel_ir.md is right, and as it is printed") {
  const std::string page = read_file(source_folder() / "docs/kernel_ir.md");
  const std::size_t begin = page.find("```\nwidths") + 4;
  const std::string text = page.substr(begin, page.find("```", begin) - begin);
  const auto program = parse_kernels(text);
  REQUIRE(program);
  CHECK(print(*program) == text);
  CHECK(verify(*program).empty());
}

TEST_CASE("a diagnostic has the operation and its function") {
  const auto found = problems("kernel k(n: index) { %0 = thread %1 = shared 8 at 49152 : index }");
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == code::ir_invalid);
  CHECK(found[0].message == "`shared` ends at byte 49160 of shared memory, which has 49152");
  CHECK(found[0].notes == std::vector<std::string>{"in kernel `k`: `%1 = shared 8 at 49152 : index`"});
}

TEST_CASE("operands are defined before, in regions around") {
  CHECK(problem("if c { %1 = add n, 1 } store z[0] = %1") == "`store` has an operand 3 that is not defined there");
  CHECK(problem("if c { %1 = add n, 1 store z[0] = %1 if c { store z[1] = %1 } }") == "");
  CHECK(problem("for %1 = 0 to 4 step 1 { } store z[0] = %1") == "`store` has an operand 3 that is not defined there");
  CHECK(problem("if c { %1 = add n, 1 } %2 = if c { yield %1 } else { yield 1 }") ==
        "`if` yields what is not defined there");
  Program program;
  Function& made = program.functions.emplace_back();
  made.name = "k";
  Builder b(program);
  b.set_region(&made.body);
  const Value thread = b.thread();
  b.add(thread, b.index(1));
  CHECK(verify(program).empty());
  std::swap(made.body.operations[0], made.body.operations[1]);
  const auto found = verify(program);
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "`add` has an operand 1 that is not defined there");
  CHECK(found[0].notes[0] == "in kernel `k`: `%0 = add %1, 1`");
  made.body.operations = {0, 1, 1};
  REQUIRE(verify(program).size() == 1);
  CHECK(verify(program)[0].message == "`add` has a result that is defined already");
}

TEST_CASE("operands and results fit") {
  CHECK(problem("%1 = add n") == "`add` has 1 operands, not 2");
  CHECK(problem("%1 = add n, c") == "`add` operand 2 is a `flag`, not a `index`");
  CHECK(problem("%1 = eq c, c") == "`eq` operand 1 is a `flag`, not a `index`");
  CHECK(problem("%1 = extend n") == "`extend` operand 1 is a `index`, not a `flag`");
  CHECK(problem("%1 = select n, n, n") == "`select` operand 1 is a `index`, not a `flag`");
  CHECK(problem("%1 = select c, n, v") == "`select` operand 3 is a `f32`, not a `index`");
  CHECK(problem("%1 = fma.f32 v, v") == "`apply` has 2 operands, not 3");
  CHECK(problem("%1 = mul.f64 v, v") == "`apply` operand 1 is a `f32`, not a `f64`");
  CHECK(problem("%1 = less.f32 v, v") == "`apply` result 1 is a `f32`, not a `bool`");
  CHECK(problem("%1, %2 = apply_rounded exp2.f32.to.f16 v, v") == "");
  CHECK(problem("%1 = apply_rounded log.f32.to.bf16 v") == "`apply_rounded` must be of exp or exp2");
  CHECK(problem("%1 = apply_rounded exp.f64.to.bf16 v") == "`apply_rounded` must be of f32");
  CHECK(problem("%1 = apply_rounded exp.f32.to.f64 v") == "`apply_rounded` must give bf16 or f16");
  CHECK(problem("%1 = apply_rounded exp.f32.to.bf16 n") == "`apply_rounded` operand 1 is a `index`, not a `f32`");
  CHECK(problem("%1 = bits v") == "`bits` operand 1 is a `f32`, not a `f64`");
  CHECK(problem("%1 = divide_unusual n, n") == "`divide_unusual` operand 1 is a `index`, not a number");
  CHECK(problem("%1 = may_be_wrong v, zero(sizes f32)") == "`may_be_wrong` operand 1 is a `f32`, not a divisor");
  CHECK(problem("%1 = leaf v, v @3") == "`leaf` operand 2 is a `f32`, not a `index`");
  CHECK(problem("%1 = load n[0]") == "`load` operand 1 is not memory");
  CHECK(problem("%1 = load x[c]") == "`load` operand 2 is a `flag`, not a `index`");
  CHECK(problem("store y[0] = n") == "`store` operand 3 is a `index`, not a `f32`");
  CHECK(problem("%1 = stack -1 : f32") == "`stack` has a negative size or place");
  CHECK(problem("%1 = arrive y[0], 3") == "`arrive` operand 1 is a `global f32 kept`, not a `global u32 kept`");
  CHECK(problem("%1 = shared 8 at 0 : i32 atomic_add %1[1], v") == "`atomic_add` operand 3 is a `f32`, not a `i32`");
  CHECK(problem("atomic_add y[1], v") == "`atomic_add` operand 1 is not shared memory of numbers");
  CHECK(problem("%1, %2 = peers v") == "`peers` operand 1 is a `f32`, not a `index`");
  CHECK(problem("%1, %2, %3, %4 = mma_f64 v, v, v, v, v, v, v, v") == "`mma_f64` operand 1 is a `f32`, not a `index`");
  CHECK(problem("%1, %2, %3, %4 = mma_f64 n, v, v, v, v, v, v, v") == "`mma_f64` operand 2 is a `f32`, not a `f64`");
  CHECK(problem("%1, %2, %3 = mma_f64 n, f64(0), f64(0), f64(0), f64(0), f64(0), f64(0), f64(0)") ==
        "`mma_f64` has 3 results, not 4");
  CHECK(problem("%1 = lt %90, 3 if %1 { warp_barrier }") ==
        "`warp_barrier` stands where not all threads of the warp come");
  CHECK(problem("%1 = shuffle_xor v, 32") == "`shuffle_xor` bits are from 1 to 31");
  CHECK(problem("%1 = barrier_or n") == "`barrier_or` operand 1 is a `index`, not a `flag`");
  CHECK(problem("%1 = await_previous n") == "`await_previous` operand 1 is a `index`, not memory");
  CHECK(problems("kernel k() { call f(1) } function f(%0: f32) { }")[0].message ==
        "`call` operand 1 is a `index`, not a `f32`");
  CHECK(problems("kernel k() { %0 = call f() : index } function f() { }")[0].message == "`call` has 1 results, not 0");
  CHECK(problems("kernel k() { call k() }")[0].message == "`call` calls a kernel");
  CHECK(problems("kernel k() -> index { yield 1 }")[0].message == "a kernel yields values");
}

TEST_CASE("regions yield what their operation carries") {
  CHECK(problem("%1 = for %2 = 0 to n step 1 carry %3 = 0 { yield v }") == "`for` yield 1 is a `f32`, not a `index`");
  CHECK(problem("%1 = for %2 = 0 to n step 1 carry %3 = 0 { }") == "`for` has 0 yields, not 1");
  CHECK(problem("%1 = for %2 = v to n step 1 carry %3 = 0 { yield 1 }") == "`for` operand 1 is a `f32`, not a `index`");
  CHECK(problem("%1 = while carry %2 = 0 { yield 1 } do %3 { yield 1 }") ==
        "`while` yield 1 is a `index`, not a `flag`");
  CHECK(problem("%1 = while carry %2 = 0 { yield false } do %3 { }") == "`while` has 0 yields, not 1");
  CHECK(problem("%1 = if c { yield 1 } else { yield v }") == "`if` yield 1 is a `f32`, not a `index`");
  CHECK(problem("%1 = if c { yield 1 }") == "`if` has 0 yields, not 1");
  CHECK(problem("if n { }") == "`if` operand 1 is a `index`, not a `flag`");
}

TEST_CASE("a loop runs at least once, upward") {
  CHECK(problem("for %1 = 4 to 4 step 1 { }") == "`for` begins at 4, which is not below 4");
  CHECK(problem("for %1 = 0 to 4 step 0 { }") == "`for` has a step that is not positive");
  CHECK(problem("for %1 = -4 to 4 step 1 { }") == "");
}

TEST_CASE("barriers stand where all threads of the block come") {
  const std::string wrong = "`barrier` stands where not all threads of the block come";
  CHECK(problem("barrier") == "");
  CHECK(problem("if c { barrier }") == "");
  CHECK(problem("%1 = lt %91, n if %1 { barrier }") == "");
  CHECK(problem("%1 = lt %90, n if %1 { barrier }") == wrong);
  CHECK(problem("%1 = lt %90, 64 if %1 { barrier }") == wrong);
  CHECK(problem("%1 = lt %90, n %2 = barrier_or %1 if %2 { barrier }") == "");
  CHECK(problem("for %1 = 0 to n step 1 { barrier }") == "");
  CHECK(problem("for %1 = %90 to n step 1 { barrier }") == wrong);
  CHECK(problem("for %1 = 0 to n step 1 { %2 = lt %1, 3 if %2 { barrier } }") == "");
  CHECK(problem("%0 = while carry %1 = 0 { %2 = lt %1, n yield %2 } do %3 { barrier %4 = add %3, 1 yield %4 }") == "");
  CHECK(problem("%0 = while carry %1 = 0 { %2 = lt %1, n yield %2 } do %3 { barrier %4 = add %3, %90 yield %4 }") ==
        wrong);
  CHECK(problem("%1 = load z[0] %2 = lt %1, 1 if %2 { barrier }") == "");
  CHECK(problem("%1 = load z[0] %2 = lt %1, 1 if %2 { barrier } store z[0] = 1") == wrong);
  CHECK(problem("%1 = load z[%90] %2 = lt %1, 1 if %2 { barrier }") == wrong);
  CHECK(problem("%0 = shared 64 at 0 : index %1 = load %0[0] %2 = lt %1, 1 if %2 { barrier }") == "");
  CHECK(problem("%0 = stack 8 : index %1 = load %0[0] %2 = lt %1, 1 if %2 { barrier }") == wrong);
  CHECK(problem("%1 = arrive w[0], 3 if %1 { barrier }") == wrong);
  CHECK(problem("%1 = arrive w[0], 3 %2 = barrier_or %1 if %2 { barrier }") == "");
  CHECK(problem("%1 = lt %90, n %2 = if %1 { yield true } else { yield false } if %2 { barrier }") == wrong);
  CHECK(problem("%1, %5 = for %2 = 0 to 9 step 1 carry %3 = 0, %4 = 0 { %6 = lt %3, 1 if %6 { barrier } "
                "yield %4, %90 }") == wrong);
  CHECK(problem("%1 = lt %90, n if %1 { %2 = barrier_or c }") ==
        "`barrier_or` stands where not all threads of the block come");
  CHECK(problems("kernel k() { call f() } function f() { barrier }")[0].message == wrong);
}

TEST_CASE("shuffles stand where all threads of the warp come") {
  const std::string wrong = "`shuffle_xor` stands where not all threads of the warp come";
  const auto under = [&](const std::string& condition) {
    return problem(condition + " if %1 { %2 = shuffle_xor v, 16 }");
  };
  CHECK(under("%1 = lt %90, n") == wrong);
  CHECK(under("%1 = lt %90, 64") == "");
  CHECK(under("%1 = lt %90, 48") == wrong);
  CHECK(under("%1 = gt %90, 31") == "");
  CHECK(under("%1 = eq %90, 0") == wrong);
  CHECK(under("%0 = lshr %90, 5 %1 = eq %0, 0") == "");
  CHECK(under("%0 = lshr %90, 4 %1 = eq %0, 0") == wrong);
  CHECK(under("%0 = udiv %90, 64 %1 = lt %0, n") == "");
  CHECK(under("%0 = udiv %90, 48 %1 = lt %0, n") == wrong);
  CHECK(under("%0 = and %90, -32 %1 = lt %0, n") == "");
  CHECK(under("%0 = urem %90, 64 %3 = lshr %0, 5 %1 = eq %3, 0") == "");
  CHECK(under("%0 = urem %90, 48 %3 = lshr %0, 5 %1 = eq %3, 0") == wrong);
  CHECK(under("%0 = mul %90, 32 %3 = lshr %0, 5 %1 = eq %3, 0") == wrong);
  CHECK(under("%0 = shuffle_xor v, 1 %3 = to_flag bool(true) %1 = select %3, c, c") == "");
  CHECK(problem("%0 = lshr %90, 5 for %1 = %0 to n step 4 { %2 = shuffle_xor v, 1 }") == "");
  // As often for all threads of a warp if first, limit and step are a warp's but for the first one's lowest bits.
  const auto in_loop = [&](const std::string& head) { return problem(head + " { %2 = shuffle_xor v, 1 }"); };
  CHECK(in_loop("for %1 = %90 to 256 step 64") == "");
  CHECK(in_loop("%0 = add %90, 32 for %1 = %0 to 256 step 32") == "");
  CHECK(in_loop("for %1 = %90 to 250 step 64") == wrong);
  CHECK(in_loop("for %1 = %90 to 256 step 60") == wrong);
  CHECK(in_loop("for %1 = %90 to n step 64") == wrong);
  CHECK(in_loop("%0 = mul %90, 2 for %1 = %0 to 256 step 64") == wrong);
  CHECK(problem("for %1 = %90 to 256 step 64 { %3 = lshr %1, 5 %4 = eq %3, 0 if %4 { %2 = shuffle_xor v, 1 } }") == "");
  CHECK(problem("for %1 = %90 to 256 step 64 { %4 = eq %1, 0 if %4 { %2 = shuffle_xor v, 1 } }") == wrong);
  CHECK(problem("for %1 = %90 to 256 step 64 { barrier }") ==
        "`barrier` stands where not all threads of the block come");
  CHECK(problem("%0 = lshr %90, 5 for %1 = %0 to n step 4 { barrier }") ==
        "`barrier` stands where not all threads of the block come");
}

TEST_CASE("accesses stay inside of arrays of known bytes") {
  const auto with = [&](const std::string& access) { return problem("%1 = shared 512 at 0 : f32 " + access); };
  CHECK(with("store %1[%90] = v") == "");
  CHECK(with("%2 = add %90, 1 store %1[%2] = v") == "`store` is at bytes 4 to 515 of an array that has 512");
  CHECK(with("%2 = sub %90, 1 %3 = load %1[%2]") == "`load` is at bytes -4 to 507 of an array that has 512");
  CHECK(with("%2 = add %90, 1 %3 = min %2, 127 store %1[%3] = v") == "");
  CHECK(with("%2 = add %90, 1 %3 = and %2, 127 store %1[%3] = v") == "");
  CHECK(with("%2 = urem n, 128 store %1[%2] = v") == "");
  // A condition may exclude what would be outside, unless everything is.
  CHECK(with("%2 = add %90, 1 %3 = lt %2, 128 if %3 { store %1[%2] = v }") == "");
  CHECK(with("if c { store %1[128] = v }") == "`store` is at bytes 512 to 515 of an array that has 512");
  CHECK(with("%2 = mul %90, 4 %3, %4 = load_vector %1[%2]") ==
        "`load_vector` is at bytes 0 to 2039 of an array that has 512");
  CHECK(with("for %2 = 0 to 128 step 4 { %3, %4, %5, %6 = load_vector %1[%2] }") == "");
  CHECK(with("for %2 = 0 to 129 step 4 { %3, %4, %5, %6 = load_vector %1[%2] }") ==
        "`load_vector` is at bytes 0 to 527 of an array that has 512");
  CHECK(with("%2 = advance %1, 256 store %2[63] = v") == "");
  CHECK(with("%2 = advance %1, 256 store %2[64] = v") == "`store` is at bytes 512 to 515 of an array that has 512");
  CHECK(with("store %1[n] = v") == "");
  CHECK(with("store %1[%90 + 1] = v") == "`store` is at bytes 4 to 515 of an array that has 512");
  CHECK(with("%2 = min %90, 126 store %1[%2 + 1] = v") == "");
  CHECK(problem("%1 = stack 4 : f64 clear %1, 4") == "");
  CHECK(problem("%1 = stack 4 : f64 clear %1, 5") == "`clear` is at bytes 0 to 39 of an array that has 32");
  CHECK(problem("%1 = table [1, 2] %2 = load %1[2]") == "`load` is at bytes 16 to 23 of an array that has 16");
}

TEST_CASE("shared memory is limited, and what is given stays") {
  CHECK(problem("%1 = shared 49152 at 0 : f32") == "");
  CHECK(problem("%1 = shared 49152 at 4 : f32") == "`shared` ends at byte 49156 of shared memory, which has 49152");
  const auto program = parse_kernels("kernel k() { %0 = shared 49152 at 4 : f32 }");
  REQUIRE(program);
  CHECK(verify(*program, {64 * 1024}).empty());
  CHECK(problem("store x[0] = v") == "`store` changes memory that is given");
  CHECK(problem("store_vector x[0] = v, v") == "`store_vector` changes memory that is given");
  CHECK(problem("clear x, 4") == "`clear` changes memory that is given");
  CHECK(problem("store y[0] = v") == "");
}
