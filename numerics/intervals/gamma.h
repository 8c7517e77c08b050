// The ranges of gamma, lgamma and digamma over intervals, by MPFR, at any precision.
//
// Between two neighbouring poles, and above 0, log |Gamma| is convex, because its second derivative, trigamma, is a sum of
// squares (NIST DLMF, 5.15.1). It decreases from one pole to its least value and increases to the next one; there digamma,
// its first derivative, is 0. The sign of Gamma changes at every pole. The least values decrease from branch to branch to
// the left: |Gamma(x - 1)| = |Gamma(x)| / |x - 1|, which is less for x < 0.
#pragma once

#include "numerics/elementary.h"
#include "numerics/intervals/rules.h"
#include "numerics/wide_float.h"

namespace reckon::numerics::intervals {

/// The range of gamma or lgamma over x, with ends of so many bits. Poles in x, at its ends or inside, have no value
/// themselves and leave the range unbounded; x is not one pole alone. The ends are the nearest possible, but that one at
/// which the function is extreme inside of x is one further if the extreme value lies within 2^-precision / 2 of a number. For x < -2^65536 the range is everything.
Interval<WideFloat> gamma_range(Function function, mpfr_prec_t precision, const Interval<WideFloat>& x);

/// An enclosure of digamma's values over x, tight if there is no pole in x, otherwise everything.
Interval<WideFloat> digamma_range(mpfr_prec_t precision, const Interval<WideFloat>& x);

}  // namespace reckon::numerics::intervals
