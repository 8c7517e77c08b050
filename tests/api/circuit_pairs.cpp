#include "tests/api/circuit_pairs.h"

namespace reckon::test {

using namespace reckon::circuit;

std::vector<CircuitPair> circuit_pairs() {
  std::vector<CircuitPair> out;
  const Size n("n"), m("m"), k("k");
  const auto add = [&](const auto& circuit, std::string text, std::vector<std::string> arguments) {
    out.push_back({circuit.name(), circuit.definition(), std::move(text), std::move(arguments)});
  };
  const auto x = in<f32>("x", n), y = in<f32>("y", n);
  const auto a = in<f32>("a", m, k);

  add(fn("dot", in<f32>("x", n), in<f32>("y", n),
         [](Vector<f32> u, Vector<f32> v) {
           Index i;
           return sum(i, u(i) * v(i)).by(lanes(128, tree).then(tree));
         }),
      "fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by lanes(128, tree) then tree",
      {"random(f32[1000], 1)", "random(f32[1000], 2)"});

  const Index i("i"), j("j"), l("l");
  add(fn("matmul", in<f32>("a", m, k), in<f32>("b", k, n),
         [&](auto p, auto q) {
           return each({i, j}, sum(l, p(i, l) * q(l, j)).by(fused(seq)));
         }),
      "fn matmul(a: f32[m, k], b: f32[k, n]) = for i, j: sum l: a[i, l] * b[l, j] by fused(seq)",
      {"random(f32[5, 7], 1)", "random(f32[7, 3], 2)"});

  add(fn("softmax", x,
         [&](auto v) {
           const auto top = let("top", max(i, v(i)));
           const auto powers = each(i, exp(v(i) - top));
           return each(i, powers(i) / sum(j, powers(j)));
         }),
      "fn softmax(x: f32[n]) { let top = max i: x[i]; let powers = for i: exp(x[i] - top); "
      "for i: powers[i] / (sum j: powers[j]) }",
      {"random(f32[100], 1)"});

  add(fn("arithmetic", in<f32>("s"), in<f32>("t"),
         [](auto s, auto t) { return -(s + 2.5) * (t - s) / (1 + s * s) % 3 - fma(s, t, 0.1) + abs(-t); }),
      "fn arithmetic(s: f32, t: f32) = -(s + 2.5) * (t - s) / (1 + s * s) % 3 - fma(s, t, 0.1) + abs(-t)",
      {"f32(0.3)", "f32(-1.7)"});

  add(fn("literals", in<f16>("s"),
         [](auto s) {
           return s * 0.1 + 1e-3 * s - Constant(1) / 3 + constants::pi * s + 0x1.8p-3_r * s + -0.0 +
                  s * std::numeric_limits<double>::infinity();
         }),
      "fn literals(s: f16) = s * 0.1 + 1e-3 * s - 1/3 + pi * s + 0x1.8p-3 * s + -0.0 + s * inf", {"f16(0.3)"});

  add(fn("functions", in<f64>("s"),
         [](auto s) {
           return sqrt(s) + rsqrt(s) + exp2(s) + expm1(s) + log1p(s) + sin(s) * cos(s) + atan2(s, 2) + pow(2, s) +
                  hypot(s, s) + clamp(s, 0, 1) + copysign(s, -1) + floor(s) + round(s) + erf(s) + ldexp(s, 3) +
                  minnum(s, 0.25) + maxnum(0.5, s) + sign(s) + cbrt(s) + trunc(s) + ceil(s) + tanh(s);
         }),
      "fn functions(s: f64) = sqrt(s) + rsqrt(s) + exp2(s) + expm1(s) + log1p(s) + sin(s) * cos(s) + atan2(s, 2) + "
      "pow(2, s) + hypot(s, s) + clamp(s, 0, 1) + copysign(s, -1) + floor(s) + round(s) + erf(s) + ldexp(s, 3) + "
      "minnum(s, 0.25) + maxnum(0.5, s) + sign(s) + cbrt(s) + trunc(s) + ceil(s) + tanh(s)",
      {"f64(0.7)"});

  add(fn("choices", in<f32>("s"), in<f32>("t"),
         [](auto s, auto t) {
           return select((s < t && !(s == 0)) || t >= 3, max(s, t), min(s, 0.0)) + select(s != t, s, 1);
         }),
      "fn choices(s: f32, t: f32) = select(s < t and not (s == 0) or t >= 3, max(s, t), min(s, 0.0)) + select(s != t, "
      "s, 1)",
      {"f32(0.3)", "f32(0.5)"});

  add(fn("whole_tensors", x, y, [](auto u, auto v) { return select(u > v, u * 2 + v, exp(u) - 1) / max(v, 0.5); }),
      "fn whole_tensors(x: f32[n], y: f32[n]) = select(x > y, x * 2 + y, exp(x) - 1) / max(y, 0.5)",
      {"random(f32[9], 1)", "random(f32[9], 2)"});

  add(fn("all_reductions", x,
         [&](auto v) {
           return sum(i, v(i)).by(seq) + prod(i, v(i)).by(tree) - min(i, v(i)) * max(i, v(i)).by(halving);
         }),
      "fn all_reductions(x: f32[n]) = (sum i: x[i] by seq) + (prod i: x[i] by tree) - (min i: x[i]) * (max i: x[i] by "
      "halving)",
      {"random(f32[9], 1)"});

  add(fn("below", x, [&](auto v) { return each(i < n, sum(j < i, v(j)).by(tree).otherwise(0)); }),
      "fn below(x: f32[n]) = for i < n: sum j < i: x[j] by tree else 0", {"random(f32[9], 1)"});

  add(fn("neighbours", x, [&](auto v) { return each(i < n, v(max(i - 1, 0)) + 2 * v(i) + v(min(i + 1, n - 1))); }),
      "fn neighbours(x: f32[n]) = for i < n: x[max(i - 1, 0)] + 2 * x[i] + x[min(i + 1, n - 1)]",
      {"random(f32[9], 1)"});

  add(fn("flat", a,
         [&](auto p) {
           return sum({i, j}, p(i, j)).by(seq) / cast<f32>(m * k);
         }),
      "fn flat(a: f32[m, k]) -> f32 = (sum i, j: a[i, j] by seq) / f32(m * k)", {"random(f32[3, 4], 1)"});

  add(fn("divided", x,
         [&](auto v) {
           return each({i < n / 4, j < 4}, v(4 * i + j) * v((4 * i + j) % n));
         }),
      "fn divided(x: f32[n]) = for i < n // 4, j < 4: x[4 * i + j] * x[(4 * i + j) % n]", {"random(f32[12], 1)"});

  add(fn("prefixes", x, [&](auto v) { return scan(op::add, i, v(i) * v(i)).by(blelloch); }),
      "fn prefixes(x: f32[n]) = scan(add) i: x[i] * x[i] by blelloch", {"random(f32[9], 1)"});

  add(fn("positive_sum", x, [&](auto v) { return sum(i, v(i) * v(i)).where(v(i) > 0.25 && i > 1).by(tree); }),
      "fn positive_sum(x: f32[n]) = sum i where x[i] > 0.25 and i > 1: x[i] * x[i] by tree", {"random(f32[9], 1)"});

  add(fn("largest_small", x, [&](auto v) { return max(i, v(i)).where(v(i) < 0).otherwise(-2); }),
      "fn largest_small(x: f32[n]) = max i where x[i] < 0: x[i] else -2", {"random(f32[9], 1)"});

  add(fn("horner", x,
         [&](auto v) {
           return fold([](auto state, auto c) { return state * 2 + c; }, cast<f32>(Constant(0)), i, v(i));
         }),
      "fn next(a: f32, b: f32) -> f32 = a * 2 + b\nfn horner(x: f32[n]) = fold(next, f32(0)) i: x[i]",
      {"random(f32[9], 1)"});

  add(fn("recurrence", x,
         [&](auto v) {
           return scan(
               [](auto state, auto leaf) {
                 auto [last, before] = state;
                 return tuple(leaf + last - before, last);
               },
               tuple(v(0), v(1)), i, v(i));
         }),
      "fn next(a: (f32, f32), b: f32) -> (f32, f32) { let (last, before) = a; (b + last - before, last) }\n"
      "fn recurrence(x: f32[n]) = scan(next, (x[0], x[1])) i: x[i]",
      {"random(f32[9], 1)"});

  add(fn("halved", x,
         [&](auto v) {
           return iterate(
               3, [](auto s) { return s / 2 + 1; }, v(2));
         }),
      "fn half(a: f32) -> f32 = a / 2 + 1\nfn halved(x: f32[n]) = iterate(3, half, x[2])", {"random(f32[9], 1)"});

  add(fn("largest_magnitude", x,
         [&](auto v) {
           return reduce([](auto p, auto q) { return select(abs(p) < abs(q), q, p); }, i, v(i)).by(tree);
         }),
      "fn larger(a: f32, b: f32) -> f32 = select(abs(a) < abs(b), b, a)\n"
      "fn largest_magnitude(x: f32[n]) -> f32 = reduce(larger) i: x[i] by tree",
      {"random(f32[9], 1)"});

  add(fn("welford", x,
         [&](auto v) {
           const auto merged = reduce(
               [](auto p, auto q) {
                 auto [mean, count] = p;
                 auto [other, more] = q;
                 return tuple(mean + (other - mean) * more / (count + more), count + more);
               },
               i, tuple(v(i), cast<f32>(1)));
           auto [mean, count] = merged.by(tree);
           return mean / count;
         }),
      "fn merge(a: (f32, f32), b: (f32, f32)) -> (f32, f32) { let (m, c) = a; let (o, d) = b; "
      "(m + (o - m) * d / (c + d), c + d) }\n"
      "fn welford(x: f32[n]) -> f32 { let (m, c) = reduce(merge) i: (x[i], f32(1)) by tree; m / c }",
      {"random(f32[9], 1)"});

  add(fn("two_results", x, [&](auto v) { return tuple(sum(i, v(i)), each(i, v(i) * v(i))); }),
      "fn two_results(x: f32[n]) = (sum i: x[i], for i: x[i] * x[i])", {"random(f32[9], 1)"});

  add(fn("pairs_of_tensors", x,
         [&](auto v) {
           const auto both = each(i, tuple(v(i), v(i) * 2));
           auto [first, second] = both;
           return sum(i, first(i) - second(i)).by(seq);
         }),
      "fn pairs_of_tensors(x: f32[n]) -> f32 { let (p, q) = for i: (x[i], x[i] * 2); sum i: p[i] - q[i] by seq }",
      {"random(f32[9], 1)"});

  add(fn("of_a_tuple", in("state", type<f32>(), type<f32>(n)),
         [&](auto state) {
           auto [scale, values] = state;
           return each(i, values(i) * scale);
         }),
      "fn of_a_tuple(state: (f32, f32[n])) { let (s, v) = state; for i: v[i] * s }", {});

  add(fn("same_index_twice", x, [&](auto v) { return sum(i, v(i)) * sum(i, v(i) * sum(i, v(i) * v(i))); }),
      "fn same_index_twice(x: f32[n]) -> f32 = (sum i: x[i]) * (sum i: x[i] * (sum i: x[i] * x[i]))",
      {"random(f32[9], 1)"});

  add(fn("shadowed", a,
         [&](auto p) {
           const Index outer, inner;  // both are called `i` in messages
           return each(outer, sum(inner, p(outer, inner) * p(outer, 0)));
         }),
      "fn shadowed(a: f32[m, k]) = for i: sum j: a[i, j] * a[i, 0]", {"random(f32[3, 4], 1)"});

  add(fn("words", in<f32>("x", n), [&](auto v) { return each(i, (bits(v(i)) >> 23 & 0xff) ^ (cast<u32>(i) | 1)); }),
      "fn words(x: f32[n]) = for i: ((bits(x[i]) >> 23) & 0xff) xor (u32(i) | 1)", {"random(f32[9], 1)"});
  add(fn("checksum", in<u32>("x", n),
         [&](auto v) { return reduce(op::bit_xor, i, v(i) * 2654435761u + (v(i) << 3)).by(seq); }),
      "fn checksum(x: u32[n]) -> u32 = reduce(bit_xor) i: x[i] * 2654435761 + (x[i] << 3) by seq", {"[u32(1), 2, 3]"});
  add(fn("quotients", in<i8>("p", n), in<i8>("q", n),
         [&](auto p, auto q) {
           return each(i, cast<i32>(p(i)) / cast<i32>(q(i)) + cast<i32>(abs(p(i) % 3) >> 1) * -2);
         }),
      "fn quotients(p: i8[n], q: i8[n]) = for i: i32(p[i]) // i32(q[i]) + i32(abs(p[i] % 3) >> 1) * -2",
      {"[i8(-7), 8, -128]", "[i8(2), -3, -1]"});
  add(fn("read", in<f64>("table", m), in<i16>("key", n),
         [&](auto table, auto key) { return each(i, from_bits<f64>(bits(table(key(i))) ^ 1)); }),
      "fn read(table: f64[m], key: i16[n]) = for i: from_bits(f64, bits(table[key[i]]) xor 1)",
      {"random(f64[5], 1)", "[i16(4), 0, 2]"});
  return out;
}

}  // namespace reckon::test
