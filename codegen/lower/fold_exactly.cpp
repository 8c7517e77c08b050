// Sums that are rounded once: a fixed-point number on the stack, wide enough for every addend (numerics/exact_sum.h is
// the same for the interpreter, over rationals at its end). Every leaf is taken apart as an f64, in which the narrower
// formats, and their products, are exact; only products of two f64s are wider and are added in two halves.
#include "codegen/lower/lowering.h"
#include "numerics/exact_sum.h"

namespace reckon::codegen {

using ir::Op;
using ir::Scalar;
using llvm::Value;

namespace {

constexpr int limb_bits = 32;                                 // of 64: the others are room for carries
constexpr std::int64_t most_between_carries = 1ll << 28;      // each adds less than 2^32 to a limb, twice at most
constexpr int guard_limbs = 2;                                // always 0, below the last digit: rounding reads three limbs
constexpr std::uint64_t fraction_mask = (1ull << 52) - 1;

int round_down(int value, int multiple) { return value - ((value % multiple) + multiple) % multiple; }

}  // namespace

/// The sum so far is the sum of limb k times 2^(lowest + 32 k).
struct Lowering::LongSum {
  int digits;      ///< significant bits of an addend
  int lowest;
  int limb_count;
  Value* limbs;
};

/// What is carried from leaf to leaf: the sum of those that are no numbers, and whether all were -0.
struct Lowering::Specials {
  Value* sum;
  Value* negative_zeros;
};

Lowering::LongSum Lowering::make_long_sum(ir::Scalar scalar, bool products, bool rounded_leaves) {
  const numerics::FormatTraits format = numerics::traits(ir::format_of(scalar));
  const bool halves = products && scalar == Scalar::f64;
  const int factors = products ? 2 : 1;
  const int least = factors * (format.emin - format.precision + 1);  // the least addend that is not 0
  LongSum sum{};
  sum.digits = halves ? 64 : rounded_leaves ? 53 : factors * format.precision;
  sum.lowest = round_down(scalar == Scalar::f64 ? least : least - sum.digits + 1, limb_bits) - guard_limbs * limb_bits;
  const int highest = factors * (format.emax + 1) + 64;  // of 2^64 leaves
  sum.limb_count = (highest - sum.lowest) / limb_bits + 2;
  sum.limbs = stack_array(b_.getInt64Ty(), sum.limb_count);
  b_.CreateMemSet(sum.limbs, b_.getInt8(0), static_cast<std::uint64_t>(sum.limb_count) * 8, llvm::MaybeAlign(8));
  return sum;
}

/// Adds +- magnitude * 2^(position + lowest); position >= 0.
void Lowering::add_bits(const LongSum& sum, Value* magnitude, Value* position, Value* sign) {
  llvm::Type* word = b_.getInt64Ty();
  Value* limb = b_.CreateLShr(position, 5);
  Value* shift = b_.CreateAnd(position, limb_bits - 1);
  Value* low = b_.CreateShl(magnitude, shift);
  llvm::SmallVector<Value*, 3> parts{b_.CreateAnd(low, 0xffffffffu), b_.CreateLShr(low, limb_bits)};
  if (sum.digits + limb_bits - 1 > 64) {
    // In two steps, because a shift by 64 has no value.
    parts.push_back(b_.CreateLShr(b_.CreateLShr(magnitude, 1), b_.CreateSub(i64(63), shift)));
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Value* pointer = at(word, sum.limbs, add(limb, i64(static_cast<std::int64_t>(k))));
    Value* part = b_.CreateSub(b_.CreateXor(parts[k], sign), sign);
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(word, pointer), part), pointer);
  }
}

Lowering::F64Parts Lowering::parts_of(Value* x) {
  Value* bits = b_.CreateBitCast(x, b_.getInt64Ty());
  Value* field = b_.CreateAnd(b_.CreateLShr(bits, 52), 0x7ff);
  Value* fraction = b_.CreateAnd(bits, fraction_mask);
  Value* normal = b_.CreateICmpNE(field, i64(0));
  F64Parts parts;
  parts.sign = b_.CreateAShr(bits, 63);
  parts.magnitude = b_.CreateOr(fraction, b_.CreateShl(b_.CreateZExt(normal, b_.getInt64Ty()), 52));
  parts.exponent = b_.CreateSub(b_.CreateSelect(normal, field, i64(1)), i64(1075));
  parts.finite = b_.CreateICmpNE(field, i64(0x7ff));
  return parts;
}

