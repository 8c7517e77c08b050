#include "numerics/orders/outer.h"

#include <algorithm>

namespace reckon::numerics {
namespace {

/// A finite number of a format, as an integer multiple of the format's least positive value.
struct Units {
  mpz_class magnitude;
  bool negative = false;
};

Units units(std::uint64_t bits, Format format) {
  const std::uint64_t magnitude = bits & ~sign_bit(format);
  const std::uint64_t mantissa = magnitude & ((std::uint64_t{1} << mantissa_bits(format)) - 1);
  const std::uint64_t exponent = magnitude >> mantissa_bits(format);
  Units out;
  out.negative = (bits & sign_bit(format)) != 0;
  const std::uint64_t whole = exponent == 0 ? mantissa : mantissa | (std::uint64_t{1} << mantissa_bits(format));
  mpz_set_ui(out.magnitude.get_mpz_t(), whole);
  if (exponent > 1) out.magnitude <<= exponent - 1;
  return out;
}

mpz_class power_of_two(unsigned long exponent) {
  mpz_class out;
  mpz_setbit(out.get_mpz_t(), exponent);
  return out;
}

/// Converts a rational number of units to the number that it stands for.
mpq_class value_of(const mpq_class& in_units, Format format) {
  const FormatTraits t = traits(format);
  return in_units / mpq_class(power_of_two(static_cast<unsigned long>(t.precision - 1 - t.emin)));
}

class SumBounds {
 public:
  explicit SumBounds(const OrderQuestion& question) : format_(question.format) {
    const std::uint64_t negative_zero = sign_bit(format_);
    zero_ = negative_zero;
    unsigned long shift = ~0ul;
    for (std::uint64_t bits : question.leaves) {
      if (bits != negative_zero) zero_ = 0;
      if (!is_finite(bits, format_)) {
        (bits == infinity_bits(format_) ? positive_infinity_ : negative_infinity_) = true;
        continue;
      }
      const Units leaf = units(bits, format_);
      if (leaf.magnitude == 0) continue;
      shift = std::min(shift, mpz_scan1(leaf.magnitude.get_mpz_t(), 0));
      Side& side = leaf.negative ? negative_ : positive_;
      side.sum += leaf.magnitude;
      side.largest = std::max(side.largest, leaf.magnitude);
      ++side.count;
    }
    if (shift != ~0ul) quantum_ = power_of_two(shift);
    largest_ = units(largest_finite(format_), format_).magnitude;
  }

  Spread bounds() const {
    Spread out;
    const std::uint64_t infinity = infinity_bits(format_), sign = sign_bit(format_);
    if (positive_infinity_ && negative_infinity_) {
      // The two infinities are on different sides until they meet, which they do in every order.
      out.only_nan = true;
      out.nan = Possibility::yes;
      return out;
    }
    if (positive_infinity_ || negative_infinity_) {
      out.low = out.high = positive_infinity_ ? infinity : infinity | sign;
      out.nan = overflows(positive_infinity_ ? negative_ : positive_) ? Possibility::unknown : Possibility::no;
      return out;
    }
    const mpz_class magnitudes = positive_.sum + negative_.sum;
    const mpz_class sum = positive_.sum - negative_.sum;
    if (magnitudes <= quantum_ * power_of_two(static_cast<unsigned long>(precision())) && magnitudes <= largest_) {
      out.low = out.high = sum == 0 ? zero_ : round_rational(value_of(sum, format_), format_);
      return out;
    }
    const std::uint64_t count = positive_.count + negative_.count;
    const mpq_class radius = error(magnitudes, count);
    const bool finite = magnitudes + radius <= largest_;
    const auto from_above = [&](const Side& side, const Side& other,
                                const mpz_class& signed_sum) -> std::optional<mpz_class> {
      std::optional<mpq_class> bound;
      if (finite) bound = signed_sum + radius;
      if (!overflows(side)) {
        mpq_class alone = side.sum + (side.count > 1 ? error(side.sum, side.count) : mpq_class(0));
        if (side.count == 0) alone = -other.largest;
        if (!bound || alone < *bound) bound = alone;
      }
      if (!bound) return std::nullopt;
      // The largest multiple of the quantum that does not exceed the bound.
      mpz_class whole;
      mpz_fdiv_q(whole.get_mpz_t(), bound->get_num_mpz_t(), mpz_class(bound->get_den() * quantum_).get_mpz_t());
      return mpz_class(whole * quantum_);
    };
    const auto high = from_above(positive_, negative_, sum);
    const auto low = from_above(negative_, positive_, -sum);
    out.high = high ? rounded_down(*high) : infinity;
    out.low = low ? flipped(rounded_down(*low)) : infinity | sign;
    out.nan = high || low ? Possibility::no : Possibility::unknown;
    return out;
  }

  bool may_be(std::uint64_t target) const {
    const mpz_class magnitude = units(target, format_).magnitude;
    if (magnitude == 0) return target == zero_;
    return quantum_ != 0 && mpz_divisible_p(magnitude.get_mpz_t(), quantum_.get_mpz_t()) != 0;
  }

