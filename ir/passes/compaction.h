// Leaving behind what nothing needs: the stores of a module only ever grow.
#pragma once

#include <memory>

#include "ir/module.h"

namespace reckon::ir {

/// The function built anew in another module, with its source places and the schedule definitions that it uses.
Function copy_function(const Module& from, const Function& function, Module& to);

/// A module that holds these functions, and nothing that they do not reach.
std::unique_ptr<Module> compact(const Module& module, const std::vector<Function>& functions);

}  // namespace reckon::ir
