// Affine arithmetic over f64: centre + sum of coefficient_i * e_i, where all values share the symbols e_i, numbers in
// -1..1. An input of a range has its own symbol, and so has the error of an operation: x - x is 0. Every rounding is
// counted. Source: Figueiredo, Stolfi, "Affine Arithmetic: Concepts and Applications", Numerical Algorithms 37 (2004).
#pragma once

#include <reckon/semantics.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <string>

class Affine : public reckon::semantics::Derived<Affine> {
 public:
  using Truth = reckon::semantics::Truth;
  static constexpr reckon::semantics::Properties properties{.encloses = true};
  static constexpr int most = 8;  ///< terms; the smallest ones are joined
  struct Term {
    std::uint64_t symbol = 0;
    double coefficient = 0;
  };
  struct Value {
    Value(double x = 0) noexcept : centre(x) {}
    double centre;
    int count = 0;
    Term terms[most];  ///< ascending symbols
  };
  using V = const Value&;
  Value number(double x) { return complete(x, nullptr, 0, 0); }
  Value literal(const reckon::semantics::Literal& x) { return range(x.low, x.high); }
  Value range(double low, double high) {
    if (low == high) return number(low);
    const double centre = low / 2 + high / 2;
    return complete(centre, nullptr, 0, std::fmax(up(high - centre, high, -centre), up(centre - low, centre, -low)));
  }

  Value add(V a, V b) { return joined(1, a, 1, b, 0, 0); }
  Value sub(V a, V b) { return joined(1, a, -1, b, 0, 0); }
  Value neg(V a) { return joined(-1, a, 0, a, 0, 0); }
  Value mul(V a, V b) {  // b.centre * a + a.centre * b has the product of the centres twice
    double error = a.count == 0 || b.count == 0 ? 0 : step(radius(a) * radius(b), 1);
    const double product = times(a.centre, b.centre, error);
    return joined(b.centre, a, a.centre, b, -product, error);
  }
  Value div(V a, V b) { return mul(a, inverse(b)); }
  Value exp(V a) {
    const auto [low, high] = enclosure(a);
    return bent(a, step(std::exp(low), -3), std::exp(low), std::exp(high), low, high);
  }
  Value convert(V a) const { return a; }  // a value encloses the real number, whatever the format

  Truth less(V a, V b) {
    const auto [low, high] = enclosure(sub(a, b));
    return high < 0 ? Truth::yes : low >= 0 ? Truth::no : Truth::unknown;
  }
  Truth same(V a, V b) {
    const auto [low, high] = enclosure(sub(a, b));
    return low > 0 || high < 0 ? Truth::no : low == high ? Truth::yes : Truth::unknown;
  }
  Value hull(V a, V b) {
    const auto x = enclosure(a), y = enclosure(b);
    return range(std::fmin(x.low, y.low), std::fmax(x.high, y.high));
  }
  reckon::semantics::Enclosure enclosure(V a) const {
    const double r = radius(a);
    if (!std::isfinite(r)) return {-INFINITY, INFINITY};
    return {0 - up(r - a.centre, r, -a.centre), up(a.centre + r, a.centre, r)};
  }
  std::string text(V a) const {
    char out[96];
    const auto [low, high] = enclosure(a);
    std::snprintf(out, sizeof out, "[%.17g, %.17g] (%d terms)", low, high, a.count);
    return out;
  }

 private:
  /// The float that is so many steps above x, or below it.
  static double step(double x, int steps) {
    for (int k = 0; k < std::abs(steps); ++k) x = std::nextafter(x, steps < 0 ? -INFINITY : INFINITY);
    return x;
  }
  /// What rounding x + y to `sum` has left out, exactly (Knuth's TwoSum).
  static double rest(double x, double y, double sum) { return (x - (sum - (sum - x))) + (y - (sum - x)); }
  /// `sum`, or the next float if x + y is greater.
  static double up(double sum, double x, double y) { return rest(x, y, sum) > 0 ? step(sum, 1) : sum; }
  static void note(double part, double& error) { error = up(error + std::fabs(part), error, std::fabs(part)); }
  static double times(double x, double y, double& error) {
    note(std::fma(x, y, -(x * y)), error);
    if (x != 0 && y != 0 && std::fabs(x * y) < 0x1p-900) note(0x1p-1000, error);  // what is left out may underflow
    return x * y;
  }
  static double plus(double x, double y, double& error) {
    note(rest(x, y, x + y), error);
    return x + y;
  }
  static double radius(V a) {
    double out = 0;
    for (int k = 0; k < a.count; ++k) note(a.terms[k].coefficient, out);
    return out;
  }

  /// x * a + y * b + shift, and something of at most `error`.
  Value joined(double x, V a, double y, V b, double shift, double error) {
    Term terms[2 * most];
    int count = 0;
    for (int i = 0, k = 0, rights = y == 0 ? 0 : b.count; i < a.count || k < rights;) {
      const bool left = i < a.count && (k == rights || a.terms[i].symbol <= b.terms[k].symbol);
      const bool right = k < rights && (i == a.count || b.terms[k].symbol <= a.terms[i].symbol);
      const std::uint64_t symbol = left ? a.terms[i].symbol : b.terms[k].symbol;
      const double first = left ? times(x, a.terms[i++].coefficient, error) : 0;
      const double sum = plus(first, right ? times(y, b.terms[k++].coefficient, error) : 0, error);
      if (sum != 0) terms[count++] = {symbol, sum};
    }
    const double both = plus(times(x, a.centre, error), times(y, b.centre, error), error);
    return complete(plus(both, shift, error), terms, count, error);
  }
  /// The terms, of which the smallest go into one new term with the error.
  Value complete(Value out, Term* terms, int count, double error) {
    if (std::isnan(error)) error = INFINITY;
    while (count > most - (error > 0 || count > most)) {
      Term* least = std::min_element(terms, terms + count, [](const Term& a, const Term& b) {
        return std::fabs(a.coefficient) < std::fabs(b.coefficient);
      });
      note(least->coefficient, error);
      std::copy(least + 1, terms + count--, least);
    }
    out.count = static_cast<int>(std::copy(terms, terms + count, out.terms) - out.terms);
    if (error > 0) out.terms[out.count++] = {++symbols_, error};
    if (error == INFINITY || std::isfinite(out.centre + radius(out))) return out;
    return complete({}, nullptr, 0, INFINITY);
  }
  /// A function on a range that holds `a`, by a line. Its slope is at most the function's own everywhere, so that the
  /// function's distance from the line grows from one end of the range to the other.
  Value bent(V a, double slope, double at_low, double at_high, double low, double high) {
    const double first = step(step(at_low, -2) - step(slope * low, 1), -1);
    const double last = step(step(at_high, 2) - step(slope * high, -1), 1), middle = first / 2 + last / 2;
    return joined(slope, a, 0, a, middle, std::fmax(step(last - middle, 2), step(middle - first, 2)));
  }
  Value inverse(V b) {
    const auto [low, high] = enclosure(b);
    if (low <= 0 && high >= 0) throw reckon::semantics::NoValue("a division by a value that may be 0");
    if (low == high) return range(step(1 / low, -1), step(1 / low, 1));
    if (high < 0) return neg(inverse(neg(b)));
    return neg(bent(b, step(1 / (high * high), -3), -1 / low, -1 / high, low, high));  // -1/x rises
  }

  /// Of all objects, so that no symbol has two meanings, on whatever thread and in whatever call it was made.
  static inline std::atomic<std::uint64_t> symbols_ = 0;
};