Lowering::Specials Lowering::add_exactly(const LongSum& sum, const Specials& specials, Value* x, Value* grid) {
  F64Parts parts = parts_of(x);
  if (grid) {
    // The magnitude to the nearest multiple of 2^grid, ties to even. What is smaller than half of that goes away.
    Value* dropped = b_.CreateSub(grid, parts.exponent);
    Value* drops = b_.CreateICmpSGT(dropped, i64(0));
    dropped = b_.CreateSelect(drops, smaller(dropped, i64(63)), i64(0));
    Value* kept = b_.CreateLShr(parts.magnitude, dropped);
    Value* rest = b_.CreateSub(parts.magnitude, b_.CreateShl(kept, dropped));
    Value* half = b_.CreateLShr(b_.CreateShl(i64(1), dropped), 1);
    Value* odd = b_.CreateTrunc(kept, b_.getInt1Ty());
    Value* up = b_.CreateOr(b_.CreateICmpUGT(rest, half), b_.CreateAnd(b_.CreateICmpEQ(rest, half), odd));
    parts.magnitude = b_.CreateAdd(kept, b_.CreateZExt(b_.CreateAnd(up, drops), b_.getInt64Ty()));
    parts.exponent = b_.CreateSelect(drops, grid, parts.exponent);
  }
  const int zeros_below = 53 - sum.digits;  // the narrower formats' leaves end in zeros as f64s
  Value* position = b_.CreateAdd(parts.exponent, i64(zeros_below - sum.lowest));
  // A zero's exponent may lie below the sum's last digit, a special one's above its first.
  Value* counts = b_.CreateAnd(parts.finite, b_.CreateICmpSGT(position, i64(0)));
  position = b_.CreateSelect(counts, position, i64(0));
  Value* magnitude = b_.CreateSelect(counts, b_.CreateLShr(parts.magnitude, static_cast<std::uint64_t>(zeros_below)), i64(0));
  add_bits(sum, magnitude, position, parts.sign);
  Value* bits = b_.CreateBitCast(x, b_.getInt64Ty());
  return {b_.CreateSelect(parts.finite, specials.sum, b_.CreateFAdd(specials.sum, x)),
          b_.CreateAnd(specials.negative_zeros, b_.CreateICmpEQ(bits, b_.getInt64(1ull << 63)))};
}

/// The product of two f64s, as two halves of 64 bits.
Lowering::Specials Lowering::add_product_exactly(const LongSum& sum, const Specials& specials, Value* x, Value* y) {
  const F64Parts p = parts_of(x), q = parts_of(y);
  llvm::Type* wide = b_.getIntNTy(128);
  Value* product = b_.CreateMul(b_.CreateZExt(p.magnitude, wide), b_.CreateZExt(q.magnitude, wide));
  Value* finite = b_.CreateAnd(p.finite, q.finite);
  auto if_finite = [&](Value* value) { return b_.CreateSelect(finite, value, i64(0)); };
  Value* position = if_finite(b_.CreateSub(b_.CreateAdd(p.exponent, q.exponent), i64(sum.lowest)));
  Value* sign = b_.CreateXor(p.sign, q.sign);
  add_bits(sum, if_finite(b_.CreateTrunc(product, b_.getInt64Ty())), position, sign);
  Value* high = b_.CreateTrunc(b_.CreateLShr(product, 64), b_.getInt64Ty());
  add_bits(sum, if_finite(high), b_.CreateAdd(position, i64(64)), sign);
  Value* zero = b_.CreateICmpEQ(product, llvm::ConstantInt::get(wide, 0));
  Value* negative_zero = b_.CreateAnd(zero, b_.CreateICmpNE(sign, i64(0)));
  return {b_.CreateSelect(finite, specials.sum, b_.CreateFAdd(specials.sum, b_.CreateFMul(x, y))),
          b_.CreateAnd(specials.negative_zeros, negative_zero)};
}

/// Every limb but the last gets between 0 and 2^32 - 1.
void Lowering::carry_limbs(const LongSum& sum) {
  llvm::Type* word = b_.getInt64Ty();
  const Values last = loop(i64(0), i64(sum.limb_count - 1), i64(1), {i64(0)}, [&](Value* k, const Values& carried) {
    Value* pointer = at(word, sum.limbs, k);
    Value* limb = b_.CreateAdd(b_.CreateLoad(word, pointer), carried[0]);
    b_.CreateStore(b_.CreateAnd(limb, 0xffffffffu), pointer);
    return Values{b_.CreateAShr(limb, limb_bits)};
  }, false);
  Value* pointer = at(word, sum.limbs, i64(sum.limb_count - 1));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(word, pointer), last[0]), pointer);
}

