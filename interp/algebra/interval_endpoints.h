// Endpoints of intervals, f64 and f32: arithmetic in which every result lies on a named side of the exact one and is
// the nearest such number of its format. numerics/intervals/rules.h says what `Endpoints` must have.
//
// f32 needs no arithmetic of its own: rounding down to f64 and then down to f32 is rounding down to f32, since every
// f32 is an f64 (the same holds upward), so each operation is the f64 one, rounded on.
#pragma once

#include "interp/algebra/directed.h"
#include "numerics/elementary.h"
#include "numerics/format.h"
#include "numerics/intervals/gamma.h"
#include "numerics/intervals/native_endpoints.h"
#include "numerics/native.h"
#include "numerics/wide_float.h"

namespace reckon::interp {

using numerics::Toward;

/// a * b + c rounded down once; c finite or infinite.
double fma_down(double a, double b, double c);

/// The members that do not depend on the format of the endpoint.
template <class End>
struct NativeEndpoints : numerics::intervals::NativeSelections<End> {
  static End remainder(End a, End b) { return std::fmod(a, b); }
  static End floor(End x) { return std::floor(x); }
  static End ceil(End x) { return std::ceil(x); }
  static End trunc(End x) { return std::trunc(x); }
  static End round(End x) { return std::nearbyint(x); }
  static bool is_finite(End x) { return std::isfinite(x); }
  static bool is_odd(End x) { return std::fabs(std::fmod(x, End(2))) == 1; }
  /// -0 becomes 0.
  static End plain(End x) { return x + End(0); }
  static End all_integers_below() { return 1 / std::numeric_limits<End>::epsilon(); }
};

struct F64Endpoints : NativeEndpoints<double> {
  using Interval = numerics::intervals::Interval<double>;
  static constexpr numerics::Format format = numerics::Format::f64;

  static double add(Toward side, double a, double b) {
    return side == Toward::below ? directed::add_down(a, b) : directed::add_up(a, b);
  }
  static double mul(Toward side, double a, double b) {
    return side == Toward::below ? directed::mul_down(a, b) : directed::mul_up(a, b);
  }
  static double div(Toward side, double a, double b) {
    return side == Toward::below ? directed::div_down(a, b) : directed::div_up(a, b);
  }
  static double fma(Toward side, double a, double b, double c) {
    return side == Toward::below ? fma_down(a, b, c) : -fma_down(-a, b, -c);
  }
  static double sqrt(Toward side, double a) {
    if (std::isinf(a)) return a;
    const double root = std::sqrt(a), error = directed::root_error(a, root);
    return side == Toward::below ? directed::round_down(root, error) : directed::round_up(root, error);
  }
  static double function(numerics::Function f, Toward side, double x) {
    return numerics::mpfr_unary_directed(f, x, side == Toward::above);
  }
  static double function(numerics::BinaryFunction f, Toward side, double x, double y) {
    return std::bit_cast<double>(numerics::mpfr_binary(f, std::bit_cast<std::uint64_t>(x),
                                                       std::bit_cast<std::uint64_t>(y), format, rounding(side)));
  }
  static Interval gamma_range(numerics::Function f, const Interval& x) {
    return narrowed(numerics::intervals::gamma_range(f, 53, {x.low, x.high}));
  }
  static Interval digamma_range(const Interval& x) {
    return narrowed(numerics::intervals::digamma_range(53, {x.low, x.high}));
  }
  /// x * 2^k, k an integer or infinite.
  static double scaled(Toward side, double x, double k) {
    const double near = numerics::scaled(x, k) + 0.0, error = near == 0 ? x : x - numerics::scaled(near, -k);
    return side == Toward::below ? directed::round_down(near, error) : directed::round_up(near, error);
  }
  static double rational(Toward side, const mpq_class& value) {
    return std::bit_cast<double>(numerics::round_rational(value, format, rounding(side)));
  }
  static double real(Toward side, const mpq_class& scale, numerics::RealConstant constant) {
    return std::bit_cast<double>(numerics::round_real(scale, constant, format, rounding(side)));
  }
  static double pi_above() { return real(Toward::above, 1, numerics::RealConstant::pi); }
  static double number(Toward, double value) { return value; }

