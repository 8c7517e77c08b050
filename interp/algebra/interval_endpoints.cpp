#include "interp/algebra/interval_endpoints.h"

namespace reckon::interp {

using directed::infinity;
using directed::largest;

double fma_down(double a, double b, double c) {
  if (c == -infinity) return c;
  if (a == 0 || b == 0) return c == infinity ? largest : c;
  if (std::isinf(a) || std::isinf(b)) return a * b;  // c is finite, or on the same side, or no lower than it
  if (c == infinity) return largest;
  const double near = std::fma(a, b, c);
  if (near == infinity) return largest;
  if (near == -infinity) return near;
  if (const auto error = directed::fma_error(a, b, c, near)) {
    return directed::round_down(near, error->high != 0 ? error->high : error->low);
  }
  const mpq_class error =
      F64Endpoints::exact(a) * F64Endpoints::exact(b) + F64Endpoints::exact(c) - F64Endpoints::exact(near);
  return directed::round_down(near, sgn(error));
}

}  // namespace reckon::interp
