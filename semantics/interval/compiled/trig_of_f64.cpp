// |x| = M 2^(e-52). Bits of 2/pi that only contribute multiples of 4 to the product are left out, and 256 of the others
// come from a table (Payne and Hanek, SIGNUM 18, 1983). Their product with M is |x| 2/pi modulo 4, within 2^-201. Its
// whole part is the quadrant. Its fraction, or 1 minus the fraction, times pi/2 is an angle r of at most pi/4. sin r
// and cos r are 27 series_terms of their series, within 2^-222. No double comes nearer than 2^-62 to a multiple of
// pi/2, relative to a turn (Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., 10.4), so the relative error
// of every result is at most 2^-136.
//
// For sinpi, cospi and tanpi the product is 2|x| modulo 4, which is exact; below 2^-29 a few terms of the series serve,
// of which the first left out is below 2^-156 of the result. Where the fraction is 0, or for tanpi 1/2, the result is
// 0, 1, -1 or a pole, and is taken as such.
#include "semantics/interval/compiled/trig_of_f64.h"

#include "codegen/scalars/shared_function.h"
#include "numerics/functions/half_turns.h"
#include "numerics/wide_float.h"
#include "semantics/interval/compiled/fixed_emitter.h"

namespace reckon::codegen {

using ir::Op;
using llvm::Value;
using namespace fixed_point;

namespace {

constexpr unsigned series_terms = 27, words = 21, angle_bits = 254, quotient_bits = 190;

/// x 2^places, truncated.
mpz_class scaled(const numerics::WideFloat& x, unsigned places) {
  mpz_class out;
  const auto shifted = numerics::WideFloat::rounded(2000, numerics::Toward::below, [&](mpfr_ptr to, mpfr_rnd_t way) {
    mpfr_mul_2ui(to, x.get(), places, way);
  });
  mpfr_get_z(out.get_mpz_t(), shifted.get(), MPFR_RNDD);
  return out;
}

numerics::WideFloat half_pi() {
  return numerics::wide_real(mpq_class(1, 2), numerics::RealConstant::pi, 1800, numerics::Toward::below);
}

/// The bits of 2/pi behind the point; the highest bit of the first word is the first one.
llvm::GlobalVariable* two_over_pi(llvm::Module& module, Target target) {
  const auto pi = half_pi();
  const auto ratio = numerics::WideFloat::rounded(1700, numerics::Toward::below, [&](mpfr_ptr to, mpfr_rnd_t way) {
    mpfr_ui_div(to, 1, pi.get(), way);
  });
  const mpz_class bits = scaled(ratio, 64 * words);
  llvm::SmallVector<llvm::Constant*, words> values;
  for (unsigned k = 0; k < words; ++k) {
    const mpz_class word = (bits >> (64 * (words - 1 - k))) & mpz_class("ffffffffffffffff", 16);
    values.push_back(llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), word.get_ui()));
  }
  return table(module, target, "reckon_two_over_pi", values);
}

/// The coefficients of sin, (-1)^k / (2k + 1)!, or of cos, (-1)^k / (2k)!.
llvm::GlobalVariable* coefficients(llvm::Module& module, Target target, bool of_sine) {
  llvm::SmallVector<llvm::Constant*, series_terms> values;
  mpz_class factorial = 1;
  for (unsigned k = 0; k < series_terms; ++k) {
    const unsigned n = of_sine ? 2 * k + 1 : 2 * k;
    if (n > 1) factorial *= n * (n - 1);
    const mpz_class size = (mpz_class(1) << fraction_bits) / factorial;
    values.push_back(constant(module.getContext(), k % 2 == 0 ? size : mpz_class(-size)));
  }
  return table(module, target, of_sine ? "reckon_sine_terms" : "reckon_cosine_terms", values);
}

/// |x| 2/pi modulo 4: its floor, an i64, and the rest, in units of 2^-254.
struct Turns {
  Value *quadrant, *rest;
};

Turns turns_of(Builder& b, Value* x, Target target) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::Type *word = b.getInt64Ty(), *wide = b.getIntNTy(width), *wider = b.getIntNTy(width + 64),
             *twice = b.getIntNTy(2 * width);
  const auto i64 = [&](std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); };
  const auto at_least = [&](Value* value, std::int64_t bound) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, i64(bound));
  };
  Value* bits = b.CreateBitCast(x, word);
  Value* significand = b.CreateOr(b.CreateAnd(bits, i64(0xfffffffffffff)), i64(0x10000000000000));
  Value* exponent = at_least(b.CreateSub(b.CreateAnd(b.CreateLShr(bits, 52), i64(0x7ff)), i64(1023)), -100);
  Value* skipped = at_least(b.CreateSub(exponent, i64(54)), 0);
  Value* first = b.CreateLShr(skipped, 6);
  llvm::GlobalVariable* from = two_over_pi(module, target);
  Value* joined = llvm::ConstantInt::get(wider, 0);
  for (std::uint64_t k = 0; k < 5; ++k) {
    Value* next = b.CreateLoad(word, b.CreateInBoundsGEP(word, from, b.CreateAdd(first, b.getInt64(k))));
    joined = b.CreateOr(b.CreateShl(joined, 64), b.CreateZExt(next, wider));
  }
  Value* spare = b.CreateSub(i64(64), b.CreateAnd(skipped, i64(63)));
  Value* window = b.CreateTrunc(b.CreateLShr(joined, b.CreateZExt(spare, wider)), wide);
  Value* product = b.CreateMul(b.CreateZExt(window, twice), b.CreateZExt(significand, twice));
  Value* small = at_least(b.CreateSub(i64(54), exponent), 0);
  Value* value = b.CreateTrunc(b.CreateLShr(product, b.CreateZExt(small, twice)), wide);
  Value* rest = b.CreateAnd(value, constant(b.getContext(), (mpz_class(1) << angle_bits) - 1));
  return {b.CreateTrunc(b.CreateLShr(value, angle_bits), word), rest};
}

