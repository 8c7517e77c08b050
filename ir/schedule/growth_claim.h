// Claims about error bounds for all numbers of leaves: `bound(S, n) <= (n - 1) * u`.
//
// Both sides of a claim are polynomials in sizes, in the unit roundoff u, and in what is not known in closed form: the
// height h of a schedule's tree, its growth factor (1 + u)^h - 1, and the minimum of two bounds. A claim is decided by
// putting in the place of each of these what it is at least, or at most:
//   h              linear forms in n and ceil(log2 n), from the schedule (height_of)
//   (1 + u)^h - 1  at least h u (Bernoulli), and at least (1 + u)^g - 1 for g <= h; at most h u / (1 - h u), where h u
//   < 1 a minimum      at most each of its members; at least what all of them are at least
// What is left is a polynomial, which is not negative if its coefficients in the Bernstein basis of 0 <= u <= 1/2 are
// not, once each size is written as its least value and a natural number more. Sizes before that are tried one by one,
// with u left open.
#pragma once

#include <gmpxx.h>

#include <map>
#include <optional>
#include <vector>

#include "ir/schedule/schedule.h"

namespace reckon::ir {

/// A polynomial with rational coefficients. Variable 0 is u, 1 is ceil(log2 n), 2 is n, then other sizes, then atoms.
class Polynomial {
 public:
  using Exponents = std::vector<unsigned>;  ///< without zeros at its end
  Polynomial() = default;
  explicit Polynomial(const mpq_class& constant) { add({}, constant); }
  static Polynomial variable(std::size_t which);

  bool is_zero() const { return terms_.empty(); }
  std::optional<mpq_class> constant() const;
  const std::map<Exponents, mpq_class>& terms() const { return terms_; }
  unsigned degree(std::size_t variable) const;
  /// Of variable^power, without it.
  Polynomial coefficient(std::size_t variable, unsigned power) const;
  Polynomial with(std::size_t variable, const Polynomial& value) const;
  void add(Exponents exponents, const mpq_class& coefficient);

  friend Polynomial operator+(Polynomial a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + b * Polynomial(-1); }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend bool operator==(const Polynomial&, const Polynomial&) = default;

 private:
  std::map<Exponents, mpq_class> terms_;
};

inline constexpr std::size_t unit_variable = 0, log_variable = 1, first_size = 2;

/// The height of a tree over n leaves, between two forms in n and ceil(log2 n), for all n >= from.
struct HeightRange {
  Polynomial low, high;
  std::int64_t from = 1;
};
/// Of the schedule's tree over n leaves. Of `seq tree halving blelloch` and stages of them, leaf 0 is among the deepest,
/// so that the heights of a stage's runs and of what follows add up; of any other one it lies between ceil(log2 n) and
/// n - 1.
HeightRange height_of(ScheduleStore& schedules, ScheduleId schedule);

/// What stands for a variable of a claim.
struct ClaimAtom {
  enum class Kind : std::uint8_t {
    height,
    growth,  ///< (1 + u)^height - 1
    minimum  ///< of `polynomial` and, if there is a height, of its growth
  } kind{};
  std::optional<Polynomial> polynomial = std::nullopt;
  std::optional<HeightRange> height = std::nullopt;
};

struct GrowthClaim {
  std::size_t sizes = 1;
  std::vector<ClaimAtom> atoms;           ///< the variables after the sizes
  Polynomial difference;                  ///< claimed to be 0 or more
  std::vector<Polynomial> assumed = {};   ///< 0 or more, for all that the claim is about
};

/// Whether the claim is shown for all sizes of which the first is at least `from` and the others at least 1, and all u
/// from 0 to 1/2. `false` says nothing.
bool is_shown(const GrowthClaim& claim, std::int64_t from);

}  // namespace reckon::ir
