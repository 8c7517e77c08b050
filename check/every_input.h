// Evaluates circuits of scalars on many inputs at once: on all inputs if these have 16 bits in all or fewer, otherwise
// on many.
#pragma once

#include "check/trial.h"

namespace reckon::check {

struct EveryInput {
  std::int64_t inputs = 0;                      ///< the number of inputs tried: all that exist within the check's range
  /// The first one for which the check does not hold: one scalar for each parameter.
  std::optional<std::vector<ir::HostTensor>> difference = std::nullopt;
};

/// Tries `count` inputs of all families (inputs.h) on both circuits, whose parameters and results are scalars, under
/// floats. `inputs` is how many were compared; `difference` has one scalar for each parameter. Nothing as below.
struct ManyInputs {
  std::int64_t inputs = 0;
  bool any_finite = false;
  std::optional<std::vector<ir::HostTensor>> difference;
};
std::optional<ManyInputs> try_many_inputs(ir::Module& module, const frontend::ElaboratedItem& item,
                                          interp::Semantics& semantics, const interp::EvaluateOptions& options,
                                          std::int64_t count);

/// Tries all inputs of both circuits. Nothing if the check does not compare two circuits of such scalars under floats
/// (or of truth values under exact reals), or if it could not be carried out.
std::optional<EveryInput> try_every_input(ir::Module& module, const frontend::ElaboratedItem& item,
                                          interp::Semantics& semantics, const interp::EvaluateOptions& options);

}  // namespace reckon::check
