// The tables of the ring. They are built once, on first use (about 2 ms), by any thread.
#pragma once

#include <array>
#include <memory>

#include "numerics/padic/modular.h"

namespace reckon::numerics::padic {

/// A point of the circle, cos + i sin, in Montgomery's form.
template <class W>
struct PointOf {
  W cos = 0, sin = 0;
};
template <class W>
constexpr PointOf<W> multiply(const PointOf<W>& x, const PointOf<W>& y) {
  return {subtract_modulo(multiply(x.cos, y.cos), multiply(x.sin, y.sin)),
          add_modulo(multiply(x.cos, y.sin), multiply(x.sin, y.cos))};
}
using Point = PointOf<std::uint64_t>;

struct Tables {
  static constexpr std::uint16_t none = 0xffff;
  /// The w of x = zeta^w modulo p; none if x is not in H.
  std::array<std::uint16_t, p> index;
  /// The place of x among the residues in H, from 1 to q; 0 for 0 and outside H. A residue n/m modulo p with small n
  /// and m has the place that n/m has among the reals.
  std::array<std::uint16_t, p> rank;
  /// 1/x modulo p; 0 for 0.
  std::array<std::uint16_t, p> inverse;
  std::array<std::uint16_t, q> inverse_q;
  /// The square root modulo q that is itself a square, or none. The root of 0 is 0.
  std::array<std::uint16_t, q> root_q;
  std::array<std::uint8_t, r> inverse_r;
  /// zeta^w = high[w / 128] * low[w % 128]; zeta is a Teichmueller element of order q.
  std::array<std::uint64_t, 128> low;
  std::array<std::uint64_t, q / 128 + 1> high;
  /// eta^c; eta is an element of order r and norm 1 of Z/p^4[i].
  std::array<Point, r> circle;
};

const Tables& tables();

/// The tables for the rules over these words: `t.index[w]` is such a word or converts to one.
inline const Tables& tables_for(const std::uint64_t&) { return tables(); }

template <class T, class W>
W zeta(const T& t, const W& w) {
  return multiply<W>(t.high[w >> 7], t.low[w & 127]);
}

}  // namespace reckon::numerics::padic
