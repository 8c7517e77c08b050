// Laws of maxima, minima, selections, and of reductions.
#include "tests/algebra/term.h"

namespace reckon::algebra {

namespace {

const Tree zero = number(0);
const Tree& left(const Tree& t) { return t->children[0]; }
const Tree& right(const Tree& t) { return t->children[1]; }
bool is_extreme(const Tree& t) { return t->is_call("max") || t->is_call("min"); }
const char* other_extreme(const Tree& t) { return t->name == "max" ? "min" : "max"; }
bool is_select(const Tree& t) { return t->is_call("select<") || t->is_call("select<="); }
bool is_fold(const Tree& t) { return t->kind == Term::Kind::fold; }

}  // namespace

void Generator::add_order_laws() {
  law("max(a, b) = -min(-a, -b)",
      [](const Tree& t) { return is_extreme(t) ? -f(other_extreme(t), -left(t), -right(t)) : Tree(); });
  law("max(a, b) = a + b - min(a, b)", [](const Tree& t) {
    return is_extreme(t) ? left(t) + right(t) - f(other_extreme(t), left(t), right(t)) : Tree();
  });
  law("max(a, b) = select(a < b, b, a)", [](const Tree& t) {
    if (!is_extreme(t)) return Tree();
    const Tree &a = left(t), &b = right(t);
    return t->is_call("max") ? call("select<", {a, b, b, a}) : call("select<", {a, b, a, b});
  });
  law("select(a < b, u, v) = select(b <= a, v, u)", [](const Tree& t) {
    if (!is_select(t)) return Tree();
    return call(t->is_call("select<") ? "select<=" : "select<", {right(t), left(t), t->children[3], t->children[2]});
  });
  law("select(c, u, v) op a = select(c, u op a, v op a)", [](const Tree& t) {
    if (t->kind != Term::Kind::call || t->children.size() != 2 || !is_select(left(t))) return Tree();
    const Tree& s = left(t);
    const char* op = t->name.c_str();
    return call(s->name.c_str(), {left(s), right(s), f(op, s->children[2], right(t)), f(op, s->children[3], right(t))});
  });
  law("a = max(a, a)", [this](const Tree& t) { return f(one_in(2) ? "max" : "min", t, t); });
  law("a = max(a, min(a, b))", [this](const Tree& t) {
    const Tree other = element(one_in(2), static_cast<int>(random_.below(elements)));
    return one_in(2) ? f("max", t, f("min", t, other)) : f("min", t, f("max", t, other));
  });
  law("max(a, min(b, c)) = min(max(a, b), max(a, c))", [](const Tree& t) {
    if (!is_extreme(t) || !right(t)->is_call(other_extreme(t))) return Tree();
    const char* op = t->name.c_str();
    return f(other_extreme(t), f(op, left(t), left(right(t))), f(op, left(t), right(right(t))));
  });
  law("abs a = max(a, -a)", [](const Tree& t) { return t->is_call("abs") ? f("max", left(t), -left(t)) : Tree(); });
  law("abs(a b) = abs a abs b", [](const Tree& t) {
    return t->is_call("abs") && left(t)->is_call("*") ? f("abs", left(left(t))) * f("abs", right(left(t))) : Tree();
  });
  law("a = max(a, 0), a > 0 in the ring",
      [](const Tree& t) { return is_positive_in_ring(t) ? f("max", t, zero) : Tree(); });
  law("a = max(a, 0) + min(a, 0)", [](const Tree& t) { return f("max", t, zero) + f("min", t, zero); });

  order_law("max(a, b) + c = max(a + c, b + c)", [this](const Tree& t) {
    const Tree c = element(one_in(2), static_cast<int>(random_.below(elements)));
    return is_extreme(t) ? f(t->name.c_str(), left(t) + c, right(t) + c) - c : Tree();
  });
  order_law("max(a, b) c = max(a c, b c), c > 0", [this](const Tree& t) {
    const Tree c = one_in(2) ? number(3) : element(true, static_cast<int>(random_.below(elements)));
    return is_extreme(t) ? f(t->name.c_str(), left(t) * c, right(t) * c) / c : Tree();
  });
  order_law("exp max(a, b) = max(exp a, exp b)", [](const Tree& t) {
    if (!t->is_call("exp") || !is_extreme(left(t))) return Tree();
    return f(left(t)->name.c_str(), f("exp", left(left(t))), f("exp", right(left(t))));
  });
  order_law("a < b = 0 < b - a", [](const Tree& t) {
    if (!is_select(t)) return Tree();
    return call(t->name.c_str(), {zero, right(t) - left(t), t->children[2], t->children[3]});
  });
  order_law("abs a = a, a > 0", [](const Tree& t) { return is_positive(t) ? f("abs", t) : Tree(); });
  order_law("a = sqrt(a^2), a > 0", [](const Tree& t) { return is_positive(t) ? f("sqrt", t * t) : Tree(); });
  // 7 is a square modulo p and not modulo q, 11 is none: exp(sqrt(49)) is not exp(7), sqrt(121) is -11.
  order_law("7 = sqrt(49)", [](const Tree& t) {
    const bool number_only =
        t->kind == Term::Kind::number && t->name.empty() && t->bottom == 1 && t->top > 0 && t->top <= 100;
    return number_only ? f("sqrt", number(t->top * t->top)) : Tree();
  });
  order_law("max of sums", [](const Tree& t) {  // max_j (f + c) = max_j f + c
    if (!is_fold(t) || (t->name != "max" && t->name != "min") || !left(t)->is_call("+")) return Tree();
    const Tree& body = left(t);
    if (mentions(right(body), t->variable)) return Tree();
    return fold(t->name.c_str(), t->variable, t->length, t->order, left(body)) + right(body);
  });
}

void Generator::add_fold_laws() {
  const auto renamed = [this](const Tree& t) {
    const int variable = next_variable_++;
    return fold(t->name.c_str(), variable, t->length, t->order, replaced(left(t), t->variable, 0, 1, variable));
  };
  const auto term_at = [](const Tree& t, int k) { return replaced(left(t), t->variable, k, 0, -1); };
  const auto joined = [](const Tree& t, const Tree& a, const Tree& b) {
    return t->name == "sum" ? a + b : t->name == "prod" ? a * b : f(t->name.c_str(), a, b);
  };

  for (int k = 0; k < 2; ++k) {
    law("another order", [this](const Tree& t) {
      return is_fold(t) ? fold(t->name.c_str(), t->variable, t->length, any_order(), left(t)) : Tree();
    });
  }
  law("backwards", [this](const Tree& t) {
    if (!is_fold(t)) return Tree();
    const int variable = next_variable_++;
    return fold(t->name.c_str(), variable, t->length, t->order,
                replaced(left(t), t->variable, t->length - 1, -1, variable));
  });
  law("written out", [term_at, joined](const Tree& t) {
    if (!is_fold(t)) return Tree();
    Tree out = term_at(t, 0);
    for (int k = 1; k < t->length; ++k) out = joined(t, out, term_at(t, k));
    return out;
  });
  law("the last, and the others", [this, renamed, term_at, joined](const Tree& t) {
    if (!is_fold(t) || t->length < 2) return Tree();
    const Tree rest = renamed(fold(t->name.c_str(), t->variable, t->length - 1, any_order(), left(t)));
    return joined(t, rest, term_at(t, t->length - 1));
  });
  law("two parts", [this, renamed, joined](const Tree& t) {
    if (!is_fold(t) || t->length < 2) return Tree();
    const int first = 1 + static_cast<int>(random_.below(static_cast<std::uint64_t>(t->length) - 1)),
              variable = next_variable_++;
    return joined(t, renamed(fold(t->name.c_str(), t->variable, first, t->order, left(t))),
                  fold(t->name.c_str(), variable, t->length - first, any_order(),
                       replaced(left(t), t->variable, first, 1, variable)));
  });
  law("sum (f + g) = sum f + sum g", [renamed](const Tree& t) {
    if (!is_fold(t) || left(t)->kind != Term::Kind::call || left(t)->children.size() != 2) return Tree();
    const std::string& op = left(t)->name;
    const bool fits = t->name == "sum"    ? op == "+" || op == "-"
                      : t->name == "prod" ? op == "*" || op == "/"
                                          : op == t->name;
    if (!fits) return Tree();
    const auto part = [&](const Tree& body) { return fold(t->name.c_str(), t->variable, t->length, t->order, body); };
    return f(op.c_str(), part(left(left(t))), renamed(part(right(left(t)))));
  });
  law("c sum f = sum c f", [this](const Tree& t) {
    if (!t->is_call("*") && !t->is_call("/")) return Tree();
    if (!left(t)->is_sum()) return Tree();
    const Tree& sum = left(t);
    const int variable = next_variable_++;
    return fold("sum", variable, sum->length, sum->order,
                f(t->name.c_str(), replaced(left(sum), sum->variable, 0, 1, variable), right(t)));
  });
  law("sum c f = c sum f", [](const Tree& t) {
    if (!t->is_sum() || !left(t)->is_call("*")) return Tree();
    const Tree &a = left(left(t)), &b = right(left(t));
    if (mentions(b, t->variable)) return Tree();
    return b * fold("sum", t->variable, t->length, t->order, a);
  });
  law("prod exp f = exp sum f", [](const Tree& t) {
    if (!is_fold(t) || t->name != "prod" || !left(t)->is_call("exp")) return Tree();
    return f("exp", fold("sum", t->variable, t->length, t->order, left(left(t))));
  });
  law("exp sum f = prod exp f", [](const Tree& t) {
    if (!t->is_call("exp") || !left(t)->is_sum()) return Tree();
    const Tree& sum = left(t);
    return fold("prod", sum->variable, sum->length, sum->order, f("exp", left(sum)));
  });
  law("sums change places", [](const Tree& t) {
    if (!is_fold(t) || !is_fold(left(t)) || left(t)->name != t->name) return Tree();
    const Tree& inner = left(t);
    return fold(t->name.c_str(), inner->variable, inner->length, inner->order,
                fold(t->name.c_str(), t->variable, t->length, t->order, left(inner)));
  });
  law("softmax shifts", [this, term_at](const Tree& t) {  // sum exp(f) g / sum exp(f), with f - c for f
    if (!t->is_call("/") || !left(t)->is_sum() || !right(t)->is_sum()) return Tree();
    const Tree &top = left(left(t)), &bottom = left(right(t));
    if (!top->is_call("*") || !left(top)->is_call("exp") || !bottom->is_call("exp")) return Tree();
    const Tree &score = left(left(top)), &other = left(bottom);
    if (!same(replaced(score, left(t)->variable, 0, 1, right(t)->variable), other)) return Tree();
    const int variable = next_variable_++;
    const Tree shift = one_in(2) ? element(false, 0)
                                 : fold("max", variable, left(t)->length, any_order(),
                                        replaced(score, left(t)->variable, 0, 1, variable));
    return fold("sum", left(t)->variable, left(t)->length, left(t)->order, f("exp", score - shift) * right(top)) /
           fold("sum", right(t)->variable, right(t)->length, right(t)->order, f("exp", other - shift));
  });
}

}  // namespace reckon::algebra
