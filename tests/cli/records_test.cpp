// `type complex = (re: f32, im: f32)`: types with named parts, and parameters that are tuples.
#include "tests/cli/npy.h"
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

constexpr const char* complex_numbers = R"(
type complex = (re: f32, im: f32)
fn mul(a: complex, b: complex) -> complex = complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
fn conj(z: complex) = complex(z.re, -z.im)
fn norm2(z: complex) -> f32 = z.re * z.re + z.im * z.im
fn of_product(a: complex, b: complex) -> f32 = norm2(mul(a, b))
fn of_norms(a: complex, b: complex) -> f32 = norm2(a) * norm2(b)
fn dot(x: complex[n], y: complex[n]) -> complex = sum i: mul(conj(x[i]), y[i]) by seq
fn squares(x: complex[n]) -> complex[n] = for i: mul(x[i], x[i])
)";

RunResult with_complex(const std::string& items, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", "-"});
  return reckon_here(more, complex_numbers + items + "\n");
}

std::string value_of(const std::string& expression) {
  const RunResult run = with_complex("show " + expression);
  INFO(expression << run.err);
  CHECK(run.status == 0);
  return run.out;
}

}  // namespace

// By hand, and as Python's complex numbers have them: (1+2j)*(3+4j) = -5+10j.
TEST_CASE("the parts of a type are taken by their names") {
  CHECK(value_of("mul(complex(1, 2), complex(3, 4))") == "(-5  f32#c0a00000, 10  f32#41200000)\n");
  CHECK(value_of("mul((1, 2), (3, 4)).im") == "10  f32#41200000\n");
  CHECK(value_of("norm2(conj((3, 4)))") == "25  f32#41c80000\n");
  CHECK(value_of("conj((3, 4)).im") == "-4  f32#c0800000\n");  // its result's type is not stated
  CHECK(value_of("dot(([1, 2], [0, 1]), ([1, 2], [0, 1])).re") == "6  f32#40c00000\n");
  CHECK(value_of("squares(([0, 1], [1, 1])).re[0]") == "-1  f32#bf800000\n");
  CHECK(value_of("(reduce(mul) i < 4: complex(0, 1)).re") == "1  f32#3f800000\n");
  CHECK(value_of("(sum i < 3: complex(1, f32(i))).im") == "3  f32#40400000\n");
  CHECK(value_of("(reduce(add) i < 3: complex(1, f32(i))).im") == "3  f32#40400000\n");
  CHECK(value_of("iterate(2, conj, complex(1, 2)).im") == "2  f32#40000000\n");
  CHECK(value_of("(for i < 2: complex(f32(i), 7)).im[1]") == "7  f32#40e00000\n");
  CHECK(value_of("{ let (z, s) = (complex(1, 2), f32(3)); z.im * s }") == "6  f32#40c00000\n");
  CHECK(value_of("complex") == "type complex = (re: f32, im: f32)\n");
}

TEST_CASE("a type has static parameters, and other types as parts") {
  const RunResult run = reckon_here({"run", "-"}, R"(
type pair[T] = (a: T, b: T)
type ends[n] = (low: pair[f64], row: f32[n])
fn both[T](p: pair[T]) -> T = p.a + p.b
fn total(e: ends[n]) -> f64 = e.low.b + f64(sum i: e.row[i] by seq)
let e: ends[3] = ((1, 2), [3, 4, 5])
show both[f16]((1, 2))
show total(e)
show e.low.a
show total(ends[2](pair[f64](1, 2), [3, 4]))
)");
  CHECK(run.err.empty());
  CHECK(run.out == "3  f16#4200\n14  f64#402c000000000000\n1  f64#3ff0000000000000\n9  f64#4022000000000000\n");
}

