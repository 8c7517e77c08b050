#include "codegen/lower/tensor_core_sums.h"

#include "codegen/lower/folds.h"

namespace reckon::codegen {

using ir::Op;
using ir::Scalar;
using numerics::MmaUnit;

namespace {

constexpr int f64_bits = 53;

/// Bits at the end of an f64's magnitude that are 0 for every number of the format.
int zeros_below(numerics::Format format) { return f64_bits - numerics::traits(format).precision; }

}  // namespace

TensorCoreSums::Term TensorCoreSums::product_term(const MmaUnit& unit, const F64Parts& x, const F64Parts& y) {
  const int below = zeros_below(unit.operand), least = numerics::traits(unit.operand).emin;
  const auto significand = [&](const F64Parts& part) {
    return b_.lshr(part.magnitude, static_cast<std::uint64_t>(below));
  };
  // A subnormal number has the exponent of the least normal one.
  const auto leading = [&](const F64Parts& part) {
    return b_.maximum(b_.add(part.exponent, w_.i64(f64_bits - 1)), w_.i64(least));
  };
  Term term;
  term.sign = b_.bit_xor(x.sign, y.sign);
  term.magnitude = b_.select(b_.bit_and(x.finite, y.finite), b_.mul(significand(x), significand(y)), w_.i64(0));
  term.exponent = b_.add(b_.add(x.exponent, y.exponent), w_.i64(2 * below));
  term.leading = b_.select(b_.equal(term.magnitude, w_.i64(0)), w_.i64(unit.least), b_.add(leading(x), leading(y)));
  return term;
}

TensorCoreSums::Term TensorCoreSums::sum_term(const MmaUnit& unit, Value c) {
  const F64Parts parts = parts_of(c);
  const int below = zeros_below(unit.accumulator), least = numerics::traits(unit.accumulator).emin;
  Term term;
  term.sign = parts.sign;
  term.magnitude = b_.select(parts.finite, b_.lshr(parts.magnitude, static_cast<std::uint64_t>(below)), w_.i64(0));
  term.exponent = b_.add(parts.exponent, w_.i64(below));
  Value leading = b_.maximum(b_.add(parts.exponent, w_.i64(f64_bits - 1)), w_.i64(least));
  term.leading = b_.select(b_.equal(term.magnitude, w_.i64(0)), w_.i64(unit.least), leading);
  return term;
}

Value TensorCoreSums::cut(Value magnitude, Value exponent, Value sign, Value last) {
  Value left = b_.sub(exponent, last);
  Value up = b_.maximum(left, w_.i64(0)), down = b_.minimum(b_.maximum(b_.sub(last, exponent), w_.i64(0)), w_.i64(63));
  // A magnitude that is not 0 is moved up by a few bits only.
  Value moved = b_.lshr(b_.shl(magnitude, b_.minimum(up, w_.i64(63))), down);
  return b_.sub(b_.bit_xor(moved, sign), sign);
}

Value TensorCoreSums::power_of_two(Value exponent) {
  return b_.from_bits(b_.shl(b_.maximum(b_.add(exponent, w_.i64(1023)), w_.i64(1)), 52));
}

Value TensorCoreSums::rounded(const MmaUnit& unit, Value sum, Value last) {
  const numerics::FormatTraits& format = numerics::traits(unit.accumulator);
  const auto number = [&](Value integer) {
    return f64_operation(Op::mul, b_.from_index(Scalar::f64, integer), power_of_two(last));
  };
  if (unit.result == 0) {
    const Scalar scalar = ir::scalar_of(unit.accumulator);
    Value nearest = converted(scalar, Scalar::f64, converted(Scalar::f64, scalar, number(sum)));
    Value is_zero = b_.equal(b_.shl(b_.bits(nearest), 1), w_.i64(0));
    return b_.select(is_zero, b_.zero(Type::number(Scalar::f64)), nearest);
  }
  Value sign = b_.ashr(sum, 63);
  Value magnitude = b_.sub(b_.bit_xor(sum, sign), sign);
  // The exponent of the sum; of 0 it means nothing.
  Value exponent = b_.add(b_.sub(w_.i64(63), b_.leading_zeros(b_.bit_or(magnitude, 1))), last);
  Value end = b_.sub(b_.maximum(exponent, w_.i64(format.emin)), w_.i64(unit.result));
  Value dropped = b_.minimum(b_.maximum(b_.sub(end, last), w_.i64(0)), w_.i64(63));
  Value kept = b_.shl(b_.lshr(magnitude, dropped), dropped);
  Value finite = number(b_.sub(b_.bit_xor(kept, sign), sign));
  Value infinity = b_.from_bits(b_.bit_or(w_.i64(0x7ffll << 52), b_.shl(sign, 63)));
  return b_.select(b_.greater(exponent, w_.i64(format.emax)), infinity, finite);
}

Values TensorCoreSums::fold(const FoldSite& site, const MmaUnit& unit, const Slice& slice) {
  const Scalar scalar = site.scalars[0];
  const Value zero = b_.zero(Type::number(Scalar::f64));
  // For each product of an addition: its magnitude and, below it, its sign; and its exponent.
  Value magnitudes = w_.stack_array(Type::index(), unit.length), exponents = w_.stack_array(Type::index(), unit.length);
  const auto addition = [&](Value first, Value c) {
    Value count = w_.smaller(b_.sub(slice.length, first), w_.i64(unit.length));
    const Term before = sum_term(unit, c);
    Value special = b_.select(parts_of(c).finite, zero, c);
    const Values measured = w_.loop(
        w_.i64(0), count, w_.i64(1), {before.leading, special},
        [&](Value t, const Values& so_far) {
          const Values node = folds_.node_at(site, slice, b_.add(first, t));
          Value x = converted(scalar, Scalar::f64, node[0]), y = converted(scalar, Scalar::f64, node[1]);
          const F64Parts of_x = parts_of(x), of_y = parts_of(y);
          const Term term = product_term(unit, of_x, of_y);
          b_.store(magnitudes, t, b_.bit_or(b_.shl(term.magnitude, 1), b_.bit_and(term.sign, 1)));
          b_.store(exponents, t, term.exponent);
          Value sum = f64_operation(Op::add, so_far[1], f64_operation(Op::mul, x, y));
          return Values{b_.maximum(so_far[0], term.leading),
                        b_.select(b_.bit_and(of_x.finite, of_y.finite), so_far[1], sum)};
        },
        false);
    Value last = b_.sub(b_.maximum(measured[0], w_.i64(unit.least)), w_.i64(unit.kept));
    const Values sum = w_.loop(
        w_.i64(0), count, w_.i64(1), {cut(before.magnitude, before.exponent, before.sign, last)},
        [&](Value t, const Values& so_far) {
          Value stored = b_.load(magnitudes, t);
          Value sign = b_.negative(b_.bit_and(stored, 1));
          return Values{b_.add(so_far[0], cut(b_.lshr(stored, 1), b_.load(exponents, t), sign, last))};
        },
        false);
    Value is_special = b_.not_equal(b_.shl(b_.bits(measured[1]), 1), w_.i64(0));
    return b_.select(is_special, measured[1], rounded(unit, sum[0], last));
  };
  const Values end = w_.loop(
      w_.i64(0), slice.length, w_.i64(unit.length), {zero},
      [&](Value first, const Values& c) { return Values{addition(first, c[0])}; }, false);
  Values result = joins_.zeros(site);
  result[0] = converted(Scalar::f64, scalar, end[0]);
  return result;
}

}  // namespace reckon::codegen
