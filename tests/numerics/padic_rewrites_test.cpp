// Random formulas and what random walks of true laws make of them: the ring `padic` must not tell the two apart, in a, nor
// in what feeds exp and sin. RECKON_TRIALS=1000000 for a long run.
#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

#include "numerics/padic/padic.h"
#include "tests/support/long_run.h"

using namespace reckon::numerics::padic;

namespace {

namespace padic = reckon::numerics::padic;

struct Node;
using Tree = std::shared_ptr<const Node>;
struct Node {
  enum Kind { variable, constant, unary, binary } kind;
  std::string name;  ///< of the operation
  int index = 0;     ///< of a variable; a constant is index / bottom
  int bottom = 1;
  Tree left, right;
};

Tree variable(int index) { return std::make_shared<Node>(Node{Node::variable, "x", index, 1, {}, {}}); }
Tree number(int top, int bottom = 1) { return std::make_shared<Node>(Node{Node::constant, "", top, bottom, {}, {}}); }
Tree f(const char* name, Tree a) { return std::make_shared<Node>(Node{Node::unary, name, 0, 1, std::move(a), {}}); }
Tree f(const char* name, Tree a, Tree b) {
  return std::make_shared<Node>(Node{Node::binary, name, 0, 1, std::move(a), std::move(b)});
}

std::string text(const Tree& t) {
  switch (t->kind) {
    case Node::variable: return std::string(1, static_cast<char>('a' + t->index));
    case Node::constant: return std::to_string(t->index) + (t->bottom == 1 ? "" : "/" + std::to_string(t->bottom));
    case Node::unary: return t->name + "(" + text(t->left) + ")";
    case Node::binary: return t->name + "(" + text(t->left) + ", " + text(t->right) + ")";
  }
  return {};
}

using Unary = Value (*)(const Value&);
using Binary = Value (*)(const Value&, const Value&);
constexpr std::pair<const char*, Unary> unaries[] = {
    {"neg", padic::neg},     {"exp", padic::exp},   {"exp2", padic::exp2}, {"log", padic::log},   {"log2", padic::log2},
    {"sqrt", padic::sqrt},   {"rsqrt", padic::rsqrt}, {"cbrt", padic::cbrt}, {"sin", padic::sin},   {"cos", padic::cos},
    {"tanh", padic::tanh},   {"sinh", padic::sinh}, {"abs", padic::abs},   {"floor", padic::floor}, {"erf", padic::erf}};
constexpr std::pair<const char*, Binary> binaries[] = {{"add", padic::add}, {"sub", padic::sub}, {"mul", padic::mul}, {"div", padic::div},
                                                       {"max", padic::max}, {"min", padic::min}, {"pow", padic::pow}};

Value evaluate(const Tree& t, const std::vector<Value>& inputs) {
  switch (t->kind) {
    case Node::variable: return inputs[static_cast<std::size_t>(t->index)];
    case Node::constant:
      if (t->bottom == 0) return t->index == 1 ? constant_ln2() : constant_log2e();
      return from_rational(mpq_class(t->index, static_cast<unsigned>(t->bottom)));
    case Node::unary:
      for (const auto& [name, call] : unaries) {
        if (t->name == name) return call(evaluate(t->left, inputs));
      }
      break;
    case Node::binary:
      for (const auto& [name, call] : binaries) {
        if (t->name == name) return call(evaluate(t->left, inputs), evaluate(t->right, inputs));
      }
      break;
  }
  FAIL("no operation " << t->name);
  return {};
}

std::string written(const Value& x) {
  return padic::text(x) + " b " + std::to_string(x.b) + " c " + std::to_string(x.c);
}

const Tree ln2 = number(1, 0), log2e = number(2, 0);

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t word() { return state_ = mix(state_); }
  int below(int n) { return static_cast<int>(word() % static_cast<std::uint64_t>(n)); }

 private:
  std::uint64_t state_;
};

