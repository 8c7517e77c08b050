// Laws that hold for all reals where both sides are defined, at the root of a term. `law`: the ring follows them;
// `order_law`: they mix its order with sums or products of what need not be positive in it.
#include "tests/algebra/term.h"

namespace reckon::algebra {

namespace {

const Tree zero = number(0), one = number(1), two = number(2);
const Tree& left(const Tree& t) { return t->children[0]; }
const Tree& right(const Tree& t) { return t->children[1]; }
bool is_commutative(const Tree& t) {
  return t->is_call("+") || t->is_call("*") || t->is_call("max") || t->is_call("min");
}

}  // namespace

void Generator::add_arithmetic_laws() {
  law("a + b = b + a",
      [](const Tree& t) { return is_commutative(t) ? f(t->name.c_str(), right(t), left(t)) : Tree(); });
  law("(a + b) + c = a + (b + c)", [](const Tree& t) {
    if (!is_commutative(t)) return Tree();
    const char* op = t->name.c_str();
    if (left(t)->is_call(op)) return f(op, left(left(t)), f(op, right(left(t)), right(t)));
    if (right(t)->is_call(op)) return f(op, f(op, left(t), left(right(t))), right(right(t)));
    return Tree();
  });
  law("a (b + c) = a b + a c", [](const Tree& t) {
    if (!t->is_call("*") || !(right(t)->is_call("+") || right(t)->is_call("-"))) return Tree();
    return f(right(t)->name.c_str(), left(t) * left(right(t)), left(t) * right(right(t)));
  });
  law("a b + a c = a (b + c)", [](const Tree& t) {
    if (!t->is_call("+") && !t->is_call("-")) return Tree();
    if (!left(t)->is_call("*") || !right(t)->is_call("*") || !same(left(left(t)), left(right(t)))) return Tree();
    return left(left(t)) * f(t->name.c_str(), right(left(t)), right(right(t)));
  });
  law("a - b = a + -b", [](const Tree& t) { return t->is_call("-") ? left(t) + -right(t) : Tree(); });
  law("a - b = -(b - a)", [](const Tree& t) { return t->is_call("-") ? -(right(t) - left(t)) : Tree(); });
  law("-a = -1 a", [](const Tree& t) { return t->is_call("neg") ? number(-1) * left(t) : Tree(); });
  law("a = -(-a)", [](const Tree& t) { return -(-t); });
  law("a = a + b - b", [this](const Tree& t) {
    const Tree other = element(one_in(2), static_cast<int>(random_.below(elements)));
    return t + other - other;
  });
  law("a = a b / b", [this](const Tree& t) {
    const Tree other = element(one_in(2), static_cast<int>(random_.below(elements)));
    return one_in(2) ? t * other / other : t / other * other;
  });
  law("a = a 1", [](const Tree& t) { return t * one; });
  law("a = a + 0", [](const Tree& t) { return t + zero; });
  law("a = (a + a) / 2", [](const Tree& t) { return (t + t) / two; });
  law("a + a = 2 a", [](const Tree& t) { return t->is_call("+") && same(left(t), right(t)) ? two * left(t) : Tree(); });
  law("a = 0.5 a + a / 2", [](const Tree& t) { return number(1, 2) * t + t / two; });
  law("a / b = a (1 / b)", [](const Tree& t) { return t->is_call("/") ? left(t) * (one / right(t)) : Tree(); });
  law("(a / b) / c = a / (b c)", [](const Tree& t) {
    return t->is_call("/") && left(t)->is_call("/") ? left(left(t)) / (right(left(t)) * right(t)) : Tree();
  });
  law("a / (b / c) = a c / b", [](const Tree& t) {
    return t->is_call("/") && right(t)->is_call("/") ? left(t) * right(right(t)) / left(right(t)) : Tree();
  });
  law("(a + b) / c = a / c + b / c", [](const Tree& t) {
    if (!t->is_call("/") || !(left(t)->is_call("+") || left(t)->is_call("-"))) return Tree();
    return f(left(t)->name.c_str(), left(left(t)) / right(t), right(left(t)) / right(t));
  });
  law("a / b + c / d = (a d + c b) / (b d)", [](const Tree& t) {
    if (!t->is_call("+") || !left(t)->is_call("/") || !right(t)->is_call("/")) return Tree();
    const Tree &b = right(left(t)), &d = right(right(t));
    return (left(left(t)) * d + left(right(t)) * b) / (b * d);
  });
  law("fma(a, b, c) = a b + c",
      [](const Tree& t) { return t->is_call("fma") ? left(t) * right(t) + t->children[2] : Tree(); });
  law("a b + c = fma(a, b, c)", [](const Tree& t) {
    return t->is_call("+") && left(t)->is_call("*") ? call("fma", {left(left(t)), right(left(t)), right(t)}) : Tree();
  });
  law("a^2 - b^2 = (a - b) (a + b)", [](const Tree& t) {
    if (!t->is_call("-") || !left(t)->is_call("*") || !right(t)->is_call("*")) return Tree();
    const Tree &a = left(left(t)), &b = left(right(t));
    return same(a, right(left(t))) && same(b, right(right(t))) ? (a - b) * (a + b) : Tree();
  });
  law("3 = 1 + 2", [this](const Tree& t) {
    if (t->kind != Term::Kind::number || !t->name.empty()) return Tree();
    const auto k = static_cast<long>(1 + random_.below(7));
    if (one_in(2)) return number(t->top - k * t->bottom, t->bottom) + number(k);
    return number(t->top * k, t->bottom) / number(k);
  });
  law("2 = sqrt(4)", [](const Tree& t) {
    const bool small = t->kind == Term::Kind::number && t->bottom == 1 && t->top <= 30 && is_positive_in_ring(t);
    return small ? f("sqrt", number(t->top * t->top)) : Tree();
  });
  law("2 = log2(4)", [](const Tree& t) {
    const bool small =
        t->kind == Term::Kind::number && t->name.empty() && t->bottom == 1 && t->top >= -4 && t->top <= 10;
    if (!small) return Tree();
    return f("log2", t->top >= 0 ? number(1L << t->top) : number(1, 1L << -t->top));
  });
}

void Generator::add_function_laws() {
  law("exp(a + b) = exp a exp b", [](const Tree& t) {
    if (!(t->is_call("exp") || t->is_call("exp2"))) return Tree();
    const char* op = t->name.c_str();
    if (left(t)->is_call("+")) return f(op, left(left(t))) * f(op, right(left(t)));
    if (left(t)->is_call("-")) return f(op, left(left(t))) / f(op, right(left(t)));
    if (left(t)->is_call("neg")) return one / f(op, left(left(t)));
    return Tree();
  });
  law("exp a exp b = exp(a + b)", [](const Tree& t) {
    if (!(t->is_call("*") || t->is_call("/"))) return Tree();
    const Tree &a = left(t), &b = right(t);
    if (!(a->is_call("exp") && b->is_call("exp")) && !(a->is_call("exp2") && b->is_call("exp2"))) return Tree();
    return f(a->name.c_str(), t->is_call("*") ? left(a) + left(b) : left(a) - left(b));
  });
  law("exp a = exp(a / 2)^2", [](const Tree& t) {
    if (!t->is_call("exp")) return Tree();
    const Tree half = f("exp", left(t) / two);
    return half * half;
  });
  law("exp a = exp2(a log2e)",
      [](const Tree& t) { return t->is_call("exp") ? f("exp2", left(t) * named("log2e")) : Tree(); });
  law("exp2 a = exp(a ln2)",
      [](const Tree& t) { return t->is_call("exp2") ? f("exp", left(t) * named("ln2")) : Tree(); });
  law("exp2(a) = 2 exp2(a - 1)",
      [](const Tree& t) { return t->is_call("exp2") ? two * f("exp2", left(t) - one) : Tree(); });
  law("a = log(exp a)", [](const Tree& t) { return f("log", f("exp", t)); });
  law("a = log2(exp2 a)", [](const Tree& t) { return f("log2", f("exp2", t)); });
  law("a = exp(log a), a > 0", [](const Tree& t) { return is_positive(t) ? f("exp", f("log", t)) : Tree(); });
  law("log(a b) = log a + log b", [](const Tree& t) {
    if (!t->is_call("log") && !t->is_call("log2")) return Tree();
    const char* op = t->name.c_str();
    const Tree& a = left(t);
    if (!is_positive(a)) return Tree();
    if (a->is_call("*")) return f(op, left(a)) + f(op, right(a));
    if (a->is_call("/")) return f(op, left(a)) - f(op, right(a));
    if (a->is_call("sqrt")) return number(1, 2) * f(op, left(a));
    return Tree();
  });
  law("log a + log b = log(a b)", [](const Tree& t) {
    const bool logs = (t->is_call("+") || t->is_call("-")) && left(t)->is_call("log") && right(t)->is_call("log");
    if (!logs) return Tree();
    const Tree &a = left(left(t)), &b = left(right(t));
    return f("log", t->is_call("+") ? a * b : a / b);
  });
  law("log a = log2(a) ln2",
      [](const Tree& t) { return t->is_call("log") ? f("log2", left(t)) * named("ln2") : Tree(); });
  law("log2 a = log(a) log2e",
      [](const Tree& t) { return t->is_call("log2") ? f("log", left(t)) * named("log2e") : Tree(); });
  law("a = sqrt(a)^2, a > 0", [](const Tree& t) { return is_positive(t) ? f("sqrt", t) * f("sqrt", t) : Tree(); });
  law("a = sqrt(a^2), a > 0 in the ring",
      [](const Tree& t) { return is_positive_in_ring(t) ? f("sqrt", t * t) : Tree(); });
  law("sqrt(a b) = sqrt a sqrt b", [](const Tree& t) {
    if (!(t->is_call("sqrt") || t->is_call("rsqrt"))) return Tree();
    const Tree& a = left(t);
    const char* op = t->name.c_str();
    if (!is_positive(a) || !(a->is_call("*") || a->is_call("/"))) return Tree();
    return f(a->name.c_str(), f(op, left(a)), f(op, right(a)));
  });
  law("sqrt a = a rsqrt a", [](const Tree& t) { return t->is_call("sqrt") ? left(t) * f("rsqrt", left(t)) : Tree(); });
  law("rsqrt a = 1 / sqrt a", [](const Tree& t) { return t->is_call("rsqrt") ? one / f("sqrt", left(t)) : Tree(); });
  law("abs a = sqrt(a^2)", [](const Tree& t) { return t->is_call("abs") ? f("sqrt", left(t) * left(t)) : Tree(); });
  law("sin(a + b) = sin a cos b + cos a sin b", [](const Tree& t) {
    if (!(t->is_call("sin") || t->is_call("cos")) || !left(t)->is_call("+")) return Tree();
    const Tree &a = left(left(t)), &b = right(left(t));
    if (t->is_call("sin")) return f("sin", a) * f("cos", b) + f("cos", a) * f("sin", b);
    return f("cos", a) * f("cos", b) - f("sin", a) * f("sin", b);
  });
  law("sin(2 a) = 2 sin a cos a", [](const Tree& t) {
    if (!t->is_call("sin")) return Tree();
    const Tree half = left(t) / two;
    return two * f("sin", half) * f("cos", half);
  });
  law("sin(-a) = -sin a", [](const Tree& t) {
    if (t->is_call("sin") || t->is_call("tanh")) return -f(t->name.c_str(), -left(t));
    return t->is_call("cos") || t->is_call("abs") ? f(t->name.c_str(), -left(t)) : Tree();
  });
  law("a = a (sin^2 + cos^2)", [this](const Tree& t) {
    const Tree other = element(one_in(2), static_cast<int>(random_.below(elements)));
    const Tree s = f("sin", other), c = f("cos", other);
    return t * (s * s + c * c);
  });
  law("tanh a = (exp(2 a) - 1) / (exp(2 a) + 1)", [](const Tree& t) {
    if (!t->is_call("tanh")) return Tree();
    const Tree e = f("exp", two * left(t));
    return (e - one) / (e + one);
  });
}

}  // namespace reckon::algebra
