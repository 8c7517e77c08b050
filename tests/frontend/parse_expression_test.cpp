#include "parse_helper.h"

using namespace reckon;
using namespace reckon::frontend;
using namespace reckon::frontend::testing;

TEST_CASE("operators bind as docs/language.md says", "[parse]") {
  CHECK(expression("1 + 2 * 3") == "(+ 1 (* 2 3))");
  CHECK(expression("(1 + 2) * 3") == "(* (+ 1 2) 3)");
  CHECK(expression("a - b - c") == "(- (- a b) c)");
  CHECK(expression("a / b * c // d % e") == "(% (// (* (/ a b) c) d) e)");
  CHECK(expression("-a * b") == "(* (- a) b)");
  CHECK(expression("a * -b") == "(* a (- b))");
  CHECK(expression("- - a") == "(- (- a))");
  CHECK(expression("-x[i]") == "(- (index x i))");
  CHECK(expression("-f(x)") == "(- (call f x))");
  CHECK(expression("2*i + 1 < n") == "(< (+ (* 2 i) 1) n)");
  CHECK(expression("not a == b and c or d") == "(or (and (not (== a b)) c) d)");
  CHECK(expression("a or b and not c") == "(or a (and b (not c)))");
  CHECK(expression("not not a") == "(not (not a))");
  CHECK(expression("a <= b") == "(<= a b)");
  CHECK(expression("a === b") == "(=== a b)");
  CHECK(expression("a != -1") == "(!= a (- 1))");
  CHECK(expression("1 << 2 + 3") == "(<< 1 (+ 2 3))");
  CHECK(expression("a & b | c xor d << 1") == "(| (& a b) (xor c (<< d 1)))");
  CHECK(expression("a & b == c") == "(== (& a b) c)");
  CHECK(expression("approx.exp2(x) -approx.rcp(y)") == "(- (call approx.exp2 x) (call approx.rcp y))");
  CHECK(expression("approx..n") == "(.. approx n)");
  CHECK(expression("-1..1 + 1") == "(.. (- 1) (+ 1 1))");
  CHECK(expression("a then b or c then d") == "(then (then a (or b c)) d)");
}

TEST_CASE("literals", "[parse]") {
  CHECK(expression("1_000") == "1000");
  CHECK(expression("2.0") == "2.");
  CHECK(expression("0.5") == "1/2");
  CHECK(expression("1e3") == "1000.");
  CHECK(expression("1e-3") == "1/1000");
  CHECK(expression("0x1f") == "31");
  CHECK(expression("0x1.8p+3") == "12.");
  CHECK(expression("0x1p-1") == "1/2");
  CHECK(expression("123456789012345678901234567890") == "123456789012345678901234567890");
  CHECK(expression("true") == "true");
  CHECK(expression("[false, 1..2]") == "(list false (.. 1 2))");
  CHECK(expression(R"("a\"b\\c\n")") == "\"a\"b\\c\n\"");
  CHECK(expression("\"π\"") == "\"π\"");
  CHECK(expression("[]") == "(list)");
}

TEST_CASE("bit patterns have exactly the digits of their format, all else is a comment", "[parse]") {
  CHECK(expression("f32#3fc00000 + f32#40200000") == "(+ f32#3fc00000 f32#40200000)");
  CHECK(expression("f64#0123456789ABCDEF") == "f64#123456789abcdef");
  CHECK(expression("bf16#3f80 * f16#3c00") == "(* bf16#3f80 f16#3c00)");
  CHECK(expression("f8e4m3#7e / f8e5m2#7f") == "(/ f8e4m3#7e f8e5m2#7f)");
  CHECK(expression("f6e3m2#1f") == "f6e3m2#1f");
  CHECK(expression("f6e2m3#20 + f4e2m1#07") == "(+ f6e2m3#20 f4e2m1#7)");
  CHECK(expression("tf32#3fc00000") == "tf32#3fc00000");
  CHECK(expression("f32#3fc0000") == "f32");        // 7 digits
  CHECK(expression("f32#3fc000000 + 1") == "f32");  // 9 digits
  CHECK(expression("f32#3fc00000g") == "f32");
  CHECK(expression("f32 #3fc00000") == "f32");
  CHECK(expression("xf32#3fc00000") == "xf32");
  CHECK(expression("f32# comment\n+ 1") == "(+ f32 1)");
  CHECK(expression("f16#3c00g comment\n+ 1") == "(+ f16 1)");
  const Parsed parsed = parse_text("f16#3c00g comment\n+ 1", ParseAs::expression);
  CHECK(parsed.result.program.expressions.front().span == SourceSpan{0, 0, 3});
}

