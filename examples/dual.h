// Dual numbers: each value carries its derivative with respect to one input, so that a circuit gives both at once. The
// whole semantics is this class; docs/cpp.md, "A semantics of one's own".
#pragma once

#include <reckon/semantics.h>

#include <cmath>
#include <cstdio>
#include <string>

struct Dual : reckon::semantics::Derived<Dual> {
  struct Value {
    double value = 0, slope = 0;
  };
  using V = const Value&;

  Value number(double x) const { return {x, 0}; }
  /// The input by which is differentiated.
  static Value variable(double x) { return {x, 1}; }

  Value add(V a, V b) const { return {a.value + b.value, a.slope + b.slope}; }
  Value neg(V a) const { return {-a.value, -a.slope}; }
  Value mul(V a, V b) const { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }
  Value div(V a, V b) const {
    const double quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  Value sqrt(V a) const { return chain(a, std::sqrt(a.value), 0.5 / std::sqrt(a.value)); }
  Value exp(V a) const { return chain(a, std::exp(a.value), std::exp(a.value)); }
  Value log(V a) const {
    if (a.value <= 0) throw reckon::semantics::NoValue("`log` of " + std::to_string(a.value) + " has no derivative");
    return chain(a, std::log(a.value), 1 / a.value);
  }
  Value sin(V a) const { return chain(a, std::sin(a.value), std::cos(a.value)); }
  Value cos(V a) const { return chain(a, std::cos(a.value), -std::sin(a.value)); }
  Value tanh(V a) const {
    const double t = std::tanh(a.value);
    return chain(a, t, 1 - t * t);
  }

  bool less(V a, V b) const { return a.value < b.value; }
  bool equal(V a, V b) const { return a.value == b.value; }
  Value convert(V a) const { return a; }  // all formats are f64 here

  /// `check f == g in dual`: the same value and the same derivative, up to a few roundings.
  bool same(V a, V b) const { return near(a.value, b.value) && near(a.slope, b.slope); }
  double as_float(V a) const { return a.value; }
  std::string text(V a) const {
    char out[64];
    std::snprintf(out, sizeof out, "%.10g slope %.10g", a.value, a.slope);
    return out;
  }

 private:
  static Value chain(V a, double value, double derivative) { return {value, derivative * a.slope}; }
  static bool near(double a, double b) { return a == b || std::fabs(a - b) <= 0x1p-40 * std::fmax(1, std::fabs(b)); }
};
