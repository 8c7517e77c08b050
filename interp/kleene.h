// Kleene's logic of three values: unknown stands for "either no or yes".
#pragma once

#include "interp/semantics.h"

namespace reckon::interp::kleene {

constexpr Truth negation(Truth a) { return a == Truth::unknown ? a : a == Truth::yes ? Truth::no : Truth::yes; }
constexpr Truth conjunction(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return a == Truth::yes && b == Truth::yes ? Truth::yes : Truth::unknown;
}
constexpr Truth disjunction(Truth a, Truth b) { return negation(conjunction(negation(a), negation(b))); }

}  // namespace reckon::interp::kleene
