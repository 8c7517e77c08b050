// Sums that are rounded once: a fixed-point number on the stack, wide enough for every addend (numerics/exact_sum.h is
// the same for the interpreter, over rationals at its end). Every leaf is taken apart as an f64, in which the narrower
// formats, and their products, are exact; only products of two f64s are wider and are added in two halves.
#include "codegen/lower/long_sums.h"

#include <bit>
#include <limits>

#include "codegen/lower/folds.h"
#include "numerics/exact_sum.h"

namespace reckon::codegen {

using ir::Op;
using ir::Scalar;

namespace {

constexpr int limb_bits = 32;                             // of the 64 bits of a limb; the others are room for carries
constexpr std::int64_t max_between_carries = 1ll << 28;   // additions, each of less than 2^32 to a limb, at most twice
constexpr int guard_limbs = 2;                            // always 0, below the last digit: rounding reads three limbs

int round_down(int value, int multiple) { return value - ((value % multiple) + multiple) % multiple; }

}  // namespace

LongSums::LongSums(Folds& folds, Joins& joins) : WideParts(folds, joins) {}

LongSums::LongSum LongSums::make_long_sum(ir::Scalar scalar, bool products, bool rounded_leaves) {
  const numerics::FormatTraits format = numerics::traits(ir::format_of(scalar));
  const bool halves = products && scalar == Scalar::f64;
  const int factors = products ? 2 : 1;
  const int least = factors * (format.emin - format.precision + 1);  // the exponent of the least addend that is not 0
  LongSum sum{};
  sum.digits = halves ? 64 : rounded_leaves ? 53 : factors * format.precision;
  sum.lowest = round_down(scalar == Scalar::f64 ? least : least - sum.digits + 1, limb_bits) - guard_limbs * limb_bits;
  const int highest = factors * (format.emax + 1) + 64;  // above every sum of 2^64 leaves
  sum.limb_count = (highest - sum.lowest) / limb_bits + 2;
  sum.limbs = w_.stack_array(Type::index(), sum.limb_count);
  b_.clear(sum.limbs, sum.limb_count);
  return sum;
}

/// Adds +- magnitude * 2^(position + lowest); position >= 0.
void LongSums::add_bits(const LongSum& sum, Value magnitude, Value position, Value sign) {
  Value limb = b_.lshr(position, 5);
  Value shift = b_.bit_and(position, limb_bits - 1);
  Value low = b_.shl(magnitude, shift);
  Values parts{b_.bit_and(low, 0xffffffffu), b_.lshr(low, limb_bits)};
  if (sum.digits + limb_bits - 1 > 64) {
    // In two steps, because a shift by 64 has no value.
    parts.push_back(b_.lshr(b_.lshr(magnitude, 1), b_.sub(w_.i64(63), shift)));
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Value place = w_.add(limb, w_.i64(static_cast<std::int64_t>(k)));
    Value part = b_.sub(b_.bit_xor(parts[k], sign), sign);
    b_.store(sum.limbs, place, b_.add(b_.load(sum.limbs, place), part));
  }
}

LongSums::Specials LongSums::add_exactly(const LongSum& sum, const Specials& specials, Value x, Value grid) {
  F64Parts parts = parts_of(x);
  if (grid) {
    // Rounds the magnitude to the nearest multiple of 2^grid, ties to even; less than half of that becomes 0.
    Value dropped = b_.sub(grid, parts.exponent);
    Value drops = b_.greater(dropped, w_.i64(0));
    dropped = b_.select(drops, w_.smaller(dropped, w_.i64(63)), w_.i64(0));
    Value kept = b_.lshr(parts.magnitude, dropped);
    Value rest = b_.sub(parts.magnitude, b_.shl(kept, dropped));
    Value half = b_.lshr(b_.shl(w_.i64(1), dropped), 1);
    Value odd = b_.odd(kept);
    Value up = b_.bit_or(b_.above(rest, half), b_.bit_and(b_.equal(rest, half), odd));
    parts.magnitude = b_.add(kept, b_.extend(b_.bit_and(up, drops)));
    parts.exponent = b_.select(drops, grid, parts.exponent);
  }
  const int zeros_below = 53 - sum.digits;  // as f64s, leaves of narrower formats end in zeros
  Value position = b_.add(parts.exponent, w_.i64(zeros_below - sum.lowest));
  // A zero's exponent may be below the sum's last digit, that of an infinity or NaN above its first; neither is added.
  Value counts = b_.bit_and(parts.finite, b_.greater(position, w_.i64(0)));
  position = b_.select(counts, position, w_.i64(0));
  Value magnitude = b_.select(counts, b_.lshr(parts.magnitude, static_cast<std::uint64_t>(zeros_below)), w_.i64(0));
  add_bits(sum, magnitude, position, parts.sign);
  Value bits = b_.bits(x);
  return {b_.select(parts.finite, specials.sum, f64_operation(Op::add, specials.sum, x)),
          b_.bit_and(specials.negative_zeros, b_.equal(bits, w_.i64(std::numeric_limits<std::int64_t>::min())))};
}

/// The product of two f64s, as two halves of 64 bits.
LongSums::Specials LongSums::add_product_exactly(const LongSum& sum, const Specials& specials, Value x, Value y) {
  const F64Parts p = parts_of(x), q = parts_of(y);
  Value low = b_.mul(p.magnitude, q.magnitude);
  Value high = b_.mul_high(p.magnitude, q.magnitude);
  Value finite = b_.bit_and(p.finite, q.finite);
  auto if_finite = [&](Value value) { return b_.select(finite, value, w_.i64(0)); };
  Value position = if_finite(b_.sub(b_.add(p.exponent, q.exponent), w_.i64(sum.lowest)));
  Value sign = b_.bit_xor(p.sign, q.sign);
  add_bits(sum, if_finite(low), position, sign);
  add_bits(sum, if_finite(high), b_.add(position, w_.i64(64)), sign);
  Value zero = b_.equal(b_.bit_or(low, high), w_.i64(0));
  Value negative_zero = b_.bit_and(zero, b_.not_equal(sign, w_.i64(0)));
  return {b_.select(finite, specials.sum, f64_operation(Op::add, specials.sum, f64_operation(Op::mul, x, y))),
          b_.bit_and(specials.negative_zeros, negative_zero)};
}

/// Carries, so that every limb but the last is between 0 and 2^32 - 1.
void LongSums::carry_limbs(const LongSum& sum) {
  const Values last = w_.loop(
      w_.i64(0), w_.i64(sum.limb_count - 1), w_.i64(1), {w_.i64(0)},
      [&](Value k, const Values& carried) {
        Value limb = b_.add(b_.load(sum.limbs, k), carried[0]);
        b_.store(sum.limbs, k, b_.bit_and(limb, 0xffffffffu));
        return Values{b_.ashr(limb, limb_bits)};
      },
      false);
  Value top = w_.i64(sum.limb_count - 1);
  b_.store(sum.limbs, top, b_.add(b_.load(sum.limbs, top), last[0]));
}

Value LongSums::round_sum(const LongSum& sum, const Specials& specials, Scalar scalar) {
  auto limb = [&](Value k) { return b_.load(sum.limbs, k); };
  auto flag = [&](Value condition) { return b_.extend(condition); };
  carry_limbs(sum);
  Value negative = b_.less(limb(w_.i64(sum.limb_count - 1)), w_.i64(0));
  w_.if_then(negative, [&] {
    w_.for_range(
        w_.i64(0), w_.i64(sum.limb_count), [&](Value k) { b_.store(sum.limbs, k, b_.negative(limb(k))); }, false);
    carry_limbs(sum);
  });
  // The highest limb that is not 0, and whether anything is left below the three that are rounded.
  const Values top = w_.loop(
      w_.i64(guard_limbs), w_.i64(sum.limb_count), w_.i64(1), {w_.i64(guard_limbs)},
      [&](Value k, const Values& found) { return Values{b_.select(b_.not_equal(limb(k), w_.i64(0)), k, found[0])}; },
      false);
  const Values below = w_.loop(
      w_.i64(0), w_.i64(sum.limb_count), w_.i64(1), {w_.i64(0)},
      [&](Value k, const Values& found) {
        Value counts = b_.less(k, b_.sub(top[0], w_.i64(2)));
        return Values{b_.bit_or(found[0], b_.select(counts, limb(k), w_.i64(0)))};
      },
      false);
  Value first = limb(top[0]);
  Value second = limb(b_.sub(top[0], w_.i64(1)));
  Value third = limb(b_.sub(top[0], w_.i64(2)));
  Value is_zero = b_.equal(first, w_.i64(0));

  // The leading 64 bits, the first of them 1, times 2^(exponent - 63); `sticky` says that there are more.
  Value both = b_.bit_or(b_.shl(first, limb_bits), second);
  Value zeros = b_.leading_zeros(both);
  zeros = b_.bit_and(zeros, limb_bits - 1);  // fewer, unless the sum is 0
  Value leading = b_.bit_or(b_.shl(both, zeros), b_.lshr(third, b_.sub(w_.i64(limb_bits), zeros)));
  Value rest = b_.bit_and(b_.shl(third, zeros), 0xffffffffu);
  Value sticky = flag(b_.not_equal(b_.bit_or(rest, below[0]), w_.i64(0)));
  Value exponent = b_.sub(b_.add(b_.shl(top[0], 5), w_.i64(sum.lowest + 31)), zeros);
  Value field = b_.add(exponent, w_.i64(1023));
  Value magnitude = nullptr;
  if (scalar != Scalar::f64) {
    // Rounded to odd, an f64 can be rounded once more (numerics/builder.h); its exponent has room to spare.
    Value odd = b_.bit_or(sticky, flag(b_.not_equal(b_.bit_and(leading, 0x7ff), w_.i64(0))));
    Value significand = b_.bit_or(b_.lshr(leading, 11), odd);
    magnitude = b_.add(b_.shl(b_.sub(field, w_.i64(1)), 52), significand);
  } else {
    // One bit is given up to tell lower bits from a tie; then the result's exponent decides how many bits are kept.
    Value wide = b_.bit_or(b_.bit_or(b_.lshr(leading, 1), b_.bit_and(leading, 1)), sticky);
    Value normal = b_.greater(field, w_.i64(0));
    Value dropped = b_.select(normal, w_.i64(10), b_.sub(w_.i64(11), field));
    Value shift = w_.smaller(dropped, w_.i64(63));
    Value kept = b_.lshr(wide, shift);
    Value lost = b_.sub(wide, b_.shl(kept, shift));
    Value half = b_.shl(w_.i64(1), b_.sub(shift, w_.i64(1)));
    Value tie_up = b_.bit_and(b_.equal(lost, half), b_.odd(kept));
    kept = b_.add(kept, flag(b_.bit_or(b_.above(lost, half), tie_up)));
    // The hidden bit adds one to the exponent.
    Value base = b_.shl(b_.select(normal, b_.sub(field, w_.i64(1)), w_.i64(0)), 52);
    magnitude = b_.select(b_.greater(dropped, w_.i64(63)), w_.i64(0), b_.add(base, kept));
    magnitude = b_.select(b_.greater(field, w_.i64(2046)), w_.i64(0x7ffll << 52), magnitude);
  }
  magnitude = b_.select(is_zero, w_.i64(0), magnitude);
  Value minus = b_.select(is_zero, specials.negative_zeros, negative);
  Value bits = b_.bit_or(magnitude, b_.shl(flag(minus), 63));
  Value ordinary = b_.from_bits(bits);
  Value special = b_.not_equal(b_.shl(b_.bits(specials.sum), 1), w_.i64(0));
  return converted(Scalar::f64, scalar, b_.select(special, specials.sum, ordinary));
}

/// The bins' grid (numerics/exact_sum.h): the exponent of what the leaves are rounded to, from the largest of them.
Value LongSums::bin_grid(const FoldSite& site, const Slice& slice, Value folds) {
  const Scalar scalar = site.scalars[0];
  const Values largest =
      w_.loop(w_.i64(0), slice.length, w_.i64(1), {w_.i64(0)}, [&](Value position, const Values& found) {
        Value x =
            converted(scalar, Scalar::f64, joins_.rounded_product(site, folds_.node_at(site, slice, position))[0]);
        Value magnitude = b_.bit_and(b_.bits(x), ~(1ull << 63));
        Value counts = b_.below(magnitude, w_.i64(0x7ffll << 52));
        return Values{b_.select(b_.bit_and(counts, b_.above(magnitude, found[0])), magnitude, found[0])};
      });
  Value field = b_.lshr(largest[0], 52);
  Value zeros = b_.leading_zeros(largest[0]);
  Value exponent = b_.select(b_.equal(field, w_.i64(0)), b_.sub(w_.i64(63 - 1074), zeros), b_.sub(field, w_.i64(1023)));
  const std::int64_t width = numerics::bin_width(ir::format_of(scalar));
  // The quotient is rounded down: a multiple of the width is added first that makes the dividend positive.
  const std::int64_t above = (1100 + width) / width;
  Value bin = b_.sub(b_.udiv(b_.add(exponent, w_.i64(above * width)), w_.i64(width)), w_.i64(above));
  Value below = b_.sub(w_.smaller(folds, w_.i64(numerics::max_folds)), w_.i64(1));
  return b_.mul(b_.sub(bin, below), w_.i64(width));
}

Values LongSums::fold(const FoldSite& site, Value folds, bool of_products, const Slice& slice) {
  const Scalar scalar = site.scalars[0];
  Value grid = folds ? bin_grid(site, slice, folds) : nullptr;
  const LongSum sum = make_long_sum(scalar, of_products, folds != nullptr);
  auto one_leaf = [&](Value position, const Specials& before) {
    const Values node = folds_.node_at(site, slice, position);
    if (!of_products)
      return add_exactly(sum, before, converted(scalar, Scalar::f64, joins_.rounded_product(site, node)[0]), grid);
    // A node that is no product is multiplied by 1.
    Value x = converted(scalar, Scalar::f64, node[0]);
    Value y = b_.select(node[2], converted(scalar, Scalar::f64, node[1]),
                        b_.rounded(Scalar::f64, std::bit_cast<std::uint64_t>(1.0)));
    if (scalar == Scalar::f64) return add_product_exactly(sum, before, x, y);
    return add_exactly(sum, before, f64_operation(Op::mul, x, y), nullptr);
  };
  const Values start{b_.zero(Type::number(Scalar::f64)), b_.flag(true)};
  const Values end = w_.loop(
      w_.i64(0), slice.length, w_.i64(max_between_carries), start,
      [&](Value first, const Values& before) {
        Value limit = w_.smaller(slice.length, b_.add(first, w_.i64(max_between_carries)));
        const Values after = w_.loop(first, limit, w_.i64(1), before, [&](Value position, const Values& carried) {
          const Specials now = one_leaf(position, {carried[0], carried[1]});
          return Values{now.sum, now.negative_zeros};
        });
        carry_limbs(sum);
        return after;
      },
      false);
  Values result = joins_.zeros(site);
  result[0] = round_sum(sum, {end[0], end[1]}, scalar);
  return result;
}

}  // namespace reckon::codegen
