#include "semantics/interval/exp.h"

#include "numerics/wide_float.h"

namespace reckon::interp::interval_exp {

namespace {

double nearest(const numerics::WideFloat& x) { return mpfr_get_d(x.get(), MPFR_RNDN); }

/// value - high, where the value is known to 200 bits.
double rest(const numerics::WideFloat& value, double high) {
  return nearest(numerics::WideFloat::rounded(200, numerics::Toward::below, [&](mpfr_ptr out, mpfr_rnd_t way) {
    mpfr_sub_d(out, value.get(), high, way);
  }));
}

Table make() {
  Table out{};
  for (int j = 0; j < 256; ++j) {
    const auto power = numerics::wide_function(numerics::Function::exp2, 200, numerics::Toward::below, j / 256.0);
    out.high[j] = nearest(power);
    out.low[j] = rest(power, out.high[j]);
  }
  const auto ln2 = numerics::wide_real(mpq_class(1, 256), numerics::RealConstant::ln2, 200, numerics::Toward::below);
  out.ln2_high = nearest(numerics::WideFloat::rounded(
      34, numerics::Toward::below, [&](mpfr_ptr to, mpfr_rnd_t way) { mpfr_set(to, ln2.get(), way); }));
  out.ln2_low = rest(ln2, out.ln2_high);
  return out;
}

}  // namespace

const Table& table() {
  static const Table made = make();
  return made;
}

}  // namespace reckon::interp::interval_exp
