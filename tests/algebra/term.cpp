#include "tests/algebra/term.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace reckon::algebra {

namespace {

using Kind = Term::Kind;
Tree made(Term t) { return std::make_shared<const Term>(std::move(t)); }

}  // namespace

Tree number(long top, long bottom) {
  const long common = std::gcd(top, bottom);
  return made({.kind = Kind::number, .top = top / common, .bottom = bottom / common});
}
Tree named(const char* constant) { return made({.kind = Kind::number, .name = constant, .top = 1}); }
Tree element(bool positive, int index, int variable, int sign) {
  return made(
      {.kind = Kind::element, .name = positive ? "w" : "x", .index = index, .variable = variable, .sign = sign});
}
Tree call(const char* name, std::vector<Tree> children) {
  return made({.kind = Kind::call, .name = name, .children = std::move(children)});
}
Tree fold(const char* name, int variable, int length, std::string order, Tree body) {
  return made({.kind = Kind::fold,
               .name = name,
               .variable = variable,
               .length = length,
               .order = std::move(order),
               .children = {std::move(body)}});
}

std::size_t size(const Tree& t) {
  std::size_t out = 1;
  for (const Tree& child : t->children) out += size(child);
  return out;
}

bool same(const Tree& a, const Tree& b) { return a == b || text(a) == text(b); }

bool mentions(const Tree& t, int variable) {
  if (t->kind == Kind::element && t->sign != 0 && t->variable == variable) return true;
  return std::any_of(t->children.begin(), t->children.end(),
                     [&](const Tree& child) { return mentions(child, variable); });
}

Tree replaced(const Tree& t, int variable, int index, int sign, int by) {
  if (!mentions(t, variable)) return t;
  Term out = *t;
  if (t->kind == Kind::element) {
    out.index += t->sign * index;
    out.sign = t->sign * sign;
    out.variable = sign == 0 ? -1 : by;
  }
  for (Tree& child : out.children) child = replaced(child, variable, index, sign, by);
  return made(std::move(out));
}

bool is_rational(const Tree& t) {
  static const std::vector<std::string> others{"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tanh"};
  if (t->kind == Kind::number && !t->name.empty()) return false;
  if (t->kind == Kind::call && std::find(others.begin(), others.end(), t->name) != others.end()) return false;
  return std::all_of(t->children.begin(), t->children.end(), is_rational);
}

namespace {
bool all_positive(const Tree& t, bool (*positive)(const Tree&)) {
  return std::all_of(t->children.begin(), t->children.end(), positive);
}
}  // namespace

namespace {
/// Made of 2, 3 and 5 alone, which are squares modulo p and modulo q: their roots keep what feeds exp.
bool is_square_of_both(long n) {
  for (long prime : {2, 3, 5}) {
    while (n > 0 && n % prime == 0) n /= prime;
  }
  return n == 1;
}
}  // namespace

bool is_positive_in_ring(const Tree& t) {
  switch (t->kind) {
    case Kind::number: return t->name.empty() && is_square_of_both(t->top) && is_square_of_both(t->bottom);
    case Kind::element: return t->name == "w";
    case Kind::call:
      if (t->name == "exp" || t->name == "exp2") return true;
      return (t->name == "*" || t->name == "/" || t->name == "max" || t->name == "min" || t->name == "sqrt" ||
              t->name == "rsqrt") &&
             all_positive(t, is_positive_in_ring);
    case Kind::fold: return t->name != "sum" && all_positive(t, is_positive_in_ring);
  }
  return false;
}

bool is_positive(const Tree& t) {
  if (t->kind == Kind::fold) return all_positive(t, is_positive);
  if (t->kind == Kind::number) return t->name.empty() && t->top > 0;
  if (t->kind != Kind::call) return is_positive_in_ring(t);
  if (t->name == "exp" || t->name == "exp2") return true;
  return (t->name == "+" || t->name == "*" || t->name == "/" || t->name == "max" || t->name == "min" ||
          t->name == "sqrt" || t->name == "rsqrt" || t->name == "fma") &&
         all_positive(t, is_positive);
}

namespace {

class Writer {
 public:
  /// Nothing is shared without a generator.
  explicit Writer(Random* random) : random_(random) {}

  std::string body(const Tree& t) {
    if (random_) count(t);
    const std::string result = write(t);
    return lets_.empty() ? result : "{ " + lets_ + result + " }";
  }

 private:
  void count(const Tree& t) {
    if (++uses_[t.get()] > 1) return;
    for (const Tree& child : t->children) count(child);
  }
  static bool is_closed(const Tree& t, std::vector<int> bound) {
    if (t->kind == Kind::element && t->sign != 0)
      return std::find(bound.begin(), bound.end(), t->variable) != bound.end();
    if (t->kind == Kind::fold) bound.push_back(t->variable);
    return std::all_of(t->children.begin(), t->children.end(),
                       [&](const Tree& child) { return is_closed(child, bound); });
  }

  std::string write(const Tree& t) {
    const bool shared = random_ && t->children.size() > 0 && uses_[t.get()] > 1 && is_closed(t, {});
    if (!shared) return plain(t);
    if (const auto found = names_.find(t.get()); found != names_.end()) return found->second;
    if (random_->below(4) == 0) return plain(t);
    const std::string value = plain(t), name = "t" + std::to_string(names_.size());
    lets_ += "let " + name + " = " + value + "; ";
    return names_[t.get()] = name;
  }

  std::string plain(const Tree& t) {
    const auto child = [&](std::size_t k) { return write(t->children[k]); };
    switch (t->kind) {
      case Kind::number:
        if (!t->name.empty()) return "f32(" + t->name + ")";
        return t->bottom == 1 ? fmt::format("f32({})", t->top) : fmt::format("f32({}/{})", t->top, t->bottom);
      case Kind::element: {
        if (t->sign == 0) return fmt::format("{}[i, {}]", t->name, t->index);
        if (t->sign < 0) return fmt::format("{}[i, {} - j{}]", t->name, t->index, t->variable);
        return fmt::format("{}[i, j{}{}]", t->name, t->variable, t->index == 0 ? "" : fmt::format(" + {}", t->index));
      }
      case Kind::fold:
        return fmt::format("({} j{} < {}: {} by {})", t->name, t->variable, t->length, child(0), t->order);
      case Kind::call: break;
    }
    if (t->name == "neg") return "(-" + child(0) + ")";
    if (t->name == "select<" || t->name == "select<=") {
      const std::string a = child(0), b = child(1), u = child(2);
      return fmt::format("select({} {} {}, {}, {})", a, t->name.substr(6), b, u, child(3));
    }
    if (!std::isalpha(static_cast<unsigned char>(t->name[0]))) {
      const std::string a = child(0);
      return "(" + a + " " + t->name + " " + child(1) + ")";
    }
    std::string out = t->name + "(";
    for (std::size_t k = 0; k < t->children.size(); ++k) out += (k ? ", " : "") + child(k);
    return out + ")";
  }

  Random* random_;
  std::map<const Term*, int> uses_;
  std::map<const Term*, std::string> names_;
  std::string lets_;
};

}  // namespace

std::string source(const Tree& t, Random& random) { return Writer(&random).body(t); }
std::string text(const Tree& t) { return Writer(nullptr).body(t); }

}  // namespace reckon::algebra
