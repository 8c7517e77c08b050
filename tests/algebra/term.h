// Circuits of one element as terms: made at random, rewritten by laws that hold for all reals, damaged, written as
// Reckon.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/interp/circuits.h"

namespace reckon::algebra {

using interp::testing::Random;

struct Term;
using Tree = std::shared_ptr<const Term>;

/// number: top / bottom, or a named constant (name `ln2`, `log2e`). element: of x (any) or w (positive), at `index`, or
/// at index + sign * the variable. call: an operation `name` of the children. fold: `name` is sum, prod, max or min of
/// children[0] over variable < length, by `order`.
struct Term {
  enum class Kind : std::uint8_t { number, element, call, fold } kind{};
  std::string name{};
  long top = 0, bottom = 1;
  int index = 0, variable = -1, sign = 0;
  int length = 0;
  std::string order{};
  std::vector<Tree> children{};

  bool is(const char* what) const { return (kind == Kind::call || kind == Kind::fold) && name == what; }
  bool is_call(const char* what) const { return kind == Kind::call && name == what; }
  bool is_sum() const { return kind == Kind::fold && name == "sum"; }
};

inline constexpr int elements = 6;  ///< of x and of w

Tree number(long top, long bottom = 1);
Tree named(const char* constant);
Tree element(bool positive, int index, int variable = -1, int sign = 0);
Tree call(const char* name, std::vector<Tree> children);
Tree fold(const char* name, int variable, int length, std::string order, Tree body);
inline Tree operator+(Tree a, Tree b) { return call("+", {std::move(a), std::move(b)}); }
inline Tree operator-(Tree a, Tree b) { return call("-", {std::move(a), std::move(b)}); }
inline Tree operator*(Tree a, Tree b) { return call("*", {std::move(a), std::move(b)}); }
inline Tree operator/(Tree a, Tree b) { return call("/", {std::move(a), std::move(b)}); }
inline Tree operator-(Tree a) { return call("neg", {std::move(a)}); }
inline Tree f(const char* name, Tree a) { return call(name, {std::move(a)}); }
inline Tree f(const char* name, Tree a, Tree b) { return call(name, {std::move(a), std::move(b)}); }

std::size_t size(const Tree& t);
bool same(const Tree& a, const Tree& b);
bool mentions(const Tree& t, int variable);
/// With index + sign * variable instead of the variable (sign 0: a constant).
Tree replaced(const Tree& t, int variable, int index, int sign, int by);
/// Without exp, log, roots, sin, ...
bool is_rational(const Tree& t);
/// Above 0 for all inputs, as can be seen at once.
bool is_positive(const Tree& t);
/// The same in the ring: made of positive inputs and small primes by * / exp and roots.
bool is_positive_in_ring(const Tree& t);

/// The body of a circuit `for i: ...` over x[i, .] and w[i, .]. What occurs several times as one object is a `let`,
/// except where the generator says to write it out.
std::string source(const Tree& t, Random& random);
/// For messages: on one line, nothing shared.
std::string text(const Tree& t);

struct Law {
  std::string name;
  /// What the root becomes, or null.
  std::function<Tree(const Tree&)> apply;
};

class Generator {
 public:
  /// free_ring: circuits over -1, 0, 1, + - *, exp, sin and cos alone, and the laws of those.
  enum class Language : std::uint8_t { all, free_ring };
  explicit Generator(std::uint64_t seed, Language language = Language::all);
  Tree make();
  /// A random walk of `steps` true laws that the ring follows; with `order_laws`, also of those that it does not claim:
  /// those where the order meets sums and products. Their names are added to `used`.
  Tree walk(Tree t, int steps, bool order_laws, std::vector<std::string>& used);
  bool is_order_law(const std::string& name) const;
  /// One place changed into something else, which may be the same by chance.
  Tree damaged(const Tree& t);
  Random& random() { return random_; }

 private:
  using Rewrite = std::function<Tree(const Tree&)>;
  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  Tree term(int depth);
  Tree positive_term(int depth);
  Tree fold_term(int depth);
  Tree free_term(int depth);
  Tree leaf();
  std::string any_order();
  Tree at_random_place(const Tree& t, std::size_t place, const Rewrite& rewrite);
  void add_laws();
  void add_arithmetic_laws();
  void add_function_laws();
  void add_order_laws();
  void add_fold_laws();
  void law(const char* name, std::function<Tree(const Tree&)> apply) { laws_.push_back({name, std::move(apply)}); }
  void order_law(const char* name, std::function<Tree(const Tree&)> apply) {
    order_laws_.push_back({name, std::move(apply)});
  }
  Tree damaged_here(const Tree& t);

  Random random_;
  std::vector<Law> laws_, order_laws_;
  std::vector<int> scope_;  ///< variables of the folds around what is being made
  std::vector<int> lengths_;
  int next_variable_ = 0;
  bool rational_ = false;
  Language language_;
};

}  // namespace reckon::algebra
