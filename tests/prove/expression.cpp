#include "tests/prove/expression.h"

namespace reckon::normal {
namespace {

Expression number_at(Index index) {
  Expression out;
  out.kind = Expression::Kind::number;
  out.index = std::move(index);
  return out;
}
Expression comparison_of(const char* relation, Expression a, Expression b) {
  Expression out;
  out.kind = Expression::Kind::compare;
  out.text = relation;
  out.children = {std::move(a), std::move(b)};
  return out;
}

}  // namespace

std::string Index::text() const {
  std::string out;
  const auto term = [&](long factor, const std::string& name) {
    if (factor == 0) return;
    out += out.empty() ? (factor < 0 ? "0 - " : "") : (factor < 0 ? " - " : " + ");
    const long size = factor < 0 ? -factor : factor;
    out += size == 1 ? name : std::to_string(size) + " * " + name;
  };
  term(size, "n");
  for (const auto& [name, factor] : variables) term(factor, name);
  if (constant != 0 || out.empty()) {
    out += out.empty() ? std::to_string(constant)
                       : (constant < 0 ? " - " + std::to_string(-constant) : " + " + std::to_string(constant));
  }
  return out;
}

Index Index::plus(const Index& other, long factor) const {
  Index out = *this;
  out.constant += factor * other.constant;
  out.size += factor * other.size;
  for (const auto& [name, each] : other.variables) out.variables[name] += factor * each;
  std::erase_if(out.variables, [](const auto& entry) { return entry.second == 0; });
  return out;
}

Index Index::with(const std::string& variable, const Index& value) const {
  auto found = variables.find(variable);
  if (found == variables.end()) return *this;
  Index out = *this;
  const long factor = found->second;
  out.variables.erase(variable);
  return out.plus(value, factor);
}

std::string Extent::text() const {
  switch (kind) {
    case Kind::plain: return index.text();
    case Kind::tiles: return "(" + index.plus({1, 0, {}}, 1).text() + ") // 2";
    case Kind::tile: return "min(2, " + index.plus({0, 0, {{tile, 1}}}, -2).text() + ")";
  }
  return {};
}

Extent Extent::with(const std::string& variable, const Index& value) const {
  return {kind, index.with(variable, value), tile};
}

std::string Expression::source() const {
  const auto child = [&](std::size_t k) { return children[k].source(); };
  switch (kind) {
    case Kind::literal: return "f64(" + text + ")";
    case Kind::element: return text + "[" + index.text() + "]";
    case Kind::number: return "f64(" + index.text() + ")";
    case Kind::binary: return "(" + child(0) + " " + text + " " + child(1) + ")";
    case Kind::compare: return child(0) + " " + text + " " + child(1);
    case Kind::choose: return "select(" + child(0) + ", " + child(1) + ", " + child(2) + ")";
    case Kind::call: {
      std::string out = text + "(";
      for (std::size_t k = 0; k < children.size(); ++k) out += (k ? ", " : "") + child(k);
      return out + ")";
    }
    case Kind::fold:
      return "(" + text + " " + variable + " < " + extent.text() + ": " + child(0) + " by " + order +
             (otherwise.empty() ? "" : " else " + otherwise) + ")";
  }
  return {};
}

std::size_t Expression::size() const {
  std::size_t out = 1;
  for (const Expression& child : children) out += child.size();
  return out;
}

bool Expression::mentions(const std::string& name) const {
  if (index.mentions(name) || extent.index.mentions(name) || extent.tile == name) return true;
  for (const Expression& child : children) {
    if (child.mentions(name)) return true;
  }
  return false;
}

Expression Expression::with(const std::string& name, const Index& value) const {
  Expression out = *this;
  out.index = index.with(name, value);
  out.extent = extent.with(name, value);
  for (Expression& child : out.children) child = child.with(name, value);
  return out;
}

std::string Generator::any_order() {
  static const char* orders[] = {"seq", "tree", "tile(2, seq) then tree", "lanes(3, tree) then seq", "halving"};
  return orders[random_.below(5)];
}

/// A subscript below n + 3 for every value of the variables in scope, which stay below n.
Index Generator::subscript() {
  if (!scope_.empty() && !one_in(6)) {
    const Scope& of = scope_[random_.below(scope_.size())];
    switch (random_.below(6)) {
      case 0: return of.extent.plus({-1, 0, {{of.variable, -1}}}, 1);
      case 1: return {1 + static_cast<long>(random_.below(3)), 0, {{of.variable, 1}}};
      default: return {0, 0, {{of.variable, 1}}};
    }
  }
  return {static_cast<long>(random_.below(3)), 0, {}};
}

Expression Generator::leaf() {
  switch (random_.below(6)) {
    case 0: {
      static const char* literals[] = {"0", "1", "2", "3", "-1", "1/2", "-2", "2/3"};
      return {.kind = Expression::Kind::literal, .text = literals[random_.below(8)]};
    }
    case 1:
      if (!scope_.empty()) {
        const Scope& of = scope_[random_.below(scope_.size())];
        return number_at({static_cast<long>(random_.below(2)), 0, {{of.variable, 1}}});
      }
      [[fallthrough]];
    default: return {.kind = Expression::Kind::element, .text = one_in(3) ? "y" : "x", .index = subscript()};
  }
}

Expression Generator::scalar(int depth) {
  if (depth <= 0) return leaf();
  const auto binary = [&](const char* op) {
    return Expression{.kind = Expression::Kind::binary, .text = op, .children = {scalar(depth - 1), scalar(depth - 1)}};
  };
  switch (random_.below(20)) {
    case 0: return leaf();
    case 1:
    case 2:
    case 3: return binary("+");
    case 4: return binary("-");
    case 5:
    case 6:
    case 7: return binary("*");
    case 8:
    case 9: return binary("/");
    case 10:
      return {.kind = Expression::Kind::call,
              .text = one_in(2) ? "max" : "min",
              .children = {scalar(depth - 1), scalar(depth - 1)}};
    case 11: {
      if (!scope_.empty() && one_in(2)) {
        // Of indices: i < j + 1.
        const auto number = [&] {
          const Scope& of = scope_[random_.below(scope_.size())];
          return number_at({static_cast<long>(random_.below(2)), 0, {{of.variable, 1}}});
        };
        Expression first = number(), second = one_in(4) ? number_at({2, 0, {}}) : number();
        if (one_in(2)) std::swap(first, second);
        Expression test = comparison_of(one_in(3) ? "<=" : "<", first, second);
        Expression otherwise =
            one_in(2) ? Expression{.kind = Expression::Kind::literal, .text = "0"} : scalar(depth - 1);
        return {.kind = Expression::Kind::choose, .children = {test, scalar(depth - 1), otherwise}};
      }
      const char* relation = one_in(3) ? "<=" : "<";
      Expression test = comparison_of(relation, scalar(depth - 2), scalar(depth - 2));
      return {.kind = Expression::Kind::choose, .children = {test, scalar(depth - 1), scalar(depth - 1)}};
    }
    case 12: {
      if (rational_) return {.kind = Expression::Kind::call, .text = "abs", .children = {scalar(depth - 1)}};
      static const char* functions[] = {"exp", "exp", "exp", "sqrt", "log", "sin", "cos", "rsqrt", "tanh"};
      return {.kind = Expression::Kind::call, .text = functions[random_.below(9)], .children = {scalar(depth - 1)}};
    }
    default: {
      if (scope_.size() >= 3) return binary("*");
      static const char* folds[] = {"sum", "sum", "sum", "sum", "sum", "max", "min", "prod"};
      Expression out{.kind = Expression::Kind::fold, .text = folds[random_.below(8)]};
      out.variable = fresh();
      out.order = any_order();
      Index range{0, 1, {}};
      if (!scope_.empty() && one_in(4)) {
        // A triangle, with the diagonal or without.
        const Scope& of = scope_[random_.below(scope_.size())];
        range = {static_cast<long>(random_.below(2)), 0, {{of.variable, 1}}};
      } else if (one_in(5)) {
        range = {1 + static_cast<long>(random_.below(3)), 0, {}};
        if (one_in(3)) range = {-1, 1, {}};
      }
      out.extent = {Extent::Kind::plain, range, {}};
      if ((range.constant <= 0 && range.size == 0) || range.constant < 0 || one_in(4)) {
        static const char* neutral[] = {"0", "1", "0", "2"};
        out.otherwise = out.text == "sum" && !one_in(4) ? "0" : neutral[random_.below(4)];
      }
      // Subscripts stay below n + 3: a constant range may pass n.
      scope_.push_back({out.variable, range});
      out.children = {scalar(depth - 1)};
      scope_.pop_back();
      return out;
    }
  }
}

Generated Generator::make() {
  rational_ = !one_in(3);
  scope_.clear();
  next_ = 0;
  Generated out;
  do {
    out.expression = scalar(3 + static_cast<int>(random_.below(2)));
  } while (out.expression.size() < 4 || out.expression.size() > 60);
  out.rational = rational_;
  return out;
}

}  // namespace reckon::normal
