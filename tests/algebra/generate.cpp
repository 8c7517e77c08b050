#include <algorithm>
#include <set>

#include "tests/algebra/term.h"

namespace reckon::algebra {

namespace {
/// Those that make nothing but + - *, exp, sin, cos, sums and products of their kind, and no other numbers.
const std::set<std::string> free_laws{"a + b = b + a",
                                      "(a + b) + c = a + (b + c)",
                                      "a (b + c) = a b + a c",
                                      "a b + a c = a (b + c)",
                                      "a - b = a + -b",
                                      "a - b = -(b - a)",
                                      "-a = -1 a",
                                      "a = -(-a)",
                                      "a = a + b - b",
                                      "a = a 1",
                                      "a = a + 0",
                                      "fma(a, b, c) = a b + c",
                                      "a b + c = fma(a, b, c)",
                                      "a^2 - b^2 = (a - b) (a + b)",
                                      "exp a exp b = exp(a + b)",
                                      "sin(a + b) = sin a cos b + cos a sin b",
                                      "sin(-a) = -sin a",
                                      "a = a (sin^2 + cos^2)",
                                      "another order",
                                      "backwards",
                                      "written out",
                                      "the last, and the others",
                                      "two parts",
                                      "sum (f + g) = sum f + sum g",
                                      "c sum f = sum c f",
                                      "sum c f = c sum f",
                                      "prod exp f = exp sum f",
                                      "exp sum f = prod exp f",
                                      "sums change places"};
}  // namespace

Generator::Generator(std::uint64_t seed, Language language) : random_(seed), language_(language) {
  add_laws();
  if (language_ == Language::free_ring)
    std::erase_if(laws_, [](const Law& law) { return !free_laws.contains(law.name); });
}

void Generator::add_laws() {
  add_arithmetic_laws();
  add_function_laws();
  add_order_laws();
  add_fold_laws();
}

std::string Generator::any_order() {
  static const char* orders[] = {"seq", "tree", "halving", "tile(2, seq) then tree", "lanes(3, tree) then seq"};
  return orders[random_.below(5)];
}

Tree Generator::leaf() {
  if (language_ == Language::free_ring && one_in(4)) return number(static_cast<long>(random_.below(3)) - 1);
  if (language_ == Language::all && one_in(4)) {
    static const std::pair<long, long> numbers[] = {{1, 1},  {2, 1}, {3, 1}, {-1, 1}, {1, 2},
                                                    {-3, 4}, {5, 1}, {0, 1}, {1, 10}, {4, 1}};
    const auto& [top, bottom] = numbers[random_.below(10)];
    return number(top, bottom);
  }
  const bool positive = one_in(3);
  if (!scope_.empty() && !one_in(5)) {
    const std::size_t which = random_.below(scope_.size());
    const int room = elements - lengths_[which];
    if (one_in(5)) return element(positive, lengths_[which] - 1, scope_[which], -1);
    return element(positive, room > 0 ? static_cast<int>(random_.below(static_cast<std::uint64_t>(room) + 1)) : 0,
                   scope_[which], 1);
  }
  return element(positive, static_cast<int>(random_.below(elements)));
}

Tree Generator::fold_term(int depth) {
  static const char* names[] = {"prod", "sum", "sum", "sum", "sum", "max", "min"};
  const char* name = names[random_.below(language_ == Language::all ? 7 : 4)];
  const int variable = next_variable_++, length = 1 + static_cast<int>(random_.below(elements));
  scope_.push_back(variable);
  lengths_.push_back(length);
  Tree body = term(depth - 1);
  scope_.pop_back();
  lengths_.pop_back();
  return fold(name, variable, length, any_order(), std::move(body));
}

/// Above 0 over the reals; mostly in the ring, too.
Tree Generator::positive_term(int depth) {
  if (depth <= 0 || one_in(3)) {
    if (!scope_.empty() && one_in(2)) {
      const std::size_t which = random_.below(scope_.size());
      return element(true, 0, scope_[which], 1);
    }
    return one_in(6) ? number(1 + static_cast<long>(random_.below(5)))
                     : element(true, static_cast<int>(random_.below(elements)));
  }
  switch (random_.below(8)) {
    case 0:
    case 1: return f("exp", term(depth - 1));
    case 2:
    case 3: return positive_term(depth - 1) * positive_term(depth - 1);
    case 4: return positive_term(depth - 1) / positive_term(depth - 1);
    case 5: return f("sqrt", positive_term(depth - 1));
    case 6: return f(one_in(2) ? "max" : "min", positive_term(depth - 1), positive_term(depth - 1));
    default: return positive_term(depth - 1) + positive_term(depth - 1);
  }
}

Tree Generator::free_term(int depth) {
  const auto sub = [&] { return term(depth - 1); };
  switch (random_.below(12)) {
    case 0:
    case 1: return sub() + sub();
    case 2: return sub() - sub();
    case 3:
    case 4: return sub() * sub();
    case 5: return call("fma", {sub(), sub(), sub()});
    case 6: return -sub();
    case 7: return f("sin", sub());
    case 8: return f("cos", sub());
    case 9: return scope_.size() < 2 ? fold_term(depth) : sub() * sub();
    default: return f("exp", sub());
  }
}

Tree Generator::term(int depth) {
  if (depth <= 0) return leaf();
  if (language_ == Language::free_ring) return free_term(depth);
  const auto sub = [&] { return term(depth - 1); };
  switch (random_.below(22)) {
    case 0: return leaf();
    case 1:
    case 2:
    case 3: return sub() + sub();
    case 4: return sub() - sub();
    case 5:
    case 6:
    case 7: return sub() * sub();
    case 8:
    case 9: return sub() / sub();
    case 10: return call("fma", {sub(), sub(), sub()});
    case 11: return f(one_in(2) ? "max" : "min", sub(), sub());
    case 12: {
      if (one_in(3)) return f("abs", sub());
      return call(one_in(2) ? "select<" : "select<=", {term(depth - 2), term(depth - 2), sub(), sub()});
    }
    case 13: {  // shared
      const Tree t = sub();
      return one_in(2) ? t * t : t + leaf() / t;
    }
    case 14:
    case 15:
    case 16:
    case 17:
      if (scope_.size() < 2) return fold_term(depth);
      return sub() * sub();
    default: {
      if (rational_) return sub() + sub();
      static const char* any[] = {"exp", "exp", "exp", "exp2", "sin", "cos", "tanh"};
      static const char* of_positive[] = {"log", "sqrt", "rsqrt", "log", "sqrt", "log2"};
      if (one_in(2)) return f(any[random_.below(7)], sub());
      return f(of_positive[random_.below(6)], one_in(8) ? sub() : positive_term(depth - 1));
    }
  }
}

Tree Generator::make() {
  for (;;) {
    rational_ = one_in(3);
    scope_.clear();
    lengths_.clear();
    next_variable_ = 0;
    Tree t;
    if (language_ == Language::all && one_in(8) && !rational_) {  // a softmax, weighed
      const int length = 2 + static_cast<int>(random_.below(elements - 1)), top = next_variable_++,
                bottom = next_variable_++;
      scope_ = {top}, lengths_ = {length};
      const Tree score = term(1), weight = term(1);
      scope_.clear(), lengths_.clear();
      t = fold("sum", top, length, any_order(), f("exp", score) * weight) /
          fold("sum", bottom, length, any_order(), f("exp", replaced(score, top, 0, 1, bottom)));
    } else {
      t = term(3 + static_cast<int>(random_.below(2)));
    }
    if (size(t) >= 4 && size(t) <= 50) return t;
  }
}

/// The tree with what `rewrite` makes of the place with this number, in preorder; null if it makes nothing of it.
Tree Generator::at_random_place(const Tree& t, std::size_t place, const Rewrite& rewrite) {
  if (place == 0) return rewrite(t);
  --place;
  for (std::size_t k = 0; k < t->children.size(); ++k) {
    const std::size_t inside = size(t->children[k]);
    if (place >= inside) {
      place -= inside;
      continue;
    }
    Tree child = at_random_place(t->children[k], place, rewrite);
    if (!child) return {};
    Term out = *t;
    out.children[k] = std::move(child);
    return std::make_shared<const Term>(std::move(out));
  }
  return {};
}

Tree Generator::walk(Tree t, int steps, bool order_laws, std::vector<std::string>& used) {
  for (int step = 0, attempts = 0; step < steps && attempts < 400; ++attempts) {
    const bool by_order = order_laws && one_in(4);
    const std::vector<Law>& laws = by_order ? order_laws_ : laws_;
    const Law& law = laws[random_.below(laws.size())];
    const Tree next = at_random_place(t, random_.below(size(t)), law.apply);
    if (!next || size(next) > 120) continue;
    t = next;
    used.push_back(law.name);
    ++step;
  }
  return t;
}

bool Generator::is_order_law(const std::string& name) const {
  return std::any_of(order_laws_.begin(), order_laws_.end(), [&](const Law& law) { return law.name == name; });
}

Tree Generator::damaged(const Tree& t) {
  for (;;) {
    const Tree out = at_random_place(t, random_.below(size(t)), [&](const Tree& place) { return damaged_here(place); });
    if (out && !same(out, t)) return out;
  }
}

Tree Generator::damaged_here(const Tree& t) {
  Term out = *t;
  const auto made = [&] { return std::make_shared<const Term>(std::move(out)); };
  switch (t->kind) {
    case Term::Kind::number: {
      if (!t->name.empty()) return named(t->name == "ln2" ? "log2e" : "ln2");
      static const std::pair<long, long> numbers[] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {-1, 1}, {1, 2}, {7, 2}};
      const auto& [top, bottom] = numbers[random_.below(7)];
      return number(top, bottom);
    }
    case Term::Kind::element:
      if (one_in(2)) {
        out.name = t->name == "x" ? "w" : "x";
      } else if (t->sign == 0) {
        out.index = static_cast<int>(random_.below(elements));
      } else {
        out.index = 0, out.sign = 0, out.variable = -1;
      }
      return made();
    case Term::Kind::fold: {
      if (one_in(2) && t->length > 1) {
        --out.length;
        return made();
      }
      static const char* names[] = {"sum", "max", "min", "prod"};
      out.name = names[random_.below(4)];
      return made();
    }
    case Term::Kind::call: break;
  }
  if (one_in(4)) return t->children[random_.below(t->children.size())];
  if (t->children.size() >= 2 && one_in(3)) {
    const std::size_t k = random_.below(t->children.size()), other = random_.below(t->children.size());
    std::swap(out.children[k], out.children[other]);
    return made();
  }
  switch (t->children.size()) {
    case 1: {
      static const char* names[] = {"exp", "exp2", "log", "sqrt", "sin", "cos", "tanh", "abs", "neg"};
      out.name = names[random_.below(9)];
      break;
    }
    case 2: {
      static const char* names[] = {"+", "-", "*", "/", "max", "min"};
      out.name = names[random_.below(6)];
      break;
    }
    case 3: out.children[random_.below(3)] = leaf(); break;
    default: out.children[random_.below(4)] = leaf(); break;
  }
  return made();
}

}  // namespace reckon::algebra