 private:
  struct Side {
    mpz_class sum, largest;
    std::uint64_t count = 0;
  };
  int precision() const { return traits(format_).precision; }
  /// The error bound: (n - 1) u times the sum of the magnitudes.
  mpq_class error(const mpz_class& magnitudes, std::uint64_t count) const {
    mpq_class out(magnitudes * mpz_class(static_cast<unsigned long>(count > 0 ? count - 1 : 0)),
                  power_of_two(static_cast<unsigned long>(precision())));
    out.canonicalize();
    return out;
  }
  /// Whether sums of the leaves of one sign may overflow.
  bool overflows(const Side& side) const { return side.sum + error(side.sum, side.count) > largest_; }
  std::uint64_t rounded_down(const mpz_class& in_units) const {
    if (in_units == 0) return zero_;
    const std::uint64_t out = round_rational(value_of(in_units, format_), format_, Rounding::downward);
    return (out & ~sign_bit(format_)) == 0 ? zero_ : out;
  }
  std::uint64_t flipped(std::uint64_t bits) const {
    return (bits & ~sign_bit(format_)) == 0 ? zero_ : bits ^ sign_bit(format_);
  }

  Format format_;
  Side positive_, negative_;
  mpz_class quantum_, largest_;
  bool positive_infinity_ = false, negative_infinity_ = false;
  std::uint64_t zero_ = 0;  ///< the zero that every order gives for a sum of 0
};

constexpr std::size_t max_exact_factors = 1 << 14;

Spread product_bounds(const OrderQuestion& question) {
  const Format format = question.format;
  const auto precision = static_cast<unsigned long>(traits(format).precision);
  Spread out;
  bool zero = false, infinite = false, negative = false;
  // Exact products of the magnitudes above 1 and of those below 1, in units of the least positive value (to the power
  // of their number); every rounding counts as u on the unfavourable side.
  mpz_class above = 1, below = 1;
  std::uint64_t above_count = 0, below_count = 0;
  const bool exact = question.leaves.size() <= max_exact_factors;
  const std::uint64_t one = round_rational(1, format);
  for (std::uint64_t bits : question.leaves) {
    negative ^= (bits & sign_bit(format)) != 0;
    const std::uint64_t magnitude = bits & ~sign_bit(format);
    zero |= magnitude == 0;
    infinite |= magnitude == infinity_bits(format);
    if (!exact || magnitude == 0 || !is_finite(bits, format)) continue;
    (magnitude >= one ? above : below) *= units(magnitude, format).magnitude;
    ++(magnitude >= one ? above_count : below_count);
  }
  const auto n = static_cast<unsigned long>(question.leaves.size());
  const auto per_unit = static_cast<unsigned long>(traits(format).precision - 1 - traits(format).emin);
  auto product = [&](const mpz_class& of, std::uint64_t count) {
    mpq_class value(of, power_of_two(per_unit * count));
    value.canonicalize();
    return value;
  };
  auto grown = [&](const mpq_class& value, int direction) {
    mpz_class numerator = power_of_two(precision) + direction;
    mpz_pow_ui(numerator.get_mpz_t(), numerator.get_mpz_t(), n - 1);
    mpq_class factor(numerator, power_of_two(precision * (n - 1)));
    factor.canonicalize();
    return mpq_class(value * factor);
  };
  bool no_overflow = false, no_underflow = false;
  std::uint64_t low = 0, high = infinity_bits(format);
  if (exact) {
    const mpq_class most = grown(product(above, above_count), +1);
    const mpq_class least = grown(product(below, below_count), -1);
    no_overflow = most <= *exact_value(largest_finite(format), format);
    no_underflow = least >= *exact_value(std::uint64_t{1} << mantissa_bits(format), format);
    if (!zero && !infinite) {
      if (no_overflow) high = round_rational(most, format, Rounding::downward);
      if (no_underflow) low = round_rational(least, format, Rounding::upward);
      if (no_overflow && no_underflow) {
        const mpq_class whole = product(above, above_count) * product(below, below_count);
        high = std::min(high, round_rational(grown(whole, +1), format, Rounding::downward));
        low = std::max(low, round_rational(grown(whole, -1), format, Rounding::upward));
      }
    }
  }
  if (zero && infinite) {
    out.only_nan = true;
    out.nan = Possibility::yes;
    return out;
  }
  if (zero) high = 0;
  if (infinite) low = infinity_bits(format);
  // A NaN needs both a zero and an infinity.
  const bool nan_free = zero ? no_overflow : infinite ? no_underflow : no_overflow || no_underflow;
  out.nan = nan_free ? Possibility::no : Possibility::unknown;
  out.low = negative ? high | sign_bit(format) : low;
  out.high = negative ? low | sign_bit(format) : high;
  return out;
}

}  // namespace

Spread outer_bounds(const OrderQuestion& question) {
  return question.operation == FoldOperation::mul ? product_bounds(question) : SumBounds(question).bounds();
}

bool sum_may_be(const OrderQuestion& question, std::uint64_t target) { return SumBounds(question).may_be(target); }

}  // namespace reckon::numerics