TEST_CASE("a parameter that is a tuple is checked, called and compiled part by part") {
  RunResult run = with_complex("check of_product == of_norms in algebra");
  CHECK(run.out == "holds     check of_product == of_norms in algebra  (proved)\n");
  run = with_complex("check norm2(z) within 0..2 in interval for z: -1..1");
  CHECK_THAT(run.out, StartsWith("holds") && Contains("proved"));
  run = with_complex("check norm2(z) - (z.re * z.re + z.im * z.im) within 0..0 in exact for z: -1..1");
  CHECK_THAT(run.out, StartsWith("holds"));
  run = with_complex("check norm2(z) within 0..1.5 in exact for z: -1..1");
  CHECK_THAT(run.out, StartsWith("fails") && Contains("z.re = ") && Contains("z.im = "));
  for (const char* on : {"interp", "host"}) {
    run = reckon_here({"call", "-", "--fn", "mul", std::string("--on=") + on, "--arg", "a.re=1", "--arg", "a.im=2", "--arg", "b.re=3",
                       "--arg", "b.im=4"},
                      complex_numbers);
    INFO(on << run.err);
    CHECK(run.out == "(-5  f32#c0a00000, 10  f32#41200000)\n");
  }
  run = reckon_here({"compile", "-", "--fn", "dot", "--target=ptx", "--emit=ptx", "-o", "-"}, complex_numbers);
  CHECK_THAT(run.out, Contains(".visible .entry"));
  run = reckon_here({"run", "-"}, "fn f(t: (f32, f32[n])) -> f32 { let (a, v) = t; a * (sum i: v[i]) }\ncheck f == f in float\n");
  CHECK_THAT(run.out, StartsWith("holds"));
}

TEST_CASE("a mistake with a type's parts is one message") {
  struct Row {
    const char *item, *message;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"fn f(z: complex) -> f32 = z.real", "`complex` has no part `real`"},
           {"fn f(z: f32) -> f32 = z.re", "a value of type `f32` has no part `re`"},
           {"fn f(z: complex) -> f32 = z", "the result of `f` has type `f32`, and this is `(f32, f32)`"},
           {"fn f(x: f32) -> complex = complex(x)", "`complex` takes 2 arguments and was given 1"},
           {"fn f(x: f64) -> complex = complex(x, 1)", "`re` of `complex` has type `f32`"},
           {"type t = (x: f32, x: f32)", "two parts are named `x`"},
           {"type t = (x: nothing)", "there is no type `nothing`"},
           {"type t = (x: t)", "`t` is defined by itself"},
           {"type t = f32", "expected `(`, found `f32`"},
           {"type mul = (x: f32, y: f32)", "`mul` is defined twice"},
           {"type t[d] = (x: f32[d])\nfn f(x: t) -> f32 = x.x[0]", "`t` takes 1 static argument in brackets and was given 0"},
           {"type t = (x: f32[n] @ (n,):(1,))", "how elements lie in memory is said of parameters and results alone"},
           {"fn f(x: f32) -> f32 = x.exp()", "`exp(x)`"}}) {
    const RunResult run = with_complex(row.item);
    INFO(row.item << "\n" << run.err);
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains(row.message));
    CHECK(run.err.find("error[") == run.err.rfind("error["));
  }
  // A part may have a name that belongs to objects elsewhere.
  CHECK(reckon_here({"run", "-"}, "type t = (T: f32, shape: f32)\nfn f(x: t) -> f32 = x.T + x.shape\nshow f((1, 2))\n").out ==
        "3  f32#40400000\n");
  CHECK(reckon_here({"run", "-"}, "let type = 4\nshow type\n").out == "4\n");
}

TEST_CASE("the type that is stated gives the ranges of indices that never stand alone") {
  const RunResult run = reckon_here({"run", "-"}, R"(
fn pool(x: f32[h, w]) -> f32[h // 2, w // 2] = for i, j: (sum a < 2, b < 2: x[2*i + a, 2*j + b]) / 4
fn nested(x: f32[m, n]) -> f32[m, n - 1] { let y = x + x; for i: for j: y[i, j + 1] - x[i, j + 0] }
fn bound(x: f32[n]) -> f32 { let y: f32[n - 2] = for i: x[i + 2] - x[i + 1 - 1]; sum i: y[i] by seq }
let even: f32[3] = for i: f32(2 * i)
show pool(for i < 4, j < 4: f32(i * 4 + j))
show nested([[1, 2, 4]])
show bound([1, 2, 4, 8])
show even
)");
  CHECK(run.err.empty());
  CHECK(run.out == "[[2.5, 4.5],\n [10.5, 12.5]]\n[[3, 6]]\n9  f32#41100000\n[0, 2, 4]\n");
  CHECK_THAT(reckon_here({"run", "-"}, "fn f(x: f32[n]) -> f32 = sum i: x[i + 1]\n").err, Contains("index `i` has no range"));
}
