// erf in fixed point: with z = x^2, erf |x| = 2 / sqrt(pi) e^-z (x + x 2z/3 + x (2z)^2 / (3 5) + ...) (Abramowitz and
// Stegun, 7.1.6), whose erf_terms are all positive. 180 of them leave out less than 2^-140 of the sum for z <= 36, where it
// is below 2^54. Terms have 190 bits behind the point. For |x| >= 2^-27 the relative error of term n is n 2^-162; that
// of the sum, and so of the result, is 2^-154. From |x| = 6 on it lies between 1 and its neighbour. Below 2^-27 it is
// 2 / sqrt(pi) x (1 - z/3 + z^2/10), within 2^-160.
#include "numerics/wide_float.h"
#include "semantics/interval/compiled/fixed_emitter.h"
#include "semantics/interval/compiled/functions_of_f64.h"

namespace reckon::codegen {

using llvm::Value;
using namespace fixed_point;

namespace {

constexpr unsigned erf_terms = 180, term_bits = 190;

class Erf : public FixedEmitter {
 public:
  using FixedEmitter::FixedEmitter;

  Value* operator()() {
    Value* small = less(size_, 0x1p-27);
    Value* ordinary = b_.CreateAnd(b_.CreateNot(small), less(size_, 6));
    Value* limit = b_.CreateSelect(negative_, endpoints(-1, -1 + 0x1p-53), endpoints(1 - 0x1p-53, 1));
    Value* near = near_zero(small, two_over_root_pi(), inverse(-3),
                            inverse(10));  // emitted before the loops, which end their block
    Value* far = summed(b_.CreateSelect(ordinary, size_, number(1)));
    Value* result = b_.CreateSelect(small, near, b_.CreateSelect(ordinary, far, limit));
    return b_.CreateSelect(b_.CreateFCmpOEQ(x_, number(0)), x_, result);
  }

 private:
  Value* summed(Value* size) {
    Value* x = magnitude(b_, size);
    Value* z = multiply(b_, x, x);
    Value* twice_z = b_.CreateShl(z, 1);
    llvm::GlobalVariable* inverses = odd_inverses();
    llvm::BasicBlock* before = b_.GetInsertBlock();
    auto* sum_block = llvm::BasicBlock::Create(b_.getContext(), "erf_terms", before->getParent());
    auto* done = llvm::BasicBlock::Create(b_.getContext(), "summed", before->getParent());
    Value* first = b_.CreateLShr(x, fraction_bits - term_bits);
    b_.CreateBr(sum_block);
    b_.SetInsertPoint(sum_block);
    auto* n = b_.CreatePHI(b_.getInt64Ty(), 2);
    auto *term = b_.CreatePHI(wide(), 2), *sum = b_.CreatePHI(wide(), 2);
    Value* by = b_.CreateLoad(wide(), b_.CreateInBoundsGEP(wide(), inverses, n));
    Value* next = multiply(b_, multiply(b_, term, twice_z), by);
    Value *total = b_.CreateAdd(sum, next), *more = b_.CreateAdd(n, i64(1));
    n->addIncoming(i64(0), before);
    n->addIncoming(more, sum_block);
    term->addIncoming(first, before);
    term->addIncoming(next, sum_block);
    sum->addIncoming(first, before);
    sum->addIncoming(total, sum_block);
    b_.CreateCondBr(b_.CreateICmpULT(more, i64(erf_terms)), sum_block, done);
    b_.SetInsertPoint(done);

    // e^-z = 2^-k e^r
    Value* turns = b_.CreateFMul(b_.CreateFMul(size, size), number(0x1.71547652b82fep+0));
    Value* k = b_.CreateFPToSI(b_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, turns), b_.getInt64Ty());
    Value* r = b_.CreateSub(b_.CreateMul(b_.CreateSExt(k, wide()), constant(b_.getContext(), fixed_ln2())), z);
    Value* value = multiply(b_, multiply(b_, total, emit_exp(b_, r, target_)), two_over_root_pi());
    return emit_end(b_, value, b_.CreateAdd(i64(term_bits), k), negative_, side_);
  }

  llvm::Constant* inverse(int n) { return constant(b_.getContext(), (mpz_class(1) << fraction_bits) / n); }
  llvm::Constant* two_over_root_pi() {
    const auto pi = numerics::wide_real(mpq_class(1), numerics::RealConstant::pi, 400, numerics::Toward::below);
    const auto scaled = numerics::WideFloat::rounded(400, numerics::Toward::below, [&](mpfr_ptr to, mpfr_rnd_t way) {
      mpfr_rec_sqrt(to, pi.get(), way);
      mpfr_mul_2ui(to, to, fraction_bits + 1, way);
    });
    mpz_class out;
    mpfr_get_z(out.get_mpz_t(), scaled.get(), MPFR_RNDN);
    return constant(b_.getContext(), out);
  }
  /// 1/3, 1/5, ...
  llvm::GlobalVariable* odd_inverses() {
    llvm::SmallVector<llvm::Constant*, erf_terms> values;
    for (unsigned n = 0; n < erf_terms; ++n) {
      values.push_back(constant(b_.getContext(), (mpz_class(1) << fraction_bits) / (2 * n + 3)));
    }
    return table(*b_.GetInsertBlock()->getModule(), target_, "reckon_odd_inverses", values);
  }
};

}  // namespace

void emit_erf_body(Builder& b, ir::Op, Side side, Value* x, Target target) { b.CreateRet(Erf(b, side, x, target)()); }

}  // namespace reckon::codegen
