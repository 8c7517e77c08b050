#include "interp/semantics/interval_endpoints.h"

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
  const double product = a * b;
  const bool ordinary = std::fabs(product) >= directed::small && std::fabs(product) < 0x1p1000 &&
                        std::fabs(c) < 0x1p1000 && (std::fabs(near) >= directed::small);
  if (ordinary) {
    // ErrFmaNearest (Boldo and Muller, ARITH 2005): near + high + low is exact.
    const double tail = std::fma(a, b, -product);
    const double first = c + tail;
    const double first_error = directed::sum_error(c, tail, first);
    const double second = product + first;
    const double second_error = directed::sum_error(product, first, second);
    const double difference = (second - near) + second_error;
    const double high = difference + first_error;
    const double low = first_error - (high - difference);
    return directed::round_down(near, high != 0 ? high : low);
  }
  const mpq_class error =
      F64Endpoints::exact(a) * F64Endpoints::exact(b) + F64Endpoints::exact(c) - F64Endpoints::exact(near);
  return directed::round_down(near, sgn(error));
}

}  // namespace reckon::interp
