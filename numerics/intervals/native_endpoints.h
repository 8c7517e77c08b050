// The selections of rules.h in C++, where a condition is a bool and a selection is a branch: of two long computations,
// such as two functions by MPFR, only one is carried out.
#pragma once

#include "numerics/functions/half_turns.h"
#include "numerics/intervals/rules.h"
#include "numerics/native_builder.h"

#include <type_traits>

namespace reckon::numerics::intervals {

template <class End_>
struct NativeSelections {
  using End = End_;
  using Flag = bool;
  using Words = NativeBuilder;

  static Words words() { return {}; }
  static End constant(float value) { return End(value); }
  static End neg(const End& x) { return -x; }

  static bool less(const End& x, const End& y) { return x < y; }
  static bool less_equal(const End& x, const End& y) { return x <= y; }
  static bool equal(const End& x, const End& y) { return x == y; }
  static bool both(bool f, bool g) { return f && g; }
  static bool either(bool f, bool g) { return f || g; }
  static bool negated(bool f) { return !f; }

  static End min_of(const End& x, const End& y) { return y < x ? y : x; }
  static End max_of(const End& x, const End& y) { return x < y ? y : x; }
  static End outermost(Toward side, const End& x, const End& y, const End&) {
    return side == Toward::below ? min_of(x, y) : max_of(x, y);
  }
  static const End& unless_nan(const End& x, const End&) { return x; }
  static End pick(bool flag, const End& x, const End& y) { return flag ? x : y; }

  /// It is never called for an operand with many turns.
  static std::uint64_t quarter_turns(const End& x) { return mpz_fdiv_ui(quadrant(x).get_mpz_t(), 4); }
  static std::uint64_t half_turns(const End& x) {
    if constexpr (std::is_same_v<End, WideFloat>) {
      return half_turns_modulo_4(x);
    } else {
      NativeBuilder b;
      return floor_of_half_turns(b, static_cast<double>(x));
    }
  }
  static bool has_many_turns(const Interval<End>&, const End& width) { return width >= End(7); }

  template <class F, class G>
  static auto choose(bool flag, F&& then, G&& otherwise) {
    return flag ? then() : otherwise();
  }
  template <class F, class G>
  static auto branch(bool flag, F&& then, G&& otherwise) {
    return flag ? then() : otherwise();
  }
  template <class F, class G>
  static auto shortcut(bool flag, F&& quick, G&& always) {
    return flag ? quick() : always();
  }
};

}  // namespace reckon::numerics::intervals
