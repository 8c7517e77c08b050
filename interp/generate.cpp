// Generated sequences, the same bits on every machine: only integer arithmetic and single, correctly rounded floating
// operations in a fixed order.
//
//   uniform  SplitMix64 of seed + i: z = seed + i + 0x9e3779b97f4a7c15, then the output function (Steele, Lea and
//   Flood,
//            "Fast splittable pseudorandom number generators", OOPSLA 2014; constants of Vigna's splitmix64.c). With k
//            the top 53 bits, the value is (k - 2^52) / 2^52, uniform in [-1, 1).
//   normal   the same k, as the probability (2k + 1) / 2^54, through the inverse of the normal distribution function:
//            Wichura's AS 241 PPND16 (Applied Statistics 37(3), 1988), a relative error of about 1e-16, evaluated in
//            f64 with its one logarithm correctly rounded.
//   lcg      s = s * 6364136223846793005 + 1442695040888963407, stepped before each value; k = s >> 11, as uniform
//            (the known answers of WG21 P4016).
// Each f64 is then rounded once to the format. An integer of n bits has the top n bits of SplitMix64.
#include <cmath>

#include "interp/evaluate.h"
#include "numerics/format.h"
#include "numerics/functions_of_f64.h"

namespace reckon::interp {

namespace {

std::uint64_t split_mix(std::uint64_t state) {
  std::uint64_t z = state + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

double symmetric(std::uint64_t k) {
  return static_cast<double>(static_cast<std::int64_t>(k) - (std::int64_t{1} << 52)) * 0x1p-52;
}

double polynomial(const double (&coefficients)[8], double x) {
  double value = coefficients[7];
  for (int k = 6; k >= 0; --k) value = value * x + coefficients[k];
  return value;
}

double normal(std::uint64_t k) {
  static constexpr double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                  1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                  3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static constexpr double b[8] = {1.0,
                                  4.2313330701600911252e+1,
                                  6.8718700749205790830e+2,
                                  5.3941960214247511077e+3,
                                  2.1213794301586595867e+4,
                                  3.9307895800092710610e+4,
                                  2.8729085735721942674e+4,
                                  5.2264952788528545610e+3};
  static constexpr double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                  3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double d[8] = {1.0,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
  static constexpr double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                  2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[8] = {1.0,
                                  5.99832206555887937690e-1,
                                  1.36929880922735805310e-1,
                                  1.48753612908506148525e-2,
                                  7.86869131145613259100e-4,
                                  1.84631831751005468180e-5,
                                  1.42151175831644588870e-7,
                                  2.04426310338993978564e-15};
  // q = p - 1/2 and the smaller tail are both exact: an odd integer below 2^53 divided by 2^54.
  const std::int64_t odd = 2 * static_cast<std::int64_t>(k) + 1 - (std::int64_t{1} << 53);
  const double q = static_cast<double>(odd) * 0x1p-54;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double tail = 0.5 - std::fabs(q);
  double logarithm = 0;
  numerics::nearest_f64(numerics::Function::log, &tail, &logarithm, 1);
  double r = std::sqrt(-logarithm);
  double value = 0;
  if (r <= 5.0) {
    r -= 1.6;
    value = polynomial(c, r) / polynomial(d, r);
  } else {
    r -= 5.0;
    value = polynomial(e, r) / polynomial(f, r);
  }
  return q < 0 ? -value : value;
}

}  // namespace

ir::HostTensor generate(ir::Source::Kind kind, ir::Scalar scalar, std::vector<std::int64_t> shape, std::int64_t seed) {
  ir::HostTensor tensor(scalar, std::move(shape));
  auto state = static_cast<std::uint64_t>(seed);
  const std::int64_t count = tensor.size();
  if (ir::is_integer(scalar)) {
    const int rest = 64 - ir::integer_traits(scalar).width;
    for (std::int64_t i = 0; i < count; ++i) tensor.set_bits(i, split_mix(state++) >> rest);
  }
  if (scalar == ir::Scalar::boolean) {
    for (std::int64_t i = 0; i < count; ++i) tensor.set_bits(i, split_mix(state++) >> 63);
  }
  if (!ir::is_float(scalar)) return tensor;
  const ir::Format format = ir::format_of(scalar);
  for (std::int64_t i = 0; i < count; ++i) {
    double value = 0;
    switch (kind) {
      case ir::Source::Kind::uniform: value = symmetric(split_mix(state++) >> 11); break;
      case ir::Source::Kind::normal: value = normal(split_mix(state++) >> 11); break;
      case ir::Source::Kind::lcg:
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        value = symmetric(state >> 11);
        break;
      case ir::Source::Kind::file: break;
    }
    tensor.set_bits(i, numerics::round_f64(value, format));
  }
  return tensor;
}

}  // namespace reckon::interp
