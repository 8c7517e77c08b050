// What an implementation may answer: up to four closed intervals of reals, perhaps NaN besides, or anything at all.
//
// Endpoints are doubles whatever the format; there is one zero. A value says nothing of its format, so that one type
// serves all of them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace reckon::interp::accept {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct Interval {
  double low = 0, high = 0;
  bool is_point() const { return low == high; }
  bool contains(double x) const { return low <= x && x <= high; }
  bool contains(const Interval& other) const { return low <= other.low && other.high <= high; }
  bool meets(const Interval& other) const { return low <= other.high && other.low <= high; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

inline Interval hull(const Interval& a, const Interval& b) {
  return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

/// Why anything is allowed.
enum class Cause : std::uint8_t {
  none,
  outside,    ///< an argument may be outside of what the profile states an accuracy for
  zero,       ///< the divisor may be 0
  undefined,  ///< the function has no real value for some of the arguments
  overflow,   ///< beyond the largest number
  infinite,   ///< an argument is infinite, or beyond the largest number
  amount,     ///< the permitted error itself overflows
  stated,     ///< the profile says so
  integers,   ///< what an operation of integers works on is no integer that is known
};

/// Whether a constant expression is valid (accept(P, const)).
enum class Verdict : std::uint8_t { valid, either, invalid };

struct Answers {
  static constexpr std::size_t capacity = 4;

  std::array<Interval, capacity> parts{};
  std::uint8_t count = 0;  ///< how many parts are used; 0 and neither flag: nothing yet
  bool nan = false;
  bool unbounded = false;
  Cause cause = Cause::none;
  std::uint8_t argument = 0;  ///< outside, infinite: the argument's number
  Verdict verdict = Verdict::valid;
  std::uint16_t operation = 0;          ///< the one that made it unbounded: operation_name (primitives.h)
  std::uint16_t verdict_operation = 0;  ///< the one that decided the verdict
  /// How it was made, if the profile lets compilers rewrite that (rewriter.h); 0: nothing is known.
  std::uint32_t origin = 0;

  static Answers of(const Interval& interval) {
    Answers out;
    out.parts[0] = interval;
    out.count = 1;
    return out;
  }
  static Answers anything(Cause cause, std::uint16_t operation, int argument = 0) {
    Answers out;
    out.unbounded = true;
    out.cause = cause;
    out.operation = operation;
    out.argument = static_cast<std::uint8_t>(argument);
    return out;
  }
  Answers&& with(Verdict verdict_, std::uint16_t by) && {
    verdict = verdict_;
    verdict_operation = by;
    return std::move(*this);
  }
  bool empty() const { return count == 0 && !nan && !unbounded; }
  bool is_point() const { return count == 1 && !nan && !unbounded && parts[0].is_point(); }
  /// Of the parts; there is one.
  Interval hull() const;
  bool contains(double x) const;
};

/// Adds what `more` allows, as alternatives. `merge`: parts that meet become one part, which is the same set.
void unite(Answers& answers, const Answers& more, bool merge);
/// The same, including what lies between: part by part, if both have as many parts.
void span(Answers& answers, const Answers& more);

}  // namespace reckon::interp::accept
