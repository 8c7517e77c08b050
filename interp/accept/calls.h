// Builtin circuits of a library under a profile: rules of their own, and the suite's way with vectors (gpuweb/cts).
#pragma once

#include "interp/accept/engine.h"
#include "interp/evaluate.h"

namespace reckon::interp::accept {

/// Semantics::call for accept: a primitive row; a choice of circuits; under the suite's rule, the body at every choice
/// of the components' ends and flushes, and anything for the whole result where a component of an argument or of the
/// result is not finite. Otherwise false.
Expected<bool> call(Semantics& semantics, const Engine& engine, const RunCircuit& run, std::string_view name,
                    const std::vector<const Values*>& arguments, const Semantics::Circuit& body,
                    std::vector<Values>& out);

}  // namespace reckon::interp::accept