Value* Lowering::round_sum(const LongSum& sum, const Specials& specials, Scalar scalar) {
  llvm::Type* word = b_.getInt64Ty();
  auto limb = [&](Value* k) { return b_.CreateLoad(word, at(word, sum.limbs, k)); };
  auto flag = [&](Value* condition) { return b_.CreateZExt(condition, word); };
  carry_limbs(sum);
  Value* negative = b_.CreateICmpSLT(limb(i64(sum.limb_count - 1)), i64(0));
  when(negative, [&] {
    for_range(i64(0), i64(sum.limb_count), [&](Value* k) {
      b_.CreateStore(b_.CreateNeg(limb(k)), at(word, sum.limbs, k));
    }, false);
    carry_limbs(sum);
  });
  // The highest limb that is not 0, and whether anything is left below the three that are rounded.
  const Values top = loop(i64(guard_limbs), i64(sum.limb_count), i64(1), {i64(guard_limbs)}, [&](Value* k, const Values& found) {
    return Values{b_.CreateSelect(b_.CreateICmpNE(limb(k), i64(0)), k, found[0])};
  }, false);
  const Values below = loop(i64(0), i64(sum.limb_count), i64(1), {i64(0)}, [&](Value* k, const Values& found) {
    Value* counts = b_.CreateICmpSLT(k, b_.CreateSub(top[0], i64(2)));
    return Values{b_.CreateOr(found[0], b_.CreateSelect(counts, limb(k), i64(0)))};
  }, false);
  Value* first = limb(top[0]);
  Value* second = limb(b_.CreateSub(top[0], i64(1)));
  Value* third = limb(b_.CreateSub(top[0], i64(2)));
  Value* is_zero = b_.CreateICmpEQ(first, i64(0));

  // The leading 64 bits, the first of them 1, times 2^(exponent - 63); `sticky` says that there are more.
  Value* both = b_.CreateOr(b_.CreateShl(first, limb_bits), second);
  Value* zeros = b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {word}, {both, b_.getFalse()});
  zeros = b_.CreateAnd(zeros, limb_bits - 1);  // fewer, unless the sum is 0
  Value* leading = b_.CreateOr(b_.CreateShl(both, zeros), b_.CreateLShr(third, b_.CreateSub(i64(limb_bits), zeros)));
  Value* rest = b_.CreateAnd(b_.CreateShl(third, zeros), 0xffffffffu);
  Value* sticky = flag(b_.CreateICmpNE(b_.CreateOr(rest, below[0]), i64(0)));
  Value* exponent = b_.CreateSub(b_.CreateAdd(b_.CreateShl(top[0], 5), i64(sum.lowest + 31)), zeros);
  Value* field = b_.CreateAdd(exponent, i64(1023));
  Value* magnitude = nullptr;
  if (scalar != Scalar::f64) {
    // Rounded to odd, an f64 can be rounded once more (numerics/builder.h); its exponent has room to spare.
    Value* odd = b_.CreateOr(sticky, flag(b_.CreateICmpNE(b_.CreateAnd(leading, 0x7ff), i64(0))));
    Value* significand = b_.CreateOr(b_.CreateLShr(leading, 11), odd);
    magnitude = b_.CreateAdd(b_.CreateShl(b_.CreateSub(field, i64(1)), 52), significand);
  } else {
    // One bit less, so that what was below is told from a tie; then as many bits as the result's exponent leaves it.
    Value* wide = b_.CreateOr(b_.CreateOr(b_.CreateLShr(leading, 1), b_.CreateAnd(leading, 1)), sticky);
    Value* normal = b_.CreateICmpSGT(field, i64(0));
    Value* dropped = b_.CreateSelect(normal, i64(10), b_.CreateSub(i64(11), field));
    Value* shift = smaller(dropped, i64(63));
    Value* kept = b_.CreateLShr(wide, shift);
    Value* lost = b_.CreateSub(wide, b_.CreateShl(kept, shift));
    Value* half = b_.CreateShl(i64(1), b_.CreateSub(shift, i64(1)));
    Value* tie_up = b_.CreateAnd(b_.CreateICmpEQ(lost, half), b_.CreateTrunc(kept, b_.getInt1Ty()));
    kept = b_.CreateAdd(kept, flag(b_.CreateOr(b_.CreateICmpUGT(lost, half), tie_up)));
    // The hidden bit adds one to the exponent.
    Value* base = b_.CreateShl(b_.CreateSelect(normal, b_.CreateSub(field, i64(1)), i64(0)), 52);
    magnitude = b_.CreateSelect(b_.CreateICmpSGT(dropped, i64(63)), i64(0), b_.CreateAdd(base, kept));
    magnitude = b_.CreateSelect(b_.CreateICmpSGT(field, i64(2046)), b_.getInt64(0x7ffull << 52), magnitude);
  }
  magnitude = b_.CreateSelect(is_zero, i64(0), magnitude);
  Value* minus = b_.CreateSelect(is_zero, specials.negative_zeros, negative);
  Value* bits = b_.CreateOr(magnitude, b_.CreateShl(flag(minus), 63));
  Value* ordinary = b_.CreateBitCast(bits, b_.getDoubleTy());
  Value* special = b_.CreateFCmpUNE(specials.sum, llvm::ConstantFP::get(b_.getDoubleTy(), 0.0));
  return converted(Scalar::f64, scalar, b_.CreateSelect(special, specials.sum, ordinary));
}

