#include "semantics/accept/acceptance.h"

#include <algorithm>
#include <cmath>

namespace reckon::interp::accept {

namespace {

/// For the widest alternative in which a number lies: how far from the middle towards an end it lies, from 0 to 1.
double used(const Answers& answers, const NumberKind& kind, double got) {
  double out = 0, widest = 0;
  for (std::size_t k = 0; k < answers.count; ++k) {
    const double low = kind.round_up(answers.parts[k].low), high = kind.round_down(answers.parts[k].high);
    const double half = high / 2 - low / 2;
    if (!answers.parts[k].contains(got) || !(half > widest) || !std::isfinite(half)) continue;
    widest = half;
    out = std::min(1.0, std::fabs((got / 2 - low / 2) + (got / 2 - high / 2)) / half);
  }
  return out;
}

}  // namespace

Acceptance acceptance(const Answers& answers, const NumberKind& kind, double got) {
  Acceptance out;
  out.anything = answers.unbounded;
  if (answers.unbounded || std::isnan(got) || answers.contains(got)) {
    out.accepted = answers.unbounded || !std::isnan(got) || answers.nan;
    if (!answers.unbounded && !std::isnan(got)) out.used = used(answers, kind, got);
    if (out.accepted) return out;
  }
  out.accepted = false;
  out.ulps = infinity;
  out.nearest = numerics::canonical_nan(kind.format);
  double nearest_distance = infinity;
  for (std::size_t k = 0; k < answers.count; ++k) {
    const double low = kind.round_up(answers.parts[k].low), high = kind.round_down(answers.parts[k].high);
    if (low > high) continue;  // the alternative contains no number of the kind
    const double nearest = got > high ? high : low;
    const double distance = std::fabs(got - nearest);
    if (out.ulps < infinity && !(distance < nearest_distance)) continue;
    nearest_distance = distance;
    out.nearest = numerics::round_f64(nearest, kind.format);
    out.ulps = std::isfinite(distance) ? distance / kind.ulp(nearest, false) : infinity;
  }
  return out;
}

}  // namespace reckon::interp::accept
