// The problem of a name that is not in a catalogue.
#pragma once

#include <string>
#include <vector>

#include "layout/problem.h"

namespace reckon::layout {

/// "no WHAT is called `NAME`", with the nearest of the names as hint.
Problem unknown_name(const std::string& what, const std::string& name, const std::vector<std::string>& names);

}  // namespace reckon::layout
