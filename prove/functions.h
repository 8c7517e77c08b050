// Operations of ops.def as forms.
#pragma once

#include <optional>
#include <vector>

#include "ir/op.h"
#include "prove/terms.h"

namespace reckon::ir::normal {

/// The operation of these operands, whichever it is.
PolynomialId apply(Terms& t, Op op, const std::vector<PolynomialId>& operands);

// functions.cpp
/// A function of which no more is known here than that it may be odd: an atom over its operands.
PolynomialId function(Terms& t, Op op, std::vector<PolynomialId> operands);
PolynomialId log(Terms& t, PolynomialId a);
PolynomialId log_of_rational(Terms& t, const mpq_class& value);
PolynomialId sqrt(Terms& t, PolynomialId a);
PolynomialId sqrt_of_rational(Terms& t, const mpq_class& value);

// inverses.cpp
PolynomialId arcsine(Terms& t, PolynomialId a);
PolynomialId arctangent(Terms& t, PolynomialId a);
/// asinh or acosh of r where the form is r + sqrt(r^2 + 1) or r + sqrt(r^2 - 1), and so on.
std::optional<PolynomialId> log_of_hyperbola(Terms& t, PolynomialId a);

// roots.cpp
PolynomialId pow(Terms& t, PolynomialId base, PolynomialId exponent);
PolynomialId cbrt(Terms& t, PolynomialId a);
/// The n-th root, by an integer n other than 0: of even degree a power.
PolynomialId rootn(Terms& t, PolynomialId a, PolynomialId n);
/// q of an atom pow(x, 1/q).
std::optional<int> root_degree(const TermStore& t, AtomId id);
/// The root p of a form p^2, up to its sign.
std::optional<PolynomialId> root_of_square(Terms& t, PolynomialId a);
/// The form as N / G where N and G are never both below 0.
struct Ratio {
  PolynomialId above, below;
};
std::optional<Ratio> as_safe_ratio(Terms& t, PolynomialId a);
/// The exponent of a power of e that is taken out of a sum; it is the same for all multiples of the sum.
PolynomialId common_exponent(Terms& t, PolynomialId a);

// steps.cpp: functions that jump
PolynomialId step_function(Terms& t, Op op, PolynomialId a);
PolynomialId remainder(Terms& t, PolynomialId a, PolynomialId b);

}  // namespace reckon::ir::normal
