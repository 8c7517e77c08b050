// Random circuits as trees that can be rewritten by true laws, and damaged: what the proofs are tested with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/interp/circuits.h"

namespace reckon::normal {

using interp::testing::Random;

/// c + d n + sum of coefficients times variables.
struct Index {
  long constant = 0, size = 0;
  std::map<std::string, long> variables{};

  std::string text() const;
  bool mentions(const std::string& variable) const { return variables.contains(variable); }
  Index plus(const Index& other, long factor) const;
  Index with(const std::string& variable, const Index& value) const;
};

/// A range: 0..index-1; or as many tiles of two as cover it; or one such tile, number `tile`.
struct Extent {
  enum class Kind : std::uint8_t { plain, tiles, tile } kind{};
  Index index{};
  std::string tile{};

  std::string text() const;
  Extent with(const std::string& variable, const Index& value) const;
};

struct Expression {
  /// literal: text. element: of x, y (text), at index. number: index. unary, binary, call: text, children.
  /// less: index < other index. choose: children [condition, a, b]. fold: text is sum, prod, max or min; the variable,
  /// its extent, by `order`, `otherwise` if it may be empty.
  enum class Kind : std::uint8_t { literal, element, number, call, binary, choose, compare, fold } kind{};
  std::string text{};
  Index index{};
  std::vector<Expression> children{};
  std::string variable{}, order{}, otherwise{};
  Extent extent{};

  std::string source() const;
  std::size_t size() const;
  bool mentions(const std::string& variable) const;
  /// The expression with the index expression for the variable. (All bound names differ.)
  Expression with(const std::string& variable, const Index& value) const;
};

struct Generated {
  Expression expression;
  bool rational = true;  ///< without exp, log, sqrt, ...
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Generated make();
  /// One random place rewritten by a law that holds for all reals where both sides are defined. False if the law that
  /// was drawn fits nowhere near.
  bool rewrite(Expression& expression);
  /// One random place changed into something else, which may mean the same by chance.
  void damage(Expression& expression);

  Random& random() { return random_; }

 private:
  struct Scope {
    std::string variable;
    Index extent;
  };
  Expression scalar(int depth);
  Expression leaf();
  Index subscript();
  std::string fresh() { return "i" + std::to_string(next_++); }
  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  std::string any_order();
  Expression* place(Expression& root);
  bool apply_law(Expression& e, std::uint64_t which);
  Expression renamed(const Expression& e);

  Random random_;
  std::vector<Scope> scope_;
  int next_ = 0;
  const Expression* root_ = nullptr;  ///< of the place that is being rewritten
  bool rational_ = true;
};

}  // namespace reckon::normal
