// Balls of expressions, and the questions that they answer.
#include <algorithm>
#include <mutex>
#include <set>
#include <vector>

#include "numerics/reals/node.h"

namespace reckon::numerics {

namespace {

constexpr long first_precision = 64;

/// Guards every node's ball: nodes are shared between all values, and refining is rare beside arithmetic.
std::mutex& lock() {
  static std::mutex mutex;
  return mutex;
}

void set_ball(Ball& out, const Real& rational, long bits) {
  if (const DyadicNode* longer = as_dyadic(rational)) out.set(longer->mantissa, longer->exponent, bits);
  else if (!rational.node()) out.set(mpz_class(static_cast<long>(rational.mantissa())), rational.exponent(), bits);
  else out.set(static_cast<const RationalNode*>(rational.node())->value, bits);
}

bool is_over(const Limit& limit) { return limit.stop != nullptr && limit.stop->load(std::memory_order_relaxed); }

/// A ball of the expression at `bits` or more; null if the limit says to stop. The lock must be held. There is no
/// recursion: operands come first.
const Ball* refined(const Expression& root, long bits, const Limit& limit) {
  std::vector<const Expression*> waiting{&root};
  while (!waiting.empty()) {
    const Expression& node = *waiting.back();
    bool ready = true;
    if (node.precision < bits) {
      for (const Real* operand : {&node.a, &node.b}) {
        const Expression* child = as_expression(*operand);
        if (!child || child->precision >= bits) continue;
        waiting.push_back(child);
        ready = false;
      }
    }
    if (!ready) continue;
    waiting.pop_back();
    if (node.precision >= bits) continue;
    if (is_over(limit)) return nullptr;
    Ball first, second, result;
    const auto ball_of = [bits](const Real& operand, Ball& temporary) -> const Ball& {
      if (const Expression* child = as_expression(operand)) return child->ball;
      set_ball(temporary, operand, bits);
      return temporary;
    };
    const Ball& x = ball_of(node.a, first);
    result.compute(node.function, x, ball_of(node.b, second), bits);
    node.ball.swap(result);
    node.precision = bits;
    // If an operand has no other user, its ball is cleared: a repeated question finds the answer here.
    for (const Real* operand : {&node.a, &node.b}) {
      const Expression* child = as_expression(*operand);
      if (!child || child->references.load(std::memory_order_relaxed) != 1) continue;
      child->ball.clear();
      child->precision = 0;
    }
  }
  return &root.ball;
}

/// Calls answer(ball) with growing precision until it returns true.
bool refine_until(const Expression& node, const Limit& limit, auto answer) {
  const std::lock_guard guard(lock());
  for (long bits = first_precision;; bits *= 2) {
    bits = std::min(bits, limit.bits);
    const Ball* ball = refined(node, bits, limit);
    if (ball == nullptr) return false;
    if (answer(*ball)) return true;
    if (bits >= limit.bits) return false;
  }
}

mpz_class floor_of(const mpz_class& mantissa, long exponent) {
  mpz_class out;
  if (exponent >= 0) mpz_mul_2exp(out.get_mpz_t(), mantissa.get_mpz_t(), shift(exponent));
  else mpz_fdiv_q_2exp(out.get_mpz_t(), mantissa.get_mpz_t(), static_cast<mp_bitcnt_t>(-exponent));
  return out;
}

mpq_class scaled(const mpz_class& mantissa, long exponent) {
  mpq_class out(mantissa);
  if (exponent >= 0) out <<= shift(exponent);
  else out >>= shift(-exponent);
  return out;
}

}  // namespace

std::optional<int> sign(const Real& a, Limit limit) {
  const Signs known = signs_of(a);
  if (known == positive) return 1;
  if (known == negative) return -1;
  if (known == zero) return 0;
  const Expression& node = *as_expression(a);
  int out = 0;
  if (!refine_until(node, limit, [&](const Ball& ball) { return (out = ball.sign()) != 0; })) return std::nullopt;
  node.signs.store(signs_of(out), std::memory_order_relaxed);
  return out;
}

std::optional<int> compare(const Real& a, const Real& b, Limit limit) {
  if (a.is_rational() && b.is_rational()) return sign(sub(a, b), limit);
  const Signs x = signs_of(a), y = signs_of(b);
  if (x == positive && (y & positive) == 0) return 1;
  if (y == positive && (x & positive) == 0) return -1;
  if (x == negative && (y & negative) == 0) return -1;
  if (y == negative && (x & negative) == 0) return 1;
  if (b.is_zero()) return sign(a, limit);
  if (a.is_zero()) {
    const auto other = sign(b, limit);
    return other ? std::optional(-*other) : std::nullopt;
  }
  if (identical(a, b)) return 0;
  const std::lock_guard guard(lock());
  for (long bits = first_precision;; bits *= 2) {
    bits = std::min(bits, limit.bits);
    Ball first, second;
    const auto ball_of = [&](const Real& value, Ball& temporary) -> const Ball* {
      if (const Expression* node = as_expression(value)) return refined(*node, bits, limit);
      set_ball(temporary, value, bits);
      return &temporary;
    };
    // The caller refers to both nodes, so neither's ball is cleared while the other one is computed.
    const Ball* of_a = ball_of(a, first);
    const Ball* of_b = of_a != nullptr ? ball_of(b, second) : nullptr;
    if (of_b == nullptr) return std::nullopt;
    if (const int order = of_a->compare(*of_b)) return order;
    if (bits >= limit.bits) return std::nullopt;
  }
}

std::optional<mpz_class> floor(const Real& a, Limit limit) {
  mpz_class out;
  if (a.is_rational()) {
    const mpq_class value = a.rational();
    mpz_fdiv_q(out.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
    return out;
  }
  const bool found = refine_until(*as_expression(a), limit, [&](const Ball& ball) {
    mpz_class low, high;
    long exponent = 0;
    if (!ball.endpoints(low, high, exponent) || exponent > 8 * limit.bits) return false;
    out = floor_of(low, exponent);
    return out == floor_of(high, exponent);
  });
  return found ? std::optional(out) : std::nullopt;
}

std::optional<mpz_class> round_to_even(const Real& a, Limit limit) {
  if (!a.is_rational()) return floor(add(a, Real::dyadic(1, -1)), limit);
  const mpq_class value = a.rational();
  mpz_class below;
  mpz_fdiv_q(below.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  const mpq_class twice = 2 * (value - below);  // compared with 1: the nearer integer, or a tie
  if (twice < 1 || (twice == 1 && mpz_even_p(below.get_mpz_t()))) return below;
  return mpz_class(below + 1);
}

bool identical(const Real& a, const Real& b) {
  if (a.node() && a.node() == b.node()) return true;
  if (a.is_rational() || b.is_rational()) {
    return a.is_rational() && b.is_rational() && sub(a, b).is_zero();
  }
  if (as_expression(a)->hash != as_expression(b)->hash) return false;
  constexpr std::size_t most = 20'000;  // pairs; if there are more, the answer is not known
  std::set<std::pair<const Expression*, const Expression*>> seen;
  std::vector<std::pair<const Expression*, const Expression*>> waiting{{as_expression(a), as_expression(b)}};
  while (!waiting.empty()) {
    const auto [x, y] = waiting.back();
    waiting.pop_back();
    if (x == y || !seen.insert({x, y}).second) continue;
    if (x->function != y->function || x->hash != y->hash || seen.size() > most) return false;
    // Sums and products have the same hash in both orders; equal hashes say which operands belong together.
    const bool crossed = hash_of(x->a) != hash_of(y->a);
    if (crossed && !commutes(x->function)) return false;
    for (const auto& [p, q] : {std::pair{&x->a, crossed ? &y->b : &y->a}, std::pair{&x->b, crossed ? &y->a : &y->b}}) {
      if (as_expression(*p) && as_expression(*q)) waiting.emplace_back(as_expression(*p), as_expression(*q));
      else if (!p->is_rational() || !q->is_rational() || !sub(*p, *q).is_zero()) return false;
    }
  }
  return true;
}

std::optional<BallEndpoints> ball_ends(const Real& a, long shift, long bits) {
  const std::lock_guard guard(lock());
  const Ball& ball = *refined(*as_expression(a), bits, bits);
  Ball shifted;
  if (shift != 0) shifted.set_shifted(ball, shift, bits + 16);
  BallEndpoints out;
  if (!(shift != 0 ? shifted : ball).endpoints(out.low, out.high, out.exponent)) return std::nullopt;
  return out;
}

std::optional<std::pair<mpq_class, mpq_class>> enclose(const Real& a, long bits, Limit limit) {
  if (a.is_rational()) {
    const DyadicNode* longer = as_dyadic(a);
    const std::int64_t exponent = longer ? longer->exponent : a.node() ? 0 : a.exponent();
    if (exponent > longest_shift || exponent < -longest_shift) return std::nullopt;
    const mpq_class value = a.rational();
    return std::pair{value, value};
  }
  mpq_class low, high;
  bool some = false;
  limit.bits = std::max(limit.bits, bits + 64);
  refine_until(*as_expression(a), limit, [&](const Ball& ball) {
    mpz_class from, to;
    long exponent = 0;
    if (!ball.endpoints(from, to, exponent)) return false;
    some = true;
    low = scaled(from, exponent);
    high = scaled(to, exponent);
    const mpz_class width = to - from;
    return width == 0 || (mpz_class(width << static_cast<mp_bitcnt_t>(bits)) <= ::abs(from) && sgn(from) == sgn(to));
  });
  return some ? std::optional(std::pair{low, high}) : std::nullopt;
}

}  // namespace reckon::numerics