/// Inputs 0 and 1 are positive, 2 and 3 are any. Formulas that are positive in the reals and in the ring alike.
bool is_positive(const Tree& t) {
  switch (t->kind) {
    case Node::variable: return t->index < 2;
    case Node::constant: return t->index > 0 && t->bottom > 0;  // ln2 has no root in the ring
    case Node::unary: return t->name == "exp" || t->name == "exp2" || t->name == "sqrt" || t->name == "rsqrt";
    case Node::binary: return (t->name == "mul" || t->name == "div") && is_positive(t->left) && is_positive(t->right);
  }
  return false;
}

Tree formula(Random& random, int depth) {
  if (depth == 0 || random.below(8) == 0) {
    if (random.below(4) > 0) return variable(random.below(4));
    constexpr int tops[] = {1, 2, 3, -1, -2, 5, 10, 1, 1, -3}, bottoms[] = {1, 1, 1, 1, 1, 1, 1, 2, 10, 4};
    const int which = random.below(10);
    return number(tops[which], bottoms[which]);
  }
  if (random.below(3) == 0) {
    const auto& name = unaries[random.below(std::size(unaries))].first;
    return f(name, formula(random, depth - 1));
  }
  const int which = random.below(12);
  const char* name = which < 4 ? "add" : which < 5 ? "sub" : which < 9 ? "mul" : which < 10 ? "div" : which < 11 ? "max" : "min";
  return f(name, formula(random, depth - 1), formula(random, depth - 1));
}

/// A formula with the same value, by a law that applies at the root; or the same formula.
Tree rewritten(Random& random, const Tree& t) {
  const auto is = [&](const char* name) { return t->kind >= Node::unary && t->name == name; };
  const auto holds = [](const Tree& u, const char* name) { return u->kind >= Node::unary && u->name == name; };
  const Tree &a = t->left, &b = t->right, v = variable(random.below(4));
  if (random.below(3) == 0) {
    switch (random.below(11)) {
      case 0: return f("sub", f("add", t, v), v);
      case 1: return f("div", f("mul", t, v), v);
      case 2: return f("mul", t, number(1));
      case 3: return f("add", number(0), t);
      case 4: return f("neg", f("neg", t));
      case 5: return f("add", f("mul", t, number(1, 2)), f("div", t, number(2)));
      case 6: return f("log", f("exp", t));
      case 7:  // not of anything: the cube of a multiple of p^2, such as sin(x)^2 may be, is 0
        return is_positive(t) ? f("cbrt", f("mul", t, f("mul", t, t))) : t;
      case 8: return f("mul", t, f("add", f("mul", f("sin", v), f("sin", v)), f("mul", f("cos", v), f("cos", v))));
      case 9: return is_positive(t) ? f("exp", f("log", t)) : t;
      default: return is_positive(t) ? (random.below(2) ? f("mul", f("sqrt", t), f("sqrt", t)) : f("sqrt", f("mul", t, t))) : t;
    }
  }
  const int way = random.below(3);
  if (is("add") || is("mul")) {
    const char* name = is("add") ? "add" : "mul";
    if (way == 0) return f(name, b, a);
    if (way == 1 && holds(a, name)) return f(name, a->left, f(name, a->right, b));
    if (is("mul") && (holds(b, "add") || holds(b, "sub"))) return f(b->name.c_str(), f("mul", a, b->left), f("mul", a, b->right));
    if (is("mul") && holds(a, "exp") && holds(b, "exp")) return f("exp", f("add", a->left, b->left));
    return t;
  }
  if (is("sub")) return way == 0 ? f("add", a, f("neg", b)) : f("neg", f("sub", b, a));
  if (is("div")) {
    if (holds(a, "div")) return f("div", a->left, f("mul", a->right, b));
    return way == 0 ? f("mul", a, f("div", number(1), b)) : f("neg", f("div", a, f("neg", b)));
  }
  if (is("exp")) {
    if (holds(a, "add")) return f("mul", f("exp", a->left), f("exp", a->right));
    if (holds(a, "neg")) return f("div", number(1), f("exp", a->left));
    if (way == 0) return f("exp2", f("mul", a, log2e));
    return way == 1 ? f("mul", f("exp", f("mul", number(1, 2), a)), f("exp", f("div", a, number(2)))) : f("div", number(1), f("exp", f("neg", a)));
  }
  if (is("exp2")) return way == 0 ? f("exp", f("mul", a, ln2)) : f("mul", number(2), f("exp2", f("sub", a, number(1))));
  if (is("log")) {
    if (holds(a, "mul") && is_positive(a)) return f("add", f("log", a->left), f("log", a->right));
    if (holds(a, "div") && is_positive(a)) return f("sub", f("log", a->left), f("log", a->right));
    return way == 0 ? f("mul", number(2), f("log", f("sqrt", a))) : f("mul", f("log2", a), ln2);
  }
  if (is("log2")) return f("div", f("log", a), ln2);
  if (is("sqrt")) {
    if (holds(a, "mul") && is_positive(a)) return f("mul", f("sqrt", a->left), f("sqrt", a->right));
    return way == 0 ? f("mul", a, f("rsqrt", a)) : way == 1 ? f("pow", a, number(1, 2)) : f("div", number(1), f("sqrt", f("div", number(1), a)));
  }
  if (is("rsqrt")) return f("div", number(1), f("sqrt", a));
  if (is("sin") || is("cos")) {
    const bool sine = is("sin");
    if (holds(a, "add")) {
      const Tree s = f("sin", a->left), c = f("cos", a->left), s2 = f("sin", a->right), c2 = f("cos", a->right);
      return sine ? f("add", f("mul", s, c2), f("mul", c, s2)) : f("sub", f("mul", c, c2), f("mul", s, s2));
    }
    return sine ? f("neg", f("sin", f("neg", a))) : f("cos", f("neg", a));
  }
  if (is("tanh")) {
    const Tree e = f("exp", f("mul", number(2), a));
    return way == 0 ? f("div", f("sub", e, number(1)), f("add", e, number(1))) : f("neg", f("tanh", f("neg", a)));
  }
  if (is("sinh")) return f("mul", number(1, 2), f("sub", f("exp", a), f("div", number(1), f("exp", a))));
  if (is("max") || is("min")) {
    const char *name = is("max") ? "max" : "min", *other = is("max") ? "min" : "max";
    if (way == 0) return f(name, b, a);
    return way == 1 ? f("neg", f(other, f("neg", a), f("neg", b))) : f("sub", f("add", a, b), f(other, a, b));
  }
  if (is("abs")) return way == 0 ? f("max", a, f("neg", a)) : f("abs", f("neg", a));
  if (is("cbrt") || is("erf")) return f("neg", f(t->name.c_str(), f("neg", a)));
  return t;
}

