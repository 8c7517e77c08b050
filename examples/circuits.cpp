// Circuits written in C++: two orders of one sum, the difference between them, and the kernel of one.
#include <reckon/circuit.h>

#include <iostream>

using namespace reckon::circuit;

namespace {

const Size n("n"), m("m");

/// A circuit that a C++ function makes: one for each order.
auto dot(const char* name, const Schedule& order) {
  return fn(name, in<f32>("x", n), in<f32>("y", n), [&](auto x, auto y) {
    Index i("i");
    return sum(i, x(i) * y(i)).by(order);
  });
}

/// A C++ function of circuit values: it is part of the circuit that calls it.
Vector<f32> softmax(const Vector<f32>& x) {
  Index i("i"), j("j");
  const auto top = let("top", max(i, x(i)));
  const auto powers = let("powers", each(i, exp(x(i) - top)));
  return each(i, powers(i) / sum(j, powers(j)));
}

template <class T>
int give_up(const reckon::Result<T>& result) {
  for (const reckon::Message& message : result.messages()) std::cerr << message.text;
  return 1;
}

}  // namespace

int main() {
  reckon::Session session;
  const auto in_order = dot("in_order", seq), in_lanes = dot("in_lanes", lanes(4, tree).then(tree));
  const std::vector<float> x{0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};

  const auto left = in_order(session, x, x), right = in_lanes.call_on(session, reckon::On::host, x, x);
  if (!left || !right) return give_up(left) | give_up(right);
  std::cout << *left << ' ' << *right << '\n';

  // Is the difference a bug, or rounding?
  const auto bound = session.check(near(in_order, in_lanes).in("float").within_bound().with_size(n, {6}));
  const auto algebra = session.check(equal(in_order, in_lanes).in("fpsan").with_size(n, {6}));
  if (!bound || !algebra) return give_up(bound) | give_up(algebra);
  std::cout << bound->verdict << ": " << bound->text << '\n' << algebra->verdict << ": " << algebra->text << '\n';

  // The text of a circuit, and text that calls it.
  const auto rows = fn("softmax_rows", in<f32>("a", m, n), [](Matrix<f32> a) {
    Index r("r"), c("c");
    return each(r, softmax(each(c, a(r, c))));
  });
  const auto defined = session.define(rows);
  if (!defined) return give_up(defined);
  std::cout << *session.text(rows.definition());
  const auto shown = session.evaluate("sum i, j: softmax_rows(random(f32[2, 4], 1))[i, j] by seq");
  if (!shown) return give_up(shown);
  std::cout << shown->front().numbers[0].text << '\n';

  // A mistake that only the session can see has its place in this file.
  const auto wrong = session.define(fn("wrong", in<f32>("x", n), in<f32>("y", m), [](auto u, auto v) {
    Index i("i");
    return sum(i, u(i) * v(i));
  }));
  for (const reckon::Message& message : wrong.messages()) {
    std::cout << "line " << message.line << ": " << message.message << '\n';
  }
}
