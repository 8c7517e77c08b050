// The multi-operand additions of tensor cores: c + x0 y0 + x1 y1 + ..., rounded as one node (docs/schedules.md, "Tensor
// cores").
//
// A product has the exponent e(x) + e(y) and is not normalised; a subnormal number has the exponent of the least normal
// one. E is the largest exponent of the products that are not 0 and of c, if c is not 0, and at least `least`. Each
// term is cut, toward zero, to a multiple of 2^(E - kept); these are added exactly, and the sum is cut to `result`
// fraction bits, or rounded to nearest. A sum that becomes 0 is +0. Infinities and NaN follow IEEE 754; an overflow is
// an infinity.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "numerics/format.h"

namespace reckon::numerics {

/// The generations of tensor cores that are modelled.
enum class MmaModel : std::uint8_t { volta, turing, ampere, ada, hopper, blackwell };
inline constexpr std::string_view mma_model_names[] = {"volta", "turing", "ampere", "ada", "hopper", "blackwell"};

/// A row of mma_units.def, which says what the members mean.
struct MmaUnit {
  MmaModel model;
  Format operand;
  Format accumulator;
  int length;
  int kept;
  int least;
  int result;
};
std::span<const MmaUnit> mma_units();
/// Null: the model has no such row.
const MmaUnit* mma_unit(MmaModel model, Format operand, Format accumulator);

/// One addition of at most `unit.length` products. Factors are numbers of the unit's operand format, as f64s; so are c
/// and the result, of the accumulator's format.
double mma_node(const MmaUnit& unit, double c, std::span<const double> x, std::span<const double> y);

/// A sum of products in order: c is +0 at first, and then the result of the products before; the last addition may have
/// fewer products.
class MmaSum {
 public:
  explicit MmaSum(const MmaUnit& unit) : unit_(&unit) {}
  void add_product(double x, double y);
  /// The sum of what was added so far; more may follow.
  double result() const;

 private:
  const MmaUnit* unit_;
  double sum_ = 0;
  std::vector<double> x_, y_;  ///< the products that no addition took yet
};

}  // namespace reckon::numerics