/// The same at a random node.
Tree walked(Random& random, const Tree& t) {
  if (t->kind < Node::unary || random.below(3) == 0) return rewritten(random, t);
  if (t->kind == Node::unary) return f(t->name.c_str(), walked(random, t->left));
  if (random.below(2)) return f(t->name.c_str(), walked(random, t->left), t->right);
  return f(t->name.c_str(), t->left, walked(random, t->right));
}

}  // namespace

TEST_CASE("padic: random walks of true laws change no value") {
  const auto pairs = reckon::test::trials<std::uint64_t>(60000);
  std::uint64_t defined = 0, differ = 0, parts = 0;
  std::string shown;
  int shown_count = 0;
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    Random random(mix(reckon::test::stream(pair)));
    const Tree before = formula(random, 2 + random.below(4));
    Tree after = before;
    for (int steps = 1 + random.below(8); steps > 0; --steps) after = walked(random, after);
    std::vector<Value> inputs;
    for (int k = 0; k < 4; ++k) inputs.push_back(random_value(random.word(), k < 2 ? Sign::positive : Sign::any));
    const Value x = evaluate(before, inputs), y = evaluate(after, inputs);
    if (is_undefined(x) || is_undefined(y)) continue;
    ++defined;
    const bool same = padic::equal(x, y);
    const bool b = x.b == unknown_b || y.b == unknown_b || x.b == y.b, c = x.c == unknown_c || y.c == unknown_c || x.c == y.c;
    differ += !same;
    parts += same && !(b && c);
    if ((!same || !b || !c) && ++shown_count <= 8) shown += "  " + (text(before) + " = " + written(x) + "\n    " + text(after) + " = " + written(y) + "\n");
  }
  INFO(shown);
  CHECK(differ == 0);
  CHECK(parts == 0);
  CHECK(defined > pairs / 4);
}