  static mpq_class exact(double x) { return *numerics::exact_value(std::bit_cast<std::uint64_t>(x), format); }
  static std::string decimal(Toward, double x) {
    return numerics::shortest_decimal(std::bit_cast<std::uint64_t>(x + 0.0), format);
  }
  static std::string hexadecimal(double x) {
    return numerics::hexadecimal(std::bit_cast<std::uint64_t>(x + 0.0), format);
  }

  static constexpr numerics::Rounding rounding(Toward side) {
    return side == Toward::below ? numerics::Rounding::downward : numerics::Rounding::upward;
  }

 private:
  /// Rounds once more, to f64's exponents.
  static Interval narrowed(const numerics::intervals::Interval<numerics::WideFloat>& x) {
    return {mpfr_get_d(x.low.get(), MPFR_RNDD), mpfr_get_d(x.high.get(), MPFR_RNDU)};
  }
};

struct F32Endpoints : NativeEndpoints<float> {
  using Interval = numerics::intervals::Interval<float>;
  static constexpr numerics::Format format = numerics::Format::f32;

  /// Rounds once more: a finite f64 beyond f32's range becomes the largest f32 or an infinity, depending on the side.
  static float number(Toward side, double value) {
    const float near = static_cast<float>(value);
    if (side == Toward::below ? near <= value : near >= value) return near;
    if (std::isinf(near)) return std::copysign(std::numeric_limits<float>::max(), near);
    if (near == 0)
      return side == Toward::below ? -std::numeric_limits<float>::denorm_min()
                                   : std::numeric_limits<float>::denorm_min();
    const bool away = (near > 0) == (side == Toward::above);
    const auto bits = std::bit_cast<std::uint32_t>(near);
    return std::bit_cast<float>(away ? bits + 1 : bits - 1);
  }

  static float add(Toward side, float a, float b) { return number(side, F64Endpoints::add(side, a, b)); }
  static float mul(Toward side, float a, float b) { return number(side, F64Endpoints::mul(side, a, b)); }
  static float div(Toward side, float a, float b) { return number(side, F64Endpoints::div(side, a, b)); }
  static float fma(Toward side, float a, float b, float c) { return number(side, F64Endpoints::fma(side, a, b, c)); }
  static float sqrt(Toward side, float a) { return number(side, F64Endpoints::sqrt(side, a)); }
  static float function(numerics::Function f, Toward side, float x) {
    return number(side, F64Endpoints::function(f, side, x));
  }
  static float function(numerics::BinaryFunction f, Toward side, float x, float y) {
    return number(side, F64Endpoints::function(f, side, x, y));
  }
  static Interval gamma_range(numerics::Function f, const Interval& x) {
    return narrowed(F64Endpoints::gamma_range(f, {x.low, x.high}));
  }
  static Interval digamma_range(const Interval& x) { return narrowed(F64Endpoints::digamma_range({x.low, x.high})); }
  static float scaled(Toward side, float x, float k) { return number(side, F64Endpoints::scaled(side, x, k)); }
  static float rational(Toward side, const mpq_class& value) {
    return number(side, F64Endpoints::rational(side, value));
  }
  static float real(Toward side, const mpq_class& scale, numerics::RealConstant constant) {
    return number(side, F64Endpoints::real(side, scale, constant));
  }
  static float pi_above() { return real(Toward::above, 1, numerics::RealConstant::pi); }

  static mpq_class exact(float x) { return F64Endpoints::exact(x); }
  static std::string decimal(Toward, float x) {
    return numerics::shortest_decimal(std::bit_cast<std::uint32_t>(x + 0.0f), format);
  }
  static std::string hexadecimal(float x) {
    return numerics::hexadecimal(std::bit_cast<std::uint32_t>(x + 0.0f), format);
  }

 private:
  static Interval narrowed(const numerics::intervals::Interval<double>& x) {
    return {number(Toward::below, x.low), number(Toward::above, x.high)};
  }
};

}  // namespace reckon::interp
