// `--emit=report`: in words, what became of each reduction of a circuit, why, and what bounds its kernel.
#pragma once

#include <functional>
#include <string>

#include "codegen/plan.h"
#include "kernel/program.h"

namespace reckon::codegen {

/// Where something stands in the sources: `line 3`.
using PlaceText = std::function<std::string(SourceSpan)>;

/// A paragraph for each kernel of a plan that was placed and lowered to the program. Decisions are those that placement
/// recorded; sizes, launches and limits (kernel/cost.h) are told as far as sizes are known, limits of the chips whose
/// facts are known (kernel/gpu.h).
std::string report(ir::Module& module, const Planned& planned, const kernel::Program& program,
                   const CompileOptions& options, const PlaceText& place);

}  // namespace reckon::codegen
