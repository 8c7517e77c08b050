// The families of inputs that the trials of a check draw. Inputs of one magnitude alone would hide differences that
// occur elsewhere.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/elaborate.h"
#include "interp/semantics.h"

namespace reckon::check {

enum class Family : std::uint8_t {
  unit,        ///< uniform in [-1, 1), or in the check's range
  large,       ///< the same times a power of two, from 2^3 to 2^20, as far as the format goes
  small,       ///< the same times a power of two, from 2^-3 to 2^-20
  integers,    ///< from -4 to 4: many are equal, to each other and to the circuits' constants
  equal,       ///< one number everywhere; every other time numbers that are near each other
  zeros,       ///< zeros of both signs; some numbers among them
  one_large,   ///< one number that is 2^20 times as large as the others
  cancelling,  ///< pairs of x and -x, some of them one unit in the last place apart
  constants,   ///< the circuits' constants, their neighbours and multiples, and numbers between two of them
  extremes,    ///< infinities, NaN, zeros, the least subnormal, least normal and largest finite numbers, among others
  patterns,    ///< any finite bit pattern: every exponent is as likely, subnormal numbers included
  negative,    ///< as unit, all below 0
  positive,    ///< as unit, all above 0
  endpoints,   ///< an endpoint of the range, or -1 or 1: one everywhere, or a mixture
  mixed,       ///< another family for each input
  short_ones,  ///< few significant bits, and numbers one unit in the last place beside: ties of narrower formats
};

/// The families that a check draws under a semantics; the first is `unit`. Checks that compare bits draw all families.
/// Within an absolute distance, no family has numbers larger than the range that the distance is meant for. Only checks
/// that compare bits draw infinities and NaNs. Rings have the first family alone.
std::vector<Family> families_of(const frontend::ElaboratedItem& item, const interp::Semantics& semantics);

/// Makes one input the negative of another one of the same type and shape, in turn, and the other inputs small beside
/// them. The small inputs are then all that remains of the sum. Numbers that the clauses do not allow are not changed.
void cancel_each_other(std::vector<ir::HostTensor>& inputs, const std::vector<frontend::RangeClause>& ranges,
                       std::uint64_t turn);
/// Inputs of the shapes of `unit`: each extreme in all elements of one input, with the others unchanged, or of all
/// inputs; each pair of extremes in two inputs; and each input in ascending and descending order.
std::vector<std::vector<ir::HostTensor>> special_inputs(const std::vector<ir::HostTensor>& unit);

/// Rational literals of the circuits; `compared`: only operands of comparisons, selections, minima, maxima and clamps.
/// Ascending.
std::vector<mpq_class> constants_of(const ir::Module& module, const frontend::ElaboratedItem& item, bool compared);

/// The least and the greatest integer of the type in the range; if there is none, the one that is next to it.
std::pair<mpz_class, mpz_class> integers_in(const frontend::RangeClause& range, ir::Scalar scalar);

/// Fills the tensor with numbers of a family (one of `bool` as by some turn of draw_truths). They are a function of the
/// seed and of how often the family has had its turn. Numbers outside the range, if there is one, are replaced by
/// numbers in it.
void draw_family(Family family, ir::HostTensor& tensor, std::uint64_t seed, const std::vector<mpq_class>& constants,
                 const frontend::RangeClause* range, std::uint64_t turn = 0);

/// Whether a check can draw elements of the type: floats, integers and truth values, but no `number`.
constexpr bool can_draw(ir::Scalar scalar) { return scalar != ir::Scalar::number; }

/// Fills a tensor of `bool`. The turns, of which `turn` says how many there were, take in order: each element as likely
/// true as false, all true, one true, all false, one of eight true, every second one true, one false, one of eight
/// false.
void draw_truths(ir::HostTensor& tensor, std::uint64_t seed, std::uint64_t turn);

/// `magnitudes 2^-20 to 2^20, integers, zeros of both signs, ...`: what the families draw beside `unit`.
std::string families_text(const std::vector<Family>& families, const std::vector<mpq_class>& constants);

}  // namespace reckon::check
