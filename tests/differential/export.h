// Kernels with their arguments and results as files, for the emulator (tests/gpu/emulator/check_random.py).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/compile.h"
#include "ir/bind.h"

namespace reckon::differential {

/// Writes NAME.ptx; NAME.json with the buffers and the launches for these sizes; NAME.K.in with the bytes of buffer K, if
/// it is given, and NAME.K.out with those expected of a result.
std::optional<Diagnostic> export_launch(const std::string& name, ir::Module& module, const ir::Function& function,
                                        const codegen::Compiled& compiled, const ir::Dimensions& sizes,
                                        const std::vector<ir::HostTensor>& arguments,
                                        const std::vector<ir::HostTensor>& expected);

}  // namespace reckon::differential
