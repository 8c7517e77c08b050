// What the trials of a check depend on, as one number: for those who keep what trials showed, or carry them out
// elsewhere.
#pragma once

#include "frontend/elaborate.h"
#include "interp/semantics.h"

namespace reckon::check {

/// A hash of both circuits (with the contents of loaded files), the question, its inputs and the semantics; not of the
/// sizes. It is the same in every process that has the same program.
std::uint64_t identity_of(const ir::Module& module, const frontend::ElaboratedItem& item,
                          const interp::Semantics& semantics);

}  // namespace reckon::check
