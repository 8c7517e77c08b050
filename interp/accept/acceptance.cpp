#include "interp/accept/acceptance.h"

#include <cmath>

namespace reckon::interp::accept {

Acceptance acceptance(const Answers& answers, const NumberKind& kind, double got) {
  Acceptance out;
  out.anything = answers.unbounded;
  if (answers.unbounded || (std::isnan(got) ? answers.nan : answers.contains(got))) return out;
  out.accepted = false;
  out.ulps = infinity;
  out.nearest = numerics::canonical_nan(kind.format);
  double nearest_distance = infinity;
  for (std::size_t k = 0; k < answers.count; ++k) {
    const double low = kind.up(answers.parts[k].low), high = kind.down(answers.parts[k].high);
    if (low > high) continue;  // no number of the kind lies there
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
