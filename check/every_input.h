// Circuits of one scalar of a format of 8 or 16 bits: there are few enough inputs to try all of them.
#pragma once

#include "check/trial.h"

namespace reckon::check {

struct EveryInput {
  std::int64_t inputs = 0;                      ///< that were tried: all there are, within the check's range
  std::optional<ir::HostTensor> difference;     ///< the first one for which the check does not hold
};

/// Both circuits on all their inputs. Nothing where the check is not one of two circuits of one such scalar under floats, or
/// where it could not be carried out.
std::optional<EveryInput> try_every_input(ir::Module& module, const frontend::ElaboratedItem& item,
                                          interp::Semantics& semantics, const interp::EvaluateOptions& options);

}  // namespace reckon::check
