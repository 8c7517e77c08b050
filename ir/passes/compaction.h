// Copying the needed part of a module. The stores of a module only grow, so this is the way to free what nothing uses.
#pragma once

#include <memory>

#include "ir/module.h"

namespace reckon::ir {

/// Rebuilds the function in another module, with its source places and the schedule definitions that it uses.
Function copy_function(const Module& from, const Function& function, Module& to);

/// A module that contains these functions and only what they use.
std::unique_ptr<Module> compact(const Module& module, const std::vector<Function>& functions);

}  // namespace reckon::ir
