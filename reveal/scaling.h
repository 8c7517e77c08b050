// What a box does to a sum besides adding: it scales the sum, or the elements before they are added.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reveal/box.h"

namespace reckon::reveal {

struct Scaling {
  enum class Kind : std::uint8_t {
    none,
    exact,                ///< by a power of two: where and by which operation cannot matter
    sum_divided,          ///< the sum, divided by `factor`
    sum_multiplied,       ///< the sum, multiplied by `factor`
    elements_divided,     ///< each element, divided by `factor` before it is added
    elements_multiplied,  ///< each element, multiplied by `factor` before it is added
  };
  Kind kind = Kind::none;
  double factor = 1;            ///< a value of `format`
  Format format = Format::f32;  ///< in which the operation rounds to nearest
  bool rounded_first = false;   ///< the sum is rounded to the result's format before it is scaled
  /// An exact factor of each element, plus or minus a power of two; empty: all 1.
  std::vector<double> weights;

  bool of_sum() const { return kind == Kind::sum_divided || kind == Kind::sum_multiplied; }
  bool of_elements() const { return kind == Kind::elements_divided || kind == Kind::elements_multiplied; }
  /// What is added for element i of this value.
  double element(double value, std::size_t i) const;
  /// The answer, before it is rounded to the result's format, for a sum in the accumulator's format.
  double sum(double value, const Formats& formats) const;
  /// For people: `the sum, divided by 7 (n)`. Empty if there is none.
  std::string text(std::int64_t n, Format accumulator) const;
  /// `n`, `1/n`, `sqrt(n)` or `1/sqrt(n)` if the factor is one of these, rounded; else empty.
  std::string factor_name(std::int64_t n) const;
  /// `divide` or `multiply`; empty where there is none, or where it cannot matter which.
  std::string operation() const;
};

/// What explains a box without its tree.
struct Model {
  Format accumulator = Format::f32;
  Scaling scaling;
};

/// One rounding of an f64 that is the exact result, or one of at least 2p + 2 bits, to p bits.
double round_to(double value, Format format);

/// All models in which one unit gives `one`, the likeliest first: accumulators from the elements' format on, operations
/// in the accumulator's, the result's and wider formats, factors that one answer tells or that n suggests.
std::vector<Model> models_of(const Formats& formats, std::int64_t n, double one);

/// The answer to two elements in a sum of zeros, as a pattern of the result's format; it does not depend on the tree.
std::uint64_t answer_to_two(const Model& model, const Formats& formats, double a, double b);

}  // namespace reckon::reveal