TEST_CASE("calls, subscripts and static arguments", "[parse]") {
  CHECK(expression("f()") == "(call f)");
  CHECK(expression("blocked[64](x)") == "(call (index blocked 64) x)");
  CHECK(expression("x[i, j]") == "(index x i j)");
  CHECK(expression("f(x)[i]") == "(index (call f x) i)");
  CHECK(expression("[1, 2, 3][i]") == "(index (list 1 2 3) i)");
  CHECK(expression("max(a, b)") == "(call max a b)");
  CHECK(expression("min(a, b,)") == "(call min a b)");
  CHECK(expression("random(f32[n], 7)") == "(call random (index f32 n) 7)");
}

TEST_CASE("parentheses, tuples, shapes and layouts", "[parse]") {
  CHECK(expression("((a))") == "a");
  CHECK(expression("(a,)") == "(tuple a)");
  CHECK(expression("()") == "(tuple)");
  CHECK(expression("(a, b)") == "(tuple a b)");
  CHECK(expression("(4, 8):(8, 1)") == "(: (tuple 4 8) (tuple 8 1))");
  CHECK(expression("((2,4),3):((1,2),8)") == "(: (tuple (tuple 2 4) 3) (tuple (tuple 1 2) 8))");
  CHECK(expression("8:1") == "(: 8 1)");
  CHECK(expression("a+b:c*d") == "(: (+ a b) (* c d))");
  CHECK(expression("coalesce((2,4):(1,2)) == 8:1") == "(== (call coalesce (: (tuple 2 4) (tuple 1 2))) (: 8 1))");
  CHECK(expression("complement((2,2):(1,6), 24)") == "(call complement (: (tuple 2 2) (tuple 1 6)) 24)");
  CHECK(expression("for i: (4:1)(i)") == "(for i (call (: 4 1) i))");
  CHECK(expression("for i < n: 4:1") == "(for i<n (: 4 1))");

  const Parsed parsed = parse_text("(8):8", ParseAs::expression);
  const Program& tree = parsed.result.program;
  CHECK(tree[tree[tree.result].children[0]].parenthesised);
  CHECK_FALSE(tree[tree[tree.result].children[1]].parenthesised);
}

TEST_CASE("binders reach as far right as they can", "[parse]") {
  CHECK(expression("sum i: x[i] * y[i] + 1") == "(sum i (+ (* (index x i) (index y i)) 1))");
  CHECK(expression("1 + sum i: x[i] == 2") == "(+ 1 (sum i (== (index x i) 2)))");
  CHECK(expression("for i, j: sum p: a[i, p] * b[p, j] by fused(seq)") ==
        "(for i j (sum p (* (index a i p) (index b p j)) by (call fused seq)))");
  CHECK(expression("for i < n: sum j < i + 1: x[j]") == "(for i<n (sum j<(+ i 1) (index x j)))");
  CHECK(expression("for i < -n * (m // 2) % f(3)[k], j: 1") ==
        "(for i<(% (* (- n) (// m 2)) (index (call f 3) k)) j 1)");
  CHECK(expression("max i: x[i]") == "(max i (index x i))");
  CHECK(expression("max(a, b) + min i: x[i]") == "(+ (call max a b) (min i (index x i)))");
  CHECK(expression("prod i: x[i]") == "(prod i (index x i))");
  CHECK(expression("reduce(merge) i: (x[i], f32(1)) by seq") ==
        "(reduce with merge i (tuple (index x i) (call f32 1)) by seq)");
  CHECK(expression("reduce(max) i: x[i]") == "(reduce with max i (index x i))");
  CHECK(expression("scan(add) i: x[i] by blelloch") == "(scan with add i (index x i) by blelloch)");
  CHECK(expression("not sum i: x") == "(not (sum i x))");
  CHECK(expression("f(sum i: x, 3)") == "(call f (sum i x) 3)");
}

