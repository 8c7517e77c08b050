// Accuracy profiles.
#pragma once

#include <memory>
#include <string>

#include "frontend/elaborator.h"

namespace reckon::frontend {

Maybe elaborate_profile(Elaborator& elaborator, std::uint32_t declaration);
/// The profile that a name stands for in this environment (E0446 if it is none), for `accept`.
std::shared_ptr<const ir::Profile> profile_named(Elaborator& elaborator, const Environment& environment,
                                                 const std::string& name, SourceSpan place);

}  // namespace reckon::frontend
