#include "tests/api/circuit_pairs.h"

namespace reckon::test {

using namespace reckon::circuit;

std::vector<CircuitPair> circuit_pairs_of_orders() {
  std::vector<CircuitPair> out;
  const Size n("n"), m("m"), k("k"), b("b");
  const Index i("i"), j("j"), l("l");
  const auto add = [&](const auto& circuit, std::string text, std::vector<std::string> arguments,
                       std::string before = {}) {
    out.push_back({circuit.name(), circuit.definition(), std::move(text), std::move(arguments), std::move(before)});
  };
  const auto x = in<f32>("x", n);
  const auto total = [&](const char* name, const Schedule& order) {
    return fn(name, x, [&](auto v) { return sum(i, v(i)).by(order); });
  };
  const std::vector<std::string> eleven{"random(f32[11], 1)"}, four{"random(f32[4], 1)"};

  add(total("binned_sum", binned(3)), "fn binned_sum(x: f32[n]) -> f32 = sum i: x[i] by binned(3)", eleven);
  const auto dot = [&](const char* name, const Schedule& order) {
    return fn(name, in<f16>("x", n), in<f16>("y", n),
              [&](auto v, auto w) { return sum(i, cast<f32>(v(i)) * cast<f32>(w(i))).by(order); });
  };
  const std::vector<std::string> halves{"for i < 40: f16(i) / 7", "for i < 40: f16(1)"};
  const std::string of_dot = "(x: f16[n], y: f16[n]) -> f32 = sum i: f32(x[i]) * f32(y[i]) by ";
  add(dot("on_hopper", mma(TensorCores::hopper)), "fn on_hopper" + of_dot + "mma(hopper)", halves);
  add(dot("on_volta", tile(8, mma<f32, f16>(TensorCores::volta)).then(seq)),
      "fn on_volta" + of_dot + "tile(8, mma(volta, f32, f16)) then seq", halves);
  add(total("neumaier_sum", neumaier(lanes(4, seq).then(tree))),
      "fn neumaier_sum(x: f32[n]) -> f32 = sum i: x[i] by neumaier(lanes(4, seq) then tree)", eleven);
  add(total("kahan_sum", kahan), "fn kahan_sum(x: f32[n]) -> f32 = sum i: x[i] by kahan", eleven);
  add(total("exact_sum", rounded_once), "fn exact_sum(x: f32[n]) -> f32 = sum i: x[i] by rounded_once", eleven);
  add(total("split_sum", split(n / 2 + 1, blelloch, seq)),
      "fn split_sum(x: f32[n]) -> f32 = sum i: x[i] by split(n // 2 + 1, blelloch, seq)", eleven);
  add(total("quoted_sum", quoted({{0, 1}, {2, 3}})), "fn quoted_sum(x: f32[n]) -> f32 = sum i: x[i] by '((0 1) (2 3))",
      four);
  add(total("stages", tile(2, seq).then(lanes(3, tree)).then(halving)),
      "fn stages(x: f32[n]) -> f32 = sum i: x[i] by tile(2, seq) then lanes(3, tree) then halving", eleven);
  add(total("nested_stages", tile(2, seq).then(lanes(3, tree).then(halving))),
      "fn nested_stages(x: f32[n]) -> f32 = sum i: x[i] by tile(2, seq) then (lanes(3, tree) then halving)", eleven);
  add(total("pinned", lanes(8, seq).at(Level::thread).then(tree.at(Level::warp))),
      "fn pinned(x: f32[n]) -> f32 = sum i: x[i] by lanes(8, seq) @thread then tree @warp", eleven);
  add(total("any_order", any), "fn any_order(x: f32[n]) -> f32 = sum i: x[i] by any", {});
  add(total("shallow", any_of_depth(12)), "fn shallow(x: f32[n]) -> f32 = sum i: x[i] by any(depth: 12)", {});
  add(total("by_lanes", any_of_lanes(4)), "fn by_lanes(x: f32[n]) -> f32 = sum i: x[i] by any(lanes: 4)", {});
  {
    const Index p("p");
    add(total("by_length", length(p, choose(p <= 8, seq, tile(8, seq).then(tree)))),
        "fn by_length(x: f32[n]) -> f32 = sum i: x[i] by (length p: if p <= 8 { seq } else { tile(8, seq) then tree })",
        eleven);
  }
  add(total("arranged", arrange(layout::make(layout::shape(2, layout::open), layout::shape(1, 2)), seq).then(tree)),
      "fn arranged(x: f32[n]) -> f32 = sum i: x[i] by arrange((2, _):(1, 2), seq) then tree", eleven);
  add(total("of_the_library", schedule("canonical", {4})),
      "fn of_the_library(x: f32[n]) -> f32 = sum i: x[i] by canonical(4)", eleven, "import \"schedules\"");

  add(fn("transposed", in<f32>("a", m, n),
         [&](auto a) { return view<2>(a, layout::make(layout::shape(n, m), layout::shape(1, n))); }),
      "fn transposed(a: f32[m, n]) = view(a, (n, m):(1, n))", {"random(f32[3, 4], 1)"});
  add(fn("at_a_layout", in<f32>("x", 8),
         [&](auto v) {
           const auto tiles = layout::make(layout::shape(2, 4), layout::shape(4, 1));
           return each({i < 2, j < 4}, v(tiles(i, j)));
         }),
      "fn at_a_layout(x: f32[8]) = for i < 2, j < 4: x[((2, 4):(4, 1))(i, j)]", {"random(f32[8], 1)"});
  add(fn("stored_by_columns", stored(in<f32>("a", m, k), layout::make(layout::shape(m, k), layout::shape(1, m))),
         [&](auto a) { return each(i, sum(j, a(i, j))); })
          .returning(type<f32>(m), layout::make(layout::shape(m), layout::shape(2))),
      "fn stored_by_columns(a: f32[m, k] @ (m, k):(1, m)) -> f32[m] @ (m,):(2,) = for i: sum j: a[i, j]", {});

  const auto square = fn("square", in<f32>("s"), [](auto s) { return s * s; });
  add(fn("calls_cpp", x, [&](auto v) { return sum(i, square(v(i)) + square(2)).by(seq); }),
      "fn square(s: f32) -> f32 = s * s\nfn calls_cpp(x: f32[n]) -> f32 = sum i: square(x[i]) + square(2) by seq",
      eleven);
  const auto norm = known<Scalar<f32>, Vector<f32>>("norm");
  add(fn("calls_text", x, [&](auto v) { return each(i, v(i) / norm(v)); }),
      "fn calls_text(x: f32[n]) = for i: x[i] / norm(x)", eleven,
      "fn norm(x: f32[n]) -> f32 = sqrt(sum i: x[i] * x[i] by tree)");
  const auto blocked = known<Scalar<f32>, Vector<f32>>("blocked");
  add(fn("calls_static", x, [&](auto v) { return blocked.at(2)(v); }),
      "fn calls_static(x: f32[n]) -> f32 = blocked[2](x)", eleven,
      "fn blocked[b](x: f32[n]) -> f32 = sum i: x[i] by tile(b, seq) then tree");
  const auto own = fn("own", x, [&](auto v) { return sum(i, v(i)).by(tile(b, seq).then(tree)); }).with_static(b);
  add(fn("calls_own_static", x, [&](auto v) { return own.at(2)(v); }),
      "fn own[b](x: f32[n]) -> f32 = sum i: x[i] by tile(b, seq) then tree\n"
      "fn calls_own_static(x: f32[n]) -> f32 = own[2](x)",
      eleven);
  add(fn("merged_by_a_circuit", x,
         [&](auto v) {
           const auto larger =
               fn("larger", in<f32>("p"), in<f32>("q"), [](auto p, auto q) { return max(p, q) + 0 * p; });
           return reduce(larger, i, v(i));
         }),
      "fn larger(p: f32, q: f32) -> f32 = max(p, q) + 0 * p\n"
      "fn merged_by_a_circuit(x: f32[n]) -> f32 = reduce(larger) i: x[i]",
      eleven);

  add(fn("formats", in<f16>("h", n), in<bf16>("b", n), in<tf32>("t", n), in<f8e4m3>("e", n), in<f8e5m2>("f", n),
         in<f6e3m2>("s", n), in<f6e2m3>("p", n), in<f4e2m1>("q", n),
         [&](auto h, auto w, auto t, auto e, auto f, auto s, auto p, auto q) {
           return each(i, cast<f32>(h(i)) + cast<f32>(w(i)) * cast<f32>(t(i)) - cast<f32>(e(i)) / cast<f32>(f(i)) +
                              pattern<f32>(0x3fc00000) + from_bits<f32>(pattern<u32>(1)) +
                              cast<f32>(s(i) * pattern<f6e3m2>(0x2c)) + cast<f32>(p(i)) * cast<f32>(q(i)));
         }),
      "fn formats(h: f16[n], b: bf16[n], t: tf32[n], e: f8e4m3[n], f: f8e5m2[n], s: f6e3m2[n], p: f6e2m3[n], q: f4e2m1[n]) = for i: f32(h[i]) + f32(b[i]) * "
      "f32(t[i]) - f32(e[i]) / f32(f[i]) + f32#3fc00000 + from_bits(f32, u32#00000001) + f32(s[i] * f6e3m2#2c) + f32(p[i]) * f32(q[i])",
      {});
  add(fn("widened", x, [&](auto v) { return cast<f64>(v) * 2; }), "fn widened(x: f32[n]) = f64(x) * 2", eleven);
  add(fn("instructions", in<f32>("s"),
         [](auto s) { return approx::exp2(s) + approx::div(s, 3) - approx::rcp(s) * approx::tanh(s); }),
      "fn instructions(s: f32) = approx.exp2(s) + approx.div(s, 3) - approx.rcp(s) * approx.tanh(s)", {});
  add(fn("constants", in<f32>("x", 3),
         [&](auto v) {
           return sum(i, v(i) * numbers<f32>({0.1, 0.2, -3})(i));
         }),
      "fn constants(x: f32[3]) -> f32 = sum i: x[i] * [f32(0.1), 0.2, -3][i]", {"random(f32[3], 1)"});
  return out;
}

}  // namespace reckon::test
