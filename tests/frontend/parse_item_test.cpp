#include "parse_helper.h"

using namespace reckon;
using namespace reckon::frontend;
using namespace reckon::frontend::testing;

TEST_CASE("the names of a tuple's parts are items of their own", "[frontend]") {
  CHECK(program("let (a, b) = f(1)\nshow a") == "(let a part 0 of 2 (call f 1))\n(let b part 1 of 2 (call f 1))\n(show a)");
  CHECK(program("let (a) = f(1)") == "(let a (call f 1))");
}

TEST_CASE("the first example of docs/language.md", "[parse]") {
  CHECK(program(R"(
# dot.rk
import "schedules"                                     # beside this file, else from stdlib/

fn dot_seq(x: f32[n], y: f32[n])  -> f32 = sum i: x[i] * y[i] by seq
fn dot_fma(x: f32[n], y: f32[n])  -> f32 = sum i: x[i] * y[i] by fused(seq)
fn dot_wide(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by lanes(128, tree) then tree

check dot_seq == dot_wide in fpsan                      # same algebra: holds
check dot_seq == dot_wide in float for n: {1000}        # same bits: fails, with a witness
check dot_seq ~ dot_wide within bound in float for n: {4096}    # the difference is explained by rounding
show error_growth(lanes(128, tree) then tree, 4096)     # forward-error growth of that order
)") ==
        R"((import "schedules")
(fn dot_seq (x:f32[n] y:f32[n]) -> f32 (sum i (* (index x i) (index y i)) by seq))
(fn dot_fma (x:f32[n] y:f32[n]) -> f32 (sum i (* (index x i) (index y i)) by (call fused seq)))
(fn dot_wide (x:f32[n] y:f32[n]) -> f32 (sum i (* (index x i) (index y i)) by (then (call lanes 128 tree) tree)))
(check equal dot_seq dot_wide (in fpsan))
(check equal dot_seq dot_wide (in float) (sizes n 1000))
(check near dot_seq dot_wide (within bound) (in float) (sizes n 4096))
(show (call error_growth (then (call lanes 128 tree) tree) 4096)))");
}

TEST_CASE("circuits", "[parse]") {
  CHECK(program("fn blocked[b](x: f32[n]) -> f32 = sum i: x[i] by tile(b, seq) then tree") ==
        "(fn blocked[b] (x:f32[n]) -> f32 (sum i (index x i) by (then (call tile b seq) tree)))");
  CHECK(program("fn f[a, b](x: f32[n + 1, 2*m], y: bool) -> (f32, f32[n // 2]) = (x, y)") ==
        "(fn f[a b] (x:f32[(+ n 1) (* 2 m)] y:bool) -> (f32 f32[(// n 2)]) (tuple x y))");
  CHECK(program("fn pi2() = 2 * pi") == "(fn pi2 () (* 2 pi))");
  CHECK(program("fn seed(bound: (f32, f32)) -> f32 { let (a, b) = bound; a + b }") ==
        "(fn seed (bound:(f32 f32)) -> f32 (block (let (a b) bound) (+ a b)))");
  CHECK(program(R"(
fn softmax(x: f32[n]) -> f32[n] {
  let m = max i: x[i];
  let e = for i: exp(x[i] - m);
  let s = sum i: e[i];
  for i: e[i] / s
}
fn online(x: f32[n]) -> (f32, f32) = reduce(merge) i: (x[i], f32(1)) by seq)") ==
        "(fn softmax (x:f32[n]) -> f32[n] (block (let m (max i (index x i))) (let e (for i (call exp (- (index x i) "
        "m)))) "
        "(let s (sum i (index e i))) (for i (/ (index e i) s))))\n"
        "(fn online (x:f32[n]) -> (f32 f32) (reduce with merge i (tuple (index x i) (call f32 1)) by seq))");
}

TEST_CASE("kernels", "[parse]") {
  CHECK(program("kernel small = matmul with tile(64, 64, 16), threads((8, 8):(8, 1)), values(8, 8)") ==
        "(kernel small (tile 64 64 16) (threads (: (tuple 8 8) (tuple 8 1))) (values 8 8) matmul)");
  CHECK(program("kernel f[t] = g[t, 3] with\n  tile(t, t),\n  blocks(2,)\nkernel g = h with threads(32) show g") ==
        "(kernel f[t] (tile t t) (blocks 2) (index g t 3))\n(kernel g (threads 32) h)\n(show g)");
  // A name everywhere else, as `with` is.
  CHECK(program("fn kernel(kernel: f32) -> f32 = kernel + 1 let with = kernel(3)\nkernel kernel = kernel with with(1)") ==
        "(fn kernel (kernel:f32) -> f32 (+ kernel 1))\n(let with (call kernel 3))\n(kernel kernel (with 1) kernel)");
  CHECK(program("show kernel[3]\nlet kernel = for kernel < 3: x[kernel]") ==
        "(show (index kernel 3))\n(let kernel (for kernel<3 (index x kernel)))");
}

TEST_CASE("static definitions", "[parse]") {
  CHECK(program("let canonical(l) = lanes(l, tree) then tree   # WG21 P4016") ==
        "(let canonical[l] () (then (call lanes l tree) tree))");
  CHECK(program(R"(
let numpy = length n: if n < 8 { seq } else { if n <= 128 { if n % 8 == 0 { lanes(8, seq) then tree } else { split(n - 1, numpy, seq) } }
                                              else { split(n // 2 - n // 2 % 8, numpy, numpy) } }  # bit for bit)") ==
        "(let numpy (length n (if (< n 8) (block seq) (block (if (<= n 128) (block (if (== (% n 8) 0) "
        "(block (then (call lanes 8 seq) tree)) (block (call split (- n 1) numpy seq)))) "
        "(block (call split (- (// n 2) (% (// n 2) 8)) numpy numpy)))))))");
  CHECK(program("let f() = 1") == "(let f () 1)");
  CHECK(program("let f = 1") == "(let f 1)");
}

TEST_CASE("checks", "[parse]") {
  CHECK(program("check f == g in fpsan") == "(check equal f g (in fpsan))");
  CHECK(program("check f == g in float for n: {1, 7, 1024}") == "(check equal f g (in float) (sizes n 1 7 1024))");
  CHECK(program("check f ~ g within 4 ulp in float for n: {4096} trials 100 seed 7") ==
        "(check near f g (within ulp 4) (in float) (sizes n 4096) trials 100 seed 7)");
  CHECK(program("check f ~ g within 1e-3") == "(check near f g (within absolute 1/1000))");
  CHECK(program("check f ~ g within relative 1e-6 in float") ==
        "(check near f g (within relative 1/1000000) (in float))");
  CHECK(program("check f ~ y within bound by lanes(4, seq) then tree in float") ==
        "(check near f y (within bound by (then (call lanes 4 seq) tree)) (in float))");
  CHECK(program("check f(x) ~ y within orders by any_tree in float check f ~ g within orders") ==
        "(check near (call f x) y (within orders by any_tree) (in float))\n(check near f g (within orders))");
  // A name everywhere else.
  CHECK(program("let orders = 1 check f ~ g within orders + 1 in float").starts_with("(let orders 1)\n(check near f g (within "));
  CHECK(program("check f ~ g within bound in float for n: {4096}") ==
        "(check near f g (within bound) (in float) (sizes n 4096))");
  CHECK(program("check coalesce((2,4):(1,2)) == 8:1") ==
        "(check truth (== (call coalesce (: (tuple 2 4) (tuple 1 2))) (: 8 1)))");
  CHECK(program("check f(x) within 0..1 in interval for x: -1..1") ==
        "(check within (call f x) (within range 0 1) (in interval) (range x (- 1) 1))");
  CHECK(program("check f == g in float(toward_zero, flush) for n: {1, 7}, x > 0, m: 4") ==
        "(check equal f g (in float toward_zero flush) (sizes n 1 7) (given (> x 0)) (sizes m 4))");
  // The parts after the claim may come in any order; a condition may begin with a word of its own.
  CHECK(program("check f ~ g seed 1 trials 2 for trials > 3, seed: 0..9 in fpsan(v38) within bound") ==
        "(check near f g (within bound) (in fpsan v38) (given (> trials 3)) (range seed 0 9) trials 2 seed 1)");
  CHECK(program("check not a") == "(check truth (not a))");
  CHECK(program("check (a == b) in fpsan") == "(check equal a b (in fpsan))");
}

TEST_CASE("show and save", "[parse]") {
  CHECK(program("show softmax([1, 2, 3]) in interval(f32)") == "(show (call softmax (list 1 2 3)) (in interval f32))");
  CHECK(program("show parens(tree, 5)") == "(show (call parens tree 5))");
  CHECK(program("show f in bound for n: {3}") == "(show f (in bound) (sizes n 3))");
  CHECK(program("save \"y.npy\" = softmax(load(\"x.npy\")) in float") ==
        "(save \"y.npy\" (call softmax (call load \"x.npy\")) (in float))");
}

TEST_CASE("line breaks mean nothing, items need no terminator and may have one", "[parse]") {
  CHECK(program("let a = 1 let b\n=\n2; show a;; show b") == "(let a 1)\n(let b 2)\n(show a)\n(show b)");
  CHECK(program("").empty());
  CHECK(program("# nothing\n\n").empty());
}

TEST_CASE("an entry of the REPL is items or one expression", "[parse]") {
  CHECK(tree_of("let a = 1; show a", ParseAs::entry) == "(let a 1)\n(show a)");
  CHECK(tree_of("a + 1", ParseAs::entry) == "(+ a 1)");
  CHECK(tree_of("  # nothing", ParseAs::entry).empty());
}

TEST_CASE("places of items and their names", "[parse]") {
  const Parsed parsed =
      parse_text("let a = 1\nfn f[b](x: f32[n]) -> f32 = x + 1\ncheck f == g in fpsan(v38)", ParseAs::program);
  const auto& items = parsed.result.program.items;
  REQUIRE(items.size() == 3);
  const auto shown = [&](SourceSpan span) { return parsed.sources.text(span); };
  CHECK(shown(items[0].span) == "let a = 1");
  CHECK(shown(items[1].span) == "fn f[b](x: f32[n]) -> f32 = x + 1");
  CHECK(shown(items[1].name_span) == "f");
  CHECK(shown(items[1].static_parameter_spans.at(0)) == "b");
  CHECK(shown(items[1].parameters.at(0).span) == "x");
  CHECK(shown(items[1].parameters.at(0).type.span) == "f32[n]");
  CHECK(shown(items[2].relation_span) == "==");
  CHECK(shown(items[2].semantics->span) == "fpsan(v38)");
}

TEST_CASE("accuracy profiles", "[parse]") {
  CHECK(program(R"(profile p {
  formats f32, f16
  flush inputs, outputs may
  overflow indeterminate
  add, min : rounded
  exp(x), approx.exp2(x) in f32, f16 : ulps(3 + 2 * abs(x)) for x < 80, x: 1..2 or 3..4 else anything for abs(x): 0..2
  max(x, y) = x + y
  neg : exact
})") == R"((profile p (formats f32 f16) (flush inputs outputs =may =may) (overflow =indeterminate)
  (rule add min : rounded)
  (rule exp(x) approx.exp2(x) in:f32 in:f16 : (call ulps (+ 3 (* 2 (call abs x)))) (for < x 80) (for x 1 .. 2 3 .. 4) : anything (for abs x 0 .. 2))
  (rule max(x y) = (+ x y))
  (rule neg : exact)))");
  CHECK(program("profile q = p with { evaluate ends }") == "(profile q with p (evaluate =ends))");
  CHECK(program("profile r { exp2(x) :  # a comment\n ulps(1)\n\n # another\n else exact; neg : exact\n; }") ==
        "(profile r\n  (rule exp2(x) : (call ulps 1) : exact)\n  (rule neg : exact))");
  CHECK(program_mistakes("profile s { add : exact mul : exact }").starts_with("E0100 1:25 "));
  CHECK(program("profile empty {}\nlet a = 1") == "(profile empty)\n(let a 1)");
}

TEST_CASE("the words of profiles are names elsewhere, and a condition's `for` encloses nothing", "[parse]") {
  CHECK(program("let formats = 1\nlet flush(overflow, evaluate) = with") ==
        "(let formats 1)\n(let flush[overflow evaluate] () with)");
  CHECK(program("builtin fn f(x: f32) = x") == "builtin (fn f (x:f32) x)");
  CHECK(program("fn f(x: f32) -> f32 approximates exp = x") == "(fn f (x:f32) -> f32 approximates exp x)");
  CHECK(program("fn approximates() approximates approximates = approximates") ==
        "(fn approximates () approximates approximates approximates)");
  // More rules with conditions than brackets may nest.
  CHECK(program("profile p {" + repeated(" exp(x) : ulps(1) for x > 0;", 2000) + "}").size() > 2000);
}
