// Names of operations, constants and precisions, of FPCore's and of Reckon's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "numerics/format.h"

namespace reckon::fpcore {

using numerics::Format;
using Names = std::map<std::string, std::string, std::less<>>;

/// Operations that are functions of Reckon, by FPCore's names.
const Names& functions();
/// Constants as expressions of Reckon, by FPCore's names.
const Names& constants();
/// Whether the name means something in the expressions of circuits that are made of FPCores.
bool is_taken(std::string_view name);

std::optional<Format> format_of_precision(std::string_view precision);
/// The least of FPCore's names; nothing for a format without one.
std::optional<std::string_view> precision_of(Format format);
/// Reckon's name of a format.
inline std::string_view format_name(Format format) { return numerics::traits(format).name; }

}  // namespace reckon::fpcore
