// Builtin circuits of a library under a profile: rules of their own, and how the suite treats vectors (gpuweb/cts).
#pragma once

#include "interp/evaluate.h"
#include "semantics/accept/circuits.h"
#include "semantics/accept/engine.h"
#include "semantics/accept/true_values.h"

namespace reckon::interp::accept {

/// The parts that carry a profile out.
struct Machinery {
  Semantics& semantics;
  const Engine& engine;
  Circuits& circuits;
  TrueValues& true_values;
};

/// Semantics::call for accept. If the profile has a rule for the circuit, it gives each element of the results. Without
/// one, under the suite's rule, the body is evaluated at every choice of the components' ends and flushes; the whole
/// result may be anything if a component of an argument or of the result is not finite. Otherwise false.
Expected<bool> call(const Machinery& machinery, const Semantics::Call& call, std::vector<Values>& out);

}  // namespace reckon::interp::accept
