// True laws of the reals, one place at a time, and damage.
#include "tests/prove/expression.h"

namespace reckon::normal {
namespace {

using Kind = Expression::Kind;

Expression binary(const char* op, Expression a, Expression b) {
  return {.kind = Kind::binary, .text = op, .children = {std::move(a), std::move(b)}};
}
Expression call(const char* name, std::vector<Expression> operands) {
  return {.kind = Kind::call, .text = name, .children = std::move(operands)};
}
Expression number(Index index) {
  Expression out;
  out.kind = Kind::number;
  out.index = std::move(index);
  return out;
}
Expression comparison(const char* relation, Expression a, Expression b) {
  Expression out;
  out.kind = Kind::compare;
  out.text = relation;
  out.children = {std::move(a), std::move(b)};
  return out;
}
Expression literal(const char* text) { return {.kind = Kind::literal, .text = text}; }
bool is(const Expression& e, const char* op) {
  return (e.kind == Kind::binary || e.kind == Kind::call) && e.text == op;
}
bool is_sum(const Expression& e) { return e.kind == Kind::fold && e.text == "sum"; }

/// Whether the variable's range is 0..n-1 or a part of it.
bool stays_below_n(const Expression& root, const std::string& variable) {
  if (root.kind == Kind::fold && root.variable == variable) {
    return root.extent.kind == Extent::Kind::plain && root.extent.index.size == 1 && root.extent.index.constant <= 0 &&
           root.extent.index.variables.empty();
  }
  return std::any_of(root.children.begin(), root.children.end(),
                     [&](const Expression& child) { return stays_below_n(child, variable); });
}

void collect(Expression& e, std::vector<Expression*>& out) {
  out.push_back(&e);
  for (Expression& child : e.children) collect(child, out);
}

}  // namespace

Expression* Generator::place(Expression& root) {
  std::vector<Expression*> all;
  collect(root, all);
  return all[random_.below(all.size())];
}

/// A copy whose bound variables have new names.
Expression Generator::renamed(const Expression& e) {
  Expression out = e;
  for (Expression& child : out.children) child = renamed(child);
  if (out.kind == Kind::fold) {
    const std::string name = fresh();
    const std::string old = out.variable;
    out.variable = name;
    for (Expression& child : out.children) child = child.with(old, {0, 0, {{name, 1}}});
    // A tile names its tile's number.
    const auto rename_tiles = [&](auto&& self, Expression& inner) -> void {
      if (inner.kind == Kind::fold && inner.extent.tile == old) inner.extent.tile = name;
      for (Expression& child : inner.children) self(self, child);
    };
    for (Expression& child : out.children) rename_tiles(rename_tiles, child);
  }
  return out;
}

bool Generator::rewrite(Expression& expression) {
  root_ = &expression;
  for (int attempt = 0; attempt < 60; ++attempt) {
    Expression* at = place(expression);
    if (at->kind == Kind::compare) continue;
    if (apply_law(*at, random_.below(32))) return true;
  }
  return false;
}

bool Generator::apply_law(Expression& e, std::uint64_t which) {
  const Expression old = e;
  const auto operand = [&](std::size_t k) -> const Expression& { return old.children[k]; };
  const bool plain_sum = is_sum(old) && old.extent.kind == Extent::Kind::plain;
  // Something short that may stand anywhere.
  const Expression other{
      .kind = Kind::element, .text = one_in(2) ? "x" : "y", .index = {static_cast<long>(random_.below(3)), 0, {}}};
  switch (which) {
    case 0:  // a + b = b + a, a * b = b * a, max(a, b) = max(b, a)
      if (!is(old, "+") && !is(old, "*") && !is(old, "max") && !is(old, "min")) return false;
      e.children = {operand(1), operand(0)};
      return true;
    case 1:  // (a + b) + c = a + (b + c), and so for *, max, min
      for (const char* op : {"+", "*", "max", "min"}) {
        if (!is(old, op) || !is(operand(0), op)) continue;
        e.children = {operand(0).children[0], old};
        e.children[1].children = {operand(0).children[1], operand(1)};
        return true;
      }
      return false;
    case 2:  // a * (b + c) = a * b + a * c
      if (!is(old, "*") || !(is(operand(1), "+") || is(operand(1), "-"))) return false;
      e = binary(operand(1).text.c_str(), binary("*", operand(0), operand(1).children[0]),
                 binary("*", renamed(operand(0)), operand(1).children[1]));
      return true;
    case 3:  // a - b = a + -1 * b
      if (!is(old, "-")) return false;
      e = binary("+", operand(0), binary("*", literal("-1"), operand(1)));
      return true;
    case 4: e = binary("*", old, literal("1")); return true;
    case 5: e = binary("-", binary("+", old, other), other); return true;
    case 6: e = binary("/", binary("*", old, other), other); return true;
    case 7:  // a / b = a * (1 / b)
      if (!is(old, "/")) return false;
      e = binary("*", operand(0), binary("/", literal("1"), operand(1)));
      return true;
    case 8:  // (a / b) / c = a / (b * c)
      if (!is(old, "/") || !is(operand(0), "/")) return false;
      e = binary("/", operand(0).children[0], binary("*", operand(0).children[1], operand(1)));
      return true;
    case 9:  // (a + b) / c = a / c + b / c
      if (!is(old, "/") || !is(operand(0), "+")) return false;
      e = binary("+", binary("/", operand(0).children[0], operand(1)),
                 binary("/", operand(0).children[1], renamed(operand(1))));
      return true;
    case 10:
    case 11:  // any order
      if (old.kind != Kind::fold) return false;
      e.order = any_order();
      return true;
    case 12:
    case 13: {  // backwards
      if (old.kind != Kind::fold || old.extent.kind != Extent::Kind::plain) return false;
      Index back = old.extent.index.plus({1, 0, {{old.variable, 1}}}, -1);
      const std::string name = fresh();
      back = back.with(old.variable, {0, 0, {{name, 1}}});
      e.variable = name;
      for (std::size_t k = 0; k < e.children.size(); ++k) e.children[k] = operand(k).with(old.variable, back);
      return true;
    }
    case 14: {  // sum f + sum g = sum (f + g)
      if (!is_sum(old) || !(is(operand(0), "+") || is(operand(0), "-"))) return false;
      if (!old.otherwise.empty() && old.otherwise != "0") return false;
      Expression a = old, b = old;
      a.children = {operand(0).children[0]};
      b.children = {operand(0).children[1]};
      e = binary(operand(0).text.c_str(), a, renamed(b));
      return true;
    }
    case 15:  // c * sum f = sum c * f
      if (!is(old, "*") || !is_sum(operand(1))) return false;
      if (!operand(1).otherwise.empty() && operand(1).otherwise != "0") return false;
      e = operand(1);
      e.children = {binary("*", renamed(operand(0)), operand(1).children[0])};
      return true;
    case 16: {  // sum over i of sum over j = sum over j of sum over i
      if (old.kind != Kind::fold || operand(0).kind != Kind::fold || old.text != operand(0).text) return false;
      const Expression& inner = operand(0);
      if (inner.extent.index.mentions(old.variable) || inner.extent.tile == old.variable) return false;
      if (!old.otherwise.empty() || !inner.otherwise.empty()) return false;
      Expression in = old;
      in.children = inner.children;
      e = inner;
      e.children = {in};
      return true;
    }
    case 17:
    case 18: {  // the first few, and the rest
      if (!plain_sum) return false;
      if (!old.otherwise.empty() && old.otherwise != "0") return false;
      const long first = 1 + static_cast<long>(random_.below(2));
      Expression a = old, b = old;
      a.extent.index = {first, 0, {}};
      b.extent.index = old.extent.index.plus({first, 0, {}}, -1);
      a.otherwise = b.otherwise = "0";
      b.children = {operand(0).with(old.variable, {first, 0, {{old.variable, 1}}})};
      e = binary("+", renamed(a), renamed(b));
      return true;
    }
    case 19:
    case 20: {  // tiles of two
      if (!plain_sum || (!old.otherwise.empty() && old.otherwise != "0")) return false;
      // Of less than nothing there would be no tiles, and no error.
      const bool natural = old.extent.index.constant >= 0 && old.extent.index.size >= 0;
      if (!natural || std::any_of(old.extent.index.variables.begin(), old.extent.index.variables.end(),
                                  [](const auto& each) { return each.second < 0; })) {
        return false;
      }
      const std::string s = fresh(), q = fresh();
      Expression inner = old;
      inner.variable = q;
      inner.extent = {Extent::Kind::tile, old.extent.index, s};
      inner.otherwise.clear();
      inner.children = {operand(0).with(old.variable, {0, 0, {{s, 2}, {q, 1}}})};
      e.variable = s;
      e.extent = {Extent::Kind::tiles, old.extent.index, {}};
      e.children = {inner};
      return true;
    }
    case 21:  // select(a < b, p, q) = select(b <= a, q, p)
      if (old.kind != Kind::choose) return false;
      e.children[0].text = operand(0).text == "<" ? "<=" : "<";
      e.children[0].children = {operand(0).children[1], operand(0).children[0]};
      e.children[1] = operand(2);
      e.children[2] = operand(1);
      return true;
    case 22:  // max(a, b) = -min(-a, -b)
      if (!is(old, "max") && !is(old, "min")) return false;
      e = binary("*", literal("-1"),
                 call(is(old, "max") ? "min" : "max",
                      {binary("*", literal("-1"), operand(0)), binary("*", literal("-1"), operand(1))}));
      return true;
    case 23:  // exp(a + b) = exp(a) exp(b)
      if (!is(old, "exp") || !is(operand(0), "+")) return false;
      e = binary("*", call("exp", {operand(0).children[0]}), call("exp", {operand(0).children[1]}));
      return true;
    case 24:  // x = log(exp(x)); x = sqrt(x)^2 where it has a root
      if (rational_) return false;
      e = one_in(2) ? call("log", {call("exp", {old})})
                    : binary("*", call("sqrt", {old}), call("sqrt", {renamed(old)}));
      return true;
    case 25:  // sin(a + b), 1 = sin^2 + cos^2
      if (rational_) return false;
      if (is(old, "sin") && is(operand(0), "+")) {
        const Expression& a = operand(0).children[0];
        const Expression& b = operand(0).children[1];
        e = binary("+", binary("*", call("sin", {a}), call("cos", {b})),
                   binary("*", call("cos", {renamed(a)}), call("sin", {renamed(b)})));
        return true;
      }
      e = binary("*", old,
                 binary("+", binary("*", call("sin", {other}), call("sin", {other})),
                        binary("*", call("cos", {other}), call("cos", {other}))));
      return true;
    case 26: e = binary("/", binary("+", old, renamed(old)), literal("2")); return true;
    case 27: e = call(one_in(2) ? "max" : "min", {old, renamed(old)}); return true;
    case 28:  // the sum of a constant
      if (!is_sum(old) || old.extent.kind != Extent::Kind::plain || operand(0).mentions(old.variable)) return false;
      if (!old.otherwise.empty()) return false;
      e = binary("*", {.kind = Kind::number, .index = old.extent.index}, operand(0));
      return true;
    case 29: {  // a triangle is a masked square
      if (!plain_sum || old.extent.index.size != 0 || old.extent.index.variables.size() != 1) return false;
      if (!old.otherwise.empty() && old.otherwise != "0") return false;
      const auto& [outer, factor] = *old.extent.index.variables.begin();
      if (!stays_below_n(*root_, outer)) return false;
      if (factor != 1 || old.extent.index.constant < 0 || old.extent.index.constant > 1) return false;
      const Expression test = comparison("<", number({0, 0, {{old.variable, 1}}}), number(old.extent.index));
      e.extent.index = {0, 1, {}};
      e.children = {{.kind = Kind::choose, .children = {test, operand(0), literal("0")}}};
      return true;
    }
    case 30:  // c * max(a, b) for c > 0
      if (!is(old, "max") && !is(old, "min")) return false;
      e = binary("/",
                 call(old.text.c_str(), {binary("*", literal("3"), operand(0)), binary("*", literal("3"), operand(1))}),
                 literal("3"));
      return true;
    default:  // 1 / (1 / x)
      if (old.kind == Kind::literal) return false;
      e = binary("/", literal("1"), binary("/", literal("1"), old));
      return true;
  }
}

void Generator::damage(Expression& expression) {
  for (;;) {
    Expression& e = *place(expression);
    switch (e.kind) {
      case Kind::literal: {
        static const char* literals[] = {"0", "1", "2", "3", "-1", "1/2", "-2"};
        e.text = literals[random_.below(7)];
        return;
      }
      case Kind::element:
        if (one_in(2)) e.text = e.text == "x" ? "y" : "x";
        else e.index.constant += e.index.constant > 0 ? -1 : 1;
        return;
      case Kind::number: e.index.constant += one_in(2) ? 1 : -1; return;
      case Kind::compare:
        if (one_in(2)) e.text = e.text == "<" ? "<=" : "<";
        else std::swap(e.children[0], e.children[1]);
        return;
      case Kind::choose: std::swap(e.children[1], e.children[2]); return;
      case Kind::call: {
        if (e.children.size() == 2) e.text = e.text == "max" ? "min" : "max";
        else if (one_in(2)) e = Expression(e.children[0]);
        else e.text = e.text == "exp" ? "cos" : e.text == "sin" ? "cos" : e.text == "abs" ? "sign" : "exp";
        return;
      }
      case Kind::binary: {
        static const char* ops[] = {"+", "-", "*", "/"};
        if (one_in(3)) std::swap(e.children[0], e.children[1]);
        else e.text = ops[random_.below(4)];
        return;
      }
      case Kind::fold: {
        switch (random_.below(4)) {
          case 0: e.text = e.text == "sum" ? "max" : "sum"; return;
          case 1:
            if (e.extent.kind != Extent::Kind::plain) continue;
            e.extent.index.constant -= 1;
            if (e.otherwise.empty()) e.otherwise = "0";
            return;
          case 2: e.otherwise = e.otherwise == "0" ? "1" : "0"; return;
          default:
            if (e.otherwise.empty()) continue;
            e.otherwise = e.otherwise == "0" ? "2" : "0";
            return;
        }
      }
    }
  }
}

}  // namespace reckon::normal
