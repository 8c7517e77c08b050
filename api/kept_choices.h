// The choices of placement that `reckon tune` found, kept for the circuits, machines and sizes for which it did. They
// change no bit, and so an entry that no longer fits is no harm.
#pragma once

#include <optional>
#include <string>

#include "codegen/choices.h"
#include "codegen/compile.h"
#include "ir/bind.h"

namespace reckon {

/// What an entry is for: the circuit before its sizes are known, the semantics, the device by name, and the class of
/// its sizes. Sizes are of one class if they are equal or, beyond 64, have the same power of two below them and the
/// same part of 64 that divides them.
std::string choices_key(const ir::Module& module, const ir::Function& function, const std::string& semantics,
                        const std::string& device, const ir::Dimensions& sizes);

/// Nothing if there is no entry.
std::optional<codegen::StatedChoices> kept_choices(codegen::KernelStore& store, const std::string& key);
void keep_choices(codegen::KernelStore& store, const std::string& key, const codegen::StatedChoices& choices);

}  // namespace reckon
