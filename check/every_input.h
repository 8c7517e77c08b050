// Evaluates circuits of scalars on many inputs at once: on all inputs if there is one scalar of 8 or 16 bits, otherwise
// on many.
#pragma once

#include "check/trial.h"

namespace reckon::check {

struct EveryInput {
  std::int64_t inputs = 0;                      ///< that were tried: all there are, within the check's range
  std::optional<ir::HostTensor> difference;     ///< the first one for which the check does not hold
};

/// `count` inputs of all families for both circuits (inputs.h), whose parameters and results are scalars, under floats.
/// `inputs` is how many were compared; `difference` has one scalar for each parameter. Nothing as below.
struct ManyInputs {
  std::int64_t inputs = 0;
  bool any_finite = false;
  std::optional<std::vector<ir::HostTensor>> difference;
};
std::optional<ManyInputs> try_many_inputs(ir::Module& module, const frontend::ElaboratedItem& item,
                                          interp::Semantics& semantics, const interp::EvaluateOptions& options,
                                          std::int64_t count);

/// Both circuits on all their inputs. Nothing where the check is not one of two circuits of one such scalar under floats, or
/// where it could not be carried out.
std::optional<EveryInput> try_every_input(ir::Module& module, const frontend::ElaboratedItem& item,
                                          interp::Semantics& semantics, const interp::EvaluateOptions& options);

}  // namespace reckon::check
