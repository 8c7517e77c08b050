// atan, asin and acos in fixed point of 224 bits. Let t be y / x or x / y, whichever is at most 1, and c = j / 64 next
// to t. The angle is atan(c), from a table, plus atan(u) with u = (t - c) / (1 + t c), at most 2^-7, by 17 terms of its
// series: within 2^-219, and at least 2^-28. asin x and acos x are the angles of (sqrt(1 - x^2), x) and (x, sqrt(1 -
// x^2)).
#include "numerics/wide_float.h"
#include "semantics/interval/compiled/fixed_emitter.h"
#include "semantics/interval/compiled/functions_of_f64.h"

namespace reckon::codegen {

using ir::Op;
using llvm::Value;
using namespace fixed_point;

namespace {

class Angles : public FixedEmitter {
 public:
  using FixedEmitter::FixedEmitter;

  Value* atan() {
    Value* tiny = less(size_, 0x1p-27);
    Value* large = b_.CreateFCmpOGT(size_, number(1));
    Value* itself = magnitude(b_, b_.CreateSelect(b_.CreateOr(tiny, large), number(1), size_));
    // 1 / |x| = 2^(52 - e) / M.
    Value* one_over =
        b_.CreateUDiv(constant_of(twice(), fraction_bits + 52), b_.CreateZExt(significand_of_size(), twice()));
    Value* inverse = shifted_right(b_.CreateTrunc(one_over, wide()), exponent_of_size());
    Value* result = signed_end(angle(b_.CreateSelect(large, inverse, itself), large), negative_);
    return b_.CreateSelect(tiny, emit_beside(b_, x_, false, side_), result);
  }

  Value* asin() {
    Value* tiny = less(size_, 0x1p-27);
    Value* y = magnitude(b_, b_.CreateSelect(tiny, number(0.5), size_));
    return b_.CreateSelect(tiny, emit_beside(b_, x_, true, side_), signed_end(of_point(y, other_leg(y)), negative_));
  }

  /// pi/2 is more than 2^-60 away from every f64.
  Value* acos() {
    Value* tiny = less(size_, 0x1p-60);
    Value* x = b_.CreateSelect(tiny, llvm::ConstantInt::get(wide(), 0),
                               magnitude(b_, b_.CreateSelect(tiny, number(1), size_)));
    Value* first = of_point(other_leg(x), x);
    Value* second = b_.CreateSub(b_.CreateShl(constant(b_.getContext(), scaled(half_pi())), 1), first);
    Value* no = llvm::ConstantInt::getFalse(b_.getContext());
    Value* result = signed_end(b_.CreateSelect(negative_, second, first), no);
    return b_.CreateSelect(b_.CreateFCmpOEQ(x_, number(1)), number(0), result);
  }

 private:
  static constexpr unsigned atan_terms = 17, pieces = 64;

  /// atan(t); with `inverse`, atan(1 / t).
  Value* angle(Value* t, Value* inverse) {
    Value* j = b_.CreateLShr(b_.CreateAdd(t, constant_of(wide(), fraction_bits - 7)), fraction_bits - 6);
    Value* c = b_.CreateShl(j, fraction_bits - 6);
    Value* above = b_.CreateShl(b_.CreateSExt(b_.CreateSub(t, c), twice()), fraction_bits);
    Value* below = b_.CreateSExt(sum_of_one_and(multiply(b_, t, c)), twice());
    Value* u = b_.CreateTrunc(b_.CreateSDiv(above, below), wide());
    llvm::GlobalVariable* angles = angle_table();
    Value* of_c = b_.CreateLoad(wide(), b_.CreateInBoundsGEP(wide(), angles, b_.CreateTrunc(j, b_.getInt64Ty())));
    Value* out = b_.CreateAdd(of_c, multiply(b_, u, emit_series(b_, multiply(b_, u, u), series(), atan_terms)));
    return b_.CreateSelect(inverse, b_.CreateSub(constant(b_.getContext(), scaled(half_pi())), out), out);
  }
  /// The angle of the point (x, y); x and y are not both 0.
  Value* of_point(Value* y, Value* x) {
    Value* steep = b_.CreateICmpUGT(y, x);
    Value* above = b_.CreateShl(b_.CreateZExt(b_.CreateSelect(steep, x, y), twice()), fraction_bits);
    Value* quotient = b_.CreateUDiv(above, b_.CreateZExt(b_.CreateSelect(steep, y, x), twice()));
    return angle(b_.CreateTrunc(quotient, wide()), steep);
  }
  /// sqrt(1 - x^2)
  Value* other_leg(Value* x) {
    Value* same = b_.CreateZExt(x, twice());
    return root(b_.CreateSub(constant_of(twice(), 2 * fraction_bits), b_.CreateMul(same, same)));
  }
  Value* signed_end(Value* size, Value* negative) { return emit_end(b_, size, i64(fraction_bits), negative, side_); }

  static numerics::WideFloat half_pi() {
    return numerics::wide_real(mpq_class(1, 2), numerics::RealConstant::pi, 400, numerics::Toward::below);
  }
  static mpz_class scaled(const numerics::WideFloat& x) {
    mpz_class out;
    const auto shifted = numerics::WideFloat::rounded(400, numerics::Toward::below, [&](mpfr_ptr to, mpfr_rnd_t way) {
      mpfr_mul_2ui(to, x.get(), fraction_bits, way);
    });
    mpfr_get_z(out.get_mpz_t(), shifted.get(), MPFR_RNDN);
    return out;
  }
  llvm::GlobalVariable* angle_table() {
    llvm::SmallVector<llvm::Constant*, pieces + 1> values;
    for (unsigned j = 0; j <= pieces; ++j) {
      values.push_back(constant(b_.getContext(),
                                scaled(numerics::wide_function(numerics::Function::atan, 400, numerics::Toward::below,
                                                               static_cast<double>(j) / pieces))));
    }
    return table(*b_.GetInsertBlock()->getModule(), target_, "reckon_angles", values);
  }
  llvm::GlobalVariable* series() {
    llvm::SmallVector<llvm::Constant*, atan_terms> values;
    for (int n = 0; n < static_cast<int>(atan_terms); ++n) {
      const mpz_class size = (mpz_class(1) << fraction_bits) / (2 * n + 1);
      values.push_back(constant(b_.getContext(), n % 2 == 0 ? size : mpz_class(-size)));
    }
    return table(*b_.GetInsertBlock()->getModule(), target_, "reckon_atan_terms", values);
  }
};

}  // namespace

void emit_angle_body(Builder& b, Op op, Side side, Value* x, Target target) {
  Angles angles(b, side, x, target);
  b.CreateRet(op == Op::atan ? angles.atan() : op == Op::asin ? angles.asin() : angles.acos());
}

}  // namespace reckon::codegen
