#include "numerics/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace reckon::numerics {
namespace {

__extension__ using UnsignedWide = unsigned __int128;

/// A finite f64 as magnitude * 2^exponent.
struct Parts {
  std::uint64_t magnitude;
  int exponent;
  bool negative;
};
Parts parts(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int field = static_cast<int>(bits >> 52) & 0x7ff;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (field == 0) return {fraction, -1074, bits >> 63 != 0};
  return {fraction | std::uint64_t{1} << 52, field - 1075, bits >> 63 != 0};
}

constexpr std::uint32_t max_between_carries = 1u << 28;  // an addend adds less than 2^32 to a limb, at most three times

}  // namespace

void ExactSum::add_bits(std::uint64_t magnitude, int exponent, bool negative) {
  const int shift = exponent - lowest;
  auto at = static_cast<std::size_t>(shift / 32);
  UnsignedWide rest = static_cast<UnsignedWide>(magnitude) << (shift % 32);
  for (; rest != 0; rest >>= 32, ++at) {
    const auto part = static_cast<std::int64_t>(static_cast<std::uint32_t>(rest));
    limbs_[at] += negative ? -part : part;
  }
  if (++since_carry_ >= max_between_carries) carry();
}

void ExactSum::carry() {
  for (std::size_t k = 0; k + 1 < limb_count; ++k) {
    const std::int64_t up = limbs_[k] >> 32;
    limbs_[k] -= up * (std::int64_t{1} << 32);
    limbs_[k + 1] += up;
  }
  since_carry_ = 0;
}

void ExactSum::add_special(double x) {
  if (std::isnan(x)) nan_ = true;
  else (x > 0 ? positive_infinity_ : negative_infinity_) = true;
}

void ExactSum::add(double x) {
  only_negative_zeros_ = only_negative_zeros_ && x == 0 && std::signbit(x);
  only_positive_zeros_ = only_positive_zeros_ && x == 0 && !std::signbit(x);
  if (!std::isfinite(x)) return add_special(x);
  const Parts p = parts(x);
  add_bits(p.magnitude, p.exponent, p.negative);
}

void ExactSum::add_scaled(std::uint64_t magnitude, int exponent, bool negative) {
  only_negative_zeros_ = only_positive_zeros_ = false;
  add_bits(magnitude, exponent, negative);
}

void ExactSum::add_product(double x, double y) {
  const bool zero = x == 0 || y == 0;
  only_negative_zeros_ = only_negative_zeros_ && zero && std::signbit(x) != std::signbit(y);
  only_positive_zeros_ = only_positive_zeros_ && zero && std::signbit(x) == std::signbit(y);
  if (!std::isfinite(x) || !std::isfinite(y)) return add_special(x * y);
  const Parts p = parts(x), q = parts(y);
  const bool negative = p.negative != q.negative;
  const UnsignedWide product = static_cast<UnsignedWide>(p.magnitude) * q.magnitude;
  add_bits(static_cast<std::uint64_t>(product), p.exponent + q.exponent, negative);
  add_bits(static_cast<std::uint64_t>(product >> 64), p.exponent + q.exponent + 64, negative);
}

std::optional<mpq_class> ExactSum::value() const {
  if (nan_ || positive_infinity_ || negative_infinity_) return std::nullopt;
  ExactSum copy = *this;
  copy.carry();
  // All limbs but the last are now 0 .. 2^32 - 1; the last one carries the sign.
  mpz_class sum = static_cast<long>(copy.limbs_.back());
  sum <<= 32 * (limb_count - 1);
  std::array<std::uint32_t, limb_count - 1> words;
  for (std::size_t k = 0; k < words.size(); ++k) words[k] = static_cast<std::uint32_t>(copy.limbs_[k]);
  mpz_class low;
  mpz_import(low.get_mpz_t(), words.size(), -1, sizeof words[0], 0, 0, words.data());
  sum += low;
  mpq_class out(sum);
  mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), -lowest);
  return out;
}

std::uint64_t ExactSum::round(Format format, Rounding rounding) const {
  if (nan_ || (positive_infinity_ && negative_infinity_)) return canonical_nan(format);
  if (positive_infinity_) return overflow_bits(format);
  if (negative_infinity_) return overflow_bits(format) | sign_bit(format);
  const mpq_class sum = *value();
  if (sum == 0) {
    const bool negative = rounding == Rounding::downward ? !only_positive_zeros_ : only_negative_zeros_;
    return negative ? sign_bit(format) : 0;
  }
  return round_rational(sum, format, rounding);  // a negative sum too small for the format is -0
}

void BinnedSum::measure(double x) {
  if (std::isfinite(x)) largest_ = std::max(largest_, std::fabs(x));
}

void BinnedSum::add(double x, int bin_width, std::int64_t folds) {
  if (!std::isfinite(x) || largest_ == 0) return sum_.add(x);
  const int exponent = std::ilogb(largest_);
  const int bin = exponent >= 0 ? exponent / bin_width : -((-exponent + bin_width - 1) / bin_width);
  const auto grid = bin_width * (bin - static_cast<int>(std::min(folds, max_folds)) + 1);
  const Parts p = parts(x);
  const int dropped = grid - p.exponent;
  if (dropped <= 0) return sum_.add(x);
  std::uint64_t kept = 0;
  if (dropped <= 54) {
    kept = p.magnitude >> dropped;
    const std::uint64_t rest = p.magnitude - (kept << dropped), half = std::uint64_t{1} << (dropped - 1);
    if (rest > half || (rest == half && kept % 2 == 1)) ++kept;
  }
  // A leaf that is rounded to 0 becomes a zero of its sign; that is -0 only if the leaf itself was -0.
  if (kept == 0) return sum_.add(x == 0 ? x : 0.0);
  sum_.add_scaled(kept, grid, p.negative);
}

}  // namespace reckon::numerics
