// Two semantics of the program's own: dual numbers give derivatives, affine arithmetic gives bounds.
#include "affine.h"
#include "dual.h"

#include <iostream>

namespace semantics = reckon::semantics;

namespace {

template <class T>
int give_up(const reckon::Result<T>& result) {
  for (const reckon::Message& message : result.messages()) std::cerr << message.text;
  return 1;
}

}  // namespace

int main() {
  reckon::Session session;
  session.add_semantics("dual", [] { return Dual{}; });
  session.add_semantics("affine", [] { return Affine{}; });
  const auto loaded = session.load(
      "fn softmax(x: f64[n]) -> f64[n] = {\n"
      "  let top = max i: x[i];\n"
      "  let powers = for i: exp(x[i] - top);\n"
      "  let total = sum i: powers[i] by lanes(2, seq) then tree;\n"
      "  for i: powers[i] / total\n"
      "}\n"
      "fn error(x: f64, y: f64) -> f64 = (x + y) * (x - y) - (x * x - y * y)\n");
  if (!loaded) return give_up(loaded);

  // The derivative of a softmax by its first input.
  const std::vector<Dual::Value> x{Dual::variable(1), {2, 0}, {0.5, 0}};
  const auto shares = session.call_on_values("softmax", {semantics::values<Dual>(x)}, {.semantics = "dual"});
  if (!shares) return give_up(shares);
  for (const Dual::Value& each : semantics::values_of<Dual>(shares->front())) {
    std::cout << each.value << " changes by " << each.slope << '\n';
  }

  // Terms that cancel: intervals do not see it.
  session.run(
      "check error(x, y) within -2..2 in interval for x: 1..2, y: 1..2\n"
      "check error(x, y) within -2..2 in affine for x: 1..2, y: 1..2\n",
      "checks", [](const reckon::Event& event) {
        if (const auto* check = std::get_if<reckon::Checked>(&event))
          std::cout << check->verdict << ": " << check->text << '\n';
      });

  // What the class does not have is a message at its place.
  session.set_semantics("dual");
  const auto wrong = session.evaluate("erf(f64(1))");
  for (const reckon::Message& message : wrong.messages()) std::cout << message.message << '\n';
}