Value* Lowering::converted(Scalar from, Scalar to, Value* x) {
  return from == to ? x : code_.apply(b_, Op::convert, from, to, {x});
}

/// The bins' grid (numerics/exact_sum.h): the exponent of what the leaves are rounded to, from the largest of them.
Value* Lowering::bin_grid(const FoldSite& site, const Slice& slice, Value* folds) {
  const Scalar scalar = site.scalars[0];
  const Values largest = loop(i64(0), slice.length, i64(1), {i64(0)}, [&](Value* position, const Values& found) {
    Value* x = converted(scalar, Scalar::f64, settled(site, node_at(site, slice, position))[0]);
    Value* magnitude = b_.CreateAnd(b_.CreateBitCast(x, b_.getInt64Ty()), ~(1ull << 63));
    Value* counts = b_.CreateICmpULT(magnitude, b_.getInt64(0x7ffull << 52));
    return Values{b_.CreateSelect(b_.CreateAnd(counts, b_.CreateICmpUGT(magnitude, found[0])), magnitude, found[0])};
  });
  Value* field = b_.CreateLShr(largest[0], 52);
  Value* zeros = b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {b_.getInt64Ty()}, {largest[0], b_.getFalse()});
  Value* exponent = b_.CreateSelect(b_.CreateICmpEQ(field, i64(0)), b_.CreateSub(i64(63 - 1074), zeros),
                                    b_.CreateSub(field, i64(1023)));
  const std::int64_t width = numerics::bin_width(ir::format_of(scalar));
  // Rounded down, over a multiple of the width that makes it positive.
  const std::int64_t above = (1100 + width) / width;
  Value* bin = b_.CreateSub(b_.CreateUDiv(b_.CreateAdd(exponent, i64(above * width)), i64(width)), i64(above));
  Value* below = b_.CreateSub(smaller(folds, i64(numerics::most_folds)), i64(1));
  return b_.CreateMul(b_.CreateSub(bin, below), i64(width));
}

Values Lowering::fold_exactly(const FoldSite& site, Value* folds, bool of_products, const Slice& slice) {
  const Scalar scalar = site.scalars[0];
  Value* grid = folds ? bin_grid(site, slice, folds) : nullptr;
  const LongSum sum = make_long_sum(scalar, of_products, folds != nullptr);
  auto one_leaf = [&](Value* position, const Specials& before) {
    const Values node = node_at(site, slice, position);
    if (!of_products) return add_exactly(sum, before, converted(scalar, Scalar::f64, settled(site, node)[0]), grid);
    // A node that is no product is one with 1.
    Value* x = converted(scalar, Scalar::f64, node[0]);
    Value* y = b_.CreateSelect(node[2], converted(scalar, Scalar::f64, node[1]), llvm::ConstantFP::get(b_.getDoubleTy(), 1.0));
    if (scalar == Scalar::f64) return add_product_exactly(sum, before, x, y);
    return add_exactly(sum, before, b_.CreateFMul(x, y), nullptr);
  };
  const Values start{llvm::ConstantFP::get(b_.getDoubleTy(), 0.0), b_.getTrue()};
  const Values end = loop(i64(0), slice.length, i64(most_between_carries), start, [&](Value* first, const Values& before) {
    Value* limit = smaller(slice.length, b_.CreateAdd(first, i64(most_between_carries)));
    const Values after = loop(first, limit, i64(1), before, [&](Value* position, const Values& carried) {
      const Specials now = one_leaf(position, {carried[0], carried[1]});
      return Values{now.sum, now.negative_zeros};
    });
    carry_limbs(sum);
    return after;
  }, false);
  Values result = zeros(site);
  result[0] = round_sum(sum, {end[0], end[1]}, scalar);
  return result;
}

}  // namespace reckon::codegen
