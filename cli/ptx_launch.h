// A launch of a kernel of PTX from the command line.
#pragma once

#include <optional>

#include "api/reckon/ptx.h"
#include "cli/console.h"
#include "cli/options.h"

namespace reckon::cli {

/// Nothing, and the console knows why, if the options describe none.
std::optional<PtxLaunch> ptx_launch(const PtxCommand& options, const Common& common, Session& session,
                                    Console& console);

/// Up to three extents, 1 where none is given; nothing, and the console knows why, if one is no number.
std::optional<std::array<std::uint32_t, 3>> ptx_extents(const std::vector<std::string>& given, const char* flag,
                                                        Console& console);

}  // namespace reckon::cli
