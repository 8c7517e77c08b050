// Circuits that are written in C++ mean what the same circuits mean as text: the same IR, and the same bits.
#include <catch2/catch.hpp>
#include <chrono>

#include "tests/api/circuit_pairs.h"

using namespace reckon;
using namespace reckon::test;
using circuit::f32;
using circuit::in;
using circuit::Index;
using circuit::Size;

namespace {

std::vector<CircuitPair> all_pairs() {
  std::vector<CircuitPair> out = circuit_pairs(), more = circuit_pairs_of_orders();
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

template <class T>
T valued(const Result<T>& result) {
  if (!result) FAIL(result.messages().front().text);
  return *result;
}

std::string ir_of(Session& session, const std::string& name) {
  CompileOptions options;
  options.emit = Emit::ir;
  options.values = {{"b", 2}};
  auto without = session.compile(name, options);
  options.values.clear();
  return valued(without ? without : session.compile(name, options));
}

std::string bits_of(Session& session, const CircuitPair& pair) {
  std::string call = pair.name + "(";
  for (std::size_t k = 0; k < pair.arguments.size(); ++k) call += (k == 0 ? "" : ", ") + pair.arguments[k];
  std::string out;
  for (const Shown& part : valued(session.evaluate(call + ")"))) {
    for (const Number number : part.numbers) out += number.text + " ";
    if (part.tensor) out.append(part.tensor->bytes.begin(), part.tensor->bytes.end());
  }
  return out;
}

void load(Session& session, const std::string& text) {
  if (!text.empty()) valued(session.load(text));
}

}  // namespace

TEST_CASE("a circuit in C++ has the IR and the bits of its text") {
  const auto pairs = all_pairs();
  CHECK(pairs.size() >= 40);
  for (const CircuitPair& pair : pairs) {
    INFO(pair.name);
    Session text, cpp;
    load(text, pair.before);
    load(text, pair.text);
    load(cpp, pair.before);
    const auto failures = cpp.define_circuit(pair.cpp);
    for (const Message& failure : failures) FAIL_CHECK(failure.text);
    if (!failures.empty()) continue;
    CHECK(ir_of(cpp, pair.name) == ir_of(text, pair.name));
    if (!pair.arguments.empty()) CHECK(bits_of(cpp, pair) == bits_of(text, pair));
  }
}

TEST_CASE("the text of a circuit in C++ is the same circuit") {
  for (const CircuitPair& pair : all_pairs()) {
    INFO(pair.name);
    Session cpp, again;
    load(cpp, pair.before);
    load(again, pair.before);
    REQUIRE(cpp.define_circuit(pair.cpp).empty());
    // What it calls is defined first: those are circuits of their own.
    for (const char* callee : {"square", "own", "larger"}) {
      if (pair.text.starts_with(std::string("fn ") + callee)) load(again, pair.text.substr(0, pair.text.find('\n')));
    }
    const std::string text = valued(cpp.text(pair.cpp));
    INFO(text);
    load(again, text);
    CHECK(ir_of(again, pair.name) == ir_of(cpp, pair.name));
  }
}

TEST_CASE("a value that is used many times is one node, on however many paths") {
  const auto start = std::chrono::steady_clock::now();
  auto x = circuit::Scalar<f32>(in<f32>("x"));
  const auto first = x;
  for (int k = 0; k < 60; ++k) x = x * 0.5 + x;
  const Size n("n");
  // Shared values inside and outside of a reduction, again and again.
  const auto v = in<f32>("v", n);
  auto sum_of = circuit::sum(Index("i"), in<f32>("w", n)(Index("i")));
  circuit::Scalar<f32> total = first;
  for (int k = 0; k < 30; ++k) {
    const Index i;
    total = circuit::sum(i, v(i) * total).by(circuit::seq) + total;
  }
  Session session;
  REQUIRE(session.define(circuit::fn("doubled", first, x)));
  REQUIRE(session.define(circuit::fn("nested", first, v, total)));
  const auto result = session.evaluate("doubled(f32(1))");
  REQUIRE(result);
  CHECK(result->front().numbers[0].text == "36768464896");  // 1.5^60, each step rounded
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("chains and nests of a hundred thousand operations are built, defined and freed") {
  const auto x = in<f32>("x");
  circuit::Scalar<f32> chain = x, nest = x;
  for (int k = 0; k < 100'000; ++k) chain = chain + 1;
  for (int k = 0; k < 20'000; ++k) nest = circuit::abs(1 - nest);
  Session session;
  const auto made = session.define(circuit::fn("chain", x, chain));
  if (!made) FAIL(made.messages().front().text);
  REQUIRE(session.define(circuit::fn("nest", x, nest)));
  CHECK(valued(session.evaluate("chain(f32(0))")).front().numbers[0].text == "100000");
  CHECK(valued(session.evaluate("nest(f32(0.25))")).front().numbers[0].text == "0.25");
}

TEST_CASE("a circuit in C++ is called on data, from text, and by name") {
  const Size n("n"), m("m");
  const Index i("i"), j("j");
  const auto dot = circuit::fn("dot", in<f32>("x", n), in<f32>("y", n),
                               [&](auto x, auto y) { return circuit::sum(i, x(i) * y(i)).by(circuit::seq); });
  Session session;
  const std::vector<float> x{1, 2, 3}, y{4, 5, 6};
  CHECK(valued(dot(session, x, y)) == 32);
  CHECK(valued(dot.call_on(session, On::host, x, Tensor::of<float>(y))) == 32);
  const auto rows = circuit::fn("rows", in<f32>("a", m, n), in<f32>("x", n), [&](auto a, auto v) {
    return circuit::tuple(circuit::each(i, circuit::sum(j, a(i, j) * v(j))), dot(v, v));
  });
  const auto both = valued(rows(session, Tensor::of<float>(y, {1, 3}), x));
  CHECK(std::get<0>(both).as<float>() == std::vector<float>{32});
  CHECK(std::get<1>(both) == 14);

  load(session, "fn twice(x: f32[n]) -> f32 = 2 * dot(x, x)");
  const auto twice = circuit::known<circuit::Scalar<f32>, circuit::Vector<f32>>("twice");
  CHECK(valued(twice(session, x)) == 28);
  CHECK(valued(session.call("dot", {Tensor::of<float>(x), Tensor::of<float>(y)})).front().numbers[0].text == "32");
  CHECK(session.describe("dot") == "fn dot(x: f32[n], y: f32[n]) -> f32");

  // A definition of the same name takes its place, whoever makes it.
  load(session, "fn dot(x: f32[n], y: f32[n]) -> f32 = 0");
  CHECK(valued(session.evaluate("dot([f32(1)], [f32(1)])")).front().numbers[0].text == "0");
  CHECK(valued(dot(session, x, y)) == 32);
  const auto broken = circuit::fn("dot", in<f32>("x", n), in<f32>("y", m), [&](auto u, auto v) {
    return circuit::sum(i, u(i) * v(i));
  });
  CHECK_FALSE(broken(session, x, y));
  CHECK_FALSE(session.evaluate("dot([f32(1)], [f32(1)])"));
  CHECK(valued(dot(session, x, y)) == 32);
}

TEST_CASE("a name is accepted in C++ if the text accepts it") {
  Session session;
  for (std::string name : {"dot", "x1", "_", "1x", "a b", "", "a-b", "é"}) {
    const bool text = static_cast<bool>(session.load("fn " + name + "(x: f32) -> f32 = x"));
    CHECK(static_cast<bool>(session.define(circuit::fn(name, in<f32>("x"), [](auto x) { return x; }))) == text);
  }
  for (const std::string& word : Session::keywords()) {
    INFO(word);
    Session text, cpp;
    const bool accepted = static_cast<bool>(text.load("fn f(" + word + ": f32) -> f32 = 2"));
    CHECK(static_cast<bool>(cpp.define(circuit::fn("f", in<f32>(word), circuit::cast<f32>(2)))) == accepted);
    // As an index or the name of a value, it is renamed where it has to be.
    const Index i(word);
    const auto v = in<f32>("v", 4);
    const auto f = circuit::fn("g", v, circuit::let(word, circuit::sum(i, v(i) * v(i))) + 1);
    CHECK(cpp.define(f));
  }
}

TEST_CASE("verdicts, bounds and spreads of circuits in C++") {
  const Size n("n");
  const Index i("i");
  const auto x = in<f32>("x", n), y = in<f32>("y", n);
  const auto dot = [&](const char* name, const circuit::Schedule& order) {
    return circuit::fn(name, x, y, circuit::sum(i, x(i) * y(i)).by(order));
  };
  const auto by_seq = dot("by_seq", circuit::seq), by_tree = dot("by_tree", circuit::tree);
  Session session;
  const Checked ring = valued(session.check(equal(by_seq, by_tree).in("fpsan").with_size(n, {6, 7}).with_trials(20)));
  CHECK(ring.verdict == "holds");
  CHECK(ring.text == "check by_seq == by_tree in fpsan for n: {6, 7} trials 20");
  const Checked bits = valued(session.check(equal(by_seq, by_tree).in("float").with_size(n, {6})));
  CHECK(bits.verdict == "fails");
  CHECK(bits.counterexample);
  const Checked near_enough = valued(session.check(near(by_seq, by_tree).in("float").within_bound().with_size(n, {9})));
  CHECK(near_enough.verdict == "holds");
  CHECK(valued(session.check(near(by_seq, by_tree).in("float").within_ulp(0).with_size(n, {6}))).verdict == "fails");
  const auto range = valued(session.check(
      within(by_seq, -3, 3).in("interval").with_size(n, {3}).with_range("x", -1, 1).with_range("y", -1, 1)));
  CHECK(range.text == "check by_seq within -3..3 in interval for n: {3}, x: -1..1, y: -1..1");

  const auto total = circuit::fn("total", x, circuit::sum(i, x(i)).by(circuit::any));
  const auto values = circuit::numbers<f32>({16777216, 3, 3, -16777216});
  const auto spread = valued(session.show(circuit::spread(total, values)));
  CHECK(spread.front().numbers[0].text ==
        valued(session.evaluate("spread(total, [f32(16777216), 3, 3, -16777216])")).front().numbers[0].text);
  CHECK(valued(session.check(circuit::attains(total, std::tuple(values), circuit::Constant(6)))).verdict == "holds");

  const auto s = circuit::in<circuit::f64>("s");
  const auto far = circuit::fn("far", s, circuit::exp(s) - 1), near = circuit::fn("near", s, circuit::expm1(s));
  const circuit::Constant tenth(0.1);
  SessionOptions as_intervals;
  as_intervals.semantics = "interval";
  Session in_text(as_intervals);
  for (const auto& [asked, text] : {std::pair(circuit::width(far(tenth)), "width(exp(f64(0.1)) - 1)"),
                                    {circuit::mid(far(tenth)), "mid(exp(f64(0.1)) - 1)"},
                                    {circuit::rad(far(tenth)), "rad(exp(f64(0.1)) - 1)"},
                                    {circuit::mag(far(tenth)), "mag(exp(f64(0.1)) - 1)"},
                                    {circuit::mig(far(tenth)), "mig(exp(f64(0.1)) - 1)"},
                                    {circuit::intersection(far(tenth), near(tenth)), "expm1(f64(0.1))"},
                                    {circuit::hull(far(tenth), near(tenth)), "exp(f64(0.1)) - 1"}}) {
    CHECK(valued(session.show(asked, "interval")).front().numbers[0].text ==
          valued(in_text.evaluate(text)).front().numbers[0].text);
  }
  CHECK(valued(session.check(circuit::subset(near(tenth), far(tenth)).in("interval"))).verdict == "holds");
  CHECK(valued(session.check(circuit::disjoint(near(tenth), far(tenth)).in("interval"))).verdict == "fails");
  CHECK(valued(session.show(circuit::bound<f32>(circuit::seq, 1000))).front().text ==
        valued(session.evaluate("bound(seq, 1000, f32)")).front().text);
  CHECK(valued(session.show(by_seq(circuit::numbers<f32>({0.1, 0.2}), circuit::numbers<f32>({1, 2})), "exact"))
            .front()
            .numbers[0]
            .text == "1/2");
}
