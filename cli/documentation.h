// `:doc`: what a name means.
#pragma once

#include <optional>
#include <string>

#include "api/reckon/reckon.h"

namespace reckon::cli {

/// What docs/reference.md says of a name of the language, with what its chapter says of all its names; of a definition,
/// its signature, the comment above it and its text. Nothing if there is no such name.
std::optional<std::string> documentation(Session& session, const std::string& name);

/// The names that docs/reference.md has, for completion and suggestions.
std::vector<std::string> documented_names();

}  // namespace reckon::cli
