// Terms over the reals, by GMP's rationals and by Arb's balls: what the rings and the proofs are held against. Nothing
// is shared with the evaluator.
#pragma once

#include <arb.h>
#include <gmpxx.h>

#include <map>
#include <optional>

#include "tests/algebra/term.h"

namespace reckon::algebra {

struct RealInputs {
  std::vector<mpq_class> x, w;
};
inline RealInputs random_reals(Random& random) {
  RealInputs out;
  for (int k = 0; k < elements; ++k) {
    out.x.emplace_back(static_cast<long>(random.below(65)) - 32, 16);
    out.w.emplace_back(static_cast<long>(1 + random.below(48)), 16);
    out.x.back().canonicalize();
    out.w.back().canonicalize();
  }
  return out;
}

struct Exactly {
  mpq_class value;
  static Exactly of(const mpq_class& q) { return {q}; }
  std::optional<bool> less(const Exactly& other, bool or_equal) const {
    return or_equal ? value <= other.value : value < other.value;
  }
  bool usable() const {
    return mpz_sizeinbase(value.get_num_mpz_t(), 2) + mpz_sizeinbase(value.get_den_mpz_t(), 2) < 1u << 16;
  }
  static bool apart(const Exactly& a, const Exactly& b) { return a.value != b.value; }
  static std::optional<Exactly> constant(const std::string&) { return {}; }
  static std::optional<Exactly> apply(const std::string& op, const std::vector<Exactly>& a) {
    const mpq_class& x = a[0].value;
    if (op == "+") return Exactly{x + a[1].value};
    if (op == "-") return Exactly{x - a[1].value};
    if (op == "*") return Exactly{x * a[1].value};
    if (op == "/") return a[1].value == 0 ? std::optional<Exactly>() : Exactly{x / a[1].value};
    if (op == "max") return Exactly{std::max(x, a[1].value)};
    if (op == "min") return Exactly{std::min(x, a[1].value)};
    if (op == "neg") return Exactly{-x};
    if (op == "abs") return Exactly{abs(x)};
    if (op == "fma") return Exactly{x * a[1].value + a[2].value};
    return {};
  }
};

class Ball {
 public:
  Ball() { arb_init(value_); }
  Ball(const Ball& other) : Ball() { arb_set(value_, other.value_); }
  Ball& operator=(const Ball& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~Ball() { arb_clear(value_); }

  static Ball of(const mpq_class& q) {
    fmpq_t exact;
    fmpq_init(exact);
    fmpq_set_mpq(exact, q.get_mpq_t());
    Ball out;
    arb_set_fmpq(out.value_, exact, precision);
    fmpq_clear(exact);
    return out;
  }
  std::optional<bool> less(const Ball& other, bool or_equal) const {
    if (or_equal ? arb_le(value_, other.value_) : arb_lt(value_, other.value_)) return true;
    if (or_equal ? arb_gt(value_, other.value_) : arb_ge(value_, other.value_)) return false;
    return {};
  }
  bool usable() const { return arb_is_finite(value_) != 0; }
  static bool apart(const Ball& a, const Ball& b) { return !arb_overlaps(a.value_, b.value_); }
  static std::optional<Ball> constant(const std::string& name) {
    Ball out, one;
    arb_const_log2(out.value_, precision);
    arb_one(one.value_);
    if (name == "log2e") arb_div(out.value_, one.value_, out.value_, precision);
    return out;
  }
  static std::optional<Ball> apply(const std::string& op, const std::vector<Ball>& a) {
    Ball out;
    const arb_ptr r = out.value_;
    const auto x = a[0].value_;
    const auto y = a.size() > 1 ? a[1].value_ : x;
    if (op == "+") arb_add(r, x, y, precision);
    else if (op == "-") arb_sub(r, x, y, precision);
    else if (op == "*") arb_mul(r, x, y, precision);
    else if (op == "/") arb_div(r, x, y, precision);
    else if (op == "max") arb_max(r, x, y, precision);
    else if (op == "min") arb_min(r, x, y, precision);
    else if (op == "neg") arb_neg(r, x);
    else if (op == "abs") arb_abs(r, x);
    else if (op == "fma") arb_mul(r, x, y, precision), arb_add(r, r, a[2].value_, precision);
    else if (op == "exp") arb_exp(r, x, precision);
    else if (op == "exp2") arb_const_log2(r, precision), arb_mul(r, r, x, precision), arb_exp(r, r, precision);
    else if (op == "log") arb_log(r, x, precision);
    else if (op == "log2") arb_log_base_ui(r, x, 2, precision);
    else if (op == "sqrt") arb_sqrt(r, x, precision);
    else if (op == "rsqrt") arb_rsqrt(r, x, precision);
    else if (op == "sin") arb_sin(r, x, precision);
    else if (op == "cos") arb_cos(r, x, precision);
    else if (op == "tanh") arb_tanh(r, x, precision);
    else return {};
    return out;
  }

 private:
  static constexpr slong precision = 256;
  mutable arb_t value_;
};

/// Nothing where the term has no value, or none that can be told.
template <class Number>
std::optional<Number> evaluate(const Tree& t, const RealInputs& inputs, std::map<int, int>& variables) {
  switch (t->kind) {
    case Term::Kind::number:
      return t->name.empty() ? Number::of(mpq_class(t->top, static_cast<unsigned long>(t->bottom)))
                             : Number::constant(t->name);
    case Term::Kind::element: {
      const int index = t->index + (t->sign == 0 ? 0 : t->sign * variables.at(t->variable));
      return Number::of((t->name == "x" ? inputs.x : inputs.w).at(static_cast<std::size_t>(index)));
    }
    case Term::Kind::fold: {
      std::optional<Number> out;
      const std::string op = t->name == "sum" ? "+" : t->name == "prod" ? "*" : t->name;
      for (int k = 0; k < t->length; ++k) {
        variables[t->variable] = k;
        auto next = evaluate<Number>(t->children[0], inputs, variables);
        if (!next) return {};
        out = out ? Number::apply(op, {*out, *next}) : next;
        if (!out || !out->usable()) return {};
      }
      return out;
    }
    case Term::Kind::call: break;
  }
  std::vector<Number> operands;
  const bool selects = t->name.starts_with("select");
  for (const Tree& child : t->children) {
    auto value = evaluate<Number>(child, inputs, variables);
    if (!value) return {};
    operands.push_back(*value);
  }
  if (selects) {
    const auto truth = operands[0].less(operands[1], t->name == "select<=");
    if (!truth) return {};
    return operands[*truth ? 2 : 3];
  }
  auto out = Number::apply(t->name, operands);
  return out && out->usable() ? out : std::nullopt;
}

/// How two terms compare at a point of the reals: certainly apart, as far as can be told equal, or one without a value.
enum class Reals : std::uint8_t { apart, equal, undefined };
template <class Number>
Reals compare_as(const Tree& a, const Tree& b, const RealInputs& inputs) {
  std::map<int, int> variables;
  const auto p = evaluate<Number>(a, inputs, variables);
  if (!p) return Reals::undefined;
  const auto q = evaluate<Number>(b, inputs, variables);
  if (!q) return Reals::undefined;
  return Number::apart(*p, *q) ? Reals::apart : Reals::equal;
}
inline Reals compare_over_reals(const Tree& a, const Tree& b, const RealInputs& inputs) {
  return is_rational(a) && is_rational(b) ? compare_as<Exactly>(a, b, inputs) : compare_as<Ball>(a, b, inputs);
}

}  // namespace reckon::algebra
