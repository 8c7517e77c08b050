// Degrees of a circuit's results as rational functions of its inputs, for the probability that random inputs do not tell
// two circuits apart (docs/algebra.md).
#pragma once

#include <optional>

#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "ir/bind.h"

namespace reckon::check {

/// The largest degree that the numerator of the difference of two results may have after denominators are cleared, plus
/// the degree of the denominators. Nothing if a side is not a rational function (exp, roots, comparisons), if the
/// degree is not known, or if an input is an integer: then the function is another one for each of its values.
std::optional<double> degree_of_difference(ir::Module& module, const ir::Function& left, const ir::Function& right,
                                           const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes,
                                           ir::Laws laws, const interp::EvaluateOptions& options);

/// How many trials make the probability of a false acceptance at most 2^-60, and its bound as text (`2^-61`); nothing
/// where no bound is known: degree at least p/2.
struct Trials {
  std::int64_t count = 0;
  std::int64_t bits = 0;  ///< of the bound, 2^-bits, after `count` trials
};
std::optional<Trials> trials_for(double degree, double residues, std::optional<std::int64_t> given);

}  // namespace reckon::check