TEST_CASE("`by` takes one schedule and belongs to the nearest binder", "[parse]") {
  CHECK(expression("sum i: x[i] by tile(b, seq) then tree") == "(sum i (index x i) by (then (call tile b seq) tree))");
  CHECK(expression("sum i: x by a then b then c") == "(sum i x by (then (then a b) c))");
  CHECK(expression("sum i: x by (a then b) then c") == "(sum i x by (then (then a b) c))");
  CHECK(expression("sum i: x by '(((0 1) 2) 3)") == "(sum i x by '(((0 1) 2) 3))");
  CHECK(expression("sum i: x by (length n: if n < 8 { seq } else { tree })") ==
        "(sum i x by (length n (if (< n 8) (block seq) (block tree))))");
  CHECK(expression("sum i: sum j: x by a by b") == "(sum i (sum j x by a) by b)");
  CHECK(expression("(sum i: x[i] by seq) / f32(n)") == "(/ (sum i (index x i) by seq) (call f32 n))");
  CHECK(expression("sum i: x by f(a)(b)") == "(sum i x by (call (call f a) b))");
  CHECK(expression("sum i: x by length") == "(sum i x by length)");
}

TEST_CASE("`else` after the order stands in for an empty reduction", "[parse]") {
  CHECK(expression("sum i < n: x[i] by seq else 0") == "(sum i<n (index x i) by seq else 0)");
  CHECK(expression("sum i < n: x[i] else f32(0) + 1") == "(sum i<n (index x i) else (+ (call f32 0) 1))");
  CHECK(expression("sum i: sum j: x else 1 else 2") == expression("sum i: (sum j: x else (1)) else 2"));
  CHECK(expression("sum i: if c { a } else { b } by seq else 0") == "(sum i (if c (block a) (block b)) by seq else 0)");
}

TEST_CASE("schedules as values", "[parse]") {
  CHECK(expression("parens(lanes(4, tree) then tree, 12)") == "(call parens (then (call lanes 4 tree) tree) 12)");
  CHECK(expression("arrange((k, _):(1, k), seq)") == "(call arrange (: (tuple k _) (tuple 1 k)) seq)");
  CHECK(expression("length n: tile(n // 2, seq) then tree") == "(length n (then (call tile (// n 2) seq) tree))");
  CHECK(expression("'0") == "'0");
  CHECK(expression("'((0 1) (2 3)) then tree") == "(then '((0 1) (2 3)) tree)");
}

TEST_CASE("conditionals and blocks", "[parse]") {
  CHECK(expression("if a < b { 1 } else { 2 }") == "(if (< a b) (block 1) (block 2))");
  CHECK(expression("if a { 1 } else if b { 2 } else { 3 }") == "(if a (block 1) (if b (block 2) (block 3)))");
  CHECK(expression("1 + if a { 1 } else { 2 } * 3") == "(+ 1 (* (if a (block 1) (block 2)) 3))");
  CHECK(expression("{ let (a, b) = t; let c = a; c }") == "(block (let (a b) t) (let c a) c)");
  CHECK(expression("{ let (a,) = t; a }") == "(block (let (a) t) a)");
  CHECK(expression("for i: { let d = x[i] - m; d * d }") == "(for i (block (let d (- (index x i) m)) (* d d)))");
}

TEST_CASE("words with one place of their own are names elsewhere", "[parse]") {
  CHECK(expression("length + ulp * relative - bound / trials % seed") ==
        "(- (+ length (* ulp relative)) (% (/ bound trials) seed))");
  CHECK(expression("length(x)") == "(call length x)");
  CHECK(expression("length length: length") == "(length length length)");
  CHECK(expression("sum seed < trials: x[seed]") == "(sum seed<trials (index x seed))");
  CHECK(expression("tree") == "tree");
  CHECK(expression("by + then * 2") == "(+ by (* then 2))");
  std::string same = expression("sum I: x[I] * T by I(2) then T");
  for (std::size_t at = 0; (at = same.find_first_of("IT", at)) != std::string::npos;)
    same.replace(at, 1, same[at] == 'I' ? "by" : "then");
  CHECK(expression("sum by: x[by] * then by by(2) then then") == same);
}

TEST_CASE("places of expressions and their operators", "[parse]") {
  const Parsed parsed = parse_text("# π\n(a + b) * f(c)", ParseAs::expression);
  const Program& tree = parsed.result.program;
  const Expr& product = tree[tree.result];
  const auto shown = [&](SourceSpan span) { return parsed.sources.text(span); };
  CHECK(shown(product.span) == "(a + b) * f(c)");
  CHECK(shown(product.operator_span) == "*");
  CHECK(shown(tree[product.children[0]].span) == "a + b");
  CHECK(shown(tree[product.children[1]].span) == "f(c)");
  CHECK(shown(tree[product.children[1]].operator_span) == "f");
}

TEST_CASE("a byte order mark and other line breaks are passed over", "[parse]") {
  CHECK(expression("\xEF\xBB\xBF"
                   "1 +\r\n\t2\f") == "(+ 1 2)");
}
