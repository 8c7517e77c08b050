// The forms of a Real, and their lifetime.
#include "numerics/reals/real.h"

#include <bit>
#include <limits>
#include <new>
#include <utility>

#include "numerics/reals/node.h"

namespace reckon::numerics {

namespace {

constexpr std::int64_t farthest_exponent = std::int64_t{1} << 40;

bool is_power_of_two(const mpz_class& value) {
  return mpz_scan1(value.get_mpz_t(), 0) + 1 == mpz_sizeinbase(value.get_mpz_t(), 2);
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15ull + b + 0x7f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

std::uint64_t hash_of(const mpz_class& value, std::uint64_t seed) {
  std::uint64_t out = mixed(seed, static_cast<std::uint64_t>(sgn(value) + 1));
  for (std::size_t i = 0; i < mpz_size(value.get_mpz_t()); ++i) out = mixed(out, mpz_getlimbn(value.get_mpz_t(), static_cast<mp_size_t>(i)));
  return out;
}

std::uint64_t expression_hash(RealFunction function, const Real& a, const Real& b) {
  std::uint64_t x = hash_of(a), y = hash_of(b);
  if (commutes(function) && y < x) std::swap(x, y);
  return mixed(mixed(static_cast<std::uint64_t>(function) + 1000, x), y);
}

}  // namespace

Expression::Expression(RealFunction what, Real x, Real y, Signs possible)
    : RealNode(Kind::expression),
      function(what),
      signs(possible),
      hash(expression_hash(what, x, y)),
      a(std::move(x)),
      b(std::move(y)) {}

Real::Real(mpq_class value) {
  if (is_power_of_two(value.get_den())) {
    *this = dyadic(value.get_num(), -static_cast<std::int64_t>(mpz_scan1(value.get_den_mpz_t(), 0)));
  } else {
    *this = Real(static_cast<const RealNode*>(new RationalNode(std::move(value))));
  }
}

Real Real::dyadic(long mantissa, std::int64_t exponent) {
  if (mantissa == 0) return {};
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(mantissa));
  mantissa >>= zeros;
  exponent += zeros;
  if (exponent > std::numeric_limits<std::int32_t>::max() || exponent < std::numeric_limits<std::int32_t>::min()) {
    return dyadic(mpz_class(mantissa), exponent);
  }
  Real out;
  out.word_ = mantissa;
  out.exponent_ = static_cast<std::int32_t>(exponent);
  return out;
}

Real Real::dyadic(mpz_class mantissa, std::int64_t exponent) {
  if (mantissa == 0) return {};
  const mp_bitcnt_t zeros = mpz_scan1(mantissa.get_mpz_t(), 0);
  if (zeros != 0) mantissa >>= zeros;
  exponent += static_cast<std::int64_t>(zeros);
  // Repeated squaring gets here: 2^(2^40), written out, would not fit into any memory.
  if (exponent > farthest_exponent || exponent < -farthest_exponent) throw std::bad_alloc();
  const bool near = exponent <= std::numeric_limits<std::int32_t>::max() &&
                    exponent >= std::numeric_limits<std::int32_t>::min();
  if (near && mantissa.fits_slong_p()) {
    Real out;
    out.word_ = mantissa.get_si();
    out.exponent_ = static_cast<std::int32_t>(exponent);
    return out;
  }
  return Real(static_cast<const RealNode*>(new DyadicNode(std::move(mantissa), exponent)));
}

Real Real::constant(RealFunction which, const mpq_class& factor) {
  if (factor == 0) return {};
  return make(which, Real(factor), signs_of(sgn(factor)));
}

Real make(RealFunction function, const Real& a, const Real& b, Signs possible) {
  return Real(static_cast<const RealNode*>(new Expression(function, a, b, possible)));
}

void Real::retain() const noexcept { node()->references.fetch_add(1, std::memory_order_relaxed); }

// A sum of a million terms is a million nodes deep, so dying nodes wait in a list instead of on the stack.
void Real::release() noexcept {
  if (node()->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  switch (node()->kind) {
    case RealNode::Kind::dyadic: delete static_cast<const DyadicNode*>(node()); return;
    case RealNode::Kind::rational: delete static_cast<const RationalNode*>(node()); return;
    case RealNode::Kind::expression: break;
  }
  auto* dying = const_cast<Expression*>(static_cast<const Expression*>(node()));
  dying->next_dying = nullptr;
  while (dying) {
    Expression* rest = dying->next_dying;
    for (Real* operand : {&dying->a, &dying->b}) {
      const Expression* child = as_expression(*operand);
      if (!child) continue;
      // This gives up the operand's reference, so that its destructor finds a 0.
      operand->word_ = 0;
      operand->is_node_ = false;
      if (child->references.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      auto* next = const_cast<Expression*>(child);
      next->next_dying = rest;
      rest = next;
    }
    delete dying;
    dying = rest;
  }
}

bool Real::is_rational() const { return !is_node_ || node()->kind != RealNode::Kind::expression; }

mpq_class Real::rational() const {
  mpq_class out;
  if (is_node_ && node()->kind == RealNode::Kind::rational) return static_cast<const RationalNode*>(node())->value;
  const DyadicNode* longer = as_dyadic(*this);
  if (longer) out.get_num() = longer->mantissa;
  else out.get_num() = static_cast<long>(word_);
  const std::int64_t exponent = longer ? longer->exponent : exponent_;
  if (exponent >= 0) out.get_num() <<= shift(exponent);
  else mpz_ui_pow_ui(out.get_den_mpz_t(), 2, shift(-exponent));
  return out;
}

std::optional<std::int64_t> power_of_two(const Real& a) {
  const DyadicNode* longer = as_dyadic(a);
  if (longer && longer->mantissa == 1) return longer->exponent;
  if (a.node() || a.mantissa() != 1) return std::nullopt;
  return a.exponent();
}

std::optional<std::int64_t> small_integer(const Real& a) {
  if (a.node() || a.exponent() < 0 || a.exponent() > 62) return std::nullopt;
  const Wide value = static_cast<Wide>(a.mantissa()) << a.exponent();
  constexpr Wide most = static_cast<Wide>(1) << 62;
  if (value > most || value < -most) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::uint64_t hash_of(const Real& a) {
  if (const Expression* expression = as_expression(a)) return expression->hash;
  if (const DyadicNode* longer = as_dyadic(a)) return hash_of(longer->mantissa, mixed(1, static_cast<std::uint64_t>(longer->exponent)));
  if (a.node()) {
    const mpq_class& value = static_cast<const RationalNode*>(a.node())->value;
    return hash_of(value.get_den(), hash_of(value.get_num(), 2));
  }
  return mixed(mixed(3, static_cast<std::uint64_t>(a.mantissa())), static_cast<std::uint64_t>(a.exponent()));
}

Signs signs_of(const Real& a) {
  if (const Expression* expression = as_expression(a)) return expression->signs.load(std::memory_order_relaxed);
  if (const DyadicNode* longer = as_dyadic(a)) return signs_of(sgn(longer->mantissa));
  if (a.node()) return signs_of(sgn(static_cast<const RationalNode*>(a.node())->value));
  return signs_of(a.mantissa() > 0 ? 1 : a.mantissa() < 0 ? -1 : 0);
}

}  // namespace reckon::numerics
