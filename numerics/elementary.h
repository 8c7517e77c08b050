// Correctly rounded elementary functions through MPFR, for any format and direction, and real constants.
// MPFR rounds correctly in every case (Fousse et al., ACM TOMS 33(2), 2007). This file adds the format's exponent range
// with its subnormals, and IEEE 754-2019's special cases where MPFR differs.
//
// Thread-safe: MPFR's exponent range and caches are per thread (Debian builds it so; checked once, in a test),
// and the range is put back before each function returns.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <utility>

#include "numerics/format.h"

namespace reckon::numerics {

enum class Function : std::uint8_t {
#define RECKON_FUNCTION(name) name,
#include "numerics/functions.def"
  sqrt
};
inline constexpr int function_count = static_cast<int>(Function::sqrt) + 1;
enum class BinaryFunction : std::uint8_t {
#define RECKON_FUNCTION_OF_TWO(name) name,
#include "numerics/functions.def"
};
inline constexpr int binary_function_count = 0
#define RECKON_FUNCTION_OF_TWO(name) +1
#include "numerics/functions.def"
    ;

/// f of a pattern, rounded once. A NaN, and an operand without a real answer (log(-1), sin(inf)), gives the
/// canonical NaN. rsqrt(-0) = -inf as in IEEE 754-2019, 9.2.1, and log(-0) = -inf.
std::uint64_t mpfr_unary(Function function, std::uint64_t bits, Format format,
                         Rounding rounding = Rounding::nearest_even);

/// The same for two operands: IEEE 754-2019, 9.2.1 (pow(x, 0) and pow(1, y) are 1 even for a NaN; hypot is infinite if
/// one operand is infinite, whatever the other one is; rootn(x, n) is a NaN where n is not an integer other than 0 and
/// below 2^53 in size).
std::uint64_t mpfr_binary(BinaryFunction function, std::uint64_t x, std::uint64_t y, Format format,
                          Rounding rounding = Rounding::nearest_even);

/// x * y + z rounded once: IEEE 754-2019, 5.4.1, the signs of zero sums included.
std::uint64_t mpfr_fma(std::uint64_t x, std::uint64_t y, std::uint64_t z, Format format,
                       Rounding rounding = Rounding::nearest_even);

/// Functions of doubles, rounded to nearest.
double mpfr_nearest(Function function, double x);
double mpfr_nearest(BinaryFunction function, double x, double y);

/// A unary function of doubles, rounded upward or downward: an endpoint of an enclosure of f(x). Where f is not defined
/// the result is a NaN, which the caller must turn into its own answer.
double mpfr_unary_directed(Function function, double x, bool upward);

enum class RealConstant : std::uint8_t { pi, e, ln2, log2e };

/// scale times the constant, rounded once. There are no ties, because a non-zero rational times one of these is
/// irrational.
std::uint64_t round_real(const mpq_class& scale, RealConstant constant, Format format,
                         Rounding rounding = Rounding::nearest_even);

/// The two neighbouring doubles around scale times the constant (both 0 when scale is 0).
std::pair<double, double> enclose_real(const mpq_class& scale, RealConstant constant);

}  // namespace reckon::numerics
