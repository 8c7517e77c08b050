// Calls of circuits that several ranks compute together: the processes of a job, or the GPUs of this machine
// (docs/many_machines.md).
#pragma once

#include <vector>

#include "api/implementation.h"

namespace reckon {

/// The results at rank 0; the other ranks get none. Every rank of the job makes the same call. A failure of one of them
/// is the error on all.
Expected<std::vector<interp::Values>> call_on_ranks(Session::Implementation& self, const ir::Function& function,
                                                    interp::Semantics& semantics,
                                                    const std::vector<ir::HostTensor>& arguments,
                                                    const driver::Shapes& shapes, const ir::Dimensions& dimensions,
                                                    bool explain);

/// The same on all GPUs of this machine, as ranks; the semantics is `float`.
Expected<std::vector<interp::Values>> call_on_gpus(Session::Implementation& self, const ir::Function& function,
                                                   interp::Semantics& semantics,
                                                   const std::vector<ir::HostTensor>& arguments,
                                                   const driver::Shapes& shapes, const ir::Dimensions& dimensions,
                                                   bool explain);

/// A failure of this rank before its call, which the others learn of; the failure that all report.
Diagnostic told_to_ranks(const Session::Implementation& self, const Diagnostic& failure);

}  // namespace reckon
