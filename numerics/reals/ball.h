// Balls: a midpoint of so many bits and a radius, which together certainly enclose a real number. Arb computes them
// (Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE Trans. Comp. 66(8), 2017);
// ball.cpp is the only file that sees its headers.
#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace reckon::numerics {

/// What makes a real that is not rational: functions, and four constants that are multiplied by their operand.
enum class RealFunction : std::uint8_t {
  pi,
  e,
  ln2,
  log2e,
  add,
  sub,
  mul,
  div,
  pow,
  rootn,  ///< the degree, the second operand, is a positive integer
  min,
  max,
  neg,
  abs,
  sqrt,
#define RECKON_FUNCTION(name) name,
#include "numerics/functions.def"
};
constexpr bool is_constant(RealFunction function) { return function <= RealFunction::log2e; }
constexpr bool is_binary(RealFunction function) {
  return function >= RealFunction::add && function <= RealFunction::max;
}
constexpr bool commutes(RealFunction function) {
  return function == RealFunction::add || function == RealFunction::mul || function == RealFunction::min ||
         function == RealFunction::max;
}

/// Why balls cannot be computed: FLINT and Arb are missing (a static program opens them when it first needs one).
/// Empty if they are there.
const std::string& balls_missing();

/// Precisions are in bits of the midpoint. If a ball of an operand leaves a function's domain, the result holds every
/// number (`is_finite` is false); a higher precision may settle it. All members but constructor and destructor require
/// balls_missing() to be empty.
class Ball {
 public:
  Ball();
  ~Ball();
  Ball(const Ball&) = delete;
  Ball& operator=(const Ball&) = delete;
  void swap(Ball& other);
  void clear();  ///< sets it to 0, without storage

  void set(const mpq_class& value, long bits);
  /// mantissa times 2^exponent.
  void set(const mpz_class& mantissa, long exponent, long bits);
  /// function(a), or function(a, b) of a binary one; `this` must be neither.
  void compute(RealFunction function, const Ball& a, const Ball& b, long bits);
  /// value times 10^power.
  void set_shifted(const Ball& value, long power, long bits);

  bool is_finite() const;
  int sign() const;                        ///< 1, -1; 0: the ball holds 0
  int compare(const Ball& other) const;    ///< -1: below all of it; 1: above; 0: they overlap
  /// The endpoints, low times 2^exponent and high times 2^exponent. False if not finite or the exponent is beyond 2^40.
  bool endpoints(mpz_class& low, mpz_class& high, long& exponent) const;

 private:
  void root(const Ball& a, unsigned long degree, long bits);
  unsigned long as_degree() const;

  // This holds an arb_struct; ball.cpp asserts its size.
  alignas(8) std::byte storage_[48];
};

}  // namespace reckon::numerics
