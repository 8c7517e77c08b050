// The maximum of two and of several forms.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "prove/terms.h"

namespace reckon::ir::normal {

PolynomialId maximum(Terms& t, std::vector<PolynomialId> parts);
/// The ramp: the larger of a and 0.
PolynomialId positive_part(Terms& t, PolynomialId a);
/// t + c p and t if the form is t + c ramp(p) for a rational c > 0: their maximum is the form.
std::optional<std::pair<PolynomialId, PolynomialId>> split_positive_part(Terms& t, PolynomialId a);

}  // namespace reckon::ir::normal
