// A cache of compiled kernels, keyed by everything that they were compiled from.
//
// An entry's key is a text with everything that the code depends on: the function's IR as it is printed (which holds
// sizes, schedules, formats and storage), the options, and which builds of Reckon and of LLVM did it. Entries are found
// by the key's hash and taken only if they hold the whole key, so that no collision can give another program's code.
#pragma once

#include <optional>
#include <string>

#include "codegen/compile.h"

namespace reckon::codegen {

/// The key of a function's entry; empty if the builds cannot be identified, and then nothing may be kept.
std::string cache_key(const ir::Module& module, const ir::Function& function, const CompileOptions& options);

/// Which build of Reckon this is, in hexadecimal; empty if that is not known.
const std::string& own_build();

/// The name of a key's entry: 64 hexadecimal digits, BLAKE3.
std::string entry_name(const std::string& key);

/// An entry: the key, what lowering found out about the kernels, and their PTX.
std::string make_entry(const std::string& key, const Plan& plan, const std::string& assembly);

/// The PTX of an entry that has this key and this plan's kernels. The plan gets the figures that lowering would find
/// out. If the entry is not such a one: nothing, and the plan is unchanged.
std::optional<std::string> read_entry(const std::string& entry, const std::string& key, Plan& plan);

}  // namespace reckon::codegen