constexpr bool is_of_half_turns(Op op) { return op == Op::sinpi || op == Op::cospi || op == Op::tanpi; }
/// The function g of g(pi x).
constexpr Op of_radians(Op op) {
  return op == Op::sinpi ? Op::sin : op == Op::cospi ? Op::cos : op == Op::tanpi ? Op::tan : op;
}

/// 2|x| modulo 4, likewise; |x| is at least 2^-100.
Turns half_turns_of(Builder& b, Value* x) {
  llvm::Type *word = b.getInt64Ty(), *wide = b.getIntNTy(width);
  const auto i64 = [&](std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); };
  Value* bits = b.CreateBitCast(x, word);
  Value* significand = b.CreateOr(b.CreateAnd(bits, i64(0xfffffffffffff)), i64(0x10000000000000));
  Value* exponent = b.CreateSub(b.CreateAnd(b.CreateLShr(bits, 52), i64(0x7ff)), i64(1023));
  Value* places = b.CreateAdd(exponent, i64(static_cast<std::int64_t>(angle_bits) + 1 - 52));
  Value* inside =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, places, i64(0)),
                              i64(width - 1));
  Value* shifted = b.CreateShl(b.CreateZExt(significand, wide), b.CreateZExt(inside, wide));  // modulo 4 by its width
  Value* value = b.CreateSelect(b.CreateICmpSGE(places, i64(width)), llvm::ConstantInt::get(wide, 0), shifted);
  Value* rest = b.CreateAnd(value, constant(b.getContext(), (mpz_class(1) << angle_bits) - 1));
  return {b.CreateTrunc(b.CreateLShr(value, angle_bits), word), rest};
}

/// pi^power numerator / denominator, in fixed point.
llvm::Constant* of_pi(llvm::LLVMContext& context, unsigned long power, long numerator, unsigned long denominator) {
  const auto pi = numerics::wide_real(mpq_class(1), numerics::RealConstant::pi, 500, numerics::Toward::below);
  return constant(context,
                  fixed(numerics::WideFloat::rounded(400, numerics::Toward::below, [&](mpfr_ptr to, mpfr_rnd_t way) {
                    mpfr_pow_ui(to, pi.get(), power, way);
                    mpfr_mul_si(to, to, numerator, way);
                    mpfr_div_ui(to, to, denominator, way);
                  })));
}

/// sinpi and tanpi of small x: pi x (1 - (pi x)^2 / 6 + (pi x)^4 / 120) and pi x (1 + (pi x)^2 / 3 + 2 (pi x)^4 / 15).
class SmallHalfTurns : public FixedEmitter {
 public:
  using FixedEmitter::FixedEmitter;
  Value* operator()(Op op, Value* small) {
    llvm::LLVMContext& context = b_.getContext();
    llvm::Constant* pi = of_pi(context, 1, 1, 1);
    Value* value = op == Op::sinpi ? near_zero(small, pi, of_pi(context, 2, -1, 6), of_pi(context, 4, 1, 120))
                                   : near_zero(small, pi, of_pi(context, 2, 1, 3), of_pi(context, 4, 2, 15));
    return b_.CreateSelect(b_.CreateFCmpOEQ(x_, number(0)), x_, value);
  }
};

/// For small x, sin x lies between x and its neighbour toward 0, tan x beside x on the other side, and cos x beside 1.
Value* of_small(Builder& b, Op op, Side side, Value* x) {
  if (op != Op::cos) return emit_beside(b, x, op == Op::tan, side);
  const auto number = [&](double value) { return llvm::ConstantFP::get(b.getDoubleTy(), value); };
  return b.CreateSelect(b.CreateFCmpOEQ(x, number(0)), number(1), number(side == Side::below ? 1 - 0x1p-53 : 1));
}

