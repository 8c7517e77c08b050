// Intervals of reals with f64 endpoints (interp/algebra/interval_endpoints.h): those of the semantics `interval`.
#pragma once

#include "interp/algebra/interval_rules.h"

namespace reckon::worst {

using Interval = interp::IntervalOf<double>;
using IntervalArithmetic = interp::IntervalFunctions<interp::F64Endpoints>;

inline double magnitude(const Interval& a) { return std::max(std::fabs(a.low), std::fabs(a.high)); }
/// The least magnitude.
inline double mignitude(const Interval& a) { return a.low > 0 ? a.low : a.high < 0 ? -a.high : 0; }
inline bool holds_zero(const Interval& a) { return a.low <= 0 && a.high >= 0; }
inline bool is_point(const Interval& a) { return a.low == a.high; }
inline bool is_bounded(const Interval& a) { return std::isfinite(a.low) && std::isfinite(a.high); }
inline Interval everything() { return {-interp::directed::infinity, interp::directed::infinity}; }
inline Interval intersection(const Interval& a, const Interval& b) {
  const Interval out{std::max(a.low, b.low), std::min(a.high, b.high)};
  return out.low <= out.high ? out : a;
}
inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
/// All numbers at most `by` away.
inline Interval widened(const Interval& a, double by) {
  if (by == 0) return a;
  return {interp::directed::add_down(a.low, -by), interp::directed::add_up(a.high, by)};
}

inline double width(const Interval& a) { return interp::directed::add_up(a.high, -a.low); }

inline double add_up(double a, double b) { return interp::directed::add_up(a, b); }
/// Of numbers that are not negative.
inline double mul_up(double a, double b) { return interp::directed::mul_up(a, b); }
inline double div_up(double a, double b) { return b > 0 ? interp::directed::div_up(a, b) : interp::directed::infinity; }

}  // namespace reckon::worst
