// Exact real numbers. A value is a rational, or an expression over rationals (one shared node for each operation). The
// digits of an expression are computed on demand: in balls, at a precision that is doubled until the answer is certain.
//
// There are three forms, and each value has only one, so that equal rationals have equal representations:
//   16 bytes in place   mantissa * 2^exponent, the mantissa odd (or all 0): what a float is, and most sums of floats
//   a node              the same with a longer mantissa; any other rational, in lowest terms; an expression
// Sums and products of floats therefore need no greatest common divisors: 10^6 uniform f64 add up in 19 ms, where GMP's
// rationals take 222 and FLINT's 28; with any exponents, 87, 627 and 439. Other rationals are GMP's, which all other
// folders use: FLINT's would be faster for short fractions alone, and would have to be converted at every border.
//
// A question about an expression has an answer, or the answer `not known at so many bits`: two expressions of one real
// look the same at every precision. No answer is a guess.
//
// Thread-safe as far as an evaluator needs it: reference counts are atomic, and one lock guards the balls in nodes.
#pragma once

#include <gmpxx.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "numerics/reals/ball.h"

namespace reckon::numerics {

struct RealNode;

class Real {
 public:
  Real() noexcept = default;
  explicit Real(long value) : Real(dyadic(value, 0)) {}
  explicit Real(mpq_class value);
  Real(const Real& other) noexcept : word_(other.word_), exponent_(other.exponent_), is_node_(other.is_node_) {
    if (is_node_) retain();
  }
  Real(Real&& other) noexcept
      : word_(std::exchange(other.word_, 0)),
        exponent_(std::exchange(other.exponent_, 0)),
        is_node_(std::exchange(other.is_node_, false)) {}
  Real& operator=(const Real& other) noexcept {
    Real copy(other);
    swap(copy);
    return *this;
  }
  Real& operator=(Real&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Real() {
    if (is_node_) release();
  }
  void swap(Real& other) noexcept {
    std::swap(word_, other.word_);
    std::swap(exponent_, other.exponent_);
    std::swap(is_node_, other.is_node_);
  }

  /// mantissa times 2^exponent.
  static Real dyadic(long mantissa, std::int64_t exponent);
  static Real dyadic(mpz_class mantissa, std::int64_t exponent);
  /// factor times pi, e, ln 2 or log2 e.
  static Real constant(RealFunction which, const mpq_class& factor);
  /// Marks, which are not reals: they can be copied and recognised, but no operation below takes them. One is for -inf,
  /// the others for a missing number, with the number of the reason (from 0).
  static Real below_all() noexcept {
    Real out;
    out.exponent_ = 1;
    return out;
  }
  static Real none(std::int32_t reason) noexcept {
    Real out;
    out.exponent_ = 2 + reason;
    return out;
  }
  bool is_mark() const noexcept { return !is_node_ && word_ == 0 && exponent_ != 0; }
  bool is_below_all() const noexcept { return is_mark() && exponent_ == 1; }
  bool is_none() const noexcept { return is_mark() && exponent_ != 1; }
  std::int32_t reason() const noexcept { return exponent_ - 2; }

  bool is_rational() const;
  bool is_zero() const { return !is_node_ && word_ == 0; }
  /// Only if is_rational().
  mpq_class rational() const;

  // The following members are for the files of this folder.
  const RealNode* node() const { return is_node_ ? reinterpret_cast<const RealNode*>(word_) : nullptr; }
  std::int64_t mantissa() const { return word_; }
  std::int32_t exponent() const { return exponent_; }
  explicit Real(const RealNode* node) noexcept  ///< takes over one reference
      : word_(reinterpret_cast<std::intptr_t>(node)), is_node_(true) {}

 private:
  void retain() const noexcept;
  void release() noexcept;

  std::int64_t word_ = 0;
  std::int32_t exponent_ = 0;
  bool is_node_ = false;
};

/// How an operation with a domain ended.
enum class Outcome : std::uint8_t {
  defined,
  undefined,   ///< outside the domain
  undecided,   ///< it could not be told from the boundary of the domain, or from the next integer, at the limit
};

// Operations that have a value for all reals.
Real add(const Real& a, const Real& b);
Real sub(const Real& a, const Real& b);
Real mul(const Real& a, const Real& b);
Real neg(const Real& a);
Real abs(const Real& a);
Real min(const Real& a, const Real& b);
Real max(const Real& a, const Real& b);
/// total += term, in place if nothing else refers to the total.
void accumulate(Real& total, const Real& term);

/// How far the computation for a question about reals goes before it ends without an answer.
struct Limit {
  long bits;                                ///< of the balls
  const std::atomic<bool>* stop = nullptr;  ///< once it is true, the question ends
  Limit(long bits, const std::atomic<bool>* stop = nullptr) : bits(bits), stop(stop) {}  // NOLINT: bits alone are a limit
};

// Questions that balls of up to `limit` bits answer. Nothing: the answer is not known at that precision, or in time.
std::optional<int> sign(const Real& a, Limit limit);
std::optional<int> compare(const Real& a, const Real& b, Limit limit);
/// The greatest integer that is not above the value; and the nearest integer, ties to even.
std::optional<mpz_class> floor(const Real& a, Limit limit);
std::optional<mpz_class> round_to_even(const Real& a, Limit limit);
/// Whether the two are one expression, node by node (up to the order of sums and products); false may mean "not known".
bool identical(const Real& a, const Real& b);

/// A rational interval of relative width 2^-bits that holds the value (of an absolute one near 0, at the `limit`).
/// Nothing if the value lies beyond what balls reach, as exp(exp(100)) does.
std::optional<std::pair<mpq_class, mpq_class>> enclose(const Real& a, long bits, Limit limit);

// Operations with a domain. They decide at once whether the operands lie in it, so that an error has the right place.
Outcome div(Real& out, const Real& a, const Real& b, Limit limit);
Outcome pow(Real& out, const Real& a, const Real& b, Limit limit);
Outcome atan2(Real& out, const Real& y, const Real& x, Limit limit);
/// The n-th root for an integer n other than 0: of a negative number for an odd n.
Outcome rootn(Real& out, const Real& a, const Real& n, Limit limit);
Outcome hypot(Real& out, const Real& a, const Real& b, Limit limit);
/// Any function of one operand, from sqrt to erf. Results that are known to be rational are represented as rationals.
Outcome apply(RealFunction function, Real& out, const Real& x, Limit limit);

/// A rational in full; any other real rounded to nearest with `digits` significant digits, followed by three dots.
struct RealText {
  std::string text;
  bool rational = false;
  /// No ball could tell on which side of 0, or of the midpoint of two such numbers, the value lies: the text ends in a
  /// bound on its error.
  bool doubtful = false;
};
RealText text(const Real& a, long digits, long limit);

}  // namespace reckon::numerics