void emit_body(Builder& b, Op function, Side side, Value* x, Target target) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::Type *wide = b.getIntNTy(width), *twice = b.getIntNTy(2 * width);
  const bool half_turns = is_of_half_turns(function);
  const Op op = of_radians(function);
  const Turns turns = half_turns ? half_turns_of(b, x) : turns_of(b, x, target);
  llvm::Constant* one = constant(b.getContext(), mpz_class(1) << angle_bits);
  llvm::Constant* half = constant(b.getContext(), mpz_class(1) << (angle_bits - 1));
  Value* beyond = b.CreateICmpUGT(turns.rest, half);
  Value* part = b.CreateSelect(beyond, b.CreateSub(one, turns.rest), turns.rest);
  Value* quarter = b.CreateZExt(constant(b.getContext(), scaled(half_pi(), angle_bits)), twice);
  Value* r =
      b.CreateTrunc(b.CreateLShr(b.CreateMul(b.CreateZExt(part, twice), quarter), 2 * angle_bits - fraction_bits),
                    wide);
  Value* square = multiply(b, r, r);
  Value* sine = multiply(b, r, emit_series(b, square, coefficients(module, target, true), series_terms));
  Value* cosine = emit_series(b, square, coefficients(module, target, false), series_terms);

  Value* x_negative = b.CreateICmpSLT(b.CreateBitCast(x, b.getInt64Ty()), b.getInt64(0));
  const auto bit = [&](Value* value, std::uint64_t which) {
    return b.CreateICmpNE(b.CreateAnd(value, which), b.getInt64(0));
  };
  Value* quadrant = op == Op::cos ? b.CreateAdd(turns.quadrant, b.getInt64(1)) : turns.quadrant;
  Value* swapped = b.CreateXor(bit(quadrant, 1), beyond);
  Value* value = b.CreateSelect(swapped, cosine, sine);
  Value* negative = bit(quadrant, op == Op::tan ? 1 : 2);
  if (op != Op::cos) negative = b.CreateXor(negative, x_negative);
  unsigned places = fraction_bits;
  if (op == Op::tan) {
    Value* numerator = b.CreateShl(b.CreateZExt(value, twice), quotient_bits);
    value = b.CreateTrunc(b.CreateUDiv(numerator, b.CreateZExt(b.CreateSelect(swapped, sine, cosine), twice)), wide);
    places = quotient_bits;
  }
  Value* ordinary = emit_end(b, value, b.getInt64(places), negative, side);
  // 1 - cospi x is at most 4.94 x^2, which has to be below 2^-54.
  Value* small = b.CreateFCmpOLT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x),
                                 llvm::ConstantFP::get(b.getDoubleTy(), half_turns ? 0x1p-29 : 0x1p-27));
  if (half_turns) {
    const auto number = [&](double of_number) { return llvm::ConstantFP::get(b.getDoubleTy(), of_number); };
    Value* one = b.CreateSelect(negative, number(-1), number(1));
    Value* exact = b.CreateICmpEQ(turns.rest, llvm::ConstantInt::get(wide, 0));
    // At a pole of tanpi, which is an end of its operand, the rule takes the limit itself.
    ordinary = b.CreateSelect(exact, b.CreateSelect(swapped, one, number(0)), ordinary);
    if (op == Op::tan) ordinary = b.CreateSelect(b.CreateICmpEQ(turns.rest, half), one, ordinary);
    Value* near = op == Op::cos ? of_small(b, op, side, x) : SmallHalfTurns(b, side, x, target)(function, small);
    b.CreateRet(b.CreateSelect(small, near, ordinary));
    return;
  }
  b.CreateRet(b.CreateSelect(small, of_small(b, op, side, x), ordinary));
}

}  // namespace

Value* emit_trig_of_f64(Builder& b, Op op, Side side, Value* x, Target target) {
  const bool below = side == Side::below;
  const std::string name = "reckon_" + std::string(ir::traits(op).spelling) + (below ? "_below" : "_above");
  return b.CreateCall(shared_function(b, name, 1,
                                      [&](Builder& inner, llvm::Function& function) {
                                        function.addFnAttr(llvm::Attribute::NoInline);
                                        emit_body(inner, op, side, function.getArg(0), target);
                                      }),
                      {x});
}

Value* emit_half_turns_of_f64(Builder& b, Value* x) {
  llvm::Function* function =
      shared_function(b, "reckon_half_turns", b.getInt64Ty(), 1, [&](Builder& inner, llvm::Function& made) {
        NumberBuilder numbers{inner};
        inner.CreateRet(numerics::floor_of_half_turns(numbers, made.getArg(0)));
      });
  return b.CreateCall(function, {x});
}

Value* emit_quarter_turns_of_f64(Builder& b, Value* x, Target target) {
  llvm::Function* function =
      shared_function(b, "reckon_quarter_turns", b.getInt64Ty(), 1, [&](Builder& inner, llvm::Function& made) {
        made.addFnAttr(llvm::Attribute::NoInline);
        Value* operand = made.getArg(0);
        Value* quadrant = turns_of(inner, operand, target).quadrant;
        // For a negative x, whose quotient is not an integer, the floor is the complement.
        Value* negative = inner.CreateFCmpOLT(operand, llvm::ConstantFP::get(inner.getDoubleTy(), 0.0));
        inner.CreateRet(inner.CreateSelect(negative, inner.CreateNot(quadrant), quadrant));
      });
  return b.CreateCall(function, {x});
}

}  // namespace reckon::codegen
