// Builtin circuits of a library under a profile: rules of their own, and the suite's way with vectors (gpuweb/cts).
#pragma once

#include "interp/evaluate.h"
#include "semantics/accept/circuits.h"
#include "semantics/accept/engine.h"
#include "semantics/accept/true_values.h"

namespace reckon::interp::accept {

/// What carries a profile out.
struct Machinery {
  Semantics& semantics;
  const Engine& engine;
  Circuits& circuits;
  TrueValues& true_values;
};

/// Semantics::call for accept: by the profile's rule for the circuit, element by element of its results; without one,
/// under the suite's rule, the body at every choice of the components' ends and flushes, and anything for the whole
/// result where a component of an argument or of the result is not finite. Otherwise false.
Expected<bool> call(const Machinery& machinery, const Semantics::Call& call, std::vector<Values>& out);

}  // namespace reckon::interp::accept
